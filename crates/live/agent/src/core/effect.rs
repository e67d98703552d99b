//! What is to be done after an event.

use numasim_model::dynamics::Order;
use numasim_model::units::Seconds;
use numasim_policy::AppView;

use super::peer::ConnectionId;
use super::question::Question;

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
