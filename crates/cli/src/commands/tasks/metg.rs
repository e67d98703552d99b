//! `--metg`: the smallest tasks of Task Bench with which a scheduler still keeps the cores at work.
//!
//! The minimum effective task granularity of Slaughter et al. ("Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime
//! Performance", SC 2020, section IV): the smallest average granularity, which is makespan x cores / tasks, at which the FLOP of all tasks
//! / makespan is at least a share (there 50 %) of the peaks of all cores. Here the work of a task is halved or doubled until it
//! is below and above the share, then halved between both. Where efficiency does not rise with the work everywhere, what is found is one
//! of the places where it crosses the share.

use numasim_graph::generate;
use numasim_model::graph::{Generator, GraphSource, TaskBench};
use numasim_model::{NodeId, Study};
use numasim_tasks::{Question, Silent, simulate};

use super::running::{Ended, Job, Stoppable};
use crate::args::TasksArgs;
use crate::failure::Failure;
use crate::view::tasked::Metg;

/// Larger tasks are looked at no more: a day on a core of 12 GFLOPS.
const MOST_FLOP: u64 = 1_000_000_000_000_000;
/// How near both ends of the last step are, relative to them; 1 FLOP at least.
const NEAR: f64 = 1e-6;
/// Rounding in sums of times.
const ROUNDING: f64 = 1e-9;

/// Refuses what has no tasks that can be made smaller.
///
/// # Errors
/// `--metg` of another graph than Task Bench.
pub(super) fn can_be_found(args: &TasksArgs, study: &Study) -> Result<(), Failure> {
    if args.metg.is_none() || bench(study).is_some() {
        return Ok(());
    }
    Err(Failure::input("--metg is of Task Bench: the graph of these files is another one")
        .hint("give [graph] generator = \"task-bench\" with a pattern, width and steps"))
}

fn bench(study: &Study) -> Option<(&str, &TaskBench)> {
    match &study.tasks.source {
        GraphSource::Generated { name, generator: Generator::TaskBench(bench) } => Some((name, bench)),
        _ => None,
    }
}

/// One size of tasks.
#[derive(Clone, Copy)]
struct Tried {
    flop: u64,
    efficiency: f64,
    granularity_s: f64,
}

impl Job<'_> {
    /// The granularity that is asked for; `None` where none is.
    pub(super) fn metg(&self) -> Result<Option<Metg>, Ended> {
        let Some((share, (name, bench))) = self.settings.metg.zip(bench(self.study)) else { return Ok(None) };
        let tried = self.smallest(share, name, bench)?;
        Ok(Some(Metg {
            share,
            found: tried.map(|tried| (tried.flop, tried.granularity_s)),
            efficiency: tried.map_or(0.0, |tried| tried.efficiency),
        }))
    }

    /// The smallest tasks that keep `share` of the peak; `None` where no size does.
    fn smallest(&self, share: f64, name: &str, bench: &TaskBench) -> Result<Option<Tried>, Ended> {
        let enough = |tried: &Tried| tried.efficiency >= share * (1.0 - ROUNDING);
        let mut above = self.with(bench.flop.clamp(1, MOST_FLOP), name, bench)?;
        // The largest size that is known to be too small.
        let mut below = 0;
        while !enough(&above) {
            if above.flop >= MOST_FLOP {
                return Ok(None);
            }
            below = above.flop;
            above = self.with((above.flop * 2).min(MOST_FLOP), name, bench)?;
        }
        while above.flop - below > 1 && (above.flop - below) as f64 > NEAR * above.flop as f64 {
            let middle = self.with(below.midpoint(above.flop), name, bench)?;
            if enough(&middle) {
                above = middle;
            } else {
                below = middle.flop;
            }
        }
        Ok(Some(above))
    }

    /// The same program with tasks of `flop`.
    fn with(&self, flop: u64, name: &str, bench: &TaskBench) -> Result<Tried, Ended> {
        let machine = &self.study.machine;
        let sockets: Vec<NodeId> = machine.compute_nodes().collect();
        let generator = Generator::TaskBench(TaskBench { flop, ..bench.clone() });
        let graph = generate(&generator, name, &sockets)
            .map_err(|error| Ended::Failed(Failure::input(format!("generator task-bench: {error}"))))?;
        let question = Question { graph: &graph, ..self.question() };
        let run = simulate(&question, &mut Stoppable(&mut Silent)).map_err(|error| self.ended(&error))?;
        let (seconds, tasks) = (run.makespan.value(), graph.task_count() as f64);
        let gflop: f64 = graph.tasks().map(|task| graph.gflop(task)).sum();
        let peak: f64 =
            machine.nodes().iter().map(|node| node.gflops_per_core.value() * f64::from(node.cores)).sum();
        Ok(Tried {
            flop,
            efficiency: if seconds > 0.0 { gflop / seconds / peak } else { 0.0 },
            granularity_s: if tasks > 0.0 { seconds * machine.total_cores() as f64 / tasks } else { 0.0 },
        })
    }
}
