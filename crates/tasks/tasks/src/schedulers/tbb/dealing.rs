//! The resource management layer: which program each worker is dealt to (paper 003, sections 3.4 and 4.2).

use crate::schedulers::draw::Draw;

/// How workers are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dealing {
    /// Any workers, evenly many (`tbb`).
    Even,
    /// Evenly many of every node (`tbb-numa`).
    EvenPerNode,
}

impl Dealing {
    /// Per worker, which of so many programs it is dealt to; 0 is the one that is simulated, which keeps worker 0.
    pub(super) fn deal(self, workers: usize, programs: u32, draw: &mut Draw) -> Vec<u32> {
        let (programs, all) = (u64::from(programs.max(1)), workers.max(1) as u64);
        let program = |worker: u64| match self {
            Self::Even => worker * programs / all,
            Self::EvenPerNode => worker % programs,
        };
        // Their numbers are below that of the programs.
        let mut dealt: Vec<u32> =
            (0..workers as u64).map(|worker| u32::try_from(program(worker)).unwrap_or(0)).collect();
        if self == Self::Even {
            // The same numbers in drawn order; the first worker is the program's master thread.
            for place in 1..workers {
                dealt.swap(place, place + draw.of_equals(workers - place));
            }
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{RuntimeSettings, Ties};

    use super::*;

    /// Workers by program and node.
    fn dealt(dealing: Dealing, nodes: usize, cores: usize, programs: u32) -> Vec<Vec<usize>> {
        let order = RuntimeSettings { ties: Ties::Order, ..RuntimeSettings::default() };
        let of_worker = dealing.deal(nodes * cores, programs, &mut Draw::new(&order));
        let mut counts = vec![vec![0; nodes]; programs as usize];
        for (worker, &program) in of_worker.iter().enumerate() {
            counts[program as usize][worker / cores] += 1;
        }
        counts
    }

    #[test]
    fn per_node_as_the_specification_counts_t_3() {
        use Dealing::EvenPerNode;
        assert_eq!(dealt(EvenPerNode, 2, 4, 2), [[2, 2], [2, 2]]);
        assert_eq!(dealt(EvenPerNode, 2, 4, 3), [[2, 1], [1, 2], [1, 1]]);
        // 4 x 8 among three: totals 11, 11, 10, and 2 or 3 of every node.
        let counts = dealt(EvenPerNode, 4, 8, 3);
        assert_eq!(counts.iter().map(|of| of.iter().sum()).collect::<Vec<usize>>(), [11, 11, 10]);
        assert!(counts.iter().flatten().all(|count| [2, 3].contains(count)), "{counts:?}");
    }

    #[test]
    fn without_regard_to_nodes_a_program_gets_whole_nodes() {
        assert_eq!(dealt(Dealing::Even, 2, 4, 2), [[4, 0], [0, 4]]);
        // floor(w x 3 / 8): 0 0 0 1 1 1 2 2.
        assert_eq!(dealt(Dealing::Even, 2, 4, 3), [[3, 0], [1, 2], [0, 2]]);
    }

    #[test]
    fn drawn_workers_are_as_many_and_worker_0_stays() {
        let mut met = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let random = RuntimeSettings { seed, ..RuntimeSettings::default() };
            let dealt = Dealing::Even.deal(8, 3, &mut Draw::new(&random));
            let count = |program| dealt.iter().filter(|&&dealt| dealt == program).count();
            assert_eq!((dealt[0], count(0), count(1), count(2)), (0, 3, 3, 2));
            met.insert(dealt);
        }
        assert!(met.len() > 1);
    }

    #[test]
    fn more_programs_than_workers_leave_some_without() {
        assert_eq!(dealt(Dealing::EvenPerNode, 1, 2, 3), [[1], [1], [0]]);
        assert_eq!(dealt(Dealing::Even, 1, 2, 4), [[1], [0], [1], [0]]);
    }
}
