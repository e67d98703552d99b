//! Runs task graphs on this host. The workers of a pool (`numasim_runtime`), bound to cores, run the kernels of the tasks, and the
//! schedulers of the simulation decide which worker runs which task.
//!
//! [`serial`] runs one task after the other: the reference for all other results, bit by bit, and the duration of each kind of task alone.
//! [`execute`] runs them under a scheduler, on [`Workers`] that an agent may control. [`calibrated`] gives the simulation tasks with the
//! durations measured here.

mod director;

use std::thread;

use numasim_graph::values::TaskGraph;
use numasim_host::affinity::{AffinityError, bind_this_thread};
use numasim_host::memory::Pages;
use numasim_kernels::{Code, Fault, Store, Workspace};
use numasim_model::cpus::CpuList;
use numasim_model::{Machine, NodeId};
use numasim_runtime::{
    Agent, Bind, Layout, LayoutError, OrderError, Pool, PoolError, PoolNode, WorkerId as PoolWorker,
};
use numasim_tasks::{Question, Sockets, TaskRecord, TasksError, WorkerId};

use crate::execute::director::{Clock, Director, Protocol};

/// The reason why a graph does not run here.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The scheduler rejects it.
    #[error(transparent)]
    Tasks(#[from] TasksError),
    /// A kernel cannot go on.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A thread cannot be bound.
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    /// The machine has other cores than this host.
    #[error("the machine has {machine} cores on its nodes, and there are {here} to run on")]
    Cores {
        /// Per node of the machine, joined by `+`.
        machine: String,
        /// Per node of this host.
        here: String,
    },
    /// No thread could be started.
    #[error("no thread can be started: {0}")]
    Thread(#[from] std::io::Error),
    /// No worker could run anything.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The workers cannot follow their first command.
    #[error(transparent)]
    Order(OrderError),
    /// A thread panicked: a fault of the program.
    #[error("a worker ended before its time")]
    Lost,
}

/// A serial run.
#[derive(Debug)]
pub struct Serial {
    /// From the first task to the end of the last one, in seconds.
    pub seconds: f64,
    /// Per kind of task: mean seconds of a task, and their number.
    pub kinds: Vec<(f64, u32)>,
    /// The results of the tasks.
    pub store: Store,
}

/// Runs all tasks on the logical CPU `cpu`, in a separate thread.
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

/// `graph` with the work that a core of `machine` does in the mean time of each kind of task in a serial run. Tasks that compute or wait
/// for memory longer than their FLOP suggest get more work, and first tasks (`init`) get some at all. The traffic of tasks stays unchanged,
/// so that simultaneous ones still share bandwidth.
///
/// If nodes have different cores, the time on the first node applies: nothing else was measured.
pub fn calibrated(graph: &TaskGraph, machine: &Machine, serial: &Serial) -> TaskGraph {
    let peak = machine.compute_nodes().next().map_or(0.0, |node| machine.node(node).gflops_per_core.value());
    let kinds: Vec<_> = graph.tasks().map(|task| graph.kind(task).0 as usize).collect();
    graph.clone().with_work(|task| {
        let kind = kinds.get(task.0 as usize).and_then(|&kind| serial.kinds.get(kind));
        kind.map_or(0.0, |&(seconds, _)| seconds * peak)
    })
}

/// The result of a run of a graph.
#[derive(Debug)]
pub struct Execution {
    /// Time and place of each task, in seconds since the master began to create tasks, by end. A task starts when it is handed to its
    /// worker. Traffic is unknown.
    pub records: Vec<TaskRecord>,
    /// Time at which the last task had ended, in seconds.
    pub makespan_s: f64,
    /// Time that the master spent on partitioning, in seconds.
    pub partition_s: f64,
    /// How often a worker was found blocked by a command: if it ever was, the makespan is that of fewer workers.
    pub held: u64,
    /// The results of the tasks.
    pub store: Store,
    /// The location of its blocks; `None` if the system does not report it.
    pub pages: Option<BlockPages>,
}

/// Runs the tasks of `question.graph` on workers of this host; this thread creates the tasks. Blocks are allocated by the threads that
/// access them first, so a run has the placement `first-touch`.
///
/// Commands of the pool apply: an excess worker gets no tasks from the moment it parks, between two tasks, until it is needed again. For
/// the scheduler it is busy. Tasks that no other worker would ever take (the queue of its socket, its part of a loop) are run by an idle
/// worker of its socket, or by any idle one if the whole socket is parked. With no worker at all the graph waits until a command raises
/// their number.
///
/// # Errors
/// Every variant of [`ExecuteError`].
///
/// # Panics
/// With the panic of a kernel, when no task runs any more.
pub fn execute(
    question: &Question<'_>,
    code: &dyn Code,
    workers: &Workers,
) -> Result<Execution, ExecuteError> {
    workers.check(question.machine)?;
    let store = Store::new(question.graph);
    let director = Director::new(question, code, &store, workers)?;
    workers.pool().dispatch(&director, || director.create_all());
    workers.pool().queued(0);
    let Protocol { records, partition_s, held } = director.finish()?;
    let makespan_s = records.iter().map(|record| record.end_s).fold(0.0, f64::max);
    let pages = BlockPages::of(&store, &records, question.machine.node_count());
    Ok(Execution { records, makespan_s, partition_s, held, store, pages })
}

/// The whole pages of the blocks: by node of the machine whose worker allocated the block, their nodes of the operating system. With first
/// touch they are on the node of that worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPages(pub Vec<Pages>);

impl BlockPages {
    /// Queries every block; `None` if the system does not report it.
    pub(crate) fn of(store: &Store, records: &[TaskRecord], nodes: usize) -> Option<Self> {
        let mut made_on: Vec<Option<NodeId>> = Vec::new();
        for record in records {
            let task = record.task.0 as usize;
            if made_on.len() <= task {
                made_on.resize(task + 1, None);
            }
            if let Some(node) = made_on.get_mut(task) {
                *node = Some(record.node);
            }
        }
        let mut all = vec![Pages::default(); nodes];
        for (task, addresses) in store.made() {
            let node = made_on.get(task.0 as usize).copied().flatten();
            let Some(of_node) = node.and_then(|node| all.get_mut(node.0)) else { continue };
            of_node.add(&Pages::of(&addresses)?);
        }
        Some(Self(all))
    }
}

/// Logical CPUs to run on: for each node of the machine, one for each of its cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores(pub Vec<Vec<u32>>);

/// Checks that each node has the same number of workers `here` as on the machine.
fn check(here: &[usize], sockets: &Sockets) -> Result<(), ExecuteError> {
    let of_machine = |socket| sockets.workers(socket).len();
    let own = |socket| here.get(sockets.node(socket).0).copied().unwrap_or(0);
    let all: usize = here.iter().sum();
    if all == sockets.worker_count() && sockets.all().all(|socket| own(socket) == of_machine(socket)) {
        return Ok(());
    }
    let joined = |numbers: Vec<usize>| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
    Err(ExecuteError::Cores {
        machine: joined(sockets.all().map(of_machine).collect()),
        here: joined(here.iter().copied().filter(|&cores| cores > 0).collect()),
    })
}

/// A pool with the workers of a machine. Several graphs may run on it, one after the other.
#[derive(Debug)]
pub struct Workers {
    pool: Pool,
    /// For each worker of the machine, its worker in the pool.
    in_pool: Vec<PoolWorker>,
    /// For each worker of the pool, its worker of the machine.
    of_pool: Vec<WorkerId>,
}

impl Workers {
    /// Starts a worker for each core of `machine`, on its logical CPU of `cores`. With an agent the workers register as an application, and
    /// the agent may command them to use fewer.
    ///
    /// # Errors
    /// [`ExecuteError::Cores`], [`ExecuteError::Layout`], [`ExecuteError::Affinity`], [`ExecuteError::Thread`].
    pub fn start(machine: &Machine, cores: &Cores, agent: Option<Agent>) -> Result<Self, ExecuteError> {
        let sockets = Sockets::new(machine);
        check(&cores.0.iter().map(Vec::len).collect::<Vec<_>>(), &sockets)?;
        let nodes =
            machine.node_ids().map(|node| of_node(cores.0.get(node.0).map_or(&[][..], Vec::as_slice)));
        let layout = Layout::new(nodes.collect(), Bind::Core)?;
        let of_socket = |socket| layout.workers_of(sockets.node(socket));
        let in_pool: Vec<PoolWorker> = sockets.all().flat_map(of_socket).collect();
        let mut of_pool: Vec<(PoolWorker, WorkerId)> =
            in_pool.iter().copied().zip((0..).map(WorkerId)).collect();
        of_pool.sort_unstable();
        let of_pool = of_pool.into_iter().map(|(_, worker)| worker).collect();
        Ok(Self { pool: Pool::with_agent(layout, agent)?, in_pool, of_pool })
    }

    /// The pool, for commands and statuses. [`execute`] needs all of its workers.
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The worker of the pool.
    pub(crate) fn in_pool(&self, worker: WorkerId) -> PoolWorker {
        // One for each worker of the machine, indexed by its number.
        self.in_pool.get(worker.0 as usize).copied().unwrap_or(PoolWorker(usize::MAX))
    }

    /// The worker of the machine.
    pub(crate) fn of_pool(&self, worker: PoolWorker) -> WorkerId {
        self.of_pool.get(worker.0).copied().unwrap_or(WorkerId(u32::MAX))
    }

    /// Checks that they match `machine`.
    pub(crate) fn check(&self, machine: &Machine) -> Result<(), ExecuteError> {
        check(&self.pool.layout().workers(), &Sockets::new(machine))
    }
}

/// A node with a worker for each of these logical CPUs; some may be listed more than once if there are too few.
fn of_node(cpus: &[u32]) -> PoolNode {
    let mut unlike: Vec<u32> = Vec::new();
    for &cpu in cpus {
        if !unlike.contains(&cpu) {
            unlike.push(cpu);
        }
    }
    // On other systems threads cannot be bound.
    let list = if cfg!(target_os = "linux") { CpuList::new(unlike).ok() } else { None };
    PoolNode { workers: cpus.len(), cores: cpus.len(), cpus: list }
}

/// Binds the calling thread to one logical CPU, if the system supports it.
pub(crate) fn bind(cpu: u32) -> Result<(), ExecuteError> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    match CpuList::new(vec![cpu]) {
        Ok(list) => Ok(bind_this_thread(&list)?),
        // A single number is always a valid list.
        Err(_) => Ok(()),
    }
}

impl From<PoolError> for ExecuteError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Affinity(error) => Self::Affinity(error),
            PoolError::Thread(error) => Self::Thread(error),
            PoolError::Order(error) => Self::Order(error),
        }
    }
}
