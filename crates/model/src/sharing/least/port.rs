//! One port of a node, and the guaranteed grants of its threads.

use super::asked::{Asked, MostThreads};
use super::level;
use crate::ids::NodeId;
use crate::sharing::compiled::{Compiled, PoolKind};
use crate::sharing::ports::Split;
use crate::sharing_model::ModelKind;

/// The threads of one application at one port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taker {
    pub(super) app: usize,
    /// Read-equivalent GB/s that one thread requests from the memory.
    pub(super) demand_gbs: f64,
    /// GB/s that the thread moves in total per read-equivalent GB/s on this memory.
    pub(super) moved_per_occupied: f64,
    /// Read-equivalent GB/s on this memory per read-equivalent GB/s in total.
    pace: f64,
    /// Whether it reads no other memory.
    pub(super) only_here: bool,
}

/// A link that other pairs of nodes share with a port.
#[derive(Clone, Debug)]
struct Shared {
    /// Capacity in GB/s, and the equal share of all pairs.
    capacity: f64,
    equal_part: f64,
    others: Asked,
    /// Read-equivalent traffic of others at the same pace.
    at_pace: Asked,
}

/// A port through which threads of the node read a memory.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// Bandwidth of the controller, and the equal share of all ports, GB/s.
    pub(super) controller: f64,
    pub(super) equal_part: f64,
    /// Links to the same memory from other nodes.
    others: Asked,
    /// For a link: its GB/s, and the requests of the memory's own threads.
    link: Option<(f64, Asked)>,
    /// If unused bandwidth is redistributed and some of its threads read no other memory: the final traffic
    /// of others.
    pub(super) drawn: Option<Asked>,
    /// Read-equivalent traffic of all others on the memory at the same pace.
    at_pace: Asked,
    shared: Vec<Shared>,
    pub(super) takers: Vec<Taker>,
}

impl Port {
    pub(super) fn new(compiled: &Compiled, node: NodeId, (m, p, kind): (usize, usize, PoolKind)) -> Self {
        let memory = &compiled.memories[m];
        let readers = memory.links.clone().filter(|&link| !compiled.pools[link].flows.is_empty()).count();
        let is_link = kind == PoolKind::Link;
        // Under max-min no thread takes more than it can process.
        let takes_what_it_can = compiled.model.kind == ModelKind::MaxMin;
        let asked = |pools: &mut dyn Iterator<Item = usize>| {
            if takes_what_it_can {
                Asked::drawn(compiled, pools, node)
            } else {
                Asked::new(compiled, pools, node)
            }
        };
        // No other model uses the pace, so it need not be counted.
        let at_pace = |pools: &mut dyn Iterator<Item = usize>| {
            Asked::at_pace(compiled, pools.filter(|_| takes_what_it_can), node)
        };
        let deals_again = compiled.model.kind == ModelKind::BaselineProportional;
        let shared = compiled.shared_by(p).map(|shared| {
            let others = || shared.users.iter().map(|&user| user as usize).filter(|&user| user != p);
            Shared {
                capacity: shared.capacity,
                equal_part: shared.capacity / shared.users.len() as f64,
                others: asked(&mut others()),
                at_pace: at_pace(&mut others()),
            }
        });
        let takers = compiled.flows[compiled.pools[p].flows.clone()].iter().map(|flow| Taker {
            app: compiled.app_of(flow),
            demand_gbs: flow.demand_gbs,
            moved_per_occupied: flow.inverse_cost,
            pace: compiled.pace(flow),
            // Not `spread`: fractions sum to 1 only within rounding errors, so next to a fraction of 1 there
            // may be another.
            only_here: !is_link
                && compiled.flows.iter().filter(|other| other.group == flow.group).count() == 1,
        });
        let takers: Vec<Taker> = takers.collect();
        let others = || memory.links.clone().filter(|&link| link != p);
        let own = || memory.own.into_iter().filter(|_| is_link);
        Self {
            controller: memory.bandwidth,
            equal_part: memory.bandwidth / (1 + readers) as f64,
            others: asked(&mut others()),
            link: is_link.then(|| (compiled.pools[p].capacity, asked(&mut own()))),
            at_pace: at_pace(&mut others().chain(own())),
            drawn: (deals_again && takers.iter().any(|taker| taker.only_here))
                .then(|| Asked::drawn(compiled, memory.links.clone(), node)),
            shared: shared.collect(),
            takers,
        }
    }

