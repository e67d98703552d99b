//! Redistribution of unused bandwidth: the default model if threads read several memories or limits are
//! shared.
//!
//! # Rules
//! One round, for the threads that still take part and the remaining bandwidth of every resource:
//! 0. If an L3 domain has a read limit, its threads split it by baseline plus proportional and request no
//!    more than that. The same then applies to a node.
//! 1. A link requests min(demand of its threads, link), the local port requests the demand of the node's own
//!    threads. Links that use a shared link are filled evenly up to its capacity and request no more than
//!    that; with several shared links, the smallest value applies.
//! 2. The ports of a controller are filled evenly ([`super::ports`]).
//! 3. Inside a port the threads split by baseline plus proportional.
//! 4. A thread takes the smallest granted / cost over its memories (its cost is the fraction of its data
//!    there, in read-equivalent GB/s).
//!
//! Then threads whose demand is met or that use a full resource are left out, and the next round starts.
//! Rounds end when no thread gains more than a relative [`NOTHING`] of its demand.
//!
//! # Why it ends
//! A thread that takes part uses no full resource. If the only limit of a thread at every resource is
//! bandwidth that others there do not use, the remainder shrinks by a factor in each round. [`MOST_ROUNDS`]
//! is never reached in the property tests. If it were, the answer would be within all limits, and the unused
//! bandwidth would be tiny.
//!
//! # Number of rounds
//! Of the random questions of the property tests, half have one or two rounds, nine of ten at most three, and
//! one of a hundred more than ten. The slow case is a port that can use only a part of its offer while no
//! thread's demand is met and no resource is full: on 4 nodes with 80 flows, a quarter of them interleaved
//! and the others local, each round uses up 28 % of the controllers' remaining bandwidth, and there are 36
//! rounds.
//!
//! # Approach
//! A round walks classes, the groups of a node with equal data placement ([`run`]), and the ports of a node
//! to four memories at a time ([`column`]). If the same port limits all groups of a class, a round is a few
//! values for the class, for any number of groups. If all threads of a port request at least the baseline, as
//! in most rounds after the first, the allocated baselines follow from the number of its threads. Consecutive
//! groups that are each a class keep the ports of their node in registers ([`at_hand`]). An arriving or
//! departing flow is inserted or removed in place (`rounds/rows`), so little is laid out again. We considered
//! leaping over rounds in which the same threads are limited by the same resources: the gains are not quite a
//! geometric series, because the proportional part depends on the remaining demand, and the last resources to
//! fill depend on differences between controllers that shrink more slowly than the rest.

use super::compiled::Shares;
use super::compiled::{Compiled, PoolKind};
use super::ports::Remote;
use super::ports::shared_level;
use rows::AtHand;
use rows::Rows;
use rows::{Bank, Column, split};
use rows::{LANES, lanes};
use run::{Brought, Run, Taker};

mod rows;
mod run;

/// A gain below this fraction of a thread's demand counts as none; a resource with less than this fraction
/// left counts as full.
pub(super) const NOTHING: f64 = 1e-12;
/// Maximum number of rounds of one evaluation.
const MOST_ROUNDS: u32 = 1000;

/// The read limit of an L3 domain or a node in one round; GB/s.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    left: f64,
    /// Demand of its threads, and the part of it below the baseline.
    wanted: f64,
    baseline: f64,
    allocated: f64,
    /// Request of one thread with demand w: min(w, flat + ratio w).
    flat: f64,
    ratio: f64,
    drawn: f64,
    full: bool,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Dealing {
    rows: Rows,
    /// Whether `rows` and the values derived from them match the current flows.
    is_compiled: bool,
    /// The groups that still take part, class by class.
    takers: Vec<Taker>,
    runs: Vec<Run>,
    columns: Vec<Column>,
    banks: Vec<Bank>,
    /// Remaining GB/s of shared links, and of the read limits of L3 domains and nodes.
    shared: Vec<f64>,
    reads: Vec<Reads>,
    /// Per shared link: the level to which it is filled in this round.
    levels: Vec<f64>,
}

