//! Climbing by L3 domain: threads are added, removed, and exchanged with others, a few or all of an application in a domain. Of equal
//! domains of a node, one is tried.

use std::num::NonZeroU32;

use numasim_model::NodeId;
use numasim_model::Placement;
use rand::{Rng, RngExt as _};

use super::space::{Place, Rated, Space, Threads};
use crate::monitor::Monitor;
use crate::objective::margin;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::may_hold;
use crate::search::budget::Pace;

/// A change: more or fewer threads of an application in a domain.
type Change = (usize, Place, i64);

/// Climbs with fixed data.
pub(super) struct Climber<'s, 'a> {
    space: &'s Space<'a>,
    pub(super) evaluator: Evaluator<'a>,
    pace: Pace<'s>,
    /// Remaining evaluations.
    pub(super) left: u64,
    cost: u64,
}

impl<'s, 'a> Climber<'s, 'a> {
    pub(super) fn new(
        space: &'s Space<'a>,
        placements: Vec<Placement>,
        left: u64,
        monitor: &'s dyn Monitor,
    ) -> Self {
        let evaluator = Evaluator::new(space.problem, placements);
        let cost = space.problem.evaluation_cost() + space.places.len() as u64;
        Self { space, evaluator, pace: Pace::new(monitor), left, cost }
    }

    /// Climbs, moves open homes to better nodes, and climbs again until neither helps. The result may be invalid.
    pub(super) fn with_homes(&mut self, mut threads: Threads, monitor: &dyn Monitor) -> (Threads, Rated) {
        let mut rated = self.climb(&mut threads);
        let data = self.space.data();
        let open = data.iter().any(numasim_model::Data::is_open);
        while open && rated.broken == 0 && !self.is_over() {
            let Some(allocation) = self.space.allocation(&threads) else { break };
            let moved =
                self.space
                    .problem
                    .with_better_homes(&allocation, &data, &self.evaluator.placements, &|| monitor.stop());
            if moved.placements == self.evaluator.placements
                || moved.score <= rated.score + margin(rated.score)
            {
                break;
            }
            self.evaluator = Evaluator::new(self.space.problem, moved.placements);
            rated = self.climb(&mut threads);
        }
        (threads, rated)
    }

    /// Climbs until no move improves `threads`, then removes threads without benefit.
    pub(super) fn climb(&mut self, threads: &mut Threads) -> Rated {
        let everywhere = self.space.places.clone();
        let mut climb = Climb::new(threads, self.rate(threads), everywhere);
        while self.sweep(&mut climb) {}
        climb.fewer = true;
        climb.open.clone_from(&self.space.places);
        while self.sweep(&mut climb) {}
        climb.rated
    }

    /// The best of `threads` after this number of kicks, each of them a few random changes and a climb.
    pub(super) fn kicked(&mut self, threads: &mut Threads, kicks: u64, random: &mut impl Rng) -> Rated {
        let mut best = self.rate(threads);
        for _ in 0..kicks {
            if self.is_over() {
                break;
            }
            let mut next = threads.clone();
            let changed = self.kick(&mut next, random);
            let rated = self.rate(&next);
            let mut climb = Climb::new(&mut next, rated, changed);
            while self.sweep(&mut climb) {}
            let rated = climb.rated;
            if rated.beats(&best, best.score) {
                (*threads, best) = (next, rated);
            }
        }
        best
    }

    /// The candidate for the result of a climb.
    pub(super) fn candidate(&mut self, threads: &[u32]) -> Option<Candidate> {
        self.space.candidate(&mut self.evaluator, threads)
    }

    pub(super) fn is_over(&self) -> bool {
        self.left == 0 || self.pace.stopped()
    }

    pub(super) fn rate(&mut self, threads: &[u32]) -> Rated {
        self.left = self.left.saturating_sub(1);
        self.pace.stops_after(self.cost);
        self.space.rate(&mut self.evaluator, threads)
    }

