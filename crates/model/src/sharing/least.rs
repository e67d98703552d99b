//! Bandwidth that threads keep regardless of others: a lower bound for searches under the default model, and
//! under some other models (see the end).
//!
//! In the first round every port is granted its request, or else at least an equal share of the controller;
//! or the level to which all ports are filled, if others do not request their shares. If other links request
//! A, the local port gets B - A, and a link gets (B - A) / 2 even if the local port requests everything
//! (`sharing/ports.rs`). Links that share another link of C GB/s request at least an equal share of it, and
//! `C - A` if the others on it request A. The grant of a thread inside a port grows with the bandwidth of the
//! port (`sharing/split.rs`), the thread takes the smallest grant of its ports, and later rounds take nothing
//! away.
//!
//! Threads that read only the memory of their node get in each round at least an equal share of the port's
//! bandwidth in that round, out of C cores, until their demand is met or the controller is full. The port's
//! bandwidth over all rounds is then at least the controller less the final traffic of all others, and the
//! equal shares add up. (The final traffic counts, not the requests: a thread that reads several memories
//! takes no more than its narrowest path lets through.)
//!
//! # Why it grows
//! With C cores, grant G, demands w and W = sum w, S = sum min(w, G / C), a thread that requests more than G
//! / C gets G / C + (w - G / C) f with f = (G - S) / (W - S). If k < C threads request more than G / C, S
//! grows by k / C with G, so f grows by ((W - S) - (W - G) k / C) / (W - S)^2, which is not negative because
//! S <= G; and G / C grows more than it takes from w - G / C.
//!
//! # Other models
//! - `max-min`: a thread below its demand is limited by a full resource on which no thread has a higher
//!   level. So its level is at least that of this controller or link alone, with all the traffic that others
//!   can have on it, and at least an equal pace of all possible threads.
//! - `proportional`: each thread gets the fraction of its request that the controller serves if others
//!   request all they can.
//! - `remote-first`: a link has its share of the controller next to all possible requests of other links; the
//!   node's own threads get what all links leave.

pub use asked::MostThreads;
use port::{Port, Taker};

use crate::ids::{AppId, NodeId};
use crate::sharing::compiled::Compiled;
use crate::sharing::least::asked::Asked;
use crate::sharing::solver::Solver;
use crate::sharing_model::ModelKind;
use crate::units::GigabytesPerSecond;

mod asked;
mod port;

/// Margin for rounding errors in other orders of summation.
const ROUNDING: f64 = 1e-11;

/// The fraction of a controller that rounds may leave although a thread still requests it
/// (`sharing/rounds.rs`: what counts as nothing), with a margin.
const LEFT_OVER: f64 = 1e-9;

/// Guaranteed bandwidth of the threads of one node.
#[derive(Clone, Debug)]
pub struct Kept {
    rule: ModelKind,
    inverse_cores: f64,
    ports: Vec<Port>,
    /// Per application: FLOP per byte, and peak GFLOPS of the core.
    rooflines: Vec<(f64, f64)>,
}

impl Kept {
    /// Bounds for `node`; `None` if the model is not one of the above, is corrected, or the reads of the node
    /// are limited.
    pub(super) fn new(compiled: &Compiled, node: NodeId) -> Option<Self> {
        let limited = compiled.reads.iter().any(|reads| reads.node == Some(node));
        let rule = compiled.model.kind;
        let is_known = match rule {
            ModelKind::BaselineProportional
            | ModelKind::MaxMin
            | ModelKind::Proportional
            | ModelKind::RemoteFirst => true,
            ModelKind::RequestFraction | ModelKind::Ecm => false,
        };
        if !is_known || !compiled.model.is_plain(rule) || limited {
            return None;
        }
        let inverse_cores = compiled.pools.iter().find(|pool| pool.from == node)?.inverse_cores;
        let of_node = compiled.pool_indices().filter(|&(_, p, _)| compiled.pools[p].from == node);
        let ports = of_node.map(|pool| Port::new(compiled, node, pool)).collect();
        let apps = compiled.intensity.len();
        let rooflines = (0..apps).map(|a| (compiled.intensity[a], compiled.peak[(AppId(a), node)])).collect();
        Some(Self { rule, inverse_cores, ports, rooflines })
    }

