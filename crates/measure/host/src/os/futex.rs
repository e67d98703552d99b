//! Waiting for a change of a number that several processes share, without looking again and again.

use std::io;
use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Waits while `word` is `seen`: until somebody calls [`wake_all`] for it, `patience` is over, or for no reason at all. The caller
/// looks again.
pub fn wait(word: &AtomicU32, seen: u32, patience: Duration) {
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    // SAFETY: the word and the time live through the call; the kernel only reads them. Every error means: look again.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const time);
    }
}

/// Wakes everybody who waits for this word, in every process that shares it.
pub fn wake_all(word: &AtomicU32) {
    // SAFETY: an address of this process, which the kernel does not write to.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE,
            i32::MAX,
            ptr::null::<libc::timespec>(),
        );
    }
}

/// Processor time of a process, its ended children left out.
///
/// # Errors
/// There is no such process.
pub fn cpu_time(pid: u32) -> io::Result<Duration> {
    let pid = libc::pid_t::try_from(pid).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both live through the calls, which write a number and a time.
    let failed = unsafe {
        libc::clock_getcpuclockid(pid, &raw mut clock) != 0 || libc::clock_gettime(clock, &raw mut time) != 0
    };
    if failed {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::Ordering::SeqCst;
    use std::thread;

    use super::*;

    #[test]
    fn who_waits_is_woken_by_a_change_and_not_held_by_an_old_one() {
        let word = Arc::new(AtomicU32::new(0));
        wait(&word, 1, Duration::from_secs(600)); // it is not 1: no wait at all
        let other = Arc::clone(&word);
        let waiter = thread::spawn(move || {
            while other.load(SeqCst) == 0 {
                wait(&other, 0, Duration::from_secs(600));
            }
        });
        word.store(1, SeqCst);
        wake_all(&word);
        waiter.join().expect("woken");
    }

    #[test]
    fn a_process_that_computes_has_used_some_time() {
        let own = std::process::id();
        let before = cpu_time(own).expect("this process");
        while cpu_time(own).expect("this process") == before {
            std::hint::black_box((0..10_000).sum::<u64>());
        }
        assert!(cpu_time(u32::MAX).is_err());
    }
}
