//! One evaluated scenario with everything that went into it.

use numasim_model::{Allocation, App, AppId, Evaluation, Machine, NodeId, Placement};
use numasim_sim::intervals::Prediction;

/// The numbers of nodes.
pub fn numbers(nodes: &[NodeId]) -> Vec<usize> {
    nodes.iter().map(|node| node.0).collect()
}

/// One evaluated scenario with everything that went into it.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioView<'a> {
    /// The name of the scenario.
    pub name: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// The applications, in the order of the files.
    pub apps: &'a [App],
    /// Threads of each application on each node.
    pub allocation: &'a Allocation,
    /// Where the data of each application lies in this scenario.
    pub placements: &'a [Placement],
    /// The result.
    pub evaluation: &'a Evaluation,
    /// How far off it may be, where figures of the machine are uncertain.
    pub intervals: Option<&'a Prediction>,
}

impl ScenarioView<'_> {
    /// The applications as ids.
    pub fn app_ids(&self) -> impl Iterator<Item = AppId> + Clone + use<> {
        (0..self.apps.len()).map(AppId)
    }

    /// What the scenario is worth, with its unit: GFLOPS; GB/s where everybody who has threads only moves data.
    pub fn worth(&self) -> (f64, &'static str) {
        let mut active = self.active_apps().peekable();
        if active.peek().is_none() || active.any(|app| self.apps[app.0].computes()) {
            return (self.evaluation.total.value(), "GFLOPS");
        }
        let moved = self.evaluation.apps.iter().map(|app| app.bandwidth.value());
        (moved.fold(0.0, |sum, gbs| sum + gbs), "GB/s")
    }

    /// The applications that have threads.
    pub fn active_apps(&self) -> impl Iterator<Item = AppId> + '_ {
        self.app_ids().filter(|&app| self.allocation.total(app) > 0)
    }
}