    /// Changes the contents of a few domains of one or two nodes; returns these domains.
    fn kick(&self, threads: &mut Threads, random: &mut impl Rng) -> Vec<Place> {
        let space = self.space;
        let mut changed: Vec<Place> = Vec::new();
        for _ in 0..random.random_range(2..=6) {
            let mut place = || space.places[random.random_range(0..space.places.len())];
            let (from, to) = (place(), place());
            let a = random.random_range(0..space.apps);
            let count = threads[space.at(a, from)];
            let changes: Vec<Change> = match random.random_range(0..4) {
                0 if count > 0 => vec![(a, from, -i64::from(random.random_range(1..=count)))],
                1 => {
                    let b = random.random_range(0..space.apps);
                    vec![(a, from, -i64::from(count)), (b, from, i64::from(count))]
                }
                2 => {
                    let moved = i64::from(count.min(space.free(threads, to)));
                    vec![(a, from, -moved), (a, to, moved)]
                }
                _ => (0..space.apps)
                    .flat_map(|app| {
                        let (here, there) = (threads[space.at(app, from)], threads[space.at(app, to)]);
                        let more = i64::from(there) - i64::from(here);
                        [(app, from, more), (app, to, -more)]
                    })
                    .collect(),
            };
            if from != to || changes.iter().all(|change| change.1 == from) {
                let made = self.apply(threads, &changes).unwrap_or_default();
                changed.extend(made.iter().map(|change| change.1));
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Makes the changes, on every node if all must be alike; `None`, with nothing changed, if they do not fit.
    fn apply(&self, threads: &mut Threads, changes: &[Change]) -> Option<Vec<Change>> {
        let space = self.space;
        let same = space.problem.restrictions.same_on_every_node;
        let mut all: Vec<Change> = Vec::with_capacity(changes.len());
        for &(app, place, more) in changes.iter().filter(|change| change.2 != 0) {
            if !same {
                all.push((app, place, more));
                continue;
            }
            let alike = space.places.iter().filter(|other| other.1 == place.1);
            let held = alike.filter(|other| may_hold(&space.problem.apps[app], NodeId(other.0)));
            all.extend(held.map(|&other| (app, other, more)));
        }
        let mut fits = true;
        for &(app, place, more) in &all {
            let count = &mut threads[space.at(app, place)];
            let next = i64::from(*count) + more;
            fits &= next >= 0;
            // Undone below, even if it is below 0.
            *count = count.wrapping_add_signed(i32::try_from(more).unwrap_or(0));
        }
        let used = |place: Place| -> u64 {
            (0..space.apps).map(|app| u64::from(threads[space.at(app, place)])).sum()
        };
        fits = fits && all.iter().all(|&(_, place, _)| used(place) <= u64::from(space.cores(place)));
        if !fits {
            self.undo(threads, &all);
            return None;
        }
        Some(all)
    }

    fn undo(&self, threads: &mut Threads, changes: &[Change]) {
        for &(app, place, more) in changes {
            let count = &mut threads[self.space.at(app, place)];
            *count = count.wrapping_sub_signed(i32::try_from(more).unwrap_or(0));
        }
    }

    /// Makes the changes if that is better; returns whether it was.
    fn tries(&mut self, climb: &mut Climb<'_>, changes: &[Change]) -> bool {
        if self.is_over() {
            return false;
        }
        let Some(made) = self.apply(climb.threads, changes) else { return false };
        let rated = self.rate(climb.threads);
        let takes = if climb.fewer {
            let more: i64 = made.iter().map(|change| change.2).sum();
            more < 0 && !climb.rated.beats(&rated, climb.top) && rated.score >= climb.top - margin(climb.top)
        } else {
            rated.beats(&climb.rated, climb.top)
        };
        if takes {
            let resets = rated.broken < climb.rated.broken || rated.excess < climb.rated.excess;
            climb.top = if resets { rated.score } else { climb.top.max(rated.score) };
            climb.rated = rated;
            for (_, place, _) in made {
                if !climb.open.contains(&place) {
                    climb.open.push(place);
                }
            }
        } else {
            self.undo(climb.threads, &made);
        }
        takes
    }

    /// Tries every move of the open domains and keeps each improvement; true if there was one.
    fn sweep(&mut self, climb: &mut Climb<'_>) -> bool {
        let space = self.space;
        let mut improved = false;
        let open = std::mem::take(&mut climb.open);
        for from in space.different(climb.threads, &open, None) {
            if self.is_over() {
                return improved;
            }
            for a in 0..space.apps {
                improved |= self.sweep_here(climb, a, from);
            }
            if climb.fewer {
                continue;
            }
            for to in space.different(climb.threads, &space.places, Some(from)) {
                let closed = !open.contains(&to);
                for a in 0..space.apps {
                    improved |= self.sweep_pair(climb, a, from, to);
                    improved |= closed && self.moves(climb, a, to, from);
                }
            }
        }
        improved
    }

    /// Moves within one domain: threads of an application are added, removed, or replace others.
    fn sweep_here(&mut self, climb: &mut Climb<'_>, a: usize, from: Place) -> bool {
        let space = self.space;
        let mut improved = false;
        let count = |climb: &Climb<'_>, app: usize| i64::from(climb.threads[space.at(app, from)]);
        for step in self.steps(a, count(climb, a)) {
            if !climb.fewer {
                improved |= self.tries(climb, &[(a, from, step)]);
            }
            if step <= count(climb, a) {
                improved |= self.tries(climb, &[(a, from, -step)]);
            }
        }
        if climb.fewer || count(climb, a) == 0 {
            return improved;
        }
        for b in (0..space.apps).filter(|&b| b != a) {
            let (all, free) = (count(climb, a), i64::from(space.free(climb.threads, from)));
            let each = |app: usize| self.steps(app, 1).last().copied().unwrap_or(1);
            let (of_a, of_b) = (each(a), each(b));
            let mut pairs = vec![(1, 1), (all, all + free), (all, of_b), (of_a, of_b), (all, all)];
            pairs.sort_unstable();
            pairs.dedup();
            for (fewer, more) in pairs {
                if fewer > 0 && more > 0 && fewer <= count(climb, a) {
                    improved |= self.tries(climb, &[(a, from, -fewer), (b, from, more)]);
                }
            }
        }
        improved
    }

    /// Moves between two domains: threads of `a` move from one to the other, or change places with those of another application there.
    fn sweep_pair(&mut self, climb: &mut Climb<'_>, a: usize, from: Place, to: Place) -> bool {
        let space = self.space;
        let mut improved = false;
        let count = |climb: &Climb<'_>, app: usize, place| i64::from(climb.threads[space.at(app, place)]);
        if count(climb, a, from) == 0 {
            return false;
        }
        improved |= self.moves(climb, a, from, to);
        for b in (0..space.apps).filter(|&b| b != a) {
            let (here, there) = (count(climb, a, from), count(climb, b, to));
            let both = here.min(there);
            let mut pairs = vec![(1, 1), (both, both), (here, there)];
            pairs.dedup();
            for (x, y) in pairs {
                if x > 0 && y > 0 && x <= count(climb, a, from) && y <= count(climb, b, to) {
                    improved |= self.tries(climb, &[(a, from, -x), (a, to, x), (b, to, -y), (b, from, y)]);
                }
            }
        }
        improved
    }

    /// Moves threads of `a` from one domain to another.
    fn moves(&mut self, climb: &mut Climb<'_>, a: usize, from: Place, to: Place) -> bool {
        let mut improved = false;
        let all = climb.threads[self.space.at(a, from)].min(self.space.free(climb.threads, to));
        for step in self.steps(a, i64::from(all)) {
            if step <= i64::from(all) {
                improved |= self.tries(climb, &[(a, from, -step), (a, to, step)]);
            }
        }
        improved
    }

    /// The numbers of threads by which an application changes: 1, its required step, and all.
    fn steps(&self, app: usize, all: i64) -> Vec<i64> {
        let placing = &self.space.problem.apps[app].placing;
        let asked = [placing.per_l3, placing.multiple_of].into_iter().flatten().map(NonZeroU32::get);
        let mut steps: Vec<i64> = std::iter::once(1).chain(asked.map(i64::from)).collect();
        steps.extend((all > 1).then_some(all));
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// A climb from one allocation.
pub(in crate::search) fn climbed(problem: &Problem, start: &Candidate, monitor: &dyn Monitor) -> Candidate {
    let space = Space::new(problem);
    let mut climber = Climber::new(&space, start.placements.clone(), u64::MAX, monitor);
    let rated = climber.evaluator.candidate(start.allocation.clone());
    let (threads, _) = climber.with_homes(space.of(&start.allocation), monitor);
    climber.candidate(&threads).filter(|found| found.beats(&rated)).unwrap_or(rated)
}

/// `start` with threads removed one step at a time while it `is_good` (a test of the GFLOPS of the applications): each step removes the
/// threads that cost least.
pub(in crate::search) fn spared(
    problem: &Problem,
    start: &Candidate,
    is_good: &dyn Fn(&[f64]) -> bool,
    monitor: &dyn Monitor,
) -> Candidate {
    let space = Space::new(problem);
    let mut climber = Climber::new(&space, start.placements.clone(), u64::MAX, monitor);
    let (mut threads, mut found) = (space.of(&start.allocation), start.clone());
    while let Some((fewer, candidate)) = climber.one_step_down(&threads, is_good) {
        (threads, found) = (fewer, Candidate { smt: start.smt.clone(), ..candidate });
    }
    found
}

impl Climber<'_, '_> {
    /// The best allowed allocation that is good and has one step fewer threads somewhere; in a tie, the one with the fewest threads.
    fn one_step_down(
        &mut self,
        threads: &Threads,
        is_good: &dyn Fn(&[f64]) -> bool,
    ) -> Option<(Threads, Candidate)> {
        let space = self.space;
        let total = |threads: &[u32]| threads.iter().map(|&number| u64::from(number)).sum::<u64>();
        let mut best: Option<(Threads, Candidate)> = None;
        for place in space.different(threads, &space.places, None) {
            for app in 0..space.apps {
                let here = i64::from(threads[space.at(app, place)]);
                for step in self.steps(app, here).into_iter().filter(|&step| step <= here) {
                    if self.is_over() {
                        return None;
                    }
                    let mut fewer = threads.clone();
                    let made = self.apply(&mut fewer, &[(app, place, -step)]).is_some();
                    let Some(candidate) = made.then(|| self.candidate(&fewer)).flatten() else { continue };
                    let gains = best.as_ref().is_none_or(|(other, best)| {
                        let least = best.score + margin(best.score);
                        let as_good = candidate.score >= best.score - margin(best.score);
                        candidate.score > least || as_good && total(&fewer) < total(other)
                    });
                    if gains && is_good(self.evaluator.gflops_of(&candidate.allocation)) {
                        best = Some((fewer, candidate));
                    }
                }
            }
        }
        best
    }
}

/// The state of a climb.
struct Climb<'t> {
    threads: &'t mut Threads,
    rated: Rated,
    /// The best score among those with the fewest violations.
    top: f64,
    /// Whether only threads without benefit are removed.
    fewer: bool,
    /// Domains whose moves remain to be tried.
    open: Vec<Place>,
}

impl<'t> Climb<'t> {
    fn new(threads: &'t mut Threads, rated: Rated, open: Vec<Place>) -> Self {
        Self { threads, rated, top: rated.score, fewer: false, open }
    }
}
