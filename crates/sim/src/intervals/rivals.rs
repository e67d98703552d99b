//! Which allocations the uncertainty of the machine lets nobody tell from the best.

use numasim_model::sharing::Solver;
use numasim_model::{Allocation, Placement, demand::demands};

use super::draws::Draws;
use super::interval::Interval;
use crate::objective::Goal;
use crate::problem::{Candidate, Problem, SCORE_TOLERANCE};

/// The best allocation and others under the same draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Rivals {
    /// The value of the best, in the unit of the objective.
    pub best: Interval,
    /// The others, in the order in which they were given.
    pub others: Vec<Rival>,
}

/// An allocation beside the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rival {
    /// Its value, in the unit of the objective.
    pub value: Interval,
    /// Its value less that of the best on the same machine, draw by draw: what moves both does not count.
    pub difference: Interval,
    /// Whether the difference is other than 0 in more than 95 % of the draws, with one sign.
    pub distinguishable: bool,
}

impl Draws {
    /// Compares `others` with `best`. `None` where the objective has no value on a machine drawn.
    pub fn rivals(&self, problem: &Problem, best: &Candidate, others: &[&Candidate]) -> Option<Rivals> {
        let mut values = vec![Vec::with_capacity(Self::COUNT); others.len() + 1];
        for machine in self.machines() {
            let goal = Goal::new(problem.goal().objective(), &machine, problem.apps()).ok()?;
            for (candidate, values) in std::iter::once(&best).chain(others).zip(&mut values) {
                let value = |allocation: &Allocation, placements: &[Placement]| {
                    let solver = Solver::new(&machine, &demands(problem.apps(), placements));
                    let mut workspace = solver.workspace();
                    solver.solve(allocation.as_slice(), &mut workspace);
                    goal.value(goal.score(workspace.gflops()))
                };
                values.push(value(&candidate.allocation, &candidate.placements));
            }
        }
        let (of_best, of_others) = values.split_first()?;
        let best = Interval::of(of_best)?;
        let rival = |values: &Vec<f64>| {
            let difference = |(own, best): (&f64, &f64)| if own == best { 0.0 } else { own - best };
            let differences: Vec<f64> = values.iter().zip(of_best).map(difference).collect();
            let difference = Interval::of(&differences)?;
            let rounding = SCORE_TOLERANCE * best.low.abs().max(best.high.abs());
            let distinguishable = !difference.holds(0.0, if rounding.is_finite() { rounding } else { 0.0 });
            Some(Rival { value: Interval::of(values)?, difference, distinguishable })
        };
        let others = of_others.iter().map(rival).collect::<Option<Vec<_>>>()?;
        Some(Rivals { best, others })
    }
}
