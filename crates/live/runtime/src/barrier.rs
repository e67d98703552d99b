//! Two fences of unequal cost: light for a thread that offers a task (often), heavy for a thread that is about to sleep (seldom).
//!
//! Each side writes one variable and then reads the one that the other wrote: one pushes a task and looks for sleepers, the other
//! announces that it sleeps and looks for tasks. At least one must see the other, which takes a full fence on both sides. On Linux the
//! heavy side can run that fence for all threads of the process (`membarrier`, private expedited); then the light side only has to keep
//! the compiler from reordering. On other systems both are full fences.

#[cfg(loom)]
use loom::sync::atomic::{Ordering, fence};
#[cfg(not(loom))]
use std::sync::atomic::{Ordering, fence};

#[cfg(all(target_os = "linux", not(loom), not(miri)))]
mod kernel {
    //! The system call.
    #![allow(unsafe_code, reason = "a system call; the block says why it is sound")]

    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Whether the kernel runs the fence for us: set before the first worker starts, never cleared.
    pub(super) static ASYMMETRIC: AtomicBool = AtomicBool::new(false);

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: two numbers and no pointer; the kernel returns an error code for unknown commands.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    pub(super) fn prepare() {
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| {
            let ready = membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
                && membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED);
            ASYMMETRIC.store(ready, Ordering::Relaxed);
        });
    }

    /// False if the kernel refused.
    pub(super) fn everywhere() -> bool {
        membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED)
    }
}

/// To be called before the first worker of the process starts; later calls do nothing.
pub(crate) fn prepare() {
    #[cfg(all(target_os = "linux", not(loom), not(miri)))]
    kernel::prepare();
}

/// Orders a write before a later read, as seen by a thread that uses [`heavy`].
#[inline]
pub(crate) fn light() {
    #[cfg(all(target_os = "linux", not(loom), not(miri)))]
    if kernel::ASYMMETRIC.load(Ordering::Relaxed) {
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
        return;
    }
    fence(Ordering::SeqCst);
}

/// Orders a write before a later read, here and in every thread that uses [`light`].
///
/// Once the kernel has accepted the registration, it never withdraws it; a child of `fork` would have to register again, but has no
/// workers.
pub(crate) fn heavy() {
    fence(Ordering::SeqCst);
    #[cfg(all(target_os = "linux", not(loom), not(miri)))]
    if kernel::ASYMMETRIC.load(Ordering::Relaxed) && !kernel::everywhere() {
        kernel::ASYMMETRIC.store(false, Ordering::SeqCst);
    }
}
