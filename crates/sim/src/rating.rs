//! What becomes of an answer, beside the GFLOPS that the search computes.

use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::{Evaluation, evaluate_with};

use crate::problem::{Candidate, Problem};

impl Problem {
    /// The full evaluation of an answer or a baseline, and its value of the objective. `static_work`: work is divided beforehand, which
    /// the search itself never does.
    ///
    /// # Errors
    /// The allocation is none of the machine and the applications, or the model has broken a law: a fault of the program.
    pub fn evaluated(
        &self,
        candidate: &Candidate,
        static_work: bool,
    ) -> Result<(Evaluation, f64), EvaluateError> {
        let Candidate { allocation, placements, score, .. } = candidate;
        let options = Options { static_work, ..Options::default() };
        let evaluation = evaluate_with(&self.machine, &self.apps, placements, allocation, options)?;
        let score = if static_work {
            let gflops: Vec<f64> = evaluation.apps.iter().map(|app| app.gflops.value()).collect();
            self.goal.score(&gflops)
        } else {
            *score
        };
        Ok((evaluation, self.goal.value(score)))
    }
}
