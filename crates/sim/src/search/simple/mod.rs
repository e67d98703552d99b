//! The simplest allocation that is nearly as good as the best: [`simplest`].
//!
//! # Approach
//! From the simplest class ([`Simplicity`]) on, each is asked whether an allocation of it is good enough: part by part
//! ([`class`], `search/parts.rs`), with the same bounds as the search for the best, but a cutoff that is known from the start. A
//! class is excluded with proof when no part of it can be good enough. The first with an answer is the simplest; within it the
//! best that is found counts.

mod beside;
mod class;
mod measure;

use super::pool::Pool;
use super::question::Search;
use super::settings::{RISE, Settings};
use crate::answer::Forbidden;
use crate::monitor::Monitor;
use crate::problem::{Candidate, Problem, margin};
use beside::settings_beside;
pub use beside::{PART_OF_SIMPLEST, WITHIN, within};
use class::Class;
pub use measure::{Simplicity, simplicity};

use super::parts::Division;

/// The part of what is left of the effort that one class gets.
const SHARE: u64 = 3;

/// The simplest allocation that is good enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Simplest {
    /// The allocation.
    pub candidate: Candidate,
    /// How simple it is.
    pub simplicity: Simplicity,
    /// What it loses of the best, as a share of its value (of its own where smaller is better).
    pub loss: f64,
    /// Whether no simpler allocation is good enough; else none was found.
    pub proven: bool,
}

/// The simplest allocation that loses at most the share `within` of `best`. `known` are other allocations that may be it.
/// [`Settings::effort`] is for all of it.
///
/// # Errors
/// [`Forbidden`] if what was found breaks a rule of the question: a fault of the program.
pub fn simplest(
    problem: &Problem,
    best: &Candidate,
    known: &[Candidate],
    within: f64,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Simplest, Forbidden> {
    let floor = problem.goal.least_score(best.score, within);
    let floor = floor - margin(floor);
    let allowed = |candidate: &&Candidate| {
        candidate.score >= floor && problem.allows(&candidate.allocation, &candidate.placements)
    };
    let key = |candidate: &Candidate| simplicity(&candidate.allocation);
    let found = known.iter().filter(allowed).fold(best, |simpler, next| {
        let order = key(next).cmp(&key(simpler)).then(simpler.score.total_cmp(&next.score));
        if order.is_lt() { next } else { simpler }
    });
    let mut found = found.clone();
    let search = Search::new(problem, settings, monitor);
    let mut left = settings.effort;
    let mut proven = true;
    let mut pool = Pool::above(floor, 1);
    for most in classes(key(&found), problem.restrictions.whole_nodes) {
        let class = Class { problem, most };
        let Some(mut roots) = class.roots() else {
            proven = false;
            continue;
        };
        // The best of all is known: it is not in the class.
        if let [root] = &roots[..]
            && most.mixed
        {
            let rounded = class.rounded(root, best);
            roots = rounded.into_iter().chain(class.split(root, Some(best))).collect();
        }
        let mut share = left / SHARE;
        left -= share;
        let proof = search.prove_in_parts(&class, roots, &mut pool, &mut share);
        left += share;
        if let Some(simpler) = pool.best() {
            found = simpler.clone();
            break;
        }
        proven &= proof.complete;
    }
    problem.check_answer(&found.allocation, &found.placements)?;
    let value = |score| problem.goal.value(score);
    let loss = problem.goal.loss(value(best.score), value(found.score));
    Ok(Simplest { simplicity: key(&found), candidate: found, loss, proven })
}

/// [`simplest`], again and again with more effort until it is proven or `monitor` says stop. Without anybody who stops it, it may go
/// on for very long.
///
/// # Errors
/// Those of [`simplest`].
pub fn simplest_to_the_end(
    problem: &Problem,
    best: &Candidate,
    known: &[Candidate],
    within: f64,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Simplest, Forbidden> {
    let mut settings = *settings;
    let mut known = known.to_vec();
    loop {
        let found = simplest(problem, best, &known, within, &settings, monitor)?;
        if found.proven || monitor.stop() || settings.effort == u64::MAX {
            return Ok(found);
        }
        known.push(found.candidate);
        settings.effort = settings.effort.saturating_mul(RISE);
    }
}

/// The simplest with its part of the effort of `settings`, which are those of the search for the best. `timed`: somebody gave a time
/// limit, which is there to be used ([`simplest_to_the_end`]); its part is `monitor`'s to keep.
///
/// # Errors
/// Those of [`simplest`].
pub fn simplest_beside(
    problem: &Problem,
    best: &Candidate,
    known: &[Candidate],
    within: f64,
    settings: &Settings,
    timed: bool,
    monitor: &dyn Monitor,
) -> Result<Simplest, Forbidden> {
    let search = if timed { simplest_to_the_end } else { simplest };
    search(problem, best, known, within, &settings_beside(settings), monitor)
}

/// All classes that are simpler than `than`, the simplest first. Where nodes are whole anyway, there is no other way.
fn classes(than: Simplicity, whole_nodes: bool) -> impl Iterator<Item = Simplicity> {
    let all = (0..=than.numbers).flat_map(|numbers| [false, true].map(|mixed| Simplicity { numbers, mixed }));
    // Where nobody has a thread, no node is shared.
    all.filter(move |class| *class < than && !(class.mixed && (whole_nodes || class.numbers == 0)))
}
