//! Tasks that read and write blocks of data, and the facts that a runtime has about them: values without any behaviour.
//!
//! A [`TaskGraph`] lists [`Block`]s and tasks in the order in which a master thread creates them. It has no edges: the accesses, in
//! creation order, determine which task waits for which (paper 001, section 1.2.1). The crate `graph` computes the edges. Decisions
//! (weights, edges) use the bytes that an access *declares*, times use those that it *moves* (paper 001, section 2.1: a stencil declares
//! the whole neighbouring tile and reads its border).
//!
//! In a *tree program* tasks create tasks: a task exists from the end of its creator on ([`TreeTask`]). Numbers stay those of the files.
//! They determine which task waits for which, regardless of the order of execution.

use numasim_model::ids::NodeId;
use numasim_model::units::Seconds;

pub use generator::{
    ArrayId, Generator, Indivisible, LoopShape, OfMachine, Parameter, Pattern, Program, ProgramArray,
    ProgramLoop, TaskBench, WindowUnit,
};
pub use task_graph::{NewTask, TaskGraph, TaskGraphBuilder};

mod generator;
mod task_graph;

/// The tables about tasks in the input files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskStudy {
    /// `[graph] name`; `None` if no file sets it.
    pub name: Option<String>,
    /// Origin of the graph.
    pub source: GraphSource,
    /// `[scheduler]`: decides which task runs where.
    pub scheduler: SchedulerSettings,
    /// `[runtime]`: the costs of creating, fetching and stealing tasks.
    pub runtime: RuntimeSettings,
    /// `[contender]`: other programs that want the workers; `None`: there are none.
    pub contender: Option<Contender>,
}

/// Origin of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum GraphSource {
    /// The files contain nothing about tasks.
    #[default]
    None,
    /// `[[block]]` and `[[task]]`.
    Given(TaskGraph),
    /// `[graph] generator = "..."`, not made yet.
    Generated {
        /// The name of the graph.
        name: String,
        /// The generator that makes it.
        generator: Generator,
    },
    /// `[program]`, not made yet.
    Program {
        /// The name of the graph.
        name: String,
        /// Arrays and loops.
        program: Program,
    },
}

// The parts of a graph: tasks and blocks by number, blocks and their homes, accesses, the attributes of tasks of tree programs (papers
// 003 and 000), and the reasons to reject a graph.

/// Maximum number of tasks, and of blocks, of a graph.
pub const MAX_TASKS: usize = 10_000_000;
/// The highest priority of a task, and the lowest one below 0: those of StarPU have 32 bits.
pub const MOST_URGENT: f64 = 2_147_483_648.0;
/// Maximum number of accesses of all tasks together: those that fit in 2 GiB.
pub const MAX_ACCESSES: usize = 1 << 28;

/// A task, numbered from 0 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// A block of data, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A kind of task (`spmv`), numbered from 0 in order of appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// Home of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockHome {
    /// Not decided: the node that touches it first.
    #[default]
    Open,
    /// On one node.
    Node(NodeId),
    /// An equal share on every node.
    Interleaved,
}

/// A block of data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its size.
    pub bytes: f64,
    /// Its home.
    pub home: BlockHome,
}

numasim_model::words! {
    /// How a task accesses a block. The order is that in which the accesses of a task in a TOML file count.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum AccessMode {
        /// Reads it.
        In = "in",
        /// Reads and writes it.
        Inout = "inout",
        /// Writes it.
        Out = "out",
    }
}

impl AccessMode {
    /// Whether it reads.
    pub const fn reads(self) -> bool {
        matches!(self, Self::In | Self::Inout)
    }

    /// Whether it writes.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Out | Self::Inout)
    }
}

/// An access of a task to a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    /// The block.
    pub block: BlockId,
    /// How the task accesses it.
    pub mode: AccessMode,
    /// Bytes that count in decisions.
    pub declared_bytes: f64,
    /// Bytes that take time. One access moves this number of bytes, regardless of its mode.
    pub moved_bytes: f64,
}

/// A piece of work that is repeated: tasks with one key are the same piece. Numbered from 0 in order of appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplayId(pub u32);

numasim_model::words! {
    /// How a worker hands over a task that is ready.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Submit {
        /// To the worker's own deque.
        #[default]
        Spawn = "spawn",
        /// To a shared queue.
        Enqueue = "enqueue",
        /// To a shared queue where its affinity is another node, else as "spawn".
        /// The detached subtrees of TBB-NUMA.
        Detach = "detach",
    }
}

