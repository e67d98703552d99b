//! Local bandwidth of threads under the default model if no thread elsewhere reads the memory of their node:
//! a single number determines it for all of them.
//!
//! # The law
//! A node with C cores reads B GB/s, of which each core is sure of an equal share b = B / C. Thread i has the
//! demand d_i. If the demands sum to more than B, threads with d_i <= b get their demand, and the others b +
//! f (d_i - b) with f = (B - sum min(d_i, b)) / sum max(d_i - b, 0) (`sharing/split.rs`). Otherwise f is 1.
//! So at a given f each thread consumes a known bandwidth, which grows with f, and all of them together at
//! most B. A search that knows the limits of f knows the bandwidth of each thread, for any number of other
//! threads.

use crate::ids::NodeId;
use crate::sharing::compiled::{Compiled, PoolKind};
use crate::sharing::solver::Solver;

/// Consumption of one thread of an application on the memory of its node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Taker {
    /// Nothing: it reads other memories.
    Elsewhere,
    /// At most `wanted_gbs` read-equivalent GB/s, and nothing on other memories.
    Here { wanted_gbs: f64 },
}

/// The law of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnShare {
    bandwidth_gbs: f64,
    /// Guaranteed bandwidth of each core, in read-equivalent GB/s.
    sure_gbs: f64,
    /// Per application.
    takers: Vec<Taker>,
}

impl OwnShare {
    fn new(compiled: &Compiled, node: NodeId) -> Option<Self> {
        let memory = compiled.memories.get(node.0)?;
        let limited = compiled.reads.iter().any(|reads| reads.node == Some(node));
        let is_read_from_outside = memory.links.clone().any(|link| !compiled.pools[link].flows.is_empty());
        if !compiled.model.is_plain_default() || limited || is_read_from_outside {
            return None;
        }
        let (_, own, _) = compiled.pools_of(node.0).find(|(_, _, kind)| *kind == PoolKind::Own)?;
        let mut takers = vec![Taker::Elsewhere; compiled.intensity.len()];
        for flow in &compiled.flows[compiled.pools[own].flows.clone()] {
            // A thread that reads several memories may be limited by another one.
            if compiled.flows.iter().filter(|other| other.group == flow.group).count() > 1 {
                return None;
            }
            *takers.get_mut(compiled.app_of(flow))? = Taker::Here { wanted_gbs: flow.demand_gbs };
        }
        let sure_gbs = memory.bandwidth * compiled.pools[own].inverse_cores;
        Some(Self { bandwidth_gbs: memory.bandwidth, sure_gbs, takers })
    }

    /// Bandwidth of the memory in read-equivalent GB/s.
    pub const fn bandwidth_gbs(&self) -> f64 {
        self.bandwidth_gbs
    }

    /// Read-equivalent GB/s of a thread of an application at `f`, 0 to 1.
    pub fn occupied_gbs(&self, app: usize, f: f64) -> f64 {
        match self.takers[app] {
            Taker::Elsewhere => 0.0,
            Taker::Here { wanted_gbs } => {
                self.sure_gbs.min(wanted_gbs) + f * (wanted_gbs - self.sure_gbs).max(0.0)
            }
        }
    }

    /// GFLOPS of a thread of an application at `f`, relative to its GFLOPS with its whole demand.
    pub fn part_of_full_speed(&self, app: usize, f: f64) -> f64 {
        match self.takers[app] {
            Taker::Here { wanted_gbs } if wanted_gbs > 0.0 => self.occupied_gbs(app, f) / wanted_gbs,
            _ => 1.0,
        }
    }
}

impl Solver {
    /// The law of the memory of `node`; `None` under other models, with corrections, if reads are limited, if
    /// threads elsewhere read the memory, or if its own threads read several memories.
    pub fn own_share(&self, node: NodeId) -> Option<OwnShare> {
        if self.writes_open_copies() { None } else { OwnShare::new(&self.compiled, node) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Access, Placement};
    use crate::demand::Demand;
    use crate::machine::{Machine, Node};
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    /// The law of the first of two nodes of 8 cores with 10 GFLOPS each and 32 GB/s.
    fn law(apps: &[(f64, Placement)]) -> Option<OwnShare> {
        let node = Node {
            cores: 8,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(32.0),
            ..Node::default()
        };
        let machine = Machine::uniform("two", 2, node, GigabytesPerSecond::new(10.0)).expect("a machine");
        let demand = |(intensity, placement): &(f64, Placement)| {
            Demand::new(FlopPerByte::new(*intensity), Access::Read, placement.clone())
        };
        Solver::new(&machine, &apps.iter().map(demand).collect::<Vec<_>>()).own_share(NodeId(0))
    }

    #[test]
    fn a_thread_gets_its_guaranteed_share_and_a_fraction_of_its_further_demand() {
        // Each core is sure of 4 GB/s. Threads of 0.5 FLOP per byte request 20, those of 10 request 1.
        let law = law(&[(0.5, Placement::Local), (10.0, Placement::Local)]).expect("the default");
        let occupied = [0.0, 0.5, 1.0].map(|f| law.occupied_gbs(0, f));
        assert_eq!(occupied, [4.0, 12.0, 20.0]);
        assert_eq!((law.occupied_gbs(1, 0.0), law.part_of_full_speed(1, 0.0)), (1.0, 1.0));
        // 3 + 5 threads: f = (32 - 3 x 4 - 5) / (3 x 16) = 0.3125, 9 GB/s each, as in the paper.
        assert!((law.occupied_gbs(0, 0.3125) - 9.0).abs() < 1e-12);
    }

    #[test]
    fn a_memory_with_remote_readers_or_readers_of_other_memories_has_no_law() {
        let local = (0.5, Placement::Local);
        assert!(law(&[local.clone(), (0.5, Placement::Home(NodeId(0)))]).is_none(), "read from node 1");
        assert!(law(&[local.clone(), (0.5, Placement::Interleave)]).is_none(), "reads both");
        let beside =
            law(&[local, (0.5, Placement::Home(NodeId(1)))]).expect("the memory of node 1 is another");
        assert_eq!((beside.occupied_gbs(1, 1.0), beside.part_of_full_speed(1, 0.0)), (0.0, 1.0));
    }
}
