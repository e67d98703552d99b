//! The fast solver's result in the terms of the promised properties.

use super::invariants::{Grants, Group};
use super::solver::{Solver, Workspace};
use super::view::FlowView;
use crate::machine::Machine;

impl Solver {
    /// What steps 1 to 4 granted, for [`super::invariants`].
    pub fn grants(&self, machine: &Machine, threads: &[u32], workspace: &Workspace) -> Grants {
        self.describe(machine, threads, workspace, |flow| flow.granted)
    }

    /// What is really drawn after step 5, in the same form: within every capacity and demand, but below the baseline
    /// where a thread waits for another memory.
    pub fn draws(&self, machine: &Machine, threads: &[u32], workspace: &Workspace) -> Grants {
        let bandwidth = workspace.bandwidth_per_thread();
        self.describe(machine, threads, workspace, |flow| bandwidth[(flow.app, flow.from)] * flow.cost())
    }

    fn describe(
        &self,
        machine: &Machine,
        threads: &[u32],
        workspace: &Workspace,
        amount: impl Fn(&FlowView) -> f64,
    ) -> Grants {
        let mut grants = Grants::of_idle(machine);
        grants.groups.extend(self.flows(threads, workspace).map(|(flow, _)| Group {
            app: flow.app,
            from: flow.from,
            memory: flow.memory,
            threads: flow.threads,
            demand_gbs: flow.demand_gbs,
            granted_gbs: amount(&flow),
        }));
        grants.groups.sort_by_key(|group| (group.app, group.from, group.memory));
        grants
    }
}
