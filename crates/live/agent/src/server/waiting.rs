//! Waits until something happens, or until it is time for something.
//!
//! `poll` looks at every connection each time, which for 4096 of them takes less than the smallest decision; it is the same on
//! every Unix, keeps nothing between two calls, and tells of a listener that is left out for a while as simply as of one that is not.

use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Server;
use super::deciding::Decider;
use crate::core::ConnectionId;

/// Load is looked at as often; there is nothing that has to happen later than this.
const LONGEST: Duration = Duration::from_millis(250);

/// For how long what applications say may lie, once one was read. Nobody decides before the end of the period, and each
/// time that the agent wakes costs more than the line that it reads; a connection that ends is seen at once.
pub(super) fn calm(period: Duration) -> Duration {
    const LONGEST: Duration = Duration::from_millis(20);
    (period / 4).min(LONGEST)
}

/// What has happened.
#[derive(Debug, Default)]
pub(super) struct Ready {
    pub(super) signal: bool,
    /// Of the policy.
    pub(super) answer: bool,
    /// Somebody adopted may have ended.
    pub(super) adopted: bool,
    /// Somebody connects.
    pub(super) new: bool,
    pub(super) readable: Vec<ConnectionId>,
    pub(super) writable: Vec<ConnectionId>,
}

/// Whose descriptor it is.
enum Whose {
    Signal,
    Answer,
    Adopted,
    Listener,
    Connection(ConnectionId),
}

impl Ready {
    fn is_nothing(&self) -> bool {
        let one = self.signal || self.answer || self.adopted || self.new;
        !one && self.readable.is_empty() && self.writable.is_empty()
    }
}

impl Server<'_> {
    /// # Errors
    /// Those of `poll`.
    pub(super) fn wait(&self) -> io::Result<Ready> {
        let now = self.now();
        let until = self.wakes_at(now);
        if now < self.calm_until {
            let ready = self.poll(now, until.min(self.calm_until), true)?;
            // Before it is time for a decision, what was said until then is heard.
            return if ready.is_nothing() { self.poll(now, now, false) } else { Ok(ready) };
        }
        self.poll(now, until, false)
    }

    /// Waits until then; with `calm` not for what applications say.
    fn poll(&self, now: Duration, until: Duration, calm: bool) -> io::Result<Ready> {
        let mut all = vec![PollFd::new(&self.signals, PollFlags::IN)];
        let mut whose = vec![Whose::Signal];
        let bell = self.decider.as_ref().and_then(Decider::bell);
        if let Some(bell) = &bell {
            all.push(PollFd::new(bell, PollFlags::IN));
            whose.push(Whose::Answer);
        }
        let watched = self.adopted.watched();
        for watch in &watched {
            all.push(watch.polled());
            whose.push(Whose::Adopted);
        }
        if self.full_until.is_none_or(|until| now >= until) {
            all.push(PollFd::new(self.socket.listener(), PollFlags::IN));
            whose.push(Whose::Listener);
        }
        for (&id, connection) in &self.connections {
            let is_left = connection.closes_at.is_some() || calm && self.core.is_application(id);
            let reads = if is_left { PollFlags::empty() } else { PollFlags::IN };
            let writes = if connection.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            all.push(PollFd::from_borrowed_fd(connection.as_fd(), reads | writes));
            whose.push(Whose::Connection(id));
        }
        let left = until.saturating_sub(now).min(LONGEST);
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut all, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut ready = Ready::default();
        for (polled, whose) in all.iter().zip(&whose) {
            let happened = polled.revents();
            if happened.is_empty() {
                continue;
            }
            match whose {
                Whose::Signal => ready.signal = true,
                Whose::Answer => ready.answer = true,
                Whose::Adopted => ready.adopted = true,
                Whose::Listener => ready.new = true,
                Whose::Connection(id) => {
                    if happened.contains(PollFlags::OUT) {
                        ready.writable.push(*id);
                    }
                    if happened.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
                    {
                        ready.readable.push(*id);
                    }
                }
            }
        }
        Ok(ready)
    }

    /// When something is to be done, if nothing happens before.
    fn wakes_at(&self, now: Duration) -> Duration {
        let closing = self.connections.values().filter_map(|connection| connection.closes_at);
        let others = [
            self.core.next_tick(),
            self.full_until.filter(|&until| until > now),
            self.look.map(|pace| pace.next()),
            (!self.broken.is_empty()).then_some(now),
        ];
        others.into_iter().flatten().chain(closing).min().unwrap_or(Duration::MAX)
    }
}
