//! What nobody could use is dealt again: the default where threads read several memories or limits are shared.
//!
//! # Rules
//! One round, for the threads that still take part and what is left of everything:
//! 0. Where a node can only read so much, its threads split that by baseline plus proportional; nobody wants more.
//! 1. A link asks for min(what its threads want, link), the local port for what the node's own threads want. Links that use
//!    a shared link are filled evenly up to its capacity and ask for no more than that; in several, the smallest.
//! 2. The ports of a controller are filled evenly ([`super::ports`]).
//! 3. Inside a port the threads split by baseline plus proportional.
//! 4. A thread takes the smallest granted / fraction over its memories.
//!
//! Then those are left out who have all they want or use something that is full, and the next round begins. It ends where
//! no thread gains more than a relative [`NOTHING`] of what it wants.
//!
//! # Why it ends
//! A thread that takes part uses nothing that is full. If some thread is held back at every resource only by what others there
//! do not use, what is left of it shrinks by a factor in each round. [`MOST_ROUNDS`] is never met in the property tests; should
//! it be, the answer is within all limits, and what is left unused is tiny.

use super::compiled::{Compiled, PoolKind};
use super::ports::shared_level;
use super::remote::Remote;
use super::shares::Shares;
use column::{Bank, Column, split};
use lanes::{LANES, Lanes, add, lanes, smaller, smallest};
use rows::{Block, Row, Rows};

mod column;
mod lanes;
mod rows;

/// A gain below this part of what a thread wants is none; what is left of a resource below this part is nothing.
pub(super) const NOTHING: f64 = 1e-12;
/// Rounds of one evaluation at most.
const MOST_ROUNDS: u32 = 1000;

/// A group that takes part.
#[derive(Clone, Copy, Debug)]
struct Taker {
    /// What it reads, as a range of blocks.
    first: u32,
    end: u32,
    /// Whether that is one block, and the column of the first one.
    is_single: bool,
    column: u32,
    used: u8,
    group: u32,
    /// Which limit of what a node reads holds for it.
    reads: u32,
    threads: f64,
    /// GB/s that one thread still wants, and that it asks for in this round.
    left: f64,
    ask: f64,
    /// GB/s that are nothing to it.
    nothing: f64,
}

/// Groups side by side that read the same memories, up to [`LANES`]; or one group.
#[derive(Clone, Copy, Debug)]
struct Run {
    column: u32,
    first: u32,
    end: u32,
}

