//! What the server waits for, how many files it may have open, how it ends, and how often something is done that takes processor time:
//! each period, unless that would take more than a part of a processor.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::low_level::{pipe, unregister};
use signal_hook::{SigId, flag};

use crate::core::ConnectionId;
use crate::server::Server;
use crate::server::deciding::Decider;

/// It takes at most this part of a processor, 2 %.
const PART: u32 = 50;
/// More than that at once is no reason to wait: what comes now and then is paid for later.
const AT_ONCE: Duration = Duration::from_millis(5);

/// See the module. Times are since the start of the agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: Duration,
    next: Duration,
    last: Duration,
    /// Processor time that was taken and is not paid for.
    debt: Duration,
}

impl Pace {
    /// For the first time after a period.
    pub(super) fn new(period: Duration) -> Self {
        Self { period, next: period, last: Duration::ZERO, debt: Duration::ZERO }
    }

    /// When it is done next.
    pub(super) fn next(&self) -> Duration {
        self.next
    }

    /// It was done now, and took so much processor time.
    pub(super) fn done(&mut self, now: Duration, took: Duration) {
        let paid = now.saturating_sub(self.last) / PART;
        self.debt = self.debt.saturating_sub(paid).saturating_add(took);
        self.last = now;
        let wait = self.debt.saturating_sub(AT_ONCE).saturating_mul(PART);
        self.next = now.saturating_add(self.period.max(wait));
    }
}

// How many files this process may have open: each connection is one.

/// Raises the soft limit to the hard one. If that fails, connections wait for room as before. An application that serves leaves its
/// limit alone: its own code may count on it.
pub fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

// SIGTERM, SIGINT and SIGHUP as bytes that can be waited for beside connections; SIGXFSZ as an error of whoever writes.

/// Signals that stop an agent, for [`crate::server::Agent::stop`]; dropped, they have their usual effect again.
pub struct Signals {
    came: UnixStream,
    registered: Vec<SigId>,
}

impl Signals {
    /// Receives SIGTERM, SIGINT and SIGHUP from now on.
    ///
    /// # Errors
    /// The system has no room for a socket.
    pub fn listen() -> io::Result<Self> {
        let (came, from) = UnixStream::pair()?;
        let mut signals = Self { came, registered: Vec::new() };
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signals.registered.push(pipe::register(signal, from.try_clone()?)?);
        }
        // By default a file that may not grow any more kills the process; the record ends instead.
        signals.registered.push(flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?);
        Ok(signals)
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.came.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}

// The end, in the order in which it is promised.

impl Server<'_> {
    /// No more decisions, adopted processes as they were, the record whole, the socket removed, connections closed, and the one
    /// that asked for the end last: when it sees that, all is over.
    pub(super) fn end(mut self) {
        self.decider = None;
        for why in self.adopted.give_back() {
            self.outside.report(&why);
        }
        self.outside.no_more_decisions();
        self.socket.remove();
        let last = self.asked_by.and_then(|id| self.connections.remove(&id));
        self.connections.clear();
        drop(last);
    }
}

// Waits until something happens, or until it is time for something.
//
// `poll` looks at every connection each time, which for 4096 of them takes less than the smallest decision; it is the same on
// every Unix, keeps nothing between two calls, and tells of a listener that is left out for a while as simply as of one that is not.

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
    pub(super) stop: bool,
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
    Stop,
    Answer,
    Adopted,
    Listener,
    Connection(ConnectionId),
}

impl Ready {
    fn is_nothing(&self) -> bool {
        let one = self.stop || self.answer || self.adopted || self.new;
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
        let mut all = vec![PollFd::from_borrowed_fd(self.stop.as_fd(), PollFlags::IN)];
        let mut whose = vec![Whose::Stop];
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
                Whose::Stop => ready.stop = true,
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

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// How often it is done within `seconds`, each time for `took`.
    fn times(period: Duration, took: Duration, seconds: u32) -> u32 {
        let mut pace = Pace::new(period);
        let mut times = 0;
        while pace.next() < seconds * Duration::from_secs(1) {
            pace.done(pace.next(), took);
            times += 1;
        }
        times
    }

    #[test]
    fn what_takes_little_is_done_each_period() {
        // 0.1 ms of each 10 ms is 1 %.
        assert_eq!(times(10 * MS, MS / 10, 10), 999);
    }

    #[test]
    fn what_takes_much_is_done_less_often() {
        // 2 % of 10 s is 200 ms, and 5 ms may be owed.
        assert!((200..=206).contains(&times(10 * MS, MS, 10)), "{}", times(10 * MS, MS, 10));
        assert!((10..=12).contains(&times(10 * MS, 20 * MS, 10)), "{}", times(10 * MS, 20 * MS, 10));
    }

    #[test]
    fn what_takes_much_now_and_then_does_not_wait() {
        let mut pace = Pace::new(10 * MS);
        for round in 0..100 {
            // 4 ms once a second, else 0.05 ms each 10 ms: 0.9 % of a processor.
            let took = if round % 100 == 0 { 4 * MS } else { MS / 20 };
            let now = pace.next();
            pace.done(now, took);
            assert_eq!(pace.next(), now + 10 * MS);
        }
    }
}
