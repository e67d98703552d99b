//! What people and programs see of a trade-off between two objectives.

mod csv;
mod json;
mod plot;
mod table;

use numasim_draw::figures;
use numasim_model::{Allocation, Evaluation, Placement, Study};
use numasim_sim::pareto::{End, TradeOff};
use numasim_sim::{Caution, Objective};

use super::ScenarioView;
use numasim_ask::explored::WhyUnproven;

/// An allocation with both values and its full evaluation.
#[derive(Debug)]
pub(crate) struct Shown {
    /// `point 1`, or the name of a baseline.
    pub(crate) name: String,
    /// Value of each objective.
    pub(crate) values: [f64; 2],
    /// Who runs where.
    pub(crate) allocation: Allocation,
    /// With the data where.
    pub(crate) placements: Vec<Placement>,
    /// What becomes of it.
    pub(crate) evaluation: Evaluation,
}

/// What people do without a search.
#[derive(Debug)]
pub(crate) struct Compared {
    /// The allocation.
    pub(crate) shown: Shown,
    /// The points that are better in one objective and not worse in the other.
    pub(crate) beaten_by: Vec<usize>,
    /// The point with the same values.
    pub(crate) same_as: Option<usize>,
    /// The restriction it breaks, if any.
    pub(crate) breaks: Option<String>,
}

/// A front.
#[derive(Debug)]
pub(crate) struct FrontView<'a> {
    /// What was asked about.
    pub(crate) study: &'a Study,
    /// What was asked.
    pub(crate) question: &'a TradeOff,
    /// Seed of the random restarts.
    pub(crate) seed: u64,
    /// From the best for the first objective to the best for the second.
    pub(crate) points: Vec<Shown>,
    /// The points that a table shows.
    pub(crate) shown: Vec<usize>,
    /// The point that gives up least of both.
    pub(crate) knee: Option<usize>,
    /// What is known of both ends.
    pub(crate) ends: [End; 2],
    /// Allocations that were compared.
    pub(crate) compared: u64,
    /// `None` if every allocation was compared.
    pub(crate) unproven: Option<WhyUnproven>,
    /// Seconds of the search.
    pub(crate) elapsed_s: f64,
    /// What people do without a search.
    pub(crate) baselines: Vec<Compared>,
}

impl FrontView<'_> {
    /// More points than this are thinned out in a table.
    pub(crate) const MOST_ROWS: usize = 16;

    fn objectives(&self) -> [Objective; 2] {
        self.question.problems().each_ref().map(|problem| problem.goal().objective())
    }

    /// What to know about the point at an end beside its value. Who is left with few threads is what the front is about.
    fn cautions(&self, end: usize) -> Vec<Caution> {
        let point = if end == 0 { self.points.first() } else { self.points.last() };
        let problem = &self.question.problems()[end];
        let all = point.map(|point| problem.cautions(&point.allocation, &point.evaluation));
        let kept = |one: &Caution| !matches!(one, Caution::FewestThreads { .. });
        all.unwrap_or_default().into_iter().filter(kept).collect()
    }

    /// The objectives for which a point is the best.
    fn best_for(&self, point: usize) -> Vec<Objective> {
        let at_end = [point == 0, point + 1 == self.points.len()];
        self.objectives().into_iter().zip(at_end).filter(|(_, at)| *at).map(|(o, _)| o).collect()
    }

    /// `254.0 GFLOPS`, `p = 0.5`, `10.00 s`
    fn with_unit(&self, i: usize, value: f64) -> String {
        let figure = figures::single(value);
        match self.objectives()[i].unit() {
            "" => format!("p = {figure}"),
            unit => format!("{figure} {unit}"),
        }
    }

    fn weighted(&self) -> bool {
        self.study.apps.iter().any(|app| (app.weight - 1.0).abs() > 0.0)
    }

    /// The smallest GFLOPS / GFLOPS alone of all applications.
    fn smallest_p(&self, shown: &Shown) -> f64 {
        let alone = self.question.problems()[0].goal().alone();
        let gflops = shown.evaluation.apps.iter().map(|app| app.gflops.value());
        gflops.zip(alone).map(|(g, a)| if *a > 0.0 { g / a } else { 0.0 }).fold(f64::INFINITY, f64::min)
    }

    fn scenario<'b>(&'b self, shown: &'b Shown) -> ScenarioView<'b> {
        ScenarioView {
            name: &shown.name,
            machine: &self.study.machine,
            apps: &self.study.apps,
            allocation: &shown.allocation,
            placements: &shown.placements,
            evaluation: &shown.evaluation,
            intervals: None,
        }
    }
}
