//! What nobody could use is dealt again: the default where threads read several memories or limits are shared.
//!
//! # Rules
//! One round, for the threads that still take part and what is left of everything:
//! 0. Where a node can only read so much, its threads split that by baseline plus proportional; nobody wants more.
//! 1. A link asks for min(what its threads want, link), the local port for what the node's own threads want. Links that use
//!    a shared link are filled evenly up to its capacity and ask for no more than that; in several, the smallest.
//! 2. The ports of a controller are filled evenly ([`super::ports`]).
//! 3. Inside a port the threads split by baseline plus proportional.
//! 4. A thread takes the smallest granted / cost over its memories (its cost is the fraction of its data there, in GB/s of reads).
//!
//! Then those are left out who have all they want or use something that is full, and the next round begins. It ends where
//! no thread gains more than a relative [`NOTHING`] of what it wants.
//!
//! # Why it ends
//! A thread that takes part uses nothing that is full. If some thread is held back at every resource only by what others there
//! do not use, what is left of it shrinks by a factor in each round. [`MOST_ROUNDS`] is never met in the property tests; should
//! it be, the answer is within all limits, and what is left unused is tiny.

use super::compiled::{Compiled, PoolKind};
use super::ports::{level, shared_level};
use super::remote::Remote;
use super::shares::Shares;
use super::split::Split;

/// A gain below this part of what a thread wants is none; what is left of a resource below this part is nothing.
pub(super) const NOTHING: f64 = 1e-12;
/// Rounds of one evaluation at most.
const MOST_ROUNDS: u32 = 1000;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Dealing {
    /// Groups that still take part.
    active: Vec<u32>,
    /// Per group: GB/s that one thread still wants.
    left: Vec<f64>,
    /// Per group: GB/s that one thread asks for in this round; 0 for those who do not take part.
    ask: Vec<f64>,
    /// Per group: GB/s that one thread takes in this round.
    gain: Vec<f64>,
    /// Per group: whether it uses something that is full.
    stopped: Vec<bool>,
    /// Per pool: GB/s that its threads want, and that it asks its controller for, in this round.
    wanted: Vec<f64>,
    offered: Vec<f64>,
    /// GB/s left of controllers, pools that are links, shared links, and what nodes read.
    controllers: Vec<f64>,
    links: Vec<f64>,
    shared: Vec<f64>,
    reads: Vec<f64>,
    /// Per shared link: up to where it is filled in this round.
    levels: Vec<f64>,
}

impl Dealing {
    /// Makes room for the evaluations of `compiled`.
    pub(super) fn make_room(&mut self, compiled: &Compiled) {
        let (groups, pools) = (compiled.demand_gbs.as_slice().len(), compiled.pools.len());
        self.active.reserve(groups);
        for of_group in [&mut self.left, &mut self.ask, &mut self.gain] {
            of_group.resize(groups, 0.0);
        }
        self.stopped.resize(groups, false);
        for of_pool in [&mut self.wanted, &mut self.offered, &mut self.links] {
            of_pool.resize(pools, 0.0);
        }
        self.controllers.resize(compiled.memories.len(), 0.0);
        self.reads.resize(compiled.reads.len(), 0.0);
        for of_shared in [&mut self.shared, &mut self.levels] {
            of_shared.resize(compiled.shared.len(), 0.0);
        }
    }

    /// Shares everything by rounds: `shares.bandwidth` has what every thread gets.
    pub(super) fn share(
        &mut self,
        compiled: &Compiled,
        remote: Remote,
        controllers: impl Fn(usize, f64) -> f64,
        threads: &[f64],
        shares: &mut Shares,
    ) {
        self.begin(compiled, threads, shares);
        self.ask(compiled, threads);
        for (m, memory) in compiled.memories.iter().enumerate() {
            let own = memory.own.map_or(0.0, |own| self.offered[own]);
            let asked = own + remote.cost * self.offered[memory.links.clone()].iter().sum::<f64>();
            self.controllers[m] = controllers(m, asked);
        }
        shares.wanted.copy_from_slice(&self.wanted);
        shares.offered.copy_from_slice(&self.offered);
        if !shares.controllers.is_empty() {
            shares.controllers.copy_from_slice(&self.controllers);
        }
        self.deal(compiled, remote, threads);
        self.go_on(compiled, remote, threads, shares);
    }

