//! A value in memory that several processes share.
//!
//! Its file is created here and sealed. Its length never changes, so no access can fail. A process that receives the number of an open file
//! can check that it is one of these before it touches it.

use std::ffi::{CStr, c_void};
use std::fs::File;
use std::ops::Deref;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;
use std::time::Duration;
use std::{io, ptr};

/// A type that several processes may use at the same time and that may be all zeros.
///
/// # Safety
/// The type has a fixed layout (`repr(C)`), consists only of atomics, contains no pointers, and needs no `Drop`.
pub unsafe trait Shareable {}

/// Its name, which the system shows to people.
const NAME: &CStr = c"numasim-bench";

/// The guarantees of the kernel for the file: its length stays, and so does this guarantee.
const SEALS: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// A `T` in a file that exists in memory only.
#[derive(Debug)]
pub struct Shared<T: Shareable> {
    file: OwnedFd,
    value: NonNull<T>,
}

// SAFETY: `Shareable` values are atomics: every thread may use them through a shared reference.
unsafe impl<T: Shareable> Sync for Shared<T> {}
// SAFETY: as above; the mapping belongs to no thread.
unsafe impl<T: Shareable> Send for Shared<T> {}

impl<T: Shareable> Shared<T> {
    /// A new value, all zeros.
    ///
    /// # Errors
    /// The error of the system.
    pub fn new() -> io::Result<Self> {
        // SAFETY: a valid C string; the result is checked.
        let file = unsafe { libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just opened it for us.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let file = File::from(file);
        file.set_len(size_of::<T>() as u64)?;
        // SAFETY: an open file and plain numbers.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Self::map(file)
    }

    /// The value of the starting process, by the number of its file, which this process inherited.
    ///
    /// # Errors
    /// The number is not that of a file, or the file was not created by [`Shared::new`] for a `T`; such a file is left alone.
    pub fn inherited(file: RawFd) -> io::Result<Self> {
        let refused = || io::Error::from(io::ErrorKind::InvalidInput);
        // Standard streams are never it. Only a file in memory has seals. SAFETY: only queries; a number that is not an open file is an
        // error.
        if file <= 2 || unsafe { libc::fcntl(file, libc::F_GET_SEALS) } != SEALS {
            return Err(refused());
        }
        let link = std::fs::read_link(format!("/proc/self/fd/{file}"))?;
        let named = [b"/memfd:", NAME.to_bytes(), b" (deleted)"].concat();
        if link.as_os_str().as_encoded_bytes() != named {
            return Err(refused());
        }
        // SAFETY: it is open, was created by `new` in the process that started this one, and has no other user here: no other file of this
        // process has this name.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(file) });
        if file.metadata()?.len() != size_of::<T>() as u64 {
            return Err(refused());
        }
        // SAFETY: as above. Processes started by this one should not have it.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Self::map(file)
    }

    fn map(file: File) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of an open file that is at least as long as `T`.
        let at = unsafe {
            libc::mmap(ptr::null_mut(), size_of::<T>(), access, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let value = NonNull::new(at.cast::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { file: file.into(), value })
    }

    /// The number of its file, for [`super::process::prepare`].
    pub fn file(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

impl<T: Shareable> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: mapped and page aligned while `self` lives; all bit patterns of atomics are valid.
        unsafe { self.value.as_ref() }
    }
}

impl<T: Shareable> Drop for Shared<T> {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this length; no borrow is left.
        unsafe { libc::munmap(self.value.as_ptr().cast::<c_void>(), size_of::<T>()) };
    }
}

/// Waits while `word` is `seen`: until [`wake_all`] is called for it or `patience` is over; may also wake up spuriously. The caller checks
/// again.
pub fn wait(word: &AtomicU32, seen: u32, patience: Duration) {
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    // SAFETY: the word and the time live through the call; the kernel only reads them. Every error means: check again.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const time);
    }
}

/// Wakes all that wait for this word, in every process that shares it.
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

/// CPU time of a process, without its exited children.
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
    use std::os::fd::IntoRawFd as _;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    use super::*;

    #[repr(C)]
    struct One(AtomicU32);

    #[repr(C)]
    struct Two([AtomicU32; 2]);

    // SAFETY: repr(C), atomics only.
    unsafe impl Shareable for One {}
    // SAFETY: as above.
    unsafe impl Shareable for Two {}

    fn number(file: &OwnedFd) -> RawFd {
        file.try_clone().expect("a second number of the file").into_raw_fd()
    }

    #[test]
    fn both_sides_see_one_value() {
        let ours = Shared::<One>::new().expect("memory");
        let theirs = Shared::<One>::inherited(number(&ours.file)).expect("made by new");
        ours.0.store(7, SeqCst);
        assert_eq!(theirs.0.load(SeqCst), 7);
    }

    #[test]
    fn a_foreign_file_is_rejected_and_unchanged() {
        let mut plain = tempfile::tempfile().expect("a file for the test");
        std::io::Write::write_all(&mut plain, b"mine").expect("written");
        let plain = OwnedFd::from(plain);
        let number = number(&plain);
        assert!(Shared::<One>::inherited(number).is_err());
        // SAFETY: only queries.
        assert!(unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0, "still open");
        for number in [-1, 0, 1, 2, RawFd::MAX] {
            assert!(Shared::<One>::inherited(number).is_err(), "{number}");
        }
    }

    #[test]
    fn a_value_of_another_type_is_rejected() {
        let ours = Shared::<Two>::new().expect("memory");
        assert!(Shared::<One>::inherited(number(&ours.file)).is_err());
        assert!(File::from(ours.file.try_clone().expect("a second number")).set_len(0).is_err(), "sealed");
    }
}

#[cfg(test)]
mod futex_tests {
    use std::sync::Arc;
    use std::sync::atomic::Ordering::SeqCst;
    use std::thread;

    use super::*;

    #[test]
    fn a_waiting_thread_wakes_on_a_change_and_skips_old_values() {
        let word = Arc::new(AtomicU32::new(0));
        wait(&word, 1, Duration::from_secs(600)); // it is not 1, so there is no wait
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
