//! Simulated task graphs for programs. Numbers are not rounded.

use numasim_model::Machine;
use numasim_model::graph::TaskScenario;
use numasim_tasks::{IdleReason, NodeRun, Traffic};
use serde_json::{Value, json};

use super::super::json::{name_model, number};
use super::{GraphFacts, Tasked, TasksView};

/// The document: one object for each scheduler and seed.
///
/// Beyond the contract, after its keys: of a run `bound_by` (what takes as long as the lower bound), `idle_reasons` (parts of all worker-seconds,
/// `idle` together) and `per_node`, for every node of the machine;
/// with `--metg` also `metg`, whose figures are null where no size of tasks keeps the share.
pub(crate) fn json(view: &TasksView<'_>) -> Value {
    let mut document = head(view.machine, view.graph);
    document["runs"] = view.runs.iter().map(object).collect();
    document
}

/// What every document of `tasks` begins with: the machine, its model, and the graph.
pub(crate) fn head(machine: &Machine, graph: &GraphFacts) -> Value {
    let mut document = json!({ "schema": 1, "command": "tasks", "machine": machine.name() });
    name_model(&mut document, machine.sharing());
    document["graph"] = json!({
        "name": graph.name,
        "tasks": graph.tasks,
        "edges": graph.edges,
        "blocks": graph.blocks,
        "span": graph.span,
    });
    document
}

fn object(tasked: &Tasked) -> Value {
    let run = &tasked.run;
    let mut object = json!({
        "scheduler": tasked.scheduler.as_str(),
        "placement": tasked.placement.as_str(),
        "steal": tasked.steal,
        "seed": tasked.seed,
        "makespan_s": number(tasked.makespan_s()),
        "bound_s": number(tasked.bound_s()),
        "bytes": bytes(&run.traffic),
        "idle": number(run.idle),
        "steals": run.steals,
        "cut_edges": run.cut.map(|cut| cut.edges),
        "cut_bytes": run.cut.map(|cut| number(cut.bytes)),
        "partition_s": number(run.partition.value()),
        "mailbox": run.mailbox,
        "shared": run.shared,
        "revokes": run.revokes,
        "remote_tasks": run.remote_tasks,
        "migration_s": number(run.migration.value()),
        "scenario": tasked.scenario.map(TaskScenario::as_str),
        "contender_tasks": run.contender.as_ref().map_or(0, |contender| contender.tasks),
        "dealt": run.contender.as_ref().and_then(|contender| contender.dealt.as_ref()),
        "fallbacks": run.fallbacks.map(|of| json!({ "tasks": of.tasks, "blocks": of.blocks })),
        "bound_by": tasked.bound.because_of.as_str(),
        "idle_reasons": reasons(|reason| run.idle_because(reason)),
        "per_node": run.nodes.iter().enumerate().map(node).collect::<Vec<_>>(),
    });
    if let Some(metg) = tasked.metg {
        object["metg"] = json!({
            "share": metg.share,
            "metg_us": metg.found.map(|(_, seconds)| number(seconds * 1e6)),
            "flop": metg.found.map(|(flop, _)| flop),
            "efficiency": metg.found.map(|_| number(metg.efficiency)),
        });
    }
    object
}

fn node((number_of_node, run): (usize, &NodeRun)) -> Value {
    json!({
        "node": number_of_node,
        "tasks": run.tasks,
        "busy_s": number(run.busy.value()),
        "idle_s": reasons(|reason| run.idle.of(reason).value()),
        "bytes": bytes(&run.traffic),
    })
}

/// A figure of each reason, in the order in which they are asked.
fn reasons(of: impl Fn(IdleReason) -> f64) -> Value {
    let all = IdleReason::ALL.into_iter();
    Value::Object(all.map(|reason| (reason.as_str().to_owned(), number(of(reason)))).collect())
}

fn bytes(traffic: &Traffic) -> Value {
    json!({
        "llc_local": number(traffic.llc_local),
        "llc_remote": number(traffic.llc_remote),
        "dram_local": number(traffic.dram_local),
        "dram_remote": number(traffic.dram_remote),
    })
}
