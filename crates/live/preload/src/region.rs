//! A parallel region of this process, and its threads.

use std::cell::Cell;

use crate::process::{steering, steering_already};
use crate::steering::{Steering, Taken};

thread_local! {
    /// Number of nested regions that this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The order under which this thread was bound, and the number of its node + 1; both 0: never.
    static BOUND: Cell<(u64, usize)> = const { Cell::new((0, 0)) };
}

/// A running region. Dropping it reports that it is over, also if a C++ exception ends it.
pub(crate) struct Region {
    steering: &'static Steering,
    taken: Taken,
}

impl Region {
    /// A region of at most this number of threads; `None` if this process is not steered. Waits if no thread is allowed.
    pub(crate) fn begin(wanted: impl FnOnce(&At) -> u32) -> Option<Self> {
        let steering = steering()?;
        let at = At { depth: DEPTH.get() };
        let taken = steering.begin(wanted(&at), at.depth > 0);
        Some(Self { steering, taken })
    }

    /// Its threads.
    pub(crate) fn threads(&self) -> u32 {
        self.taken.threads
    }

    /// The calling thread is a thread of the region as long as the result lives. `number` returns its number.
    pub(crate) fn inside(&self, number: impl FnOnce() -> u32) -> Inside {
        if self.taken.bound {
            self.bind(self.taken.node_of(number()));
        } else if BOUND.get().1 != 0 && DEPTH.get() == 0 {
            self.bind(None); // an earlier order bound it, the present one does not
        }
        Inside::enter()
    }

    fn bind(&self, node: Option<usize>) {
        let wanted = (self.steering.turn(), node.map_or(0, |node| node + 1));
        if BOUND.get() != wanted {
            self.steering.bind(0, node);
            BOUND.set(wanted);
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // After the exit handler, and in a child of fork, threads are not counted any more.
        if let Some(steering) = steering_already() {
            steering.end(&self.taken);
        }
    }
}

/// The place where a region begins.
pub(crate) struct At {
    depth: u32,
}

impl At {
    /// In a region.
    pub(crate) fn is_inside(&self) -> bool {
        self.depth > 0
    }
}

/// Marks the calling thread as being in a region.
pub(crate) struct Inside(());

impl Inside {
    pub(crate) fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self(())
    }

    /// Leaves a region whose mark was forgotten.
    pub(crate) fn leave() {
        DEPTH.set(DEPTH.get() - 1);
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        Self::leave();
    }
}

/// Whether the calling thread is in a region.
pub(crate) fn is_inside() -> bool {
    DEPTH.get() > 0
}
