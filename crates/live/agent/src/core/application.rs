//! One application that is connected or adopted.

use numasim_model::AppId;
use numasim_model::dynamics::Order;
use numasim_protocol::{AppStatus, Control, State};
use std::time::Duration;

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
