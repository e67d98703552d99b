//! One simulation of a graph after the other, or several at a time.

use numasim_model::Study;
use numasim_model::graph::TaskId;
use numasim_plan::GraphPlan;
use numasim_tasks::bound::lower_bound;
use numasim_tasks::{IdleReason, Observer, Question, Silent, TaskRecord, TasksError, simulate};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::program::{Program, Settings};
use crate::failure::Failure;
use crate::view::tasked::Tasked;
use crate::watch;

/// One simulation.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) study: &'a Study,
    pub(super) program: &'a Program,
    pub(super) plan: Option<&'a GraphPlan>,
    pub(super) settings: &'a Settings,
}

/// Why a simulation has no result.
pub(super) enum Ended {
    /// Ctrl-C.
    Interrupted,
    /// It cannot be simulated.
    Failed(Failure),
}

/// Looks on as another one does, and stops where Ctrl-C asks for it.
pub(super) struct Stoppable<'a>(pub(super) &'a mut dyn Observer);

impl Observer for Stoppable<'_> {
    fn ended(&mut self, record: &TaskRecord) {
        self.0.ended(record);
    }

    fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        self.0.partitioned(tasks, start_s, end_s);
    }

    fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        self.0.idle_because(reason, start_s, end_s);
    }

    fn stops(&self) -> bool {
        watch::interrupted() || self.0.stops()
    }
}

impl Job<'_> {
    pub(super) fn question(&self) -> Question<'_> {
        let Settings { scheduler, runtime, placement, steal, .. } = self.settings;
        Question {
            machine: &self.study.machine,
            graph: &self.program.graph,
            scheduler,
            runtime,
            placement: *placement,
            steal: *steal,
            contender: self.study.tasks.contender.as_ref(),
            plan: self.plan,
        }
    }

    /// Simulates.
    pub(super) fn run(&self, observer: &mut dyn Observer) -> Result<Tasked, Ended> {
        let question = self.question();
        let run = simulate(&question, &mut Stoppable(observer)).map_err(|error| self.ended(&error))?;
        Ok(Tasked {
            scheduler: self.settings.scheduler.kind,
            placement: self.settings.placement,
            scenario: self.settings.scenario,
            steal: self.settings.steal,
            seed: self.settings.runtime.seed,
            bound: lower_bound(&question, &self.program.dependencies),
            metg: self.metg()?,
            run,
        })
    }

    pub(super) fn ended(&self, error: &TasksError) -> Ended {
        let name = |task: TaskId| match self.program.graph.task_name(task) {
            Some(name) => format!("task `{name}`"),
            None => format!("task {}", task.0),
        };
        let failure = match *error {
            TasksError::Stopped => return Ended::Interrupted,
            TasksError::NoSocket(task) => {
                Failure::input(format!("{} has no `socket`, which the scheduler sa needs", name(task)))
                    .hint("give every task a `socket`, or take another --scheduler")
            }
            TasksError::NoCores { task, node } => {
                Failure::input(format!("{} should run on {node}, which has no cores", name(task)))
                    .hint("give it the `socket` of a node with cores, or take another --scheduler")
            }
            TasksError::Affinity { task, node } => {
                Failure::input(format!("the `affinity` of {} is {node}, which has no cores", name(task)))
                    .hint("give it the `affinity` of a node with cores, or none")
            }
            TasksError::Tree { scheduler, task } => Failure::input(format!(
                "{} is created by a task, but the scheduler {} partitions what the master creates",
                name(task),
                scheduler.as_str()
            ))
            .hint(
                "take another --scheduler: `fifo`, `sa`, `dep`, `tbb`, `tbb-numa`, `hint` run tree programs",
            ),
            TasksError::NeverEnds(task) => {
                let model = self.study.machine.sharing().name();
                Failure::input(format!(
                    "{} never ends: nobody's data moves any more under the sharing model {model}",
                    name(task)
                ))
                .hint(
                    "each task that runs reads several memories, and one of them gives all it has to others, who wait in the same way: \
                     remote-first serves reads across links first, as far as they ask, and a node's own threads from what is left",
                )
                .hint("take another --model, such as baseline-proportional, which serves a node's own threads and links as equals")
            }
            ref error => Failure::input(error.to_string()),
        };
        Ended::Failed(failure)
    }
}

/// All simulations in their order, up to the first that Ctrl-C stopped. `at_a_time`: for how many there is room.
///
/// # Errors
/// The first that cannot be simulated.
pub(super) fn all(jobs: &[Job<'_>], at_a_time: usize) -> Result<Vec<Tasked>, Failure> {
    let mut done = Vec::new();
    for some in jobs.chunks(at_a_time.max(1)) {
        let runs: Vec<Result<Tasked, Ended>> = some.par_iter().map(|job| job.run(&mut Silent)).collect();
        for run in runs {
            match run {
                Ok(run) => done.push(run),
                Err(Ended::Interrupted) => return Ok(done),
                Err(Ended::Failed(failure)) => return Err(failure),
            }
        }
    }
    Ok(done)
}
