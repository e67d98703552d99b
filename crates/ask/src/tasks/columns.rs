//! The columns of a simulation of tasks.

use numasim_draw::figures;
use numasim_graph::values::TaskScenario;
use numasim_tasks::{Fallbacks, IdleReason, Metg, Traffic};

use super::Tasked;
use crate::table::Of;
use crate::tables::percent;

/// A mean of counts.
fn whole(mean: f64) -> String {
    figures::short(mean.round())
}

/// The columns of `tasks`: a row for each scheduler and seed. Cells without a cut, a scenario or a plan are empty.
pub fn columns<'v>() -> Vec<Of<'v, &'v Tasked>> {
    let idle = |name, title, reason| {
        Of::number(name, move |row: &&'v Tasked| row.run.idle_because(reason))
            .titled(title)
            .written(percent)
            .if_any()
    };
    let bytes = |name, title, of: fn(&Traffic) -> f64| {
        Of::number(name, move |row: &&'v Tasked| of(&row.run.traffic)).titled(title).rounded().scaled(1e-9)
    };
    let count = |name, title, of: fn(&Tasked) -> u64| {
        Of::count(name, move |row: &&'v Tasked| of(row)).titled(title).written(whole).if_any()
    };
    let fallback = |name, title, of: fn(Fallbacks) -> u64| {
        Of::whole(name, move |row: &&'v Tasked| row.run.fallbacks.map(of))
            .titled(title)
            .written(whole)
            .none("0")
            .if_any()
    };
    let seconds = |name, title, of: fn(&Tasked) -> f64| {
        Of::number(name, move |row: &&'v Tasked| of(row)).titled(title).rounded()
    };
    let metg =
        |name, of: fn(Metg) -> Option<f64>| Of::number(name, move |row: &&'v Tasked| row.metg.and_then(of));
    vec![
        Of::text("scheduler", |row: &&'v Tasked| row.scheduler.as_str()),
        Of::text("placement", |row: &&'v Tasked| row.placement.as_str()),
        Of::text("steal", |row: &&'v Tasked| row.steal),
        Of::count("seed", |row: &&'v Tasked| row.seed),
        seconds("makespan_s", "makespan\ns", Tasked::makespan_s),
        seconds("bound_s", "lower\nbound s", Tasked::bound_s),
        Of::text("bound_by", |row: &&'v Tasked| row.bound.because_of.as_str()),
        bytes("llc_local_bytes", "own LLC\nGB", |traffic| traffic.llc_local),
        bytes("llc_remote_bytes", "other LLC\nGB", |traffic| traffic.llc_remote),
        bytes("dram_local_bytes", "own memory\nGB", |traffic| traffic.dram_local),
        bytes("dram_remote_bytes", "other memory\nGB", |traffic| traffic.dram_remote),
        Of::number("idle", |row: &&'v Tasked| row.run.idle).written(percent),
        count("steals", "steals", |row| row.run.steals),
        Of::whole("cut_edges", |row: &&'v Tasked| row.run.cut.map(|cut| cut.edges))
            .titled("edges\ncut")
            .written(whole),
        Of::number("cut_bytes", |row: &&'v Tasked| row.run.cut.map(|cut| cut.bytes))
            .titled("cut\nGB")
            .rounded()
            .scaled(1e-9),
        seconds("partition_s", "partition\ns", |row| row.run.partition.value()).if_any(),
        idle("idle_elsewhere", "tasks\nelsewhere", IdleReason::Elsewhere),
        idle("idle_partition", "master\npartitions", IdleReason::Partition),
        idle("idle_creation", "master\ncreates", IdleReason::Creation),
        idle("idle_throttle", "throttle", IdleReason::Throttle),
        idle("idle_taskwait", "taskwait", IdleReason::Taskwait),
        idle("idle_parents", "parents\nrun", IdleReason::Parents),
        idle("idle_end", "none\nleft", IdleReason::End),
        Of::text("scenario", |row: &&'v Tasked| row.scenario.map(TaskScenario::as_str)),
        seconds("migration_s", "migration\ns", |row| row.run.migration.value()).if_any(),
        count("mailbox", "from a\nmailbox", |row| row.run.mailbox),
        count("shared", "from a\nshared queue", |row| row.run.shared),
        count("revokes", "revokes", |row| row.run.revokes),
        count("remote_tasks", "tasks off\ntheir node", |row| row.run.remote_tasks),
        count("contender_tasks", "contender\ntasks", |row| {
            row.run.contender.as_ref().map_or(0, |of| of.tasks)
        }),
        fallback("fallback_tasks", "tasks not\nin the plan", |of| of.tasks),
        fallback("fallback_blocks", "blocks not\nin the plan", |of| of.blocks),
        // Empty if no size reaches the share.
        metg("metg_share", |metg| Some(metg.share)),
        metg("metg_us", |metg| metg.found.map(|(_, seconds)| seconds * 1e6))
            .titled("METG\nus")
            .written(figures::single),
        Of::whole("metg_flop", |row: &&'v Tasked| row.metg.and_then(|metg| metg.found).map(|(flop, _)| flop))
            .titled("FLOP of\na task")
            .written(figures::single),
        metg("metg_efficiency", |metg| metg.found.map(|_| metg.efficiency))
            .titled("efficiency")
            .written(percent),
    ]
}