    /// Guaranteed grant of one thread of each taker, GB/s of this memory; `inverse_cores`: 1 / cores of the
    /// node.
    pub(super) fn granted(
        &self,
        rule: ModelKind,
        inverse_cores: f64,
        threads: &[u32],
        most: MostThreads<'_>,
    ) -> impl Fn(&Taker) -> f64 {
        let (mut split, mut part, mut top) = (None, 1.0, f64::INFINITY);
        let takers = || self.takers.iter().map(|taker| (f64::from(threads[taker.app]), taker.demand_gbs));
        let wanted: f64 = takers().map(|(threads, gbs)| threads * gbs).sum();
        let share = |kept: f64| (wanted > kept).then(|| Split::new(kept, inverse_cores, takers()));
        match rule {
            ModelKind::MaxMin => top = self.level(threads, most),
            ModelKind::Proportional => part = self.part_of_what_is_asked(wanted, threads, most),
            ModelKind::RemoteFirst => split = share(self.kept_by_links_first(wanted, threads, most)),
            _ => split = share(self.kept_of_even_ports(wanted, threads, most)),
        }
        move |taker| {
            let granted = split.map_or(taker.demand_gbs, |split: Split| split.granted(taker.demand_gbs));
            (granted * part).min(top * taker.pace)
        }
    }

    /// Bandwidth of the link, GB/s; infinite for the threads of the memory's own node.
    fn through_link(&self) -> f64 {
        self.link.as_ref().map_or(f64::INFINITY, |link| link.0)
    }

    /// Part of `wanted` that shared links, which are filled evenly, let through at least, GB/s.
    fn through_shared(&self, wanted: f64, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let narrow = self.shared.iter().filter(|shared| shared.equal_part < wanted);
        let left = narrow
            .map(|shared| (shared.capacity - shared.others.at_most(threads, most)).max(shared.equal_part));
        left.fold(wanted, f64::min)
    }

    /// Under the default: its guaranteed GB/s if its threads request `wanted`; never more than that.
    fn kept_of_even_ports(&self, wanted: f64, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let mut kept = self.through_shared(wanted, threads, most);
        if self.equal_part < kept {
            let left = self.controller - self.others.at_most(threads, most);
            let level = match &self.link {
                Some((_, own)) => (left / 2.0).max(left - own.at_most(threads, most)),
                None => left,
            };
            kept = kept.min(level.max(self.equal_part));
        }
        kept.min(self.through_link())
    }

    /// The same if its threads request more than the capacity, regardless of other threads on its node.
    /// `none`: no thread of any application.
    pub(super) fn kept_beside_any(&self, none: &[u32], most: MostThreads<'_>) -> f64 {
        // Other ports of its node may share a link with it and have threads: only an equal share is certain.
        let shared = self.shared.iter().map(|shared| shared.equal_part);
        shared.fold(self.kept_of_even_ports(f64::INFINITY, none, most), f64::min)
    }

    /// The same if links are served first.
    fn kept_by_links_first(&self, wanted: f64, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let others = self.others.at_most(threads, most);
        if self.link.is_none() {
            return wanted.min((self.controller - others).max(0.0));
        }
        let through = self.through_link();
        let offered = self.through_shared(wanted, threads, most).min(through);
        offered * part_served(self.controller, wanted.min(through), others)
    }

    /// Under `proportional`: the guaranteed fraction of its threads' requests. No port is sure of an equal
    /// share there.
    fn part_of_what_is_asked(&self, wanted: f64, threads: &[u32], most: MostThreads<'_>) -> f64 {
        if wanted <= 0.0 {
            return 1.0;
        }
        let asked = wanted.min(self.through_link());
        let own = self.link.as_ref().map_or(0.0, |(_, own)| own.at_most(threads, most));
        let others = self.others.at_most(threads, most) + own;
        let shared = self.shared.iter();
        let shared =
            shared.map(|shared| part_served(shared.capacity, asked, shared.others.at_most(threads, most)));
        // Shared links do not see reductions by other shared links.
        asked / wanted * shared.fold(1.0, f64::min) * part_served(self.controller, asked, others)
    }

    /// Under max-min: guaranteed total read-equivalent GB/s of a thread of this port, if its demand is that
    /// high.
    fn level(&self, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let takers =
            || self.takers.iter().map(|taker| (f64::from(threads[taker.app]), taker.demand_gbs, taker.pace));
        let at_pace: f64 = takers().map(|(threads, _, pace)| threads * pace).sum();
        let of = |capacity: f64, others: f64, others_at_pace: f64| {
            level(capacity - others, &takers()).max(capacity / (at_pace + others_at_pace))
        };
        let mut others = self.others.at_most(threads, most);
        let mut least = f64::INFINITY;
        if let Some((capacity, own)) = &self.link {
            others += own.at_most(threads, most);
            least = level(*capacity, &takers());
        }
        least = least.min(of(self.controller, others, self.at_pace.at_most(threads, most)));
        let shared = self.shared.iter().map(|shared| {
            of(shared.capacity, shared.others.at_most(threads, most), shared.at_pace.at_most(threads, most))
        });
        shared.fold(least, f64::min)
    }
}

/// The fraction of the requests `own` and `others` that `capacity` serves.
fn part_served(capacity: f64, own: f64, others: f64) -> f64 {
    if own + others > capacity { capacity / (own + others) } else { 1.0 }
}
