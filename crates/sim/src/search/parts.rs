//! Questions that are answered part by part: where an answer has to keep to something that bounds do not know of, the space is
//! divided into smaller questions, each searched and bounded as any other, until the best of a part keeps to it by itself.
//!
//! # Why nothing is missed
//! A part may hold more than the answers of the question, never less than all of them that lie in it: its bound is a bound on
//! them. A part is closed when nothing in it beats what is known, or when its best is an answer; else its pieces take its
//! place, which together hold every answer that it holds. What could not be closed keeps the proof open with its bound.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use super::beside::{Beside, Quiet};
use super::pool::Pool;
use super::question::{Proof, Search};
use crate::monitor::{Monitor, Progress};
use crate::problem::{Candidate, Problem};

/// How a space is divided.
pub(super) trait Division {
    /// A part of the space.
    type Part: Clone + Ord;

    /// The question of a part; `None` where nothing can be in it.
    fn problem(&self, part: &Self::Part) -> Option<Problem>;

    /// Whether a candidate of a part is an answer.
    fn holds(&self, candidate: &Candidate) -> bool;

    /// Smaller parts that together hold all answers of `part`, such that one that is not an answer (`around`) tends to be in none
    /// of them; none where it cannot be divided.
    fn split(&self, part: &Self::Part, around: Option<&Candidate>) -> Vec<Self::Part>;

    /// A small part of answers only, near to what is none.
    fn rounded(&self, part: &Self::Part, near: &Candidate) -> Option<Self::Part>;
}

/// The part of what is left of the effort that one part gets.
const SHARE: u64 = 6;
/// The same for a small part near to a candidate, and what a part costs that was decided with less than its share.
const SMALL_SHARE: u64 = 48;
/// Effort below which no part is begun.
const LEAST: u64 = 1_000;

struct Open<P> {
    part: P,
    bound: f64,
    /// Order of creation: breaks ties, so that the order of work is fixed.
    number: usize,
}

impl<P> PartialEq for Open<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<P> Eq for Open<P> {}

impl<P> PartialOrd for Open<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for Open<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

/// What a part has shown.
struct Searched {
    /// Something better than what was known that is no answer.
    stray: Option<Candidate>,
    /// Everything in the part that beats what was known was met.
    complete: bool,
    /// Nothing in the part scores more.
    bound: f64,
}

impl Search<'_> {
    /// Searches `roots`, part by part, for answers above the cutoff of `pool`, with at most `left` steps,
    /// of which it leaves what it did not need.
    pub(super) fn prove_in_parts<D: Division>(
        &self,
        division: &D,
        roots: Vec<D::Part>,
        pool: &mut Pool,
        left: &mut u64,
    ) -> Proof {
        let mut seen: BTreeSet<D::Part> = roots.iter().cloned().collect();
        let opened = |(number, part)| Open { part, bound: f64::INFINITY, number };
        let mut queue: BinaryHeap<_> = roots.into_iter().enumerate().map(opened).collect();
        let mut created = queue.len();
        let effort = *left;
        let share_spent = |left: u64| 1.0 - left as f64 / effort.max(1) as f64;
        let mut tried: BTreeSet<D::Part> = BTreeSet::new();
        let mut open_bound = f64::NEG_INFINITY;
        while let Some(Open { part, bound, .. }) = queue.pop() {
            if bound <= pool.cutoff() {
                break;
            }
            if *left < LEAST || self.monitor.stop() {
                open_bound = open_bound.max(bound);
                break;
            }
            let share = (*left / SHARE).max(LEAST);
            let elsewhere = queue.peek().map_or(open_bound, |open| open.bound.max(open_bound));
            let monitor = Beside::new(self.monitor, self.problem, bound, elsewhere).with_shares(
                share_spent(*left),
                share_spent(left.saturating_sub(share)),
                pool.best().map(|best| best.score),
            );
            let Some(searched) = self.search_part(division, &part, pool, share, &monitor) else { continue };
            let spent = if searched.complete { *left / SMALL_SHARE } else { share };
            *left = left.saturating_sub(spent.max(LEAST));
            let bound = searched.bound.min(bound);
            if let Some(stray) = &searched.stray
                && let Some(rounded) = division.rounded(&part, stray)
                && tried.insert(rounded.clone())
            {
                let small = (*left / SMALL_SHARE).max(LEAST);
                self.search_part(division, &rounded, pool, small, &Quiet(self.monitor));
                *left = left.saturating_sub(small);
            }
            if (searched.complete && searched.stray.is_none()) || bound <= pool.cutoff() {
                continue;
            }
            let pieces = division.split(&part, searched.stray.as_ref());
            if pieces.is_empty() {
                open_bound = open_bound.max(bound);
            }
            for part in pieces {
                if seen.insert(part.clone()) {
                    queue.push(Open { part, bound, number: created });
                    created += 1;
                }
            }
        }
        let found = pool.best();
        let best = found.map(|best| best.score);
        self.monitor.progress(&Progress {
            found,
            best: best.map(|score| self.problem.goal.value(score)),
            bound: self.problem.goal.value(best.map_or(open_bound, |score| open_bound.max(score))),
            effort_spent: share_spent(*left),
        });
        Proof { open_bound, complete: open_bound <= pool.cutoff() }
    }

    /// Searches one part; answers go to `pool`. `None` where the part is empty.
    fn search_part<D: Division>(
        &self,
        division: &D,
        part: &D::Part,
        pool: &mut Pool,
        effort: u64,
        monitor: &dyn Monitor,
    ) -> Option<Searched> {
        let problem = division.problem(part)?;
        let mut search = Search::new(&problem, self.settings, monitor);
        search.canonical = self.canonical.clone();
        let mut own = pool.clone();
        let proof = search.prove(&mut own, effort);
        let (mut stray, mut highest) = (None, f64::NEG_INFINITY);
        for candidate in own.into_candidates() {
            if pool.knows(&candidate) {
                continue;
            }
            highest = highest.max(candidate.score);
            if division.holds(&candidate) && self.problem.allows(&candidate.allocation, &candidate.placements)
            {
                pool.add(&self.canonical, candidate);
            } else {
                stray.get_or_insert(candidate);
            }
        }
        let bound = if proof.complete { highest } else { highest.max(proof.open_bound) };
        Some(Searched { stray, complete: proof.complete, bound })
    }
}
