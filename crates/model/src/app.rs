//! Applications: how much they compute per byte, and where their data is placed.

pub use crate::access::{Access, Traffic};

use std::fmt;
use std::num::NonZeroU32;

use crate::ids::NodeId;
use crate::machine::{Machine, Node};
use crate::problem::KernelProblem;
use crate::units::{FlopPerByte, Gflop, Gflops, Gibibytes, GigabytesPerSecond};

/// Maximum number of application instances in all files together.
pub const MAX_INSTANCES: usize = 10_000;

/// Maximum number of processes of one application ([`App::ranks`]).
pub const MAX_RANKS: u32 = 65_536;

/// Data placement of an application, as seen from each of its threads.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// NUMA-perfect: every thread reads the memory of its node, or the nearest memory
    /// ([`Machine::local_memory`]).
    Local,
    /// NUMA-bad: all data on one home node.
    Home(NodeId),
    /// Spread evenly over all nodes that have memory, memory-only ones included.
    Interleave,
    /// A given fraction of the data on each node; one entry per node, sum 1.
    Fractions(Vec<f64>),
    /// A share of the data on one node, the rest where each thread runs.
    PartHome {
        /// The home node.
        home: NodeId,
        /// The share of the data on that node, above 0 and below 1.
        share: f64,
    },
    /// A share of the data spread evenly over all nodes that have memory, the rest where each thread runs.
    PartInterleave {
        /// The share that is spread, above 0 and below 1.
        share: f64,
    },
    /// A copy of all data on each node that has threads of the application. Reads are local; writes go to all
    /// copies ([`crate::Demand::copies`]).
    Replicated,
}

crate::words! {
    /// Data placements that a single word describes completely.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DataWord {
        /// Every thread reads the memory of its own node.
        Local = "local",
        /// Spread evenly over all nodes.
        Interleave = "interleave",
        /// A copy on each node with threads; writes go to all copies.
        Replicated = "replicated",
    }
}

impl DataWord {
    /// The placement that this word describes.
    pub const fn placement(self) -> Placement {
        match self {
            Self::Local => Placement::Local,
            Self::Interleave => Placement::Interleave,
            Self::Replicated => Placement::Replicated,
        }
    }
}

impl Placement {
    /// The word for this placement, if a single word describes it.
    pub fn word(&self) -> Option<DataWord> {
        DataWord::ALL.into_iter().find(|word| word.placement() == *self)
    }

    /// `share` of the data (0 to 1) on `home`, the rest where each thread runs.
    pub fn at_home(home: NodeId, share: f64) -> Self {
        if share >= 1.0 {
            Self::Home(home)
        } else if share > 0.0 {
            Self::PartHome { home, share }
        } else {
            Self::Local
        }
    }

    /// `share` of the data (0 to 1) spread evenly over all nodes, the rest where each thread runs.
    pub fn interleaved(share: f64) -> Self {
        if share >= 1.0 {
            Self::Interleave
        } else if share > 0.0 {
            Self::PartInterleave { share }
        } else {
            Self::Local
        }
    }

    /// The share of the data of a thread on `from` that is on `memory`. For replicated data, the copy that
    /// the thread reads counts.
    ///
    /// The shares over all memories of the machine sum to 1.
    pub fn fraction(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        let local = if machine.local_memory(from) == memory { self.local_share() } else { 0.0 };
        local + self.fixed_share(machine, memory)
    }

    /// Mean latency of the cache lines of a thread on `from` over its data, on an idle machine, in ns. `None`
    /// if a latency is unknown.
    pub fn latency_ns(&self, machine: &Machine, from: NodeId) -> Option<f64> {
        let of =
            |memory| self.fraction(machine, from, memory) * machine.latency_ns(from, memory).unwrap_or(0.0);
        Some(machine.node_ids().map(of).sum()).filter(|&mean| mean > 0.0)
    }

    /// The share of the data that is local to each thread.
    pub fn local_share(&self) -> f64 {
        match self {
            Self::Local | Self::Replicated => 1.0,
            Self::Home(_) | Self::Interleave | Self::Fractions(_) => 0.0,
            Self::PartHome { share, .. } | Self::PartInterleave { share } => 1.0 - share,
        }
    }

