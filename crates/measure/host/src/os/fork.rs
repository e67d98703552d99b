//! Sockets that a child of `fork` closes: a child has no agent and is none, so it must not keep them open.

use std::os::fd::{AsFd, AsRawFd};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

const FREE: i32 = -1;
/// Sockets of this process that children close. Those beyond stay open in children.
static OPEN: [AtomicI32; 512] = [const { AtomicI32::new(FREE) }; 512];

/// A socket that children close, as long as this lives. Drop it before the socket, whose number may have another meaning then.
#[derive(Debug)]
pub struct Closed(Option<&'static AtomicI32>);

impl Closed {
    /// Children of `fork` close this socket from now on.
    pub fn in_children(socket: &impl AsFd) -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: the handler lives as long as the program, and does only what is allowed between fork and exec.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
        let number = socket.as_fd().as_raw_fd();
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
            // SAFETY: close(2) is async-signal-safe. In the child no code uses this number: the threads that do were not
            // copied, and a pool does not touch its connection there.
            unsafe { libc::close(number) };
        }
    }
}
