//! `replan`: as `reexplore`, but it uses the remaining work and the cost of a move, moves only if that pays before the end, and
//! gives the reason.
//!
//! \[decision: the paper contains none of this; section II only asks that the gain be worth its cost.\]
//!
//! # Rule
//! For the applications with something to do, in their present phases, it predicts for some allocations when all known work is done (`outlook`). The
//! candidates are the present allocation, those of `fair-share`, `marginal` and `reexplore` (the last one up to [`MOST_SEARCHED`] applications x
//! nodes, beyond which a search takes seconds), and the result of moving blocks of cores from one application (or from idle cores) to another,
//! starting at the best candidate, as long as that improves it (`climb`). An application with few tasks left to begin gets no more threads than run
//! and can take one. The policy takes the allocation with the earliest end, among equal ones (relative 1e-9) the one with more GFLOPS at once; else
//! it changes nothing. Others get 0. The prediction includes the cost of a move, so that cores do not move back and forth without a gain.
//!
//! This is a rollout (Bertsekas) of `fair-share`: every allocation is followed by it until the end, and it is one of the candidates. By its own
//! prediction replan is therefore never worse than fair-share.
//!
//! `min_threads` and `max_threads` hold if an application can meet them: no move takes one below the former, and `fair-share` is cut
//! to the latter.
//!
//! # Channels
//! Work that no consumer can use in time counts nothing \[decision\]: a producer with [`ENOUGH`] items or more on a channel gets the cores
//! that the others leave, core by core as in `marginal`, and with [`TOO_MANY`] nothing. A channel counts while both of its ends are present.
//! In predictions, producers and consumers keep pace with each other (`pace`).
//!
//! # Limits
//! It sees no further than `outlook`: an application continues as in its present phase, no application arrives, and none ends
//! waiting for another. It evaluates at most [`PREDICTIONS`] allocations, in a fixed order. The remaining work changes all the
//! time, so it is asked at every instant: with many short tasks, `period_ms` keeps it cheap.

use std::borrow::Cow;

use numasim_course::{Channel, Study};
use numasim_model::AppId;
use numasim_model::order::Waiting;

use crate::dealing::{cores_of, decided, first_of, is_less};
use crate::growth::what_is_left;
use crate::known::{Known, Member, has_nothing_to_do};
use crate::lead::{Channels, ENOUGH, TOO_MANY, ToCome};
use crate::marginal::Marginal;
use crate::reexplore::{Reexplore, count};

use crate::view::{Decision, Looks, Policy, PolicyError, Presence, View};

mod outlook;

use outlook::{Outlook, Prediction, Rates, Rows, unblocked};

/// Maximum number of allocations that a climb evaluates, for few applications.
const PREDICTIONS: usize = 150;
/// With more applications an evaluation takes longer, and fewer allocations are evaluated.
const FEW: usize = 8;

/// Maximum of applications x nodes for a search at every change, instead of the limit of `reexplore`: changes are more
/// frequent.
const MOST_SEARCHED: usize = 64;

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Replan {
    search: Reexplore,
    grown: Marginal,
    channels: Channels,
    cores: Vec<u32>,
    /// Cached speeds, and their members.
    rates: Rates,
    rates_of: Vec<Member>,
}

impl Replan {
    /// The sharing model must not refuse the machine.
    pub(crate) fn new(study: &Study) -> Self {
        Self {
            search: Reexplore::new(study),
            grown: Marginal::new(study),
            channels: Channels::new(study, ToCome::DoesNotCount),
            cores: cores_of(&study.machine),
            rates: Rates::default(),
            rates_of: Vec::new(),
        }
    }
}

/// The best of the evaluated allocations, with its prediction.
fn choose(outlook: &mut Outlook<'_>, cores: &[u32], others: Vec<Rows>) -> (Rows, Prediction) {
    let fair = outlook.cut(outlook.fair_share());
    let predicted = outlook.predict(&fair);
    let mut best = (fair, predicted);
    let present = outlook.present_of_controlled();
    // In list order: the first of equal ones wins.
    let stay = outlook.may_stay(cores).then_some(present);
    if let Some(stay) = stay.clone() {
        let predicted = outlook.predict(&stay);
        if !best.1.beats(&predicted) {
            best = (stay, predicted);
        }
    }
    for rows in others {
        let rows = outlook.cut(rows);
        let predicted = outlook.predict(&rows);
        if predicted.beats(&best.1) {
            best = (rows, predicted);
        }
    }
    let predictions = PREDICTIONS * FEW / outlook.members.len().max(FEW);
    let from_stay = stay.filter(|stay| *stay != best.0);
    best = climb(outlook, cores, best, predictions);
    if let Some(stay) = from_stay {
        let predicted = outlook.predict(&stay);
        let other = climb(outlook, cores, (stay, predicted), predictions);
        if other.1.beats(&best.1) {
            best = other;
        }
    }
    best
}

