//! What threads keep whatever others do: a lower bound under the default model, for searches.
//!
//! In the first round every port is granted what it asks for, or else at least an equal part of the controller; the local one at least what the links
//! do not ask for (`sharing/ports.rs`). Links that share another ask for at least an equal part of it. What a thread is granted inside
//! a port grows with what the port has (`sharing/split.rs`), it takes the smallest of its ports, and later rounds take nothing away.
//!
//! # Why it grows
//! With C cores, grant G, wants w and W = sum w, S = sum min(w, G / C), a thread that wants more than G / C gets
//! G / C + (w - G / C) f with f = (G - S) / (W - S). Where k < C threads want more than G / C, S grows by k / C with G, so that f grows
//! by ((W - S) - (W - G) k / C) / (W - S)^2, which is not negative as S <= G; and G / C grows more than it takes from w - G / C.

use super::compiled::{Common, Compiled, PoolKind};
use super::solver::Solver;
use super::split::Split;
use crate::ids::{AppId, NodeId};

/// Room for rounding in other orders of sums.
const ROUNDING: f64 = 1e-11;

/// The threads of one application at one port.
#[derive(Clone, Copy, Debug)]
struct Taker {
    app: usize,
    /// GB/s that one thread wants to occupy of the memory.
    demand_gbs: f64,
    /// GB/s as the thread moves them for each GB/s that it occupies of this memory.
    moved_per_occupied: f64,
}

/// A port through which threads of the node read a memory.
#[derive(Clone, Debug)]
struct Port {
    /// What it has at least, if its threads want that: an equal part of the controller, the link, an equal part of shared links; GB/s.
    kept_gbs: f64,
    /// The controller, where it is that of the node itself: what links do not ask for stays with it. GB/s.
    own_gbs: Option<f64>,
    takers: Vec<Taker>,
}

/// Threads of another node that read the memory of this one.
#[derive(Clone, Debug)]
struct Link {
    /// GB/s.
    capacity: f64,
    /// Cores of the node: the most threads.
    cores: f64,
    /// Application, and what one of its threads wants to occupy, GB/s.
    wants: Vec<(usize, f64)>,
}

/// What threads of one node keep under the default model.
#[derive(Clone, Debug)]
pub struct Kept {
    inverse_cores: f64,
    ports: Vec<Port>,
    /// Into the memory of the node.
    links: Vec<Link>,
    /// Per application: what one of its threads elsewhere wants of the memory of this node at most, GB/s.
    elsewhere_gbs: Vec<f64>,
    /// Per application: FLOP per byte, and GFLOPS of the core.
    rooflines: Vec<(f64, f64)>,
}

impl Kept {
    /// Of `node`; `None` where the model is another one or corrected, or what the node reads is limited.
    pub(super) fn new(compiled: &Compiled, node: NodeId) -> Option<Self> {
        let limited = compiled.reads.iter().any(|reads| reads.node == Some(node));
        if !compiled.model.is_plain_default() || limited {
            return None;
        }
        let nodes = compiled.memories.len();
        let apps = compiled.intensity.len();
        let app_of = |group: u32| group as usize / nodes;
        let inverse_cores = compiled.pools.iter().find(|pool| pool.from == node)?.inverse_cores;
        let mut ports = Vec::new();
        for (m, p, kind) in compiled.pool_indices().filter(|&(_, p, _)| compiled.pools[p].from == node) {
            let memory = &compiled.memories[m];
            let readers = memory.links.clone().filter(|&link| !compiled.pools[link].flows.is_empty()).count();
            let (own_gbs, narrowest) = match kind {
                PoolKind::Own => (Some(memory.bandwidth), f64::INFINITY),
                PoolKind::Link => {
                    let uses = |shared: &&Common| shared.users.iter().any(|&user| user as usize == p);
                    let shared = compiled.shared.iter().filter(uses);
                    let parts = shared.map(|shared| shared.capacity / shared.users.len() as f64);
                    (None, parts.fold(compiled.pools[p].capacity, f64::min))
                }
            };
            let takers = compiled.flows[compiled.pools[p].flows.clone()].iter().map(|flow| Taker {
                app: app_of(flow.group),
                demand_gbs: flow.demand_gbs,
                moved_per_occupied: flow.inverse_cost,
            });
            let kept_gbs = (memory.bandwidth / (1 + readers) as f64).min(narrowest);
            ports.push(Port { kept_gbs, own_gbs, takers: takers.collect() });
        }
        let links = compiled.pools[compiled.memories[node.0].links.clone()].iter().map(|pool| {
            let flows = compiled.flows[pool.flows.clone()].iter();
            let wants = flows.map(|flow| (app_of(flow.group), flow.demand_gbs)).collect();
            Link { capacity: pool.capacity, cores: pool.inverse_cores.recip(), wants }
        });
        let links: Vec<Link> = links.collect();
        let mut elsewhere_gbs = vec![0.0_f64; apps];
        for &(app, gbs) in links.iter().flat_map(|link| &link.wants) {
            elsewhere_gbs[app] = elsewhere_gbs[app].max(gbs);
        }
        let rooflines = (0..apps).map(|a| (compiled.intensity[a], compiled.peak[(AppId(a), node)])).collect();
        Some(Self { inverse_cores, ports, links, elsewhere_gbs, rooflines })
    }