impl Dealing {
    /// Notes that the flows have changed.
    pub(super) fn flows_changed(&mut self) {
        self.is_compiled = false;
    }

    /// Notes a new flow on `node`; in sums its position is the end of `is_before`.
    pub(super) fn flow_added(
        &mut self,
        compiled: &Compiled,
        group: u32,
        node: usize,
        is_before: impl Fn(u32) -> bool,
    ) {
        self.is_compiled = self.is_compiled && self.rows.add(compiled, group, node, is_before);
    }

    /// Notes that a flow is gone.
    pub(super) fn flow_removed(&mut self, group: u32) {
        if self.is_compiled {
            self.rows.remove(group);
        }
    }

    /// Whether it is compiled for the current flows.
    pub(super) fn is_compiled(&self) -> bool {
        self.is_compiled
    }

    /// Compiles the current flows, and makes room for their evaluations.
    pub(super) fn compile(&mut self, compiled: &Compiled, remote: Remote) {
        self.rows.compile(compiled);
        self.is_compiled = true;
        self.takers.clear();
        self.takers.reserve(self.rows.groups.len());
        self.runs.clear();
        self.runs.reserve(self.rows.classes.len());
        self.columns.clear();
        self.columns.resize(self.rows.ends.last().copied().unwrap_or(0), Column::new(0.0));
        for (_, p, kind) in compiled.pool_indices() {
            let Some(place) = self.rows.place(rows::number(p)) else { continue };
            let (column, lane) = (&mut self.columns[place.column as usize], place.lane as usize);
            column.inverse_cores = compiled.pools[p].inverse_cores;
            if kind == PoolKind::Link {
                column.capacity[lane] = compiled.pools[p].capacity;
                column.nothing[lane] = NOTHING * compiled.pools[p].capacity;
                (column.cost[lane], column.weight[lane]) = (remote.cost, remote.weight);
            }
        }
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

    /// Shares all resources by rounds: `shares.bandwidth` contains the bandwidth of every thread afterwards.
    pub(super) fn share(
        &mut self,
        compiled: &Compiled,
        remote: Remote,
        controllers: impl Fn(usize, f64) -> f64,
        threads: &[f64],
        shares: &mut Shares,
    ) {
        if !self.is_compiled {
            self.compile(compiled, remote);
        }
        self.begin(compiled, threads);
        shares.bandwidth.as_mut_slice().fill(0.0);
        self.ask(compiled);
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
        let bandwidth = shares.bandwidth.as_mut_slice();
        self.deal(bandwidth);
        let brought = self.take(bandwidth);
        self.go_on(compiled, brought, bandwidth);
    }

    /// Continues after a first round of the plain default, without common limits; `shares.bandwidth` contains
    /// the bandwidth of every thread in that round.
    pub(super) fn resume(&mut self, compiled: &Compiled, threads: &[f64], shares: &mut Shares) {
        if !self.is_compiled {
            self.compile(compiled, Remote::PLAIN);
        }
        self.begin(compiled, threads);
        for (b, bank) in self.banks.iter_mut().enumerate() {
            let memory = |lane: usize| compiled.memories.get(LANES * b + lane);
            bank.left = lanes(|lane| memory(lane).map_or(0.0, |memory| memory.bandwidth));
            bank.nothing = lanes(|lane| NOTHING * bank.left[lane]);
        }
        let bandwidth = shares.bandwidth.as_mut_slice();
        // As if a demand had been met: threads have to be counted.
        let mut brought = Brought { gain: false, served: true };
        self.next_round();
        for run in &mut self.runs {
            run.take_given(&self.rows.blocks, &mut self.takers, &mut self.columns, bandwidth, &mut brought);
        }
        self.go_on(compiled, brought, bandwidth);
    }

    /// Subtracts the traffic of a round with the outcome `brought` from all resources, and distributes the
    /// rest until no thread gains.
    fn go_on(&mut self, compiled: &Compiled, mut brought: Brought, bandwidth: &mut [f64]) {
        for _ in 1..MOST_ROUNDS {
            let full = self.use_up(compiled);
            if brought.served || full {
                self.leave_out(bandwidth);
            }
            if !brought.gain || self.runs.is_empty() {
                break;
            }
            if brought.served || full || !compiled.reads.is_empty() {
                self.ask(compiled);
            } else {
                self.offer(compiled);
            }
            self.deal(bandwidth);
            brought = self.take(bandwidth);
        }
        for run in &mut self.runs {
            run.settle(&mut self.takers, bandwidth);
        }
    }

    /// Starts with all capacities, and all groups with threads taking part.
    fn begin(&mut self, compiled: &Compiled, threads: &[f64]) {
        let demand = compiled.demand_gbs.as_slice();
        self.takers.clear();
        self.runs.clear();
        for class in &self.rows.classes {
            let first = self.takers.len();
            for &group in &self.rows.groups[class.first as usize..class.end as usize] {
                let (threads, left) = (threads[group as usize], demand[group as usize]);
                if threads > 0.0 {
                    self.takers.push(Taker { group, threads, left, nothing: NOTHING * left });
                }
            }
            if self.takers.len() > first {
                self.runs.push(Run::new(*class, &self.takers, first));
            }
        }
        for column in &mut self.columns {
            column.begin();
        }
        for (left, common) in self.shared.iter_mut().zip(&compiled.shared) {
            *left = common.capacity;
        }
        for (reads, common) in self.reads.iter_mut().zip(&compiled.reads) {
            (reads.left, reads.full) = (common.capacity, false);
        }
    }

    /// Steps 0 and 1: the requests of threads and ports.
    fn ask(&mut self, compiled: &Compiled) {
        if !compiled.reads.is_empty() {
            self.ask_of_nodes(compiled);
        }
        let Self { rows, runs, columns, .. } = self;
        for column in columns.iter_mut() {
            column.users = [0.0; LANES];
            column.clear_wants();
        }
        for run in runs.iter() {
            run.add_asks(&rows.blocks, columns);
        }
        self.offer(compiled);
    }

    /// Step 0.
    fn ask_of_nodes(&mut self, compiled: &Compiled) {
        let Self { takers, runs, reads, .. } = self;
        for (reads, common) in reads.iter_mut().zip(&compiled.reads) {
            (reads.wanted, reads.allocated) = (0.0, 0.0);
            reads.baseline = reads.left * common.inverse_cores;
        }
        let (domains, nodes) = (0..compiled.domains, compiled.domains..compiled.reads.len());
        for (level, limits) in
            [domains, nodes].into_iter().enumerate().filter(|(_, limits)| !limits.is_empty())
        {
            for run in runs.iter() {
                if let Some(reads) = reads.get_mut(run.class.reads[level] as usize) {
                    reads.wanted += run.asks * run.class.occupied;
                    for taker in run.takers(takers) {
                        let occupied = run.ask_within(level, taker.left) * run.class.occupied;
                        reads.allocated += taker.threads * occupied.min(reads.baseline);
                    }
                }
            }
            for reads in &mut reads[limits] {
                (reads.flat, reads.ratio) = split(reads.left, reads.wanted, reads.baseline, reads.allocated);
            }
            for run in runs.iter_mut() {
                if let Some(reads) = reads.get(run.class.reads[level] as usize) {
                    run.limit(level, reads.flat / run.class.occupied, reads.ratio, takers);
                }
            }
        }
    }

    /// Step 1 for ports.
    fn offer(&mut self, compiled: &Compiled) {
        let Self { rows, columns, .. } = self;
        for column in columns.iter_mut() {
            column.offer();
        }
        // All levels first: shared links do not see reductions by other shared links.
        for ((level, common), &left) in self.levels.iter_mut().zip(&compiled.shared).zip(&self.shared) {
            let places = common.users.iter().filter_map(|&p| rows.place(p));
            let offered = places.map(|place| columns[place.column as usize].offered[place.lane as usize]);
            *level = shared_level(left, &offered);
        }
        for (&level, common) in self.levels.iter().zip(&compiled.shared) {
            for place in common.users.iter().filter_map(|&p| rows.place(p)) {
                let offered = &mut columns[place.column as usize].offered[place.lane as usize];
                *offered = offered.min(level);
            }
        }
    }

    /// Steps 2 and 3: the treatment of its threads' demands by every port.
    fn deal(&mut self, bandwidth: &mut [f64]) {
        let Self { rows, takers, runs, columns, banks, reads, .. } = self;
        for bank in banks.iter() {
            bank.fill(columns);
        }
        let are_limited = !reads.is_empty();
        let mut are_plain = true;
        for column in columns.iter_mut() {
            are_plain &= column.allocate(are_limited);
        }
        if !are_plain {
            for run in runs.iter_mut() {
                run.add_baselines(&rows.blocks, takers, columns, bandwidth);
            }
        }
        for column in columns.iter_mut() {
            column.split();
        }
    }

    /// Step 4: takes the traffic of the threads, and starts the next round with their remaining demand.
    fn take(&mut self, bandwidth: &mut [f64]) -> Brought {
        self.next_round();
        let Self { rows, takers, runs, columns, reads, .. } = self;
        let mut brought = Brought::default();
        let mut at_hand = AtHand::NONE;
        for run in runs.iter_mut() {
            if let Some(block) = run.alone(&rows.blocks) {
                at_hand.reach(block.column, columns);
                run.take_alone(block, &mut at_hand, takers, bandwidth, &mut brought);
                continue;
            }
            at_hand.give_back(columns);
            let drawn = run.take(&rows.blocks, takers, columns, bandwidth, &mut brought);
            for limit in run.class.reads {
                if let Some(reads) = reads.get_mut(limit as usize) {
                    reads.drawn += drawn * run.class.occupied;
                }
            }
        }
        at_hand.give_back(columns);
        brought
    }

    /// Resets the traffic, and the demand of the round after that.
    fn next_round(&mut self) {
        for column in &mut self.columns {
            column.clear_wants();
            column.drawn = [0.0; LANES];
        }
        for reads in &mut self.reads {
            reads.drawn = 0.0;
        }
    }

    /// Subtracts the traffic from all resources. Returns whether a resource became full.
    fn use_up(&mut self, compiled: &Compiled) -> bool {
        let Self { rows, columns, banks, .. } = self;
        let mut is_new = false;
        for bank in banks {
            is_new |= bank.use_up(columns);
        }
        for (left, common) in self.shared.iter_mut().zip(&compiled.shared) {
            let places = || common.users.iter().filter_map(|&p| rows.place(p));
            let drawn = |place: &rows::Place| columns[place.column as usize].drawn[place.lane as usize];
            *left -= places().map(drawn).sum::<f64>();
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

    /// Leaves out the classes that use a full resource or whose demand is met.
    fn leave_out(&mut self, bandwidth: &mut [f64]) {
        let Self { rows, takers, runs, columns, reads, .. } = self;
        runs.retain_mut(|run| {
            let mut blocks = run.blocks(&rows.blocks).iter();
            let full = blocks.any(|block| block.used & columns[block.column as usize].full != 0)
                || run
                    .class
                    .reads
                    .iter()
                    .any(|&limit| reads.get(limit as usize).is_some_and(|reads| reads.full));
            if full {
                run.settle(takers, bandwidth);
            }
            !full && !run.is_empty()
        });
    }
}