    /// Lower bound on the GFLOPS of the threads of each application on the node, all of them together, before
    /// the loss on several nodes ([`crate::App::node_overhead`]).
    ///
    /// `threads`: number of threads of each application on the node. `most`: the maximum number of each.
    pub fn least_gflops(&self, threads: &[u32], most: MostThreads<'_>, least: &mut [f64]) {
        // First the GB/s of one thread.
        least.fill(f64::INFINITY);
        for port in &self.ports {
            let granted = port.granted(self.rule, self.inverse_cores, threads, most);
            let lacks = |taker: &Taker| granted(taker) < taker.demand_gbs;
            let in_the_end =
                if port.takers.iter().any(lacks) { self.in_the_end(port, threads, most) } else { 0.0 };
            for taker in &port.takers {
                let mut granted = granted(taker);
                if taker.only_here {
                    granted = granted.max(in_the_end.min(taker.demand_gbs));
                }
                least[taker.app] = least[taker.app].min(granted * taker.moved_per_occupied);
            }
        }
        for ((least, threads), (intensity, peak)) in least.iter_mut().zip(threads).zip(&self.rooflines) {
            let of_one = if least.is_finite() { (*least * intensity).min(*peak) } else { 0.0 };
            *least = f64::from(*threads) * of_one * (1.0 - ROUNDING);
        }
    }

    /// Lower bound on the GFLOPS of one thread of each application on the node, regardless of other load
    /// there. n threads get at least n times that; [`Self::least_gflops`] may find a higher bound. 0 if no
    /// bound is known: under the default model only a port is sure of a share of the controller, and a thread
    /// of an equal share of its port.
    ///
    /// `most`: the maximum number of threads of each application. `domain_part`: if L3 domains of the node have
    /// a read limit that this solver does not know, an equal part of it for each core of a domain. A thread
    /// then requests at least that part in the first round, and nothing is known of later ones: threads in its
    /// domain may use up the limit.
    pub fn least_gflops_of_one(
        &self,
        most: MostThreads<'_>,
        domain_part: Option<GigabytesPerSecond>,
        least: &mut [f64],
    ) {
        if self.rule != ModelKind::BaselineProportional {
            least.fill(0.0);
            return;
        }
        least.fill(f64::INFINITY);
        // Threads that are not here may be elsewhere.
        let none = vec![0; least.len()];
        let mut occupied = vec![0.0; least.len()];
        for port in &self.ports {
            let part = port.kept_beside_any(&none, most) * self.inverse_cores;
            let in_the_end = if domain_part.is_none() { self.in_the_end(port, &none, most) } else { 0.0 };
            for taker in &port.takers {
                occupied[taker.app] += taker.moved_per_occupied.recip();
                let granted = if taker.only_here { part.max(in_the_end) } else { part };
                least[taker.app] =
                    least[taker.app].min(granted.clamp(0.0, taker.demand_gbs) * taker.moved_per_occupied);
            }
        }
        let requested = |occupied: &f64| domain_part.map_or(f64::INFINITY, |part| part.value() / occupied);
        for ((least, (intensity, peak)), occupied) in least.iter_mut().zip(&self.rooflines).zip(&occupied) {
            *least = least.min(requested(occupied));
            *least = if least.is_finite() { (*least * intensity).min(*peak) * (1.0 - ROUNDING) } else { 0.0 };
        }
    }

    /// Lower bound on the final GB/s of a thread that reads no other memory, if its demand is that high.
    fn in_the_end(&self, port: &Port, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let left = |drawn: &Asked| port.controller - drawn.at_most(threads, most);
        port.drawn.as_ref().map_or(0.0, left) * self.inverse_cores * (1.0 - LEFT_OVER)
    }
}

