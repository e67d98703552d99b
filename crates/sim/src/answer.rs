//! The final check of an answer before it is reported.
//!
//! Search, front and analysis each apply the constraints in their own way. This module checks their results once more against the whole
//! question, also in release builds: a wrong answer must never look like a right one.

use crate::problem::{Candidate, Problem};
use numasim_model::demand::with_smt;
use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::{Allocation, Evaluation, Machine, Placement, evaluate_with};

/// An answer that the question does not allow. This is a fault of the program, never of the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search found a forbidden answer: {0}")]
pub struct Forbidden(String);

impl Problem {
    /// Checks an answer against the machine, the constraints and the data of the applications.
    ///
    /// # Errors
    /// [`Forbidden`] with the first rule that is broken. Report it; do not show the answer.
    pub fn check_answer(&self, allocation: &Allocation, placements: &[Placement]) -> Result<(), Forbidden> {
        if let Some(broken) = self.restrictions.violation(&self.machine, &self.apps, allocation) {
            return Err(Forbidden(broken));
        }
        if placements.len() != self.apps.len() {
            let counts =
                format!("{} placements of data for {} applications", placements.len(), self.apps.len());
            return Err(Forbidden(counts));
        }
        for (app, placement) in self.apps.iter().zip(placements) {
            let exists = placement.home().is_none_or(|home| home.0 < self.machine.node_count());
            if !exists || !app.data.may_become(placement) {
                return Err(Forbidden(format!(
                    "the data of {} is on a node that is not permitted",
                    app.name
                )));
            }
        }
        if let Some(broken) = self.violation(allocation, placements) {
            return Err(Forbidden(broken));
        }
        Ok(())
    }
}

/// Checks that no node has more threads than cores.
///
/// # Errors
/// [`Forbidden`] with the first such node.
pub(crate) fn fits(machine: &Machine, allocation: &Allocation) -> Result<(), Forbidden> {
    allocation.fits(machine).map_err(|error| Forbidden(error.to_string()))
}

// The evaluation of an answer, in addition to the GFLOPS that the search computes.

impl Problem {
    /// The full evaluation of an answer or a baseline, and its value of the objective. `static_work`: work is scheduled statically, which
    /// the search itself never assumes.
    ///
    /// # Errors
    /// The allocation does not match the machine and the applications, or the model has broken a law. Both are faults of the program.
    pub fn evaluated(
        &self,
        candidate: &Candidate,
        static_work: bool,
    ) -> Result<(Evaluation, f64), EvaluateError> {
        let Candidate { allocation, placements, score, .. } = candidate;
        let options = Options { static_work, ..Options::default() };
        let apps = with_smt(&self.asked, &candidate.smt);
        let evaluation = evaluate_with(&self.machine, &apps, placements, allocation, options)?;
        let score = if static_work {
            let gflops: Vec<f64> = evaluation.apps.iter().map(|app| app.gflops.value()).collect();
            self.goal.score(&gflops)
        } else {
            *score
        };
        Ok((evaluation, self.goal.value(score)))
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::NodeId;

    use numasim_model::Data;

    use super::*;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::testing::{app, local_app, uniform_machine};

    /// Two nodes with two cores, `a` with local data, `b` with an open home; a thread of each on each node.
    fn problem() -> Problem {
        let machine = uniform_machine(2, 2, 10.0, 32.0, 10.0);
        let apps = [local_app("a", 1.0), app("b", 1.0, Data::OpenHome { share: 1.0 })];
        let restrictions = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
        Problem::new(&machine, &apps, Objective::TotalGflops, restrictions).expect("a possible question")
    }

    fn allocation(a: [u32; 2], b: [u32; 2]) -> Allocation {
        Allocation::from_rows(&[a.to_vec(), b.to_vec()]).expect("equal rows")
    }

    #[test]
    fn a_valid_answer_passes_the_check() {
        let placements = [Placement::Local, Placement::Home(NodeId(1))];
        assert_eq!(problem().check_answer(&allocation([1, 1], [1, 1]), &placements), Ok(()));
    }

    #[test]
    fn each_broken_rule_is_named() {
        let home = [Placement::Local, Placement::Home(NodeId(0))];
        let elsewhere = [Placement::Interleave, Placement::Home(NodeId(0))];
        let nowhere = [Placement::Local, Placement::Home(NodeId(2))];
        let open = [Placement::Local, Placement::Local];
        let refused = |a, b, placements: &[Placement]| {
            problem().check_answer(&allocation(a, b), placements).expect_err("forbidden").to_string()
        };
        assert_eq!(
            refused([1, 1], [0, 1], &home),
            "the search found a forbidden answer: node 0 has fewer threads of an application than required"
        );
        assert!(refused([1, 2], [1, 1], &home).contains("node 1"));
        assert!(refused([1, 1], [1, 1], &elsewhere).contains("data of a"));
        assert!(refused([1, 1], [1, 1], &nowhere).contains("data of b"));
        assert!(refused([1, 1], [1, 1], &open).contains("data of b"));
        assert!(refused([1, 1], [1, 1], &home[..1]).contains("1 placements"));
    }
}
