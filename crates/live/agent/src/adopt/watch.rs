//! What is waited for, so that the end of something adopted is seen at once.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags};

/// A descriptor that tells when something adopted may have ended. It stays quiet again once that was looked at.
#[derive(Debug)]
pub struct Watch<'a> {
    fd: BorrowedFd<'a>,
    tells_by: PollFlags,
}

impl<'a> Watch<'a> {
    /// A process (pidfd_open(2)).
    pub(super) fn readable(fd: &'a impl AsFd) -> Self {
        Self { fd: fd.as_fd(), tells_by: PollFlags::IN }
    }

    /// The events of a control group, which can be read at any time.
    pub(super) fn exceptional(fd: BorrowedFd<'a>) -> Self {
        Self { fd, tells_by: PollFlags::PRI }
    }

    /// For `poll`.
    pub(crate) fn polled(&self) -> PollFd<'a> {
        PollFd::from_borrowed_fd(self.fd, self.tells_by)
    }
}
