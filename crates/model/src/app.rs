//! Applications: how much they compute per byte, and where their data lies.

pub use crate::access::{Access, Traffic};

use std::fmt;
use std::num::NonZeroU32;

use crate::ids::NodeId;
use crate::machine::{Machine, Node};
use crate::problem::KernelProblem;
use crate::units::{FlopPerByte, Gflop, Gflops, Gibibytes, GigabytesPerSecond};

/// Most application instances in all files together.
pub const MAX_INSTANCES: usize = 10_000;

/// Most processes of one application ([`App::ranks`]).
pub const MAX_RANKS: u32 = 65_536;

/// Where the data of an application lies, seen from each of its threads.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// NUMA-perfect: every thread reads the memory of its own node, or the nearest one ([`Machine::local_memory`]).
    Local,
    /// NUMA-bad: all data on one node.
    Home(NodeId),
    /// Spread evenly over all nodes that have memory, memory-only ones included.
    Interleave,
    /// A given fraction of the data on each node; one entry per node, sum 1.
    Fractions(Vec<f64>),
    /// A share of the data on one node, the rest where each thread runs.
    PartHome {
        /// That node.
        home: NodeId,
        /// The share that lies there, above 0 and below 1.
        share: f64,
    },
    /// A share of the data spread evenly over all nodes that have memory, the rest where each thread runs.
    PartInterleave {
        /// The share that is spread, above 0 and below 1.
        share: f64,
    },
    /// A copy of all data on each node that has threads of the application. Reads are local; what is written goes to all copies
    /// ([`crate::Demand::copies`]).
    Replicated,
}

crate::words! {
    /// Data placements that need nothing but a word.
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
    /// What it says.
    pub const fn placement(self) -> Placement {
        match self {
            Self::Local => Placement::Local,
            Self::Interleave => Placement::Interleave,
            Self::Replicated => Placement::Replicated,
        }
    }
}

impl Placement {
    /// The word for it, if it needs nothing else.
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

    /// The share of a thread's data that lies on `memory`, for a thread that runs on `from`; of replicated data the copy that it reads.
    ///
    /// The shares over all memories of the machine sum to 1.
    pub fn fraction(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        let local = if machine.local_memory(from) == memory { self.local_share() } else { 0.0 };
        local + self.fixed_share(machine, memory)
    }

    /// How long a line of a thread on `from` is under way on an idle machine, the mean over its data, ns; `None` where no latency is known.
    pub fn latency_ns(&self, machine: &Machine, from: NodeId) -> Option<f64> {
        let of =
            |memory| self.fraction(machine, from, memory) * machine.latency_ns(from, memory).unwrap_or(0.0);
        Some(machine.node_ids().map(of).sum()).filter(|&mean| mean > 0.0)
    }

    /// The share of the data that lies where the threads run.
    pub fn local_share(&self) -> f64 {
        match self {
            Self::Local | Self::Replicated => 1.0,
            Self::Home(_) | Self::Interleave | Self::Fractions(_) => 0.0,
            Self::PartHome { share, .. } | Self::PartInterleave { share } => 1.0 - share,
        }
    }

    /// The share of the data that lies on `node` wherever the threads run.
    ///
    /// These of all nodes and [`Placement::local_share`] sum to 1.
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

    /// Whether threads on other nodes read `memory`: whether [`Placement::fraction`] is above 0 for any of them.
    pub fn is_read_from_outside(&self, machine: &Machine, memory: NodeId) -> bool {
        let fixed = match self {
            Self::Local | Self::Replicated => false,
            Self::Home(home) | Self::PartHome { home, .. } => *home == memory,
            Self::Interleave | Self::PartInterleave { .. } => machine.has_memory(memory),
            Self::Fractions(fractions) => fractions[memory.0] > 0.0,
        };
        fixed || (machine.lends(memory) && self.local_share() > 0.0)
    }

    /// Whether every thread reads the memory of its own node and no other one, so that nodes do not meet.
    pub fn stays_at_home(&self, machine: &Machine) -> bool {
        *self == Self::Local && machine.all_have_memory()
    }

