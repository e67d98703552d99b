//! Groups that still take part, class by class.
//!
//! # Approach
//! Groups of one class read the same ports, in the same parts. While the same port holds all of them back in a round, and none
//! has all it wants, each gains flat + ratio x what it still wants: then a round is a few figures for the class, and what that
//! means for each group is computed when it is needed ([`Run::settle`]).

use super::rows::AtHand;
use super::rows::Column;
use super::rows::{Block, Class};
use super::rows::{LANES, add, lanes, larger, smaller, smallest};

/// A group that takes part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taker {
    pub(super) group: u32,
    pub(super) threads: f64,
    /// GB/s that one thread still wanted when the run was settled.
    pub(super) left: f64,
    /// GB/s that are nothing to it.
    pub(super) nothing: f64,
}

/// Fewer groups than that are dealt with one by one.
const MANY: usize = 2;

/// The groups of a class that take part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// As a range of takers.
    first: usize,
    end: usize,
    pub(super) class: Class,
    /// All their threads, and what these still want in all, GB/s.
    threads: f64,
    pub(super) wants: f64,
    /// What these ask for in this round: less than they want where their node can only read so much.
    pub(super) asks: f64,
    /// Where their L3 domain or node can only read so much, what one thread asks for that wants w: a = min(w, flat + ratio w) of the
    /// first, then the same of the second with a for w.
    is_limited: bool,
    limits: [(f64, f64); 2],
    /// What one thread wants, at least and at most.
    least: f64,
    most: f64,
    /// The largest of what is nothing to one.
    nothing: f64,
    /// Since the run was settled a thread that wanted w gained `flat + ratio w`.
    flat: f64,
    ratio: f64,
}

/// What a round brought.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brought {
    /// Whether somebody gained something.
    pub(super) gain: bool,
    /// Whether somebody has all it wants.
    pub(super) served: bool,
}

impl Run {
    /// Those of `takers` from number `first` on, which are of `class`; nobody has gained anything yet.
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

    /// Whether nobody takes part.
    pub(super) fn is_empty(&self) -> bool {
        self.first == self.end
    }

    pub(super) fn takers<'t>(&self, takers: &'t [Taker]) -> &'t [Taker] {
        &takers[self.first..self.end]
    }

    pub(super) fn blocks<'b>(&self, blocks: &'b [Block]) -> &'b [Block] {
        &blocks[self.class.first_block as usize..self.class.end_block as usize]
    }

    /// What a thread that wants `left` asks for.
    #[inline]
    pub(super) fn ask(&self, left: f64) -> f64 {
        self.ask_within(2, left)
    }

    /// The same with as many of the limits.
    #[inline]
    pub(super) fn ask_within(&self, limits: usize, left: f64) -> f64 {
        self.limits[..limits].iter().fold(left, |ask, (flat, ratio)| smaller(flat + ratio * ask, ask))
    }

    /// Gives each group what it gained.
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

    /// Its L3 domain (0) or node (1) can only read so much: a thread that wants w asks for min(w, flat + ratio w).
    pub(super) fn limit(&mut self, level: usize, flat: f64, ratio: f64, takers: &[Taker]) {
        (self.is_limited, self.limits[level]) = (true, (flat, ratio));
        let ask = |taker: &Taker| taker.threads * self.ask_within(level + 1, taker.left);
        self.asks = self.takers(takers).iter().map(ask).sum();
    }

    /// Adds to its ports its threads and what they ask for.
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

    /// Adds to those of its ports where that is mixed min(ask, baseline) of its threads.
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

    /// Step 4: takes what its threads take, leaves out who has all it wants, and adds to its ports what the others then want.
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

    /// The same where `bandwidth` has what every thread takes in the first round.
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

    /// Adds to its ports what was drawn, and what its threads then want.
    #[inline]
    fn note(&mut self, drawn: f64, all_blocks: &[Block], columns: &mut [Column]) {
        self.asks = self.wants;
        for block in self.blocks(all_blocks) {
            let column = &mut columns[block.column as usize];
            add(&mut column.drawn, drawn, &block.cost);
            column.want(block, self.wants, self.least);
        }
    }

    /// Where the same port holds all of them back, nobody gets all it wants and somebody gains something: what a thread that
    /// wants w gains, the first plus the second times w.
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
        // A minimum of straight lines: one that is the lowest at both ends is so between them.
        let is_common = flat + ratio * self.least == of_least && !self.is_limited;
        (is_common && of_least > self.nothing && self.least - of_least > self.nothing)
            .then_some((flat, ratio))
    }

    /// A thread that wants w gains flat + ratio w; what all take.
    #[inline]
    fn gain_alike(&mut self, flat: f64, ratio: f64) -> f64 {
        let drawn = self.threads * flat + ratio * self.wants;
        self.wants -= drawn;
        self.least -= flat + ratio * self.least;
        self.most -= flat + ratio * self.most;
        // What was left of w, (1 - self.ratio) w - self.flat, gains this.
        self.flat += flat - ratio * self.flat;
        self.ratio += ratio * (1.0 - self.ratio);
        drawn
    }

    /// The only block of the only group, where there is no more than that to look at.
    #[inline]
    pub(super) fn alone<'b>(&self, blocks: &'b [Block]) -> Option<&'b Block> {
        let is_alone = self.end - self.first < MANY && !self.is_limited;
        match self.blocks(blocks) {
            [block] if is_alone => Some(block),
            _ => None,
        }
    }

    /// The same for the only group, with ports that are at hand.
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

    /// Group by group: what a thread gains; what all take.
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

/// What a thread that asks for `ask` gains: the least over its memories.
#[inline]
fn gain_of(ask: f64, blocks: &[Block], columns: &[Column]) -> f64 {
    let mut least = [ask; LANES];
    for block in blocks {
        let Column { flat, ratio, .. } = &columns[block.column as usize];
        least = lanes(|lane| smaller(flat[lane] * block.inverse[lane] + ratio[lane] * ask, least[lane]));
    }
    smallest(&least)
}
