//! What serves the bytes of a task.

use crate::result::Traffic;

/// What serves the bytes of a task, decided when it was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub(super) traffic: Traffic,
    /// Bytes that come from the memory of each node, or as if they did.
    pub(super) by_memory: Vec<f64>,
    /// What a thread of this work wants, GB/s; of no use where nothing comes from a memory.
    pub(super) want_gbs: f64,
    /// How long it takes where nothing comes from a memory.
    pub(super) fixed_s: Option<f64>,
}

impl Sources {
    /// Bytes that the own cache does not serve.
    pub(super) fn bytes(&self) -> f64 {
        self.by_memory.iter().sum()
    }
}
