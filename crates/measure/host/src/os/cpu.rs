//! Processors of the calling thread, and of those of other processes.

use std::io;
use std::mem::{size_of, size_of_val};

/// Words of a mask: room for 65,536 processors, more than any Linux has.
const WORDS: usize = 1024;
/// And of one that most have room in: it is faster, and who has more processors tells it.
const FEW: usize = 16;

/// The processor that the calling thread is on now; cheap (no system call where the vDSO has it).
pub fn current() -> u32 {
    // SAFETY: no arguments.
    let cpu = unsafe { libc::sched_getcpu() };
    // It fails only on kernels without the call, which are older than Rust supports.
    u32::try_from(cpu).unwrap_or(u32::MAX)
}

/// The processors that the calling thread may use, ascending.
///
/// # Errors
/// What the system says.
pub fn affinity() -> io::Result<Vec<u32>> {
    of_thread(0)
}

/// Binds the calling thread. Numbers that the machine does not have are ignored, as the kernel does.
///
/// # Errors
/// What the system says.
pub fn set_affinity(cpus: &[u32]) -> io::Result<()> {
    bind_thread(0, cpus)
}

/// The processors that a thread of any process may use, ascending; `thread` is its number in the system, or 0 for the
/// calling one.
///
/// # Errors
/// What the system says; `ESRCH`: there is no such thread.
pub fn of_thread(thread: u32) -> io::Result<Vec<u32>> {
    // The call itself, which tells how many bytes the kernel has for its processors; the function of the library hides it.
    let read = |mask: &mut [u64]| {
        // SAFETY: the kernel writes at most the given number of bytes to `mask`.
        let bytes = unsafe {
            libc::syscall(libc::SYS_sched_getaffinity, id(thread)?, size_of_val(mask), mask.as_mut_ptr())
        };
        usize::try_from(bytes).map_err(|_| io::Error::last_os_error())
    };
    let (mut few, mut many) = ([0_u64; FEW], Vec::new());
    let (mask, bytes) = match read(&mut few) {
        Err(why) if why.raw_os_error() == Some(libc::EINVAL) => {
            many.resize(WORDS, 0_u64);
            let bytes = read(&mut many)?;
            (&many[..], bytes)
        }
        bytes => (&few[..], bytes?),
    };
    let mut cpus = Vec::new();
    for (word, &bits) in (0_u32..).zip(mask.iter().take(bytes.div_ceil(size_of::<u64>()))) {
        let mut left = bits;
        while left != 0 {
            cpus.push(word * 64 + left.trailing_zeros());
            left &= left - 1;
        }
    }
    Ok(cpus)
}

/// Binds a thread of any process of this user; see [`of_thread`] and [`set_affinity`].
///
/// # Errors
/// What the system says; `ESRCH`: there is no such thread; `EPERM`: it is somebody else's; `EINVAL`: it may use none of
/// these processors.
pub fn bind_thread(thread: u32, cpus: &[u32]) -> io::Result<()> {
    let mut mask = [0_u64; WORDS];
    for &cpu in cpus {
        if let Some(word) = mask.get_mut(cpu as usize / 64) {
            *word |= 1 << (cpu % 64);
        }
    }
    // SAFETY: the kernel reads the given number of bytes of `mask`.
    let failed = unsafe { libc::sched_setaffinity(id(thread)?, size_of_val(&mask), mask.as_ptr().cast()) };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn id(thread: u32) -> io::Result<libc::pid_t> {
    libc::pid_t::try_from(thread).map_err(|_| io::Error::from_raw_os_error(libc::ESRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_read_as_it_was_set() {
        let all = affinity().expect("Linux tells");
        assert!(!all.is_empty() && all.is_sorted());
        for &cpu in &all {
            set_affinity(&[cpu]).expect("allowed");
            assert_eq!(affinity().expect("Linux tells"), [cpu]);
            assert_eq!(current(), cpu);
        }
        set_affinity(&all).expect("allowed");
        assert_eq!(of_thread(0).expect("Linux tells"), all);
        assert_eq!(of_thread(u32::MAX).expect_err("none").raw_os_error(), Some(libc::ESRCH));
    }
}
