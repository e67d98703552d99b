//! A run and a plan for programs.

use numasim_bench::plan::{Change, Plan};
use numasim_bench::session::Ended;
use numasim_evidence::measured::summary::Summary;
use serde_json::{Value, json};

use super::plan::groups;
use super::{Planned, Result};

/// The object of `bench --format json`.
///
/// `status` is `complete`, `misplaced` (complete, but some measurements count for nothing), `interrupted` or `failed`.
/// Figures over repetitions are objects with `median`, `min`, `max` and `spread` (sample standard deviation over mean;
/// null with one repetition); they are null without a valid repetition.
pub(crate) fn json(result: &Result) -> Value {
    let provenance = result.provenance;
    let status = match result.outcome.ended {
        Ended::Interrupted => "interrupted",
        Ended::Failed(_) => "failed",
        Ended::Complete if result.outcome.lost().next().is_some() => "misplaced",
        Ended::Complete => "complete",
    };
    let misplaced: Vec<Value> = result
        .outcome
        .misplaced
        .iter()
        .map(|one| {
            json!({ "scenario": one.scenario, "repetition": one.repetition, "problems": one.problems,
                    "repeated_in_place": one.mended })
        })
        .collect();
    json!({
        "schema": 1, "command": "bench", "machine": result.plan.study.machine.name(), "host": result.host.name,
        "run": provenance.run, "status": status,
        "result": result.path.display().to_string(), "provenance": result.beside.display().to_string(),
        "study": result.study.display().to_string(), "settings": provenance.settings,
        "scenarios": scenarios(result.summaries), "changes": changes(result.plan), "skipped": skipped(result.plan),
        "misplaced": misplaced, "doubts": provenance.doubts,
    })
}

fn scenarios(summaries: &[Summary]) -> Vec<Value> {
    let mut names: Vec<&str> = summaries.iter().map(|one| one.scenario.as_str()).collect();
    names.dedup();
    let scenario = |name: &str| {
        let own: Vec<&Summary> = summaries.iter().filter(|one| one.scenario == name).collect();
        let apps: Vec<Value> = own
            .iter()
            .filter_map(|one| {
                let threads: Vec<Value> = one
                    .threads
                    .iter()
                    .map(|(node, threads)| json!({ "node": node, "threads": threads }))
                    .collect();
                Some(json!({
                    "name": one.app.as_ref()?, "threads": threads, "repetitions": one.repetitions,
                    "gflops": one.gflops, "bandwidth_gbs": one.bandwidth_gbs,
                    "counting_percent": one.counting_percent,
                }))
            })
            .collect();
        // A single application is the whole scenario.
        let whole = own.iter().find(|one| one.app.is_none()).or(own.first());
        json!({
            "name": name, "fitted": own.iter().any(|one| one.fitted),
            "repetitions": whole.map(|one| one.repetitions),
            "total_gflops": whole.and_then(|one| one.gflops),
            "total_bandwidth_gbs": whole.and_then(|one| one.bandwidth_gbs), "apps": apps,
        })
    };
    names.into_iter().map(scenario).collect()
}

fn changes(plan: &Plan) -> Vec<Value> {
    let change = |change: &Change| json!({ "scenario": change.scenario(), "what": change.code(), "change": change.to_string() });
    plan.changes.iter().map(change).collect()
}

fn skipped(plan: &Plan) -> Vec<Value> {
    let reasons = |misfits: &[numasim_bench::plan::Misfit]| {
        misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    plan.skipped
        .iter()
        .map(|one| json!({ "scenario": one.scenario, "reason": reasons(&one.misfits) }))
        .collect()
}

/// The object of `bench --dry-run --format json`.
pub(crate) fn plan_json(planned: &Planned) -> Value {
    let settings = planned.settings;
    let scenarios: Vec<Value> = planned
        .plan
        .scenarios
        .iter()
        .map(|scenario| {
            let own = groups(planned).into_iter().filter(|(of, ..)| of.name == scenario.name);
            let groups: Vec<Value> = own
                .map(|(_, app, node, threads)| {
                    let each: Vec<Value> = threads
                        .iter()
                        .map(|thread| {
                            let memory: Vec<Value> = thread
                                .memory
                                .iter()
                                .map(|(node, share)| json!({ "os_node": node, "share": share }))
                                .collect();
                            json!({ "cpus": thread.cpus.to_string(), "memory": memory })
                        })
                        .collect();
                    json!({ "app": app.name, "node": node.0, "kernel": app.kernel.name(),
                            "arithmetic_intensity": app.kernel.arithmetic_intensity().value(), "threads": each })
                })
                .collect();
            json!({ "name": scenario.name, "fitted": scenario.fitted, "groups": groups })
        })
        .collect();
    json!({
        "schema": 1, "command": "bench", "machine": planned.plan.study.machine.name(), "host": planned.host.name,
        "status": "planned", "repetitions": planned.repetitions, "isa": settings.isa.as_str(),
        "window_s": settings.window.as_secs_f64(), "warm_up_s": settings.warm_up.as_secs_f64(),
        "bytes_per_thread": settings.bytes_per_thread, "processes": settings.processes,
        "scenarios": scenarios, "changes": changes(planned.plan), "skipped": skipped(planned.plan),
        "doubts": planned.doubts,
    })
}
