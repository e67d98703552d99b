//! `workflow.execution`: how long each task took.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::HashMap;

use numasim_study::{Place, Problem, ProblemKind};

use super::super::{Noted, Warning};
use super::json::Json;
use crate::problems::{Problems, shown};

/// What was measured of each task, and what is to be said of it.
#[derive(Default)]
pub(super) struct Measured {
    tasks: HashMap<String, Figures>,
    cores: Noted,
    cpu: Noted,
    idle: Noted,
    /// Some could not be read: they are there all the same.
    lacks: bool,
}

struct Figures {
    runtime_s: f64,
    /// Percent of a core.
    cpu: Option<f64>,
    cores: f64,
    place: Place,
    used: bool,
}

fn figures(task: Json<'_>) -> Result<(String, Figures), Problem> {
    let object = task.object("a task")?;
    let id = object.need("id")?.string("id")?;
    let amount = |key: &str| object.get(key).map(|value| value.amount(key)).transpose();
    let runtime_s = object.need("runtimeInSeconds")?.amount("runtimeInSeconds")?;
    let (cpu, cores) = (amount("avgCPU")?, amount("coreCount")?.unwrap_or(1.0));
    Ok((id, Figures { runtime_s, cpu, cores, place: Place::at(0, task.first_line()), used: false }))
}

impl Measured {
    /// The figures of all tasks.
    pub(super) fn read(executed: &[Json<'_>], problems: &mut Problems) -> Self {
        let before = problems.len();
        let mut measured = Self::default();
        for &task in executed {
            if problems.is_full() {
                break;
            }
            let Some((id, figures)) = problems.take(figures(task)) else { continue };
            if measured.tasks.contains_key(&id) {
                let message = format!("the task `{}` was executed twice", shown(&id));
                problems.add(task.problem(ProblemKind::DuplicateName, message));
            }
            measured.tasks.insert(id, figures);
        }
        measured.lacks = problems.len() > before;
        measured
    }

    /// The work of a task, 10^9 FLOP: runtime x avgCPU / 100 x GFLOPS of a core. `None` if it was not executed.
    pub(super) fn gflop(&mut self, id: &str, reference_gflops: f64) -> Option<f64> {
        let Some(figures) = self.tasks.get_mut(id) else { return self.lacks.then_some(0.0) };
        figures.used = true;
        if figures.cores > 1.0 {
            self.cores.at(id, &figures.place);
        }
        if figures.cpu.is_none() {
            self.cpu.at(id, &figures.place);
        }
        if figures.cpu == Some(0.0) && figures.runtime_s > 0.0 {
            self.idle.at(id, &figures.place);
        }
        Some(figures.runtime_s * figures.cpu.unwrap_or(100.0) / 100.0 * reference_gflops)
    }

    /// What was executed and is no task.
    pub(super) fn check_unused(&self, problems: &mut Problems) {
        let mut unused: Vec<_> = self.tasks.iter().filter(|(_, figures)| !figures.used).collect();
        unused.sort_by_key(|(_, figures)| figures.place.span.as_ref().map_or(0, |span| span.start));
        for (id, figures) in unused {
            let message = format!("`{}` was executed, but is no task of the specification", shown(id));
            problems.add(Problem::new(ProblemKind::UnknownName, message).at(figures.place.clone(), "here"));
        }
    }

    pub(super) fn warnings(self) -> Vec<Warning> {
        let tasks = ["the task", "tasks"];
        let cores =
            "asked for several cores (`coreCount`): each becomes one task on one core, with all of the work";
        let cpu = "without `avgCPU`: 100 % is assumed";
        let idle = "with `avgCPU` 0: no work, whatever their time";
        let warnings =
            [self.cores.warning(tasks, cores), self.cpu.warning(tasks, cpu), self.idle.warning(tasks, idle)];
        warnings.into_iter().flatten().collect()
    }
}
