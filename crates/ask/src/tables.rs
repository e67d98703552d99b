//! The tables of answers as CSV has them, each column declared once. All numbers are in full precision; what is not there is empty.

use numasim_dynamic::AppRun;
use numasim_graph::values::TaskScenario;
use numasim_model::evaluation::GroupResult;
use numasim_model::units::Seconds;
use numasim_model::{App, AppId};
use numasim_tasks::{IdleReason, Metg};

use crate::ScenarioView;
use crate::simulate::{Simulated, mean_gflops};
use crate::table::Of;
use crate::tasks::Tasked;

/// One application on one node in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'v> {
    view: &'v ScenarioView<'v>,
    app: AppId,
    node: usize,
}

impl<'v> Placed<'v> {
    /// Each application of a scenario on each node.
    pub fn all(view: &'v ScenarioView<'v>) -> impl Iterator<Item = Self> {
        let of_app = move |app: AppId| {
            let nodes = 0..view.evaluation.apps[app.0].per_node.len();
            nodes.map(move |node| Self { view, app, node })
        };
        view.app_ids().flat_map(of_app)
    }

    /// What its threads on the node get; `None` where there are none.
    fn group(&self) -> Option<&'v GroupResult> {
        self.view.evaluation.apps[self.app.0].per_node[self.node].as_ref()
    }

    /// The columns of `evaluate`.
    pub fn columns() -> [Of<'v, Self>; 9] {
        [
            Of::text("scenario", |row: &Self| row.view.name),
            Of::text("app", |row: &Self| row.view.apps[row.app.0].name.as_str()),
            Of::count("node", |row: &Self| row.node),
            Of::count("threads", |row: &Self| row.group().map_or(0, |group| group.threads)),
            Of::number("gflops", |row: &Self| row.group().map_or(0.0, |group| group.gflops.value())),
            // What they draw from all memories.
            Of::number("bandwidth_gbs", |row: &Self| {
                row.group().map_or(0.0, |group| group.bandwidth.value())
            }),
            Of::text("bottleneck", |row: &Self| row.group().map_or("", |group| group.bottleneck.kind())),
            // The node of all data of the application.
            Of::whole("home", |row: &Self| row.view.evaluation.apps[row.app.0].home.map(|home| home.0)),
            Of::number("scenario_total_gflops", |row: &Self| row.view.evaluation.total.value()),
        ]
    }
}

/// One application in a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'v> {
    simulated: &'v Simulated,
    app: &'v App,
    run: &'v AppRun,
}

impl<'v> Ran<'v> {
    /// Each application of each simulation.
    pub fn all(apps: &'v [App], runs: &'v [Simulated]) -> impl Iterator<Item = Self> {
        let of = move |simulated: &'v Simulated| {
            simulated.run.apps.iter().zip(apps).map(move |(run, app)| Self { simulated, app, run })
        };
        runs.iter().flat_map(of)
    }

    /// The columns of `simulate`.
    pub fn columns() -> Vec<Of<'v, Self>> {
        let mut columns = vec![
            Of::text("policy", |row: &Self| row.simulated.policy.as_str()),
            Of::count("seed", |row: &Self| row.simulated.seed),
            Of::number("makespan_s", |row: &Self| row.simulated.makespan_s()),
            Of::number("lower_bound_s", |row: &Self| row.simulated.lower_bound_s),
            Of::text("partial", |row: &Self| row.simulated.is_partial()),
        ];
        columns.extend(Self::of_apps());
        columns
    }

    /// Those of the application; `idle_s`, `blocked_s` and `shared_s` are thread-seconds.
    pub fn of_apps() -> [Of<'v, Self>; 13] {
        [
            Of::text("app", |row: &Self| row.app.name.as_str()),
            Of::number("arrived_s", |row: &Self| row.run.arrived.map(Seconds::value)),
            Of::number("finished_s", |row: &Self| row.run.finished.map(Seconds::value)),
            Of::count("iterations", |row: &Self| row.run.iterations),
            Of::number("gflop", |row: &Self| row.run.work.value()),
            Of::number("mean_gflops", |row: &Self| mean_gflops(row.run, &row.simulated.run)),
            Of::number("mean_threads", |row: &Self| row.run.mean_threads),
            Of::number("wait_input_s", |row: &Self| row.run.waited_input.value()),
            Of::number("wait_output_s", |row: &Self| row.run.waited_output.value()),
            Of::number("wait_call_s", |row: &Self| row.run.waited_call.value()),
            Of::number("idle_s", |row: &Self| row.run.idle.value()),
            Of::number("blocked_s", |row: &Self| row.run.blocked.value()),
            Of::number("shared_s", |row: &Self| row.run.shared.value()),
        ]
    }
}

