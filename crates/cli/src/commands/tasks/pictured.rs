//! Simulations of tasks with a chart of each, for the page of `report`.

use numasim_ask::Input;
use numasim_ask::tasks::{self, failed, too_large};
use numasim_draw::gantt::Gantt;
use numasim_graph::values::{GraphSource, PagePlacement, SchedulerKind, SchedulerSettings, TaskStudy};
use numasim_model::units::Seconds;
use numasim_tasks::{Job, Program, Settings};

use super::bars::Recorder;
use super::outputs::Onlookers;
use super::running::one;
use crate::failure::Failure;
use crate::view::tasked::{GraphFacts, Tasked};

/// Of more workers there is no chart.
const MOST_WORKERS: u64 = 256;

/// A graph, and what became of it under several schedulers.
pub(crate) struct Pictured {
    pub(crate) facts: GraphFacts,
    /// Whose result there is, with a chart where workers are few enough for one.
    pub(crate) runs: Vec<(Tasked, Option<Gantt>)>,
    /// Others, each with the reason.
    pub(crate) without: Vec<(SchedulerKind, String)>,
}

/// Whether the files have a graph.
pub(crate) fn has_graph(tasks: &TaskStudy) -> bool {
    !matches!(tasks.source, GraphSource::None)
}

/// Simulates the graph of the files, with their seed, under `kinds`; without any under `fifo`, `sa` where every task has a socket, `dep`, `rip-dep`
/// and that of the files.
///
/// # Errors
/// A graph that cannot be made, or for which there is no room; Ctrl-C.
pub(crate) fn pictured(input: &Input, kinds: &[SchedulerKind]) -> Result<Pictured, Failure> {
    let program = tasks::program(tasks::graph(input)?)?;
    let (machine, of_files) = (&input.study.machine, &input.tasks);
    program.at_a_time().map_err(too_large)?;
    let kinds = if kinds.is_empty() { usual(of_files, &program) } else { kinds.to_vec() };
    let settings: Vec<Settings> = kinds
        .into_iter()
        .map(|kind| Settings {
            scenario: None,
            scheduler: SchedulerSettings { kind, ..of_files.scheduler.clone() },
            runtime: of_files.runtime.clone(),
            placement: PagePlacement::default(),
            steal: false,
            metg: None,
        })
        .collect();
    let draws = machine.total_cores() <= MOST_WORKERS;
    let (mut done, mut without) = (Vec::new(), Vec::new());
    for settings in &settings {
        let job = Job { machine, tasks: of_files, program: &program, plan: None, settings };
        let mut onlookers = Onlookers::of_chart(&program.graph, draws);
        match one(&job, &mut onlookers) {
            Ok(tasked) => done.push((job, tasked, onlookers.bars)),
            Err(error) => match failed(machine, &program, &error) {
                None => return Err(Failure::interrupted("interrupted")),
                Some(refusal) => {
                    without.push((settings.scheduler.kind, Failure::from(refusal).message().to_owned()));
                }
            },
        }
    }
    // On one axis, so that they can be compared.
    let end_s = done.iter().map(|(_, tasked, _)| tasked.run.makespan.value()).fold(0.0, f64::max);
    let chart = |(job, tasked, bars): (Job<'_>, Tasked, Option<Recorder>)| {
        let chart = bars.map(|bars| bars.chart(&job, &tasked, Seconds::new(end_s)));
        (tasked, chart)
    };
    Ok(Pictured { facts: GraphFacts::of(&program), runs: done.into_iter().map(chart).collect(), without })
}

fn usual(tasks: &TaskStudy, program: &Program) -> Vec<SchedulerKind> {
    let annotated = program.graph.tasks().all(|task| program.graph.socket(task).is_some());
    let mut kinds = vec![SchedulerKind::Fifo];
    kinds.extend(annotated.then_some(SchedulerKind::Sa));
    kinds.extend([SchedulerKind::Dep, SchedulerKind::RipDep]);
    if !kinds.contains(&tasks.scheduler.kind) {
        kinds.push(tasks.scheduler.kind);
    }
    kinds
}
