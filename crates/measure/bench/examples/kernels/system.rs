//! System calls for huge pages, and for threads bound to a logical CPU.

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Anonymous memory with huge pages, allocated until the program exits.
#[cfg(target_os = "linux")]
pub(crate) fn memory(bytes: usize) -> Result<&'static mut [f64], Failure> {
    // SAFETY: this is new memory of this size without another user, and it is never unmapped; zeroed bytes are valid doubles.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let start = libc::mmap(
            std::ptr::null_mut(),
            bytes,
            protection,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if start == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error().into());
        }
        libc::madvise(start, bytes, libc::MADV_HUGEPAGE);
        Ok(std::slice::from_raw_parts_mut(start.cast(), bytes / size_of::<f64>()))
    }
}

/// The logical CPUs that this process may use.
#[cfg(target_os = "linux")]
pub(crate) fn processors() -> Vec<usize> {
    // SAFETY: the set is plain data, and the call fills it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        (0..libc::CPU_SETSIZE as usize).filter(|&cpu| libc::CPU_ISSET(cpu, &set)).collect()
    }
}

/// Binds the calling thread.
#[cfg(target_os = "linux")]
pub(crate) fn pin(cpu: usize) {
    // SAFETY: the set is plain data.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn memory(_: usize) -> Result<&'static mut [f64], Failure> {
    Err("this needs Linux: threads are bound, memory has huge pages".into())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn processors() -> Vec<usize> {
    vec![0]
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_: usize) {}
