//! When a policy is asked that is asked at its time: every so many seconds.
//!
//! A tick at which nothing has changed that the policy looks at changes nothing either, as its decision depends on that alone. So such ticks
//! are counted, and skipped up to the next one at which something else happens: neither a short period nor a long time without an event
//! takes long.

use numasim_engine::{SAME_INSTANT_S, SimTime};

use super::{Event, Simulation};

/// The ticks of a policy: at 0, one period, two periods, ... Numbers are whole; beyond 2^53 they are as exact as times are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ticks {
    /// The first one that has not been counted.
    next: f64,
    /// The one that is scheduled.
    scheduled: Option<f64>,
    /// How many have passed.
    passed: u64,
}

impl Ticks {
    pub(super) fn is_scheduled(self) -> bool {
        self.scheduled.is_some()
    }

    /// The first tick not before `time` that has not been counted: its number and its time.
    fn from(self, time: SimTime, period_s: f64) -> (f64, SimTime) {
        let seconds = time.seconds();
        let at = |number: f64| SimTime::START.after(number * period_s);
        let mut number = (seconds / period_s).ceil();
        // The quotient is rounded.
        if at(number) < time {
            number += 1.0;
        } else if number >= 1.0 && at(number - 1.0) >= time {
            number -= 1.0;
        }
        let number = number.max(self.next);
        (number, at(number).max(time))
    }
}

impl Simulation<'_, '_, '_, '_> {
    /// All that has happened, ticks included.
    pub(super) fn all_events(&self) -> u64 {
        self.events.saturating_add(self.ticks.passed)
    }

    /// Whether there are ticks.
    fn has_ticks(&self) -> bool {
        self.policy.is_some() && self.period_s() > 0.0
    }

    pub(super) fn schedule_first_tick(&mut self) {
        if self.has_ticks() {
            self.ticks.scheduled = Some(0.0);
            self.instants.schedule(SimTime::START, Event::Tick);
        }
    }

    /// The scheduled tick comes.
    pub(super) fn tick_comes(&mut self) {
        if let Some(number) = self.ticks.scheduled.take() {
            self.count_ticks(number + 1.0);
        }
    }

    /// Counts those before `number`.
    fn count_ticks(&mut self, number: f64) {
        // Not negative; the conversion of a float saturates.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let passed = (number - self.ticks.next).max(0.0) as u64;
        self.ticks.passed = self.ticks.passed.saturating_add(passed);
        self.ticks.next = number.max(self.ticks.next);
    }

    /// Schedules the next tick after this instant at which the policy may decide something else.
    pub(super) fn schedule_tick(&mut self) {
        if !self.has_ticks() || self.ticks.is_scheduled() {
            return;
        }
        let after_this = SimTime::START.after(self.instants.end().seconds().next_up());
        let next_event = self.instants.next_time().filter(|_| !self.has_news());
        // A tick that comes less than an instant before an event is of its instant.
        let not_before = next_event.map_or(after_this, |event| {
            after_this.max(SimTime::START.after(event.seconds() - SAME_INSTANT_S))
        });
        let (number, time) = self.ticks.from(not_before, self.period_s());
        self.ticks.scheduled = Some(number);
        self.instants.schedule(time, Event::Tick);
    }

    /// Counts the ticks that were skipped until the end.
    pub(super) fn pass_ticks(&mut self) {
        if self.has_ticks() {
            let after_this = SimTime::START.after(self.instants.end().seconds().next_up());
            let (number, _) = self.ticks.from(after_this, self.period_s());
            self.count_ticks(number);
        }
    }
}
