//! What came out of simulated task graphs: pure functions from runs to a table, JSON and CSV.

mod csv;
mod json;
mod table;
mod words;

use numasim_draw::figures;
use numasim_model::Machine;
use numasim_model::graph::{PagePlacement, SchedulerKind, TaskScenario};
use numasim_tasks::Run;
use numasim_tasks::bound::LowerBound;

pub(crate) use csv::csv;
pub(crate) use json::{head, json};
pub(crate) use table::table;
pub(crate) use words::{bound_in_words, idle_in_words};

/// What the graph is.
#[derive(Clone, Debug)]
pub(crate) struct GraphFacts {
    /// Its name.
    pub(crate) name: String,
    /// How many tasks it has.
    pub(crate) tasks: usize,
    /// How many edges.
    pub(crate) edges: usize,
    /// How many blocks.
    pub(crate) blocks: usize,
    /// Tasks on the longest path.
    pub(crate) span: u32,
}

impl GraphFacts {
    /// `cholesky: 20 tasks, 30 edges, 10 blocks, 7 on the longest path`.
    pub(crate) fn in_words(&self) -> String {
        format!(
            "{}: {}, {}, {}, {} on the longest path",
            self.name,
            figures::count(self.tasks as u64, "task"),
            figures::count(self.edges as u64, "edge"),
            figures::count(self.blocks as u64, "block"),
            self.span,
        )
    }
}

/// One simulation with what it was asked.
#[derive(Clone, Debug)]
pub(crate) struct Tasked {
    /// Who decided.
    pub(crate) scheduler: SchedulerKind,
    /// Where pages were.
    pub(crate) placement: PagePlacement,
    /// What said both, where something did.
    pub(crate) scenario: Option<TaskScenario>,
    /// Whether idle workers stole.
    pub(crate) steal: bool,
    /// Of everything that was drawn.
    pub(crate) seed: u64,
    /// What came out.
    pub(crate) run: Run,
    /// No schedule can have a shorter makespan than this.
    pub(crate) bound: LowerBound,
    /// The minimum effective task granularity, where that was asked for.
    pub(crate) metg: Option<Metg>,
}

/// The smallest tasks that keep the cores at work (Slaughter et al., SC 2020).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metg {
    /// Of the peak of all cores.
    pub(crate) share: f64,
    /// FLOP of a task, and makespan x cores / tasks in seconds; `None` where no size keeps that share.
    pub(crate) found: Option<(u64, f64)>,
    /// FLOP of all tasks / makespan / peak of all cores, with tasks of that size; 0 where there is none.
    pub(crate) efficiency: f64,
}

/// All that is shown.
pub(crate) struct TasksView<'a> {
    /// The machine.
    pub(crate) machine: &'a Machine,
    /// The graph.
    pub(crate) graph: &'a GraphFacts,
    /// In the order of `--scheduler` or `--scenario`, then of the seeds.
    pub(crate) runs: &'a [Tasked],
}

impl Tasked {
    /// What people call it: the scenario, or the scheduler.
    pub(crate) fn label(&self) -> &'static str {
        self.scenario.map_or(self.scheduler.as_str(), TaskScenario::as_str)
    }

    fn makespan_s(&self) -> f64 {
        self.run.makespan.value()
    }

    fn bound_s(&self) -> f64 {
        self.bound.makespan.value()
    }

    /// How far the makespan is above the lower bound, as a fraction of it.
    pub(crate) fn above_bound(&self) -> Option<f64> {
        (self.bound_s() > 0.0).then(|| (self.makespan_s() / self.bound_s() - 1.0).max(0.0))
    }
}
