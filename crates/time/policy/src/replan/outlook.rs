//! Prediction for an allocation: the time at which all known work is done.
//!
//! # Approach
//! A fluid lookahead. A move takes effect after `command_ms` and half a task of the slowest thread that has to leave (a thread first ends its task,
//! which began at an unknown moment). Until then nothing changes. Then every thread that did not run there before refills its caches (`[os]
//! refill_ms`), at its new speed. Rates are constant until the work of a member is done; then the cores are distributed among the remaining members,
//! as in `fair-share`, and so on. After [`ENDS`] ends the rest is treated as one pool of work.
//!
//! A thread that sleeps `io_ms` after each task does a task of w GFLOP at rate r in w / r + io.
//!
//! An application with unknown work never ends, and does not count; nor does one whose work would keep the whole machine busy for more
//! than [`HORIZON_S`]: its end is irrelevant, and GFLOPS decide. One without control runs all its threads, for any distribution.
//!
//! Work that no consumer can use in time counts nothing, and no consumer gets ahead of its producer (`pace`).

use std::collections::HashMap;
use std::sync::Arc;

use numasim_course::Work;
use numasim_model::Node;
use numasim_model::order::Control;
use numasim_model::sharing::Network;

use super::{Event, Pace};
use crate::dealing::{cores_of, deal};
use crate::dealing::{first_of, is_less, slack};
use crate::known::{Known, Member};
use crate::memo::most_of;
use crate::speeds::Speeds;
use crate::view::{AppView, View};

/// Threads of each member on each node.
pub(super) type Rows = Vec<Vec<u32>>;

/// GFLOPS of each member.
type OfMembers = Arc<[f64]>;

/// Cached speeds of some members.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    /// By threads of each member on each node.
    by_rows: HashMap<Vec<u32>, OfMembers>,
    /// By the remaining members, if the cores are distributed to these, with the useful threads of each.
    by_set: HashMap<Vec<bool>, OfMembers>,
    known_room: Rows,
}

impl Rates {
    /// Clears the cache.
    pub(super) fn clear(&mut self) {
        self.by_rows.clear();
        self.by_set.clear();
        self.known_room.clear();
    }
}

/// Maximum number of ends that are followed one by one, and of changes of pace.
const ENDS: usize = 8;

/// More work than the whole machine at its peak could do in this number of seconds, a day, is work without an end \[decision\].
const HORIZON_S: f64 = 86_400.0;

/// The state of a member.
#[derive(Clone, Debug)]
struct Doing {
    /// GFLOP that are left; `None`: unknown, or no thread could do any of it.
    left: Option<f64>,
    /// GFLOP of a task; 0 for divisible work.
    task: f64,
    /// Seconds that a thread sleeps after a task.
    io: f64,
    is_controlled: bool,
}

/// Shared inputs of all predictions of one moment.
#[derive(Debug)]
pub(super) struct Outlook<'a> {
    pub(super) known: &'a Known,
    network: &'a Network,
    pub(super) members: &'a [Member],
    doing: Vec<Doing>,
    pace: Pace,
    /// Threads that could have something to do (`Known::useful`).
    pub(super) room: Rows,
    /// Threads that are not blocked, and have something to do.
    pub(super) present: Rows,
    speeds: Option<Speeds<'a>>,
    rates: &'a mut Rates,
}

/// The prediction for an allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prediction {
    /// Seconds until all known work is done; infinite if it never is.
    pub(super) finish: f64,
    /// Useful GFLOPS of all members together, once the allocation is in force.
    pub(super) gflops: f64,
    /// Seconds until it is in force.
    pub(super) wait: f64,
    /// Seconds until the first of its applications is done, from then on; infinite if none finishes.
    pub(super) holds: f64,
    /// Threads that start on nodes where they did not run before.
    pub(super) moved: u32,
    /// The member whose work is done last, if the prediction follows all to the end.
    pub(super) last: Option<usize>,
}

impl Prediction {
    /// Whether it is better than `other`: an earlier end, or an equal one and more GFLOPS.
    pub(super) fn beats(&self, other: &Self) -> bool {
        let is_as_early = !is_less(other.finish, self.finish);
        is_less(self.finish, other.finish) || (is_as_early && is_less(other.gflops, self.gflops))
    }
}