impl Policy for Replan {
    fn looks_at(&self) -> Looks {
        Looks::ALL
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        self.decide_unless(view, &|| false)
    }

    fn decide_unless(&mut self, view: &View, stop: &dyn Fn() -> bool) -> Result<Decision, PolicyError> {
        let ahead = self.channels.fullest(view);
        let items = |member: &Member| ahead[member.at].map_or(0, |(items, _)| items);
        let mut members = self.search.known.members(view);
        members.retain(|member| items(member) < TOO_MANY && !has_nothing_to_do(&view.apps[member.at]));
        let (members, mut last): (Vec<Member>, Vec<Member>) =
            members.into_iter().partition(|member| items(member) < ENOUGH);
        let mut others = Vec::new();
        if self.search.not_searched(&members).is_none() && members.len() * self.cores.len() <= MOST_SEARCHED {
            // If the search rejects the question, the policy still decides.
            others.extend(self.search.allocation(&members, stop).ok());
        }
        others.push(self.grown.allocation(&members, &[], stop));
        if self.rates_of != members {
            self.rates.clear();
            self.rates_of.clone_from(&members);
        }
        let (known, network) = (&self.search.known, &self.search.network);
        let mut outlook = Outlook::new(known, network, view, &members, &mut self.rates);
        let (mut rows, _) = choose(&mut outlook, &self.cores, others);
        let mut reasons = reasons(&mut outlook, view, &rows);
        for member in &mut last {
            member.room = known.useful(&view.apps[member.at], member);
        }
        if !last.is_empty() {
            rows.extend(what_is_left(network, known, &members, &rows, &last, stop));
        }
        let all = [members.as_slice(), last.as_slice()].concat();
        let rows = known.rows(view, &all, &rows);
        of_those_ahead(&mut reasons, known, view, &ahead, &rows);
        let mut decision = decided(view, rows);
        decision.reasons = reasons;
        Ok(decision)
    }
}

/// The place where a block of cores moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// On every node at once, a block on each.
    Everywhere,
    /// On one node.
    Node(usize),
}

/// Moves blocks while that improves the allocation, up to a number of evaluations.
///
/// Larger blocks first; receivers by latest end, then in file order; from idle cores first; on every node at once, and for the
/// receiver that ends last also on single nodes. Each improvement is applied at once.
fn climb(
    outlook: &mut Outlook<'_>,
    cores: &[u32],
    start: (Rows, Prediction),
    predictions: usize,
) -> (Rows, Prediction) {
    let (mut best, members) = (start, outlook.members.len());
    let nodes = (0..cores.len()).filter(|&n| cores[n] > 0).map(Place::Node);
    let everywhere = (cores.len() > 1).then_some(Place::Everywhere);
    let places: Vec<Place> = everywhere.into_iter().chain(nodes).collect();
    let largest = cores.iter().copied().max().unwrap_or(0).checked_ilog2().unwrap_or(0);
    let mut looked_at = 0;
    loop {
        let mut is_better = false;
        for block in (0..=largest).rev().map(|power| 1_u32 << power) {
            let last = best.1.last;
            let receivers = last.into_iter().chain((0..members).filter(|m| Some(*m) != last));
            for to in receivers {
                for from in
                    std::iter::once(None).chain((0..members).map(Some)).filter(|&from| from != Some(to))
                {
                    let few = if Some(to) == last { places.len() } else { 1 };
                    for &place in &places[..few.min(places.len())] {
                        let Some(rows) = moved(outlook, cores, &best.0, (from, to), place, block) else {
                            continue;
                        };
                        if looked_at == predictions {
                            return best;
                        }
                        looked_at += 1;
                        let predicted = outlook.predict(&rows);
                        if predicted.beats(&best.1) {
                            best = (rows, predicted);
                            is_better = true;
                        }
                    }
                }
            }
        }
        if !is_better {
            return best;
        }
    }
}

