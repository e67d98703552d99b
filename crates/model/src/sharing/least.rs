//! What threads keep whatever others do: a lower bound for searches, under the default model and, at the end, others.
//!
//! In the first round every port is granted what it asks for, or else at least an equal part of the controller; or the level that all ports are
//! filled to, where others do not ask for theirs: with A asked by other links, B - A at the local port, and (B - A) / 2 at a link even where the
//! local port wants all there is (`sharing/ports.rs`). Links that share another of C GB/s ask for at least an equal part of it, and for C - A, where
//! A is asked by the others on it. What a thread is granted inside a port grows with what the port has (`sharing/split.rs`), it takes the smallest
//! of its ports, and later rounds take nothing away.
//!
//! Threads that read nothing but the memory of their node have in each round at least an equal part of what the port has in it, of C cores, until they
//! have what they want or the controller is full. What the port has in all rounds is then at least the controller less all that others draw in the end
//! (not what they ask: who reads several memories takes no more than the narrowest way lets through), and the equal parts add up.
//!
//! # Why it grows
//! With C cores, grant G, wants w and W = sum w, S = sum min(w, G / C), a thread that wants more than G / C gets
//! G / C + (w - G / C) f with f = (G - S) / (W - S). Where k < C threads want more than G / C, S grows by k / C with G, so that f grows
//! by ((W - S) - (W - G) k / C) / (W - S)^2, which is not negative as S <= G; and G / C grows more than it takes from w - G / C.
//!
//! # Other models
//! - `max-min`: a thread that does not have what it wants is held back by something full, where nobody has a higher level than it has. So the level is at
//!   least that of this controller or link alone, with all that others can draw of it, and at least an equal pace of all that there may be.
//! - `proportional`: each gets the part of what it asks that the controller serves if others ask for all they can.
//! - `remote-first`: a link has its part of the controller beside all that other links can ask for, the own threads have what all links leave.

pub use asked::MostThreads;
use port::{Port, Taker};

use crate::ids::{AppId, NodeId};
use crate::sharing::compiled::Compiled;
use crate::sharing::least::asked::Asked;
use crate::sharing::solver::Solver;
use crate::sharing_model::ModelKind;

mod asked;
mod port;

/// Room for rounding in other orders of sums.
const ROUNDING: f64 = 1e-11;

/// The part of a controller that rounds may leave though somebody wants it (`sharing/rounds.rs`: what counts as nothing), with room.
const LEFT_OVER: f64 = 1e-9;

/// What threads of one node keep.
#[derive(Clone, Debug)]
pub struct Kept {
    rule: ModelKind,
    inverse_cores: f64,
    ports: Vec<Port>,
    /// Per application: FLOP per byte, and GFLOPS of the core.
    rooflines: Vec<(f64, f64)>,
}

impl Kept {
    /// Of `node`; `None` where the model is not one of those above or corrected, or what the node reads is limited.
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

    /// GFLOPS that the threads of each application on the node get at least, all of them together, before what it loses on several nodes
    /// ([`crate::App::node_overhead`]).
    ///
    /// `threads`: of each application on the node. `most`: the most that each has.
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

    /// GFLOPS that one thread of each application gets there at least, whatever else is on the node: so many threads get so many times that at least, where
    /// [`Self::least_gflops`] may know of more. 0 where that is not known: under the default model only a port is sure of a part of the controller, and a
    /// thread of an equal part of its port.
    ///
    /// `most`: the most threads that each application has.
    pub fn least_gflops_of_one(&self, most: MostThreads<'_>, least: &mut [f64]) {
        if self.rule != ModelKind::BaselineProportional {
            least.fill(0.0);
            return;
        }
        least.fill(f64::INFINITY);
        // Those that are not here may be elsewhere.
        let none = vec![0; least.len()];
        for port in &self.ports {
            let part = port.kept_beside_any(&none, most) * self.inverse_cores;
            let in_the_end = self.in_the_end(port, &none, most);
            for taker in &port.takers {
                let granted = if taker.only_here { part.max(in_the_end) } else { part };
                least[taker.app] =
                    least[taker.app].min(granted.clamp(0.0, taker.demand_gbs) * taker.moved_per_occupied);
            }
        }
        for (least, (intensity, peak)) in least.iter_mut().zip(&self.rooflines) {
            *least = if least.is_finite() { (*least * intensity).min(*peak) * (1.0 - ROUNDING) } else { 0.0 };
        }
    }

