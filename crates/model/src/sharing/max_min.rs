//! The model `max-min`: all rates rise together until a resource is full.
//!
//! # Rules
//! Progressive filling. Resources: memory controllers, links, shared links and the reads of a node. Every
//! thread's rate rises at the same pace. A thread stops when its demand is met (its core is the resource) or
//! when a resource that it uses is full. It uses its rate times the fraction of its data on a memory of the
//! controller, and of the link to it: a thread with data on several nodes has one rate, and takes no more
//! anywhere than it can process.
//!
//! Rates are compared in read-equivalent GB/s ([`crate::Node::occupied_by`]): a thread whose GB/s consume
//! more rises more slowly.
//!
//! The result is the only one in which no thread's rate can be raised without lowering the rate of a thread
//! that has no more (max-min fairness, Bertsekas and Gallager, "Data Networks", section 6.5).
//!
//! With a remote weight w, a thread's pace is the mean over its data of 1 (local) and w (remote); with a
//! remote loss, a remote GB/s takes 1 + loss of the controller.
//!
//! A thread that writes several copies of replicated data has one rate, in which its bytes count once.
//!
//! # Source
//! SimGrid's default for flows on networks. In the paper's scenarios with local data and in Table III its
//! answers equal those of the default. In the NUMA-bad scenario of 138.75 GFLOPS it yields 137.14, because
//! the home node's threads are outvoted.

use super::compiled::Shares;
use super::compiled::{Compiled, PoolKind};
use super::ports::Remote;

/// One resource that a group uses.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// Number of a memory; the numbers after the memories are pools that are links, shared links, and reads
    /// of nodes.
    resource: u32,
    /// GB/s of the resource per GB/s of a thread.
    part: f64,
}

/// The resources that each group uses, compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    uses: Vec<Use>,
    /// Per group: the start of its uses; one more entry at the end.
    starts: Vec<u32>,
    /// Per group: the pace at which its rate rises.
    pace: Vec<f64>,
    resources: usize,
    /// Per group: its uses during compilation.
    of_group: Vec<Vec<Use>>,
}

/// Working memory of one filling.
#[derive(Clone, Debug, Default)]
pub(super) struct Filling {
    resources: Vec<Resource>,
    /// Groups whose rate is still rising.
    rising: Vec<u32>,
    /// Resources that a rising group uses.
    used: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Resource {
    /// GB/s not taken by groups that stopped.
    left: f64,
    /// GB/s that the rising groups take per unit of the level.
    pace: f64,
    /// Number of rising groups.
    rising: u32,
}

impl Paths {
    /// Compiles the paths of every group.
    pub(super) fn new(remote: Remote, compiled: &Compiled) -> Self {
        let mut paths = Self::default();
        paths.compile(remote, compiled);
        paths
    }

    /// Compiles them again, in the same memory.
    pub(super) fn compile(&mut self, remote: Remote, compiled: &Compiled) {
        let Self { uses: all, starts, pace, resources, of_group } = self;
        let (groups, memories) = (compiled.demand_gbs.as_slice().len(), compiled.memories.len());
        of_group.iter_mut().for_each(Vec::clear);
        of_group.resize(groups, Vec::new());
        pace.clear();
        pace.resize(groups, 0.0);
        let occupied = compiled.occupied.as_slice();
        let shared_links = memories + compiled.pools.len();
        let reads = shared_links + compiled.shared.len();
        let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        for (m, memory) in compiled.memories.iter().enumerate() {
            let links = memory.links.clone().map(|p| (p, PoolKind::Link));
            for (p, kind) in links.chain(memory.own.map(|p| (p, PoolKind::Own))) {
                for flow in &compiled.flows[compiled.pools[p].flows.clone()] {
                    let cost = 1.0 / flow.inverse_cost;
                    let uses = &mut of_group[flow.group as usize];
                    let (loss, weight) = match kind {
                        PoolKind::Own => (1.0, 1.0),
                        PoolKind::Link => (remote.cost, remote.weight),
                    };
                    uses.push(Use { resource: number(m), part: cost * loss });
                    if kind == PoolKind::Link {
                        uses.push(Use { resource: number(memories + p), part: cost });
                        let shared = compiled.shared.iter().enumerate();
                        let used = shared.filter(|(_, shared)| shared.users.contains(&number(p)));
                        uses.extend(
                            used.map(|(s, _)| Use { resource: number(shared_links + s), part: cost }),
                        );
                    }
                    pace[flow.group as usize] += cost * weight;
                }
            }
        }
        for (r, limit) in compiled.reads.iter().enumerate() {
            for &group in &limit.users {
                of_group[group as usize]
                    .push(Use { resource: number(reads + r), part: occupied[group as usize] });
            }
        }
        // Fractions may sum to 1 only within rounding errors; without a weight all threads rise at the same
        // pace.
        if remote.weight == 1.0 {
            pace.copy_from_slice(occupied);
        }
        // The pace of the read-equivalent rate is `pace / occupied`: all threads consume equally, whatever
        // the factor of their kernel. Bytes that go to several copies count once.
        for (group, (pace, occupied)) in pace.iter_mut().zip(occupied).enumerate() {
            *pace = *pace / (occupied * occupied) * compiled.moved(group);
        }
        starts.clear();
        starts.push(0);
        all.clear();
        for uses in of_group.iter() {
            all.extend_from_slice(uses);
            starts.push(number(all.len()));
        }
        *resources = reads + compiled.reads.len();
    }