    /// GFLOPS that the threads of each application on the node get at least, all of them together.
    ///
    /// `threads`: of each application on the node. `highest`: the most that each has on the whole machine.
    pub fn least_gflops(&self, threads: &[u32], highest: &[u32], least: &mut [f64]) {
        // First the GB/s of one thread.
        least.fill(f64::INFINITY);
        for port in &self.ports {
            let takers = || port.takers.iter().map(|taker| (f64::from(threads[taker.app]), taker.demand_gbs));
            let wanted: f64 = takers().map(|(threads, gbs)| threads * gbs).sum();
            let kept = match port.own_gbs {
                Some(controller) => port.kept_gbs.max(controller - self.asked_over_links(threads, highest)),
                None => port.kept_gbs,
            };
            let split = (wanted > kept).then(|| Split::new(kept, self.inverse_cores, takers()));
            for taker in &port.takers {
                let granted = split.map_or(taker.demand_gbs, |split| split.granted(taker.demand_gbs));
                least[taker.app] = least[taker.app].min(granted * taker.moved_per_occupied);
            }
        }
        for ((least, threads), (intensity, peak)) in least.iter_mut().zip(threads).zip(&self.rooflines) {
            let of_one = if least.is_finite() { (*least * intensity).min(*peak) } else { 0.0 };
            *least = f64::from(*threads) * of_one * (1.0 - ROUNDING);
        }
    }

    /// The most that other nodes ask of the memory of this one, GB/s.
    fn asked_over_links(&self, threads: &[u32], highest: &[u32]) -> f64 {
        let elsewhere = |app: usize| f64::from(highest[app].saturating_sub(threads[app]));
        let asked = |link: &Link| -> f64 {
            let wants = link.wants.iter().map(|&(app, gbs)| elsewhere(app).min(link.cores) * gbs);
            wants.sum::<f64>().min(link.capacity)
        };
        // Each thread is on one node only: at most on that where it wants most.
        let together: f64 =
            self.elsewhere_gbs.iter().enumerate().map(|(app, gbs)| elsewhere(app) * gbs).sum();
        self.links.iter().map(asked).sum::<f64>().min(together)
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

    fn kept(apps: &[(f64, Placement)]) -> Kept {
        let node = Node {
            cores: 8,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(60.0),
            core_bandwidth: None,
            read_bandwidth: None,
            memory: None,
            kernels: KernelBandwidths::NONE,
        };
        let machine = Machine::uniform("two", 2, node, GigabytesPerSecond::new(20.0)).expect("a machine");
        let demands: Vec<Demand> = apps
            .iter()
            .map(|(intensity, placement)| Demand {
                arithmetic_intensity: FlopPerByte::new(*intensity),
                kernel: Access::Read,
                placement: placement.clone(),
            })
            .collect();
        Solver::new(&machine, &demands).kept(NodeId(0)).expect("the default")
    }

    #[test]
    fn a_full_controller_leaves_what_links_do_not_ask_for() {
        // `mem` wants 20 GB/s a thread, `spread` 10, half of it here. 4 threads of `mem` and 2 of `spread`: 80 + 10 = 90 GB/s. Of 6 threads of
        // `spread` in all 4 are elsewhere and ask for 4 x 5 = 20, as much as the link has: 40 are left, baseline 5: 4 x 5 and
        // 2 x 5, what is left, 10, goes to `mem`: 30 GB/s, 15 GFLOPS. Of the other memory 2 of `spread` want 10 and have 20: 2 x 10 GFLOPS.
        let kept = kept(&[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        kept.least_gflops(&[4, 2], &[8, 6], &mut least);
        assert!((least[0] - 15.0).abs() < 1e-9 && (least[1] - 20.0).abs() < 1e-9, "{least:?}");
        // No more than 3 of `spread`: one elsewhere asks for 5: 55 GB/s, baseline 6.875: 4 x 6.875 and 2 x 5, 17.5 more: 45 GB/s.
        kept.least_gflops(&[4, 2], &[8, 3], &mut least);
        assert!((least[0] - 22.5).abs() < 1e-9, "{least:?}");
    }

    #[test]
    fn who_finds_enough_keeps_all_that_it_wants() {
        // 1 x 20 + 1 x 5 of 60 - 20 GB/s.
        let kept = kept(&[(0.5, Placement::Local), (1.0, Placement::Interleave)]);
        let mut least = [0.0; 2];
        kept.least_gflops(&[1, 1], &[8, 8], &mut least);
        assert!((least[0] - 10.0).abs() < 1e-9, "{least:?}");
    }
}