    /// The share of the data on `node` regardless of where the threads run.
    ///
    /// The shares of all nodes and [`Placement::local_share`] sum to 1.
    pub fn fixed_share(&self, machine: &Machine, node: NodeId) -> f64 {
        match self {
            Self::Local | Self::Replicated => 0.0,
            Self::Home(home) => f64::from(*home == node),
            Self::PartHome { home, share } => {
                if *home == node {
                    *share
                } else {
                    0.0
                }
            }
            Self::Interleave | Self::PartInterleave { .. } if !machine.has_memory(node) => 0.0,
            Self::Interleave => 1.0 / machine.memory_count() as f64,
            Self::PartInterleave { share } => share / machine.memory_count() as f64,
            Self::Fractions(fractions) => fractions.get(node.0).copied().unwrap_or(0.0),
        }
    }

    /// Whether threads on other nodes read `memory`, that is, whether [`Placement::fraction`] is above 0 for
    /// any of them.
    pub fn is_read_from_outside(&self, machine: &Machine, memory: NodeId) -> bool {
        let fixed = match self {
            Self::Local | Self::Replicated => false,
            Self::Home(home) | Self::PartHome { home, .. } => *home == memory,
            Self::Interleave | Self::PartInterleave { .. } => machine.has_memory(memory),
            Self::Fractions(fractions) => fractions[memory.0] > 0.0,
        };
        fixed || (machine.lends(memory) && self.local_share() > 0.0)
    }

    /// Whether every thread reads only the memory of its own node, so that nodes do not interact.
    pub fn stays_at_home(&self, machine: &Machine) -> bool {
        *self == Self::Local && machine.all_have_memory()
    }

    /// The first node that holds data although it has no memory.
    pub fn without_memory(&self, machine: &Machine) -> Option<NodeId> {
        if machine.all_have_memory() {
            return None;
        }
        machine.node_ids().find(|&node| self.fixed_share(machine, node) > 0.0 && !machine.has_memory(node))
    }

    /// The home node of all data that is not local: the whole data of a NUMA-bad application, or a share of
    /// it.
    pub fn home(&self) -> Option<NodeId> {
        match self {
            Self::Home(home) | Self::PartHome { home, .. } => Some(*home),
            Self::Local
            | Self::Interleave
            | Self::Fractions(_)
            | Self::PartInterleave { .. }
            | Self::Replicated => None,
        }
    }

    /// Whether the data may be on all nodes. Each thread then reads or writes every memory of the machine.
    pub fn is_spread(&self) -> bool {
        matches!(self, Self::Interleave | Self::Fractions(_) | Self::PartInterleave { .. } | Self::Replicated)
    }

    /// The memories that threads on `from` read (those with a [`Placement::fraction`] above 0), in ascending
    /// order.
    pub fn read_from(&self, machine: &Machine, from: NodeId) -> Vec<NodeId> {
        let local = machine.local_memory(from);
        match self {
            Self::Local | Self::Replicated => vec![local],
            Self::Home(home) => vec![*home],
            Self::PartHome { home, .. } if *home == local => vec![local],
            Self::PartHome { home, .. } => vec![local.min(*home), local.max(*home)],
            Self::Fractions(fractions) => {
                machine.node_ids().filter(|memory| fractions[memory.0] > 0.0).collect()
            }
            Self::Interleave | Self::PartInterleave { .. } => machine.memory_nodes().collect(),
        }
    }
}

/// The syntax of files: `home = 0, share = 0.5`. Shares are rounded to four digits.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = |share: f64| (share * 1e4).round() / 1e4;
        match self {
            Self::Local | Self::Interleave | Self::Replicated => {
                f.write_str(self.word().map_or("", DataWord::as_str))
            }
            Self::Home(home) => write!(f, "home = {}", home.0),
            Self::PartHome { home, share } => write!(f, "home = {}, share = {}", home.0, rounded(*share)),
            Self::PartInterleave { share } => write!(f, "interleave = {}", rounded(*share)),
            Self::Fractions(shares) => {
                let shares: Vec<String> = shares.iter().map(|&share| rounded(share).to_string()).collect();
                write!(f, "fractions = [{}]", shares.join(", "))
            }
        }
    }
}

/// The `data` of an application in a file: a placement, or data that `explore` places.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A fixed placement.
    Placed(Placement),
    /// `home = "any"`: data on one home node that the search chooses.
    OpenHome {
        /// The share of the data on the home node, above 0 and at most 1; the rest is local to each thread.
        share: f64,
    },
    /// `fractions = "any"`: a fraction on each node, in steps of 1 / [`Data::STEPS`], chosen by the search.
    OpenFractions,
}

