//! SIGTERM, SIGINT and SIGHUP as bytes that can be waited for beside connections; SIGXFSZ as an error of whoever writes.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::low_level::{pipe, unregister};

/// Signals that want the agent to end, until it is dropped.
pub(super) struct Signals {
    came: UnixStream,
    registered: Vec<SigId>,
}

impl Signals {
    /// # Errors
    /// Where the system has no room for a socket.
    pub(super) fn listen() -> io::Result<Self> {
        let (came, from) = UnixStream::pair()?;
        let mut signals = Self { came, registered: Vec::new() };
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signals.registered.push(pipe::register(signal, from.try_clone()?)?);
        }
        // By default a file that may not grow any more kills the process; the record ends instead.
        signals.registered.push(flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?);
        Ok(signals)
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.came.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}
