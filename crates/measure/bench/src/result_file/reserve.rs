//! Room on disk, found before anything is measured.

use std::fs::File;
use std::io;

/// Why there is no room.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is set aside there"))]
pub(super) enum NoRoom {
    /// Less than wanted.
    Free(u64),
    /// The system says why.
    System(io::Error),
}

/// Sets `bytes` behind the start of the file aside, without changing its length. Where the file system cannot do that,
/// its free space is looked at.
#[cfg(target_os = "linux")]
pub(super) fn reserve(file: &File, bytes: u64) -> Result<(), NoRoom> {
    use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
    use rustix::io::Errno;

    let free = || fstatvfs(file).map(|system| system.f_bavail.saturating_mul(system.f_frsize));
    match fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes) {
        Ok(()) => Ok(()),
        Err(Errno::NOSPC | Errno::DQUOT) => Err(NoRoom::Free(free().unwrap_or(0))),
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => match free() {
            Ok(free) if free < bytes => Err(NoRoom::Free(free)),
            // Nobody knows; the first write that fails tells.
            Ok(_) | Err(_) => Ok(()),
        },
        Err(other) => Err(NoRoom::System(other.into())),
    }
}

/// Other systems: the first write that fails tells.
#[cfg(not(target_os = "linux"))]
pub(super) fn reserve(_file: &File, _bytes: u64) -> Result<(), NoRoom> {
    Ok(())
}
