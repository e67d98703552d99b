//! The four objectives, as scores to maximise.
//!
//! Inside the search every objective is a **score**: larger is better, and it is concave in the GFLOPS of the applications, as the bounds
//! require. Outside it is a **value** in the unit that people know.
//!
//! | objective | score | value |
//! |---|---|---|
//! | total-gflops | sum of weight x G | the same, GFLOPS |
//! | fair | min of p = G / F | the same, a fraction |
//! | geomean | sum weight x ln p / sum weight | exp(score), a fraction |
//! | makespan | min of G / work | 1 / score, seconds |
//!
//! F is the performance of an application alone on the machine under its own constraints (`alone`).

use numasim_model::App;

/// Relative difference below which two scores count as equal.
pub(crate) const SCORE_TOLERANCE: f64 = 1e-9;

/// The smallest step that counts as better than `score`.
pub(crate) fn margin(score: f64) -> f64 {
    if score.is_finite() { SCORE_TOLERANCE * score.abs().max(1e-300) } else { 0.0 }
}

numasim_model::words! {
    /// An objective of `explore`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Objective {
        /// The largest sum of weight x GFLOPS.
        TotalGflops = "total-gflops",
        /// The largest minimum of p = GFLOPS / GFLOPS alone under the application's own constraints.
        Fair = "fair",
        /// The largest weighted geometric mean of p.
        Geomean = "geomean",
        /// The smallest time until every application has done its work.
        Makespan = "makespan",
    }
}

impl Default for Objective {
    /// The default objective of a question. FLOP of different applications are not comparable, and their sum starves applications that are
    /// limited by memory.
    fn default() -> Self {
        Self::Geomean
    }
}

impl Objective {
    /// The unit of its value; empty for a fraction.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::TotalGflops => "GFLOPS",
            Self::Fair | Self::Geomean => "",
            Self::Makespan => "s",
        }
    }
}

/// An objective prepared for a machine and applications.
#[derive(Clone, Debug)]
pub struct Goal {
    objective: Objective,
    /// Per application: its weight; for geomean divided by the sum of weights.
    weights: Vec<f64>,
    /// Per application: the divisor of its GFLOPS (alone, work or 1).
    unit_gflops: Vec<f64>,
    /// Per application: GFLOPS alone under its own constraints.
    alone: Vec<f64>,
    /// Whether all of these are proven.
    alone_is_proven: bool,
    /// For `fair`, if some applications keep a minimum ([`Self::at_level`]).
    level: Option<AtLevel>,
}

/// Some applications keep at least a p, and the smallest p of the others counts.
///
/// The score is concave up to a step down where an application with a floor misses it. It is at most the minimum of `offset + G / unit`,
/// from which the bounds are built. For an application without a floor that term is p. For one with a floor it is `most` at the floor, as
/// no p is larger, and falls steeply ([`STEEP`]) below it.
#[derive(Clone, Debug)]
struct AtLevel {
    /// The largest score.
    most: f64,
    /// Per application: the least GFLOPS; `None` if its p counts.
    floors: Vec<Option<f64>>,
    /// Per application: the offset that is added to GFLOPS / unit.
    offsets: Vec<f64>,
}

/// How many times faster than its GFLOPS the term of an application falls below its floor. Larger values give stronger bounds and more
/// uneven prices.
const STEEP: f64 = 100.0;

/// The highest performance of an application alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alone {
    /// GFLOPS, or its rate.
    pub gflops: f64,
    /// Whether it is proven that no allocation has more.
    pub proven: bool,
}

/// The reason why an objective does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// The makespan needs the amount of work.
    #[error("the makespan objective needs `work_gflop` for every application; missing for: {}", .0.join(", "))]
    MissingWork(Vec<String>),
    /// A sum or a time of FLOP cannot include work in another unit.
    #[error("the {} objective adds up FLOP, but these applications count something else (`rate`): {}", .0.as_str(), .1.join(", "))]
    NoFlop(Objective, Vec<String>),
    /// A mean without any weight.
    #[error("the geomean objective needs at least one application with a weight above 0")]
    NoWeight,
}

impl Goal {
    /// An objective, given the performance of each application alone.
    ///
    /// # Errors
    /// [`GoalError`] if work or weights are missing.
    pub(crate) fn compared_with(
        objective: Objective,
        known: &[Alone],
        apps: &[App],
    ) -> Result<Self, GoalError> {
        let alone: Vec<f64> = known.iter().map(|one| one.gflops).collect();
        let mut weights: Vec<f64> = apps.iter().map(|app| app.weight).collect();
        let unit_gflops = match objective {
            Objective::TotalGflops => vec![1.0; apps.len()],
            Objective::Fair => alone.clone(),
            Objective::Geomean => {
                let sum: f64 = weights.iter().sum();
                if sum <= 0.0 {
                    return Err(GoalError::NoWeight);
                }
                for weight in &mut weights {
                    *weight /= sum;
                }
                alone.clone()
            }
            Objective::Makespan => {
                let missing: Vec<String> =
                    apps.iter().filter(|app| app.work.is_none()).map(|app| app.name.clone()).collect();
                if !missing.is_empty() {
                    return Err(GoalError::MissingWork(missing));
                }
                apps.iter().filter_map(|app| app.work).map(numasim_model::units::Gflop::value).collect()
            }
        };
        let alone_is_proven = known.iter().all(|one| one.proven);
        Ok(Self { objective, weights, unit_gflops, alone, alone_is_proven, level: None })
    }

