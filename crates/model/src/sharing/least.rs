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

mod asked;
mod level;
mod others;

use super::compiled::{Compiled, PoolKind};
use super::solver::Solver;
use super::split::Split;
use crate::ids::{AppId, NodeId};
use crate::sharing_model::ModelKind;
use asked::Asked;
use level::level;
pub use asked::MostThreads;
pub use others::DrawnByOthers;

/// Room for rounding in other orders of sums.
const ROUNDING: f64 = 1e-11;

/// The part of a controller that rounds may leave though somebody wants it (`sharing/rounds.rs`: what counts as nothing), with room.
const LEFT_OVER: f64 = 1e-9;

/// The threads of one application at one port.
#[derive(Clone, Copy, Debug)]
struct Taker {
    app: usize,
    /// GB/s that one thread wants to occupy of the memory.
    demand_gbs: f64,
    /// GB/s as the thread moves them for each GB/s that it occupies of this memory.
    moved_per_occupied: f64,
    /// GB/s that it occupies of this memory for each that it occupies in all.
    pace: f64,
    /// Whether it reads nothing else.
    only_here: bool,
}

/// A link that other pairs of nodes share with a port.
#[derive(Clone, Debug)]
struct Shared {
    /// GB/s, and the equal part of all pairs.
    capacity: f64,
    equal_part: f64,
    others: Asked,
    /// What others would occupy at the same pace.
    at_pace: Asked,
}

/// A port through which threads of the node read a memory.
#[derive(Clone, Debug)]
struct Port {
    /// The controller, and the equal part of all ports, GB/s.
    controller: f64,
    equal_part: f64,
    /// Links into the same memory from other nodes.
    others: Asked,
    /// Of a link: its GB/s, and what the own threads of the memory ask.
    link: Option<(f64, Asked)>,
    /// Where some of its threads read nothing else: what others draw in the end.
    drawn: Option<Asked>,
    /// What all others would occupy of the memory at the same pace.
    at_pace: Asked,
    shared: Vec<Shared>,
    takers: Vec<Taker>,
}

/// What threads of one node keep.
#[derive(Clone, Debug)]
pub struct Kept {
    rule: ModelKind,
    inverse_cores: f64,
    ports: Vec<Port>,
    /// Per application: FLOP per byte, and GFLOPS of the core.
    rooflines: Vec<(f64, f64)>,
}