    /// The first node that holds data, but has no memory.
    pub fn without_memory(&self, machine: &Machine) -> Option<NodeId> {
        if machine.all_have_memory() {
            return None;
        }
        machine.node_ids().find(|&node| self.fixed_share(machine, node) > 0.0 && !machine.has_memory(node))
    }

    /// The node that holds all data that is not local: all of a NUMA-bad application, or a share of it.
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

    /// Whether data may lie on all nodes: a thread reads or writes as many memories as there are then.
    pub fn is_spread(&self) -> bool {
        matches!(self, Self::Interleave | Self::Fractions(_) | Self::PartInterleave { .. } | Self::Replicated)
    }

    /// The memories that threads on `from` read, ascending: where [`Placement::fraction`] is above 0.
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

/// As in a file: `home = 0, share = 0.5`. Shares are rounded to four digits.
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

/// What a file says about the data of an application: a placement, or data that explore decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Decided.
    Placed(Placement),
    /// `home = "any"`: data on one node, which one is open.
    OpenHome {
        /// The share of the data that lies there, above 0 and at most 1; the rest lies where each thread runs.
        share: f64,
    },
    /// `fractions = "any"`: a fraction on each node, in steps of 1 / [`Data::STEPS`], which ones is open.
    OpenFractions,
}

impl Data {
    /// Parts of the data that are dealt out over the nodes where its fractions are open.
    pub const STEPS: u32 = 16;

    /// The placement, if it is decided.
    pub fn placement(&self) -> Option<&Placement> {
        match self {
            Self::Placed(placement) => Some(placement),
            Self::OpenHome { .. } | Self::OpenFractions => None,
        }
    }

    /// What is open, if something is.
    pub fn open(&self) -> Option<OpenData> {
        match self {
            Self::Placed(_) => None,
            Self::OpenHome { .. } => Some(OpenData::Home),
            Self::OpenFractions => Some(OpenData::Fractions),
        }
    }
}

/// What is open of data that explore decides, in the words of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenData {
    /// The node.
    Home,
    /// How much lies on each node.
    Fractions,
}

impl OpenData {
    /// What the file says: `home = "any"`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Home => "home = \"any\"",
            Self::Fractions => "fractions = \"any\"",
        }
    }

    /// Data that is decided, as a file has it: `{ home = 0 }`.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Home => "{ home = 0 }",
            Self::Fractions => "{ fractions = [0.5, 0.5] }",
        }
    }

    /// What people do to decide it themselves: `name the node`.
    pub const fn deciding(self) -> &'static str {
        match self {
            Self::Home => "name the node",
            Self::Fractions => "give the fractions",
        }
    }

    /// What the word leaves open: `any node`.
    pub const fn any(self) -> &'static str {
        match self {
            Self::Home => "any node",
            Self::Fractions => "any fractions",
        }
    }

    /// What explore finds: `the best home`.
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
    /// How many hardware threads of each of its cores an application uses.
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

    /// The cores of so many threads.
    pub const fn cores(self, threads: u32) -> u32 {
        threads.div_ceil(self.threads_per_core())
    }

    /// The threads of so many cores.
    pub fn threads(self, cores: &[u32]) -> Vec<u32> {
        cores.iter().map(|&cores| cores.saturating_mul(self.threads_per_core())).collect()
    }
}

