//! What threads may ask of something that several links lead to: at most so much, wherever they are.

use crate::ids::NodeId;
use crate::sharing::compiled::{Compiled, Flow, PoolKind};

/// The most threads that there may be.
#[derive(Clone, Copy, Debug)]
pub struct MostThreads<'a> {
    /// Of each application on the whole machine.
    pub on_machine: &'a [u32],
    /// Of each application on each node: `on_node[node * applications + application]`.
    pub on_node: &'a [u32],
}

/// Threads of one node that read one memory.
#[derive(Clone, Debug)]
struct Link {
    from: NodeId,
    /// GB/s; infinite for the threads of the memory's own node.
    capacity: f64,
    /// Cores of the node: the most threads.
    cores: f64,
    wants: Vec<Want>,
}

/// What threads of one application want through a link.
#[derive(Clone, Copy, Debug)]
struct Want {
    app: usize,
    /// What one of them wants to occupy, GB/s.
    of_one: f64,
    /// All of them together no more than this, GB/s.
    together: f64,
}

impl Want {
    fn of(self, threads: f64) -> f64 {
        (threads * self.of_one).min(self.together)
    }
}

/// Links that lead to the same, and what is asked through them.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The node whose threads are known.
    here: NodeId,
    links: Vec<Link>,
    /// Per application: what so many of its threads elsewhere ask through all of them at most, from none on; GB/s.
    of_many: Vec<Vec<f64>>,
}

impl Asked {
    /// What is asked through these `pools`; the threads on `here` are known.
    pub(super) fn new(compiled: &Compiled, pools: impl Iterator<Item = usize>, here: NodeId) -> Self {
        Self::with_wants(compiled, pools, here, |flow| (flow.demand_gbs, f64::INFINITY))
    }

    /// What can be drawn through them in the end: who reads several memories is held back by the narrowest way to any of them.
    pub(super) fn drawn(compiled: &Compiled, pools: impl Iterator<Item = usize>, here: NodeId) -> Self {
        let together = |flow: &Flow| most_moved(compiled, flow.group) * flow.cost;
        Self::with_wants(compiled, pools, here, |flow| (flow.demand_gbs, together(flow)))
    }

    /// What would be occupied through them if each thread occupied one GB/s in all, whatever links let through.
    pub(super) fn at_pace(compiled: &Compiled, pools: impl Iterator<Item = usize>, here: NodeId) -> Self {
        Self::through(compiled, pools, here, |_| f64::INFINITY, |flow| (compiled.pace(flow), f64::INFINITY))
    }

    /// Through the links of these pools, each as wide as it is.
    fn with_wants(
        compiled: &Compiled,
        pools: impl Iterator<Item = usize>,
        here: NodeId,
        wants: impl Fn(&Flow) -> (f64, f64),
    ) -> Self {
        let own = |pool: usize| compiled.memories.iter().any(|memory| memory.own == Some(pool));
        let width = |pool: usize| if own(pool) { f64::INFINITY } else { compiled.pools[pool].capacity };
        Self::through(compiled, pools, here, width, wants)
    }

    /// `width`: GB/s that a pool lets through; `wants`: what one thread of a flow wants, and all of them together at most, GB/s.
    fn through(
        compiled: &Compiled,
        pools: impl Iterator<Item = usize>,
        here: NodeId,
        width: impl Fn(usize) -> f64,
        wants: impl Fn(&Flow) -> (f64, f64),
    ) -> Self {
        let link = |p: usize| {
            let pool = &compiled.pools[p];
            let flows = compiled.flows[pool.flows.clone()].iter();
            Link {
                from: pool.from,
                capacity: width(p),
                cores: pool.inverse_cores.recip(),
                wants: flows
                    .map(|flow| {
                        let (of_one, together) = wants(flow);
                        Want { app: compiled.app_of(flow), of_one, together }
                    })
                    .collect(),
            }
        };
        let links: Vec<Link> = pools.map(link).filter(|link| !link.wants.is_empty()).collect();
        let (apps, nodes) = (compiled.intensity.len(), compiled.memories.len());
        let of_many = (0..apps).map(|app| of_many(&links, here, nodes, app)).collect();
        Self { here, links, of_many }
    }

    /// The most that is asked, GB/s, where `threads` of each application are on the node that is known.
    pub(super) fn at_most(&self, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let elsewhere = |app: usize| most.on_machine[app].saturating_sub(threads[app]);
        let asked = |link: &Link| -> f64 {
            let on_node = |app: usize| most.on_node[link.from.0 * threads.len() + app];
            let threads_of = |app: usize| {
                if link.from == self.here { threads[app] } else { elsewhere(app).min(on_node(app)) }
            };
            let wants: f64 = link.wants.iter().map(|want| want.of(f64::from(threads_of(want.app)))).sum();
            let hungriest = link.wants.iter().map(|want| want.of_one).fold(0.0, f64::max);
            wants.min(link.cores * hungriest).min(link.capacity)
        };
        let through = |here: bool| -> f64 {
            self.links.iter().filter(|link| (link.from == self.here) == here).map(asked).sum()
        };
        let of_app = |(app, of_many): (usize, &Vec<f64>)| {
            let threads = elsewhere(app) as usize;
            of_many.get(threads).or(of_many.last()).copied().unwrap_or(0.0)
        };
        let together: f64 = self.of_many.iter().enumerate().map(of_app).sum();
        through(true) + through(false).min(together)
    }
}

/// The most that threads of a group can move, GB/s: what the narrowest of their ways lets through.
fn most_moved(compiled: &Compiled, group: u32) -> f64 {
    let ways = compiled.pool_indices().filter_map(|(m, p, kind)| {
        let flow = compiled.flows[compiled.pools[p].flows.clone()].iter().find(|flow| flow.group == group)?;
        let controller = compiled.memories[m].bandwidth;
        let way = match kind {
            PoolKind::Own => controller,
            PoolKind::Link => {
                let shared = compiled.shared_by(p).map(|shared| shared.capacity);
                shared.fold(controller.min(compiled.pools[p].capacity), f64::min)
            }
        };
        Some(way * flow.inverse_cost)
    });
    ways.fold(f64::INFINITY, f64::min)
}

/// What 0, 1, 2... threads of an application on nodes other than `here` ask through these links at most, GB/s; beyond the last no more.
///
/// Each thread is on one node only. One more on the same node asks for no more than the one before, as the links of the node let through so
/// much and no more: so the largest of all that one more can ask for come first.
fn of_many(links: &[Link], here: NodeId, nodes: usize, app: usize) -> Vec<f64> {
    let mut more: Vec<f64> = Vec::new();
    for from in (0..nodes).map(NodeId).filter(|&from| from != here) {
        let of_node: Vec<(&Link, &Want)> = links
            .iter()
            .filter(|link| link.from == from)
            .flat_map(|link| link.wants.iter().filter(|want| want.app == app).map(move |want| (link, want)))
            .collect();
        let asked = |threads: f64| -> f64 {
            of_node.iter().map(|(link, want)| want.of(threads).min(link.capacity)).sum()
        };
        let mut threads = 0.0;
        while of_node.first().is_some_and(|(link, _)| threads < link.cores) {
            let one_more = asked(threads + 1.0) - asked(threads);
            if one_more <= 0.0 {
                break;
            }
            more.push(one_more);
            threads += 1.0;
        }
    }
    more.sort_unstable_by(|a, b| b.total_cmp(a));
    let sums = more.iter().scan(0.0, |sum, more| {
        *sum += more;
        Some(*sum)
    });
    std::iter::once(0.0).chain(sums).collect()
}