    /// Goes on after a first round of the plain default, without common limits, that left in `shares.bandwidth` what every
    /// thread takes.
    pub(super) fn resume(&mut self, compiled: &Compiled, threads: &[f64], shares: &mut Shares) {
        self.gain.copy_from_slice(shares.bandwidth.as_slice());
        self.begin(compiled, threads, shares);
        for (left, memory) in self.controllers.iter_mut().zip(&compiled.memories) {
            *left = memory.bandwidth;
        }
        self.go_on(compiled, Remote::PLAIN, threads, shares);
    }

    /// Takes what has been dealt, and deals what is left, until nobody gains.
    fn go_on(&mut self, compiled: &Compiled, remote: Remote, threads: &[f64], shares: &mut Shares) {
        self.take(compiled, remote, threads, shares);
        for _ in 1..MOST_ROUNDS {
            if !self.is_unfinished(compiled, shares) {
                return;
            }
            self.ask(compiled, threads);
            self.deal(compiled, remote, threads);
            self.take(compiled, remote, threads, shares);
        }
    }

    /// Everything is left, and all who have threads take part.
    fn begin(&mut self, compiled: &Compiled, threads: &[f64], shares: &mut Shares) {
        self.left.copy_from_slice(compiled.demand_gbs.as_slice());
        self.stopped.fill(false);
        self.active.clear();
        let groups = threads.iter().enumerate().filter(|(_, count)| **count > 0.0);
        self.active.extend(groups.map(|(group, _)| u32::try_from(group).unwrap_or(u32::MAX)));
        for (left, pool) in self.links.iter_mut().zip(&compiled.pools) {
            *left = pool.capacity;
        }
        for (left, common) in self.shared.iter_mut().zip(&compiled.shared) {
            *left = common.capacity;
        }
        for (left, common) in self.reads.iter_mut().zip(&compiled.reads) {
            *left = common.capacity;
        }
        shares.bandwidth.as_mut_slice().fill(0.0);
    }

    /// Steps 0 and 1: what threads and ports ask for.
    fn ask(&mut self, compiled: &Compiled, threads: &[f64]) {
        self.ask.fill(0.0);
        for &group in &self.active {
            self.ask[group as usize] = self.left[group as usize];
        }
        let occupied = compiled.occupied.as_slice();
        for (common, &left) in compiled.reads.iter().zip(&self.reads) {
            let split = {
                let ask = |g: usize| self.ask[g] * occupied[g];
                let takers = common.users.iter().map(|&g| (threads[g as usize], ask(g as usize)));
                (takers.clone().map(|(count, ask)| count * ask).sum::<f64>() > left)
                    .then(|| Split::new(left, common.inverse_cores, takers))
            };
            if let Some(split) = split {
                for group in common.users.iter().map(|&group| group as usize) {
                    let ask = &mut self.ask[group];
                    *ask = split.granted(*ask * occupied[group]) / occupied[group];
                }
            }
        }
        for (m, memory) in compiled.memories.iter().enumerate() {
            for p in memory.links.clone() {
                self.wanted[p] = self.wanted_by(compiled, p, threads);
                self.offered[p] = self.wanted[p].min(self.links[p]);
            }
            if let Some(own) = compiled.memories[m].own {
                self.wanted[own] = self.wanted_by(compiled, own, threads);
                self.offered[own] = self.wanted[own];
            }
        }
        // All levels first: no shared link sees what another one has cut.
        for ((level, common), &left) in self.levels.iter_mut().zip(&compiled.shared).zip(&self.shared) {
            *level = shared_level(left, &common.users.iter().map(|&p| self.offered[p as usize]));
        }
        for (&level, common) in self.levels.iter().zip(&compiled.shared) {
            for &p in &common.users {
                let offered = &mut self.offered[p as usize];
                *offered = offered.min(level);
            }
        }
    }

    fn wanted_by(&self, compiled: &Compiled, pool: usize, threads: &[f64]) -> f64 {
        compiled.flows[compiled.pools[pool].flows.clone()]
            .iter()
            .map(|flow| threads[flow.group as usize] * (self.ask[flow.group as usize] * flow.cost))
            .sum()
    }