/// The columns of `tasks`: a row for each scheduler and seed. A cut, a scenario or a plan that there is not is empty.
pub fn of_tasks<'v>() -> Vec<Of<'v, &'v Tasked>> {
    let idle = |name, reason| Of::number(name, move |row: &&'v Tasked| row.run.idle_because(reason));
    let metg =
        |name, of: fn(Metg) -> Option<f64>| Of::number(name, move |row: &&'v Tasked| row.metg.and_then(of));
    vec![
        Of::text("scheduler", |row: &&'v Tasked| row.scheduler.as_str()),
        Of::text("placement", |row: &&'v Tasked| row.placement.as_str()),
        Of::text("steal", |row: &&'v Tasked| row.steal),
        Of::count("seed", |row: &&'v Tasked| row.seed),
        Of::number("makespan_s", |row: &&'v Tasked| row.makespan_s()),
        Of::number("bound_s", |row: &&'v Tasked| row.bound_s()),
        Of::text("bound_by", |row: &&'v Tasked| row.bound.because_of.as_str()),
        Of::number("llc_local_bytes", |row: &&'v Tasked| row.run.traffic.llc_local),
        Of::number("llc_remote_bytes", |row: &&'v Tasked| row.run.traffic.llc_remote),
        Of::number("dram_local_bytes", |row: &&'v Tasked| row.run.traffic.dram_local),
        Of::number("dram_remote_bytes", |row: &&'v Tasked| row.run.traffic.dram_remote),
        Of::number("idle", |row: &&'v Tasked| row.run.idle),
        Of::count("steals", |row: &&'v Tasked| row.run.steals),
        Of::whole("cut_edges", |row: &&'v Tasked| row.run.cut.map(|cut| cut.edges)),
        Of::number("cut_bytes", |row: &&'v Tasked| row.run.cut.map(|cut| cut.bytes)),
        Of::number("partition_s", |row: &&'v Tasked| row.run.partition.value()),
        idle("idle_elsewhere", IdleReason::Elsewhere),
        idle("idle_partition", IdleReason::Partition),
        idle("idle_creation", IdleReason::Creation),
        idle("idle_throttle", IdleReason::Throttle),
        idle("idle_taskwait", IdleReason::Taskwait),
        idle("idle_parents", IdleReason::Parents),
        idle("idle_end", IdleReason::End),
        Of::text("scenario", |row: &&'v Tasked| row.scenario.map(TaskScenario::as_str)),
        Of::number("migration_s", |row: &&'v Tasked| row.run.migration.value()),
        Of::count("mailbox", |row: &&'v Tasked| row.run.mailbox),
        Of::count("shared", |row: &&'v Tasked| row.run.shared),
        Of::count("revokes", |row: &&'v Tasked| row.run.revokes),
        Of::count("remote_tasks", |row: &&'v Tasked| row.run.remote_tasks),
        Of::count("contender_tasks", |row: &&'v Tasked| row.run.contender.as_ref().map_or(0, |of| of.tasks)),
        Of::whole("fallback_tasks", |row: &&'v Tasked| row.run.fallbacks.map(|of| of.tasks)),
        Of::whole("fallback_blocks", |row: &&'v Tasked| row.run.fallbacks.map(|of| of.blocks)),
        // Without a size where none keeps the share.
        metg("metg_share", |metg| Some(metg.share)),
        metg("metg_us", |metg| metg.found.map(|(_, seconds)| seconds * 1e6)),
        Of::whole("metg_flop", |row: &&'v Tasked| row.metg.and_then(|metg| metg.found).map(|(flop, _)| flop)),
        metg("metg_efficiency", |metg| metg.found.map(|_| metg.efficiency)),
    ]
}
