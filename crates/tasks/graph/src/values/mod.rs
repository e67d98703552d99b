//! Tasks that read and write blocks of data, and what a runtime knows of them: values without any behaviour.
//!
//! A [`TaskGraph`] lists [`Block`]s and tasks in the order in which a master thread creates them. It has no edges: which task waits for
//! which follows from the accesses, in creation order (paper 001, section 1.2.1), and is worked out by the crate `graph`.
//! Decisions (weights, edges) go by the bytes that an access *declares*, time by those that it *moves* (paper 001, section 2.1:
//! a stencil declares the whole neighbouring tile and reads its border).
//!
//! In a *tree program* tasks create tasks: a task exists from the end of its creator on ([`TreeTask`]). Numbers stay those of the files, and
//! who waits for whom follows from them whatever runs when.

use numasim_model::ids::NodeId;
use numasim_model::units::Seconds;

pub use generator::{
    ArrayId, Generator, Indivisible, LoopShape, OfMachine, Parameter, Pattern, Program, ProgramArray,
    ProgramLoop, TaskBench, WindowUnit,
};
pub use task_graph::{NewTask, TaskGraph, TaskGraphBuilder};

mod generator;
mod task_graph;

/// What the input files say about tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskStudy {
    /// `[graph] name`; `None` where no file gives one.
    pub name: Option<String>,
    /// Where the graph comes from.
    pub source: GraphSource,
    /// `[scheduler]`: who decides which task runs where.
    pub scheduler: SchedulerSettings,
    /// `[runtime]`: what creating, fetching and stealing cost.
    pub runtime: RuntimeSettings,
    /// `[contender]`: who else wants the workers; `None`: nobody.
    pub contender: Option<Contender>,
}

/// Where a graph comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum GraphSource {
    /// No file says anything of tasks.
    #[default]
    None,
    /// `[[block]]` and `[[task]]`.
    Given(TaskGraph),
    /// `[graph] generator = "..."`, not made yet.
    Generated {
        /// The name of the graph.
        name: String,
        /// What makes it.
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

// What a graph is made of: tasks and blocks by number, blocks and where they lie, accesses, what tasks of tree programs say beside their
// work (papers 003 and 000), and why something is no graph.

/// Most tasks, and most blocks, of a graph.
pub const MAX_TASKS: usize = 10_000_000;
/// The highest priority of a task, and the lowest one below 0: those of StarPU have 32 bits.
pub const MOST_URGENT: f64 = 2_147_483_648.0;
/// Most accesses of all tasks together: what 2 GiB hold.
pub const MAX_ACCESSES: usize = 1 << 28;

/// A task, numbered from 0 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// A block of data, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A kind of task (`spmv`), numbered from 0 in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// Where a block lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockHome {
    /// Not decided: where it is touched first.
    #[default]
    Open,
    /// On one node.
    Node(NodeId),
    /// The same part on every node.
    Interleaved,
}

/// A block of data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its size.
    pub bytes: f64,
    /// Where it lies.
    pub home: BlockHome,
}

numasim_model::words! {
    /// What a task does with a block, in the order in which the accesses of a task in a TOML file count.
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
    /// Which block.
    pub block: BlockId,
    /// What it does with it.
    pub mode: AccessMode,
    /// Bytes that count in decisions.
    pub declared_bytes: f64,
    /// Bytes that take time. One access moves this, whatever its mode.
    pub moved_bytes: f64,
}

/// A piece of work that comes again: tasks of one key are the same piece, numbered from 0 in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplayId(pub u32);

numasim_model::words! {
    /// How a worker hands a task over that is ready.
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

/// What a task to be added says of the tree; the default is a task of the master that says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeTask<'a> {
    /// The earlier task that creates it when it ends; `None`: the master.
    pub created_by: Option<TaskId>,
    /// Its place among the tasks of its creator; `None`: they come in the order of their numbers.
    pub seq: Option<u32>,
    /// The node where its data is, for schedulers that look at that.
    pub affinity: Option<NodeId>,
    /// How it is handed over.
    pub submit: Submit,
    /// Whether the worker that ran it goes on with the last task that it hands over.
    pub returns: bool,
    /// The piece of work that it is.
    pub replay: Option<&'a str>,
}