    /// GB/s that a thread which reads nothing else has in the end at least, if it wants so much.
    fn in_the_end(&self, port: &Port, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let left = |drawn: &Asked| port.controller - drawn.at_most(threads, most);
        port.drawn.as_ref().map_or(0.0, left) * self.inverse_cores * (1.0 - LEFT_OVER)
    }
}

impl Solver {
    /// What threads on `node` keep whatever others do, if the model and the machine let that be said.
    ///
    /// Nothing where copies of replicated data are written: others then have more ways to each memory.
    pub fn kept(&self, node: NodeId) -> Option<Kept> {
        if self.writes_open_copies() { None } else { Kept::new(&self.compiled, node) }
    }
}

/// What threads on other nodes draw of the memory of one node: no more than they want, and than all their ways let through. Holds of every model.
#[derive(Clone, Debug)]
pub struct DrawnByOthers(Asked);

impl DrawnByOthers {
    /// The most that they draw, GB/s.
    ///
    /// `threads`: of each application on the node itself. `most`: the most that each has.
    pub fn at_most(&self, threads: &[u32], most: MostThreads<'_>) -> f64 {
        self.0.at_most(threads, most)
    }
}

impl Solver {
    /// What threads elsewhere may draw of the memory of `node`.
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
    fn others_draw_no_more_than_their_narrowest_way_lets_through() {
        // Three nodes, links of 5 GB/s to the memory of the third and of 50 to the others. A thread of `spread` wants 10 GB/s, a third of it from node 0.
        // Of 3 threads one is here: two elsewhere want 6.7. Of 16 none is here: those of one node get 5 from the third memory and of this no more, those of
        // the third node read that without a link: 8 of them ask for 26.7 here.
        let links = vec![50.0, 50.0, 5.0, 50.0, 50.0, 5.0, 50.0, 50.0, 50.0];
        let drawn = solver_on(3, links, &[(1.0, Placement::Interleave)]).drawn_by_others(NodeId(0));
        assert!((drawn.at_most(&[1], most(&[3])) - 20.0 / 3.0).abs() < 1e-9);
        assert!((drawn.at_most(&[0], most(&[16])) - (5.0 + 80.0 / 3.0)).abs() < 1e-9);
    }
}

