//! Simulated task graphs for spreadsheets.

use numasim_tasks::IdleReason;

use super::{Tasked, TasksAnswer};

/// The header.
const COLUMNS: [&str; 36] = [
    "scheduler",
    "placement",
    "steal",
    "seed",
    "makespan_s",
    "bound_s",
    "bound_by",
    "llc_local_bytes",
    "llc_remote_bytes",
    "dram_local_bytes",
    "dram_remote_bytes",
    "idle",
    "steals",
    "cut_edges",
    "cut_bytes",
    "partition_s",
    "idle_elsewhere",
    "idle_partition",
    "idle_creation",
    "idle_throttle",
    "idle_taskwait",
    "idle_parents",
    "idle_end",
    "scenario",
    "migration_s",
    "mailbox",
    "shared",
    "revokes",
    "remote_tasks",
    "contender_tasks",
    "fallback_tasks",
    "fallback_blocks",
    "metg_share",
    "metg_us",
    "metg_flop",
    "metg_efficiency",
];

/// One header line, then one row for each scheduler and seed, all numbers in full precision. A cut, a scenario or a plan that there is not
/// is empty.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(view: &TasksAnswer) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for tasked in &view.runs {
        let run = &tasked.run;
        let reasons = IdleReason::ALL.map(|reason| run.idle_because(reason).to_string());
        let cells = [
            tasked.scheduler.as_str().to_owned(),
            tasked.placement.as_str().to_owned(),
            tasked.steal.to_string(),
            tasked.seed.to_string(),
            tasked.makespan_s().to_string(),
            tasked.bound_s().to_string(),
            tasked.bound.because_of.as_str().to_owned(),
            run.traffic.llc_local.to_string(),
            run.traffic.llc_remote.to_string(),
            run.traffic.dram_local.to_string(),
            run.traffic.dram_remote.to_string(),
            run.idle.to_string(),
            run.steals.to_string(),
            run.cut.map_or(String::new(), |cut| cut.edges.to_string()),
            run.cut.map_or(String::new(), |cut| cut.bytes.to_string()),
            run.partition.value().to_string(),
        ];
        let more = [
            tasked.scenario.map_or(String::new(), |scenario| scenario.as_str().to_owned()),
            run.migration.value().to_string(),
            run.mailbox.to_string(),
            run.shared.to_string(),
            run.revokes.to_string(),
            run.remote_tasks.to_string(),
            run.contender.as_ref().map_or(0, |contender| contender.tasks).to_string(),
            run.fallbacks.map_or(String::new(), |of| of.tasks.to_string()),
            run.fallbacks.map_or(String::new(), |of| of.blocks.to_string()),
        ];
        writer.write_record(cells.iter().chain(&reasons).chain(&more).chain(&metg(tasked)))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Four cells: empty where nobody asked for it; without a size where none keeps the share.
fn metg(tasked: &Tasked) -> [String; 4] {
    let Some(metg) = tasked.metg else { return Default::default() };
    let Some((flop, seconds)) = metg.found else {
        return [metg.share.to_string(), String::new(), String::new(), String::new()];
    };
    [metg.share.to_string(), (seconds * 1e6).to_string(), flop.to_string(), metg.efficiency.to_string()]
}
