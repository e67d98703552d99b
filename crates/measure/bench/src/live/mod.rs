//! Runs the applications of a study as real processes on this host. Each runs its tasks with the kernels of the benchmark on the task
//! runtime, and they wait for each other with counts in shared memory.
//!
//! The process that starts them has a [`Family`]: it starts and watches them, and terminates them however it exits itself. Each of them is
//! the same program again ([`APP_COMMAND`]), reads its [`Order`] and calls [`serve`]. Their progress is on the [`Board`], which the
//! starting process can read at any time ([`Look`]) without disturbing them.

mod app;
mod board;
mod family;
mod work;

use std::os::fd::RawFd;

use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::Variant;
use numasim_model::Access;
use numasim_runtime::Control;
use serde::{Deserialize, Serialize};

pub use crate::live::app::{APP_COMMAND, serve};
pub use crate::live::board::{AppLook, Board, ChannelLook, DataPages, Extent, Look, NodeLook};
pub use crate::live::family::{Ended, Family, FamilyError, Left, Outputs};

/// The order for the process of one application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The inherited file descriptor of the board; set by the family.
    pub board: RawFd,
    /// The extent of the board.
    pub extent: Extent,
    /// The application, in file order.
    pub app: usize,
    /// Its name.
    pub name: String,
    /// Its arrival, in seconds after the start.
    pub arrives_s: f64,
    /// The nodes of the machine.
    pub nodes: Vec<Node>,
    /// Its program.
    pub program: Program,
}

/// A node of the machine, for one application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The operating system's number.
    pub number: u32,
    /// Threads of the application there.
    pub threads: usize,
    /// Cores of the node.
    pub cores: usize,
    /// Logical CPUs of its cores, one list per core; empty binds nothing.
    pub cpus: Vec<u32>,
}

/// The program of an application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Program {
    /// Our own tasks.
    Tasks(Box<Tasks>),
    /// An external program and its arguments, which replaces the process; it may use these logical CPUs.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// The logical CPUs that it may use at the start.
        cpus: Vec<u32>,
    },
}

/// Our own tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tasks {
    /// Its use of memory.
    pub access: Access,
    /// Instruction set of the kernels.
    pub isa: Isa,
    /// Their access variant, if a non-default one is known to be the fastest on this machine.
    pub variant: Option<Variant>,
    /// The commands that it accepts.
    pub control: Control,
    /// Whether a thread is bound to one core, instead of those of its node.
    pub bind_to_core: bool,
    /// Number of passes through its phases.
    pub iterations: u64,
    /// Phases, in sequence.
    pub phases: Vec<Phase>,
    /// Data of each thread and place, in bytes.
    pub bytes_per_thread: u64,
    /// Relative variation of the work of tasks, as predrawn factors that are used in sequence and repeated; empty means no variation.
    pub spread: Vec<f64>,
    /// Incoming channels.
    pub inputs: Vec<Input>,
    /// Outgoing channels.
    pub outputs: Vec<Output>,
    /// Its calls: the call, and the number of iterations after which it is made.
    pub calls: Vec<(usize, u64)>,
    /// Calls to it, in file order. If there are any, it works only on these.
    pub called: Vec<usize>,
}

/// An incoming channel of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The channel.
    pub channel: usize,
}

/// An outgoing channel of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The channel.
    pub channel: usize,
    /// Maximum number of items that are produced and not finished.
    pub capacity: Option<u64>,
    /// Memory that is really allocated for each item until it is finished, in bytes; 0 means none.
    pub item_bytes: u64,
}

/// A phase of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// FLOP per byte.
    pub arithmetic_intensity: f64,
    /// The data placement of a thread on each node: node numbers of the operating system with shares.
    pub memory: Vec<Vec<(u32, f64)>>,
    /// FLOP of each task; task k has entry k mod length.
    pub each_flop: Vec<f64>,
    /// Number of tasks of an iteration. Divisible work also consists of tasks, of about a millisecond each.
    pub tasks: u64,
    /// Time that a thread sleeps after each task, in seconds.
    pub io_s: f64,
    /// The relative speed of each of n running threads, for n = 1, 2, ...; the last entry also applies to more threads. Empty means full
    /// speed.
    pub efficiency: Vec<f64>,
}
