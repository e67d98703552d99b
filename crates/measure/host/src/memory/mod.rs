//! Memory of the benchmark's threads: its size, its NUMA nodes, and its real location.
//!
//! Nothing spills: pages are bound strictly (`MPOL_BIND`) before they are touched, the free memory of every node is checked before, and the
//! node of each page is queried afterwards.

#[cfg(target_os = "linux")]
mod buffer;
mod cache;
#[cfg(target_os = "linux")]
mod free;
mod layout;

use std::collections::BTreeMap;
use std::ops::Range;

#[cfg(target_os = "linux")]
pub use crate::memory::buffer::Buffer;
#[cfg(target_os = "linux")]
pub use crate::memory::buffer::Placement;
#[cfg(target_os = "linux")]
pub use crate::memory::buffer::Stretch;
pub use crate::memory::cache::{SharedCache, bytes_per_thread, last_level_bytes, shared_last_level};
#[cfg(target_os = "linux")]
pub use crate::memory::free::HugePages;
#[cfg(target_os = "linux")]
pub use crate::memory::free::refuse_if_short;
pub use crate::memory::layout::{Layout, Stripe};

/// The reason why the data of threads cannot have its planned place.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A node has too little free memory for its planned data.
    #[error(
        "node {os_node} has {} of free memory, the data of this scenario needs {}",
        size(*.free_bytes), size(*.wanted_bytes)
    )]
    NotEnoughMemory {
        /// The operating system's number of the node.
        os_node: u32,
        /// Free now.
        free_bytes: u64,
        /// Needed.
        wanted_bytes: u64,
    },
    /// The machine has no such node, or this process may not use its memory.
    #[error("there is no memory on node {os_node} for this process; it may use the memory of {usable}")]
    NoSuchNode {
        /// The operating system's number of the node.
        os_node: u32,
        /// Nodes it may use, as a list of numbers.
        usable: String,
    },
    /// A limit on this process leaves too little memory, whatever the nodes have.
    #[error(
        "the memory limit of this process ({limit}) leaves {}, the data of this scenario needs {}",
        size(*.free_bytes), size(*.wanted_bytes)
    )]
    MemoryLimit {
        /// The file that sets the limit.
        limit: String,
        /// Free below the limit.
        free_bytes: u64,
        /// Needed.
        wanted_bytes: u64,
    },
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// The operation, in words.
        what: String,
        /// The error.
        source: std::io::Error,
    },
}

/// A number of bytes in the largest binary unit that leaves at least 1, with up to two decimals: `16 MiB`, `21.81 GiB`.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn size(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let Some((unit, shift)) = units.into_iter().find(|&(_, shift)| bytes >= 1 << shift) else {
        return format!("{bytes} bytes");
    };
    let text = format!("{:.2}", bytes as f64 / (1_u64 << shift) as f64);
    format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Number of pages on each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// Small pages by the operating system's number of the node.
    pub on_node: BTreeMap<u32, u64>,
    /// Pages that are on no node: never touched, or swapped out.
    pub absent: u64,
}

impl Pages {
    /// The small pages that are completely inside `addresses`; `None` if the system does not report them.
    pub fn of(addresses: &Range<usize>) -> Option<Self> {
        let mut pages = Self::default();
        for node in nodes(addresses)? {
            match u32::try_from(node) {
                Ok(node) => *pages.on_node.entry(node).or_default() += 1,
                Err(_) => pages.absent += 1,
            }
        }
        Some(pages)
    }

    /// Adds more pages.
    pub fn add(&mut self, more: &Self) {
        for (&node, pages) in &more.on_node {
            *self.on_node.entry(node).or_default() += pages;
        }
        self.absent += more.absent;
    }

    /// Pages that are not on this node.
    pub fn not_on(&self, os_node: u32) -> u64 {
        let elsewhere = self.on_node.iter().filter(|&(&node, _)| node != os_node).map(|(_, pages)| pages);
        elsewhere.sum::<u64>() + self.absent
    }
}

#[cfg(target_os = "linux")]
fn nodes(addresses: &Range<usize>) -> Option<Vec<i32>> {
    crate::os::mapping::page_nodes(addresses).ok()
}

#[cfg(not(target_os = "linux"))]
fn nodes(_: &Range<usize>) -> Option<Vec<i32>> {
    None
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_use_the_largest_unit_with_a_value_of_at_least_1() {
        for (bytes, message) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (960 << 20, "960 MiB"),
            (23_423_522_898, "21.81 GiB"), // 23423522898 / 2^30 = 21.8149
            (40 << 30, "40 GiB"),
            (3 << 39, "1.5 TiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(size(bytes), message);
        }
    }
}

#[cfg(test)]
mod pages_tests {
    use super::*;

    #[test]
    fn pages_on_other_or_no_nodes_are_not_on_a_node() {
        let pages = Pages { on_node: [(0, 3), (2, 5)].into(), absent: 1 };
        // 5 + 1, 3 + 1, 3 + 5 + 1
        assert_eq!([0, 2, 7].map(|node| pages.not_on(node)), [6, 4, 9]);
    }

    #[test]
    fn written_memory_is_on_a_node() {
        let data = vec![1_u8; 1 << 20];
        let start = data.as_ptr().addr();
        let Some(pages) = Pages::of(&(start..start + data.len())) else { return };
        assert_eq!(pages.absent, 0);
        assert!(pages.on_node.values().sum::<u64>() > 0);
    }
}
