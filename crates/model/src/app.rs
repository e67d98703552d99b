//! Applications: how much they compute per byte, and where their data lies.

use crate::ids::NodeId;
use crate::machine::Machine;
use crate::units::{FlopPerByte, Gflop};

/// Most application instances in all files together.
pub const MAX_INSTANCES: usize = 10_000;

/// Where the data of an application lies, seen from each of its threads.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// NUMA-perfect: every thread reads the memory of its own node.
    Local,
    /// NUMA-bad: all data on one node.
    Home(NodeId),
    /// Spread evenly over all nodes, memory-only ones included.
    Interleave,
    /// A given fraction of the data on each node; one entry per node, sum 1.
    Fractions(Vec<f64>),
}

impl Placement {
    /// The share of a thread's data that lies on `memory`, for a thread that runs on `from`.
    ///
    /// The shares over all memories of the machine sum to 1.
    pub fn fraction(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        match self {
            Self::Local => f64::from(from == memory),
            Self::Home(home) => f64::from(*home == memory),
            Self::Interleave => 1.0 / machine.node_count() as f64,
            Self::Fractions(fractions) => fractions[memory.0],
        }
    }

    /// Whether threads on other nodes read `memory`: whether [`Placement::fraction`] is above 0 for any of them.
    pub fn is_read_from_outside(&self, memory: NodeId) -> bool {
        match self {
            Self::Local => false,
            Self::Home(home) => *home == memory,
            Self::Interleave => true,
            Self::Fractions(fractions) => fractions[memory.0] > 0.0,
        }
    }

    /// The node that holds all data of a NUMA-bad application.
    pub fn home(&self) -> Option<NodeId> {
        match self {
            Self::Home(home) => Some(*home),
            Self::Local | Self::Interleave | Self::Fractions(_) => None,
        }
    }
}

/// What a file says about the data of an application: a placement, or a home that explore chooses.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Decided.
    Placed(Placement),
    /// `home = "any"`: all data on one node, which one is open.
    OpenHome,
}

impl Data {
    /// The placement, if it is decided.
    pub fn placement(&self) -> Option<&Placement> {
        match self {
            Self::Placed(placement) => Some(placement),
            Self::OpenHome => None,
        }
    }
}

/// How the kernel of the benchmark that stands for an application uses memory.
///
/// The sharing models see bytes only; what a byte is to the kernel is decided here. Traffic is counted as the program
/// asks for it (the rule of STREAM): a line that is written counts once, and the read of the line that a plain store
/// causes (write-allocate) is not counted; kernels that write lines which they do not read use non-temporal stores,
/// which avoid that read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads only: the traffic of the paper's benchmark and of Intel MLC's matrices.
    #[default]
    Read,
    /// `a[i] = b[i]`: one line read, one line written.
    Copy,
    /// `a[i] = b[i] + s * c[i]`: two lines read, one line written (STREAM).
    Triad,
    /// `a[i] = s * a[i]`: each line read and written back in place.
    Update,
}

impl Access {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 4] = [Self::Read, Self::Copy, Self::Triad, Self::Update];

    /// The word that stands for it in files, tables and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Copy => "copy",
            Self::Triad => "triad",
            Self::Update => "update",
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
    /// How the benchmark's kernel that stands for it uses memory; the sharing models do not look at it.
    pub kernel: Access,
    /// Fewest threads over the whole machine that explore may give it.
    pub min_threads: u32,
    /// Most threads over the whole machine that explore may give it; `None` is no limit.
    pub max_threads: Option<u32>,
    /// Its weight in the objectives.
    pub weight: f64,
    /// The work it has to do; needed by the makespan objective only.
    pub work: Option<Gflop>,
}