impl Solver {
    /// Guaranteed bandwidth of the threads on `node` regardless of others, if the model and the machine allow
    /// such a bound.
    ///
    /// `None` if copies of replicated data are written: others then have more paths to each memory.
    pub fn kept(&self, node: NodeId) -> Option<Kept> {
        if self.writes_open_copies() { None } else { Kept::new(&self.compiled, node) }
    }
}

/// Upper bound on the traffic of other nodes' threads on the memory of one node: no more than their demand,
/// and no more than all their paths let through. Holds for every model.
#[derive(Clone, Debug)]
pub struct DrawnByOthers(Asked);

impl DrawnByOthers {
    /// Their maximum traffic, GB/s.
    ///
    /// `threads`: number of threads of each application on the node itself. `most`: the maximum number of
    /// each.
    pub fn at_most(&self, threads: &[u32], most: MostThreads<'_>) -> f64 {
        self.0.at_most(threads, most)
    }
}

impl Solver {
    /// Bound on the traffic of threads on other nodes on the memory of `node`.
    pub fn drawn_by_others(&self, node: NodeId) -> DrawnByOthers {
        let links = self.compiled.memories[node.0].links.clone();
        DrawnByOthers(Asked::drawn(&self.compiled, links, node))
    }
}

#[cfg(test)]
mod others_tests {
    use super::tests::{most, solver_on};
    use super::*;
    use crate::app::Placement;

    #[test]
    fn others_draw_no_more_than_their_narrowest_path_lets_through() {
        // Three nodes, links of 5 GB/s to the memory of the third and of 50 to the others. A thread of
        // `spread` requests 10 GB/s, a third of it from node 0. With 3 threads, one of them here, the two
        // elsewhere request 6.7. With 16 threads, none of them here: those of the second node get 5 from the
        // third memory and thus no more from this one; those of the third node read that memory without a
        // link, and 8 of them request 26.7 here.
        let links = vec![50.0, 50.0, 5.0, 50.0, 50.0, 5.0, 50.0, 50.0, 50.0];
        let drawn = solver_on(3, links, &[(1.0, Placement::Interleave)]).drawn_by_others(NodeId(0));
        assert!((drawn.at_most(&[1], most(&[3])) - 20.0 / 3.0).abs() < 1e-9);
        assert!((drawn.at_most(&[0], most(&[16])) - (5.0 + 80.0 / 3.0)).abs() < 1e-9);
    }
}

/// Total GB/s per thread at which the takers, each (threads, maximum of one, pace), use `capacity` GB/s
/// together; infinite if they cannot use that much.
///
/// Takers whose demand is met leave the rest to the others.
fn level(capacity: f64, takers: &(impl Iterator<Item = (f64, f64, f64)> + Clone)) -> f64 {
    let mut level = 0.0;
    loop {
        let (mut left, mut pace) = (capacity, 0.0);
        for (threads, most, each) in takers.clone().filter(|(threads, ..)| *threads > 0.0) {
            if each * level >= most {
                left -= threads * most;
            } else {
                pace += threads * each;
            }
        }
        if pace <= 0.0 {
            return f64::INFINITY;
        }
        let next = left.max(0.0) / pace;
        if next <= level {
            return next;
        }
        level = next;
    }
}

#[cfg(test)]
mod level_tests {
    use super::level;

