//! The node of each part of a thread's data: stripes, so that the shares hold for any long stretch.

use std::collections::BTreeMap;
use std::ops::Range;

/// The size of a huge page: with smaller stripes there can be none.
const LARGEST_STRIPE: usize = 2 << 20;
/// Smaller stripes would need more mappings than Linux allows for a process.
const SMALLEST_STRIPE: usize = 64 << 10;
/// Allowed error of a node's share because stripes are whole.
const TOLERANCE: f64 = 0.01;
/// Number of streams that kernels read at once, each through its own quarter of the data.
const STREAMS: usize = 4;

/// Neighbouring pages on one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// The operating system's number of the node.
    pub os_node: u32,
    /// Range from the start of the data, in bytes.
    pub bytes: Range<usize>,
}

/// The stripes of one thread's data, in order and without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout(Vec<Stripe>);

impl Layout {
    /// Splits `bytes` by `shares` (node and share of the data; positive, sum 1).
    ///
    /// Stripes have 2 MiB, or less if the shares would otherwise be off by more than 0.01. Nodes take turns, so that equal shares are
    /// interleaved. Each quarter of the data starts one turn later than the previous one, because kernels read four quarters at once: they
    /// then read different nodes at any time. `turn` shifts the whole by this number of turns, so that the threads of an application do not
    /// all start on the same node.
    pub fn new(bytes: usize, shares: &[(u32, f64)], turn: usize) -> Self {
        if let [(os_node, _)] = shares {
            return Self(vec![Stripe { os_node: *os_node, bytes: 0..bytes }]);
        }
        let mut stripe = LARGEST_STRIPE;
        loop {
            let layout = Self(stripes(bytes, stripe, shares, turn));
            let lie = layout.bytes_by_node();
            let off = shares.iter().map(|(os_node, share)| {
                let really = lie.get(os_node).copied().unwrap_or_default() as f64 / bytes.max(1) as f64;
                (really - share).abs()
            });
            if stripe == SMALLEST_STRIPE || off.fold(0.0, f64::max) <= TOLERANCE {
                return layout;
            }
            stripe /= 2;
        }
    }

    /// One layout after the other: for each part, the position of its end from the start of the data, its shares and its turn, as in
    /// [`Self::new`]. Ends must ascend, and all but the last must be multiples of the small page: the kernel binds whole pages.
    pub fn joined<'a>(parts: impl IntoIterator<Item = (usize, &'a [(u32, f64)], usize)>) -> Self {
        let mut found: Vec<Stripe> = Vec::new();
        let mut from = 0;
        for (end, shares, turn) in parts {
            let of_part = Self::new(end.saturating_sub(from), shares, turn);
            for Stripe { os_node, bytes } in of_part.0.into_iter().filter(|stripe| !stripe.bytes.is_empty()) {
                let bytes = from + bytes.start..from + bytes.end;
                match found.last_mut() {
                    Some(last) if last.os_node == os_node => last.bytes.end = bytes.end,
                    _ => found.push(Stripe { os_node, bytes }),
                }
            }
            from = from.max(end);
        }
        Self(found)
    }

    /// Bytes of the data.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |stripe| stripe.bytes.end)
    }

    /// Whether there is no data.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The stripes; two neighbours are on different nodes.
    pub fn stripes(&self) -> &[Stripe] {
        &self.0
    }

    /// Bytes on each node.
    pub fn bytes_by_node(&self) -> BTreeMap<u32, u64> {
        let mut sums = BTreeMap::new();
        for stripe in &self.0 {
            *sums.entry(stripe.os_node).or_default() += (stripe.bytes.end - stripe.bytes.start) as u64;
        }
        sums
    }
}

fn stripes(bytes: usize, size: usize, shares: &[(u32, f64)], turn: usize) -> Vec<Stripe> {
    let quarter = bytes.div_ceil(size).div_ceil(STREAMS).max(1);
    let mut found: Vec<Stripe> = Vec::new();
    let mut turns = Turns::new(shares);
    for number in 0..bytes.div_ceil(size) {
        if number % quarter == 0 {
            turns = Turns::new(shares);
            turns.by_ref().take(turn % 64 + number / quarter).for_each(drop);
        }
        let place = number * size..bytes.min((number + 1) * size);
        let Some(os_node) = turns.next() else { break };
        match found.last_mut() {
            Some(last) if last.os_node == os_node => last.bytes.end = place.end,
            _ => found.push(Stripe { os_node, bytes: place }),
        }
    }
    found
}

/// Nodes in turn: always the one that is furthest behind its share; in a tie, the first.
struct Turns<'a> {
    shares: &'a [(u32, f64)],
    given: Vec<f64>,
    all: f64,
}

impl<'a> Turns<'a> {
    fn new(shares: &'a [(u32, f64)]) -> Self {
        Self { shares, given: vec![0.0; shares.len()], all: 0.0 }
    }
}

