//! Ports in one round, [`LANES`] memories at a time: steps 1 to 3.

use super::lanes::{LANES, Lanes, add, lanes, larger, smaller};
use super::rows::Block;

/// The ports of one node to [`LANES`] memories; GB/s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// What its threads want, and what it asks its controller for.
    pub(super) wanted: Lanes,
    pub(super) offered: Lanes,
    /// What it gets.
    pub(super) granted: Lanes,
    /// The link, what is left of it, and what is nothing to it. Infinite for the node's own memory, and none.
    pub(super) capacity: Lanes,
    pub(super) left: Lanes,
    pub(super) nothing: Lanes,
    /// Threads that use it, and what one of them wants of it at least.
    pub(super) users: Lanes,
    pub(super) lowest: Lanes,
    /// What each thread gets before others get more, and all of that.
    pub(super) baseline: Lanes,
    pub(super) allocated: Lanes,
    /// Whether what is allocated has to be added up group by group.
    pub(super) is_mixed: bool,
    /// What one thread that wants w gets: min(w, flat + ratio w).
    pub(super) flat: Lanes,
    pub(super) ratio: Lanes,
    /// What its threads take.
    pub(super) drawn: Lanes,
    /// GB/s of the controller that one GB/s takes, and the pace at which the port is filled.
    pub(super) cost: Lanes,
    pub(super) weight: Lanes,
    pub(super) inverse_cores: f64,
    /// A bit for each memory where something that its threads use is full.
    pub(super) full: u8,
}

impl Column {
    /// No port yet, on a node with 1/`inverse_cores` cores.
    pub(super) fn new(inverse_cores: f64) -> Self {
        let none = [0.0; LANES];
        Self {
            wanted: none,
            offered: none,
            granted: none,
            capacity: [f64::INFINITY; LANES],
            left: none,
            nothing: [f64::NEG_INFINITY; LANES],
            users: none,
            lowest: [f64::INFINITY; LANES],
            baseline: none,
            allocated: none,
            is_mixed: false,
            flat: none,
            ratio: none,
            drawn: none,
            cost: [1.0; LANES],
            weight: [1.0; LANES],
            inverse_cores,
            full: 0,
        }
    }

    /// Everything is left.
    pub(super) fn begin(&mut self) {
        (self.left, self.full) = (self.capacity, 0);
    }

    /// Nobody wants anything yet.
    #[inline]
    pub(super) fn clear_wants(&mut self) {
        (self.wanted, self.lowest) = ([0.0; LANES], [f64::INFINITY; LANES]);
    }

    /// Groups whose threads want `wants` GB/s in all, and each of them at least `least`.
    #[inline]
    pub(super) fn want(&mut self, block: &Block, wants: f64, least: f64) {
        add(&mut self.wanted, wants, &block.cost);
        self.lowest = lanes(|lane| smaller(least * block.floor[lane], self.lowest[lane]));
    }

    /// Step 1: what it asks for, before shared links cut that.
    #[inline]
    pub(super) fn offer(&mut self) {
        self.offered = lanes(|lane| smaller(self.wanted[lane], self.left[lane]));
    }

    /// What its threads get, where controllers are filled up to `level`.
    #[inline]
    fn grant(&mut self, level: &Lanes) {
        self.granted = lanes(|lane| smaller(self.offered[lane], level[lane] * self.weight[lane]));
        self.baseline = lanes(|lane| self.granted[lane] * self.inverse_cores);
    }

    /// What is allocated where all threads want at least the baseline; whether that is so for every memory that has not enough for
    /// all. Else, or where threads ask for less than they want, nothing is allocated yet.
    #[inline]
    pub(super) fn allocate(&mut self, are_limited: bool) -> bool {
        let mut is_mixed = are_limited;
        let allocated = lanes(|lane| {
            let all_above = self.baseline[lane] <= self.lowest[lane];
            is_mixed |= !all_above && self.wanted[lane] > self.granted[lane];
            self.users[lane] * self.baseline[lane]
        });
        self.is_mixed = is_mixed;
        self.allocated = if is_mixed { [0.0; LANES] } else { allocated };
        !is_mixed
    }