    #[test]
    fn takers_with_their_demand_met_leave_the_rest() {
        // 30 GB/s for 2 threads that request 5 and 2 that request 20: the first take 10, the others get 10
        // each.
        let takers = [(2.0, 5.0, 1.0), (2.0, 20.0, 1.0)];
        assert_eq!(level(30.0, &takers.into_iter()), 10.0);
        // Half of the data of the second two is here: 10 GB/s each here are a level of 20.
        let takers = [(2.0, 5.0, 1.0), (2.0, 20.0, 0.5)];
        assert_eq!(level(30.0, &takers.into_iter()), 20.0);
        assert_eq!(level(60.0, &takers.into_iter()), f64::INFINITY);
        assert_eq!(level(-1.0, &takers.into_iter()), 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Access, Placement};
    use crate::demand::Demand;
    use crate::machine::{Machine, Node};
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    /// Nodes of 8 cores with 60 GB/s, `links` as in [`Machine::new`]; bounds of node 0.
    fn kept_on(nodes: usize, links: Vec<f64>, apps: &[(f64, Placement)]) -> Kept {
        solver_on(nodes, links, apps).kept(NodeId(0)).expect("the default")
    }

    pub(super) fn solver_on(nodes: usize, links: Vec<f64>, apps: &[(f64, Placement)]) -> Solver {
        solver_under(ModelKind::BaselineProportional, nodes, links, apps)
    }

    fn solver_under(kind: ModelKind, nodes: usize, links: Vec<f64>, apps: &[(f64, Placement)]) -> Solver {
        let node = Node {
            cores: 8,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(60.0),
            ..Node::default()
        };
        let links = links.into_iter().map(GigabytesPerSecond::new).collect();
        let machine = Machine::new("equal nodes", vec![node; nodes], links).expect("a machine");
        let machine = machine.with_sharing(kind.into());
        let demands: Vec<Demand> = apps
            .iter()
            .map(|(intensity, placement)| {
                Demand::new(FlopPerByte::new(*intensity), Access::Read, placement.clone())
            })
            .collect();
        Solver::new(&machine, &demands)
    }

    /// Two nodes with links of 20 GB/s.
    fn kept(apps: &[(f64, Placement)]) -> Kept {
        kept_on(2, vec![20.0; 4], apps)
    }

    /// These numbers of threads on the machine, and all of them on any node.
    pub(super) fn most(on_machine: &[u32]) -> MostThreads<'_> {
        MostThreads { on_machine, on_node: &[8; 8] }
    }

