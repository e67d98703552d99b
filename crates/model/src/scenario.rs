//! The contents of the input files together: a machine, applications, and the scenarios to evaluate.

use crate::allocation::Allocation;
use crate::app::{App, Data, Smt};
use crate::ids::AppId;
use crate::machine::Machine;

/// One thread placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The name in the file.
    pub name: String,
    /// Cores of each application on each node.
    pub allocation: Allocation,
    /// Data of each application in this scenario: the application's own data, or the scenario's replacement.
    pub data: Vec<Data>,
    /// Hardware threads per core of each application in this scenario. While open ([`Smt::Any`]),
    /// `allocation` counts threads.
    pub smt: Vec<Smt>,
    /// Whether static scheduling divides the work of each application equally among its threads, so that the
    /// slowest thread decides ([`crate::evaluation::Options::static_work`]). Otherwise faster threads do more
    /// of the work.
    pub static_work: bool,
}

impl Scenario {
    /// Threads of `app` on each node, as files count them.
    pub fn threads(&self, app: AppId) -> Vec<u32> {
        self.smt_of(app).threads(self.allocation.row(app))
    }

    /// Threads of `app` in each L3 domain of each node, if the scenario specifies them.
    pub fn threads_per_l3(&self, app: AppId) -> Option<Vec<Vec<u32>>> {
        let nodes = self.allocation.own_domains()?.get(app.0)?;
        Some(nodes.iter().map(|cores| self.smt_of(app).threads(cores)).collect())
    }

    fn smt_of(&self, app: AppId) -> Smt {
        self.smt.get(app.0).copied().unwrap_or_default()
    }
}

/// All input files, merged and checked: the value every command works on.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The machine.
    pub machine: Machine,
    /// Application instances, in the order of the files.
    pub apps: Vec<App>,
    /// Scenarios, in the order of the files.
    pub scenarios: Vec<Scenario>,
}