/// One application instance. Allocations count cores; only what files and switches say of it counts hardware threads, which are as many
/// unless [`App::smt`] is [`Smt::Both`].
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Its own name: `mem-2`, or `mem` when there is only one instance.
    pub name: String,
    /// The name of its `[[app]]` table: `mem`.
    pub group: String,
    /// FLOP per byte moved to or from memory; of an application with a [`App::rate_unit`] its units per 10^9 bytes.
    pub arithmetic_intensity: FlopPerByte,
    /// What one of its threads computes where memory is no limit; `None`: all that a core can.
    pub thread_gflops: Option<Gflops>,
    /// What one of its threads draws alone; `None`: all that it can digest.
    pub thread_gbs: Option<GigabytesPerSecond>,
    /// Whether its intensity was not given, and is the quotient of both.
    pub intensity_is_quotient: bool,
    /// What it counts per second in the place of GFLOPS, e.g. queries/s; `None` is GFLOPS.
    pub rate_unit: Option<String>,
    /// The share of its bytes that are written, 0 to 1; 0 where a kernel stands for it.
    pub write_share: f64,
    /// What it loses with threads on several nodes: on k nodes it has 1 / (1 + this x log2 k) of its GFLOPS.
    pub node_overhead: f64,
    /// Where its data lies.
    pub data: Data,
    /// The only nodes that may hold its threads, ascending; `None` is all.
    pub nodes: Option<Vec<NodeId>>,
    /// How much data it has; `None` if not given.
    pub memory: Option<Gibibytes>,
    /// How the benchmark's kernel that stands for it uses memory; it matters where the machine has figures of its own for it. Of a real kernel it is
    /// [`KernelProblem::access`].
    pub kernel: Access,
    /// The real kernel that it is, with the size of its problem; `None` where a synthetic one stands for it.
    pub problem: Option<KernelProblem>,
    /// Cache lines that one thread has under way at a time; `None` if not given.
    pub outstanding_lines: Option<f64>,
    /// How many hardware threads of a core it uses.
    pub smt: Smt,
    /// FLOP rate of a core with both threads of it over that with one; needed unless one is all that it uses.
    pub smt_speedup: Option<f64>,
    /// Processes that it consists of (MPI ranks), at least 1; nothing computed depends on it, targets of an answer deal its threads to them.
    pub ranks: u32,
    /// Fewest threads over the whole machine that explore may give it.
    pub min_threads: u32,
    /// Most threads over the whole machine that explore may give it; `None` is no limit.
    pub max_threads: Option<u32>,
    /// What else explore keeps to where it places its threads.
    pub placing: Placing,
    /// Its weight in the objectives.
    pub weight: f64,
    /// The work it has to do; needed by the makespan objective only.
    pub work: Option<Gflop>,
}

impl App {
    /// An application of which nothing else is known: a group of its own that streams, with the defaults of the input files.
    pub fn new(name: impl Into<String>, arithmetic_intensity: FlopPerByte, data: Data) -> Self {
        let name = name.into();
        Self {
            group: name.clone(),
            name,
            arithmetic_intensity,
            thread_gflops: None,
            thread_gbs: None,
            intensity_is_quotient: false,
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

    /// The unit in which it counts what it achieves: that of its rate, or GFLOPS.
    pub fn unit(&self) -> &str {
        self.rate_unit.as_deref().unwrap_or("GFLOPS")
    }

    /// What one of its threads does at most, or both together on one core.
    pub fn limits(&self) -> ThreadLimits {
        let speedup = self.smt_speedup.filter(|_| self.smt == Smt::Both);
        ThreadLimits {
            gflops: self.thread_gflops.map(|own| own * speedup.unwrap_or(1.0)),
            bandwidth: self.thread_gbs.map(|own| own * speedup.unwrap_or(1.0)),
            no_flop: self.rate_unit.is_some(),
            speedup,
        }
    }

    /// The same with so many hardware threads on a core.
    #[must_use]
    pub fn with_smt(self, smt: Smt) -> Self {
        Self { smt, ..self }
    }

    /// The same with numbers of cores in the place of numbers of threads, as the search counts them. Odd numbers are of no whole core: a
    /// range without an even one becomes empty.
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
            // No domain has an odd number of threads: no node has any.
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

    /// Replaces what one of its threads computes; an intensity that is the quotient of both follows.
    pub fn set_thread_gflops(&mut self, gflops: Gflops) {
        self.thread_gflops = Some(gflops);
        self.follow_quotient();
    }

    /// Replaces what one of its threads draws; an intensity that is the quotient of both follows.
    pub fn set_thread_gbs(&mut self, gbs: GigabytesPerSecond) {
        self.thread_gbs = Some(gbs);
        self.follow_quotient();
    }

    fn follow_quotient(&mut self) {
        if let (true, Some(gflops), Some(gbs)) =
            (self.intensity_is_quotient, self.thread_gflops, self.thread_gbs)
        {
            self.arithmetic_intensity = FlopPerByte::new(gflops.value() / gbs.value());
        }
    }

    /// How it uses memory: as its kernel does, or with a share of writes.
    pub fn traffic(&self) -> Traffic {
        if self.write_share > 0.0 { Traffic::Mixed(self.write_share) } else { self.kernel.into() }
    }

    /// Whether its writes go to copies of its data on several nodes, if its data is at `placement`: what it asks of memories then depends on
    /// which nodes have threads of it.
    pub fn writes_copies(&self, placement: &Placement) -> bool {
        *placement == Placement::Replicated && self.traffic().write_share() > 0.0
    }

    /// Whether with its data at `placement` every thread uses the memory of its own node and no other one, so that nodes do not meet.
    pub fn stays_at_home(&self, placement: &Placement, machine: &Machine) -> bool {
        let is_copy = *placement == Placement::Replicated && !self.writes_copies(placement);
        placement.stays_at_home(machine) || (is_copy && machine.all_have_memory())
    }

    /// Whether its threads ask for the same as those of `other` wherever they run on `machine`.
    pub fn asks_like(&self, other: &Self, machine: &Machine) -> bool {
        self.arithmetic_intensity == other.arithmetic_intensity
            && self.limits() == other.limits()
            && self.node_overhead == other.node_overhead
            && self.outstanding_lines == other.outstanding_lines
            && self.smt == other.smt
            && self.smt_speedup == other.smt_speedup
            && self.data == other.data
            && machine.serves_alike(self.traffic(), other.traffic())
    }

    /// The word for what its threads compute, as in a file: the real kernel, or the synthetic one that stands for it.
    pub fn kernel_word(&self) -> &'static str {
        self.problem.map_or(self.kernel.as_str(), |problem| problem.kernel().as_str())
    }

    /// Whether its GFLOPS mean something: it counts FLOP, and is no real kernel that only moves data.
    pub fn computes(&self) -> bool {
        self.rate_unit.is_none()
            && self.problem.is_none_or(|problem| problem.arithmetic_intensity().value() > 0.0)
    }
}

/// What one thread of an application does at most, whatever its core and the memories could do. The default limits nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThreadLimits {
    /// GFLOPS where memory is no limit.
    pub gflops: Option<Gflops>,
    /// GB/s that it draws alone.
    pub bandwidth: Option<GigabytesPerSecond>,
    /// Whether it counts something other than FLOP, so that the peak of a core is no limit.
    pub no_flop: bool,
    /// How many times the FLOP rate of one thread a core has with both hardware threads, which are one thread here; `None` is one.
    pub speedup: Option<f64>,
}

