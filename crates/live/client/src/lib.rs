//! The connection of a program to its agent: the environment names the socket, and a dedicated thread maintains the connection.
//!
//! The program implements [`Follower`]: [`Link`] passes orders to it and asks it for statuses. The task runtime and the preloaded library
//! use the same link.
//!
//! Without an agent all workers run, and the thread tries again after 0.1, 0.2, 0.4, ... at most 5 s. With an agent, workers are held
//! until its first order. Orders are put in force as they come. A status is sent at the interval that the agent requests, and when
//! something changes. An agent that closes the connection, or is silent for 1 s, is lost: all workers run again.
//!
//! With a record ([`Agent::record`]) applications take turns as the agent (`numasim_agent::turns`): a link that finds no agent serves
//! itself. If the connection is closed, the last command stays in force while the next application takes over, at most 1 s.
#![warn(missing_docs)]

mod bell;
#[cfg(target_os = "linux")]
mod link;

use std::path::PathBuf;

use numasim_protocol::{AppStatus, Control, Order};

pub use bell::Bell;
#[cfg(target_os = "linux")]
pub use link::Link;

/// A link on systems without agents.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub enum Link {}

/// The part of a program that obeys an agent. All functions are called from the threads of the [`Link`] and must not wait.
pub trait Follower: Send + Sync + 'static {
    /// Threads on each node of the agent's machine, as the hello reports them.
    fn threads(&self) -> Vec<u32>;

    /// Puts an order in force; `None` allows all threads. `cores` are the cores of each node in the agent's count, empty before its
    /// welcome.
    ///
    /// # Errors
    /// The reason why the order cannot be followed. The previous one then stays in force.
    fn obey(&self, order: Option<&Order>, cores: &[u32]) -> Result<(), String>;

    /// The present status. Changes that the next one has to report count from here.
    fn status(&self) -> AppStatus;

    /// Whether something changed since `last` that the agent must receive before the next regular status.
    fn is_news(&self, last: &AppStatus) -> bool;

    /// Whether every such change rings the bell at this time; if not, the link also looks every 20 ms.
    fn rings(&self) -> bool;

    /// The bell that the program rings when there may be news.
    fn bell(&self) -> &Bell;
}

/// An agent, and the properties of this application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Path of its socket.
    pub socket: PathBuf,
    /// The name of this application: 1 to 128 characters without control characters.
    pub name: String,
    /// The orders that are wanted. [`Control::None`]: none, the agent only receives statuses.
    pub control: Control,
    /// The record of the policy, if applications take turns as the agent; `None` if only a separate agent serves.
    pub record: Option<PathBuf>,
}

impl Agent {
    /// The variable with the name of this application.
    pub const NAME: &'static str = "NUMASIM_APP";

    /// From the environment: `NUMASIM_AGENT` is the socket (`off`: none; unset: the default path), `NUMASIM_APP` the name (unset: that of
    /// the program's file and the process's number), `NUMASIM_RECORD` the record. `None` means that no agent is wanted, and is the answer
    /// on systems other than Linux.
    ///
    /// # Errors
    /// A path that cannot name a socket.
    #[cfg(target_os = "linux")]
    pub fn of_environment(control: Control) -> Result<Option<Self>, numasim_host::agent_path::PathError> {
        use numasim_host::agent_path::{Environment, PathError, socket_path};
        let socket = match socket_path(None, &Environment::of_this_process()) {
            Ok(socket) => socket,
            Err(PathError::Off) => return Ok(None),
            Err(error) => return Err(error),
        };
        let name = std::env::var(Self::NAME).ok().filter(|name| !name.is_empty());
        let record = std::env::var_os(numasim_agent::turns::Turns::RECORD).filter(|path| !path.is_empty());
        let name = name.unwrap_or_else(own_name);
        Ok(Some(Self { socket, name, control, record: record.map(PathBuf::from) }))
    }

    /// The same on systems without agents.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub fn of_environment(_: Control) -> Result<Option<Self>, numasim_host::agent_path::PathError> {
        Ok(None)
    }
}

/// `PROGRAM-PID`, short enough for a hello.
#[cfg(target_os = "linux")]
fn own_name() -> String {
    let program = std::env::current_exe().ok();
    let name = program.as_deref().and_then(|path| path.file_name()).unwrap_or_default().to_string_lossy();
    let shown = name.chars().filter(|c| !c.is_control()).take(numasim_protocol::LONGEST_NAME - 11);
    format!("{}-{}", shown.collect::<String>(), std::process::id())
}