impl<'a> Outlook<'a> {
    /// `rates` are for these members, or empty.
    pub(super) fn new(
        known: &'a Known,
        network: &'a Network,
        view: &View,
        members: &'a [Member],
        rates: &'a mut Rates,
    ) -> Self {
        let peak: f64 = known.machine.nodes().iter().map(peak_of).sum();
        let has_end = |left: &f64| !is_less(peak * HORIZON_S, *left);
        let mut doing = Vec::with_capacity(members.len());
        let mut present = Vec::with_capacity(members.len());
        let mut room = Vec::with_capacity(members.len());
        for member in members {
            let Some(app) = view.apps.get(member.at) else { continue };
            let phase = known.phase(member);
            let useful = known.useful(app, member);
            let task = match phase.and_then(|phase| phase.work.as_ref()) {
                Some(work @ Work::Tasks { count, .. }) if *count > 0 => work.total().value() / *count as f64,
                _ => 0.0,
            };
            doing.push(Doing {
                left: known
                    .left(app, member)
                    .filter(has_end)
                    .filter(|_| useful.iter().any(|&threads| threads > 0)),
                task,
                io: phase.map_or(0.0, |phase| phase.io.value()),
                is_controlled: app.control != Control::None,
            });
            let unblocked = unblocked(app, member.room.len());
            present.push(if useful == member.room { unblocked } else { lesser(&unblocked, &useful) });
            room.push(useful);
        }
        // The distribution depends on these, and on the threads of uncontrolled applications.
        let uncontrolled = present.iter().zip(&doing).filter(|(_, doing)| !doing.is_controlled);
        let known_room: Rows = room.iter().chain(uncontrolled.map(|(row, _)| row)).cloned().collect();
        if rates.known_room != known_room {
            rates.by_set.clear();
            rates.known_room = known_room;
        }
        let pace = Pace::new(known, members, &room);
        Self { known, network, members, doing, pace, room, present, speeds: None, rates }
    }

    /// The distribution of cores to all members.
    pub(super) fn fair_share(&self) -> Rows {
        self.dealt(|_| true)
    }

    fn dealt(&self, is_in: impl Fn(usize) -> bool) -> Rows {
        let room = |(m, room)| -> &[u32] { if is_in(m) { room } else { &[] } };
        let room: Vec<&[u32]> = self.room.iter().map(Vec::as_slice).enumerate().map(room).collect();
        deal(&cores_of(&self.known.machine), &room)
    }

    fn useful(&self, m: usize) -> u32 {
        self.room[m].iter().fold(0, |sum, threads| sum.saturating_add(*threads))
    }

    /// The minimum of threads of a member.
    pub(super) fn fewest(&self, m: usize) -> u32 {
        self.known.fewest(&self.members[m]).min(self.useful(m))
    }

    /// The maximum of threads of a member.
    pub(super) fn most(&self, m: usize) -> u32 {
        self.known.most(&self.members[m]).min(self.useful(m))
    }

    /// `rows` without idle threads and without those above `max_threads`, from the last node on.
    pub(super) fn cut(&self, mut rows: Rows) -> Rows {
        for (m, row) in rows.iter_mut().enumerate() {
            *row = lesser(row, &self.room[m]);
            let mut above = row.iter().sum::<u32>().saturating_sub(self.most(m));
            for threads in row.iter_mut().rev() {
                let taken = above.min(*threads);
                *threads -= taken;
                above -= taken;
            }
        }
        rows
    }

    /// The present threads as an order could give them: an uncontrolled application has at most its distributed cores.
    pub(super) fn present_of_controlled(&self) -> Rows {
        self.present.iter().zip(&self.room).map(|(row, room)| lesser(row, room)).collect()
    }

    /// Whether the present threads could be an answer: no more than cores, and within `min_threads` and `max_threads` of each member.
    pub(super) fn may_stay(&self, cores: &[u32]) -> bool {
        let rows = self.present_of_controlled();
        let fits = cores
            .iter()
            .enumerate()
            .all(|(n, &cores)| rows.iter().map(|row| u64::from(row[n])).sum::<u64>() <= u64::from(cores));
        let all: u64 = cores.iter().map(|&cores| u64::from(cores)).sum();
        let wanted: u64 = (0..rows.len()).map(|m| u64::from(self.fewest(m))).sum();
        let in_bounds = |(m, row): (usize, &Vec<u32>)| {
            let threads: u32 = row.iter().sum();
            (threads >= self.fewest(m) || wanted > all) && threads <= self.most(m)
        };
        fits && rows.iter().enumerate().all(in_bounds)
    }