    /// `fair` with floors: each application with a floor keeps at least this p, and the smallest p of the others counts, up to `most`.
    /// Allocations that miss a floor have scores below 0.
    pub(crate) fn at_level(&self, floors: &[Option<f64>], most: f64) -> Self {
        let mut unit_gflops = self.alone.clone();
        let mut offsets = vec![0.0; floors.len()];
        let mut least = vec![None; floors.len()];
        for (a, floor) in floors.iter().enumerate() {
            let Some(floor) = floor else { continue };
            let floor = floor * self.alone[a] * (1.0 - SCORE_TOLERANCE);
            least[a] = Some(floor);
            // No value is below 0.
            (unit_gflops[a], offsets[a]) =
                if floor > 0.0 { (floor / STEEP, most - STEEP) } else { (1.0, most) };
        }
        Self { unit_gflops, level: Some(AtLevel { most, floors: least, offsets }), ..self.clone() }
    }

    /// The largest sum of GFLOPS (or of its rate) of one application, without any comparison.
    pub(crate) fn of_one() -> Self {
        Self {
            objective: Objective::TotalGflops,
            weights: vec![1.0],
            unit_gflops: vec![1.0],
            alone: vec![1.0],
            alone_is_proven: true,
            level: None,
        }
    }

    /// Whether applications are compared with their performance alone.
    pub fn is_relative(&self) -> bool {
        matches!(self.objective, Objective::Fair | Objective::Geomean)
    }

    /// Whether all reference values are proven.
    pub fn is_exact(&self) -> bool {
        !self.is_relative() || self.alone_is_proven()
    }

    /// Whether it is proven that no application exceeds [`Self::alone`].
    pub(crate) fn alone_is_proven(&self) -> bool {
        self.alone_is_proven
    }

    /// The objective.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// F: the highest GFLOPS of each application alone on the machine under its own constraints: its threads, nodes, hardware threads of a
    /// core, L3 domains and memory, an open home at its best node. Constraints on all applications do not count.
    pub fn alone(&self) -> &[f64] {
        &self.alone
    }

    /// Weight of each application in the score (normalised for geomean).
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The divisors of the GFLOPS of each application.
    pub(crate) fn unit_gflops(&self) -> &[f64] {
        &self.unit_gflops
    }

    /// Whether every allocation has the same, worst score: an application that counts gets nothing even with the whole machine to itself.
    pub(crate) fn is_hopeless(&self) -> bool {
        match self.objective {
            Objective::TotalGflops | Objective::Makespan => false,
            Objective::Fair => self.level.is_none() && self.alone.contains(&0.0),
            Objective::Geomean => self.alone.iter().zip(&self.weights).any(|(a, w)| *a == 0.0 && *w > 0.0),
        }
    }

    /// The offset that is added to GFLOPS / unit of an application, if the smallest sum is the score.
    #[inline]
    pub(crate) fn offset(&self, app: usize) -> f64 {
        self.level.as_ref().map_or(0.0, |level| level.offsets[app])
    }

    /// The least GFLOPS of an application in an answer that scores more than `target`, if the smallest sum is the score.
    pub(crate) fn least_gflops(&self, app: usize, target: f64) -> f64 {
        let floor = self.level.as_ref().and_then(|level| level.floors[app]);
        floor.unwrap_or_else(|| self.unit_gflops[app] * (target - self.offset(app)))
    }

    /// The score of these GFLOPS per application; larger is better, -infinity for a geomean with a 0 in it.
    #[inline]
    pub fn score(&self, gflops: &[f64]) -> f64 {
        if let Some(level) = &self.level {
            return level.score(gflops, &self.unit_gflops);
        }
        match self.objective {
            Objective::TotalGflops => gflops.iter().zip(&self.weights).map(|(g, w)| g * w).sum(),
            Objective::Fair | Objective::Makespan => gflops
                .iter()
                .zip(&self.unit_gflops)
                .map(|(g, unit)| if *unit > 0.0 { g / unit } else { 0.0 })
                .fold(f64::INFINITY, f64::min),
            Objective::Geomean => gflops
                .iter()
                .zip(&self.unit_gflops)
                .zip(&self.weights)
                .filter(|(_, weight)| **weight > 0.0)
                .map(
                    |((g, unit), weight)| {
                        if *unit > 0.0 { weight * libm::log(g / unit) } else { f64::NEG_INFINITY }
                    },
                )
                .sum(),
        }
    }

