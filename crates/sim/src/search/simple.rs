//! The simplest allocation that is nearly as good as the best: [`simplest`].
//!
//! # Approach
//! Starting from the simplest class ([`Simplicity`]), each class is searched for an allocation that is good enough. The search goes part by
//! part ([`class`], `search/parts.rs`), with the same bounds as the search for the best, but with a cutoff that is known from the start. A
//! class is excluded with proof when no part of it can be good enough. The first class with an answer is the simplest; within it the best
//! allocation found is returned.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use numasim_model::{Allocation, AppId, NodeId};

use super::Search;
use super::budget::{RISE, Settings};
use super::parts::Division;
use super::pool::Pool;
use crate::answer::Forbidden;
use crate::layouts;
use crate::monitor::Monitor;
use crate::objective::margin;
use crate::problem::{Candidate, Evaluator, Problem};

/// One class gets the remaining budget divided by this.
const SHARE: u64 = 3;

/// The simplest allocation that is good enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Simplest {
    /// The allocation.
    pub candidate: Candidate,
    /// How simple it is.
    pub simplicity: Simplicity,
    /// Its loss against the best, as a fraction of the best value (of the value of the simplest if smaller is better).
    pub loss: f64,
    /// Whether it is proven that no simpler allocation is good enough; otherwise none was found.
    pub proven: bool,
}

/// The simplest allocation that loses at most the fraction `within` of `best`. `known` are other allocations that may be the answer.
/// [`Settings::effort`] is the budget of the whole search.
///
/// # Errors
/// [`Forbidden`] if the result breaks a rule of the question: a fault of the program.
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
    let laid_out = laid_out(problem, best);
    let found = known.iter().chain(&laid_out).filter(allowed).fold(best, |simpler, next| {
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

/// Layouts with the same number of threads of each application and the same share of all memories as `best`, with the data in the same
/// places.
fn laid_out(problem: &Problem, best: &Candidate) -> Vec<Candidate> {
    let mut evaluator = Evaluator::new(problem, best.placements.clone());
    let apps = 0..problem.apps.len();
    let threads: Vec<u32> = apps.map(|a| best.allocation.row(AppId(a)).iter().sum()).collect();
    let gflops = evaluator.gflops_of(&best.allocation).to_vec();
    let drawn =
        gflops.iter().zip(&problem.apps).map(|(gflops, app)| gflops / app.arithmetic_intensity.value());
    let mut layouts = layouts::in_a_row(problem, &threads, &drawn.collect::<Vec<_>>());
    layouts.push(layouts::whole_jobs(problem, &threads, &layouts::wanted_gbs(problem, &evaluator, &threads)));
    layouts.retain(|allocation| problem.restrictions.allow(&problem.machine, &problem.apps, allocation));
    layouts.into_iter().map(|allocation| evaluator.candidate(allocation)).collect()
}

/// [`simplest`], repeated with larger budgets until it is proven or `monitor` stops it. Without a stop, it may run for a very long time.
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

/// The simplest with its part of the budget of `settings`, which are those of the search for the best. `timed`: a time limit is set and may
/// be used ([`simplest_to_the_end`]); `monitor` enforces its part.
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

/// All classes that are simpler than `than`, the simplest first. If nodes must be whole, only unmixed classes exist.
fn classes(than: Simplicity, whole_nodes: bool) -> impl Iterator<Item = Simplicity> {
    let all = (0..=than.numbers).flat_map(|numbers| [false, true].map(|mixed| Simplicity { numbers, mixed }));
    // If no application has a thread, no node is shared.
    all.filter(move |class| *class < than && !(class.mixed && (whole_nodes || class.numbers == 0)))
}

// Settings of the search for the simplest in addition to that for the best: its allowed loss, and its share of time and budget.

/// The search for the simplest gets the time limit, or without one the budget, divided by this.
pub const PART_OF_SIMPLEST: u32 = 5;

/// Default loss against the best that the simplest may have, as a fraction.
pub const WITHIN: f64 = 0.01;

/// The loss against the best that the simplest may have, as a fraction.
///
/// # Errors
/// The valid range: from 0 to below 1.
pub fn within(share: f64) -> Result<f64, &'static str> {
    let known = (0.0..1.0).contains(&share);
    known.then_some(share).ok_or("write a share from 0 to below 1, such as 0.01 for 1 %")
}

/// The settings of the search for the simplest, next to one for the best with `settings`.
pub(super) fn settings_beside(settings: &Settings) -> Settings {
    Settings { top: 0, effort: settings.effort / u64::from(PART_OF_SIMPLEST), ..*settings }
}

// All allocations of one degree of simplicity, or a lower one, as a space that is searched part by part.
//
// A part defines, for each application, the ranges of its numbers of threads on a node; there are no more ranges than allowed different
// numbers. If the best of a part has several numbers in a range, the range is cut between them. The numbers are below the cut, or above it,
// or, if another range is allowed, in both.

/// Per application: ranges of numbers of threads on a node, both ends included, ascending.
pub(super) type Ranges = Vec<Vec<(u32, u32)>>;

/// Maximum number of ways to leave applications without threads that are searched.
const MOST_ROOTS: usize = 256;

/// A degree of simplicity.
pub(super) struct Class<'a> {
    pub(super) problem: &'a Problem,
    pub(super) most: Simplicity,
}

