//! Who is connected, and how connections are told apart.

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