    /// The threads that actually run if `rows` are ordered.
    fn in_force(&self, rows: &Rows) -> Rows {
        let row = |((row, present), doing): ((&Vec<u32>, &Vec<u32>), &Doing)| {
            if doing.is_controlled { row.clone() } else { present.clone() }
        };
        rows.iter().zip(&self.present).zip(&self.doing).map(row).collect()
    }

    /// GFLOPS of each member with `rows` threads, sleep included.
    fn rates(&mut self, rows: &Rows) -> OfMembers {
        let key = rows.concat();
        if let Some(known) = self.rates.by_rows.get(&key) {
            return Arc::clone(known);
        }
        let (network, known, members) = (self.network, self.known, self.members);
        let speeds = self.speeds.get_or_insert_with(|| Speeds::new(network, known, members));
        speeds.set_all(rows);
        let mut rates = speeds.of_members();
        for ((rate, doing), row) in rates.iter_mut().zip(&self.doing).zip(rows) {
            let threads: u32 = row.iter().sum();
            if doing.io > 0.0 && doing.task > 0.0 && threads > 0 {
                let each = *rate / f64::from(threads);
                *rate /= 1.0 + doing.io * each / doing.task;
            }
        }
        if self.rates.by_rows.len() >= most_of(key.len()) {
            self.rates.by_rows.clear();
        }
        let rates: OfMembers = rates.into();
        self.rates.by_rows.insert(key, Arc::clone(&rates));
        rates
    }

    /// GFLOPS of each member when all cores are distributed to the remaining ones.
    fn rates_of_left(&mut self, left: &[Option<f64>]) -> OfMembers {
        let set: Vec<bool> = left.iter().map(|left| left.is_none_or(|left| left > 0.0)).collect();
        if let Some(known) = self.rates.by_set.get(&set) {
            return Arc::clone(known);
        }
        let rows = self.in_force(&self.dealt(|m| set[m]));
        let rates = self.rates(&rows);
        if self.rates.by_set.len() >= most_of(set.len()) {
            self.rates.by_set.clear();
        }
        self.rates.by_set.insert(set, Arc::clone(&rates));
        rates
    }

    /// Useful GFLOPS of all members in the present state.
    pub(super) fn present_gflops(&mut self) -> f64 {
        let present = self.present.clone();
        let left: Vec<Option<f64>> = self.doing.iter().map(|doing| doing.left).collect();
        let rates = self.rates(&present);
        self.pace.useful(&left, &rates).iter().sum()
    }

    /// Seconds until `rows` would be in force.
    fn wait(&self, rows: &Rows, now: &[f64]) -> f64 {
        let mut task_rest: f64 = 0.0;
        for (m, doing) in self.doing.iter().enumerate() {
            let leaves = self.present[m].iter().zip(&rows[m]).any(|(before, after)| before > after);
            let threads: u32 = self.present[m].iter().sum();
            if leaves && doing.task > 0.0 && now[m] > 0.0 {
                // Includes sleep: `rates` accounts for it.
                task_rest = task_rest.max(0.5 * doing.task * f64::from(threads) / now[m]);
            }
        }
        self.known.command_delay.value() + task_rest
    }

    /// The prediction for `rows`.
    pub(super) fn predict(&mut self, rows: &Rows) -> Prediction {
        let rows = self.in_force(rows);
        let mut left: Vec<Option<f64>> = self.doing.iter().map(|doing| doing.left).collect();
        let (mut wait, mut moved, mut finish, mut last) = (0.0, 0, 0.0_f64, None);
        let rates = self.rates(&rows);
        if rows != self.present {
            let present = self.present.clone();
            let now = self.rates(&present);
            wait = self.wait(&rows, &now);
            let now = self.pace.useful(&left, &now);
            for (m, left) in left.iter_mut().enumerate() {
                let Some(left) = left.as_mut().filter(|left| **left > 0.0) else { continue };
                if !is_less(now[m] * wait, *left) {
                    let end = *left / now[m];
                    (finish, last) = if is_less(finish, end) { (end, Some(m)) } else { (finish, last) };
                    *left = 0.0;
                    continue;
                }
                *left -= now[m] * wait;
            }
            let refill = self.known.os.refill.value();
            for (m, left) in left.iter_mut().enumerate() {
                let more =
                    rows[m].iter().zip(&present[m]).map(|(after, before)| after.saturating_sub(*before));
                let more: u32 = more.sum();
                moved += more;
                let threads: u32 = rows[m].iter().sum();
                if let Some(left) = left.as_mut().filter(|left| **left > 0.0 && threads > 0) {
                    *left += refill * f64::from(more) * rates[m] / f64::from(threads);
                }
            }
        }
        let useful = self.pace.useful(&left, &rates);
        let gflops = useful.iter().sum();
        let holds = next_end(wait, &left, &useful).map_or(f64::INFINITY, |(_, seconds)| seconds);
        if left.iter().flatten().any(|left| *left > 0.0) {
            let (rest, who) = self.rest(left, rates);
            (finish, last) = (wait + rest, who);
        }
        Prediction { finish, gflops, wait, holds, moved, last }
    }

