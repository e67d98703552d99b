//! The profiling run of paper 000 (section II): each task alone on worker 0, with its data here and there, and in the whole run.
//!
//! The settings are those of OCR-Vx, the runtime of the paper. `near` is the node of worker 0, `far` the highest other node with cores and memory.

mod order;
mod timer;

use numasim_graph::values::{TaskGraph, TaskId};
use numasim_model::Machine;
use numasim_model::sharing::Network;
use numasim_plan::profile::Setting;

use self::timer::Timer;
use crate::error::TasksError;
use crate::refusal;
use crate::sockets::{SocketId, Sockets};

/// Tasks between two questions whether to stop.
const TASKS_PER_LOOK: u32 = 1024;

/// Who is told the seconds of each task.
pub trait Profiler {
    /// A task and its seconds in each setting, from the begin of its work. Tasks come by number, settings in the order of the profile.
    fn timed(&mut self, task: TaskId, timings: &[(Setting, f64)]);

    /// Whether to stop; asked now and then.
    fn stops(&self) -> bool {
        false
    }
}

/// Profiles a graph. Homes of blocks count in the whole run alone; in all other settings blocks lie where these say.
///
/// # Errors
/// [`TasksError::UnknownHome`], [`TasksError::NeverEnds`], [`TasksError::Stopped`].
pub fn profile(machine: &Machine, graph: &TaskGraph, to: &mut dyn Profiler) -> Result<(), TasksError> {
    refusal::check_blocks(machine, graph)?;
    let sockets = Sockets::new(machine);
    let network = Network::new(machine);
    let near = sockets.node(SocketId(0));
    let others = sockets.all().map(|socket| sockets.node(socket));
    let far = others.filter(|&node| machine.has_memory(node)).last().unwrap_or(near);
    let order = order::of_one_worker(machine, graph, (&sockets, &network), to)?;
    let mut timer = Timer::new(graph, &network, near, far);
    let full_s = timer.full(&order);
    drop(order);
    let mut timings = Vec::new();
    for (task, full_s) in graph.tasks().zip(full_s) {
        if task.0.is_multiple_of(TASKS_PER_LOOK) && to.stops() {
            return Err(TasksError::Stopped);
        }
        timer.settings(task, &mut timings);
        timings.push((Setting::Full, full_s));
        to.timed(task, &timings);
    }
    Ok(())
}
