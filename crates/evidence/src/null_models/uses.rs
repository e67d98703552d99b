//! Which threads use which resource, and how much of it.

use std::collections::BTreeMap;

use numasim_model::{AppId, Demand, Machine, NodeId};

/// What threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The memory controller of a node.
    Controller(NodeId),
    /// The link on which cores of the first node read the memory of the second one.
    Link(NodeId, NodeId),
    /// A direction of a shared link, by its place in [`Machine::shared_directions`].
    SharedLink(usize),
    /// What all cores of a node can read together.
    NodeRead(NodeId),
}

impl Resource {
    /// For people.
    pub fn in_words(self) -> String {
        match self {
            Self::Controller(node) => format!("controller of node {}", node.0),
            Self::Link(from, to) => format!("link from node {} to node {}", from.0, to.0),
            Self::SharedLink(place) => format!("direction {place} of the shared links"),
            Self::NodeRead(node) => format!("reads of node {}", node.0),
        }
    }
}

/// How far threads want more than there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contention {
    /// Demand / capacity of the resource where it is largest: above 1 somebody must have less than without sharing.
    pub ratio: f64,
    /// That resource.
    pub resource: Resource,
}

/// The threads of one application on one node, which are equal.
pub(super) struct Group {
    pub(super) app: AppId,
    pub(super) threads: u32,
    /// GB/s that one of them digests and its core can draw.
    demand_gbs: f64,
    /// FLOP per byte.
    intensity: f64,
    /// GFLOPS of a core.
    peak: f64,
    /// What one GB/s of a thread takes of each resource, GB/s, and the resource's capacity, GB/s.
    takes: Vec<(Resource, f64, f64)>,
}

impl Group {
    pub(super) fn new(machine: &Machine, demand: &Demand, app: AppId, from: NodeId, threads: u32) -> Self {
        let node = machine.node(from);
        let mut takes = Vec::new();
        let mut read = 0.0;
        for memory in demand.placement.read_from(machine, from) {
            let cost = demand.cost(machine, from, memory);
            read += cost;
            takes.push((Resource::Controller(memory), cost, machine.node(memory).bandwidth.value()));
            if let Some(link) = machine.link(from, memory) {
                takes.push((Resource::Link(from, memory), cost, link.value()));
            }
            for (place, direction) in machine.shared_directions().enumerate() {
                if direction.carries(from, memory) {
                    takes.push((Resource::SharedLink(place), cost, direction.link.bandwidth.value()));
                }
            }
        }
        if let Some(limit) = node.read_bandwidth {
            takes.push((Resource::NodeRead(from), read, limit.value()));
        }
        Self {
            app,
            threads,
            demand_gbs: node.demand_of_thread(demand.arithmetic_intensity).value(),
            intensity: demand.arithmetic_intensity.value(),
            peak: node.gflops_per_core.value(),
            takes: summed(takes),
        }
    }

    /// GB/s of one thread with the machine to itself.
    pub(super) fn alone_gbs(&self) -> f64 {
        let most = self.takes.iter().map(|&(_, cost, capacity)| capacity / cost);
        most.fold(self.demand_gbs, f64::min)
    }

    /// GFLOPS of one thread that draws `gbs`.
    pub(super) fn gflops(&self, gbs: f64) -> f64 {
        (gbs * self.intensity).min(self.peak)
    }
}

/// A resource once: memories behind one shared link are one use of it.
fn summed(takes: Vec<(Resource, f64, f64)>) -> Vec<(Resource, f64, f64)> {
    let mut sums: BTreeMap<Resource, (f64, f64)> = BTreeMap::new();
    for (resource, cost, capacity) in takes {
        sums.entry(resource).or_insert((0.0, capacity)).0 += cost;
    }
    sums.into_iter()
        .filter(|(_, (cost, _))| *cost > 0.0)
        .map(|(r, (cost, capacity))| (r, cost, capacity))
        .collect()
}

/// How many threads use each resource.
pub(super) struct Uses {
    threads: BTreeMap<Resource, f64>,
}

impl Uses {
    pub(super) fn new(groups: &[Group]) -> Self {
        let mut threads = BTreeMap::new();
        for group in groups {
            for &(resource, ..) in &group.takes {
                *threads.entry(resource).or_insert(0.0) += f64::from(group.threads);
            }
        }
        Self { threads }
    }

    /// GB/s of a thread of `group` with its part of each resource.
    pub(super) fn equal_part_gbs(&self, group: &Group) -> f64 {
        let part = |&(resource, cost, capacity): &(Resource, f64, f64)| {
            capacity / self.threads.get(&resource).copied().unwrap_or(1.0) / cost
        };
        group.takes.iter().map(part).fold(f64::INFINITY, f64::min)
    }
}

/// The largest demand / capacity, the first of equals; `None` without threads.
pub(super) fn contention(groups: &[Group]) -> Option<Contention> {
    let mut ratios: BTreeMap<Resource, f64> = BTreeMap::new();
    for group in groups {
        let wanted = f64::from(group.threads) * group.alone_gbs();
        for &(resource, cost, capacity) in &group.takes {
            *ratios.entry(resource).or_insert(0.0) += wanted * cost / capacity;
        }
    }
    let most = ratios.into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.map(|(resource, ratio)| Contention { ratio, resource })
}
