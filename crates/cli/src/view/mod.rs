//! What people and programs see of an evaluated scenario: pure functions from values to text.
//!
//! [`table::table`] is for the terminal, [`json::json`] and [`csv::csv`] for programs, [`explain::explain`] shows
//! the worked calculation, [`warning::facts`] tells what to know before trusting the result.

#[cfg(target_os = "linux")]
pub(crate) mod agent;
pub(crate) mod answer;
pub(crate) mod bench;
pub(crate) mod beside;
pub(crate) mod cached;
pub(crate) mod caution;
pub(crate) mod compare;
pub(crate) mod compared;
pub(crate) mod csv;
pub(crate) mod data_words;
pub(crate) mod discriminate;
pub(crate) mod executed;
pub(crate) mod explain;
pub(crate) mod fitted;
pub(crate) mod front;
mod held_back;
pub(crate) mod intervals;
pub(crate) mod json;
pub(crate) mod lettering;
pub(crate) mod models;
mod picture;
pub(crate) mod planned;
pub(crate) mod plots;
pub(crate) mod published;
#[cfg(target_os = "linux")]
pub(crate) mod ran;
mod resources;
pub(crate) mod saved;
pub(crate) mod side_by_side;
pub(crate) mod simulated;
pub(crate) mod table;
pub(crate) mod tasked;
#[cfg(test)]
mod tests;
#[cfg(target_os = "linux")]
pub(crate) mod top;
pub(crate) mod warning;

use numasim_model::{Allocation, App, AppId, Evaluation, Machine, NodeId, Placement};

use numasim_sim::intervals::Prediction;

pub(crate) use held_back::in_words as held_back;
pub(crate) use numasim_draw::{Style, figures};

/// What to know of a scenario whose work is divided beforehand.
pub(crate) const STATIC_WORK: &str =
    "Static work: the slowest thread decides; GB/s are means until it is done.";

/// `4 x Xeon (4 NUMA nodes, 80 cores)`
pub(crate) fn machine_title(machine: &Machine) -> String {
    let nodes = figures::count(machine.node_count() as u64, "NUMA node");
    format!("{} ({nodes}, {})", machine.name(), figures::count(machine.total_cores(), "core"))
}

/// The numbers of nodes.
pub(crate) fn numbers(nodes: &[NodeId]) -> Vec<usize> {
    nodes.iter().map(|node| node.0).collect()
}

/// `0-3, 6`
pub(crate) fn node_ranges(nodes: &[NodeId]) -> String {
    figures::ranges(&numbers(nodes))
}

/// One evaluated scenario with everything that went into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScenarioView<'a> {
    /// The name of the scenario.
    pub(crate) name: &'a str,
    /// The machine.
    pub(crate) machine: &'a Machine,
    /// The applications, in the order of the files.
    pub(crate) apps: &'a [App],
    /// Threads of each application on each node.
    pub(crate) allocation: &'a Allocation,
    /// Where the data of each application lies in this scenario.
    pub(crate) placements: &'a [Placement],
    /// The result.
    pub(crate) evaluation: &'a Evaluation,
    /// How far off it may be, where figures of the machine are uncertain.
    pub(crate) intervals: Option<&'a Prediction>,
}

impl ScenarioView<'_> {
    /// The applications as ids.
    fn app_ids(&self) -> impl Iterator<Item = AppId> + Clone + use<> {
        (0..self.apps.len()).map(AppId)
    }

    /// What the scenario is worth, with its unit: GFLOPS; GB/s where everybody who has threads only moves data.
    pub(crate) fn worth(&self) -> (f64, &'static str) {
        let mut active = self.active_apps().peekable();
        if active.peek().is_none() || active.any(|app| self.apps[app.0].computes()) {
            return (self.evaluation.total.value(), "GFLOPS");
        }
        let moved = self.evaluation.apps.iter().map(|app| app.bandwidth.value());
        (moved.fold(0.0, |sum, gbs| sum + gbs), "GB/s")
    }

    /// The applications that have threads.
    pub(crate) fn active_apps(&self) -> impl Iterator<Item = AppId> + '_ {
        self.app_ids().filter(|&app| self.allocation.total(app) > 0)
    }
}
