//! Upper bounds on the requests of threads to a resource behind several links, wherever the threads are.

use crate::ids::NodeId;
use crate::sharing::compiled::{Compiled, Flow, PoolKind};

/// Maximum numbers of threads.
#[derive(Clone, Copy, Debug)]
pub struct MostThreads<'a> {
    /// Per application, on the whole machine.
    pub on_machine: &'a [u32],
    /// Per application and node: `on_node[node * applications + application]`.
    pub on_node: &'a [u32],
}

/// Threads of one node that read one memory.
#[derive(Clone, Debug)]
struct Link {
    from: NodeId,
    /// GB/s; infinite for the threads of the memory's own node.
    capacity: f64,
    /// Number of cores of the node, the maximum number of threads.
    cores: f64,
    wants: Vec<Want>,
}

/// Demand of threads of one application over a link.
#[derive(Clone, Copy, Debug)]
struct Want {
    app: usize,
    /// Demand of one of them, in read-equivalent GB/s.
    of_one: f64,
    /// Maximum demand of all of them together, GB/s.
    together: f64,
}

impl Want {
    fn of(self, threads: f64) -> f64 {
        (threads * self.of_one).min(self.together)
    }
}

/// Links to the same resource, and the requests over them.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The node whose threads are known.
    here: NodeId,
    links: Vec<Link>,
    /// Per application: maximum requests of n of its threads elsewhere over all links, for n from 0 on; GB/s.
    of_many: Vec<Vec<f64>>,
}

impl Asked {
    /// The requests over these `pools`; the threads on `here` are known.
    pub(super) fn new(compiled: &Compiled, pools: impl Iterator<Item = usize>, here: NodeId) -> Self {
        Self::with_wants(compiled, pools, here, |flow| (flow.demand_gbs, f64::INFINITY))
    }

    /// The final traffic over them: a thread that reads several memories is limited by the narrowest path to
    /// any of them.
    pub(super) fn drawn(compiled: &Compiled, pools: impl Iterator<Item = usize>, here: NodeId) -> Self {
        let together = |flow: &Flow| most_moved(compiled, flow.group) * flow.cost;
        Self::with_wants(compiled, pools, here, |flow| (flow.demand_gbs, together(flow)))
    }

    /// The read-equivalent traffic over them if each thread had one GB/s in total, regardless of the links.
    pub(super) fn at_pace(compiled: &Compiled, pools: impl Iterator<Item = usize>, here: NodeId) -> Self {
        Self::through(compiled, pools, here, |_| f64::INFINITY, |flow| (compiled.pace(flow), f64::INFINITY))
    }

    /// Uses the links of these pools at their own bandwidths.
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

    /// `width`: GB/s that a pool lets through; `wants`: demand of one thread of a flow, and maximum demand of
    /// all of them together, GB/s.
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

    /// The maximum request, GB/s, with `threads` of each application on the known node.
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

/// Maximum traffic of threads of a group, GB/s: limited by their narrowest path.
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

/// Maximum requests of 0, 1, 2... threads of an application on nodes other than `here` over these links,
/// GB/s; constant beyond the last entry.
///
/// Each thread is on one node only. One more thread on the same node requests no more than the one before,
/// because the links of the node have a limited bandwidth. So the largest requests that one more thread can
/// add come first.
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
