//! A value in memory that several processes share.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::ptr::{self, NonNull};

/// A type that several processes may use at the same time and that may be all zeros.
///
/// # Safety
/// The type has a fixed layout (`repr(C)`), consists of atomics only, holds no pointers, and needs no `Drop`.
pub unsafe trait Shareable {}

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
    /// What the system says.
    pub fn new() -> io::Result<Self> {
        // SAFETY: a valid C string; the result is checked.
        let file = unsafe { libc::memfd_create(c"numasim-bench".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just opened it for us.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let file = File::from(file);
        file.set_len(size_of::<T>() as u64)?;
        Self::map(file)
    }

    /// The value that the starting process made, by the number of its file, which this process inherited.
    ///
    /// # Errors
    /// What the system says, or that the descriptor is no such memory.
    pub fn inherited(file: RawFd) -> io::Result<Self> {
        // SAFETY: only asks whether the number is an open file; standard streams are left alone.
        if file <= 2 || unsafe { libc::fcntl(file, libc::F_GETFD) } < 0 {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        // SAFETY: it is open, was made for this process by its parent, and nothing else here uses it.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(file) });
        if file.metadata()?.len() < size_of::<T>() as u64 {
            return Err(io::ErrorKind::InvalidData.into());
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

    /// The number of its file, for [`super::child::prepare`].
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
