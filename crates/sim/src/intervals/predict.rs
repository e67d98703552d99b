//! The intervals of a scenario.

use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::{Allocation, App, Placement, evaluate_with};

use super::draws::Draws;
use super::interval::Interval;

/// The intervals of one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// GFLOPS of all applications together.
    pub total_gflops: Interval,
    /// GFLOPS of each application.
    pub gflops: Vec<Interval>,
    /// GB/s of each application.
    pub bandwidth_gbs: Vec<Interval>,
}

impl Draws {
    /// Evaluates a scenario on every machine drawn. `None` where an interval has no number.
    ///
    /// # Errors
    /// Those of [`evaluate_with`] on the machine itself: the number of threads, a refusal of the sharing model.
    pub fn predict(
        &self,
        apps: &[App],
        placements: &[Placement],
        allocation: &Allocation,
        options: Options,
    ) -> Result<Option<Prediction>, EvaluateError> {
        let mut total = Vec::with_capacity(Self::COUNT);
        let mut gflops = vec![Vec::with_capacity(Self::COUNT); apps.len()];
        let mut bandwidth = gflops.clone();
        for machine in self.machines() {
            let found = evaluate_with(&machine, apps, placements, allocation, options)?;
            total.push(found.total.value());
            for ((app, gflops), bandwidth) in found.apps.iter().zip(&mut gflops).zip(&mut bandwidth) {
                gflops.push(app.gflops.value());
                bandwidth.push(app.bandwidth.value());
            }
        }
        let of_apps =
            |values: &[Vec<f64>]| values.iter().map(|one| Interval::of(one)).collect::<Option<Vec<_>>>();
        Ok(Interval::of(&total).zip(of_apps(&gflops)).zip(of_apps(&bandwidth)).map(
            |((total_gflops, gflops), bandwidth_gbs)| Prediction { total_gflops, gflops, bandwidth_gbs },
        ))
    }
}