impl Run {
    fn takers(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

impl Taker {
    /// Whether two groups read the same memories, up to [`LANES`].
    #[inline]
    fn are_beside(&self, other: &Self) -> bool {
        self.is_single && other.is_single && self.column == other.column
    }
}

/// What a node can read, in one round; GB/s.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    left: f64,
    wanted: f64,
    drawn: f64,
    baseline: f64,
    allocated: f64,
    flat: f64,
    ratio: f64,
    full: bool,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Dealing {
    rows: Rows,
    /// Who still takes part, node by node, and on each in the order of sums.
    takers: Vec<Taker>,
    /// These, by what they read.
    runs: Vec<Run>,
    /// As they are when everything is left, and in this round.
    fresh: Vec<Column>,
    columns: Vec<Column>,
    banks: Vec<Bank>,
    /// GB/s left of shared links, and of what nodes read.
    shared: Vec<f64>,
    reads: Vec<Reads>,
    /// Per shared link: up to where it is filled in this round.
    levels: Vec<f64>,
}

impl Dealing {
    /// Makes room for the evaluations of `compiled`.
    pub(super) fn make_room(&mut self, compiled: &Compiled, remote: Remote) {
        self.rows.compile(compiled);
        self.takers.clear();
        self.takers.reserve(self.rows.groups.len());
        self.runs.clear();
        self.runs.reserve(self.rows.groups.len());
        self.fresh.clear();
        self.fresh.resize(self.rows.ends.last().copied().unwrap_or(0), Column::new(0.0));
        for (_, p, kind) in compiled.pool_indices() {
            let Some(place) = self.rows.place(rows::number(p)) else { continue };
            let (column, lane) = (&mut self.fresh[place.column as usize], place.lane as usize);
            column.inverse_cores = compiled.pools[p].inverse_cores;
            if kind == PoolKind::Link {
                column.left[lane] = compiled.pools[p].capacity;
                column.nothing[lane] = NOTHING * compiled.pools[p].capacity;
                (column.cost[lane], column.weight[lane]) = (remote.cost, remote.weight);
            }
        }
        self.columns.clone_from(&self.fresh);
        let starts = std::iter::once(0).chain(self.rows.ends.iter().copied());
        let none = [0.0; LANES];
        let bank = |(start, &end)| Bank { columns: start..end, left: none, nothing: none };
        self.banks.clear();
        self.banks.extend(starts.zip(&self.rows.ends).map(bank));
        self.reads.resize(compiled.reads.len(), Reads::default());
        for of_shared in [&mut self.shared, &mut self.levels] {
            of_shared.resize(compiled.shared.len(), 0.0);
        }
    }

    /// Shares everything by rounds: `shares.bandwidth` has what every thread gets.
    pub(super) fn share(
        &mut self,
        compiled: &Compiled,
        controllers: impl Fn(usize, f64) -> f64,
        threads: &[f64],
        shares: &mut Shares,
    ) {
        self.begin(compiled, threads, shares);
        self.ask_of_nodes(compiled);
        self.ask();
        self.offer(compiled);
        for (b, bank) in self.banks.iter_mut().enumerate() {
            let asked = bank.asked(&self.columns);
            let of = |lane: usize| LANES * b + lane;
            let memories = compiled.memories.len();
            bank.left =
                lanes(|lane| if of(lane) < memories { controllers(of(lane), asked[lane]) } else { 0.0 });
            bank.nothing = lanes(|lane| NOTHING * bank.left[lane]);
            for (controller, left) in shares.controllers.iter_mut().skip(of(0)).zip(bank.left) {
                *controller = left;
            }
        }
        for place in &self.rows.places {
            let (column, lane) = (&self.columns[place.column as usize], place.lane as usize);
            shares.wanted[place.pool as usize] = column.wanted[lane];
            shares.offered[place.pool as usize] = column.offered[lane];
        }
        for _ in 0..MOST_ROUNDS {
            self.deal();
            let (gained, served) = self.take(shares);
            let full = self.use_up(compiled);
            if !gained {
                return;
            }
            if served || full {
                self.leave_out(full);
                if self.takers.is_empty() {
                    return;
                }
            }
            if full || !compiled.reads.is_empty() {
                self.ask_of_nodes(compiled);
                self.ask();
            }
            self.offer(compiled);
        }
    }

    /// Everything is left, and all who have threads take part.
    fn begin(&mut self, compiled: &Compiled, threads: &[f64], shares: &mut Shares) {
        let demand = compiled.demand_gbs.as_slice();
        let Rows { groups, blocks, .. } = &self.rows;
        self.takers.clear();
        for row in groups {
            let (threads, left) = (threads[row.group as usize], demand[row.group as usize]);
            if threads > 0.0 {
                let Row { group, first, end, reads, .. } = *row;
                let Block { column, used, .. } = blocks[first as usize];
                let (is_single, nothing) = (end == first + 1, NOTHING * left);
                self.takers.push(Taker {
                    first,
                    end,
                    is_single,
                    column,
                    used,
                    group,
                    reads,
                    threads,
                    left,
                    ask: left,
                    nothing,
                });
            }
        }
        self.find_runs();
        self.columns.copy_from_slice(&self.fresh);
        for (left, common) in self.shared.iter_mut().zip(&compiled.shared) {
            *left = common.capacity;
        }
        for (reads, common) in self.reads.iter_mut().zip(&compiled.reads) {
            (reads.left, reads.full) = (common.capacity, false);
        }
        shares.bandwidth.as_mut_slice().fill(0.0);
    }

    /// Step 0: what threads ask for.
    fn ask_of_nodes(&mut self, compiled: &Compiled) {
        if compiled.reads.is_empty() {
            return;
        }
        let Self { takers, reads, .. } = self;
        for (reads, common) in reads.iter_mut().zip(&compiled.reads) {
            (reads.wanted, reads.allocated) = (0.0, 0.0);
            reads.baseline = reads.left * common.inverse_cores;
        }
        for taker in takers.iter() {
            if let Some(reads) = reads.get_mut(taker.reads as usize) {
                reads.wanted += taker.threads * taker.left;
                reads.allocated += taker.threads * taker.left.min(reads.baseline);
            }
        }
        for reads in reads.iter_mut() {
            (reads.flat, reads.ratio) = split(reads.left, reads.wanted, reads.baseline, reads.allocated);
        }
        for taker in takers.iter_mut() {
            taker.ask = taker.left;
            if let Some(reads) = reads.get(taker.reads as usize) {
                taker.ask = taker.left.min(reads.flat + reads.ratio * taker.left);
            }
        }
    }

    /// What the threads of every port want.
    fn ask(&mut self) {
        let Self { rows, takers, runs, columns, .. } = self;
        for column in columns.iter_mut() {
            column.wanted = [0.0; LANES];
        }
        for run in runs.iter() {
            let takers = &takers[run.takers()];
            let mut wanted = columns[run.column as usize].wanted;
            for taker in takers {
                add(&mut wanted, taker.threads * taker.ask, &rows.blocks[taker.first as usize].fraction);
            }
            columns[run.column as usize].wanted = wanted;
            for block in further_blocks(rows, &takers[0]) {
                add(
                    &mut columns[block.column as usize].wanted,
                    takers[0].threads * takers[0].ask,
                    &block.fraction,
                );
            }
        }
    }

    /// Step 1: what every port asks for.
    fn offer(&mut self, compiled: &Compiled) {
        let Self { rows, columns, .. } = self;
        for column in columns.iter_mut() {
            column.offer();
        }
        // All levels first: no shared link sees what another one has cut.
        for ((level, common), &left) in self.levels.iter_mut().zip(&compiled.shared).zip(&self.shared) {
            let places = common.users.iter().filter_map(|&p| rows.place(p));
            *level = shared_level(
                left,
                &places.map(|place| columns[place.column as usize].offered[place.lane as usize]),
            );
        }
        for (&level, common) in self.levels.iter().zip(&compiled.shared) {
            for place in common.users.iter().filter_map(|&p| rows.place(p)) {
                let offered = &mut columns[place.column as usize].offered[place.lane as usize];
                *offered = offered.min(level);
            }
        }
    }

    /// Steps 2 and 3: what every port does with the wants of its threads.
    fn deal(&mut self) {
        let Self { rows, takers, runs, columns, banks, .. } = self;
        for bank in banks.iter() {
            bank.fill(columns);
        }
        for run in runs.iter() {
            let takers = &takers[run.takers()];
            let column = &mut columns[run.column as usize];
            let (mut allocated, baseline) = (column.allocated, column.baseline);
            let base = |ask: f64, block: &Block, baseline: &Lanes| {
                lanes(|lane| smaller(ask * block.fraction[lane], baseline[lane]))
            };
            for taker in takers {
                let base = base(taker.ask, &rows.blocks[taker.first as usize], &baseline);
                add(&mut allocated, taker.threads, &base);
            }
            column.allocated = allocated;
            for block in further_blocks(rows, &takers[0]) {
                let column = &mut columns[block.column as usize];
                let base = base(takers[0].ask, block, &column.baseline);
                add(&mut column.allocated, takers[0].threads, &base);
            }
        }
        for column in columns.iter_mut() {
            column.split();
        }
    }

    /// Step 4: takes what the threads take, and begins the next round with what they then want; whether somebody gained
    /// something, and whether somebody has all it wants.
    fn take(&mut self, shares: &mut Shares) -> (bool, bool) {
        let Self { rows, takers, runs, columns, reads, .. } = self;
        let bandwidth = shares.bandwidth.as_mut_slice();
        let (mut gained, mut served) = (false, false);
        for column in columns.iter_mut() {
            (column.wanted, column.drawn) = ([0.0; LANES], [0.0; LANES]);
        }
        for reads in reads.iter_mut() {
            reads.drawn = 0.0;
        }
        for run in runs.iter() {
            let takers = &mut takers[run.takers()];
            let Column { flat, ratio, mut drawn, mut wanted, .. } = columns[run.column as usize];
            for taker in takers.iter_mut() {
                let block = &rows.blocks[taker.first as usize];
                let mut least = [taker.ask; LANES];
                keep_least(&mut least, taker.ask, &block.inverse, &flat, &ratio);
                for block in further_blocks(rows, taker) {
                    let column = &columns[block.column as usize];
                    keep_least(&mut least, taker.ask, &block.inverse, &column.flat, &column.ratio);
                }
                let gain = smallest(&least);
                let left = taker.left - gain;
                bandwidth[taker.group as usize] += gain;
                gained |= gain > taker.nothing;
                served |= left <= taker.nothing;
                let ask = if left > taker.nothing { left } else { 0.0 };
                (taker.left, taker.ask) = (left, ask);
                let (gain, ask) = (taker.threads * gain, taker.threads * ask);
                add(&mut drawn, gain, &block.fraction);
                add(&mut wanted, ask, &block.fraction);
                for block in further_blocks(rows, taker) {
                    let column = &mut columns[block.column as usize];
                    add(&mut column.drawn, gain, &block.fraction);
                    add(&mut column.wanted, ask, &block.fraction);
                }
                if let Some(reads) = reads.get_mut(taker.reads as usize) {
                    reads.drawn += gain;
                }
            }
            let column = &mut columns[run.column as usize];
            (column.drawn, column.wanted) = (drawn, wanted);
        }
        (gained, served)
    }

    /// Takes from everything what was drawn; whether something is full that was not.
    fn use_up(&mut self, compiled: &Compiled) -> bool {
        let Self { rows, columns, banks, .. } = self;
        let mut is_new = false;
        for bank in banks {
            is_new |= bank.use_up(columns);
        }
        for (left, common) in self.shared.iter_mut().zip(&compiled.shared) {
            let places = || common.users.iter().filter_map(|&p| rows.place(p));
            *left -=
                places().map(|place| columns[place.column as usize].drawn[place.lane as usize]).sum::<f64>();
            if *left <= NOTHING * common.capacity {
                for place in places() {
                    let full = &mut columns[place.column as usize].full;
                    is_new |= *full & (1 << place.lane) == 0;
                    *full |= 1 << place.lane;
                }
            }
        }
        for (reads, common) in self.reads.iter_mut().zip(&compiled.reads) {
            reads.left -= reads.drawn;
            let full = reads.left <= NOTHING * common.capacity;
            is_new |= full && !reads.full;
            reads.full |= full;
        }
        is_new
    }

    /// Leaves out who has all it wants or, where something is `full` that was not, uses something that is full.
    fn leave_out(&mut self, full: bool) {
        let Self { rows, takers, columns, reads, .. } = self;
        let mut kept = 0;
        for i in 0..takers.len() {
            let taker = &takers[i];
            let mut stays =
                taker.left > taker.nothing && taker.used & columns[taker.column as usize].full == 0;
            if full {
                let uses_full = |block: &Block| block.used & columns[block.column as usize].full != 0;
                stays &= !further_blocks(rows, taker).iter().any(uses_full)
                    && !reads.get(taker.reads as usize).is_some_and(|reads| reads.full);
            }
            if kept < i {
                takers[kept] = takers[i];
            }
            kept += usize::from(stays);
        }
        takers.truncate(kept);
        self.find_runs();
    }

    fn find_runs(&mut self) {
        let Self { takers, runs, .. } = self;
        runs.clear();
        let mut first = 0;
        for takers in takers.chunk_by(Taker::are_beside) {
            let end = first + rows::number(takers.len());
            runs.push(Run { column: takers[0].column, first, end });
            first = end;
        }
    }
}

/// All but the first of the blocks that a group reads.
#[inline]
fn further_blocks<'r>(rows: &'r Rows, taker: &Taker) -> &'r [Block] {
    if taker.is_single { &[] } else { &rows.blocks[taker.first as usize + 1..taker.end as usize] }
}

/// What a thread that asks for `ask` gets: the least over its memories.
#[inline]
fn keep_least(least: &mut Lanes, ask: f64, inverse: &Lanes, flat: &Lanes, ratio: &Lanes) {
    for lane in 0..LANES {
        least[lane] = smaller(flat[lane] * inverse[lane] + ratio[lane] * ask, least[lane]);
    }
}
