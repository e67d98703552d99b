//! What is simulated.

use numasim_graph::values::{Contender, PagePlacement, RuntimeSettings, SchedulerSettings, TaskGraph};
use numasim_model::Machine;
use numasim_plan::GraphPlan;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The machine; one worker for each of its cores.
    pub machine: &'a Machine,
    /// The tasks.
    pub graph: &'a TaskGraph,
    /// Who decides which task runs where.
    pub scheduler: &'a SchedulerSettings,
    /// What creating, fetching and stealing tasks cost, and the seed.
    pub runtime: &'a RuntimeSettings,
    /// Where pages of blocks are.
    pub placement: PagePlacement,
    /// Whether idle workers steal from other sockets.
    pub steal: bool,
    /// Who else wants the workers; only `tbb` and `tbb-numa` let anybody have them.
    pub contender: Option<&'a Contender>,
    /// The plan that the scheduler `plan` and, under it, the placement `numa` go by.
    pub plan: Option<&'a GraphPlan>,
}

impl<'a> Question<'a> {
    /// The plain question: blocks lie where they are touched first, nobody steals but who always does, nobody else wants the workers, and
    /// there is no plan. What differs is said with `..`.
    pub const fn new(
        machine: &'a Machine,
        graph: &'a TaskGraph,
        scheduler: &'a SchedulerSettings,
        runtime: &'a RuntimeSettings,
    ) -> Self {
        let placement = PagePlacement::FirstTouch;
        Self { machine, graph, scheduler, runtime, placement, steal: false, contender: None, plan: None }
    }
}
