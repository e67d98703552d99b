//! What the input files describe together: a machine, applications, and the scenarios to evaluate.

use crate::allocation::Allocation;
use crate::app::{App, Data, Smt};
use crate::ids::AppId;
use crate::machine::Machine;

/// One way of placing the threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The name in the file.
    pub name: String,
    /// Cores of each application on each node.
    pub allocation: Allocation,
    /// Data of each application in this scenario: its own, or what the scenario puts in its place.
    pub data: Vec<Data>,
    /// Hardware threads of a core that each application uses in this scenario. While that is open ([`Smt::Any`]), `allocation` has its threads.
    pub smt: Vec<Smt>,
    /// Whether the work of each application is divided equally among its threads beforehand, so that the slowest of them
    /// decides ([`crate::evaluation::Options::static_work`]). Without it whoever is faster does more.
    pub static_work: bool,
}

impl Scenario {
    /// Threads of `app` on each node, as files count them.
    pub fn threads(&self, app: AppId) -> Vec<u32> {
        self.smt_of(app).threads(self.allocation.row(app))
    }

    /// The same in each L3 domain of each node, where the scenario says that.
    pub fn threads_per_l3(&self, app: AppId) -> Option<Vec<Vec<u32>>> {
        let nodes = self.allocation.own_domains()?.get(app.0)?;
        Some(nodes.iter().map(|cores| self.smt_of(app).threads(cores)).collect())
    }

    fn smt_of(&self, app: AppId) -> Smt {
        self.smt.get(app.0).copied().unwrap_or_default()
    }
}

/// All input files, united and checked: the value every command works on.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The machine.
    pub machine: Machine,
    /// Application instances, in the order of the files.
    pub apps: Vec<App>,
    /// Scenarios, in the order of the files.
    pub scenarios: Vec<Scenario>,
}