    #[test]
    fn a_full_controller_leaves_what_links_do_not_request() {
        // `mem` requests 20 GB/s per thread, `spread` 10, half of it here. 4 threads of `mem` and 2 of
        // `spread`: 80 + 10 = 90 GB/s. Of 6 threads of `spread` in total, 4 are elsewhere and request 4 x 5 =
        // 20, the bandwidth of the link: 40 are left, baseline 5: 4 x 5 and 2 x 5; the rest, 10, goes to
        // `mem`: 30 GB/s, 15 GFLOPS. From the other memory 2 of `spread` request 10 and get 20: 2 x 10
        // GFLOPS.
        let kept = kept(&[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        kept.least_gflops(&[4, 2], most(&[8, 6]), &mut least);
        assert!((least[0] - 15.0).abs() < 1e-9 && (least[1] - 20.0).abs() < 1e-9, "{least:?}");
        // At most 3 of `spread`: one elsewhere requests 5: 55 GB/s, baseline 6.875: 4 x 6.875 and 2 x 5, 17.5
        // more: 45 GB/s.
        kept.least_gflops(&[4, 2], most(&[8, 3]), &mut least);
        assert!((least[0] - 22.5).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn threads_with_enough_bandwidth_keep_their_whole_demand() {
        // 1 x 20 + 1 x 5 of 60 - 20 GB/s.
        let kept = kept(&[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        kept.least_gflops(&[1, 1], most(&[8, 8]), &mut least);
        assert!((least[0] - 10.0).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn a_link_gets_what_other_ports_leave() {
        // Two nodes: the only other port of the memory of node 1 is the local one, and half of 60 GB/s is
        // more than the bandwidth of the link, 20. 8 threads of `spread` request 40: 2.5 GB/s per thread, on
        // both memories 5 GB/s.
        let spread = [(1.0, Placement::Interleave)];
        let mut least = [0.0];
        kept(&spread).least_gflops(&[8], most(&[16]), &mut least);
        assert!((least[0] - 8.0 * 5.0).abs() < 1e-9, "{least:?}");
        // Three nodes with links of 50: an equal share of 3 ports is 20 GB/s. One thread on the third node,
        // which requests 10/3, leaves at least (60 - 10/3) / 2: the whole request of 8 threads of node 0, 8 x
        // 10/3. 8 threads there request as much, and leave (60 - 80/3) / 2 = 16.7, so the equal share counts.
        let kept = kept_on(3, vec![50.0; 9], &spread);
        kept.least_gflops(&[8], most(&[9]), &mut least);
        assert!((least[0] - 80.0).abs() < 1e-9, "{least:?}");
        kept.least_gflops(&[8], most(&[16]), &mut least);
        assert!((least[0] - 60.0).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn threads_of_a_node_finally_get_what_others_cannot_take() {
        // Three nodes, links of 5 GB/s to the memory of the third and of 50 to the others. 8 threads of
        // `spread` on node 1 request 26.7 GB/s from node 0, which leaves 33.3 in the first round. But they
        // get 5 from the third memory, and take 5 of each. So each of 8 threads of `mem`, which request 160,
        // finally has an eighth of 55 GB/s: 27.5 GFLOPS together.
        let links = vec![50.0, 50.0, 5.0, 50.0, 50.0, 5.0, 50.0, 50.0, 50.0];
        let kept = kept_on(3, links, &[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        let on_node = [8, 0, 8, 8, 8, 0];
        kept.least_gflops(&[8, 0], MostThreads { on_machine: &[8, 8], on_node: &on_node }, &mut least);
        assert!((27.5 - 1e-6..=27.5).contains(&least[0]), "{least:?}");
    }

    /// Guaranteed GFLOPS of `mem` and `spread` on node 0 of two with links of 20 GB/s: 4 threads that request
    /// 20 GB/s each of this memory, and 2 that request 10, half of it here. At most 6 of `spread` in total: 4
    /// elsewhere request 4 x 5 = 20 GB/s here, the bandwidth of the link.
    fn kept_under(kind: ModelKind) -> [f64; 2] {
        let apps = [(0.5, Placement::Local), (1.0, Placement::Interleave)];
        let kept =
            solver_under(kind, 2, vec![20.0; 4], &apps).kept(NodeId(0)).expect("a model that is known");
        let mut least = [0.0; 2];
        kept.least_gflops(&[4, 2], most(&[8, 6]), &mut least);
        least
    }

    #[test]
    fn under_max_min_threads_keep_the_level_of_the_narrowest_resource() {
        // 4 at full pace, and 2 and 4 at half pace of 60 GB/s: 60 / 7 GB/s in total for each, which is more
        // than (60 - 20) / 5, the level with 20 GB/s for others. Node 1 is equally full with 4 of `mem`
        // there. Half a GFLOPS per GB/s of `mem`, one per GB/s of `spread`.
        let least = kept_under(ModelKind::MaxMin);
        assert!((least[0] - 4.0 * 0.5 * 60.0 / 7.0).abs() < 1e-9, "{least:?}");
        assert!((least[1] - 2.0 * 60.0 / 7.0).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn under_proportional_threads_keep_the_fraction_served_at_full_demand_of_others() {
        // 80 + 10 + 20 = 110 GB/s are requested of 60: 80 x 6 / 11 / 2 GFLOPS. `spread` gets no more than
        // that fraction here, 10 x 6 / 11, and the same from node 1.
        let least = kept_under(ModelKind::Proportional);
        assert!(
            (least[0] - 240.0 / 11.0).abs() < 1e-9 && (least[1] - 120.0 / 11.0).abs() < 1e-9,
            "{least:?}"
        );
    }

    #[test]
    fn under_remote_first_threads_on_a_link_keep_the_link_and_local_ones_the_rest() {
        // 40 GB/s are left here, baseline 5: 6 x 5, and the other 10 to `mem`: 30 GB/s.
        let least = kept_under(ModelKind::RemoteFirst);
        assert!((least[0] - 15.0).abs() < 1e-9 && (least[1] - 20.0).abs() < 1e-9, "{least:?}");
    }
}
