//! The workers of a machine on this host: a pool with a worker for each core, bound to its processor.

use numasim_host::affinity::bind_this_thread;
use numasim_model::Machine;
use numasim_model::cpus::CpuList;
use numasim_runtime::{Agent, Bind, Layout, Pool, PoolError, PoolNode, WorkerId as PoolWorker};
use numasim_tasks::{Sockets, WorkerId};

use super::ExecuteError;

/// Processors of the operating system to run on: for each node of the machine one for each of its cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores(pub Vec<Vec<u32>>);

/// Whether each node has `here` as many workers as the machine has there.
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

/// A pool whose workers are those of a machine. Several graphs may run on it, one after the other.
#[derive(Debug)]
pub struct Workers {
    pool: Pool,
    /// The worker of the pool of each worker of the machine.
    in_pool: Vec<PoolWorker>,
    /// Per worker of the pool: that of the machine.
    of_pool: Vec<WorkerId>,
}

impl Workers {
    /// Starts a worker for each core of `machine`, on its processor of `cores`. With an agent they are an application of it, which it may order to run on fewer.
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

    /// The pool, for orders and statuses. [`super::execute`] needs all of its workers.
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The worker of the pool.
    pub(crate) fn in_pool(&self, worker: WorkerId) -> PoolWorker {
        // One for each worker of the machine, whose numbers these are.
        self.in_pool.get(worker.0 as usize).copied().unwrap_or(PoolWorker(usize::MAX))
    }

    /// The worker of the machine.
    pub(crate) fn of_pool(&self, worker: PoolWorker) -> WorkerId {
        self.of_pool.get(worker.0).copied().unwrap_or(WorkerId(u32::MAX))
    }

    /// Whether they are those of `machine`.
    pub(crate) fn check(&self, machine: &Machine) -> Result<(), ExecuteError> {
        check(&self.pool.layout().workers(), &Sockets::new(machine))
    }
}

/// A node with a worker for each of these processors; some may be listed more than once, where there are too few.
fn of_node(cpus: &[u32]) -> PoolNode {
    let mut unlike: Vec<u32> = Vec::new();
    for &cpu in cpus {
        if !unlike.contains(&cpu) {
            unlike.push(cpu);
        }
    }
    // Elsewhere nothing can be bound.
    let list = if cfg!(target_os = "linux") { CpuList::new(unlike).ok() } else { None };
    PoolNode { workers: cpus.len(), cores: cpus.len(), cpus: list }
}

/// Binds the calling thread to one processor, where the system can.
pub(crate) fn bind(cpu: u32) -> Result<(), ExecuteError> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    match CpuList::new(vec![cpu]) {
        Ok(list) => Ok(bind_this_thread(&list)?),
        // One number is always a list.
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
