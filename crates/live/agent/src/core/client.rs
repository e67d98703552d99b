//! One connection.

use std::time::Duration;

use super::application::Place;
use super::bucket::Bucket;
use super::peer::Peer;

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