/// The tree attributes of a task to be added; the default is a task of the master without attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeTask<'a> {
    /// The earlier task that creates it when it ends; `None`: the master.
    pub created_by: Option<TaskId>,
    /// Its place among the tasks of its creator; `None`: they come in the order of their numbers.
    pub seq: Option<u32>,
    /// The node of its data, for schedulers that use it.
    pub affinity: Option<NodeId>,
    /// How it is handed over.
    pub submit: Submit,
    /// Whether the worker that ran it continues with the last task that it hands over.
    pub returns: bool,
    /// The key of its piece of work.
    pub replay: Option<&'a str>,
}

/// Why a block or a task cannot be added, or why a graph is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// More tasks or blocks than the limit.
    #[error("more than {MAX_TASKS} tasks or blocks")]
    TooManyTasks,
    /// More accesses than the limit.
    #[error("more than {MAX_ACCESSES} accesses of tasks to blocks")]
    TooManyAccesses,
    /// A size or an amount of work that is negative or not finite.
    #[error("{what} is {value}, which is no finite number of at least 0")]
    NotANumber {
        /// The quantity: `the size of a block`.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A task accesses a block that does not exist.
    #[error("there is no block {}", .0.0)]
    UnknownBlock(BlockId),
    /// A task accesses a block twice; `inout` is the mode that reads and writes it.
    #[error("block {} is accessed twice; `inout` reads and writes it", .0.0)]
    BlockTwice(BlockId),
    /// The creator of a task, or of a block, is no earlier task.
    #[error("it is created by task {}, which is no earlier task", .0.0)]
    CreatorNotEarlier(TaskId),
    /// Only the master waits.
    #[error("`taskwait` is for tasks that the master creates; this one is created by task {}", .0.0)]
    TaskwaitOfChild(TaskId),
    /// Tasks of the master come in the order of their numbers.
    #[error("`seq` is for tasks that a task creates; this one is created by the master")]
    SeqOfMaster,
    /// Either all tasks of a creator give their place, or none does.
    #[error("some of the tasks that task {} creates have a `seq`, and some have none", .0.0)]
    SeqMixed(TaskId),
    /// Two tasks have the same place.
    #[error("two tasks that task {} creates have the `seq` {seq}", .creator.0)]
    SeqRepeated {
        /// Their creator.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
    /// No task has a place below that of another one.
    #[error("no task that task {} creates has the `seq` {seq}, though one has a larger one", .creator.0)]
    SeqMissing {
        /// Their creator.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
}

// `[scheduler]`, `[runtime]` and `[contender]`: the scheduler, the costs of creating, fetching and stealing tasks, and other programs
// that want the workers (paper 003, section 5).

numasim_model::words! {
    /// The scheduler, which decides which task runs on which socket.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum SchedulerKind {
        /// One queue.
        /// In the order in which tasks become ready; it knows nothing of data.
        #[default]
        Fifo = "fifo",
        /// The programmer says which socket.
        /// Paper 001, section 2.1.
        Sa = "sa",
        /// The socket where most of the data was written first.
        /// Paper 001, Algorithm 2.1.
        Dep = "dep",
        /// The first window by graph partitioning, later tasks as dep.
        /// Paper 001, section 2.3.
        RipDep = "rip-dep",
        /// The first window by graph partitioning, later tasks where the parents ran.
        /// Paper 001, Algorithm 2.3.
        RipSp = "rip-sp",
        /// Graph partitioning of every window.
        /// Paper 001, section 2.3.
        RipMw = "rip-mw",
        /// A queue per worker; idle workers steal from random others.
        /// What a runtime without any knowledge of nodes does.
        RandomSteal = "random-steal",
        /// List scheduling by upward rank.
        /// To the worker that ends the task first (Topcuoglu, Hariri, Wu 2002).
        Heft = "heft",
        /// As dep, with the true homes of blocks.
        /// In place of the table of first writers (OmpSs-2's tracking).
        Tracked = "tracked",
        /// Intel TBB.
        /// Deques, mailboxes, a shared queue, random stealing (paper 003, Fig. 5).
        Tbb = "tbb",
        /// TBB with mailboxes and queues per node.
        /// Affinities of the programmer (paper 003, Fig. 7).
        TbbNuma = "tbb-numa",
        /// Tasks go to the node that the programmer hints at.
        /// And are never stolen by another one: the runtime of paper 000.
        Hint = "hint",
        /// Tasks go where a plan says.
        /// The same, by a plan that was made from a profile.
        Plan = "plan",
        /// oneTBB with one arena per node.
        /// No task leaves it.
        ArenaPerNode = "arena-per-node",
        /// OpenMP tasks that go where their data is.
        /// The clause `affinity` (Klinkenberg and others 2018).
        TaskloopAffinity = "taskloop-affinity",
        /// Loops in equal contiguous parts for all workers.
        /// OpenMP's `schedule(static)`.
        Static = "static",
    }
}

impl SchedulerKind {
    /// Whether it partitions windows of the graph.
    pub const fn partitions(self) -> bool {
        matches!(self, Self::RipDep | Self::RipSp | Self::RipMw)
    }

    /// Whether it takes ready tasks of higher priority first from a queue. `heft` has its own ranks. Runtimes whose workers have deques
    /// (oneTBB, Cilk, OCR) have no priorities of tasks, or only within one deque.
    pub const fn follows_priorities(self) -> bool {
        matches!(self, Self::Fifo | Self::Sa | Self::Dep | Self::Tracked) || self.partitions()
    }

    /// Whether it determines the nodes of tasks or blocks: under the other schedulers the placement `numa` is first touch.
    pub const fn places_blocks(self) -> bool {
        !matches!(
            self,
            Self::Fifo
                | Self::RandomSteal
                | Self::Tbb
                | Self::TbbNuma
                | Self::ArenaPerNode
                | Self::TaskloopAffinity
        )
    }
}

numasim_model::words! {
    /// Partitioner of windows of the graph.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Partitioner {
        /// Sockets and tasks in two halves, and so on.
        /// Dual recursive bipartitioning, the method that the thesis describes.
        #[default]
        Recursive = "recursive",
        /// METIS, where the program is built with it.
        Metis = "metis",
    }
}