impl Data {
    /// Number of equal pieces into which open fractions divide the data.
    pub const STEPS: u32 = 16;

    /// The placement, if it is fixed.
    pub fn placement(&self) -> Option<&Placement> {
        match self {
            Self::Placed(placement) => Some(placement),
            Self::OpenHome { .. } | Self::OpenFractions => None,
        }
    }

    /// The open property of the data, if any.
    pub fn open(&self) -> Option<OpenData> {
        match self {
            Self::Placed(_) => None,
            Self::OpenHome { .. } => Some(OpenData::Home),
            Self::OpenFractions => Some(OpenData::Fractions),
        }
    }
}

/// The property of the data that `explore` decides, in the words of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenData {
    /// The home node.
    Home,
    /// The fraction on each node.
    Fractions,
}

impl OpenData {
    /// The syntax in a file: `home = "any"`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Home => "home = \"any\"",
            Self::Fractions => "fractions = \"any\"",
        }
    }

    /// An example of the fixed form in a file: `{ home = 0 }`.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Home => "{ home = 0 }",
            Self::Fractions => "{ fractions = [0.5, 0.5] }",
        }
    }

    /// How users fix the placement themselves: `name the node`.
    pub const fn deciding(self) -> &'static str {
        match self {
            Self::Home => "name the node",
            Self::Fractions => "give the fractions",
        }
    }

    /// The open choice in words: `any node`.
    pub const fn any(self) -> &'static str {
        match self {
            Self::Home => "any node",
            Self::Fractions => "any fractions",
        }
    }

    /// The result of `explore` in words: `the best home`.
    pub const fn best(self) -> &'static str {
        match self {
            Self::Home => "the best home",
            Self::Fractions => "the best fractions",
        }
    }

    /// `the home of the data of APP is open`.
    pub fn said_of(self, app: &str) -> String {
        match self {
            Self::Home => format!("the home of the data of {app} is open"),
            Self::Fractions => format!("the fractions of the data of {app} are open"),
        }
    }
}

crate::words! {
    /// Number of hardware threads of each core that an application uses.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Smt {
        /// One thread on each core.
        #[default] One = "one",
        /// Two hardware threads on each core.
        Both = "both",
        /// Explore chooses, for the application as a whole.
        Any = "any",
    }
}

impl Smt {
    /// Threads on each core; an open choice counts as one.
    pub const fn threads_per_core(self) -> u32 {
        match self {
            Self::One | Self::Any => 1,
            Self::Both => 2,
        }
    }

    /// The number of cores that `threads` threads occupy.
    pub const fn cores(self, threads: u32) -> u32 {
        threads.div_ceil(self.threads_per_core())
    }

    /// The threads on these cores.
    pub fn threads(self, cores: &[u32]) -> Vec<u32> {
        cores.iter().map(|&cores| cores.saturating_mul(self.threads_per_core())).collect()
    }
}

/// Where the arithmetic intensity of an application comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntensityFrom {
    /// A file gives it, or a real kernel counts its own.
    #[default]
    Given,
    /// It is the quotient of [`App::thread_gflops`] and [`App::thread_gbs`].
    Quotient,
    /// It is unknown, and its value means nothing: the application is an external program, which is started but not computed.
    Unknown,
}

