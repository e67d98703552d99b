//! One task after the other, in the order of creation, on one core.

use std::thread;

use numasim_kernels::{Code, Store, Workspace};
use numasim_model::graph::TaskGraph;

use crate::clock::Clock;
use crate::error::ExecuteError;
use crate::workers::bind;

/// A serial run.
#[derive(Debug)]
pub struct Serial {
    /// From the first task to the end of the last one, in seconds.
    pub seconds: f64,
    /// Per kind of task: mean seconds of a task, and how many there are.
    pub kinds: Vec<(f64, u32)>,
    /// What the tasks left.
    pub store: Store,
}

/// Runs all tasks on the processor `cpu`, in a thread of its own.
///
/// # Errors
/// [`ExecuteError::Affinity`], [`ExecuteError::Fault`], [`ExecuteError::Thread`].
pub fn serial(graph: &TaskGraph, code: &dyn Code, cpu: u32) -> Result<Serial, ExecuteError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("serial".to_owned());
        let running = thread.spawn_scoped(scope, || {
            bind(cpu)?;
            run(graph, code)
        })?;
        running.join().map_err(|_| ExecuteError::Lost)?
    })
}

fn run(graph: &TaskGraph, code: &dyn Code) -> Result<Serial, ExecuteError> {
    let (store, mut work) = (Store::new(graph), Workspace::new());
    let mut kinds = vec![(0.0, 0); graph.types().len()];
    let clock = Clock::start();
    let mut begin_s = clock.now_s();
    for task in graph.tasks() {
        store.run(graph, code, task, &mut work)?;
        let end_s = clock.now_s();
        if let Some((seconds, count)) = kinds.get_mut(graph.kind(task).0 as usize) {
            *seconds += end_s - begin_s;
            *count += 1;
        }
        begin_s = end_s;
    }
    for (seconds, count) in &mut kinds {
        *seconds /= f64::from((*count).max(1));
    }
    Ok(Serial { seconds: begin_s, kinds, store })
}
