//! How often something is done that takes processor time: each period, unless that would take more than a part of a processor.

use super::Server;
use rustix::process::{Resource, getrlimit, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::low_level::{pipe, unregister};
use signal_hook::{SigId, flag};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

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

/// Raises the soft limit to the hard one. Where that fails, connections wait for room as before.
pub(super) fn raise() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

// SIGTERM, SIGINT and SIGHUP as bytes that can be waited for beside connections; SIGXFSZ as an error of whoever writes.

/// Signals that want the agent to end, until it is dropped.
pub(super) struct Signals {
    came: UnixStream,
    registered: Vec<SigId>,
}

impl Signals {
    /// # Errors
    /// Where the system has no room for a socket.
    pub(super) fn listen() -> io::Result<Self> {
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
