//! A child of `fork` has no agent: it must not keep the connection of its parent open.

#![allow(unsafe_code, reason = "a handler for fork; every block says why it is sound")]

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

const FREE: i32 = -1;
/// Connections of this process: one for each link. Those beyond stay open in children.
static OPEN: [AtomicI32; 16] = [const { AtomicI32::new(FREE) }; 16];

/// A connection that children close, as long as this lives.
pub(crate) struct Closed(Option<&'static AtomicI32>);

impl Closed {
    pub(crate) fn in_children(stream: &UnixStream) -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: the handler lives as long as the program, and does only what is allowed between fork and exec.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
        let number = stream.as_raw_fd();
        let take = |slot: &&AtomicI32| {
            slot.compare_exchange(FREE, number, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        Self(OPEN.iter().find(take))
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            slot.store(FREE, Ordering::Relaxed);
        }
    }
}

extern "C" fn in_child() {
    for slot in &OPEN {
        let number = slot.swap(FREE, Ordering::Relaxed);
        if number != FREE {
            // SAFETY: close(2) is async-signal-safe. In the child nobody uses this number: the threads that do were not
            // copied, and a pool does not touch its connection there.
            unsafe { libc::close(number) };
        }
    }
}
