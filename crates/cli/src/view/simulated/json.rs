//! Simulations for programs. Numbers are not rounded; what has not happened is null.

use numasim_dynamic::{AppRun, Run};
use numasim_model::units::Seconds;
use numasim_model::{App, Study};
use serde_json::{Value, json};

use super::super::json::{name_model, number};
use super::{Simulated, mb, mean_gflops};

/// The document: one object for each policy and seed.
///
/// Beyond the contract, after its keys: of a run `time_s` (when it ended), `lower_bound_s` and `partial`; of an application
/// `wait_call_s`, `mean_gflops`, and the thread-seconds `idle_s`, `blocked_s` and `shared_s`; of a channel `mean_mb`; of the reaction
/// `count`.
pub(crate) fn json(study: &Study, runs: &[Simulated]) -> Value {
    let mut document = json!({ "schema": 1, "command": "simulate", "machine": study.machine.name() });
    name_model(&mut document, study.machine.sharing());
    document["runs"] = runs.iter().map(|run| object(study, run)).collect();
    document
}

fn object(study: &Study, simulated: &Simulated) -> Value {
    let run = &simulated.run;
    let channels = run.channels.iter().zip(&study.dynamics.channels).map(|(run, channel)| {
        json!({
            "from": study.apps[run.from.0].name,
            "to": study.apps[run.to.0].name,
            "max_items": run.max_items,
            "mean_items": number(run.mean_items),
            "max_mb": number(mb(channel, run.max_items as f64)),
            "mean_mb": number(mb(channel, run.mean_items)),
        })
    });
    let mut object = json!({
        "policy": simulated.policy,
        "seed": simulated.seed,
        "makespan_s": seconds(run.makespan),
        "events": run.events,
        "apps": run.apps.iter().zip(&study.apps).map(|(app, of)| app_object(app, of, run)).collect::<Vec<_>>(),
        "channels": channels.collect::<Vec<_>>(),
        "commands": run.commands,
        "core_moves": run.core_moves,
        "reaction_s": {
            "mean": number(run.reaction.mean.value()),
            "max": number(run.reaction.max.value()),
            "count": run.reaction.count,
        },
    });
    if let Some(cluster) = simulated.cluster {
        object["cluster"] =
            json!({ "makespan_s": number(cluster.makespan.value()), "speedup": number(cluster.speedup) });
    }
    object["time_s"] = number(run.time.value());
    object["lower_bound_s"] = simulated.lower_bound_s.map_or(Value::Null, number);
    object["partial"] = simulated.is_partial().into();
    object
}

fn app_object(app: &AppRun, of: &App, run: &Run) -> Value {
    json!({
        "name": of.name,
        "arrived_s": seconds(app.arrived),
        "finished_s": seconds(app.finished),
        "iterations": app.iterations,
        "gflop": number(app.work.value()),
        "mean_threads": number(app.mean_threads),
        "wait_input_s": number(app.waited_input.value()),
        "wait_output_s": number(app.waited_output.value()),
        "wait_call_s": number(app.waited_call.value()),
        "mean_gflops": number(mean_gflops(app, run)),
        "idle_s": number(app.idle.value()),
        "blocked_s": number(app.blocked.value()),
        "shared_s": number(app.shared.value()),
    })
}

fn seconds(time: Option<Seconds>) -> Value {
    time.map_or(Value::Null, |time| number(time.value()))
}
