//! All tasks of a graph under a scheduler.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use numasim_kernels::{Code, Store, Workspace};
use numasim_tasks::{Question, Sockets, Start, TaskRecord, WorkerId};

use crate::clock::Clock;
use crate::crew::{Cores, Crew, bind, with_crew};
use crate::director::{Director, Ended, Starts};
use crate::error::ExecuteError;
use crate::pages::BlockPages;

/// What became of a graph.
#[derive(Debug)]
pub struct Execution {
    /// When and where each task ran, in seconds since the master began to create tasks, by end. Of traffic nothing is known.
    pub records: Vec<TaskRecord>,
    /// When the last task had ended, in seconds.
    pub makespan_s: f64,
    /// How long the master partitioned, in seconds.
    pub partition_s: f64,
    /// What the tasks left.
    pub store: Store,
    /// Where its blocks are; `None` where the system does not tell.
    pub pages: Option<BlockPages>,
}

/// Says so where a worker panics: nobody else would ever hear of its task.
struct Lost<'d, 'a>(&'d Director<'a>);

impl Drop for Lost<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(ExecuteError::Lost);
        }
    }
}

/// Runs the tasks of `question.graph` on this host: a thread for each core of the machine, bound to its processor of `cores`; this thread creates the tasks.
/// Blocks are made by the threads that first access them, so that a run has the placement `first-touch`.
///
/// # Errors
/// Every variant of [`ExecuteError`].
pub fn execute(question: &Question<'_>, code: &dyn Code, cores: &Cores) -> Result<Execution, ExecuteError> {
    let cpus = cores.of_workers(&Sockets::new(question.machine))?;
    let graph = question.graph;
    let store = Store::new(graph);
    let clock = Clock::start();
    let director = Director::new(question, clock)?;
    // Workers tell each other; when this is gone, none hears anything any more, and all end.
    let crew = Mutex::new(None);
    let tell = |starts: Starts| {
        if let Some(crew) = crew.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            let crew: &Crew = crew;
            for (worker, start) in starts {
                crew.tell(worker, start);
            }
        }
    };
    let work = |worker: WorkerId, cpu: u32, told: &Receiver<Start>| {
        let _guard = Lost(&director);
        if let Err(error) = bind(cpu) {
            return director.fail(error);
        }
        let mut work = Workspace::new();
        while let Ok(first) = told.recv() {
            let mut next = Some(first);
            while let Some(start) = next.take() {
                let result = store.run(graph, code, start.task, &mut work);
                let mut starts = director.ended(&Ended { start, worker, result });
                // What is its own it need not tell itself.
                let own = starts.iter().position(|&(whom, _)| whom == worker);
                next = own.map(|place| starts.swap_remove(place).1);
                tell(starts);
            }
        }
    };
    with_crew(&cpus, work, |all| {
        *crew.lock().unwrap_or_else(PoisonError::into_inner) = Some(all);
        director.create_all(tell);
        *crew.lock().unwrap_or_else(PoisonError::into_inner) = None;
    })?;
    let protocol = director.finish()?;
    let makespan_s = protocol.records.iter().map(|record| record.end_s).fold(0.0, f64::max);
    let pages = BlockPages::of(&store, &protocol.records, question.machine.node_count());
    Ok(Execution { records: protocol.records, makespan_s, partition_s: protocol.partition_s, store, pages })
}