/// `rows` with up to `block` cores of a node moved; `None` if nothing can move.
fn moved(
    outlook: &Outlook<'_>,
    cores: &[u32],
    rows: &Rows,
    (from, to): (Option<usize>, usize),
    place: Place,
    block: u32,
) -> Option<Rows> {
    let total = |m: usize| rows[m].iter().sum::<u32>();
    let mut may = outlook.most(to).saturating_sub(total(to));
    if let Some(from) = from {
        may = may.min(total(from).saturating_sub(outlook.fewest(from)));
    }
    let nodes = match place {
        Place::Everywhere => 0..cores.len(),
        Place::Node(n) => n..n + 1,
    };
    let mut changed: Option<Rows> = None;
    for n in nodes {
        let room = outlook.room[to][n].saturating_sub(rows[to][n]);
        let there = match from {
            Some(from) => rows[from][n],
            None => cores[n].saturating_sub(rows.iter().map(|row| row[n]).sum()),
        };
        let count = block.min(room).min(there).min(may);
        if count > 0 {
            may -= count;
            let changed = changed.get_or_insert_with(|| rows.clone());
            changed[to][n] += count;
            if let Some(from) = from {
                changed[from][n] -= count;
            }
        }
    }
    changed
}

// Pace between producers and consumers.
//
// A fluid model: the items between a consumer and its producer are the difference of their remaining iterations. With [`ENOUGH`]
// items or more, the work of the producer counts no faster than the consumer takes items. With none, the consumer is no faster
// than items arrive.
//
// Only channels whose ends both have something to do count. A channel whose consumer has few tasks left in its phase is
// ignored: its pace is about to change.

/// Fraction of an item; less than this is zero.
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

/// The next event of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// It holds the useful number of items.
    Enough,
    /// It is empty.
    Dry,
}

/// The channels between members.
#[derive(Clone, Debug, Default)]
struct Pace {
    links: Vec<Link>,
}

impl Link {
    /// Items between the two, if their work is known and more is to come.
    fn items(&self, left: &[Option<f64>]) -> Option<f64> {
        let to_come = left[self.from]?;
        (to_come > 0.0).then_some(left[self.to]? / self.gflop_to - to_come / self.gflop_from)
    }

    /// Items per second that arrive and leave.
    fn rates(&self, rates: &[f64]) -> (f64, f64) {
        (rates[self.from] / self.gflop_from, rates[self.to] / self.gflop_to)
    }
}

impl Pace {
    /// `useful`: of each member the threads that could have something to do.
    fn new(known: &Known, members: &[Member], useful: &[Vec<u32>]) -> Self {
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

    /// The useful part of the GFLOPS that the machine provides.
    fn useful<'r>(&self, left: &[Option<f64>], rates: &'r [f64]) -> Cow<'r, [f64]> {
        let mut useful = Cow::Borrowed(rates);
        // Each passes its pace on to the next: as many passes as the chain is long.
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

