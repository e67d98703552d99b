//! Threads: their common time, their resource usage, their current and allowed logical CPUs.

use std::hint::black_box;
use std::io;
use std::mem::{size_of, size_of_val};

/// Nanoseconds of `CLOCK_MONOTONIC`: the same for all threads and processes of the machine, unlike an `Instant`, which
/// cannot be handed to another process.
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that lives through the call. Linux always has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // Both are positive: the clock counts from the start of the machine.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Nanoseconds of CPU time that the calling thread has used.
pub fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that lives through the call. Linux always has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    // Both are positive: it counts from the start of the thread.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Cost of one clock read on this processor, in nanoseconds: the best of some rounds.
pub fn look_cost_ns() -> f64 {
    const LOOKS: u32 = 1000;
    let round = || {
        let start = now_ns();
        for _ in 0..LOOKS {
            black_box(now_ns());
        }
        (now_ns() - start) as f64 / f64::from(LOOKS)
    };
    (0..5).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// Words of a mask: room for 65,536 logical CPUs, more than any Linux has.
const WORDS: usize = 1024;
/// Words of a smaller mask that suffices for most hosts: it is faster, and the call reports if there are more logical CPUs.
const FEW: usize = 16;

/// The logical CPU that the calling thread is on now; cheap (no system call if the vDSO supports it).
pub fn current_cpu() -> u32 {
    // SAFETY: no arguments.
    let cpu = unsafe { libc::sched_getcpu() };
    // It fails only on kernels without the call, which are older than Rust supports.
    u32::try_from(cpu).unwrap_or(u32::MAX)
}

/// The logical CPUs that the calling thread may use, ascending.
///
/// # Errors
/// The error of the system.
pub fn affinity() -> io::Result<Vec<u32>> {
    affinity_of(0)
}

/// Binds the calling thread. Numbers that the machine does not have are ignored, as the kernel does.
///
/// # Errors
/// The error of the system.
pub fn set_affinity(cpus: &[u32]) -> io::Result<()> {
    bind_thread(0, cpus)
}

/// The logical CPUs that a thread of any process may use, ascending; `thread` is its ID in the system, or 0 for the calling one.
///
/// # Errors
/// The error of the system; `ESRCH`: there is no such thread.
pub fn affinity_of(thread: u32) -> io::Result<Vec<u32>> {
    // The raw call, which returns the number of bytes of the kernel's CPU mask; the library function hides it.
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

/// Binds a thread of any process of this user; see [`affinity_of`] and [`set_affinity`].
///
/// # Errors
/// The error of the system; `ESRCH`: there is no such thread; `EPERM`: it belongs to another user; `EINVAL`: it may use none of these
/// logical CPUs.
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

/// Page faults of the calling thread since its start that needed no disk (`ru_minflt`): memory that was touched for the first time, and
/// pages that the kernel had unmapped to find their users (NUMA balancing). Makes a system call.
pub fn minor_faults() -> u64 {
    // SAFETY: a rusage consists of numbers, for which zero is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a rusage that lives through the call. Linux always knows the calling thread.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    u64::try_from(usage.ru_minflt).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_advances_and_a_read_has_a_cost() {
        let before = now_ns();
        let cost = look_cost_ns();
        assert!(now_ns() > before);
        assert!(cost > 0.0 && cost.is_finite(), "{cost}");
    }
}

#[cfg(test)]
mod cpu_tests {
    use super::*;

    #[test]
    fn a_mask_is_read_as_it_was_set() {
        let all = affinity().expect("Linux tells");
        assert!(!all.is_empty() && all.is_sorted());
        for &cpu in &all {
            set_affinity(&[cpu]).expect("allowed");
            assert_eq!(affinity().expect("Linux tells"), [cpu]);
            assert_eq!(current_cpu(), cpu);
        }
        set_affinity(&all).expect("allowed");
        assert_eq!(affinity_of(0).expect("Linux tells"), all);
        assert_eq!(affinity_of(u32::MAX).expect_err("none").raw_os_error(), Some(libc::ESRCH));
    }
}

#[cfg(test)]
mod faults_tests {
    use super::*;
    use crate::os::mapping::{Mapping, page_size};

    #[test]
    fn each_page_faults_once() {
        let mut mapping = Mapping::new(64 * page_size()).expect("64 pages");
        let words = mapping.as_mut_slice();
        let each = words.len() / 64;
        let before = minor_faults();
        words.iter_mut().step_by(each).for_each(|word| *word = 1.0);
        let first = minor_faults();
        words.iter_mut().step_by(each).for_each(|word| *word += 1.0);
        // Less than a huge page: small pages.
        assert_eq!((first - before, minor_faults() - first), (64, 0));
    }
}