    /// p of each application: its GFLOPS as a fraction of its performance alone, 0 if that is 0.
    pub fn p(&self, gflops: &[f64]) -> Vec<f64> {
        let p = |(g, alone): (&f64, &f64)| if *alone > 0.0 { g / alone } else { 0.0 };
        gflops.iter().zip(&self.alone).map(p).collect()
    }

    /// p of each application, ascending. If two allocations differ, the better one by `fair` has the larger value at the first position at
    /// which they differ.
    pub fn sorted(&self, gflops: &[f64]) -> Vec<f64> {
        let mut sorted = self.p(gflops);
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// The value that people read, from the score. The makespan of an allocation is infinite if an application never finishes.
    pub fn value(&self, score: f64) -> f64 {
        match self.objective {
            Objective::TotalGflops | Objective::Fair => score,
            Objective::Geomean => libm::exp(score),
            Objective::Makespan => 1.0 / score,
        }
    }

    /// The tie-break between equal scores: the smallest p for total-gflops, else the sum of p.
    pub(crate) fn tie_break(&self, gflops: &[f64]) -> f64 {
        let parts = gflops.iter().zip(&self.alone).filter(|(_, alone)| **alone > 0.0).map(|(g, a)| g / a);
        match self.objective {
            Objective::TotalGflops => parts.fold(f64::INFINITY, f64::min),
            _ => parts.sum(),
        }
    }

    /// The score of a value.
    pub(crate) fn score_of(&self, value: f64) -> f64 {
        match self.objective {
            Objective::TotalGflops | Objective::Fair => value,
            Objective::Geomean => libm::log(value),
            Objective::Makespan => 1.0 / value,
        }
    }

    /// The least score that loses at most the fraction `within` of `best`. If `best` is 0, no score loses anything.
    pub(crate) fn least_score(&self, best: f64, within: f64) -> f64 {
        if best <= 0.0 && self.objective != Objective::Geomean {
            return f64::NEG_INFINITY;
        }
        match self.objective {
            Objective::Geomean => best + libm::log(1.0 - within),
            Objective::TotalGflops | Objective::Fair | Objective::Makespan => best * (1.0 - within),
        }
    }

    /// The smallest difference from `score` that counts, a relative 1e-9 of its value. For a geomean it is an absolute 1e-9, because its
    /// score is a logarithm, which is 0 if every application has its performance alone.
    pub(crate) fn margin(&self, score: f64) -> f64 {
        match self.objective {
            Objective::Geomean if score.is_finite() => SCORE_TOLERANCE,
            _ => margin(score),
        }
    }

    /// The loss of `value` against `best`, as a fraction, never below 0.
    pub fn loss(&self, best: f64, value: f64) -> f64 {
        self.regret(best, value).max(0.0)
    }

    /// The fraction of `best` that `value` misses: 1 - value / best, and 1 - best / value for a makespan. Below 0 if `value` is better; 0
    /// if both are equal, even if both are 0.
    pub fn regret(&self, best: f64, value: f64) -> f64 {
        let part = match self.objective {
            Objective::Makespan => best / value,
            _ => value / best,
        };
        if part.is_nan() { 0.0 } else { 1.0 - part }
    }

    /// How many times better `value` is than `baseline`: above 1 means that it wins. `None` if this is undefined (division by zero).
    pub fn factor(&self, value: f64, baseline: f64) -> Option<f64> {
        let factor = match self.objective {
            Objective::Makespan => baseline / value,
            _ => value / baseline,
        };
        factor.is_finite().then_some(factor)
    }
}

impl AtLevel {
    fn score(&self, gflops: &[f64], unit: &[f64]) -> f64 {
        let (mut smallest, mut missed) = (self.most, false);
        for (a, g) in gflops.iter().enumerate() {
            smallest = smallest.min(self.offsets[a] + g / unit[a]);
            missed |= self.floors[a].is_some_and(|floor| *g < floor);
        }
        if missed { smallest - self.most - 1.0 } else { smallest.max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};

    #[test]
    fn below_a_floor_scores_are_below_0_and_above_it_the_smallest_other_p_counts() {
        // Alone 80 GFLOPS each; a keeps 0.25, 20 GFLOPS.
        let machine = uniform_machine(1, 8, 10.0, 1000.0, 10.0);
        let apps = [local_app("a", 10.0), local_app("b", 10.0), local_app("c", 10.0)];
        let fair = Goal::new(Objective::Fair, &machine, &apps).expect("a goal");
        let goal = fair.at_level(&[Some(0.25), None, None], 1.0);
        assert!((goal.score(&[20.0, 40.0, 60.0]) - 0.5).abs() < 1e-12);
        assert!((goal.score(&[30.0, 60.0, 40.0]) - 0.5).abs() < 1e-12);
        // 19 of 20 GFLOPS: 1 - 100 x 0.05 = -4, and 2 less.
        assert!((goal.score(&[19.0, 40.0, 60.0]) + 6.0).abs() < 1e-6);
        assert_eq!(fair.sorted(&[40.0, 20.0, 80.0]), [0.25, 0.5, 1.0]);
    }
}
