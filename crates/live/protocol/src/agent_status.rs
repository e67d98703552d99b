//! What an agent says of itself and of the applications that it knows.

use numasim_model::order::{Control, Order, Waiting};
use serde::{Deserialize, Serialize};

/// The version of [`AgentStatus`].
pub const SCHEMA: u64 = 1;

/// The answer to a query, and what `agent status --format json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentStatus {
    /// [`SCHEMA`].
    pub schema: u64,
    /// `agent status`.
    pub command: String,
    /// Process of the agent.
    pub pid: u64,
    /// Where it listens.
    pub socket: String,
    /// Name of its machine.
    pub machine: String,
    /// Cores of each node.
    pub cores: Vec<u32>,
    /// With its argument: `lead:2`.
    pub policy: String,
    /// Time between two decisions, in ms; 0 is whenever something happens.
    pub period_ms: f64,
    /// Time between two statuses of an application, in ms.
    pub status_ms: f64,
    /// Whether no order is sent.
    pub dry_run: bool,
    /// Since it listens, in s.
    pub uptime_s: f64,
    /// Busy part of the cores of each node over the last second, from 0 to 1; `None` where the machine is not the host.
    pub load: Option<Vec<f64>>,
    /// Connections that are over.
    pub closed: Closed,
    /// In file order.
    pub apps: Vec<AppEntry>,
}

/// How connections ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// They said bye.
    pub bye: u64,
    /// They broke off.
    pub lost: u64,
    /// They were refused, before their hello or after.
    pub refused: u64,
}

/// One application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AppEntry {
    /// Its name.
    pub name: String,
    /// Its process, as the system says.
    pub pid: u64,
    /// Its user, as the system says.
    pub uid: u64,
    /// Which orders it can follow.
    pub control: Control,
    /// Threads on each node.
    pub threads: Vec<u32>,
    /// What the agent thinks of it.
    pub state: State,
    /// Threads in a task on each node; this and what follows up to its age is `None` before the first status.
    pub running: Option<Vec<u32>>,
    /// Threads on each node that may take no task.
    pub blocked: Option<Vec<u32>>,
    /// Iterations that are done.
    pub progress: Option<u64>,
    /// What it waits for.
    pub waiting: Option<Waiting>,
    /// Tasks that nobody has begun; `None` where it is not told, too.
    pub queued: Option<u64>,
    /// Tasks that are done; `None` where it is not told, too.
    pub tasks: Option<u64>,
    /// Age of its last status, in ms.
    pub status_age_ms: Option<f64>,
    /// What was decided last.
    pub target: Option<Order>,
    /// Of the last order that was sent; 0 is none.
    pub seq: u64,
    /// Of the last order that it acknowledged; 0 is none.
    pub acked: u64,
    /// What it said to the order `seq`, where it refused it.
    pub refused: Option<String>,
}

numasim_model::words! {
    /// What the agent thinks of an application.
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
    /// What `command` is.
    pub const COMMAND: &str = "agent status";

    /// Reads the answer to a query; keys that nobody knows are ignored.
    ///
    /// # Errors
    /// What is wrong with it.
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
