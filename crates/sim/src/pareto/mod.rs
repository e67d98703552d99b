//! The trade-off between two objectives: allocations of which none is better in one without being worse in the other.
//!
//! # Approach
//! 1. Both ends, the best for each objective alone, come from [`search::explore`] with its proof or bound.
//! 2. A small space is compared whole (`everything`): the front is *complete*, each of its points is proven.
//! 3. A larger one is searched (`nearby`): from the ends, what people do without a search, the same number on every
//!    node, and the best for objectives in between, it climbs in many directions between both objectives and then
//!    looks at all neighbours of all points of the front,
//!    and at those of their best neighbours. The points are then the best of everything that was
//!    compared: another allocation may still beat one of them, except in the proven value of an end.
//!
//! A sum of both objectives with weights would miss every point in a dent of the front, and thread counts make many.

mod archive;
mod contents;
mod everything;
mod find;
mod nearby;
#[cfg(test)]
mod tests;

use numasim_model::{Allocation, App, Machine, Placement};

use crate::baselines::Baseline;
use crate::monitor::Monitor;
use crate::problem::margin;
use crate::search;
use crate::{Objective, Problem, ProblemError, Restrictions};
use archive::Pair;
pub use find::front;

/// A machine, applications, restrictions and two different objectives.
#[derive(Clone, Debug)]
pub struct TradeOff {
    problems: [Problem; 2],
}

/// Why there is no trade-off to look for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TradeOffError {
    /// Twice the same objective.
    #[error("a trade-off needs two different objectives; both are {}", .0.name())]
    SameObjective(Objective),
    /// One of them alone has no answer.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// How hard to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Seed of the random restarts behind the ends.
    pub seed: u64,
    /// Most steps of the exact search for each end.
    pub effort: u64,
    /// Compare every allocation where there are at most this many; equal nodes are counted once.
    pub most_compared: u64,
    /// Else most evaluations times applications times nodes along the front.
    pub work: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 0, effort: 30_000_000, most_compared: 10_000_000, work: 300_000_000 }
    }
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The best for the first objective.
    FirstEnd,
    /// The best for the second objective.
    SecondEnd,
    /// Everything in between.
    Between,
}

/// The outside world of the work: a [`Monitor`] that hears what is being done.
pub trait Stages: Monitor {
    /// A part begins. A monitor with a limit may give each part a share of it.
    fn begin(&self, stage: Stage);
    /// In [`Stage::Between`]: allocations compared so far, and which part of the most work, 0 to 1, that is.
    fn compared(&self, allocations: u64, part: f64);
}

impl Stages for search::Unattended {
    fn begin(&self, _: Stage) {}
    fn compared(&self, _: u64, _: f64) {}
}

/// An allocation on the front.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Threads of each application on each node.
    pub allocation: Allocation,
    /// Where the data of each application lies, open homes decided.
    pub placements: Vec<Placement>,
    /// Value of each objective.
    pub values: [f64; 2],
}

/// What is known of the best for one objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// Value of the objective at this end of the front.
    pub value: f64,
    /// No allocation has a better value than this; `None` if the search was stopped before it had a bound.
    pub bound: Option<f64>,
    /// Nothing is better for this objective, to a relative 1e-9.
    pub proven: bool,
}

impl End {
    /// |bound - value| / |bound|.
    pub fn gap(&self) -> Option<f64> {
        self.bound.map(|bound| search::gap(self.value, bound))
    }
}

/// The front.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// From the best for the first objective to the best for the second; never empty.
    pub points: Vec<Point>,
    /// What is known of both ends.
    pub ends: [End; 2],
    /// Every point is proven to be on the front, and no other values are.
    pub complete: bool,
    /// The monitor ended the work.
    pub stopped: bool,
    /// Allocations whose values were compared along the front, symmetric ones once.
    pub compared: u64,
    /// What people do without a search, an open home at its best node for the first objective.
    pub baselines: Vec<Baseline>,
}

impl TradeOff {
    /// Checks the question.
    ///
    /// # Errors
    /// [`TradeOffError`] if both objectives are the same, or one of them cannot be asked for.
    pub fn new(
        machine: &Machine,
        apps: &[App],
        objectives: [Objective; 2],
        restrictions: Restrictions,
    ) -> Result<Self, TradeOffError> {
        let [first, second] = objectives;
        if first == second {
            return Err(TradeOffError::SameObjective(first));
        }
        let problem = |objective| Problem::new(machine, apps, objective, restrictions);
        Ok(Self { problems: [problem(first)?, problem(second)?] })
    }

    /// The question with each objective alone.
    pub fn problems(&self) -> &[Problem; 2] {
        &self.problems
    }

    fn pair(&self) -> Pair<'_> {
        Pair { problem: &self.problems[0], goals: [&self.problems[0].goal, &self.problems[1].goal] }
    }

    /// Values of both objectives for an allocation with decided homes.
    pub fn values(&self, allocation: &Allocation, placements: &[Placement]) -> [f64; 2] {
        let scores = self.pair().rater(placements.to_vec()).scores(allocation);
        self.values_of(scores)
    }

    fn values_of(&self, scores: [f64; 2]) -> [f64; 2] {
        let [first, second] = &self.problems;
        [first.goal.value(scores[0]), second.goal.value(scores[1])]
    }

    /// Whether `a` is better than `b` in one objective and not worse in the other, to a relative 1e-9.
    pub fn beats(&self, a: [f64; 2], b: [f64; 2]) -> bool {
        let better = |i: usize, a: f64, b: f64| match self.problems[i].goal.objective() {
            Objective::Makespan => a < b - margin(b),
            _ => a > b + margin(b),
        };
        (0..2).any(|i| better(i, a[i], b[i])) && !(0..2).any(|i| better(i, b[i], a[i]))
    }
}

impl Front {
    /// The point that gives up least of both: the farthest from the straight line between the ends, where both axes
    /// run from end to end. `None` if the front is almost straight, or one point.
    pub fn knee(&self) -> Option<usize> {
        const STRAIGHT: f64 = 0.05;
        let (first, last) = (self.points.first()?.values, self.points.last()?.values);
        // 1 at the end that is best, 0 at the other.
        let part = |value: f64, best: f64, worst: f64| (value - worst) / (best - worst);
        let beyond = |point: &Point| {
            part(point.values[0], first[0], last[0]) + part(point.values[1], last[1], first[1]) - 1.0
        };
        let mut knee: Option<(usize, f64)> = None;
        for (i, distance) in self.points.iter().map(beyond).enumerate() {
            if distance > knee.map_or(STRAIGHT, |(_, most)| most) {
                knee = Some((i, distance));
            }
        }
        knee.map(|(i, _)| i)
    }

    /// At most `most` points that stand for all: evenly spread along the front, with both ends.
    pub fn spread(&self, most: usize) -> Vec<usize> {
        archive::spread(&self.points.iter().map(|point| point.values).collect::<Vec<_>>(), most)
    }
}
