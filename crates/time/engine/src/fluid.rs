//! Work of equal members that progress at a common rate.
//!
//! # Unit
//! The caller chooses the unit of an amount, such as GFLOP of one thread; a rate is that unit per second of simulated
//! time.
//!
//! # Approach
//! Instead of the remaining work of each member, the structure stores the amount that a member present from the beginning
//! would have done (the virtual time of fair queueing). A member that joins with amount w ends when this amount has grown by
//! w. A change of the rate is then O(1) for any number of members, and the next member to end is the first of a heap.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::instant::SAME_INSTANT_S;
use crate::time::SimTime;

#[derive(Clone, Debug)]
struct Member<M> {
    end: f64,
    number: u64,
    who: M,
}

impl<M> PartialEq for Member<M> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<M> Eq for Member<M> {}

impl<M> PartialOrd for Member<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for Member<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.end.total_cmp(&other.end).then(self.number.cmp(&other.number))
    }
}

/// Members that each do the same amount per second, until their own amount is done.
#[derive(Clone, Debug)]
pub struct Fluid<M> {
    members: BinaryHeap<Reverse<Member<M>>>,
    /// The amount done up to `since` by a member that was always present.
    done: f64,
    rate: f64,
    since: SimTime,
    next_number: u64,
}

impl<M> Default for Fluid<M> {
    fn default() -> Self {
        Self { members: BinaryHeap::new(), done: 0.0, rate: 0.0, since: SimTime::START, next_number: 0 }
    }
}

impl<M> Fluid<M> {
    /// No member, rate 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The amount that each member does per second.
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// The amount that a member which was always present has done at `now`. Differences are the work of any member in
    /// between.
    pub fn done(&self, now: SimTime) -> f64 {
        self.done + self.rate * now.since(self.since)
    }

    /// From `now` on each member does `rate` per second; `rate` is 0 or more.
    pub fn set_rate(&mut self, now: SimTime, rate: f64) {
        self.advance(now);
        self.rate = if rate > 0.0 { rate } else { 0.0 };
    }

    /// Adds a member with `amount` to do.
    pub fn join(&mut self, now: SimTime, member: M, amount: f64) {
        if self.members.is_empty() {
            // Restarts from zero, so that long runs lose nothing to rounding.
            self.done = 0.0;
            self.since = now;
        }
        self.advance(now);
        let number = self.next_number;
        self.next_number += 1;
        self.members.push(Reverse(Member { end: self.done + amount.max(0.0), number, who: member }));
    }

    /// The time at which the next member ends at this rate: [`SimTime::NEVER`] if there is no member or the rate is 0.
    pub fn next_end(&self) -> SimTime {
        let Some(Reverse(first)) = self.members.peek() else { return SimTime::NEVER };
        let rest = first.end - self.done;
        if rest <= 0.0 {
            self.since
        } else if self.rate > 0.0 {
            self.since.after(rest / self.rate)
        } else {
            SimTime::NEVER
        }
    }

    /// Removes a member whose remaining work would take at most [`SAME_INSTANT_S`] at `now`: the one with the least remaining
    /// work, and among equal ones the first that joined. If the spacing of representable times exceeds that, remaining work
    /// that would not advance the time is also over.
    pub fn pop_ended(&mut self, now: SimTime) -> Option<M> {
        self.advance(now);
        let Reverse(first) = self.members.peek()?;
        let rest = first.end - self.done;
        let is_over = rest <= SAME_INSTANT_S * self.rate || self.next_end() <= now;
        is_over.then(|| self.members.pop().map(|Reverse(ended)| ended.who))?
    }

    /// Removes a member that is done at `latest` at this rate, in the order of [`Fluid::pop_ended`]. `now` is the present, and `latest`
    /// the end of its instant ([`crate::Instants::end`]).
    pub fn pop_ended_by(&mut self, now: SimTime, latest: SimTime) -> Option<M> {
        self.advance(now);
        (self.next_end() <= latest).then(|| self.members.pop().map(|Reverse(ended)| ended.who))?
    }

    /// The remaining work of all members together at `now`.
    pub fn rest(&self, now: SimTime) -> f64 {
        self.rests(now).map(|(_, rest)| rest).sum()
    }

    /// The remaining work of each member at `now`, in no particular order.
    pub fn rests(&self, now: SimTime) -> impl Iterator<Item = (&M, f64)> {
        let done = self.done(now);
        self.members.iter().map(move |Reverse(member)| (&member.who, (member.end - done).max(0.0)))
    }

