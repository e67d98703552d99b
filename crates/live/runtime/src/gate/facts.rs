//! What the gate tells about its workers.

use super::{AWAKE, BLOCKED, Gate};
use crate::sync::{Ordering, lock};

/// Workers of each node at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Awake and `busy`.
    pub(crate) running: Vec<usize>,
    /// Parked by an order.
    pub(crate) blocked: Vec<usize>,
}

impl Gate {
    /// Counts workers; `busy` says which are inside a task. The rest of each node idles or looks for a task.
    pub(crate) fn counts(&self, busy: impl Fn(usize) -> bool) -> Counts {
        let inner = lock(&self.inner);
        let mut counts = Counts { running: vec![0; inner.open.len()], blocked: vec![0; inner.open.len()] };
        for (worker, member) in self.members.iter().enumerate() {
            match member.state.load(Ordering::Relaxed) {
                AWAKE if busy(worker) => counts.running[member.node] += 1,
                BLOCKED => counts.blocked[member.node] += 1,
                _ => {}
            }
        }
        counts
    }
}