    /// The next event of a channel at these rates, and the seconds from `now` until it.
    fn next(&self, now: f64, left: &[Option<f64>], rates: &[f64]) -> Option<(Event, f64)> {
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
mod pace_tests {
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
    fn a_finished_producer_slows_no_consumer() {
        let (pace, left) = pair(0.0, 20.0);
        assert_eq!(*pace.useful(&left, &[0.0, 60.0]), [0.0, 60.0]);
        assert_eq!(pace.next(0.0, &left, &[0.0, 60.0]), None);
    }

    #[test]
    fn pace_propagates_along_a_chain() {
        // Items of 10 GFLOP everywhere, 2 between each: the last one does 1 a second, of 5 and 3.
        let link = |from: usize| Link { from, to: from + 1, gflop_from: 10.0, gflop_to: 10.0 };
        let pace = Pace { links: vec![link(0), link(1)] };
        let left = [Some(100.0), Some(120.0), Some(140.0)];
        assert_eq!(*pace.useful(&left, &[50.0, 30.0, 10.0]), [10.0, 10.0, 10.0]);
    }
}

/// Maximum number of names listed.
const SHOWN: usize = 3;

/// For each application of `view` whose threads change: the reason.
fn reasons(outlook: &mut Outlook<'_>, view: &View, rows: &Rows) -> Vec<Option<String>> {
    let mut said = vec![None; view.apps.len()];
    let now = outlook.present_of_controlled();
    if *rows != now {
        let text = of_move(outlook, rows, &now);
        for (m, member) in outlook.members.iter().enumerate() {
            if rows[m] != now[m] {
                said[member.at] = Some(text.clone());
            }
        }
    }
    for (said, app) in said.iter_mut().zip(&view.apps) {
        if app.presence == Presence::There && app.waiting != Waiting::None {
            let threads: u32 = unblocked(app, app.threads.len()).iter().sum();
            if threads > 0 {
                *said = Some(format!("waits for {}: {} free", app.waiting.as_str(), count(threads, "core")));
            }
        }
    }
    said
}

/// Explains the changed threads of producers that have run ahead (`ahead`: items, and their consumer).
fn of_those_ahead(
    said: &mut [Option<String>],
    known: &Known,
    view: &View,
    ahead: &[Option<(u64, AppId)>],
    rows: &[Vec<u32>],
) {
    for (((said, app), ahead), row) in said.iter_mut().zip(&view.apps).zip(ahead).zip(rows) {
        let Some((items, consumer)) = ahead.filter(|(items, _)| *items >= ENOUGH) else { continue };
        if app.is_busy() && *row != unblocked(app, row.len()) {
            let for_whom = known.name(consumer);
            let cores = count(row.iter().sum::<u32>(), "core");
            *said =
                Some(format!("{items} items ahead of {for_whom}: {cores} that no other application can use"));
        }
    }
}

fn of_move(outlook: &mut Outlook<'_>, rows: &Rows, now: &Rows) -> String {
    let predicted = outlook.predict(rows);
    let stay = outlook.predict(now);
    let gflops = predicted.gflops - outlook.present_gflops();
    let total = |rows: &Rows, m: usize| rows[m].iter().sum::<u32>();
    let members = 0..outlook.members.len();
    let name = |m: usize| outlook.known.app(&outlook.members[m]).name.as_str();
    let gain: Vec<usize> = members.clone().filter(|&m| total(rows, m) > total(now, m)).collect();
    let lose: Vec<usize> = members.filter(|&m| total(rows, m) < total(now, m)).collect();
    let names = |of: &[usize]| list(&of.iter().map(|&m| name(m)).collect::<Vec<_>>());
    let more: u32 = gain.iter().map(|&m| total(rows, m) - total(now, m)).sum();
    let less: u32 = lose.iter().map(|&m| total(now, m) - total(rows, m)).sum();
    let what = match (gain.as_slice(), lose.as_slice()) {
        ([], []) => format!("{} to other nodes", count(predicted.moved, "thread")),
        (gain, []) => format!("{} to {}", count(more, "core"), names(gain)),
        ([], lose) => format!("{} less for {}", count(less, "core"), names(lose)),
        (gain, lose) => format!("{} from {} to {}", count(more.max(less), "core"), names(lose), names(gain)),
    };
    let change = if gflops.abs() < 0.005 {
        "as many GFLOPS".to_owned()
    } else {
        format!("{} GFLOPS {}", number(gflops.abs()), if gflops > 0.0 { "more" } else { "less" })
    };
    let holds = if predicted.holds.is_finite() {
        format!(" for {}", seconds(predicted.holds))
    } else {
        String::new()
    };
    let price = predicted.wait + outlook.known.os.refill.value();
    let cost = if predicted.moved > 0 {
        format!(", costs {} of {}", seconds(price), count(predicted.moved, "thread"))
    } else {
        String::new()
    };
    let end = match stay.finish - predicted.finish {
        earlier if earlier.is_finite() && is_less(predicted.finish, stay.finish) => {
            format!("; all is done {} earlier", seconds(earlier))
        }
        _ => String::new(),
    };
    format!("{what}: {change}{holds}{cost}{end}")
}

/// "a", "a and b", "a, b, c and 4 more".
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [start @ .., last] if names.len() <= SHOWN => format!("{} and {last}", start.join(", ")),
        _ => format!("{} and {} more", names[..SHOWN].join(", "), names.len() - SHOWN),
    }
}

/// Three digits.
fn number(value: f64) -> String {
    let text = if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// In s, ms or us.
fn seconds(value: f64) -> String {
    if value >= 0.1 || value <= 0.0 {
        format!("{} s", number(value))
    } else if value >= 1e-4 {
        format!("{} ms", number(value * 1e3))
    } else {
        format!("{} us", number(value * 1e6))
    }
}

#[cfg(test)]
mod reason_tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!([0.0, 12.345, 254.4, 3.0].map(number), ["0", "12.3", "254", "3"]);
        assert_eq!([0.0, 3.2, 0.0201, 5e-6].map(seconds), ["0 s", "3.2 s", "20.1 ms", "5 us"]);
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
    }
}

#[cfg(test)]
mod tests;
