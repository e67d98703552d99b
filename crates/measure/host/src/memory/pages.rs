//! On which nodes the pages of any memory of this process are.

use std::collections::BTreeMap;
use std::ops::Range;

/// How many pages of something are on which node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// Small pages by the operating system's number of the node.
    pub on_node: BTreeMap<u32, u64>,
    /// Those that no node holds: never touched, or swapped out.
    pub absent: u64,
}

impl Pages {
    /// The small pages that lie wholly in `addresses`; `None` where the system does not tell.
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

    /// These, too.
    pub fn add(&mut self, more: &Self) {
        for (&node, pages) in &more.on_node {
            *self.on_node.entry(node).or_default() += pages;
        }
        self.absent += more.absent;
    }

    /// Pages that are elsewhere than on this node, or nowhere.
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
    use super::*;

    #[test]
    fn pages_elsewhere_and_nowhere_are_not_on_a_node() {
        let pages = Pages { on_node: [(0, 3), (2, 5)].into(), absent: 1 };
        // 5 + 1, 3 + 1, 3 + 5 + 1
        assert_eq!([0, 2, 7].map(|node| pages.not_on(node)), [6, 4, 9]);
    }

    #[test]
    fn memory_that_was_written_is_somewhere() {
        let data = vec![1_u8; 1 << 20];
        let start = data.as_ptr().addr();
        let Some(pages) = Pages::of(&(start..start + data.len())) else { return };
        assert_eq!(pages.absent, 0);
        assert!(pages.on_node.values().sum::<u64>() > 0);
    }
}
