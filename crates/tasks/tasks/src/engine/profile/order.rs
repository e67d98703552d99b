//! In which order one worker alone runs all tasks: that of the engine, with one queue and no overheads.

use std::collections::VecDeque;

use numasim_graph::values::{RuntimeSettings, SchedulerSettings, TaskGraph, TaskId, Ties};
use numasim_model::Machine;
use numasim_model::sharing::Network;
use numasim_model::units::Seconds;

use super::super::simulation::Simulation;
use super::Profiler;
use crate::error::TasksError;
use crate::observer::{Observer, TaskRecord};
use crate::question::Question;
use crate::schedulers::{Partitioning, Scheduler, View};
use crate::sockets::{SocketId, Sockets, WorkerId};

/// All tasks as worker 0 runs them.
pub(super) fn of_one_worker(
    machine: &Machine,
    graph: &TaskGraph,
    (sockets, network): (&Sockets, &Network),
    to: &dyn Profiler,
) -> Result<Vec<TaskId>, TasksError> {
    let none = Seconds::new(0.0);
    let runtime = RuntimeSettings {
        creation: none,
        throttle: None,
        task: none,
        steal: none,
        ties: Ties::Order,
        task_spread: 0.0,
        ..RuntimeSettings::default()
    };
    let scheduler = SchedulerSettings::default();
    let question = Question::new(machine, graph, &scheduler, &runtime);
    let mut heard = Heard { order: Vec::with_capacity(graph.task_count()), to };
    Simulation::new(&question, sockets, network, Box::new(Alone::default()), &mut heard)?.run()?;
    Ok(heard.order)
}

/// One queue for worker 0.
#[derive(Clone, Debug, Default)]
struct Alone(VecDeque<TaskId>);

impl Scheduler for Alone {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.0.push_back(task);
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        if worker == WorkerId(0) { self.0.pop_front() } else { None }
    }

    fn socket(&self, _: TaskId) -> Option<SocketId> {
        None
    }

    fn gives_sockets(&self) -> bool {
        false
    }
}

/// Notes who ended when.
struct Heard<'a> {
    order: Vec<TaskId>,
    to: &'a dyn Profiler,
}

impl Observer for Heard<'_> {
    fn ended(&mut self, record: &TaskRecord) {
        self.order.push(record.task);
    }

    fn stops(&self) -> bool {
        self.to.stops()
    }
}