/// Why a block or a task cannot be added, or a graph is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// More tasks or blocks than are dealt with.
    #[error("more than {MAX_TASKS} tasks or blocks")]
    TooManyTasks,
    /// More accesses than are dealt with.
    #[error("more than {MAX_ACCESSES} accesses of tasks to blocks")]
    TooManyAccesses,
    /// A size or an amount of work that is below 0 or no finite number.
    #[error("{what} is {value}, which is no finite number of at least 0")]
    NotANumber {
        /// What it is of: `the size of a block`.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A task accesses a block that there is not.
    #[error("there is no block {}", .0.0)]
    UnknownBlock(BlockId),
    /// A task accesses a block twice; `inout` says that it reads and writes it.
    #[error("block {} is accessed twice; `inout` reads and writes it", .0.0)]
    BlockTwice(BlockId),
    /// Who creates a task, or a block, is no task so far.
    #[error("it is created by task {}, which is no earlier task", .0.0)]
    CreatorNotEarlier(TaskId),
    /// Only the master waits.
    #[error("`taskwait` is for tasks that the master creates; this one is created by task {}", .0.0)]
    TaskwaitOfChild(TaskId),
    /// Tasks of the master come in the order of their numbers.
    #[error("`seq` is for tasks that a task creates; this one is created by the master")]
    SeqOfMaster,
    /// Either all tasks of a creator say their place, or none does.
    #[error("some of the tasks that task {} creates have a `seq`, and some have none", .0.0)]
    SeqMixed(TaskId),
    /// Two tasks have the same place.
    #[error("two tasks that task {} creates have the `seq` {seq}", .creator.0)]
    SeqRepeated {
        /// Who creates them.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
    /// No task has a place below that of another one.
    #[error("no task that task {} creates has the `seq` {seq}, though one has a larger one", .creator.0)]
    SeqMissing {
        /// Who creates them.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
}

// `[scheduler]`, `[runtime]` and `[contender]`: who decides which task runs where, what creating, fetching and stealing tasks costs, and
// which other programs want the workers (paper 003, section 5).

numasim_model::words! {
    /// Who decides which task runs on which socket.
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

    /// Whether of the ready tasks of a queue it takes those of higher priority first. `heft` has its own ranks; runtimes whose workers
    /// have deques (oneTBB, Cilk, OCR) have no priorities of tasks, or only within one deque.
    pub const fn follows_priorities(self) -> bool {
        matches!(self, Self::Fifo | Self::Sa | Self::Dep | Self::Tracked) || self.partitions()
    }

    /// Whether it says of tasks or blocks on which node they should be: under the others the placement `numa` is first touch.
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
    /// Who cuts windows of the graph into parts.
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
    /// Who decides, where the command line says nothing else.
    pub kind: SchedulerKind,
    /// How many tasks without data in a row a round robin gives to one socket; at least 1. The thesis uses 2 everywhere.
    pub stride: u32,
    /// Tasks in a window of the graph that is partitioned; at least 1.
    pub window: u32,
    /// Where files count windows in units of the generator ([`WindowUnit`]): how many. The three fields beside this one then follow from it.
    pub window_units: Option<u32>,
    /// How many more the first window has.
    pub initial_extra: u32,
    /// Newest tasks of a window that stay in the next one; below `window`.
    pub intersection: u32,
    /// Who partitions.
    pub partitioner: Partitioner,
    /// Weight of a task then.
    pub vertex_weight: VertexWeight,
    /// Time to partition, ns per task and edge of the window; `None`: the figure of this program.
    pub partition_ns_per_vertex_edge: Option<f64>,
    /// Whether the two last writers of a block count as parents in the graph that is partitioned (paper 001, section 2.2).
    pub old_dependencies: bool,
    /// Whether `fifo` runs a task whose last parent has just ended on the same worker (paper 001, section 1.2.3).
    pub immediate_successor: bool,
    /// Whether `tbb` remembers which mailbox had a piece of work (`affinity_partitioner`).
    pub affinity_partitioner: bool,
    /// Whether `tbb-numa` hands over what belongs to other nodes first (paper 003, section 4.3).
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
    /// What happens first of things that are equal.
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

/// `[runtime]`: times are those of one worker, or of the master where it says so.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeSettings {
    /// The master creates a task.
    pub creation: Seconds,
    /// Most tasks that are created and not finished; `None` is no limit.
    pub throttle: Option<u64>,
    /// A worker fetches and retires a task.
    pub task: Seconds,
    /// A worker steals a task.
    pub steal: Seconds,
    /// Moving a page of 4096 B to another node costs this beside its bytes over the link.
    pub page: Seconds,
    /// Of everything that is drawn.
    pub seed: u64,
    /// What happens first of things that are equal.
    pub ties: Ties,
    /// Spread of the work of tasks: sigma of the logarithm of a factor with mean 1; 0 is none.
    pub task_spread: f64,
}

impl Default for RuntimeSettings {
    /// Orders of magnitude of task runtimes, assumed: 0.5 us to create a task, 1 us to fetch and retire or to steal one, 1 us for
    /// each page that is moved.
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
    /// Where pages of blocks are that no file gives a home.
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
    /// A scheduler and where the data lies.
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
    /// The scheduler: `settings` with what the scenario says.
    pub fn scheduler(self, settings: &SchedulerSettings) -> SchedulerSettings {
        let (kind, affinity_partitioner) = match self {
            Self::NoapFt | Self::NoapIntl => (SchedulerKind::Tbb, false),
            Self::ApIntl => (SchedulerKind::Tbb, true),
            Self::NacsIntl | Self::NacsNadd => (SchedulerKind::TbbNuma, false),
        };
        SchedulerSettings { kind, affinity_partitioner, ..settings.clone() }
    }

    /// Where the data lies. First touch is that of the initialising master: the paper's 0.40 for interleaved data of cg needs nearly all
    /// data on one node otherwise.
    pub const fn placement(self) -> PagePlacement {
        match self {
            Self::NoapFt => PagePlacement::Master,
            Self::NoapIntl | Self::ApIntl | Self::NacsIntl => PagePlacement::Interleave,
            Self::NacsNadd => PagePlacement::Nadd,
        }
    }
}

/// Other programs: they compute in their caches, and have work as long as the run lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Work of one of their tasks, 10^9 FLOP; above 0.
    pub gflop: f64,
    /// How many such programs there are; at least 1.
    pub count: u32,
    /// When they want workers: from and to, ascending and apart; `None`: as long as the run lasts.
    pub phases: Option<Vec<(Seconds, Seconds)>>,
}
