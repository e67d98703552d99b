//! Searches questions part by part: if an answer must satisfy a constraint that bounds ignore, the space is divided into smaller questions.
//! Each is searched and bounded as any other, until the best of a part satisfies the constraint by itself.
//!
//! # Why nothing is missed
//! A part may hold more than answers of the question, but never less than all answers within it: its bound is a bound on them. A part is
//! closed when nothing in it beats the known best, or when its best is an answer. Otherwise it is replaced by its pieces, which together
//! hold all of its answers. A part that could not be closed keeps the proof open with its bound.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use numasim_model::{AppId, NodeId};

use super::budget::{Beside, Quiet};
use super::pool::Pool;
use super::{Proof, Search};
use crate::monitor::{Monitor, Progress};
use crate::problem::{Candidate, Problem};
use crate::restrictions::may_hold;
use crate::symmetry::{app_classes, node_classes};

/// A division of a space.
pub(super) trait Division {
    /// A part of the space.
    type Part: Clone + Ord;

    /// The question of a part; `None` if it is empty.
    fn problem(&self, part: &Self::Part) -> Option<Problem>;

    /// Whether a candidate of a part is an answer.
    fn holds(&self, candidate: &Candidate) -> bool;

    /// Smaller parts that together hold all answers of `part`, such that a candidate that is not an answer (`around`) tends to be in none
    /// of them; empty if it cannot be divided.
    fn split(&self, part: &Self::Part, around: Option<&Candidate>) -> Vec<Self::Part>;

    /// A small part that contains only answers, near a candidate that is not one.
    fn rounded(&self, part: &Self::Part, near: &Candidate) -> Option<Self::Part>;
}

/// One part gets the remaining budget divided by this.
const SHARE: u64 = 6;
/// The same for a small part near a candidate, and the cost of a part that was decided with less than its share.
const SMALL_SHARE: u64 = 48;
/// Below this budget no part is started.
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

/// The result of a part.
struct Searched {
    /// A candidate that beats the known best but is not an answer.
    stray: Option<Candidate>,
    /// Every candidate in the part that beats the known best was met.
    complete: bool,
    /// Nothing in the part scores more.
    bound: f64,
}

impl Search<'_> {
    /// Searches `roots`, part by part, for answers above the cutoff of `pool`, with at most `left` steps; unused steps stay in `left`.
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

    /// Searches one part; answers go to `pool`. `None` if the part is empty.
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
        let proof = if problem.is_by_domain() {
            search.prove_by_domain(&mut own, effort)
        } else {
            search.prove(&mut own, effort)
        };
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

// Applications that may use only a few nodes: the nodes are decided part by part.
//
// A part defines the nodes that an application may use. If the best of a part has an application on too many, one of these nodes is chosen.
// Either the application uses it, which is recorded, or it uses none of the nodes like it. Once its maximum is recorded, the other nodes
// are excluded.

/// Per application: the nodes that it may use, and those of them that it is assumed to use; both ascending.
pub(super) type Sets = Vec<(Vec<usize>, Vec<usize>)>;

/// The limits on the number of nodes of applications.
pub(super) struct FewNodes<'a> {
    problem: &'a Problem,
    /// For each application the first one that is equal.
    app_classes: Vec<usize>,
}

impl<'a> FewNodes<'a> {
    /// `None` if no application is limited to fewer nodes than it could use.
    pub(super) fn new(problem: &'a Problem) -> Option<Self> {
        let Problem { machine, apps, restrictions, .. } = problem;
        // All nodes have the same content then: everything is tried, or nothing.
        if restrictions.same_on_every_node {
            return None;
        }
        let could = |app| machine.compute_nodes().filter(|&node| may_hold(app, node)).count();
        let asked = apps.iter().any(|app| app.placing.max_nodes.is_some_and(|most| most < could(app)));
        asked.then(|| Self { problem, app_classes: app_classes(machine, apps) })
    }

    /// The whole space.
    pub(super) fn root(&self) -> Sets {
        let Problem { machine, apps, .. } = self.problem;
        let nodes = |app| machine.compute_nodes().filter(move |&node| may_hold(app, node));
        apps.iter().map(|app| (nodes(app).map(|node| node.0).collect(), Vec::new())).collect()
    }

