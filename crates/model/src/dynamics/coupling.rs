//! Who waits for whom: channels between producers and consumers, and calls of libraries.

use crate::ids::AppId;
use crate::units::Megabytes;

/// A producer hands one item for each of its iterations to a consumer.
///
/// The producer's iteration i may begin while produced - finished < capacity; the consumer's when i items are produced.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// The producer.
    pub from: AppId,
    /// The consumer.
    pub to: AppId,
    /// The size of an item.
    pub item: Megabytes,
    /// Most items that are produced and not finished; at least 1, `None` is no limit.
    pub capacity: Option<u64>,
}

/// Every `every`-th iteration of an application ends with an iteration of another one, for which it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who calls.
    pub from: AppId,
    /// Who works.
    pub to: AppId,
    /// After each how many iterations; at least 1.
    pub every: u64,
}

impl Call {
    /// How often `iterations` iterations of the caller call.
    pub fn count(&self, iterations: u64) -> u64 {
        iterations.checked_div(self.every).unwrap_or(0)
    }
}
