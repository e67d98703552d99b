//! Events within a billionth of a second, or of the elapsed time, form one instant.

use crate::queue::{EventKey, EventQueue};
use crate::time::SimTime;

/// Events within this many seconds of the first one belong to its instant; work with no more than this remaining is
/// over.
pub const SAME_INSTANT_S: f64 = 1e-9;

/// The maximum distance between events of one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    /// A fixed number of seconds.
    Seconds(f64),
    /// A fraction of the elapsed time: for questions that last microseconds as well as hours.
    OfTime(f64),
}

impl Span {
    /// Seconds from `now` to the end of its instant.
    pub fn seconds(self, now: SimTime) -> f64 {
        match self {
            Self::Seconds(seconds) => seconds,
            Self::OfTime(part) => part * now.seconds(),
        }
    }
}

/// An [`EventQueue`] with a clock that advances from instant to instant.
#[derive(Clone, Debug)]
pub struct Instants<E> {
    queue: EventQueue<E>,
    now: SimTime,
    span: Span,
}

impl<E> Default for Instants<E> {
    fn default() -> Self {
        Self::with_span(Span::Seconds(SAME_INSTANT_S))
    }
}

impl<E> Instants<E> {
    /// The start of the simulation, without events.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with instants of another length.
    pub fn with_span(span: Span) -> Self {
        Self { queue: EventQueue::new(), now: SimTime::START, span }
    }

    /// The present instant.
    pub const fn now(&self) -> SimTime {
        self.now
    }

    /// The number of pending events.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The time of the next event: the present if it lies within this instant, `None` if no event is pending.
    pub fn next_time(&self) -> Option<SimTime> {
        let next = self.queue.next_time().filter(|time| time.is_finite())?;
        Some(if next <= self.end() { self.now } else { next })
    }

    /// Advances to the instant of the next event, which is the present one while events of it are left. If no event is
    /// pending, it returns `None` and the clock does not move.
    pub fn advance(&mut self) -> Option<SimTime> {
        let next = self.next_time()?;
        self.now = next;
        Some(next)
    }

    /// Advances to `time` if that is later than the present and no event comes before; returns the present.
    pub fn advance_to(&mut self, time: SimTime) -> SimTime {
        let nothing_before = self.queue.next_time().is_none_or(|next| next >= time);
        if nothing_before && time.is_finite() && time > self.now {
            self.now = time;
        }
        self.now
    }

    /// The next event of the present instant, in the order of time and scheduling.
    pub fn pop_now(&mut self) -> Option<E> {
        let end = self.end();
        self.queue.pop_until(end).map(|(_, event)| event)
    }

    /// Schedules an event; an event for a past time belongs to the present instant.
    pub fn schedule(&mut self, time: SimTime, event: E) -> EventKey {
        self.queue.schedule(time.max(self.now), event)
    }

    /// As [`EventQueue::move_to`], but not before the present.
    pub fn move_to(&mut self, key: EventKey, time: SimTime) -> bool {
        self.queue.move_to(key, time.max(self.now))
    }

    /// As [`EventQueue::cancel`].
    pub fn cancel(&mut self, key: EventKey) -> Option<E> {
        self.queue.cancel(key)
    }

    /// Sets the time of the event behind `key` to `time`: schedules it, moves it, or cancels it if `time` is never.
    pub fn reschedule(&mut self, key: &mut Option<EventKey>, time: SimTime, event: E) {
        match (*key, time.is_finite()) {
            (Some(known), true) => {
                self.move_to(known, time);
            }
            (None, true) => *key = Some(self.schedule(time, event)),
            (Some(known), false) => {
                self.cancel(known);
                *key = None;
            }
            (None, false) => {}
        }
    }

    /// As [`EventQueue::time_of`].
    pub fn time_of(&self, key: EventKey) -> Option<SimTime> {
        self.queue.time_of(key)
    }

    /// The latest time that belongs to the present instant.
    pub fn end(&self) -> SimTime {
        self.now.after(self.span_s())
    }

    /// Seconds from the present to the latest time that belongs to it.
    pub fn span_s(&self) -> f64 {
        self.span.seconds(self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> SimTime {
        SimTime::from_seconds(seconds).expect("a time")
    }

    #[test]
    fn events_within_a_nanosecond_are_one_instant_and_its_time_is_that_of_the_first() {
        let mut instants = Instants::new();
        instants.schedule(at(1.0 + 0.9e-9), "second");
        instants.schedule(at(1.0), "first");
        instants.schedule(at(1.0 + 1.1e-9), "later");
        assert_eq!(instants.advance(), Some(at(1.0)));
        assert_eq!(instants.pop_now(), Some("first"));
        assert_eq!(instants.pop_now(), Some("second"));
        assert_eq!(instants.pop_now(), None);
        assert_eq!(instants.advance(), Some(at(1.0 + 1.1e-9)));
    }

    #[test]
    fn an_instant_can_be_a_fraction_of_the_time() {
        // A billionth of 1000 s is 1 us; of 1 us it is 1 fs.
        let mut instants = Instants::with_span(Span::OfTime(1e-9));
        for (time, event) in [(1e-6, "a"), (1e-6 + 2e-15, "b"), (1000.0, "c"), (1000.0 + 9e-7, "d")] {
            instants.schedule(at(time), event);
        }
        let mut found = Vec::new();
        while let Some(now) = instants.advance() {
            found.extend(instants.pop_now().map(|event| (now, event)));
        }
        assert_eq!(found, [(at(1e-6), "a"), (at(1e-6 + 2e-15), "b"), (at(1000.0), "c"), (at(1000.0), "d")]);
    }

    #[test]
    fn an_event_scheduled_for_the_present_belongs_to_it() {
        let mut instants = Instants::new();
        instants.schedule(at(2.0), "two");
        instants.advance();
        instants.schedule(at(1.0), "late");
        assert_eq!(instants.pop_now(), Some("two"));
        assert_eq!(instants.pop_now(), Some("late"));
        assert_eq!(instants.now(), at(2.0));
    }

    #[test]
    fn an_event_moved_to_never_is_cancelled_and_can_return() {
        let mut instants = Instants::new();
        let mut key = None;
        instants.reschedule(&mut key, at(1.0), "end");
        instants.reschedule(&mut key, at(2.0), "end");
        assert_eq!((instants.len(), instants.next_time()), (1, Some(at(2.0))));
        instants.reschedule(&mut key, SimTime::NEVER, "end");
        assert_eq!((instants.len(), key), (0, None));
        instants.reschedule(&mut key, at(3.0), "end");
        assert_eq!(instants.advance(), Some(at(3.0)));
    }

    #[test]
    fn time_stops_without_events() {
        let mut instants = Instants::new();
        instants.schedule(SimTime::NEVER, "never");
        assert_eq!(instants.advance(), None);
        assert_eq!(instants.advance_to(at(3.0)), at(3.0));
        assert_eq!(instants.advance_to(SimTime::NEVER), at(3.0));
    }
}
