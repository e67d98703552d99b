//! The rounds of the default as they were dealt, for explanations.
//!
//! They come from the words of the specification, thread by thread; what they add up to is the answer of the fast solver.

use super::Thread;
use crate::ids::{AppId, NodeId};

/// One round: steps 1 to 4 with what was left before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The ports that ask for something, by memory and node.
    pub ports: Vec<PortInRound>,
    /// Who still took part, by application and node.
    pub groups: Vec<GroupInRound>,
}

/// The port of a controller for the threads of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortInRound {
    /// The node of the controller.
    pub memory: NodeId,
    /// Where the threads run.
    pub from: NodeId,
    /// What it asks for, GB/s: what its threads still want, at most what links and shared links have left.
    pub asks: f64,
    /// What it is granted, GB/s.
    pub granted: f64,
}

/// The threads of one application on one node.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupInRound {
    /// The application.
    pub app: AppId,
    /// Where its threads run.
    pub from: NodeId,
    /// How many.
    pub threads: u32,
    /// What each of them takes in this round from all its memories together, GB/s.
    pub takes: f64,
    /// Why it takes no part any more; `None` where it goes on.
    pub stops: Option<Stop>,
}

/// Why a thread takes no part in further rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has all it wants.
    Satisfied,
    /// This controller is used up.
    Controller(NodeId),
    /// This link is used up.
    Link {
        /// The node of the cores.
        from: NodeId,
        /// The node of the memory.
        memory: NodeId,
    },
    /// The shared link of this name is used up.
    SharedLink(String),
    /// All that this node can read is used up.
    NodeRead(NodeId),
}

/// Threads of one application on one node are alike, and stand one after the other: one entry for all of them.
pub(super) fn groups_of(
    threads: &[Thread],
    asked: &[f64],
    takes: &[f64],
    stops: impl Fn(usize) -> Option<Stop>,
) -> Vec<GroupInRound> {
    let mut groups: Vec<GroupInRound> = Vec::new();
    for (t, thread) in threads.iter().enumerate().filter(|&(t, _)| asked[t] > 0.0) {
        match groups.last_mut() {
            Some(last) if last.app == thread.app && last.from == thread.node => last.threads += 1,
            _ => groups.push(GroupInRound {
                app: thread.app,
                from: thread.node,
                threads: 1,
                takes: takes[t],
                stops: stops(t),
            }),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::super::rounds;
    use super::*;
    use crate::allocation::Allocation;
    use crate::app::Placement;
    use crate::demand::Demand;
    use crate::machine::{Machine, Node};
    use crate::sharing::Solver;
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    /// Two nodes of 2 cores with 10 GFLOPS and 12 GB/s, links of 2 GB/s; a thread of intensity 1 wants 10 GB/s.
    fn machine() -> Machine {
        let node = Node {
            cores: 2,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(12.0),
            core_bandwidth: None,
            read_bandwidth: None,
            memory: None,
        };
        Machine::uniform("two", 2, node, GigabytesPerSecond::new(2.0)).expect("a machine")
    }

    fn demand(placement: Placement) -> Demand {
        Demand { arithmetic_intensity: FlopPerByte::new(1.0), placement }
    }

    #[test]
    fn a_thread_slowed_by_its_link_leaves_its_part_to_a_second_round() {
        // Both on node 0. `spread` reads half of its data over the link of 2 GB/s: 4 GB/s in all, 2 of them here. `local` wants
        // 10: with 5 of `spread` 15 of 12. Baseline 6: spread 5, local 6 and the last one; then the 3 that spread did not
        // take are there, of which local still wants 3.
        let demands = [demand(Placement::Interleave), demand(Placement::Local)];
        let allocation = Allocation::from_rows(&[vec![1, 0], vec![1, 0]]).expect("equal rows");
        let rounds = rounds(&machine(), &demands, &allocation).expect("an answer");
        assert_eq!(rounds.len(), 2, "{rounds:?}");
        let port =
            |memory, asks, granted| PortInRound { memory: NodeId(memory), from: NodeId(0), asks, granted };
        assert_eq!(rounds[0].ports[1], port(1, 2.0, 2.0));
        assert_eq!((rounds[0].ports[0].asks, rounds[0].ports[0].granted), (15.0, 12.0));
        let of = |round: &Round| -> Vec<(f64, Option<Stop>)> {
            round.groups.iter().map(|group| (group.takes, group.stops.clone())).collect()
        };
        let link = Stop::Link { from: NodeId(0), memory: NodeId(1) };
        assert_eq!(of(&rounds[0]), [(4.0, Some(link)), (7.0, None)]);
        assert_eq!(of(&rounds[1]), [(3.0, Some(Stop::Satisfied))]);
    }

    #[test]
    fn rounds_add_up_to_the_answer_of_the_solver() {
        let third = Placement::PartInterleave { share: 0.3 };
        let demands = [demand(third), demand(Placement::Home(NodeId(1))), demand(Placement::Interleave)];
        let allocation = Allocation::from_rows(&[vec![1, 0], vec![1, 1], vec![0, 1]]).expect("equal rows");
        let machine = machine();
        let rounds = rounds(&machine, &demands, &allocation).expect("an answer");
        let solver = Solver::new(&machine, &demands);
        let mut workspace = solver.workspace();
        solver.solve(allocation.as_slice(), &mut workspace);
        let mut sums = [0.0; 3];
        for group in rounds.iter().flat_map(|round| &round.groups) {
            sums[group.app.0] += group.takes * f64::from(group.threads);
        }
        // Intensity 1: GB/s are GFLOPS.
        for (sum, gflops) in sums.iter().zip(workspace.gflops()) {
            assert!((sum - gflops).abs() < 1e-9 * gflops, "{sums:?} and {:?}", workspace.gflops());
        }
    }
}
