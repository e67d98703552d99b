//! Simulations of codes under schedulers, several in parallel, and speedups over `fifo`.

use std::collections::HashMap;

use numasim_graph::values::{PagePlacement, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskGraph};
use numasim_model::Machine;
use numasim_tasks::{Question, Run, Silent, simulate};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::codes::{Code, Settings};
use crate::common::Failure;
use crate::common::statistics::{Estimate, geometric, of_ratios};
use crate::machines::sockets;

/// The simulated scheduler of each code, for each seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub(crate) kind: SchedulerKind,
    pub(crate) steal: bool,
}

impl Way {
    /// Without stealing.
    pub(crate) const fn of(kind: SchedulerKind) -> Self {
        Self { kind, steal: false }
    }

    /// With stealing.
    pub(crate) const fn stealing(kind: SchedulerKind) -> Self {
        Self { kind, steal: true }
    }
}

/// Runs of codes on a machine: by code and way, one for each seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs(HashMap<(&'static str, Way), Vec<Run>>);

/// One simulation; ties and the work of tasks are drawn from `seed`.
pub(crate) fn one(
    machine: &Machine,
    graph: &TaskGraph,
    scheduler: &SchedulerSettings,
    steal: bool,
    (task_spread, seed): (f64, u64),
) -> Result<Run, Failure> {
    let runtime = RuntimeSettings { seed, task_spread, ..RuntimeSettings::default() };
    let placement = PagePlacement::FirstTouch;
    let question = Question { placement, steal, ..Question::new(machine, graph, scheduler, &runtime) };
    Ok(simulate(&question, &mut Silent)?)
}

/// Simulates `codes` in all `ways` with the seeds 1 to `seeds`.
pub(crate) fn all(
    machine: &Machine,
    codes: &[Code],
    ways: &[Way],
    settings: &Settings,
    seeds: u64,
) -> Result<Runs, Failure> {
    let sockets = sockets(machine);
    let graphs = codes.iter().map(|code| code.graph(&sockets)).collect::<Result<Vec<_>, _>>()?;
    let mut jobs = Vec::new();
    for (code, graph) in codes.iter().zip(&graphs) {
        for &way in ways {
            jobs.extend((1..=seeds).map(|seed| (code, graph, way, seed)));
        }
    }
    let run = |&(code, graph, way, seed): &(&Code, &TaskGraph, Way, u64)| {
        let scheduler = code.scheduler(way.kind, settings);
        one(machine, graph, &scheduler, way.steal, (settings.task_spread, seed))
    };
    let done: Vec<Result<Run, Failure>> = jobs.par_iter().map(run).collect();
    let mut runs = Runs::default();
    for ((code, _, way, _), run) in jobs.iter().zip(done) {
        runs.0.entry((code.name(), *way)).or_default().push(run?);
    }
    Ok(runs)
}

impl Runs {
    /// The runs of a code, by seed.
    pub(crate) fn of(&self, code: &str, way: Way) -> &[Run] {
        let found = self.0.iter().find(|((name, its), _)| *name == code && *its == way);
        found.map_or(&[], |(_, runs)| runs.as_slice())
    }

    /// Makespan under `fifo` / makespan, seed by seed.
    fn ratios(&self, code: &str, way: Way) -> Vec<f64> {
        let fifo = self.of(code, Way::of(SchedulerKind::Fifo));
        let runs = self.of(code, way);
        fifo.iter().zip(runs).map(|(fifo, run)| fifo.makespan.value() / run.makespan.value()).collect()
    }

    /// Speedup of a code over `fifo`.
    pub(crate) fn speedup(&self, code: &str, way: Way) -> Estimate {
        of_ratios(&self.ratios(code, way))
    }

    /// The geometric mean over codes.
    pub(crate) fn mean(&self, codes: &[&str], way: Way) -> Estimate {
        let ratios: Vec<Vec<f64>> = codes.iter().map(|code| self.ratios(code, way)).collect();
        let seeds = ratios.iter().map(Vec::len).min().unwrap_or(0);
        let of_seed = |seed: usize| geometric(ratios.iter().filter_map(|of| of.get(seed).copied()));
        of_ratios(&(0..seeds).map(of_seed).collect::<Vec<_>>())
    }

    /// The geometric mean over codes of the median of their seeds.
    pub(crate) fn mean_of_medians(&self, codes: &[&str], way: Way) -> f64 {
        let median = |code: &&str| numasim_evidence::statistics::median(&self.ratios(code, way));
        geometric(codes.iter().filter_map(median))
    }

    /// The mean of a value of the runs of a code over the seeds.
    pub(crate) fn mean_of(&self, code: &str, way: Way, value: impl Fn(&Run) -> f64) -> f64 {
        let runs = self.of(code, way);
        runs.iter().map(value).sum::<f64>() / runs.len() as f64
    }
}
