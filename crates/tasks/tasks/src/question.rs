//! The input of a simulation.

use numasim_graph::values::{Contender, PagePlacement, RuntimeSettings, SchedulerSettings, TaskGraph};
use numasim_model::Machine;
use numasim_plan::GraphPlan;

/// The input of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The machine; one worker for each of its cores.
    pub machine: &'a Machine,
    /// The tasks.
    pub graph: &'a TaskGraph,
    /// The scheduler, which decides which task runs where.
    pub scheduler: &'a SchedulerSettings,
    /// Costs of creating, fetching and stealing tasks, and the seed.
    pub runtime: &'a RuntimeSettings,
    /// Placement of pages of blocks.
    pub placement: PagePlacement,
    /// Whether idle workers steal from other sockets.
    pub steal: bool,
    /// Other programs that want the workers; only `tbb` and `tbb-numa` give them any.
    pub contender: Option<&'a Contender>,
    /// The plan for the scheduler `plan` and, under it, for the placement `numa`.
    pub plan: Option<&'a GraphPlan>,
}

impl<'a> Question<'a> {
    /// The basic question: blocks are placed by first touch, only schedulers that always steal do so, no other programs want the workers,
    /// and there is no plan. Differences are set with `..`.
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
