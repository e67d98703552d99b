//! The other side of what threads of a node keep: the most that threads elsewhere draw of its memory.

use super::asked::{Asked, MostThreads};
use crate::ids::NodeId;
use crate::sharing::solver::Solver;

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
mod tests {
    use super::super::tests::{most, solver_on};
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