    /// Seconds until no work is left, and the last member: the first in order if several tie.
    fn rest(&mut self, mut left: Vec<Option<f64>>, mut rates: OfMembers) -> (f64, Option<usize>) {
        let mut time = 0.0;
        let (mut ends, mut paces) = (0, 0);
        while ends < ENDS && paces < ENDS {
            let useful = self.pace.useful(&left, &rates);
            let end = next_end(time, &left, &useful);
            // Events at the end of work belong to its end.
            let is_first = |at: f64| end.is_none_or(|(_, end)| at + slack(time, end) < end);
            let change = self.pace.next(time, &left, &useful).filter(|(_, at)| is_first(*at));
            let Some(seconds) = change.map(|(_, at)| at).or(end.map(|(_, at)| at)) else {
                return (f64::INFINITY, None);
            };
            let end_of_event = seconds + slack(time, seconds);
            for (left, rate) in left.iter_mut().zip(useful.iter()) {
                if let Some(left) = left.as_mut() {
                    // Simultaneous ends are one event.
                    let is_over = *left <= rate * end_of_event;
                    *left = if is_over { 0.0 } else { *left - rate * seconds };
                }
            }
            time += seconds;
            match (change, end) {
                // From now on the pace of the consumer counts.
                (Some((Event::Enough, _)), _) => paces += 1,
                // The consumer begins to wait for items, and cores are redistributed.
                (Some((Event::Dry, _)), _) => {
                    paces += 1;
                    rates = self.rates_of_left(&left);
                }
                (None, Some((first, _))) => {
                    ends += 1;
                    left[first] = Some(0.0);
                    if left.iter().flatten().all(|left| *left <= 0.0) {
                        return (time, Some(first));
                    }
                    rates = self.rates_of_left(&left);
                }
                (None, None) => {}
            }
        }
        let useful = self.pace.useful(&left, &rates);
        let of_known =
            |(left, rate): (&Option<f64>, &f64)| left.filter(|left| *left > 0.0).map(|left| (left, *rate));
        let pool = left.iter().zip(useful.iter()).filter_map(of_known);
        let (work, rate) = pool.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (if rate > 0.0 { time + work / rate } else { f64::INFINITY }, None)
    }
}

/// GFLOPS of all cores of a node.
fn peak_of(node: &Node) -> f64 {
    f64::from(node.cores) * node.gflops_per_core.value()
}

/// The first member to end at these rates, and the seconds from `now`; the first in order if several tie.
fn next_end(now: f64, left: &[Option<f64>], rates: &[f64]) -> Option<(usize, f64)> {
    let ends = left.iter().zip(rates).map(|(left, &rate)| {
        let left = left.filter(|left| *left > 0.0 && rate > 0.0)?;
        Some(left / rate)
    });
    first_of(now, ends)
}

/// The smaller ones of two rows.
fn lesser(row: &[u32], other: &[u32]) -> Vec<u32> {
    row.iter().zip(other).map(|(one, other)| *one.min(other)).collect()
}

/// Threads of an application that may take tasks, on each of the given number of nodes.
pub(super) fn unblocked(app: &AppView, nodes: usize) -> Vec<u32> {
    let at = |row: &[u32], n: usize| row.get(n).copied().unwrap_or(0);
    (0..nodes).map(|n| at(&app.threads, n).saturating_sub(at(&app.blocked, n))).collect()
}