impl Iterator for Turns<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.all += 1.0;
        let mut best: Option<(f64, u32, &mut f64)> = None;
        for (&(os_node, share), given) in self.shares.iter().zip(&mut self.given) {
            let behind = share * self.all - *given;
            // Rounding must not change the order of equals.
            if best.as_ref().is_none_or(|(most, ..)| behind > most + 1e-9) {
                best = Some((behind, os_node, given));
            }
        }
        let (_, os_node, given) = best?;
        *given += 1.0;
        Some(os_node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn nodes(layout: &Layout) -> Vec<u32> {
        layout.stripes().iter().map(|stripe| stripe.os_node).collect()
    }

    #[test]
    fn one_node_is_one_stripe() {
        let layout = Layout::new(5 * MIB, &[(3, 1.0)], 7);
        assert_eq!(layout.stripes(), [Stripe { os_node: 3, bytes: 0..5 * MIB }]);
    }

    #[test]
    fn equal_shares_of_four_nodes_interleave_and_quarters_are_on_different_nodes() {
        let shares = [(0, 0.25), (1, 0.25), (2, 0.25), (5, 0.25)];
        // 32 MiB: 16 stripes of 2 MiB, 4 in each quarter.
        let layout = Layout::new(32 * MIB, &shares, 0);
        assert_eq!(nodes(&layout), [0, 1, 2, 5, 1, 2, 5, 0, 2, 5, 0, 1, 5, 0, 1, 2]);
        assert_eq!(layout.bytes_by_node(), [0, 1, 2, 5].map(|node| (node, 8 << 20)).into());
        // The next thread is one turn ahead.
        assert_eq!(nodes(&Layout::new(32 * MIB, &shares, 1))[..4], [1, 2, 5, 0]);
    }

    #[test]
    fn unequal_shares_hold_in_each_quarter() {
        // Turns of 3:1 by "furthest behind": 0 (.75), then 0 (.5 against .5: the first), 1 (.75), 0 (1), again.
        let layout = Layout::new(64 * MIB, &[(0, 0.75), (1, 0.25)], 0);
        for quarter in 0..4 {
            let place = quarter * 16 * MIB..(quarter + 1) * 16 * MIB;
            let inside = layout.stripes().iter().filter(|stripe| stripe.os_node == 1).map(|stripe| {
                stripe.bytes.end.min(place.end).saturating_sub(stripe.bytes.start.max(place.start))
            });
            assert_eq!(inside.sum::<usize>(), 4 * MIB, "quarter {quarter}");
        }
    }

    #[test]
    fn stripes_shrink_until_the_shares_are_right() {
        // 4 MiB are two stripes of 2 MiB, which cannot represent a third.
        let shares = [(0, 1.0 / 3.0), (1, 2.0 / 3.0)];
        let layout = Layout::new(4 * MIB, &shares, 0);
        let on_0 = layout.bytes_by_node()[&0] as f64 / (4 * MIB) as f64;
        assert!((on_0 - 1.0 / 3.0).abs() <= 0.02, "{on_0}");
        assert_eq!(layout.stripes()[0].bytes.start, 0);
        for pair in layout.stripes().windows(2) {
            assert_eq!(pair[0].bytes.end, pair[1].bytes.start, "no gap");
            assert_ne!(pair[0].os_node, pair[1].os_node);
        }
        assert_eq!(layout.stripes().last().map(|stripe| stripe.bytes.end), Some(4 * MIB));
    }

    #[test]
    fn parts_follow_each_other_and_neighbours_on_a_node_are_one_stripe() {
        let (own, other) = ([(0, 1.0)], [(1, 1.0)]);
        let parts = [
            (4 * MIB, &own[..], 0),
            (6 * MIB, &own[..], 1),
            (6 * MIB, &other[..], 2),
            (7 * MIB, &other[..], 3),
        ];
        let layout = Layout::joined(parts);
        let expected =
            [Stripe { os_node: 0, bytes: 0..6 * MIB }, Stripe { os_node: 1, bytes: 6 * MIB..7 * MIB }];
        assert_eq!((layout.stripes(), layout.len()), (&expected[..], 7 * MIB));
        assert!(Layout::joined([]).is_empty());
        // A spread part is spread within itself: 8 MiB on two nodes behind 2 MiB on one of them.
        let spread = [(0, 0.5), (1, 0.5)];
        let layout = Layout::joined([(2 * MIB, &other[..], 0), (10 * MIB, &spread[..], 0)]);
        assert_eq!(layout.bytes_by_node(), [(0, 4 << 20), (1, 6 << 20)].into());
    }

    #[test]
    fn large_data_keeps_stripes_of_huge_pages() {
        let layout = Layout::new(1 << 30, &[(0, 0.9), (1, 0.1)], 0);
        assert!(layout.stripes().iter().all(|stripe| stripe.bytes.start % LARGEST_STRIPE == 0));
        let on_1 = layout.bytes_by_node()[&1] as f64 / f64::from(1 << 30);
        assert!((on_1 - 0.1).abs() <= TOLERANCE, "{on_1}");
    }
}
