//! What is counted: integrals over time, of each application and each channel.

use numasim_engine::SimTime;
use numasim_model::units::Seconds;
use numasim_policy::Waiting;

/// The integral of a number that changes in steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Integral {
    value: f64,
    since: SimTime,
    sum: f64,
}

impl Integral {
    /// From `now` on it is `value`.
    pub(crate) fn set(&mut self, now: SimTime, value: f64) {
        if value != self.value {
            self.sum += self.value * now.since(self.since);
            self.since = now;
            self.value = value;
        }
    }

    /// Up to `now`.
    pub(crate) fn until(&self, now: SimTime) -> f64 {
        self.sum + self.value * now.since(self.since)
    }
}

/// Threads of an application, and what it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Threads that compute.
    pub(crate) running: u32,
    /// Of these, those that share their cores.
    pub(crate) shared: u32,
    /// Threads that might run and have nothing to do.
    pub(crate) idle: u32,
    pub(crate) blocked: u32,
    pub(crate) waiting: Option<Waiting>,
}

/// One application.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AppTally {
    pub(crate) arrived: Option<SimTime>,
    pub(crate) finished: Option<SimTime>,
    running: Integral,
    shared: Integral,
    idle: Integral,
    blocked: Integral,
    waits: [Integral; 3],
}

impl AppTally {
    pub(crate) fn set(&mut self, now: SimTime, state: State) {
        let State { running, shared, idle, blocked, waiting } = state;
        self.running.set(now, f64::from(running));
        self.shared.set(now, f64::from(shared));
        self.idle.set(now, f64::from(idle));
        self.blocked.set(now, f64::from(blocked));
        for (kind, integral) in
            [Waiting::Input, Waiting::Output, Waiting::Call].into_iter().zip(&mut self.waits)
        {
            integral.set(now, f64::from(u8::from(waiting == Some(kind))));
        }
    }

    /// From its arrival to its end, or to `now`; nothing where it has not arrived.
    pub(crate) fn mean_threads(&self, now: SimTime) -> f64 {
        let Some(arrived) = self.arrived else { return 0.0 };
        let time = self.finished.unwrap_or(now).since(arrived);
        if time > 0.0 { self.running.until(now) / time } else { 0.0 }
    }

    pub(crate) fn waited(&self, kind: Waiting, now: SimTime) -> Seconds {
        let place = match kind {
            Waiting::Input => 0,
            Waiting::Output => 1,
            Waiting::Call => 2,
        };
        Seconds::new(self.waits[place].until(now))
    }

    pub(crate) fn idle(&self, now: SimTime) -> Seconds {
        Seconds::new(self.idle.until(now))
    }

    pub(crate) fn blocked(&self, now: SimTime) -> Seconds {
        Seconds::new(self.blocked.until(now))
    }

    pub(crate) fn shared(&self, now: SimTime) -> Seconds {
        Seconds::new(self.shared.until(now))
    }
}

/// One channel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChannelTally {
    items: Integral,
    pub(crate) max_items: u64,
}

impl ChannelTally {
    /// Items at the end of an instant.
    pub(crate) fn set(&mut self, now: SimTime, items: u64) {
        self.items.set(now, items as f64);
        self.max_items = self.max_items.max(items);
    }

    pub(crate) fn mean_items(&self, now: SimTime) -> f64 {
        let time = now.seconds();
        if time > 0.0 { self.items.until(now) / time } else { 0.0 }
    }
}
