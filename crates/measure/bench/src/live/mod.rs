//! Applications of a study as real processes on this host: each does its tasks with the kernels of the benchmark on the task
//! runtime, and they wait for each other over counts in shared memory.
//!
//! The process that starts them has a [`Family`]: it starts and watches them, and ends them however it ends itself. Each of them is
//! the same program again ([`APP_COMMAND`]), reads its [`Order`] and calls [`serve`]. What they do stands on the [`Board`], where the
//! starting process looks at it ([`Look`]) as often as it likes, without disturbing anybody.

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

/// One application for one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The inherited file with the board; set by the family.
    pub board: RawFd,
    /// What the board has counts of.
    pub extent: Extent,
    /// Which application it is, in file order.
    pub app: usize,
    /// Its name.
    pub name: String,
    /// When it arrives, in seconds after the start.
    pub arrives_s: f64,
    /// The nodes of the machine.
    pub nodes: Vec<Node>,
    /// What it does.
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
    /// Processors of its cores, that of each core; empty binds nothing.
    pub cpus: Vec<u32>,
}

/// What an application does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Program {
    /// Tasks of our own.
    Tasks(Box<Tasks>),
    /// Another program and its arguments, which takes the place of the process; it may use these processors.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// Where it may run at the beginning.
        cpus: Vec<u32>,
    },
}

/// Tasks of our own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tasks {
    /// How it uses memory.
    pub access: Access,
    /// Instruction set of the kernels.
    pub isa: Isa,
    /// Their way through memory, where another than the usual one is known to be the fastest on this machine.
    pub variant: Option<Variant>,
    /// What it can be told.
    pub control: Control,
    /// Whether a thread is bound to one core, instead of those of its node.
    pub bind_to_core: bool,
    /// How often it goes through its phases.
    pub iterations: u64,
    /// One after the other.
    pub phases: Vec<Phase>,
    /// Data of each thread and place, in bytes.
    pub bytes_per_thread: u64,
    /// Coefficient of variation of the work of tasks, as factors that are drawn already, one after the other and again from the
    /// beginning; empty is none.
    pub spread: Vec<f64>,
    /// Channels into it.
    pub inputs: Vec<Input>,
    /// Channels out of it.
    pub outputs: Vec<Output>,
    /// Calls that it makes: which, and after each how many iterations.
    pub calls: Vec<(usize, u64)>,
    /// Calls that are made of it, in file order; with any it works on nothing else.
    pub called: Vec<usize>,
}

/// A channel into an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Which one.
    pub channel: usize,
}

/// A channel out of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Which one.
    pub channel: usize,
    /// Most items that are produced and not finished.
    pub capacity: Option<u64>,
    /// Memory that is really taken for each item, in bytes, until it is finished; 0 is none.
    pub item_bytes: u64,
}

/// A phase of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// FLOP per byte.
    pub arithmetic_intensity: f64,
    /// Where the data of a thread of each node lies: numbers of the operating system with shares.
    pub memory: Vec<Vec<(u32, f64)>>,
    /// FLOP of each task; task k has entry k mod length.
    pub each_flop: Vec<f64>,
    /// How many tasks an iteration has. Work that can be divided is tasks, too, of about a millisecond.
    pub tasks: u64,
    /// How long a thread sleeps after each task, in seconds.
    pub io_s: f64,
    /// The part of its speed at which each of n running threads works, for n = 1, 2, ...; the last one stays. Empty is full speed.
    pub efficiency: Vec<f64>,
}
