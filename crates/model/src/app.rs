//! Applications: how much they compute per byte, and where their data lies.

mod placing;

use std::fmt;

pub use crate::access::Access;
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::problem::KernelProblem;
use crate::units::{FlopPerByte, Gflop, Gibibytes};
pub use placing::Placing;

/// Most application instances in all files together.
pub const MAX_INSTANCES: usize = 10_000;

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
}

impl Placement {
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

    /// The share of a thread's data that lies on `memory`, for a thread that runs on `from`.
    ///
    /// The shares over all memories of the machine sum to 1.
    pub fn fraction(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        let local = if machine.local_memory(from) == memory { self.local_share() } else { 0.0 };
        local + self.fixed_share(machine, memory)
    }

    /// The share of the data that lies where the threads run.
    pub fn local_share(&self) -> f64 {
        match self {
            Self::Local => 1.0,
            Self::Home(_) | Self::Interleave | Self::Fractions(_) => 0.0,
            Self::PartHome { share, .. } | Self::PartInterleave { share } => 1.0 - share,
        }
    }

    /// The share of the data that lies on `node` wherever the threads run.
    ///
    /// These of all nodes and [`Placement::local_share`] sum to 1.
    pub fn fixed_share(&self, machine: &Machine, node: NodeId) -> f64 {
        match self {
            Self::Local => 0.0,
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
            Self::Local => false,
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
            Self::Local | Self::Interleave | Self::Fractions(_) | Self::PartInterleave { .. } => None,
        }
    }

    /// Whether data may lie on all nodes: a thread reads as many memories as there are then.
    pub fn is_spread(&self) -> bool {
        matches!(self, Self::Interleave | Self::Fractions(_) | Self::PartInterleave { .. })
    }

    /// The memories that threads on `from` read, ascending: where [`Placement::fraction`] is above 0.
    pub fn read_from(&self, machine: &Machine, from: NodeId) -> Vec<NodeId> {
        let local = machine.local_memory(from);
        match self {
            Self::Local => vec![local],
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
            Self::Local => f.write_str("local"),
            Self::Interleave => f.write_str("interleave"),
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

/// What a file says about the data of an application: a placement, or a home that explore chooses.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Decided.
    Placed(Placement),
    /// `home = "any"`: data on one node, which one is open.
    OpenHome {
        /// The share of the data that lies there, above 0 and at most 1; the rest lies where each thread runs.
        share: f64,
    },
}

impl Data {
    /// The placement, if it is decided.
    pub fn placement(&self) -> Option<&Placement> {
        match self {
            Self::Placed(placement) => Some(placement),
            Self::OpenHome { .. } => None,
        }
    }
}

/// One application instance.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Its own name: `mem-2`, or `mem` when there is only one instance.
    pub name: String,
    /// The name of its `[[app]]` table: `mem`.
    pub group: String,
    /// FLOP per byte moved to or from memory.
    pub arithmetic_intensity: FlopPerByte,
    /// Where its data lies.
    pub data: Data,
    /// The only nodes that may hold its threads, ascending; `None` is all.
    pub nodes: Option<Vec<NodeId>>,
    /// How much data it has; `None` where nobody said.
    pub memory: Option<Gibibytes>,
    /// How the benchmark's kernel that stands for it uses memory; it matters where the machine has figures of its own for it. Of a real kernel it is
    /// [`KernelProblem::access`].
    pub kernel: Access,
    /// The real kernel that it is, with the size of its problem; `None` where a synthetic one stands for it.
    pub problem: Option<KernelProblem>,
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
            data,
            nodes: None,
            memory: None,
            kernel: Access::Read,
            problem: None,
            min_threads: 1,
            max_threads: None,
            placing: Placing::default(),
            weight: 1.0,
            work: None,
        }
    }

    /// The word for what its threads compute, as in a file: the real kernel, or the synthetic one that stands for it.
    pub fn kernel_word(&self) -> &'static str {
        self.problem.map_or(self.kernel.as_str(), |problem| problem.kernel().as_str())
    }

    /// Whether its GFLOPS mean something: it is no real kernel that only moves data.
    pub fn computes(&self) -> bool {
        self.problem.is_none_or(|problem| problem.arithmetic_intensity().value() > 0.0)
    }
}
