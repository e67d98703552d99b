//! Producers and consumers keep pace with each other.
//!
//! As a fluid: what is left of a consumer less what is left of its producer, both in iterations, are the items between them. While
//! these are [`ENOUGH`] or more, the work of the producer counts no faster than the consumer takes items; while there is none, the
//! consumer is no faster than items come.
//!
//! Only channels are seen whose ends both have something to do. One whose consumer has few tasks left in its phase is not: its
//! pace is about to change.

use std::borrow::Cow;

use numasim_model::dynamics::Channel;

use crate::ahead::ENOUGH;
use crate::known::{Known, Member};
use crate::rounding::{first_of, is_less};

/// Of an item: less than this is nothing.
const TOLERANCE: f64 = 1e-6;

/// A channel between two members.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: usize,
    to: usize,
    /// GFLOP of an iteration of either.
    gflop_from: f64,
    gflop_to: f64,
}

/// What happens to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// As many items lie in it as are of use.
    Enough,
    /// Nothing is left in it.
    Dry,
}

/// The channels between members.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    links: Vec<Link>,
}

impl Link {
    /// Items between the two, where their work is known and more is to come.
    fn items(&self, left: &[Option<f64>]) -> Option<f64> {
        let to_come = left[self.from]?;
        (to_come > 0.0).then_some(left[self.to]? / self.gflop_to - to_come / self.gflop_from)
    }

    /// Items per second that come and go.
    fn rates(&self, rates: &[f64]) -> (f64, f64) {
        (rates[self.from] / self.gflop_from, rates[self.to] / self.gflop_to)
    }
}

impl Pace {
    /// `useful`: of each member the threads that could have something to do.
    pub(super) fn new(known: &Known, members: &[Member], useful: &[Vec<u32>]) -> Self {
        let link = |channel: &Channel| {
            let find = |app| members.iter().position(|member| member.entry == app);
            let (from, to) = (find(channel.from)?, find(channel.to)?);
            let is_about_to_change = *useful.get(to)? != members[to].room;
            let of = |m: usize| known.gflop_of_iteration(&members[m]).filter(|gflop| *gflop > 0.0);
            let link = Link { from, to, gflop_from: of(from)?, gflop_to: of(to)? };
            (!is_about_to_change).then_some(link)
        };
        Self { links: known.channels.iter().filter_map(link).collect() }
    }

    /// GFLOPS that are of use, of GFLOPS that the machine gives.
    pub(super) fn useful<'r>(&self, left: &[Option<f64>], rates: &'r [f64]) -> Cow<'r, [f64]> {
        let mut useful = Cow::Borrowed(rates);
        // One passes its pace on to the next: along a chain as often as it is long.
        for _ in 0..self.links.len().min(rates.len()) {
            let mut is_slower = false;
            for link in &self.links {
                let Some(items) = link.items(left) else { continue };
                let (come, go) = link.rates(&useful);
                if items >= ENOUGH as f64 - TOLERANCE && is_less(go, come) {
                    useful.to_mut()[link.from] = go * link.gflop_from;
                    is_slower = true;
                } else if items <= TOLERANCE && is_less(come, go) {
                    useful.to_mut()[link.to] = come * link.gflop_to;
                    is_slower = true;
                }
            }
            if !is_slower {
                break;
            }
        }
        useful
    }

    /// What happens next to a channel at these rates, and in how many seconds from `now`.
    pub(super) fn next(&self, now: f64, left: &[Option<f64>], rates: &[f64]) -> Option<(Event, f64)> {
        let of = |link: &Link| {
            let items = link.items(left)?;
            let (come, go) = link.rates(rates);
            let more = ENOUGH as f64 - items;
            if is_less(go, come) && more > TOLERANCE {
                Some((Event::Enough, more / (come - go)))
            } else if is_less(come, go) && items > TOLERANCE {
                Some((Event::Dry, items / (go - come)))
            } else {
                None
            }
        };
        let (link, seconds) = first_of(now, self.links.iter().map(|link| Some(of(link)?.1)))?;
        Some((of(self.links.get(link)?)?.0, seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A producer of 10 GFLOP an item, a consumer of 20, and what is left of both.
    fn pair(produced_left: f64, finished_left: f64) -> (Pace, [Option<f64>; 2]) {
        let link = Link { from: 0, to: 1, gflop_from: 10.0, gflop_to: 20.0 };
        (Pace { links: vec![link] }, [Some(produced_left), Some(finished_left)])
    }

    #[test]
    fn a_producer_with_enough_items_ahead_counts_as_fast_as_its_consumer() {
        // 2000 / 20 - 980 / 10 = 2 items; the consumer takes 40 / 20 = 2 a second, of the 4 that come.
        let (pace, left) = pair(980.0, 2000.0);
        assert_eq!(*pace.useful(&left, &[40.0, 40.0]), [20.0, 40.0]);
        // 1 item: everything counts, until there are 2, in 1 / (4 - 2) s.
        let (pace, left) = pair(990.0, 2000.0);
        assert_eq!(*pace.useful(&left, &[40.0, 40.0]), [40.0, 40.0]);
        assert_eq!(pace.next(0.0, &left, &[40.0, 40.0]), Some((Event::Enough, 0.5)));
    }

    #[test]
    fn a_consumer_without_items_is_as_fast_as_its_producer() {
        // Nothing between them; 1 item comes in a second, 3 could go.
        let (pace, left) = pair(1000.0, 2000.0);
        assert_eq!(*pace.useful(&left, &[10.0, 60.0]), [10.0, 20.0]);
        // 1 item: dry in 1 / (3 - 1) s.
        let (pace, left) = pair(990.0, 2000.0);
        assert_eq!(pace.next(0.0, &left, &[10.0, 60.0]), Some((Event::Dry, 0.5)));
    }

    #[test]
    fn a_producer_that_is_done_holds_nobody_back() {
        let (pace, left) = pair(0.0, 20.0);
        assert_eq!(*pace.useful(&left, &[0.0, 60.0]), [0.0, 60.0]);
        assert_eq!(pace.next(0.0, &left, &[0.0, 60.0]), None);
    }

    #[test]
    fn a_pace_goes_along_a_chain() {
        // Items of 10 GFLOP everywhere, 2 between each: the last one does 1 a second, of 5 and 3.
        let link = |from: usize| Link { from, to: from + 1, gflop_from: 10.0, gflop_to: 10.0 };
        let pace = Pace { links: vec![link(0), link(1)] };
        let left = [Some(100.0), Some(120.0), Some(140.0)];
        assert_eq!(*pace.useful(&left, &[50.0, 30.0, 10.0]), [10.0, 10.0, 10.0]);
    }
}