    /// Makes room for the notes.
    pub(super) fn make_room(&self, filling: &mut Filling) {
        filling.resources.resize(self.resources, Resource::default());
        filling.rising.reserve(self.pace.len());
        filling.used.reserve(self.resources);
    }

    fn of(&self, group: u32) -> &[Use] {
        &self.uses[self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }
}

/// Fills all rates: `shares.bandwidth` contains the demand of every thread before, and its rate after.
pub(super) fn share(
    compiled: &Compiled,
    paths: &Paths,
    threads: &[f64],
    shares: &mut Shares,
    filling: &mut Filling,
) {
    begin(compiled, paths, threads, shares, filling);
    fill(paths, threads, shares.bandwidth.as_mut_slice(), filling);
    report(compiled, threads, shares);
}

/// No group has any bandwidth, and all groups with threads rise.
fn begin(compiled: &Compiled, paths: &Paths, threads: &[f64], shares: &Shares, filling: &mut Filling) {
    let memories = compiled.memories.len();
    for (m, resource) in filling.resources[..memories].iter_mut().enumerate() {
        *resource = Resource { left: shares.controllers[m], ..Resource::default() };
    }
    let links = compiled.pools.iter().map(|pool| pool.capacity);
    let common = compiled.shared.iter().chain(&compiled.reads).map(|common| common.capacity);
    for (resource, left) in filling.resources[memories..].iter_mut().zip(links.chain(common)) {
        *resource = Resource { left, ..Resource::default() };
    }
    filling.rising.clear();
    filling.used.clear();
    for (group, &count) in threads.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let group = u32::try_from(group).unwrap_or(u32::MAX);
        filling.rising.push(group);
        let pace = count * paths.pace[group as usize];
        for one in paths.of(group) {
            let resource = &mut filling.resources[one.resource as usize];
            if resource.rising == 0 {
                filling.used.push(one.resource);
            }
            resource.rising += 1;
            resource.pace += pace * one.part;
        }
    }
}

/// Raises the level until no group rises.
fn fill(paths: &Paths, threads: &[f64], bandwidth: &mut [f64], filling: &mut Filling) {
    let Filling { resources, rising, used } = filling;
    let mut level = 0.0_f64;
    while !rising.is_empty() {
        used.retain(|&r| resources[r as usize].rising > 0);
        let full_at = |r: &u32| resources[*r as usize].left / resources[*r as usize].pace;
        let next_full = used.iter().map(full_at).fold(f64::INFINITY, f64::min);
        let content_at = |group: &u32| bandwidth[*group as usize] / paths.pace[*group as usize];
        let next_content = rising.iter().map(content_at).fold(f64::INFINITY, f64::min);
        // Rounding may make a resource seem full slightly earlier than those before it.
        level = level.max(next_full.min(next_content));
        // Slightly above the level, so that rounding does not prevent the group that sets it from stopping.
        let reached = level * (1.0 + 4.0 * f64::EPSILON);
        let full = |r: u32, resources: &[Resource]| {
            let resource = &resources[r as usize];
            resource.left <= resource.pace * reached
        };
        // First the groups that stop, then the effect: the set of stopping groups must not depend on their
        // order.
        let mut kept = 0;
        let mut stopped = rising.len();
        while kept < stopped {
            let group = rising[kept];
            let stops = bandwidth[group as usize] <= reached * paths.pace[group as usize]
                || paths.of(group).iter().any(|one| full(one.resource, resources));
            if stops {
                stopped -= 1;
                rising.swap(kept, stopped);
            } else {
                kept += 1;
            }
        }
        if kept == rising.len() {
            kept = 0; // Never reached, because the group that set the level stops; all would stop within limits.
        }
        for &group in &rising[kept..] {
            let g = group as usize;
            let rate = bandwidth[g].min(level * paths.pace[g]);
            bandwidth[g] = rate;
            let count = threads[g];
            for one in paths.of(group) {
                let resource = &mut resources[one.resource as usize];
                resource.left = (resource.left - count * rate * one.part).max(0.0);
                resource.pace = (resource.pace - count * paths.pace[g] * one.part).max(0.0);
                resource.rising -= 1;
            }
        }
        rising.truncate(kept);
    }
}

/// Traffic of the rates on each pool.
fn report(compiled: &Compiled, threads: &[f64], shares: &mut Shares) {
    for (p, pool) in compiled.pools.iter().enumerate() {
        let mut taken = 0.0;
        for f in pool.flows.clone() {
            let flow = &compiled.flows[f];
            let rate = shares.bandwidth[flow.group as usize];
            let granted = (rate / flow.inverse_cost).min(flow.demand_gbs);
            shares.granted[f] = granted;
            taken += threads[flow.group as usize] * granted;
        }
        shares.available[p] = taken;
    }
}