/// One application instance. Allocations count cores; only files and options count hardware threads. The two
/// numbers are equal unless [`App::smt`] is [`Smt::Both`].
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Its unique name: `mem-2`, or `mem` if there is only one instance.
    pub name: String,
    /// The name of its `[[app]]` table: `mem`.
    pub group: String,
    /// FLOP per byte moved to or from memory. For an application with a [`App::rate_unit`], units of that
    /// rate per 10^9 bytes.
    pub arithmetic_intensity: FlopPerByte,
    /// GFLOPS of one thread if memory does not limit it; `None`: the peak of the core.
    pub thread_gflops: Option<Gflops>,
    /// Bandwidth that one thread consumes alone; `None`: as much as it can process.
    pub thread_gbs: Option<GigabytesPerSecond>,
    /// The source of the intensity.
    pub intensity_from: IntensityFrom,
    /// The unit of its rate if it is not GFLOPS, e.g. queries/s; `None` is GFLOPS.
    pub rate_unit: Option<String>,
    /// The share of its bytes that is written, 0 to 1; 0 if a kernel represents the application.
    pub write_share: f64,
    /// Loss with threads on several nodes: on k nodes it achieves 1 / (1 + this x log2 k) of its GFLOPS.
    pub node_overhead: f64,
    /// Its data placement.
    pub data: Data,
    /// The only nodes that may hold its threads, ascending; `None` allows all nodes.
    pub nodes: Option<Vec<NodeId>>,
    /// Size of its data; `None` if not given.
    pub memory: Option<Gibibytes>,
    /// How the benchmark kernel that represents it uses memory. It matters only if the machine defines values
    /// for that kernel. For a real kernel it is [`KernelProblem::access`].
    pub kernel: Access,
    /// The real kernel that it runs, with the problem size; `None` if a synthetic kernel represents it.
    pub problem: Option<KernelProblem>,
    /// Cache lines that one thread has outstanding at a time; `None` if not given.
    pub outstanding_lines: Option<f64>,
    /// Number of hardware threads of a core that it uses.
    pub smt: Smt,
    /// FLOP rate of a core with both threads over the rate with one. Required unless the application uses one
    /// thread per core.
    pub smt_speedup: Option<f64>,
    /// Number of its processes (MPI ranks), at least 1. No computed value depends on it; the emitters deal
    /// the threads of an answer to the processes.
    pub ranks: u32,
    /// Minimum number of threads over the whole machine in `explore`.
    pub min_threads: u32,
    /// Maximum number of threads over the whole machine in `explore`; `None` is no limit.
    pub max_threads: Option<u32>,
    /// Further constraints on the placement of its threads in `explore`.
    pub placing: Placing,
    /// Its weight in the objectives.
    pub weight: f64,
    /// Its total work; only the makespan objective needs it.
    pub work: Option<Gflop>,
}

impl App {
    /// An application with only these properties: a group of one that streams, with the defaults of the input
    /// files.
    pub fn new(name: impl Into<String>, arithmetic_intensity: FlopPerByte, data: Data) -> Self {
        let name = name.into();
        Self {
            group: name.clone(),
            name,
            arithmetic_intensity,
            thread_gflops: None,
            thread_gbs: None,
            intensity_from: IntensityFrom::Given,
            rate_unit: None,
            write_share: 0.0,
            node_overhead: 0.0,
            data,
            nodes: None,
            memory: None,
            kernel: Access::Read,
            problem: None,
            outstanding_lines: None,
            smt: Smt::One,
            smt_speedup: None,
            ranks: 1,
            min_threads: 1,
            max_threads: None,
            placing: Placing::default(),
            weight: 1.0,
            work: None,
        }
    }

    /// The unit of its achieved rate: that of `rate_unit`, or GFLOPS.
    pub fn unit(&self) -> &str {
        self.rate_unit.as_deref().unwrap_or("GFLOPS")
    }

    /// Upper limits of one of its threads, or of both threads of a core together.
    pub fn limits(&self) -> ThreadLimits {
        let speedup = self.smt_speedup.filter(|_| self.smt == Smt::Both);
        ThreadLimits {
            gflops: self.thread_gflops.map(|own| own * speedup.unwrap_or(1.0)),
            bandwidth: self.thread_gbs.map(|own| own * speedup.unwrap_or(1.0)),
            no_flop: self.rate_unit.is_some(),
            speedup,
        }
    }

    /// The same application with this number of hardware threads per core.
    #[must_use]
    pub fn with_smt(self, smt: Smt) -> Self {
        Self { smt, ..self }
    }

    /// The same application with thread counts converted to core counts, which the search uses. An odd number
    /// of threads has no whole number of cores: a range without an even number becomes empty.
    #[must_use]
    pub fn counted_in_cores(&self) -> Self {
        let step = self.smt.threads_per_core();
        if step == 1 {
            return self.clone();
        }
        let per_l3 = self.placing.per_l3.and_then(|each| NonZeroU32::new(each.get() / step));
        let is_odd = self.placing.per_l3.is_some_and(|each| each.get() % step > 0);
        let placing = Placing {
            per_l3: per_l3.filter(|_| !is_odd),
            multiple_of: self.placing.multiple_of.map(|of| match of.get() % step {
                0 => NonZeroU32::new(of.get() / step).unwrap_or(of),
                _ => of,
            }),
            // No domain can have an odd number of threads, so no node has any.
            per_node: self.placing.per_node.as_ref().or(is_odd.then_some(&Vec::new())).map(|ranges| {
                let ranges = if is_odd { &[] } else { ranges.as_slice() };
                let whole = ranges.iter().map(|&(least, most)| (self.smt.cores(least), most / step));
                whole.filter(|(least, most)| least <= most).collect()
            }),
            ..self.placing.clone()
        };
        let (min_threads, max_threads) =
            (self.smt.cores(self.min_threads), self.max_threads.map(|max| max / step));
        Self { min_threads, max_threads, placing, ..self.clone() }
    }

