//! The intervals of a scenario.

use super::draws::Draws;
use crate::objective::Goal;
use crate::problem::{Candidate, Problem, SCORE_TOLERANCE};
use numasim_model::demand::demands;
use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::sharing::Solver;
use numasim_model::{Allocation, App, Placement, evaluate_with};

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

// Which allocations the uncertainty of the machine lets nobody tell from the best.

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

// The interval of 95 % of some values.

/// From the 2.5 % to the 97.5 % quantile, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Of these values: the quantile p lies at place n p + 1/2 of the n ascending ones, between two of them in proportion
    /// (Hazen; of 400 values the lower end lies between the tenth and the eleventh). `None` without values, or where one is
    /// no number.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self { low: at(&sorted, 0.025)?, high: at(&sorted, 0.975)? })
    }

    /// The larger distance from `figure` to an end.
    pub fn reach(self, figure: f64) -> f64 {
        (figure - self.low).max(self.high - figure).max(0.0)
    }

    /// Whether it holds `value`, but for `tolerance`.
    pub(super) fn holds(self, value: f64, tolerance: f64) -> bool {
        self.low - tolerance <= value && value <= self.high + tolerance
    }
}

fn at(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = (sorted.len() as f64 * p - 0.5).clamp(0.0, last as f64);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the number of values")]
    let lower = place.floor() as usize;
    let (low, high) = (*sorted.get(lower)?, *sorted.get(lower + 1).or(sorted.last())?);
    let part = place - lower as f64;
    // Between equal infinities there is no difference to take a part of.
    Some(if low == high || part == 0.0 { low } else { low + (high - low) * part })
}

#[cfg(test)]
mod tests {
    use super::Interval;

    #[test]
    fn ends_lie_between_the_tenth_and_eleventh_of_400() {
        let values: Vec<f64> = (1..=400).map(f64::from).collect();
        assert_eq!(Interval::of(&values), Some(Interval { low: 10.5, high: 390.5 }));
        assert_eq!(Interval::of(&[3.0]), Some(Interval { low: 3.0, high: 3.0 }));
        assert_eq!(Interval::of(&[f64::INFINITY; 4]).map(|interval| interval.low), Some(f64::INFINITY));
        assert_eq!((Interval::of(&[]), Interval::of(&[f64::NAN])), (None, None));
    }

    #[test]
    fn the_reach_is_that_of_the_farther_end() {
        assert_eq!(Interval { low: 8.0, high: 10.5 }.reach(10.0), 2.0);
        assert_eq!(Interval { low: 10.0, high: 10.0 }.reach(10.0), 0.0);
    }
}