/// GB/s in all at which the takers, each (threads, most of one, pace), have `capacity` GB/s together; infinite where they cannot use that.
///
/// Those that have all they want leave the rest to the others.
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
    fn who_has_what_it_wants_leaves_the_rest() {
        // 30 GB/s for 2 threads that want 5 and 2 that want 20: 10 are taken, 10 each are left.
        let takers = [(2.0, 5.0, 1.0), (2.0, 20.0, 1.0)];
        assert_eq!(level(30.0, &takers.into_iter()), 10.0);
        // Half of their data lies here: 10 GB/s each here are a level of 20.
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

    /// Nodes of 8 cores with 60 GB/s, `links` as [`Machine::new`] takes them; node 0.
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

    /// So many on the machine, and all of them on any node.
    pub(super) fn most(on_machine: &[u32]) -> MostThreads<'_> {
        MostThreads { on_machine, on_node: &[8; 8] }
    }

    #[test]
    fn a_full_controller_leaves_what_links_do_not_ask_for() {
        // `mem` wants 20 GB/s a thread, `spread` 10, half of it here. 4 threads of `mem` and 2 of `spread`: 80 + 10 = 90 GB/s. Of 6 threads of
        // `spread` in all 4 are elsewhere and ask for 4 x 5 = 20, as much as the link has: 40 are left, baseline 5: 4 x 5 and
        // 2 x 5, what is left, 10, goes to `mem`: 30 GB/s, 15 GFLOPS. Of the other memory 2 of `spread` want 10 and have 20: 2 x 10 GFLOPS.
        let kept = kept(&[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        kept.least_gflops(&[4, 2], most(&[8, 6]), &mut least);
        assert!((least[0] - 15.0).abs() < 1e-9 && (least[1] - 20.0).abs() < 1e-9, "{least:?}");
        // No more than 3 of `spread`: one elsewhere asks for 5: 55 GB/s, baseline 6.875: 4 x 6.875 and 2 x 5, 17.5 more: 45 GB/s.
        kept.least_gflops(&[4, 2], most(&[8, 3]), &mut least);
        assert!((least[0] - 22.5).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn who_finds_enough_keeps_all_that_it_wants() {
        // 1 x 20 + 1 x 5 of 60 - 20 GB/s.
        let kept = kept(&[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        kept.least_gflops(&[1, 1], most(&[8, 8]), &mut least);
        assert!((least[0] - 10.0).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn a_link_has_what_other_ports_leave() {
        // Two nodes: the only other port of the memory of node 1 is the local one, and half of 60 GB/s is more than the link has, 20. 8 threads
        // of `spread` ask for 40: 2.5 GB/s a thread, of both memories 5 GB/s.
        let spread = [(1.0, Placement::Interleave)];
        let mut least = [0.0];
        kept(&spread).least_gflops(&[8], most(&[16]), &mut least);
        assert!((least[0] - 8.0 * 5.0).abs() < 1e-9, "{least:?}");
        // Three nodes with links of 50: an equal part of 3 ports is 20 GB/s. One thread on the third node, which asks for 10/3, leaves (60 - 10/3) / 2
        // at least: all that 8 threads of node 0 ask for, 8 x 10/3. 8 threads there ask for as much, and leave (60 - 80/3) / 2 = 16.7: the equal part.
        let kept = kept_on(3, vec![50.0; 9], &spread);
        kept.least_gflops(&[8], most(&[9]), &mut least);
        assert!((least[0] - 80.0).abs() < 1e-9, "{least:?}");
        kept.least_gflops(&[8], most(&[16]), &mut least);
        assert!((least[0] - 60.0).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn threads_of_a_node_have_in_the_end_what_others_cannot_take() {
        // Three nodes, links of 5 GB/s to the memory of the third and of 50 to the others. 8 threads of `spread` on node 1 ask node 0 for 26.7 GB/s, which
        // leaves 33.3 in the first round; but they get 5 from the third memory, and take 5 of each. So 8 threads of `mem`, which want 160, have
        // an eighth of 55 GB/s each in the end: 27.5 GFLOPS together.
        let links = vec![50.0, 50.0, 5.0, 50.0, 50.0, 5.0, 50.0, 50.0, 50.0];
        let kept = kept_on(3, links, &[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        let on_node = [8, 0, 8, 8, 8, 0];
        kept.least_gflops(&[8, 0], MostThreads { on_machine: &[8, 8], on_node: &on_node }, &mut least);
        assert!((27.5 - 1e-6..=27.5).contains(&least[0]), "{least:?}");
    }

    /// GFLOPS that `mem` and `spread` keep on node 0 of two with links of 20 GB/s: 4 threads that want 20 GB/s each of this memory, and 2 that want 10, half
    /// of it here. At most 6 of `spread` in all: 4 elsewhere ask for 4 x 5 = 20 GB/s here, as much as the link has.
    fn kept_under(kind: ModelKind) -> [f64; 2] {
        let apps = [(0.5, Placement::Local), (1.0, Placement::Interleave)];
        let kept =
            solver_under(kind, 2, vec![20.0; 4], &apps).kept(NodeId(0)).expect("a model that is known");
        let mut least = [0.0; 2];
        kept.least_gflops(&[4, 2], most(&[8, 6]), &mut least);
        least
    }

    #[test]
    fn under_max_min_threads_keep_the_level_of_what_is_narrowest() {
        // 4 at full pace, and 2 and 4 at half pace of 60 GB/s: 60 / 7 GB/s in all for each, which leaves more than 20 GB/s for others would: (60 - 20) / 5.
        // Node 1 is as full with 4 of `mem` there. Half a GFLOPS for each GB/s of `mem`, one for each of `spread`.
        let least = kept_under(ModelKind::MaxMin);
        assert!((least[0] - 4.0 * 0.5 * 60.0 / 7.0).abs() < 1e-9, "{least:?}");
        assert!((least[1] - 2.0 * 60.0 / 7.0).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn in_proportion_threads_keep_the_part_that_is_served_if_others_ask_for_all_they_can() {
        // 80 + 10 + 20 = 110 GB/s are asked of 60: 80 x 6 / 11 / 2 GFLOPS. `spread` has no more than that part here, 10 x 6 / 11, and as much from node 1.
        let least = kept_under(ModelKind::Proportional);
        assert!(
            (least[0] - 240.0 / 11.0).abs() < 1e-9 && (least[1] - 120.0 / 11.0).abs() < 1e-9,
            "{least:?}"
        );
    }

    #[test]
    fn where_links_are_first_their_threads_keep_the_link_and_others_what_is_left() {
        // 40 GB/s are left here, baseline 5: 6 x 5, and the other 10 to `mem`: 30 GB/s.
        let least = kept_under(ModelKind::RemoteFirst);
        assert!((least[0] - 15.0).abs() < 1e-9 && (least[1] - 20.0).abs() < 1e-9, "{least:?}");
    }
}