    fn advance(&mut self, now: SimTime) {
        self.done += self.rate * now.since(self.since);
        self.since = self.since.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> SimTime {
        SimTime::from_seconds(seconds).expect("a time")
    }

    #[test]
    fn members_end_when_their_amount_is_done_at_changing_rates() {
        // 3 and 10 at 10 per second: the first ends at 0.3. At 0.5 the other one has 5 left, at 5 per second 1 s more.
        let mut fluid = Fluid::new();
        fluid.set_rate(SimTime::START, 10.0);
        fluid.join(SimTime::START, "ten", 10.0);
        fluid.join(SimTime::START, "three", 3.0);
        assert_eq!(fluid.next_end(), at(0.3));
        assert_eq!(fluid.pop_ended(at(0.3)), Some("three"));
        assert_eq!(fluid.pop_ended(at(0.3)), None);
        fluid.set_rate(at(0.5), 5.0);
        assert_eq!(fluid.rest(at(0.5)), 5.0);
        assert_eq!(fluid.rests(at(0.5)).collect::<Vec<_>>(), [(&"ten", 5.0)]);
        assert_eq!(fluid.next_end(), at(1.5));
        assert_eq!(fluid.pop_ended(at(1.5)), Some("ten"));
        assert!(fluid.is_empty());
    }

    #[test]
    fn a_late_member_still_does_its_full_amount() {
        let mut fluid = Fluid::new();
        fluid.set_rate(SimTime::START, 2.0);
        fluid.join(SimTime::START, "a", 4.0);
        fluid.join(at(1.0), "b", 4.0);
        assert_eq!(fluid.pop_ended(at(2.0)), Some("a"));
        assert_eq!(fluid.next_end(), at(3.0));
    }

    #[test]
    fn zero_work_ends_at_once_even_at_rate_zero() {
        let mut fluid = Fluid::new();
        fluid.join(at(1.0), "nothing", 0.0);
        fluid.join(at(1.0), "something", 1.0);
        assert_eq!(fluid.next_end(), at(1.0));
        assert_eq!(fluid.pop_ended(at(1.0)), Some("nothing"));
        assert_eq!(fluid.next_end(), SimTime::NEVER);
    }

    #[test]
    fn equal_members_end_in_joining_order() {
        let mut fluid = Fluid::new();
        fluid.set_rate(SimTime::START, 1.0);
        for member in ["a", "b", "c"] {
            fluid.join(SimTime::START, member, 1.0);
        }
        let ended: Vec<&str> = std::iter::from_fn(|| fluid.pop_ended(at(1.0))).collect();
        assert_eq!(ended, ["a", "b", "c"]);
    }

    #[test]
    fn members_are_taken_up_to_the_end_of_an_instant_of_any_length() {
        // At 2 per second the first is done at 1.0, the second at 1.5 and the third at 2.0.
        let mut fluid = Fluid::new();
        fluid.set_rate(SimTime::START, 2.0);
        for (member, amount) in [("c", 4.0), ("a", 2.0), ("b", 3.0)] {
            fluid.join(SimTime::START, member, amount);
        }
        let ended: Vec<&str> = std::iter::from_fn(|| fluid.pop_ended_by(at(1.0), at(1.5))).collect();
        assert_eq!(ended, ["a", "b"]);
    }

    #[test]
    fn remaining_work_that_cannot_advance_time_is_over() {
        // At 1e9 s times are 1.2e-7 s apart: adding 1e-8 s gives the same time and would repeat for ever.
        let mut fluid = Fluid::new();
        fluid.set_rate(at(1e9), 1.0);
        fluid.join(at(1e9), "short", 1e-8);
        fluid.join(at(1e9), "long", 1.0);
        assert_eq!(fluid.next_end(), at(1e9));
        assert_eq!(fluid.pop_ended(at(1e9)), Some("short"));
        assert_eq!(fluid.pop_ended(at(1e9)), None);
    }

    #[test]
    fn remaining_work_below_an_instant_is_over() {
        // 1e-9 left at 2 per second is half a nanosecond.
        let mut fluid = Fluid::new();
        fluid.set_rate(SimTime::START, 2.0);
        fluid.join(SimTime::START, "a", 2.0 + 1e-9);
        assert_eq!(fluid.pop_ended(at(1.0)), Some("a"));
    }
}