impl ThreadLimits {
    /// The most that a thread computes on a core of `node`.
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

    /// What a thread of this intensity draws on `node` with the machine to itself: what it can digest, at most what it and its core can draw.
    pub fn want(&self, node: &Node, intensity: FlopPerByte) -> GigabytesPerSecond {
        let limits = [node.core_bandwidth, self.bandwidth];
        limits.into_iter().flatten().fold(self.peak(node) / intensity, GigabytesPerSecond::min)
    }
}

/// What explore keeps to where it places the threads of an application, beside the nodes and the numbers of threads that the
/// application may have. The default restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placing {
    /// The threads on each node are a multiple of this (the cores of an L3, the hardware threads of a core).
    pub multiple_of: Option<NonZeroU32>,
    /// At most so many nodes have threads of it.
    pub max_nodes: Option<usize>,
    /// Where it has threads, nobody else has.
    pub exclusive: bool,
    /// A node that has threads of it has a number of them in one of these ranges (both ends included); ascending, apart
    /// from each other, without 0. `None` is any number; an empty list is no thread anywhere.
    pub per_node: Option<Vec<(u32, u32)>>,
    /// An L3 domain has none or so many of its threads.
    pub per_l3: Option<NonZeroU32>,
    /// At most so many L3 domains, over the machine, have threads of it.
    pub max_l3: Option<usize>,
}

impl Placing {
    /// Whether any number of threads may be on a node.
    pub fn takes_any_number(&self) -> bool {
        self.multiple_of.is_none() && self.per_node.is_none()
    }

    /// Whether a node may have so many threads of the application; none is always allowed.
    pub fn takes(&self, threads: u32) -> bool {
        threads == 0 || self.next(threads) == Some(threads)
    }

    /// The smallest number of threads on a node from `threads` on that is allowed; `None` if there is none.
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

    /// The largest number of threads on a node up to `threads` that is allowed: at least none.
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
    fn numbers_go_up_and_down_by_what_is_allowed() {
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
