//! Applications that are connected or adopted, their connections, the effects of an event, and the settings of an agent.

use std::time::Duration;

use numasim_course::Study;
use numasim_model::AppId;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_policy::{AppView, PolicyName, View};
use numasim_protocol::{Action, AppStatus, Control, State};

/// Position of an application in file order: first the applications of the files, then the adopted ones, then the others in the order in
/// which they connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    /// An application of the files.
    Entry(usize),
    /// Adopted, and not in the files.
    Adopted(u64),
    /// Any other application.
    Stranger(u64),
}

/// How orders reach an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// It is connected.
    By(ConnectionId),
    /// It is adopted: its number among the adopted applications.
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
    /// Its reason for refusing the order that was sent last, if it refused it.
    pub(super) refused: Option<String>,
    /// The last order that was sent; 0 is none.
    pub(super) sent: u64,
}

/// The orders for an application; under a dry run they are not sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// The last one.
    pub(super) last: Option<Order>,
    /// Number of orders.
    pub(super) number: u64,
}

impl Application {
    /// Whether policies see it: from its first status, or from its adoption.
    pub(super) fn is_there(&self) -> bool {
        self.status.is_some() || matches!(self.reached, Reached::Adopted(_))
    }

    /// The state that is reported to people; it is stale when its status is older than `fresh`.
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
    /// When a line was last sent to it.
    pub(super) told: Duration,
    pub(super) role: Role,
}

/// Purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It has sent nothing yet.
    Unknown,
    /// An application that has sent its hello.
    App(Place),
    /// A client that queries the agent's status, or wants the agent to exit.
    Asker,
}

impl Client {
    pub(super) fn new(peer: Peer, now: Duration) -> Self {
        Self { peer, bucket: Bucket::new(now), since: now, told: now, role: Role::Unknown }
    }
}

// Limit on the lines that a connection may send.

/// Time that a line takes from the bucket: a hundred lines a second.
const LINE: Duration = Duration::from_millis(10);
/// Capacity: a hundred lines.
const ROOM: Duration = Duration::from_secs(1);

/// A bucket of permissions, full at first. Each line takes one, and the bucket refills as time passes. It counts in time, which is exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    left: Duration,
    filled: Duration,
}

impl Bucket {
    pub(super) fn new(now: Duration) -> Self {
        Self { left: ROOM, filled: now }
    }

    /// Takes one; `false` if there is none.
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

// Connections, their identities and their peers.

/// Identity of a connection, unique within an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// The other end of a connection, as the system reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its process; `None` if it is not visible from here.
    pub pid: Option<u32>,
    /// Its user.
    pub uid: u32,
}

// Effects of an event.

/// An effect that the server must carry out.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Sends this line.
    Send {
        /// On this connection.
        to: ConnectionId,
        /// With its line feed.
        line: String,
    },
    /// Closes the connection after everything before has gone out.
    Close(ConnectionId),
    /// Shows this line to people.
    Report(String),
    /// Asks the policy; the answer goes to [`crate::core::Core::decided`].
    Ask(Box<Question>),
    /// A decision was taken.
    Decided(Box<Decided>),
    /// Binds the threads of an adopted process to these cores; the result goes to [`crate::core::Core::bound`].
    Bind {
        /// Its number among the adopted applications.
        adopted: usize,
        /// Sequence number of the order.
        seq: u64,
        /// Not empty, ascending, counted through all nodes.
        cores: Vec<u32>,
    },
    /// Shuts down the agent.
    End {
        /// The connection that asked for it; it is closed last.
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

/// One decision, for records.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// When the policy saw the applications, since the agent began.
    pub time: Seconds,
    /// The applications that were present, in file order.
    pub apps: Vec<Seen>,
    /// Names of the applications of the files that had been present before.
    pub gone: Vec<String>,
    /// The actions sent for it, in file order; under a dry run those that would have been sent.
    pub actions: Vec<Action>,
}

// A question to a policy.

/// A question to a policy. The answer belongs to this moment, regardless of when it comes.
#[derive(Clone, Debug)]
pub struct Question {
    /// The policy's view.
    pub view: View,
    /// For each application of the view that is present: its identity.
    pub(super) who: Vec<Option<Asked>>,
    /// Names of the applications of the files that were present before.
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

/// Compares only the view.
impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        self.view == other.view && self.gone == other.gone
    }
}

// Settings of an agent.

/// Settings of an agent.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine, and the applications that are expected.
    pub study: Study,
    /// The policy that decides.
    pub policy: PolicyName,
    /// Time between two decisions; zero: decide whenever something changes.
    pub period: Duration,
    /// Whether no order is sent.
    pub dry_run: bool,
    /// The agent's own process ID.
    pub pid: u64,
    /// Path of the socket that it listens on, for messages.
    pub socket: String,
}

impl Settings {
    /// Time between two decisions, in ms.
    pub fn period_ms(&self) -> f64 {
        self.period.as_secs_f64() * 1e3
    }

    /// Time between two statuses of an application: the period, within bounds; 80 ms if there is no period.
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
