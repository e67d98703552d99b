//! The events that the server waits for, the limit of its open files, its shutdown, and the pace of work that takes CPU time: each
//! period, unless that would take more than a certain fraction of a logical CPU.

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

/// It takes at most this fraction of a logical CPU, 2 %.
const PART: u32 = 50;
/// A larger amount at once is no reason to wait: occasional costs are paid for later.
const AT_ONCE: Duration = Duration::from_millis(5);

/// See the module. Times are since the start of the agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: Duration,
    next: Duration,
    last: Duration,
    /// CPU time that was used and is not paid for.
    debt: Duration,
}

impl Pace {
    /// Due for the first time after a period.
    pub(super) fn new(period: Duration) -> Self {
        Self { period, next: period, last: Duration::ZERO, debt: Duration::ZERO }
    }

    /// When it is due next.
    pub(super) fn next(&self) -> Duration {
        self.next
    }

    /// It was done now, and took this CPU time.
    pub(super) fn done(&mut self, now: Duration, took: Duration) {
        let paid = now.saturating_sub(self.last) / PART;
        self.debt = self.debt.saturating_sub(paid).saturating_add(took);
        self.last = now;
        let wait = self.debt.saturating_sub(AT_ONCE).saturating_mul(PART);
        self.next = now.saturating_add(self.period.max(wait));
    }
}

// The limit of files that this process may have open: each connection is one.

/// Raises the soft limit to the hard one. If that fails, connections wait for a free descriptor as before. An application that serves
/// leaves its limit alone: its code may depend on it.
pub fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

// SIGTERM, SIGINT and SIGHUP as bytes that can be waited for together with connections; SIGXFSZ as an error of the write call.

/// Signals that stop an agent, for [`crate::server::Agent::stop`]; when dropped, it restores their default effect.
pub struct Signals {
    came: UnixStream,
    registered: Vec<SigId>,
}

impl Signals {
    /// Receives SIGTERM, SIGINT and SIGHUP from now on.
    ///
    /// # Errors
    /// The system cannot create a socket.
    pub fn listen() -> io::Result<Self> {
        let (came, from) = UnixStream::pair()?;
        let mut signals = Self { came, registered: Vec::new() };
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signals.registered.push(pipe::register(signal, from.try_clone()?)?);
        }
        // By default a file that may not grow any more kills the process; here only the record ends.
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

// The shutdown, in the documented order.

impl Server<'_> {
    /// No more decisions, adopted processes restored, the record complete, the socket removed, connections closed. The connection that
    /// asked for the shutdown is closed last: when its client sees that, everything is done.
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

// Waits until something happens, or until something is due.
//
// `poll` checks every connection each time, which for 4096 of them takes less time than the smallest decision. It is the same on every
// Unix, stores nothing between two calls, and makes it easy to leave out the listener for a while.

/// Interval of looks at the load; nothing may have to wait longer than this.
const LONGEST: Duration = Duration::from_millis(250);

/// How long lines of applications may stay unread after one was read. No decision is taken before the end of the period, and each time
/// that the agent wakes costs more than the line that it reads. A connection that ends is detected immediately.
pub(super) fn calm(period: Duration) -> Duration {
    const LONGEST: Duration = Duration::from_millis(20);
    (period / 4).min(LONGEST)
}

/// Events that have happened.
#[derive(Debug, Default)]
pub(super) struct Ready {
    pub(super) stop: bool,
    /// An answer of the policy.
    pub(super) answer: bool,
    /// An adopted process may have ended.
    pub(super) adopted: bool,
    /// A client connects.
    pub(super) new: bool,
    pub(super) readable: Vec<ConnectionId>,
    pub(super) writable: Vec<ConnectionId>,
}

/// Owner of a descriptor.
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
    /// Errors of `poll`.
    pub(super) fn wait(&self) -> io::Result<Ready> {
        let now = self.now();
        let until = self.wakes_at(now);
        if now < self.calm_until {
            let ready = self.poll(now, until.min(self.calm_until), true)?;
            // Before a decision is due, everything sent until then is read.
            return if ready.is_nothing() { self.poll(now, now, false) } else { Ok(ready) };
        }
        self.poll(now, until, false)
    }

    /// Waits until then; with `calm` lines of applications do not end the wait.
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

    /// When something is due next, if nothing happens before.
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

    /// How often it is done within `seconds`, if each time takes `took`.
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
            // 4 ms once a second, else 0.05 ms each 10 ms: 0.9 % of a logical CPU.
            let took = if round % 100 == 0 { 4 * MS } else { MS / 20 };
            let now = pace.next();
            pace.done(now, took);
            assert_eq!(pace.next(), now + 10 * MS);
        }
    }
}