impl Class<'_> {
    /// The parts that together are the whole class. If it has fewer numbers than there are applications, some of the optional applications
    /// have no threads. `None` if there are too many parts.
    pub(super) fn roots(&self) -> Option<Vec<Ranges>> {
        let Problem { machine, apps, restrictions, .. } = self.problem;
        let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(0).max(1);
        let without = apps.len().saturating_sub(self.most.numbers);
        let optional: Vec<usize> = (0..apps.len())
            .filter(|&a| apps[a].min_threads == 0 && restrictions.min_threads_per_node == 0)
            .collect();
        let mut left_out: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..without {
            let longer = |chosen: Vec<usize>| {
                let next = chosen.last().map_or(0, |last| last + 1);
                let more: Vec<usize> = optional.iter().copied().filter(|&a| a >= next).collect();
                more.into_iter().map(move |a| [&chosen[..], &[a]].concat())
            };
            left_out = left_out.into_iter().flat_map(longer).take(MOST_ROOTS + 1).collect();
        }
        let of = |out: &Vec<usize>| -> Ranges {
            (0..apps.len()).map(|a| if out.contains(&a) { vec![] } else { vec![(1, largest)] }).collect()
        };
        (left_out.len() <= MOST_ROOTS).then(|| left_out.iter().map(of).collect())
    }
}

impl Division for Class<'_> {
    type Part = Ranges;

    fn problem(&self, ranges: &Ranges) -> Option<Problem> {
        let mut problem = self.problem.clone();
        for (app, own) in problem.apps.iter_mut().zip(ranges) {
            let asked = app.placing.per_node.take();
            app.placing.per_node = Some(asked.map_or_else(|| own.clone(), |asked| in_both(&asked, own)));
        }
        problem.restrictions.whole_nodes |= !self.most.mixed;
        problem.restrictions.check(&problem.machine, &problem.apps).is_ok().then_some(problem)
    }

    fn holds(&self, candidate: &Candidate) -> bool {
        simplicity(&candidate.allocation) <= self.most
    }

    fn split(&self, ranges: &Ranges, around: Option<&Candidate>) -> Vec<Ranges> {
        let used = |a: usize, (least, most): (u32, u32)| -> Vec<u32> {
            match around {
                Some(candidate) => {
                    numbers(&candidate.allocation, AppId(a)).range(least..=most).copied().collect()
                }
                None if least < most => vec![least, most],
                None => vec![least],
            }
        };
        let all = (0..ranges.len()).flat_map(|a| (0..ranges[a].len()).map(move |i| (a, i)));
        let several = all.map(|(a, i)| (used(a, ranges[a][i]), a, i)).filter(|(used, ..)| used.len() > 1);
        let width = |a: usize, i: usize| ranges[a][i].1 - ranges[a][i].0;
        let widest = several.max_by_key(|(used, a, i)| (used.len(), width(*a, *i), Reverse((*a, *i))));
        let Some((used, a, i)) = widest else { return Vec::new() };
        // Between the two that are farthest apart.
        let pair = used.windows(2).max_by_key(|pair| (pair[1] - pair[0], Reverse(pair[0])));
        let Some(&[below, above]) = pair else { return Vec::new() };
        let cut = below + (above - below) / 2;
        let cut = if cut == above { below } else { cut };
        let (least, most) = ranges[a][i];
        let (low, high) = ((least, cut), (cut + 1, most));
        let with = |pieces: &[(u32, u32)]| {
            let mut ranges = ranges.clone();
            ranges[a].splice(i..=i, pieces.iter().copied());
            ranges
        };
        let count: usize = ranges.iter().map(Vec::len).sum();
        let both = (count < self.most.numbers).then(|| with(&[low, high]));
        [with(&[low]), with(&[high])].into_iter().chain(both).collect()
    }

    /// The numbers on most nodes, one of each application first.
    fn rounded(&self, ranges: &Ranges, near: &Candidate) -> Option<Ranges> {
        let nodes = |a: usize, threads: u32| {
            let all = 0..near.allocation.nodes();
            all.filter(|&node| near.allocation.get(AppId(a), NodeId(node)) == threads).count()
        };
        let mut rounded: Ranges = vec![Vec::new(); ranges.len()];
        let mut others = Vec::new();
        for a in (0..ranges.len()).filter(|&a| !ranges[a].is_empty()) {
            let mut used: Vec<u32> = numbers(&near.allocation, AppId(a)).into_iter().collect();
            used.sort_by_key(|&threads| Reverse((nodes(a, threads), threads)));
            let mut used = used.into_iter();
            rounded[a].extend(used.next().map(|threads| (threads, threads)));
            others.extend(used.map(|threads| (Reverse(nodes(a, threads)), a, threads)));
        }
        others.sort_unstable();
        let given = rounded.iter().map(Vec::len).sum();
        for (_, a, threads) in others.into_iter().take(self.most.numbers.saturating_sub(given)) {
            rounded[a].push((threads, threads));
            rounded[a].sort_unstable();
        }
        (given <= self.most.numbers).then_some(rounded)
    }
}