impl Port {
    fn new(compiled: &Compiled, node: NodeId, (m, p, kind): (usize, usize, PoolKind)) -> Self {
        let memory = &compiled.memories[m];
        let readers = memory.links.clone().filter(|&link| !compiled.pools[link].flows.is_empty()).count();
        let is_link = kind == PoolKind::Link;
        // Under max-min nobody takes more than it can digest.
        let takes_what_it_can = compiled.model.kind == ModelKind::MaxMin;
        let asked = |pools: &mut dyn Iterator<Item = usize>| {
            if takes_what_it_can { Asked::drawn(compiled, pools, node) } else { Asked::new(compiled, pools, node) }
        };
        let shared = compiled.shared_by(p).map(|shared| {
            let others = || shared.users.iter().map(|&user| user as usize).filter(|&user| user != p);
            Shared {
                capacity: shared.capacity,
                equal_part: shared.capacity / shared.users.len() as f64,
                others: asked(&mut others()),
                at_pace: Asked::at_pace(compiled, others(), node),
            }
        });
        let takers = compiled.flows[compiled.pools[p].flows.clone()].iter().map(|flow| Taker {
            app: compiled.app_of(flow),
            demand_gbs: flow.demand_gbs,
            moved_per_occupied: flow.inverse_cost,
            pace: compiled.pace(flow),
            // Not `spread`: fractions sum to 1 but for rounding, so that beside one of 1 there may be another.
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
            at_pace: Asked::at_pace(compiled, others().chain(own()), node),
            drawn: takers
                .iter()
                .any(|taker| taker.only_here)
                .then(|| Asked::drawn(compiled, memory.links.clone(), node)),
            shared: shared.collect(),
            takers,
        }
    }

    /// GB/s that it has at least where its threads want `wanted`; no more than that is looked for.
    fn kept_gbs(&self, rule: ModelKind, wanted: f64, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let through = self.link.as_ref().map_or(f64::INFINITY, |link| link.0);
        let offered = wanted.min(through);
        let mut kept = if rule == ModelKind::Proportional { offered } else { wanted };
        // In proportion nobody is sure of an equal part.
        let may_lack = |shared: &&Shared| rule == ModelKind::Proportional || shared.equal_part < wanted;
        for shared in self.shared.iter().filter(may_lack) {
            let others = || shared.others.at_most(threads, most);
            kept = match rule {
                ModelKind::Proportional => kept * part_served(shared.capacity, offered, others()),
                _ => kept.min((shared.capacity - others()).max(shared.equal_part)),
            };
        }
        match rule {
            ModelKind::Proportional | ModelKind::RemoteFirst => {
                let others = self.others.at_most(threads, most);
                match &self.link {
                    None if rule == ModelKind::RemoteFirst => kept.min((self.controller - others).max(0.0)),
                    link => {
                        let first = rule == ModelKind::RemoteFirst;
                        let own = link.as_ref().filter(|_| !first).map(|link| link.1.at_most(threads, most));
                        let others = others + own.unwrap_or(0.0);
                        kept.min(through) * part_served(self.controller, offered, others)
                    }
                }
            }
            _ => {
                if self.equal_part < kept {
                    let left = self.controller - self.others.at_most(threads, most);
                    let level = match &self.link {
                        Some((_, own)) => (left / 2.0).max(left - own.at_most(threads, most)),
                        None => left,
                    };
                    kept = kept.min(level.max(self.equal_part));
                }
                kept.min(through)
            }
        }
    }

    /// What one of the threads of each taker is granted at least, GB/s of this memory, where its threads want `wanted`.
    fn granted(
        &self,
        kept: &Kept,
        wanted: f64,
        threads: &[u32],
        most: MostThreads<'_>,
    ) -> impl Fn(&Taker) -> f64 {
        let of = |taker: &Taker| f64::from(threads[taker.app]);
        let (mut split, mut part, mut top) = (None, 1.0, f64::INFINITY);
        if kept.rule == ModelKind::MaxMin {
            top = self.level(threads, most);
        } else {
            let has = self.kept_gbs(kept.rule, wanted, threads, most);
            if wanted > has {
                match kept.rule {
                    ModelKind::Proportional => part = has / wanted,
                    _ => {
                        let takers = self.takers.iter().map(|taker| (of(taker), taker.demand_gbs));
                        split = Some(Split::new(has, kept.inverse_cores, takers));
                    }
                }
            }
        }
        move |taker| {
            let granted = split.map_or(taker.demand_gbs, |split| split.granted(taker.demand_gbs));
            (granted * part).min(top * taker.pace)
        }
    }

    /// GB/s that a thread of this port occupies in all at least, if it wants so much: under max-min.
    fn level(&self, threads: &[u32], most: MostThreads<'_>) -> f64 {
        let takers = || self.takers.iter().map(|taker| (f64::from(threads[taker.app]), taker.demand_gbs, taker.pace));
        let at_pace: f64 = takers().map(|(threads, _, pace)| threads * pace).sum();
        let of = |capacity: f64, others: f64, others_at_pace: f64| {
            level(capacity - others, takers()).max(capacity / (at_pace + others_at_pace))
        };
        let mut others = self.others.at_most(threads, most);
        let mut least = f64::INFINITY;
        if let Some((capacity, own)) = &self.link {
            others += own.at_most(threads, most);
            least = level(*capacity, takers());
        }
        least = least.min(of(self.controller, others, self.at_pace.at_most(threads, most)));
        let shared = self.shared.iter().map(|shared| {
            of(shared.capacity, shared.others.at_most(threads, most), shared.at_pace.at_most(threads, most))
        });
        shared.fold(least, f64::min)
    }
}

/// The part of what is asked that `capacity` serves, where `own` and `others` are asked.
fn part_served(capacity: f64, own: f64, others: f64) -> f64 {
    if own + others > capacity { capacity / (own + others) } else { 1.0 }
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

    /// Whether what nobody could use is dealt out again.
    fn deals_again(&self) -> bool {
        self.rule == ModelKind::BaselineProportional
    }

    /// GFLOPS that the threads of each application on the node get at least, all of them together.
    ///
    /// `threads`: of each application on the node. `most`: the most that each has.
    pub fn least_gflops(&self, threads: &[u32], most: MostThreads<'_>, least: &mut [f64]) {
        // First the GB/s of one thread.
        least.fill(f64::INFINITY);
        for port in &self.ports {
            let wants = |taker: &Taker| f64::from(threads[taker.app]) * taker.demand_gbs;
            let wanted: f64 = port.takers.iter().map(wants).sum();
            let granted = port.granted(self, wanted, threads, most);
            let in_the_end = match &port.drawn {
                Some(drawn) if wanted > port.equal_part && self.deals_again() => {
                    (port.controller - drawn.at_most(threads, most)) * self.inverse_cores * (1.0 - LEFT_OVER)
                }
                _ => 0.0,
            };
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
}

impl Solver {
    /// What threads on `node` keep whatever others do, if the model and the machine let that be said.
    pub fn kept(&self, node: NodeId) -> Option<Kept> {
        Kept::new(&self.compiled, node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Access, Placement};
    use crate::demand::Demand;
    use crate::machine::{KernelBandwidths, Machine, Node};
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    /// Nodes of 8 cores with 60 GB/s, `links` as [`Machine::new`] takes them; node 0.
    fn kept_on(nodes: usize, links: Vec<f64>, apps: &[(f64, Placement)]) -> Kept {
        solver_on(nodes, links, apps).kept(NodeId(0)).expect("the default")
    }

    pub(super) fn solver_on(nodes: usize, links: Vec<f64>, apps: &[(f64, Placement)]) -> Solver {
        let node = Node {
            cores: 8,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(60.0),
            core_bandwidth: None,
            read_bandwidth: None,
            memory: None,
            kernels: KernelBandwidths::NONE,
        };
        let links = links.into_iter().map(GigabytesPerSecond::new).collect();
        let machine = Machine::new("equal nodes", vec![node; nodes], links).expect("a machine");
        let demands: Vec<Demand> = apps
            .iter()
            .map(|(intensity, placement)| Demand {
                arithmetic_intensity: FlopPerByte::new(*intensity),
                kernel: Access::Read,
                placement: placement.clone(),
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
}