    /// Step 3, when `allocated` is known.
    #[inline]
    pub(super) fn split(&mut self) {
        for lane in 0..LANES {
            (self.flat[lane], self.ratio[lane]) =
                split(self.granted[lane], self.wanted[lane], self.baseline[lane], self.allocated[lane]);
        }
    }
}

/// How `granted` GB/s are split: one thread that wants w GB/s gets min(w, the first + the second times w).
#[inline]
pub(super) fn split(granted: f64, wanted: f64, baseline: f64, allocated: f64) -> (f64, f64) {
    // Not a number, or above 1, only where all have what they want; a remainder of rounding below zero is nothing left.
    let ratio = larger(smaller((granted - allocated) / (wanted - allocated), 1.0), 0.0);
    // Above zero, so that it is infinite for who has no data here.
    let flat = larger(baseline * (1.0 - ratio), f64::MIN_POSITIVE);
    let enough = wanted <= granted;
    (if enough { f64::INFINITY } else { flat }, if enough { 0.0 } else { ratio })
}

/// The controllers of [`LANES`] memories.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    /// The columns that have their ports.
    pub(super) columns: std::ops::Range<usize>,
    /// GB/s left of them, and what is nothing to them.
    pub(super) left: Lanes,
    pub(super) nothing: Lanes,
}

impl Bank {
    /// GB/s that the ports ask for.
    pub(super) fn asked(&self, columns: &[Column]) -> Lanes {
        let mut asked = [0.0; LANES];
        for column in &columns[self.columns.clone()] {
            for lane in 0..LANES {
                asked[lane] += column.cost[lane] * column.offered[lane];
            }
        }
        asked
    }

    /// Step 2: fills the ports evenly, each at the pace of its weight, until all have what they ask for or nothing is left.
    pub(super) fn fill(&self, columns: &mut [Column]) {
        let columns = &mut columns[self.columns.clone()];
        let mut level = [0.0; LANES];
        // Each pass serves at least one more port of some controller in full, or is the last.
        loop {
            let (mut served, mut pace) = ([0.0; LANES], [0.0; LANES]);
            for column in columns.iter() {
                for lane in 0..LANES {
                    let hungry = column.offered[lane] > level[lane] * column.weight[lane];
                    pace[lane] += if hungry { column.cost[lane] * column.weight[lane] } else { 0.0 };
                    served[lane] += if hungry { 0.0 } else { column.cost[lane] * column.offered[lane] };
                }
            }
            let mut rises = false;
            for lane in 0..LANES {
                let next = (self.left[lane] - served[lane]) / pace[lane];
                // Infinite where all are served; not a number where rounding has served them.
                let higher = next > level[lane];
                level[lane] = if higher { next } else { level[lane] };
                rises |= higher;
            }
            if !rises {
                break;
            }
        }
        for column in columns {
            column.grant(&level);
        }
    }

    /// Takes what was drawn; whether something is full that was not.
    pub(super) fn use_up(&mut self, columns: &mut [Column]) -> bool {
        let mut is_new = false;
        let mut links_full = 0;
        for column in &mut columns[self.columns.clone()] {
            for lane in 0..LANES {
                self.left[lane] -= column.cost[lane] * column.drawn[lane];
                column.left[lane] -= column.drawn[lane];
            }
            let full = bits(&column.left, &column.nothing);
            links_full |= full & !column.full;
            column.full |= full;
        }
        is_new |= links_full != 0;
        let full = bits(&self.left, &self.nothing);
        if full != 0 {
            for column in &mut columns[self.columns.clone()] {
                is_new |= full & !column.full != 0;
                column.full |= full;
            }
        }
        is_new
    }
}

/// A bit for each memory where what is left is nothing.
#[inline]
fn bits(left: &Lanes, nothing: &Lanes) -> u8 {
    (0..LANES).fold(0, |bits, lane| bits | (u8::from(left[lane] <= nothing[lane]) << lane))
}