    /// Replaces the GFLOPS of one thread and updates an intensity that is a quotient.
    pub fn set_thread_gflops(&mut self, gflops: Gflops) {
        self.thread_gflops = Some(gflops);
        self.follow_quotient();
    }

    /// Replaces the bandwidth of one thread and updates an intensity that is a quotient.
    pub fn set_thread_gbs(&mut self, gbs: GigabytesPerSecond) {
        self.thread_gbs = Some(gbs);
        self.follow_quotient();
    }

    fn follow_quotient(&mut self) {
        if let (IntensityFrom::Quotient, Some(gflops), Some(gbs)) =
            (self.intensity_from, self.thread_gflops, self.thread_gbs)
        {
            self.arithmetic_intensity = FlopPerByte::new(gflops.value() / gbs.value());
        }
    }

    /// Its memory traffic: that of its kernel, or a mix with a share of writes.
    pub fn traffic(&self) -> Traffic {
        if self.write_share > 0.0 { Traffic::Mixed(self.write_share) } else { self.kernel.into() }
    }

    /// Whether its writes go to copies of its data on several nodes if its data is at `placement`. Its demand
    /// on the memories then depends on which nodes have threads of it.
    pub fn writes_copies(&self, placement: &Placement) -> bool {
        *placement == Placement::Replicated && self.traffic().write_share() > 0.0
    }

    /// Whether, with its data at `placement`, every thread uses only the memory of its own node, so that
    /// nodes do not interact.
    pub fn stays_at_home(&self, placement: &Placement, machine: &Machine) -> bool {
        let is_copy = *placement == Placement::Replicated && !self.writes_copies(placement);
        placement.stays_at_home(machine) || (is_copy && machine.all_have_memory())
    }

    /// Whether its threads have the same demand as those of `other` wherever they run on `machine`.
    pub fn asks_like(&self, other: &Self, machine: &Machine) -> bool {
        self.arithmetic_intensity == other.arithmetic_intensity
            && self.limits() == other.limits()
            && self.node_overhead == other.node_overhead
            && self.outstanding_lines == other.outstanding_lines
            && self.smt == other.smt
            && self.smt_speedup == other.smt_speedup
            && self.data == other.data
            && machine.serves_alike(self.traffic(), other.traffic())
            // Every write to replicated data goes to each copy.
            && (self.data != Data::Placed(Placement::Replicated)
                || self.traffic().write_share() == other.traffic().write_share())
    }

    /// The word for its kernel in a file: the real kernel, or the synthetic kernel that represents it.
    pub fn kernel_word(&self) -> &'static str {
        self.problem.map_or(self.kernel.as_str(), |problem| problem.kernel().as_str())
    }

    /// Whether its GFLOPS are meaningful: it counts FLOP, and it is not a real kernel that only moves data.
    pub fn computes(&self) -> bool {
        self.rate_unit.is_none()
            && self.problem.is_none_or(|problem| problem.arithmetic_intensity().value() > 0.0)
    }
}

/// Upper limits of one thread of an application, independent of its core and of the memories. The default
/// sets no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThreadLimits {
    /// GFLOPS if memory does not limit the thread.
    pub gflops: Option<Gflops>,
    /// Bandwidth that the thread consumes alone, GB/s.
    pub bandwidth: Option<GigabytesPerSecond>,
    /// Whether the rate is not in FLOP, so that the peak of a core is no limit.
    pub no_flop: bool,
    /// FLOP rate of a core with both hardware threads (counted as one thread here) relative to one thread;
    /// `None` is one.
    pub speedup: Option<f64>,
}

impl ThreadLimits {
    /// The highest rate of a thread on a core of `node`.
    pub fn peak(&self, node: &Node) -> Gflops {
        if self.no_flop {
            return Gflops::new(f64::INFINITY);
        }
        let core = self.core_peak(node);
        self.gflops.map_or(core, |own| own.min(core))
    }