    /// Steps 2 to 4: what every thread takes.
    fn deal(&mut self, compiled: &Compiled, remote: Remote, threads: &[f64]) {
        self.gain.copy_from_slice(&self.ask);
        for (m, memory) in compiled.memories.iter().enumerate() {
            let own = memory.own.map_or(0.0, |own| self.offered[own]);
            let level = level(self.controllers[m], own, &self.offered[memory.links.clone()], remote);
            for p in memory.links.clone() {
                self.split(compiled, p, self.offered[p].min(level * remote.weight), threads);
            }
            if let Some(own) = memory.own {
                self.split(compiled, own, self.offered[own].min(level), threads);
            }
        }
    }

    /// Steps 3 and 4 for a port that has `granted` GB/s.
    fn split(&mut self, compiled: &Compiled, pool: usize, granted: f64, threads: &[f64]) {
        if self.wanted[pool] <= granted {
            return;
        }
        let Self { ask, gain, .. } = self;
        let flows = &compiled.flows[compiled.pools[pool].flows.clone()];
        let takers =
            flows.iter().map(|flow| (threads[flow.group as usize], ask[flow.group as usize] * flow.cost));
        let split = Split::new(granted, compiled.pools[pool].inverse_cores, takers);
        for flow in flows {
            let group = flow.group as usize;
            let granted = split.granted(ask[group] * flow.cost);
            gain[group] = gain[group].min(granted * flow.inverse_cost);
        }
    }

    /// Takes from everything what the threads take, and finds who uses something that is full.
    fn take(&mut self, compiled: &Compiled, remote: Remote, threads: &[f64], shares: &mut Shares) {
        for &group in &self.active {
            let group = group as usize;
            // Rounding may leave a little more than the rest.
            let gain = self.gain[group].min(self.left[group]);
            self.gain[group] = gain;
            self.left[group] -= gain;
            shares.bandwidth[group] += gain;
        }
        for (m, memory) in compiled.memories.iter().enumerate() {
            let mut drawn = 0.0;
            for p in memory.links.clone() {
                let through = compiled.drawn(p, threads, &self.gain);
                self.links[p] -= through;
                drawn += remote.cost * through;
            }
            if let Some(own) = memory.own {
                drawn += compiled.drawn(own, threads, &self.gain);
            }
            self.controllers[m] -= drawn;
        }
        for (left, common) in self.shared.iter_mut().zip(&compiled.shared) {
            let drawn_by = |&p: &u32| compiled.drawn(p as usize, threads, &self.gain);
            *left -= common.users.iter().map(drawn_by).sum::<f64>();
        }
        for (left, common) in self.reads.iter_mut().zip(&compiled.reads) {
            let occupied = compiled.occupied.as_slice();
            let of = |&group: &u32| {
                let group = group as usize;
                threads[group] * (self.gain[group] * occupied[group])
            };
            *left -= common.users.iter().map(of).sum::<f64>();
        }
    }

    /// Leaves out who is done; whether somebody is left, and somebody gained something.
    fn is_unfinished(&mut self, compiled: &Compiled, shares: &Shares) -> bool {
        let is_nothing = |left: f64, capacity: f64| left <= NOTHING * capacity;
        for (m, p, kind) in compiled.pool_indices() {
            let controller = compiled.memories[m].bandwidth;
            let controller = shares.controllers.get(m).copied().unwrap_or(controller);
            let full = is_nothing(self.controllers[m], controller)
                || (kind == PoolKind::Link && is_nothing(self.links[p], compiled.pools[p].capacity));
            if full {
                stop(compiled, p, &mut self.stopped);
            }
        }
        for (&left, common) in self.shared.iter().zip(&compiled.shared) {
            if is_nothing(left, common.capacity) {
                common.users.iter().for_each(|&p| stop(compiled, p as usize, &mut self.stopped));
            }
        }
        for (&left, common) in self.reads.iter().zip(&compiled.reads) {
            if is_nothing(left, common.capacity) {
                common.users.iter().for_each(|&group| self.stopped[group as usize] = true);
            }
        }
        let Self { active, left, gain, stopped, .. } = self;
        let demand = compiled.demand_gbs.as_slice();
        let gained = active.iter().any(|&group| gain[group as usize] > NOTHING * demand[group as usize]);
        active.retain(|&group| {
            let group = group as usize;
            !stopped[group] && !is_nothing(left[group], demand[group])
        });
        gained && !active.is_empty()
    }
}

fn stop(compiled: &Compiled, pool: usize, stopped: &mut [bool]) {
    for flow in &compiled.flows[compiled.pools[pool].flows.clone()] {
        stopped[flow.group as usize] = true;
    }
}
