//! What is to be done after an event.

use super::application::{ConnectionId, Orders, Place, Reached};
use numasim_model::Study;
use numasim_model::dynamics::Order;
use numasim_model::units::Seconds;
use numasim_policy::{AppView, PolicyName, View};
use std::time::Duration;

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// This line goes out.
    Send {
        /// On this connection.
        to: ConnectionId,
        /// With its line feed.
        line: String,
    },
    /// The connection is closed when everything before has gone out.
    Close(ConnectionId),
    /// A person shall read this line.
    Report(String),
    /// The policy is asked; the answer goes to [`super::Core::decided`].
    Ask(Box<Question>),
    /// Something was decided.
    Decided(Box<Decided>),
    /// The threads of an adopted process get these cores; what came of it goes to [`super::Core::bound`].
    Bind {
        /// Its number among the adopted.
        adopted: usize,
        /// Of the order.
        seq: u64,
        /// Not empty, ascending, counted through all nodes.
        cores: Vec<u32>,
    },
    /// The agent ends.
    End {
        /// Who asked for it; it is closed last.
        asked_by: ConnectionId,
    },
}

/// An application as the policy saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// The rest.
    pub view: AppView,
}

/// What an application is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its name.
    pub app: String,
    /// Of the order on its connection.
    pub seq: u64,
    /// All of it.
    pub order: Order,
    /// Why, where the policy says it.
    pub why: Option<String>,
}

/// One decision, for whoever keeps a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// When the policy saw it, since the beginning.
    pub time: Seconds,
    /// Those that were there, in file order.
    pub apps: Vec<Seen>,
    /// Names of those of the files that had been there.
    pub gone: Vec<String>,
    /// What was sent for it, in file order; under a dry run what would have been.
    pub actions: Vec<Action>,
}

// What a policy is asked.

/// What a policy is asked. The answer belongs to this moment, whenever it comes.
#[derive(Clone, Debug)]
pub struct Question {
    /// What the policy sees.
    pub view: View,
    /// For each application of the view that is there: who it is.
    pub(super) who: Vec<Option<Asked>>,
    /// Names of those of the files that were there.
    pub(super) gone: Vec<String>,
}

/// An application at the time of a question.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) place: Place,
    pub(super) reached: Reached,
    pub(super) name: String,
    pub(super) orders: Orders,
}

/// By what is seen.
impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        self.view == other.view && self.gone == other.gone
    }
}

// What an agent is started with.

/// What an agent is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine, and the applications that are expected.
    pub study: Study,
    /// Who decides.
    pub policy: PolicyName,
    /// Time between two decisions; zero is whenever something changes.
    pub period: Duration,
    /// Whether no order is sent.
    pub dry_run: bool,
    /// This process.
    pub pid: u64,
    /// Where it listens, for people.
    pub socket: String,
}

impl Settings {
    /// Time between two decisions, in ms.
    pub fn period_ms(&self) -> f64 {
        self.period.as_secs_f64() * 1e3
    }

    /// Time between two statuses of an application: the period, within bounds; 80 ms where there is none.
    pub fn status_interval(&self) -> Duration {
        const WITHOUT: Duration = Duration::from_millis(80);
        let wanted = if self.period.is_zero() { WITHOUT } else { self.period };
        wanted.clamp(Duration::from_millis(20), Duration::from_secs(1))
    }

    /// Cores of each node.
    pub fn cores(&self) -> Vec<u32> {
        self.study.machine.nodes().iter().map(|node| node.cores).collect()
    }
}
