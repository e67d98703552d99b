//! Messages of applications, and of clients that query the agent.

use numasim_model::order::{Control, Waiting};
use serde::Serialize;

use crate::fields::{CONTROLS, Version};
use crate::fields::{Fields, ParseError, object, unknown};
use crate::{LONGEST_NAME, MOST_THREADS};

/// A message to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FromApp {
    /// Its properties; the first message.
    Hello(Hello),
    /// Its status.
    Status(AppStatus),
    /// An order is in force.
    Ack {
        /// Sequence number of the order.
        seq: u64,
    },
    /// An order cannot be followed; the previous one stays in force.
    Refused {
        /// Sequence number of the order.
        seq: u64,
        /// The reason.
        text: String,
    },
    /// The application is finished.
    Bye,
    /// Instead of hello: asks for the agent's status.
    Query,
    /// Instead of hello: asks the agent to shut down.
    Stop,
}

/// Properties of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// Version of the protocol.
    pub version: Version,
    /// Its name in files and in messages.
    pub name: String,
    /// Orders that it can follow.
    pub control: Control,
    /// Threads on each node, blocked or not.
    pub threads: Vec<u32>,
}

/// Status of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppStatus {
    /// Threads that run a task on each node.
    pub running: Vec<u32>,
    /// Threads on each node that may take no task.
    pub blocked: Vec<u32>,
    /// Completed iterations; the number may fall.
    pub progress: u64,
    /// The reason why it waits.
    pub waiting: Waiting,
    /// Tasks that no thread has begun in this phase; `None` is not reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// The phase of its iteration, from 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: u64,
    /// Completed tasks; `None` is not reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
}

// Called by serde.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl FromApp {
    /// Parses a line, given without its line feed.
    ///
    /// # Errors
    /// The problem with the line, in words for its author.
    pub fn parse(line: &[u8]) -> Result<Self, ParseError> {
        let (kind, object) = object(line)?;
        match kind.as_str() {
            "hello" => Hello::read(&Fields::new("hello", object)).map(Self::Hello),
            "status" => AppStatus::read(&Fields::new("status", object)).map(Self::Status),
            "ack" => Ok(Self::Ack { seq: Fields::new("ack", object).number("seq")? }),
            "refused" => {
                let fields = Fields::new("refused", object);
                Ok(Self::Refused { seq: fields.number("seq")?, text: fields.text("text")? })
            }
            "bye" => Ok(Self::Bye),
            "query" => Ok(Self::Query),
            "stop" => Ok(Self::Stop),
            _ => Err(unknown(&kind)),
        }
    }

    /// The message as a line, with its line feed.
    pub fn line(&self) -> String {
        crate::from_agent::line(self)
    }
}

impl Hello {
    /// A hello of this version.
    pub fn new(name: impl Into<String>, control: Control, threads: Vec<u32>) -> Self {
        Self { version: Version, name: name.into(), control, threads }
    }

    fn read(fields: &Fields) -> Result<Self, ParseError> {
        // The version comes first: the other fields of another version are not for us to judge.
        let version = Version::read(fields)?;
        let name = fields.text("name")?;
        if name.is_empty() || name.chars().nth(LONGEST_NAME).is_some() || name.contains(char::is_control) {
            let needed = format!("1 to {LONGEST_NAME} characters without control characters");
            return Err(fields.wrong("name", needed));
        }
        let control = fields.word("control", &CONTROLS, Control::as_str)?;
        let threads = fields.list("threads", u64::from(MOST_THREADS))?;
        if threads.iter().all(|&threads| threads == 0) {
            return Err(fields.wrong("threads", "at least 1 in all"));
        }
        Ok(Self { version, name, control, threads })
    }
}

impl AppStatus {
    /// Status of an application that has not begun: all its threads are idle.
    pub fn idle(nodes: usize) -> Self {
        let none = vec![0; nodes];
        let (running, blocked) = (none.clone(), none);
        Self { running, blocked, progress: 0, waiting: Waiting::None, queued: None, phase: 0, tasks: None }
    }

    fn read(fields: &Fields) -> Result<Self, ParseError> {
        Ok(Self {
            running: fields.list("running", u64::from(MOST_THREADS))?,
            blocked: fields.list("blocked", u64::from(MOST_THREADS))?,
            progress: fields.number("progress")?,
            waiting: fields.word("waiting", &Waiting::ALL, Waiting::as_str)?,
            queued: fields.optional_number("queued")?,
            phase: fields.optional_number("phase")?.unwrap_or(0),
            tasks: fields.optional_number("tasks")?,
        })
    }

    /// Whether an application with this number of `threads` on each node can have this status: it has a value for each node, and on no
    /// node do running and blocked threads together exceed the threads.
    ///
    /// # Errors
    /// [`ParseError::Wrong`] with the key.
    pub fn check(&self, threads: &[u32]) -> Result<(), ParseError> {
        let wrong = |key, needed, list: &[u32]| ParseError::Wrong {
            message: "status",
            key,
            needed,
            found: format!("{list:?}").chars().take(64).collect(),
        };
        for (key, list) in [("running", &self.running), ("blocked", &self.blocked)] {
            if list.len() != threads.len() {
                let needed = format!("a list of {}, one number for each node", threads.len());
                return Err(wrong(key, needed, list));
            }
        }
        let on_nodes = threads.iter().zip(&self.running).zip(&self.blocked);
        for (node, ((&threads, &running), &blocked)) in on_nodes.enumerate() {
            if running.saturating_add(blocked) > threads {
                let key = if running > threads { "running" } else { "blocked" };
                let needed = format!("at most {threads} on node {node}, running and blocked together");
                return Err(wrong(key, needed, if key == "running" { &self.running } else { &self.blocked }));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