/// The intersection of both lists of ranges.
fn in_both(a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(least, most)| least <= most).collect()
}

// The simplicity of an allocation.

/// The length of a description of an allocation: the smaller of two is simpler, compared field by field in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Simplicity {
    /// For each application, the different numbers of threads on the nodes that it uses, added up over applications: "4 on every node" is
    /// 1, "16 on nodes 0 and 1, 3 on node 2" is 2. No application has less than 1, unless it has no thread.
    pub numbers: usize,
    /// Whether some node has threads of several applications: whole nodes are simpler.
    pub mixed: bool,
}

/// The simplicity of `allocation`, which depends on nothing else.
pub fn simplicity(allocation: &Allocation) -> Simplicity {
    let nodes = || (0..allocation.nodes()).map(NodeId);
    let apps = || (0..allocation.apps()).map(AppId);
    let numbers = apps().map(|app| numbers(allocation, app).len()).sum();
    let on = |node| apps().filter(|&app| allocation.get(app, node) > 0).count();
    Simplicity { numbers, mixed: nodes().any(|node| on(node) > 1) }
}

/// The different numbers of threads of an application on the nodes that it uses.
pub(super) fn numbers(allocation: &Allocation, app: AppId) -> BTreeSet<u32> {
    let all = (0..allocation.nodes()).map(|node| allocation.get(app, NodeId(node)));
    all.filter(|&threads| threads > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allowed_loss_is_from_0_to_below_1() {
        assert_eq!([within(0.0), within(0.999)], [Ok(0.0), Ok(0.999)]);
        assert!([-0.1, 1.0, f64::NAN, f64::INFINITY].into_iter().all(|share| within(share).is_err()));
    }
}

#[cfg(test)]
mod tests_of_measure {
    use super::*;

    fn of(rows: &[Vec<u32>]) -> (usize, bool) {
        let found = simplicity(&Allocation::from_rows(rows).expect("equal rows"));
        (found.numbers, found.mixed)
    }

    #[test]
    fn equal_numbers_come_before_whole_nodes_and_both_before_odd_ones() {
        let whole = of(&[vec![8, 8, 0, 0], vec![0, 0, 8, 8]]);
        let equal = of(&[vec![3, 3, 3, 3], vec![5, 5, 5, 5]]);
        let uneven_and_whole = of(&[vec![8, 4, 0, 0], vec![0, 0, 8, 8]]);
        let odd = of(&[vec![3, 1, 4, 0], vec![5, 7, 4, 8]]);
        assert_eq!([whole, equal, uneven_and_whole, odd], [(2, false), (2, true), (3, false), (7, true)]);
        assert!(whole < equal && equal < uneven_and_whole && uneven_and_whole < odd);
        assert_eq!(of(&[vec![0, 0], vec![2, 2]]), (1, false), "who has no thread needs no word");
    }
}