    fn most(&self, app: usize) -> usize {
        self.problem.apps[app].placing.max_nodes.unwrap_or(usize::MAX)
    }

    /// The same with equal instances in order.
    fn in_order(&self, sets: &Sets) -> Sets {
        let mut groups: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for (app, own) in sets.iter().enumerate() {
            groups.entry(self.app_classes[app]).or_default().push(own.clone());
        }
        for group in groups.values_mut() {
            group.sort_unstable_by(|a, b| b.cmp(a));
        }
        let next = |class: &usize| groups.get_mut(class).and_then(Vec::pop).unwrap_or_default();
        self.app_classes.iter().map(next).collect()
    }

    /// The nodes that are like `node`, including itself.
    fn like(sets: &Sets, problem: &Problem, node: usize) -> Vec<usize> {
        let Problem { machine, apps, .. } = problem;
        let fixed: Vec<_> = apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        let class = node_classes(machine, apps, &fixed, fixed.len() < apps.len());
        let noted = |other: usize| sets.iter().map(move |(_, used)| used.contains(&other));
        (0..class.len())
            .filter(|&other| class[other] == class[node] && noted(other).eq(noted(node)))
            .collect()
    }
}

impl Division for FewNodes<'_> {
    type Part = Sets;

    fn problem(&self, sets: &Sets) -> Option<Problem> {
        let mut problem = self.problem.clone();
        for (app, (allowed, _)) in problem.apps.iter_mut().zip(sets) {
            if app.placing.max_nodes.take().is_some() {
                app.nodes = Some(allowed.iter().copied().map(NodeId).collect());
            }
        }
        problem.restrictions.check(&problem.machine, &problem.apps).is_ok().then_some(problem)
    }

    fn holds(&self, candidate: &Candidate) -> bool {
        let used = |a: usize| {
            let nodes = 0..self.problem.machine.node_count();
            nodes.filter(|&node| candidate.allocation.get(AppId(a), NodeId(node)) > 0).count()
        };
        (0..self.problem.apps.len()).all(|a| used(a) <= self.most(a))
    }

    fn split(&self, sets: &Sets, around: Option<&Candidate>) -> Vec<Sets> {
        let threads = |a: usize, node: usize| match around {
            Some(candidate) => candidate.allocation.get(AppId(a), NodeId(node)),
            None => 1,
        };
        let used = |a: usize| sets[a].0.iter().filter(|&&node| threads(a, node) > 0).count();
        let over = |a: &usize| used(*a).saturating_sub(self.most(*a));
        let free = |a: usize| sets[a].0.iter().copied().filter(move |node| !sets[a].1.contains(node));
        let app = (0..sets.len()).filter(|a| over(a) > 0).max_by_key(|a| (over(a), std::cmp::Reverse(*a)));
        let Some(app) = app else { return Vec::new() };
        let node = free(app).max_by_key(|&node| (threads(app, node), std::cmp::Reverse(node)));
        let (Some(node), Some(problem)) = (node, self.problem(sets)) else { return Vec::new() };
        let mut with = sets.clone();
        with[app].1.push(node);
        with[app].1.sort_unstable();
        if with[app].1.len() >= self.most(app) {
            let noted = with[app].1.clone();
            with[app].0 = noted;
        }
        let mut without = sets.clone();
        let like = Self::like(sets, &problem, node);
        without[app].0.retain(|node| !like.contains(node) || sets[app].1.contains(node));
        [with, without].iter().map(|sets| self.in_order(sets)).collect()
    }

    /// Each application on the nodes with most of its threads.
    fn rounded(&self, sets: &Sets, near: &Candidate) -> Option<Sets> {
        let keep = |(a, (allowed, _)): (usize, &(Vec<usize>, Vec<usize>))| {
            let mut nodes = allowed.clone();
            nodes.sort_by_key(|&node| std::cmp::Reverse(near.allocation.get(AppId(a), NodeId(node))));
            nodes.truncate(self.most(a));
            nodes.sort_unstable();
            (nodes.clone(), nodes)
        };
        Some(self.in_order(&sets.iter().enumerate().map(keep).collect()))
    }
}
