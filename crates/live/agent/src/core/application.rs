//! Applications that are connected or adopted, their connections, what is to be done after an event, and what an agent is started with.

use std::time::Duration;

use numasim_course::Study;
use numasim_model::AppId;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_policy::{AppView, PolicyName, View};
use numasim_protocol::{Action, AppStatus, Control, State};

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

// One connection.

/// One connection.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) peer: Peer,
    pub(super) bucket: Bucket,
    /// When it connected.
    pub(super) since: Duration,
    /// When something was sent to it last.
    pub(super) told: Duration,
    pub(super) role: Role,
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It has said nothing yet.
    Unknown,
    /// An application that has said hello.
    App(Place),
    /// Somebody who asks how the agent is, or wants its end.
    Asker,
}

impl Client {
    pub(super) fn new(peer: Peer, now: Duration) -> Self {
        Self { peer, bucket: Bucket::new(now), since: now, told: now, role: Role::Unknown }
    }
}

// How many lines a connection may send.

/// A line takes so much of the time that the bucket holds: a hundred lines a second.
const LINE: Duration = Duration::from_millis(10);
/// Room for a hundred lines.
const ROOM: Duration = Duration::from_secs(1);

/// A bucket of permissions, full at first; each line takes one, and time fills it. Counted in time, which is exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    left: Duration,
    filled: Duration,
}

impl Bucket {
    pub(super) fn new(now: Duration) -> Self {
        Self { left: ROOM, filled: now }
    }

    /// Takes one; `false` where there is none.
    pub(super) fn take(&mut self, now: Duration) -> bool {
        let passed = now.saturating_sub(self.filled);
        self.filled = self.filled.max(now);
        self.left = self.left.saturating_add(passed).min(ROOM);
        match self.left.checked_sub(LINE) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

// Who is connected, and how connections are told apart.

/// A connection; no two of an agent are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// Who is at the other end, as the system says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its process; `None` where that cannot be seen from here.
    pub pid: Option<u32>,
    /// Its user.
    pub uid: u32,
}

// What is to be done after an event.

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
    /// The policy is asked; the answer goes to [`crate::core::Core::decided`].
    Ask(Box<Question>),
    /// Something was decided.
    Decided(Box<Decided>),
    /// The threads of an adopted process get these cores; what came of it goes to [`crate::core::Core::bound`].
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

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &mut Bucket, at_ms: u64, tries: u32) -> usize {
        (0..tries).filter(|_| bucket.take(Duration::from_millis(at_ms))).count()
    }

    #[test]
    fn a_hundred_at_once_and_then_a_hundred_a_second() {
        let mut bucket = Bucket::new(Duration::ZERO);
        assert_eq!(taken(&mut bucket, 0, 300), 100);
        assert_eq!(taken(&mut bucket, 9, 300), 0, "0.9 of one");
        assert_eq!(taken(&mut bucket, 10, 300), 1);
        assert_eq!(taken(&mut bucket, 510, 300), 50);
        assert_eq!(taken(&mut bucket, 9_000, 300), 100, "never more than the bucket has room for");
    }

    #[test]
    fn time_that_goes_back_gives_nothing() {
        let mut bucket = Bucket::new(Duration::from_secs(5));
        assert_eq!(taken(&mut bucket, 0, 300), 100);
        assert_eq!(taken(&mut bucket, 5_000, 300), 0);
    }
}