numasim_model::words! {
    /// Weight of a task in a window that is partitioned.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum VertexWeight {
        /// 1, whatever it does.
        #[default]
        One = "one",
        /// The time that it takes alone with its data local.
        Time = "time",
    }
}

/// `[scheduler]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerSettings {
    /// The scheduler, unless the command line sets another one.
    pub kind: SchedulerKind,
    /// Number of consecutive tasks without data that a round robin gives to one socket; at least 1. The thesis uses 2 everywhere.
    pub stride: u32,
    /// Tasks in a window of the graph that is partitioned; at least 1.
    pub window: u32,
    /// Number of windows in units of the generator ([`WindowUnit`]), if files count windows in these. The fields `window`,
    /// `initial_extra` and `intersection` then follow from it.
    pub window_units: Option<u32>,
    /// Number of additional tasks in the first window.
    pub initial_extra: u32,
    /// Newest tasks of a window that stay in the next one; below `window`.
    pub intersection: u32,
    /// The partitioner.
    pub partitioner: Partitioner,
    /// Weight of a task in a window that is partitioned.
    pub vertex_weight: VertexWeight,
    /// Time to partition, ns per task and edge of the window; `None`: the built-in value of this program.
    pub partition_ns_per_vertex_edge: Option<f64>,
    /// Whether the two last writers of a block count as parents in the graph that is partitioned (paper 001, section 2.2).
    pub old_dependencies: bool,
    /// Whether `fifo` runs a task whose last parent has just ended on the same worker (paper 001, section 1.2.3).
    pub immediate_successor: bool,
    /// Whether `tbb` remembers which mailbox had a piece of work (`affinity_partitioner`).
    pub affinity_partitioner: bool,
    /// Whether `tbb-numa` hands over tasks of other nodes first (paper 003, section 4.3).
    pub reflection: bool,
}

impl Default for SchedulerSettings {
    fn default() -> Self {
        Self {
            kind: SchedulerKind::default(),
            stride: 2,
            window: 1000,
            window_units: None,
            initial_extra: 0,
            intersection: 0,
            partitioner: Partitioner::default(),
            vertex_weight: VertexWeight::default(),
            partition_ns_per_vertex_edge: None,
            old_dependencies: false,
            immediate_successor: false,
            affinity_partitioner: false,
            reflection: true,
        }
    }
}

