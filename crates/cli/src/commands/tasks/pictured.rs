//! Simulations of tasks with a chart of each, for the page of `report`.

use numasim_draw::gantt::Gantt;
use numasim_model::Study;
use numasim_model::graph::{GraphSource, PagePlacement, SchedulerKind, SchedulerSettings};

use super::bars::Recorder;
use super::outputs::Onlookers;
use super::program::{Program, Settings};
use super::room;
use super::running::{Ended, Job};
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
pub(crate) fn has_graph(study: &Study) -> bool {
    !matches!(study.tasks.source, GraphSource::None)
}

/// Simulates the graph of the files, with their seed, under `kinds`; without any under `fifo`, `sa` where every task has a socket, `dep`, `rip-dep`
/// and that of the files.
///
/// # Errors
/// A graph that cannot be made, or for which there is no room; Ctrl-C.
pub(crate) fn pictured(study: &Study, kinds: &[SchedulerKind]) -> Result<Pictured, Failure> {
    let program = Program::of(study, None)?;
    room::at_a_time(&program.graph, &program.dependencies)?;
    let kinds = if kinds.is_empty() { usual(study, &program) } else { kinds.to_vec() };
    let (mut runs, mut without) = (Vec::new(), Vec::new());
    for kind in kinds {
        let settings = Settings {
            scheduler: SchedulerSettings { kind, ..study.tasks.scheduler.clone() },
            runtime: study.tasks.runtime.clone(),
            placement: PagePlacement::default(),
            steal: false,
            metg: None,
        };
        let job = Job { study, program: &program, settings: &settings };
        let draws = study.machine.total_cores() <= MOST_WORKERS;
        let mut onlookers = Onlookers::of_chart(&program.graph, draws);
        match job.run(&mut onlookers) {
            Ok(tasked) => {
                let chart = onlookers.bars.map(|bars: Recorder| bars.chart(&job, &tasked));
                runs.push((tasked, chart));
            }
            Err(Ended::Interrupted) => return Err(Failure::interrupted("interrupted")),
            Err(Ended::Failed(failure)) => without.push((kind, failure.message().to_owned())),
        }
    }
    Ok(Pictured { facts: program.facts(), runs, without })
}

fn usual(study: &Study, program: &Program) -> Vec<SchedulerKind> {
    let annotated = program.graph.tasks().all(|task| program.graph.socket(task).is_some());
    let mut kinds = vec![SchedulerKind::Fifo];
    kinds.extend(annotated.then_some(SchedulerKind::Sa));
    kinds.extend([SchedulerKind::Dep, SchedulerKind::RipDep]);
    if !kinds.contains(&study.tasks.scheduler.kind) {
        kinds.push(study.tasks.scheduler.kind);
    }
    kinds
}
