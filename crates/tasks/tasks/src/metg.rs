//! The smallest tasks of Task Bench with which a scheduler still keeps the cores at work.
//!
//! The minimum effective task granularity of Slaughter et al. ("Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime
//! Performance", SC 2020, section IV): the smallest average granularity, which is makespan x cores / tasks, at which the FLOP of all tasks
//! / makespan is at least a share (there 50 %) of the peaks of all cores. Here the work of a task is halved or doubled until it
//! is below and above the share, then halved between both. Where efficiency does not rise with the work everywhere, what is found is one
//! of the places where it crosses the share.

use numasim_graph::generate;
use numasim_graph::values::{Generator, GraphSource, TaskBench, TaskStudy};
use numasim_model::NodeId;

use crate::engine::simulate;
use crate::error::JobError;
use crate::observer::{Silent, Stoppable};
use crate::question::Question;

/// Larger tasks are looked at no more: a day on a core of 12 GFLOPS.
const MOST_FLOP: u64 = 1_000_000_000_000_000;
/// How near both ends of the last step are, relative to them; 1 FLOP at least.
const NEAR: f64 = 1e-6;
/// Rounding in sums of times.
const ROUNDING: f64 = 1e-9;

/// The tasks that can be made smaller: those of Task Bench.
pub fn bench(tasks: &TaskStudy) -> Option<(&str, &TaskBench)> {
    match &tasks.source {
        GraphSource::Generated { name, generator: Generator::TaskBench(bench) } => Some((name, bench)),
        _ => None,
    }
}

/// The smallest tasks that keep the cores at work (Slaughter et al., SC 2020).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metg {
    /// Of the peak of all cores.
    pub share: f64,
    /// FLOP of a task, and makespan x cores / tasks in seconds; `None` where no size keeps that share.
    pub found: Option<(u64, f64)>,
    /// FLOP of all tasks / makespan / peak of all cores, with tasks of that size; 0 where there is none.
    pub efficiency: f64,
}

/// One size of tasks.
#[derive(Clone, Copy)]
struct Tried {
    flop: u64,
    efficiency: f64,
    granularity_s: f64,
}

impl Metg {
    /// Of a program under the scheduler of a question; `stop` is asked now and then.
    pub(crate) fn of(
        question: &Question<'_>,
        share: f64,
        (name, bench): (&str, &TaskBench),
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, JobError> {
        let tried = Search { question, name, bench, stop }.smallest(share)?;
        Ok(Self {
            share,
            found: tried.map(|tried| (tried.flop, tried.granularity_s)),
            efficiency: tried.map_or(0.0, |tried| tried.efficiency),
        })
    }
}

struct Search<'a> {
    question: &'a Question<'a>,
    name: &'a str,
    bench: &'a TaskBench,
    stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// The smallest tasks that keep `share` of the peak; `None` where no size does.
    fn smallest(&self, share: f64) -> Result<Option<Tried>, JobError> {
        let enough = |tried: &Tried| tried.efficiency >= share * (1.0 - ROUNDING);
        let mut above = self.with(self.bench.flop.clamp(1, MOST_FLOP))?;
        // The largest size that is known to be too small.
        let mut below = 0;
        while !enough(&above) {
            if above.flop >= MOST_FLOP {
                return Ok(None);
            }
            below = above.flop;
            above = self.with((above.flop * 2).min(MOST_FLOP))?;
        }
        while above.flop - below > 1 && (above.flop - below) as f64 > NEAR * above.flop as f64 {
            let middle = self.with(below.midpoint(above.flop))?;
            if enough(&middle) {
                above = middle;
            } else {
                below = middle.flop;
            }
        }
        Ok(Some(above))
    }

    /// The same program with tasks of `flop`.
    fn with(&self, flop: u64) -> Result<Tried, JobError> {
        let machine = self.question.machine;
        let sockets: Vec<NodeId> = machine.compute_nodes().collect();
        let generator = Generator::TaskBench(TaskBench { flop, ..self.bench.clone() });
        let graph = generate(&generator, self.name, &sockets)?;
        let question = Question { graph: &graph, ..*self.question };
        let run = simulate(&question, &mut Stoppable { observer: &mut Silent, stop: self.stop })?;
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
