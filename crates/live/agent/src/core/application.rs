//! One application that is connected or adopted.

use std::time::Duration;

use numasim_model::AppId;
use numasim_model::dynamics::Order;
use numasim_protocol::{AppStatus, Control, State};

use super::peer::{ConnectionId, Peer};

/// Where an application stands in file order: those of the files, then the adopted, then the others as they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    /// Of the files.
    Entry(usize),
    /// Adopted, and not of the files.
    Adopted(u64),
    /// Another one.
    Stranger(u64),
}

/// How orders reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// It is connected.
    By(ConnectionId),
    /// It is adopted: its number among those.
    Adopted(usize),
}

/// One application that is connected or adopted.
#[derive(Clone, Debug)]
pub(super) struct Application {
    pub(super) name: String,
    pub(super) peer: Peer,
    pub(super) control: Control,
    pub(super) threads: Vec<u32>,
    pub(super) entry: Option<AppId>,
    pub(super) reached: Reached,
    /// The last status, and when it came.
    pub(super) status: Option<(AppStatus, Duration)>,
    pub(super) orders: Orders,
    /// The last order that it acknowledged.
    pub(super) acked: u64,
    /// What it said to the order that was sent last, if it refused it.
    pub(super) refused: Option<String>,
    /// The last order that was sent; 0 is none.
    pub(super) sent: u64,
}

/// What was decided for an application, sent or, under a dry run, not.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// The last one.
    pub(super) last: Option<Order>,
    /// How many there were.
    pub(super) number: u64,
}

impl Application {
    /// Whether policies know it: from its first status, or from its adoption.
    pub(super) fn is_there(&self) -> bool {
        self.status.is_some() || matches!(self.reached, Reached::Adopted(_))
    }

    /// What people are told of it; it is stale when its status is older than `fresh`.
    pub(super) fn state(&self, now: Duration, fresh: Duration) -> State {
        match (&self.reached, &self.status) {
            (Reached::Adopted(_), _) => State::Adopted,
            (Reached::By(_), None) => State::New,
            (Reached::By(_), Some((_, at))) if now.saturating_sub(*at) > fresh => State::Stale,
            (Reached::By(_), Some(_)) => State::Ok,
        }
    }
}
