//! Last-level caches. The sharing models know none; tasks on the machine do.

use crate::units::{GigabytesPerSecond, Megabytes};

/// The last-level cache that the cores of a node share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastLevelCache {
    /// How much it holds.
    pub size: Megabytes,
    /// The most that one core reads from it; `None` is no limit.
    pub core_bandwidth: Option<GigabytesPerSecond>,
}
