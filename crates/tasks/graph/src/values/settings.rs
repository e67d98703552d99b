//! `[scheduler]`, `[runtime]` and `[contender]`: who decides which task runs where, what creating, fetching and stealing tasks costs, and
//! which other programs want the workers (paper 003, section 5).

use numasim_model::units::Seconds;

numasim_model::words! {
    /// Who decides which task runs on which socket.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum SchedulerKind {
        /// One queue, in the order in which tasks become ready; knows nothing of data.
        #[default]
        Fifo = "fifo",
        /// The programmer says which socket (paper 001, section 2.1).
        Sa = "sa",
        /// The socket where most of the data was written first (paper 001, Algorithm 2.1).
        Dep = "dep",
        /// The first window by graph partitioning, later tasks as `dep` (paper 001, section 2.3).
        RipDep = "rip-dep",
        /// The first window by graph partitioning, later tasks where the parents ran (paper 001, Algorithm 2.3).
        RipSp = "rip-sp",
        /// Graph partitioning of every window (paper 001, section 2.3).
        RipMw = "rip-mw",
        /// A queue per worker, and idle workers steal from random others: what a runtime without any knowledge of nodes does.
        RandomSteal = "random-steal",
        /// List scheduling by upward rank to the worker that ends the task first (Topcuoglu, Hariri, Wu 2002).
        Heft = "heft",
        /// As `dep`, with the true homes of the blocks in place of the table of first writers (OmpSs-2's tracking).
        Tracked = "tracked",
        /// Intel TBB: deques, mailboxes, a shared queue, random stealing (paper 003, Fig. 5).
        Tbb = "tbb",
        /// TBB-NUMA: mailboxes and shared queues per node, affinities of the programmer (paper 003, Fig. 7).
        TbbNuma = "tbb-numa",
        /// The runtime of paper 000: tasks go to the node that the programmer hints at, and are never stolen by another one.
        Hint = "hint",
        /// The same, by a plan that was made from a profile.
        Plan = "plan",
        /// oneTBB with one arena per node, which no task leaves.
        ArenaPerNode = "arena-per-node",
        /// OpenMP tasks with the clause `affinity`, which go to a worker where their data is (Klinkenberg and others 2018).
        TaskloopAffinity = "taskloop-affinity",
        /// Loops in equal contiguous parts for all workers, as OpenMP's `schedule(static)`.
        Static = "static",
    }
}

impl SchedulerKind {
    /// Whether it partitions windows of the graph.
    pub const fn partitions(self) -> bool {
        matches!(self, Self::RipDep | Self::RipSp | Self::RipMw)
    }
}

numasim_model::words! {
    /// Who cuts windows of the graph into parts.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Partitioner {
        /// Sockets and tasks in two halves, and so on: dual recursive bipartitioning, the method that the thesis describes.
        #[default]
        Recursive = "recursive",
        /// METIS; only where the program is built with the feature `metis`.
        Metis = "metis",
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
    /// How many more the first window has.
    pub initial_extra: u32,
    /// Newest tasks of a window that stay in the next one; below `window`.
    pub intersection: u32,
    /// Who partitions.
    pub partitioner: Partitioner,
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
            initial_extra: 0,
            intersection: 0,
            partitioner: Partitioner::default(),
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
        /// Drawn from the seed. The default: a fixed order gives equal tasks the same worker in every iteration, so that `fifo` looks
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
