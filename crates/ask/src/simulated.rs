//! Applications over time: what came out of a simulation, and the document. Numbers are not rounded; what has not happened is null.

use numasim_draw::figures;
use numasim_dynamic::{AppRun, Bottleneck, ClusterRun, Ending, Job, Outcome, Run};
use numasim_model::dynamics::Channel;
use numasim_model::units::Seconds;
use numasim_model::{App, Study};
use serde_json::{Value, json};

use crate::json::{name_model, number};

/// One simulation with what it was asked.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// As `--policy` takes it.
    pub policy: String,
    /// Of the work of tasks.
    pub seed: u64,
    /// What came out.
    pub run: Run,
    /// No policy can have a shorter makespan than this, in seconds; `None` where none is known.
    pub lower_bound_s: Option<f64>,
    /// What takes so long: the rest of a sentence.
    pub bound_by: Option<String>,
    /// The cluster, where the files have one.
    pub cluster: Option<ClusterRun>,
}

impl Simulated {
    /// What a job gave.
    pub fn of(job: &Job<'_>, outcome: Outcome) -> Self {
        let Outcome { run, bound, cluster } = outcome;
        Self {
            policy: job.policy.to_string(),
            seed: job.seed,
            lower_bound_s: bound.map(|bound| bound.makespan.value()),
            bound_by: bound.map(|bound| in_words(job.study, bound.because_of)),
            cluster,
            run,
        }
    }

    /// When the last application was finished, in seconds.
    pub fn makespan_s(&self) -> Option<f64> {
        self.run.makespan.map(Seconds::value)
    }

    /// What came of it, for a picture.
    pub fn outcome(&self) -> String {
        let end = figures::rounded(self.run.time.value());
        match self.makespan_s() {
            Some(makespan) => format!("makespan {} s", figures::single(makespan)),
            None if self.is_partial() => format!("interrupted after {end} s"),
            None => format!("not finished after {end} s"),
        }
    }

    /// Whether somebody ended it before its time.
    pub fn is_partial(&self) -> bool {
        self.run.ending == Ending::Stopped
    }

    /// How far the makespan is above the lower bound, as a fraction of it.
    pub fn above_bound(&self) -> Option<f64> {
        let (makespan, bound) = self.makespan_s().zip(self.lower_bound_s)?;
        (bound > 0.0).then(|| makespan / bound - 1.0)
    }

    /// The most that lies in the channels, each at its fullest, in MB.
    pub fn most_stored_mb(&self, study: &Study) -> f64 {
        let channels = self.run.channels.iter().zip(&study.dynamics.channels);
        channels.map(|(run, channel)| mb(channel, run.max_items as f64)).sum()
    }
}

fn in_words(study: &Study, bottleneck: Bottleneck) -> String {
    match bottleneck {
        Bottleneck::Cores => "the cores have that much to compute".to_owned(),
        Bottleneck::Memories => "the memories have that much to deliver".to_owned(),
        Bottleneck::Memory(node) => format!("the memory of {node} has that much to deliver"),
        Bottleneck::Path(app) => {
            let name = study.apps.get(app.0).map_or("", |app| app.name.as_str());
            format!("{name}, with what it waits for, takes that long")
        }
    }
}

/// Items of a channel in MB.
pub fn mb(channel: &Channel, items: f64) -> f64 {
    channel.item.value() * items
}

/// GFLOPS on average from its arrival to its end; 0 where it did not arrive.
pub fn mean_gflops(app: &AppRun, run: &Run) -> f64 {
    let end = app.finished.unwrap_or(run.time);
    let Some(arrived) = app.arrived else { return 0.0 };
    let seconds = end.value() - arrived.value();
    if seconds > 0.0 { app.work.value() / seconds } else { 0.0 }
}

/// The document: one object for each policy and seed.
///
/// Beyond the contract, after its keys: of a run `time_s` (when it ended), `lower_bound_s` and `partial`; of an application
/// `wait_call_s`, `mean_gflops`, and the thread-seconds `idle_s`, `blocked_s` and `shared_s`; of a channel `mean_mb`; of the reaction
/// `count`.
pub fn json(study: &Study, runs: &[Simulated]) -> Value {
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