    /// The peak of a core of `node`.
    pub fn core_peak(&self, node: &Node) -> Gflops {
        self.speedup.map_or(node.gflops_per_core, |times| node.gflops_per_core * times)
    }

    /// The bandwidth that a thread of this intensity consumes on `node` with the machine to itself: as much
    /// as it can process, limited by what the thread and its core can consume.
    pub fn want(&self, node: &Node, intensity: FlopPerByte) -> GigabytesPerSecond {
        let limits = [node.core_bandwidth, self.bandwidth];
        limits.into_iter().flatten().fold(self.peak(node) / intensity, GigabytesPerSecond::min)
    }
}

/// Constraints of `explore` on the placement of an application's threads, in addition to the allowed nodes
/// and numbers of threads. The default sets no constraint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placing {
    /// The threads on each node are a multiple of this (the cores of an L3, the hardware threads of a core).
    pub multiple_of: Option<NonZeroU32>,
    /// Maximum number of nodes with threads of the application.
    pub max_nodes: Option<usize>,
    /// Nodes with threads of the application have no threads of other applications.
    pub exclusive: bool,
    /// Allowed numbers of threads on a node that has any, as ranges (both ends included): ascending,
    /// disjoint, without 0. `None` allows any number; an empty list allows no thread anywhere.
    pub per_node: Option<Vec<(u32, u32)>>,
    /// Each L3 domain has either no thread of the application or exactly this number.
    pub per_l3: Option<NonZeroU32>,
    /// Maximum number of L3 domains, over the whole machine, with threads of the application.
    pub max_l3: Option<usize>,
}

impl Placing {
    /// Whether a node may have any number of threads.
    pub fn takes_any_number(&self) -> bool {
        self.multiple_of.is_none() && self.per_node.is_none()
    }

    /// Whether a node may have this number of threads of the application; 0 is always allowed.
    pub fn takes(&self, threads: u32) -> bool {
        threads == 0 || self.next(threads) == Some(threads)
    }

    /// The smallest allowed number of threads on a node that is at least `threads`; `None` if there is none.
    pub fn next(&self, threads: u32) -> Option<u32> {
        if threads == 0 {
            return Some(0);
        }
        let step = self.multiple_of.map_or(1, NonZeroU32::get);
        let multiple = |least: u32| least.checked_next_multiple_of(step);
        match &self.per_node {
            None => multiple(threads),
            Some(ranges) => ranges
                .iter()
                .find_map(|&(least, most)| multiple(threads.max(least)).filter(|&found| found <= most)),
        }
    }

    /// The largest allowed number of threads on a node that is at most `threads`; 0 is always allowed.
    pub fn previous(&self, threads: u32) -> u32 {
        let step = self.multiple_of.map_or(1, NonZeroU32::get);
        let multiple = |most: u32| most / step * step;
        match &self.per_node {
            None => multiple(threads),
            Some(ranges) => {
                let found = ranges.iter().rev().map(|&(least, most)| (least, multiple(threads.min(most))));
                found.filter(|(least, found)| found >= least).map(|(_, found)| found).next().unwrap_or(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_and_previous_return_allowed_numbers_of_threads() {
        let fours = Placing { multiple_of: NonZeroU32::new(4), ..Placing::default() };
        assert_eq!([0, 1, 4, 5].map(|threads| fours.next(threads)), [Some(0), Some(4), Some(4), Some(8)]);
        assert_eq!([0, 3, 4, 11].map(|threads| fours.previous(threads)), [0, 0, 4, 8]);
        assert_eq!(fours.next(u32::MAX), None);
        // Multiples of 4 in 2..=3 (none), 7..=9 (8), 12..=13 (12).
        let ranges = Placing { per_node: Some(vec![(2, 3), (7, 9), (12, 13)]), ..fours };
        assert_eq!([1, 8, 9, 13].map(|threads| ranges.next(threads)), [Some(8), Some(8), Some(12), None]);
        assert_eq!([7, 8, 11, 40].map(|threads| ranges.previous(threads)), [0, 8, 8, 12]);
        let taken: Vec<u32> = (0..20).filter(|&threads| ranges.takes(threads)).collect();
        assert_eq!(taken, [0, 8, 12]);
        let nobody = Placing { per_node: Some(Vec::new()), ..Placing::default() };
        assert_eq!((nobody.next(1), nobody.previous(5), nobody.takes(0)), (None, 0, true));
    }
}
