//! Groups that still take part, class by class.
//!
//! # Approach
//! Groups of one class read the same ports, in the same proportions. If the same port limits all of them in a
//! round, and no demand is met, each gains flat + ratio x its remaining demand. A round is then a few values
//! for the class, and the effect on each group is computed when it is needed ([`Run::settle`]).

use super::rows::AtHand;
use super::rows::Column;
use super::rows::{Block, Class};
use super::rows::{LANES, add, lanes, larger, smaller, smallest};

/// A group that takes part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taker {
    pub(super) group: u32,
    pub(super) threads: f64,
    /// Remaining demand of one thread when the run was settled, GB/s.
    pub(super) left: f64,
    /// The amount that counts as nothing for it, GB/s.
    pub(super) nothing: f64,
}

/// Smaller numbers of groups are processed one by one.
const MANY: usize = 2;

/// The groups of a class that take part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// As a range of takers.
    first: usize,
    end: usize,
    pub(super) class: Class,
    /// All their threads, and the total remaining demand of these, GB/s.
    threads: f64,
    pub(super) wants: f64,
    /// Their request in this round: less than their demand if the reads of their node are limited.
    pub(super) asks: f64,
    /// If their L3 domain or node has a read limit, the request of one thread with demand w: a = `min(w, flat
    /// + ratio w)` for the first, then the same for the second with a instead of w.
    is_limited: bool,
    limits: [(f64, f64); 2],
    /// Minimum and maximum demand of one thread.
    least: f64,
    most: f64,
    /// The largest amount that counts as nothing for one thread.
    nothing: f64,
    /// Since the run was settled, a thread with demand w gained `flat + ratio w`.
    flat: f64,
    ratio: f64,
}

/// The outcome of a round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brought {
    /// Whether any thread gained.
    pub(super) gain: bool,
    /// Whether any demand is met.
    pub(super) served: bool,
}

impl Run {
    /// The groups of `takers` from number `first` on, which are of `class`; no thread has gained anything
    /// yet.
    pub(super) fn new(class: Class, takers: &[Taker], first: usize) -> Self {
        let mut run = Self {
            first,
            end: takers.len(),
            class,
            threads: 0.0,
            wants: 0.0,
            asks: 0.0,
            is_limited: false,
            limits: [(f64::INFINITY, 0.0); 2],
            least: f64::INFINITY,
            most: 0.0,
            nothing: 0.0,
            flat: 0.0,
            ratio: 0.0,
        };
        for taker in &takers[first..] {
            run.threads += taker.threads;
            run.wants += taker.threads * taker.left;
            run.least = smaller(taker.left, run.least);
            run.most = larger(taker.left, run.most);
            run.nothing = larger(taker.nothing, run.nothing);
        }
        run.asks = run.wants;
        run
    }

    /// Whether no group takes part.
    pub(super) fn is_empty(&self) -> bool {
        self.first == self.end
    }

