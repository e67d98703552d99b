//! What "best" means: the four objectives, as scores to be made as large as possible.
//!
//! Inside the search every objective is a **score**: larger is better, and concave in the GFLOPS of the applications,
//! which is what the bounds need. Outside it is a **value** in the unit that people know.
//!
//! | objective | score | value |
//! |---|---|---|
//! | total-gflops | sum of weight x G | the same, GFLOPS |
//! | fair | min of p = G / F | the same, a fraction |
//! | geomean | sum weight x ln p / sum weight | exp(score), a fraction |
//! | makespan | min of G / work | 1 / score, seconds |
//!
//! F is what an application has alone on the machine under its own constraints (`alone`).

use numasim_model::App;

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

/// An objective made ready for a machine and applications.
#[derive(Clone, Debug)]
pub struct Goal {
    objective: Objective,
    /// Per application: its weight; for geomean divided by the sum of weights.
    weights: Vec<f64>,
    /// Per application: what its GFLOPS are divided by (alone, work or 1).
    unit_gflops: Vec<f64>,
    /// Per application: GFLOPS alone under its own constraints.
    alone: Vec<f64>,
    /// Whether all of these are proven.
    alone_is_proven: bool,
}

/// The most that an application computes alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alone {
    /// GFLOPS, or its rate.
    pub gflops: f64,
    /// Whether it is proven that no allocation has more.
    pub proven: bool,
}

/// Why an objective does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// The makespan needs to know how much there is to do.
    #[error("the makespan objective needs `work_gflop` for every application; missing for: {}", .0.join(", "))]
    MissingWork(Vec<String>),
    /// A sum or a time of FLOP has no place for what counts something else.
    #[error("the {} objective adds up FLOP, but these applications count something else (`rate`): {}", .0.as_str(), .1.join(", "))]
    NoFlop(Objective, Vec<String>),
    /// A mean with no weight at all.
    #[error("the geomean objective needs at least one application with a weight above 0")]
    NoWeight,
}

impl Goal {
    /// An objective, once it is known what the applications have alone.
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
        Ok(Self { objective, weights, unit_gflops, alone, alone_is_proven })
    }

    /// The largest sum of GFLOPS (or of its rate) of one application, which is compared with nothing.
    pub(crate) fn of_one() -> Self {
        Self {
            objective: Objective::TotalGflops,
            weights: vec![1.0],
            unit_gflops: vec![1.0],
            alone: vec![1.0],
            alone_is_proven: true,
        }
    }

    /// Whether applications are compared with what they have alone.
    pub fn is_relative(&self) -> bool {
        matches!(self.objective, Objective::Fair | Objective::Geomean)
    }

    /// Whether all that the value is relative to is proven.
    pub fn is_exact(&self) -> bool {
        !self.is_relative() || self.alone_is_proven
    }

    /// The objective.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// F: the most GFLOPS of each application alone on the machine under its own constraints: its threads, nodes, hardware threads of a
    /// core, L3 domains and memory, an open home at its best node. Constraints on all applications do not count.
    pub fn alone(&self) -> &[f64] {
        &self.alone
    }

    /// Weight of each application in the score (normalised for geomean).
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What the GFLOPS of each application are divided by.
    pub(crate) fn unit_gflops(&self) -> &[f64] {
        &self.unit_gflops
    }

    /// Whether every allocation has the same, worst score: an application that counts gets nothing even with the
    /// whole machine to itself.
    pub(crate) fn is_hopeless(&self) -> bool {
        match self.objective {
            Objective::TotalGflops | Objective::Makespan => false,
            Objective::Fair => self.alone.contains(&0.0),
            Objective::Geomean => self.alone.iter().zip(&self.weights).any(|(a, w)| *a == 0.0 && *w > 0.0),
        }
    }

    /// The score of these GFLOPS per application; larger is better, -infinity for a geomean with a 0 in it.
    #[inline]
    pub fn score(&self, gflops: &[f64]) -> f64 {
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

    /// p of each application, ascending: of two allocations the better one by `fair` has the larger value at the first place where they differ.
    pub fn sorted(&self, gflops: &[f64]) -> Vec<f64> {
        let p = |(g, alone): (&f64, &f64)| if *alone > 0.0 { g / alone } else { 0.0 };
        let mut sorted: Vec<f64> = gflops.iter().zip(&self.alone).map(p).collect();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// The value people read, from the score. The makespan of an allocation in which somebody never ends is infinite.
    pub fn value(&self, score: f64) -> f64 {
        match self.objective {
            Objective::TotalGflops | Objective::Fair => score,
            Objective::Geomean => libm::exp(score),
            Objective::Makespan => 1.0 / score,
        }
    }

    /// What breaks ties between equal scores: the smallest p for total-gflops, else the sum of p.
    pub(crate) fn tie_break(&self, gflops: &[f64]) -> f64 {
        let parts = gflops.iter().zip(&self.alone).filter(|(_, alone)| **alone > 0.0).map(|(g, a)| g / a);
        match self.objective {
            Objective::TotalGflops => parts.fold(f64::INFINITY, f64::min),
            _ => parts.sum(),
        }
    }

    /// The least score of what loses at most the share `within` of what scores `best`. Of nothing everybody loses nothing.
    pub(crate) fn least_score(&self, best: f64, within: f64) -> f64 {
        if best <= 0.0 && self.objective != Objective::Geomean {
            return f64::NEG_INFINITY;
        }
        match self.objective {
            Objective::Geomean => best + libm::log(1.0 - within),
            Objective::TotalGflops | Objective::Fair | Objective::Makespan => best * (1.0 - within),
        }
    }

    /// What `value` loses of `best`, as a share, never below 0.
    pub fn loss(&self, best: f64, value: f64) -> f64 {
        self.regret(best, value).max(0.0)
    }

    /// The part of `best` that `value` misses: 1 - value / best, and 1 - best / value of a makespan. Below 0 where `value` is
    /// better; 0 where both are as good, even if both are nothing.
    pub fn regret(&self, best: f64, value: f64) -> f64 {
        let part = match self.objective {
            Objective::Makespan => best / value,
            _ => value / best,
        };
        if part.is_nan() { 0.0 } else { 1.0 - part }
    }

    /// How many times better `value` is than `baseline`: above 1 means that it wins. `None` where that has no
    /// meaning (division by zero).
    pub fn factor(&self, value: f64, baseline: f64) -> Option<f64> {
        let factor = match self.objective {
            Objective::Makespan => baseline / value,
            _ => value / baseline,
        };
        factor.is_finite().then_some(factor)
    }
}
