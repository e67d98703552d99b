//! An agent's report about itself and about its applications.

use numasim_model::order::{Control, Order, Waiting};
use serde::{Deserialize, Serialize};

/// The version of [`AgentStatus`].
pub const SCHEMA: u64 = 1;

/// The answer to a query, and the output of `agent status --format json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentStatus {
    /// [`SCHEMA`].
    pub schema: u64,
    /// `agent status`.
    pub command: String,
    /// Process ID of the agent.
    pub pid: u64,
    /// Path of the socket that it listens on.
    pub socket: String,
    /// Name of its machine.
    pub machine: String,
    /// Cores of each node.
    pub cores: Vec<u32>,
    /// The policy with its argument: `lead:2`.
    pub policy: String,
    /// Time between two decisions, in ms; 0: it decides whenever something happens.
    pub period_ms: f64,
    /// Time between two statuses of an application, in ms.
    pub status_ms: f64,
    /// Whether no order is sent.
    pub dry_run: bool,
    /// Time since it began to listen, in s.
    pub uptime_s: f64,
    /// Busy fraction of the cores of each node over the last second, from 0 to 1; `None` if the machine is not the host.
    pub load: Option<Vec<f64>>,
    /// Closed connections.
    pub closed: Closed,
    /// Applications in file order.
    pub apps: Vec<AppEntry>,
}

/// Number of closed connections by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// The application sent bye.
    pub bye: u64,
    /// The application disconnected.
    pub lost: u64,
    /// The agent refused the connection, before its hello or after.
    pub refused: u64,
}

/// One application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AppEntry {
    /// Its name.
    pub name: String,
    /// Its process, as the system reports it.
    pub pid: u64,
    /// Its user, as the system reports it.
    pub uid: u64,
    /// Orders that it can follow.
    pub control: Control,
    /// Threads on each node.
    pub threads: Vec<u32>,
    /// Its state.
    pub state: State,
    /// Threads that run a task on each node. This field and the following ones, up to the age, are `None` before the first status.
    pub running: Option<Vec<u32>>,
    /// Threads on each node that may take no task.
    pub blocked: Option<Vec<u32>>,
    /// Completed iterations.
    pub progress: Option<u64>,
    /// The reason why it waits.
    pub waiting: Option<Waiting>,
    /// Tasks that no thread has begun; also `None` if the application does not report it.
    pub queued: Option<u64>,
    /// Completed tasks; also `None` if the application does not report it.
    pub tasks: Option<u64>,
    /// Age of its last status, in ms.
    pub status_age_ms: Option<f64>,
    /// The last order decided for it.
    pub target: Option<Order>,
    /// Sequence number of the last order that was sent; 0 is none.
    pub seq: u64,
    /// Sequence number of the last order that it acknowledged; 0 is none.
    pub acked: u64,
    /// Its reason for refusing the order `seq`, if it refused it.
    pub refused: Option<String>,
}

numasim_model::words! {
    /// The state of an application.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum State {
        /// It has sent no status yet.
        New = "new",
        /// All is well.
        Ok = "ok",
        /// It has not been heard for three times the time between two statuses.
        Stale = "stale",
        /// It knows nothing of the agent, which found it itself.
        Adopted = "adopted",
    }
}

impl AgentStatus {
    /// The value of `command`.
    pub const COMMAND: &str = "agent status";

    /// Parses the answer to a query; unknown keys are ignored.
    ///
    /// # Errors
    /// The problem with the line.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        let status: Self = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if status.schema == SCHEMA {
            Ok(status)
        } else {
            Err(format!("its schema is {}, not {SCHEMA}", status.schema))
        }
    }

    /// The answer as a line, with its line feed.
    pub fn line(&self) -> String {
        crate::from_agent::line(self)
    }
}

#[cfg(test)]
mod tests;