numasim_model::words! {
    /// How ties between equal choices are broken.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Ties {
        /// Drawn from the seed.
        /// The default: a fixed order gives equal tasks the same worker in every iteration, so that `fifo` looks
        /// as if it knew of NUMA nodes.
        #[default]
        Random = "random",
        /// The lowest number.
        Order = "order",
    }
}

/// `[runtime]`: times of one worker, or of the master if noted.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeSettings {
    /// Time in which the master creates a task.
    pub creation: Seconds,
    /// Maximum number of tasks that are created and not finished; `None` is no limit.
    pub throttle: Option<u64>,
    /// Time in which a worker fetches and retires a task.
    pub task: Seconds,
    /// Time in which a worker steals a task.
    pub steal: Seconds,
    /// Cost of moving a page of 4096 B to another node, in addition to the transfer of its bytes over the link.
    pub page: Seconds,
    /// Seed of all random numbers.
    pub seed: u64,
    /// How ties between equal choices are broken.
    pub ties: Ties,
    /// Variation of the work of tasks: sigma of the logarithm of a factor with mean 1; 0 is none.
    pub task_spread: f64,
}

impl Default for RuntimeSettings {
    /// Orders of magnitude of task runtimes, assumed: 0.5 us to create a task, 1 us to fetch and retire or to steal one, 1 us for each
    /// page that is moved.
    fn default() -> Self {
        Self {
            creation: Seconds::new(0.5e-6),
            throttle: None,
            task: Seconds::new(1e-6),
            steal: Seconds::new(1e-6),
            page: Seconds::new(1e-6),
            seed: 1,
            ties: Ties::default(),
            task_spread: 0.0,
        }
    }
}

numasim_model::words! {
    /// Homes of the pages of blocks whose home no file sets.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum PagePlacement {
        /// On the node of the worker that first takes a task accessing the block; blocks with a home lie there.
        #[default]
        FirstTouch = "first-touch",
        /// 1/N of every block on each node.
        Interleave = "interleave",
        /// All on the node of worker 0: a serial initialisation.
        Master = "master",
        /// As first touch, but on the socket that the scheduler gave the task, also when another one runs it.
        Numa = "numa",
        /// All on the node of worker 0 at first; before the first task is created, blocks with a hint are moved there, which takes its time
        /// (paper 003, section 4.4).
        Nadd = "nadd",
    }
}

numasim_model::words! {
    /// A scheduler with a data placement.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TaskScenario {
        /// Standard TBB; all data was initialised by the master.
        NoapFt = "noap-ft",
        /// Standard TBB; data interleaved.
        NoapIntl = "noap-intl",
        /// Standard TBB with its affinity partitioner; data interleaved.
        ApIntl = "ap-intl",
        /// TBB-NUMA; data interleaved.
        NacsIntl = "nacs-intl",
        /// TBB-NUMA; data distributed by the programmer's hints.
        NacsNadd = "nacs-nadd",
    }
}

impl TaskScenario {
    /// The scheduler: `settings` with the changes of the scenario.
    pub fn scheduler(self, settings: &SchedulerSettings) -> SchedulerSettings {
        let (kind, affinity_partitioner) = match self {
            Self::NoapFt | Self::NoapIntl => (SchedulerKind::Tbb, false),
            Self::ApIntl => (SchedulerKind::Tbb, true),
            Self::NacsIntl | Self::NacsNadd => (SchedulerKind::TbbNuma, false),
        };
        SchedulerSettings { kind, affinity_partitioner, ..settings.clone() }
    }

    /// The data placement. First touch is that of the initialising master: the paper's 0.40 for interleaved data of cg requires nearly
    /// all data on one node otherwise.
    pub const fn placement(self) -> PagePlacement {
        match self {
            Self::NoapFt => PagePlacement::Master,
            Self::NoapIntl | Self::ApIntl | Self::NacsIntl => PagePlacement::Interleave,
            Self::NacsNadd => PagePlacement::Nadd,
        }
    }
}

/// Other programs: they compute in their caches, and have work during the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Work of one of their tasks, 10^9 FLOP; above 0.
    pub gflop: f64,
    /// Number of such programs; at least 1.
    pub count: u32,
    /// Periods in which they want workers: from and to, ascending and disjoint; `None`: the whole run.
    pub phases: Option<Vec<(Seconds, Seconds)>>,
}