    pub(super) fn takers<'t>(&self, takers: &'t [Taker]) -> &'t [Taker] {
        &takers[self.first..self.end]
    }

    pub(super) fn blocks<'b>(&self, blocks: &'b [Block]) -> &'b [Block] {
        &blocks[self.class.first_block as usize..self.class.end_block as usize]
    }

    /// The request of a thread with remaining demand `left`.
    #[inline]
    pub(super) fn ask(&self, left: f64) -> f64 {
        self.ask_within(2, left)
    }

    /// The same with this number of the limits.
    #[inline]
    pub(super) fn ask_within(&self, limits: usize, left: f64) -> f64 {
        self.limits[..limits].iter().fold(left, |ask, (flat, ratio)| smaller(flat + ratio * ask, ask))
    }

    /// Adds to each group what it gained.
    pub(super) fn settle(&mut self, takers: &mut [Taker], bandwidth: &mut [f64]) {
        if self.flat > 0.0 || self.ratio > 0.0 {
            for taker in &mut takers[self.first..self.end] {
                let gain = smaller(self.flat + self.ratio * taker.left, taker.left);
                taker.left -= gain;
                bandwidth[taker.group as usize] += gain;
            }
            (self.flat, self.ratio) = (0.0, 0.0);
        }
    }

    /// Sets the read limit of its L3 domain (0) or node (1): a thread with demand w requests min(w, flat +
    /// ratio w).
    pub(super) fn limit(&mut self, level: usize, flat: f64, ratio: f64, takers: &[Taker]) {
        (self.is_limited, self.limits[level]) = (true, (flat, ratio));
        let ask = |taker: &Taker| taker.threads * self.ask_within(level + 1, taker.left);
        self.asks = self.takers(takers).iter().map(ask).sum();
    }

    /// Adds its threads and their requests to its ports.
    #[inline]
    pub(super) fn add_asks(&self, blocks: &[Block], columns: &mut [Column]) {
        for block in self.blocks(blocks) {
            let column = &mut columns[block.column as usize];
            column.want(block, self.asks, self.least);
            for lane in 0..LANES {
                column.users[lane] += if block.used & (1 << lane) == 0 { 0.0 } else { self.threads };
            }
        }
    }

    /// Adds min(request, baseline) of its threads to those of its ports that are mixed.
    #[inline]
    pub(super) fn add_baselines(
        &mut self,
        blocks: &[Block],
        takers: &mut [Taker],
        columns: &mut [Column],
        bandwidth: &mut [f64],
    ) {
        for block in self.blocks(blocks) {
            let column = &mut columns[block.column as usize];
            if !column.is_mixed {
                continue;
            }
            let (cost, baseline) = (&block.cost, &column.baseline);
            let mut alike = !self.is_limited;
            let allocated = lanes(|lane| {
                let all_above = self.least * cost[lane] >= baseline[lane];
                alike &= all_above || self.most * cost[lane] <= baseline[lane];
                if all_above { self.threads * baseline[lane] } else { self.wants * cost[lane] }
            });
            if alike {
                add(&mut column.allocated, 1.0, &allocated);
                continue;
            }
            self.settle(takers, bandwidth);
            let mut allocated = [0.0; LANES];
            for taker in self.takers(takers) {
                let ask = self.ask(taker.left);
                let base = lanes(|lane| smaller(ask * cost[lane], baseline[lane]));
                add(&mut allocated, taker.threads, &base);
            }
            add(&mut column.allocated, 1.0, &allocated);
        }
    }

    /// Step 4: takes the traffic of its threads, leaves out groups whose demand is met, and adds the
    /// remaining demand of the others to its ports.
    #[inline]
    pub(super) fn take(
        &mut self,
        all_blocks: &[Block],
        takers: &mut [Taker],
        columns: &mut [Column],
        bandwidth: &mut [f64],
        brought: &mut Brought,
    ) -> f64 {
        let blocks = self.blocks(all_blocks);
        let drawn = if let Some((flat, ratio)) = self.common_gain(blocks, columns) {
            brought.gain = true;
            self.gain_alike(flat, ratio)
        } else {
            self.settle(takers, bandwidth);
            let limited = *self;
            self.gain_each(takers, brought, |taker| {
                let ask = limited.ask(taker.left);
                let gain = gain_of(ask, blocks, columns);
                bandwidth[taker.group as usize] += gain;
                gain
            })
        };
        self.note(drawn, all_blocks, columns);
        drawn
    }

    /// The same if `bandwidth` contains the traffic of every thread in the first round.
    pub(super) fn take_given(
        &mut self,
        all_blocks: &[Block],
        takers: &mut [Taker],
        columns: &mut [Column],
        bandwidth: &[f64],
        brought: &mut Brought,
    ) {
        let drawn = self.gain_each(takers, brought, |taker| bandwidth[taker.group as usize]);
        self.note(drawn, all_blocks, columns);
    }

    /// Adds the traffic, and the remaining demand of its threads, to its ports.
    #[inline]
    fn note(&mut self, drawn: f64, all_blocks: &[Block], columns: &mut [Column]) {
        self.asks = self.wants;
        for block in self.blocks(all_blocks) {
            let column = &mut columns[block.column as usize];
            add(&mut column.drawn, drawn, &block.cost);
            column.want(block, self.wants, self.least);
        }
    }

    /// The gain of a thread with demand w, the first plus the second times w, if the same port limits all
    /// threads, no demand is met and a thread gains.
    #[inline]
    fn common_gain(&self, blocks: &[Block], columns: &[Column]) -> Option<(f64, f64)> {
        if self.end - self.first < MANY {
            return None;
        }
        let (mut of_least, mut of_most) = (f64::INFINITY, f64::INFINITY);
        let (mut flat, mut ratio) = (f64::INFINITY, 0.0);
        for block in blocks {
            let column = &columns[block.column as usize];
            let flats = lanes(|lane| column.flat[lane] * block.inverse[lane]);
            let most = lanes(|lane| flats[lane] + column.ratio[lane] * self.most);
            let least = lanes(|lane| flats[lane] + column.ratio[lane] * self.least);
            of_least = smaller(smallest(&least), of_least);
            for lane in 0..LANES {
                let holds_back = most[lane] < of_most;
                flat = if holds_back { flats[lane] } else { flat };
                ratio = if holds_back { column.ratio[lane] } else { ratio };
                of_most = if holds_back { most[lane] } else { of_most };
            }
        }
        // A minimum of straight lines: a line that is the lowest at both ends is the lowest between them.
        let is_common = flat + ratio * self.least == of_least && !self.is_limited;
        (is_common && of_least > self.nothing && self.least - of_least > self.nothing)
            .then_some((flat, ratio))
    }

    /// A thread with demand w gains flat + ratio w; returns the total.
    #[inline]
    fn gain_alike(&mut self, flat: f64, ratio: f64) -> f64 {
        let drawn = self.threads * flat + ratio * self.wants;
        self.wants -= drawn;
        self.least -= flat + ratio * self.least;
        self.most -= flat + ratio * self.most;
        // The remainder of w, (1 - self.ratio) w - self.flat, gains this.
        self.flat += flat - ratio * self.flat;
        self.ratio += ratio * (1.0 - self.ratio);
        drawn
    }

    /// The only block of the only group, if there is no more than that to process.
    #[inline]
    pub(super) fn alone<'b>(&self, blocks: &'b [Block]) -> Option<&'b Block> {
        let is_alone = self.end - self.first < MANY && !self.is_limited;
        match self.blocks(blocks) {
            [block] if is_alone => Some(block),
            _ => None,
        }
    }

    /// The same for the only group, with ports in registers.
    #[inline]
    pub(super) fn take_alone(
        &mut self,
        block: &Block,
        ports: &mut AtHand,
        takers: &mut [Taker],
        bandwidth: &mut [f64],
        brought: &mut Brought,
    ) {
        let Some(taker) = takers[self.first..self.end].first_mut() else { return };
        let granted = lanes(|lane| ports.flat[lane] * block.inverse[lane] + ports.ratio[lane] * taker.left);
        let gain = smaller(smallest(&granted), taker.left);
        taker.left -= gain;
        bandwidth[taker.group as usize] += gain;
        brought.gain |= gain > taker.nothing;
        add(&mut ports.drawn, taker.threads * gain, &block.cost);
        if taker.left > taker.nothing {
            (self.wants, self.least, self.most) = (taker.threads * taker.left, taker.left, taker.left);
            ports.want(block, self.wants, self.least);
        } else {
            brought.served = true;
            self.end = self.first;
            (self.threads, self.wants, self.nothing) = (0.0, 0.0, 0.0);
            (self.least, self.most) = (f64::INFINITY, 0.0);
        }
        self.asks = self.wants;
    }

    /// Group by group: the gain of a thread; returns the total.
    #[inline]
    fn gain_each(
        &mut self,
        takers: &mut [Taker],
        brought: &mut Brought,
        mut gain_of: impl FnMut(&Taker) -> f64,
    ) -> f64 {
        let mut drawn = 0.0;
        let mut kept =
            Self { threads: 0.0, wants: 0.0, least: f64::INFINITY, most: 0.0, nothing: 0.0, ..*self };
        kept.end = kept.first;
        for i in self.first..self.end {
            let mut taker = takers[i];
            let gain = gain_of(&taker);
            taker.left -= gain;
            drawn += taker.threads * gain;
            brought.gain |= gain > taker.nothing;
            let is_hungry = taker.left > taker.nothing;
            takers[kept.end] = taker;
            if is_hungry {
                kept.end += 1;
                kept.threads += taker.threads;
                kept.wants += taker.threads * taker.left;
                kept.least = smaller(taker.left, kept.least);
                kept.most = larger(taker.left, kept.most);
                kept.nothing = larger(taker.nothing, kept.nothing);
            }
        }
        brought.served |= kept.end < self.end;
        *self = kept;
        drawn
    }
}

/// The gain of a thread with the request `ask`: the least over its memories.
#[inline]
fn gain_of(ask: f64, blocks: &[Block], columns: &[Column]) -> f64 {
    let mut least = [ask; LANES];
    for block in blocks {
        let Column { flat, ratio, .. } = &columns[block.column as usize];
        least = lanes(|lane| smaller(flat[lane] * block.inverse[lane] + ratio[lane] * ask, least[lane]));
    }
    smallest(&least)
}
