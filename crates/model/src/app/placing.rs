//! What people ask of a placement beside numbers of threads and nodes: multiples, few nodes, nodes of one's own.

use std::num::NonZeroU32;

/// What explore keeps to where it places the threads of an application, beside the nodes and the numbers of threads that the
/// application may have. The default restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placing {
    /// The threads on each node are a multiple of this (the cores of an L3, the hardware threads of a core).
    pub multiple_of: Option<NonZeroU32>,
    /// At most so many nodes have threads of it.
    pub max_nodes: Option<usize>,
    /// Where it has threads, nobody else has.
    pub exclusive: bool,
    /// A node that has threads of it has a number of them in one of these ranges (both ends included); ascending, apart
    /// from each other, without 0. `None` is any number; an empty list is no thread anywhere.
    pub per_node: Option<Vec<(u32, u32)>>,
}

impl Placing {
    /// Whether any number of threads may be on a node.
    pub fn takes_any_number(&self) -> bool {
        self.multiple_of.is_none() && self.per_node.is_none()
    }

    /// Whether a node may have so many threads of the application; none is always allowed.
    pub fn takes(&self, threads: u32) -> bool {
        threads == 0 || self.next(threads) == Some(threads)
    }

    /// The smallest number of threads on a node from `threads` on that is allowed; `None` if there is none.
    pub fn next(&self, threads: u32) -> Option<u32> {
        if threads == 0 {
            return Some(0);
        }
        let step = self.multiple_of.map_or(1, NonZeroU32::get);
        let multiple = |least: u32| least.checked_next_multiple_of(step);
        match &self.per_node {
            None => multiple(threads),
            Some(ranges) => ranges
                .iter()
                .find_map(|&(least, most)| multiple(threads.max(least)).filter(|&found| found <= most)),
        }
    }

    /// The largest number of threads on a node up to `threads` that is allowed: at least none.
    pub fn previous(&self, threads: u32) -> u32 {
        let step = self.multiple_of.map_or(1, NonZeroU32::get);
        let multiple = |most: u32| most / step * step;
        match &self.per_node {
            None => multiple(threads),
            Some(ranges) => {
                let found = ranges.iter().rev().map(|&(least, most)| (least, multiple(threads.min(most))));
                found.filter(|(least, found)| found >= least).map(|(_, found)| found).next().unwrap_or(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_up_and_down_by_what_is_allowed() {
        let fours = Placing { multiple_of: NonZeroU32::new(4), ..Placing::default() };
        assert_eq!([0, 1, 4, 5].map(|threads| fours.next(threads)), [Some(0), Some(4), Some(4), Some(8)]);
        assert_eq!([0, 3, 4, 11].map(|threads| fours.previous(threads)), [0, 0, 4, 8]);
        assert_eq!(fours.next(u32::MAX), None);
        // Multiples of 4 in 2..=3 (none), 7..=9 (8), 12..=13 (12).
        let ranges = Placing { per_node: Some(vec![(2, 3), (7, 9), (12, 13)]), ..fours };
        assert_eq!([1, 8, 9, 13].map(|threads| ranges.next(threads)), [Some(8), Some(8), Some(12), None]);
        assert_eq!([7, 8, 11, 40].map(|threads| ranges.previous(threads)), [0, 8, 8, 12]);
        let taken: Vec<u32> = (0..20).filter(|&threads| ranges.takes(threads)).collect();
        assert_eq!(taken, [0, 8, 12]);
        let nobody = Placing { per_node: Some(Vec::new()), ..Placing::default() };
        assert_eq!((nobody.next(1), nobody.previous(5), nobody.takes(0)), (None, 0, true));
    }
}
