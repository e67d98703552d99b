//! Completes `fair`: once the smallest p is as large as possible, the second smallest follows, and so on (leximin).
//!
//! # Approach
//! Position after position, the smallest p that is still free is made as large as possible, while the applications of the positions before
//! keep theirs (`Goal::at_level`). This is a search like any other, with its bound. Different allocations can have different applications
//! at a position. An application of the best allocation *must* be there if it cannot have more while all others keep at least the level
//! reached; a search for it alone shows that. If none must, each free application is tried there in turn, as a separate *state*, equal
//! instances once.
//!
//! A position is proven if no state has a larger bound than the level reached, and all positions before are proven. After the first
//! position that is not proven, the searches continue around the best allocation, and prove nothing.

use numasim_model::AppId;

use super::budget::Quiet;
use super::pool::Canonical;
use super::{ExploreError, Outcome, Settings, Status, explore_beyond, explore_by_domain};
use crate::monitor::Monitor;
use crate::objective::{Objective, SCORE_TOLERANCE};
use crate::problem::{Candidate, Evaluator, Problem};
use crate::symmetry::app_classes;

/// Maximum number of states of one position.
const MOST_STATES: usize = 24;
/// Maximum number of searches, for each application.
const SEARCHES_PER_APP: usize = 10;
/// Each search has the budget divided by this.
const PART_OF_EFFORT: u64 = 100;

/// The applications with one p, from the smallest p up.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Their GFLOPS, as a fraction of their performance alone.
    pub p: f64,
    /// The applications, in the order of the files.
    pub apps: Vec<AppId>,
    /// Whether no allocation is better here and as good at all smaller levels.
    pub proven: bool,
}

/// The minimum p of applications with a floor; for the others the smallest p counts.
type Floors = Vec<Option<f64>>;

/// Whether `p` exceeds `other` by more than the tolerance.
fn exceeds(p: f64, other: f64) -> bool {
    p > other + SCORE_TOLERANCE * other.abs()
}

/// Whether the sorted p of one allocation are better than those of another one.
pub(crate) fn is_fairer(a: &[f64], b: &[f64]) -> bool {
    let differs = a.iter().zip(b).find(|(a, b)| exceeds(**a, **b) || exceeds(**b, **a));
    differs.is_some_and(|(a, b)| a > b)
}

impl Problem {
    /// p of each application in an allocation.
    fn p(&self, candidate: &Candidate) -> Vec<f64> {
        self.goal.p(&self.gflops_of(candidate))
    }
}

/// The levels of an allocation, given the proven positions.
fn levels(p: &[f64], proven: &[bool]) -> Vec<Level> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut levels: Vec<Level> = Vec::new();
    for (&app, &proven) in order.iter().zip(proven) {
        match levels.last_mut() {
            Some(level) if !exceeds(p[app], level.p) => {
                level.apps.push(AppId(app));
                level.proven &= proven;
            }
            _ => levels.push(Level { p: p[app], apps: vec![AppId(app)], proven }),
        }
    }
    for level in &mut levels {
        level.apps.sort_unstable();
    }
    levels
}

impl Outcome {
    /// The same with another, equally good allocation as the best one; the previous one becomes the first alternative.
    pub(super) fn replace_best(&mut self, problem: &Problem, best: Candidate, top: usize) {
        if best == self.best {
            return;
        }
        let canonical = Canonical::new(&problem.with_smt(&best.smt));
        self.alternatives.retain(|other| !canonical.are_same(other, &best));
        self.alternatives.insert(0, std::mem::replace(&mut self.best, best));
        self.alternatives.truncate(top);
        self.value = problem.goal.value(self.best.score);
        if self.status == Status::Optimal {
            self.bound = self.value;
        }
        let proven = self.levels.iter().flat_map(|level| level.apps.iter().map(|_| level.proven));
        let proven: Vec<bool> = proven.collect();
        self.levels = levels(&problem.p(&self.best), &proven);
    }

    /// The fairest allocation from here on, with the proof of each level; unchanged for other objectives.
    ///
    /// # Errors
    /// [`ExploreError::Fault`] if the result breaks a rule of the question.
    pub(super) fn with_levels(
        mut self,
        problem: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
    ) -> Result<Self, ExploreError> {
        if problem.goal.objective() != Objective::Fair {
            return Ok(self);
        }
        let mut search = Leximin::new(problem, settings, monitor, self.best.clone());
        let known = problem.starts();
        for other in self.alternatives.iter().chain(&known) {
            if problem.with_smt(&other.smt).permits(other) {
                search.offer(other.clone());
            }
        }
        let proven = search.places(if self.status == Status::Optimal { self.value } else { self.bound });
        let best = search.best;
        problem.with_smt(&best.smt).check_answer(&best.allocation, &best.placements)?;
        self.levels = levels(&problem.p(&best), &proven);
        self.replace_best(problem, best, settings.top);
        Ok(self)
    }
}

struct Leximin<'a> {
    problem: &'a Problem,
    settings: Settings,
    monitor: &'a dyn Monitor,
    best: Candidate,
    /// p of its applications, ascending.
    sorted: Vec<f64>,
    /// Remaining searches.
    left: usize,
    /// No p is larger.
    most: f64,
    /// For each application the first one that is equal.
    classes: Vec<usize>,
}

impl<'a> Leximin<'a> {
    fn new(problem: &'a Problem, settings: &Settings, monitor: &'a dyn Monitor, best: Candidate) -> Self {
        let apps = problem.apps.len();
        let settings = Settings { top: 0, effort: settings.effort / PART_OF_EFFORT, ..*settings };
        let mut new = Self {
            problem,
            settings,
            monitor,
            sorted: Vec::new(),
            left: SEARCHES_PER_APP * apps,
            // No application has less alone than together with others. If its performance alone is not proven, it may exceed that.
            most: if problem.goal.is_exact() { 1.0 } else { 1e3 },
            classes: app_classes(&problem.machine, &problem.asked),
            best,
        };
        new.sorted = new.sorted_p(&new.best);
        new
    }

    fn sorted_p(&self, candidate: &Candidate) -> Vec<f64> {
        let mut sorted = self.problem.p(candidate);
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// Takes an allocation if it is fairer; returns whether it was.
    fn offer(&mut self, candidate: Candidate) -> bool {
        let sorted = self.sorted_p(&candidate);
        let fairer = is_fairer(&sorted, &self.sorted);
        if fairer {
            (self.best, self.sorted) = (candidate, sorted);
        }
        fairer
    }

    /// Looks for the largest smallest p of the applications without a floor. Returns a bound on it, and whether a fairer allocation was
    /// met. `None` if there are no searches left, or if stopped.
    fn search(&mut self, floors: &Floors) -> Option<(f64, bool)> {
        if self.left == 0 || self.monitor.stop() {
            return None;
        }
        self.left -= 1;
        let goal = self.problem.goal.at_level(floors, self.most);
        let problem = Problem { goal, ..self.problem.clone() };
        let rated = |candidate: &Candidate, problem: &Problem| {
            let of = problem.with_smt(&candidate.smt);
            Evaluator::new(&of, candidate.placements.clone()).candidate(candidate.allocation.clone())
        };
        let known = rated(&self.best, &problem);
        let quiet = Quiet(self.monitor);
        let outcome = if problem.is_by_domain() {
            explore_by_domain(&problem, &self.settings, &[known], false, &quiet)
        } else {
            explore_beyond(&problem, &self.settings, &quiet, Some(&known))
        };
        let outcome = outcome.ok()?;
        let bound = if outcome.status == Status::Optimal { outcome.value } else { outcome.bound };
        let fairer = self.offer(rated(&outcome.best, self.problem));
        Some((bound, fairer))
    }

    /// Improves the best position after position; returns the proven positions. `bound`: no smallest p is larger.
    fn places(&mut self, bound: f64) -> Vec<bool> {
        let apps = self.problem.apps.len();
        let mut proven = vec![false; apps];
        // An application that gets nothing alone gets nothing anywhere.
        let alone = self.problem.goal.alone();
        let first: Floors = alone.iter().map(|alone| (*alone == 0.0).then_some(0.0)).collect();
        let mut place = first.iter().flatten().count();
        proven[..place].fill(true);
        let mut known = (place == 0).then_some(bound);
        let mut states = vec![first];
        let mut sure = true;
        while place < apps && !self.monitor.stop() {
            let mut bounds = Vec::with_capacity(states.len());
            for state in &states {
                let bound = known.take().or_else(|| self.search(state).map(|(bound, _)| bound));
                bounds.push(bound.unwrap_or(f64::INFINITY));
            }
            let reached = self.sorted[place];
            sure &= !bounds.iter().any(|&bound| exceeds(bound, reached * (1.0 + SCORE_TOLERANCE)));
            proven[place] = sure;
            if !sure {
                let state = self.around_the_best(reached);
                place = state.iter().flatten().count().max(place + 1);
                states = vec![state];
                continue;
            }
            states = states
                .into_iter()
                .zip(bounds)
                .filter(|(_, bound)| !exceeds(reached, *bound))
                .map(|(state, _)| state)
                .collect();
            if let [state] = states.as_slice() {
                let Some(forced) = self.forced(state, reached) else {
                    // A fairer allocation was met: repeat the same position.
                    continue;
                };
                if !forced.is_empty() {
                    let mut state = state.clone();
                    for &app in &forced {
                        state[app] = Some(reached);
                    }
                    let next = place + forced.len();
                    proven[place..next].fill(true);
                    place = next;
                    states = vec![state];
                    continue;
                }
            }
            states = self.with_one_more(&states, reached);
            place += 1;
            if states.len() > MOST_STATES {
                sure = false;
                states = vec![self.around_the_best(reached)];
            }
        }
        proven
    }

    /// The applications of the best allocation with no more than `reached` keep that.
    fn around_the_best(&self, reached: f64) -> Floors {
        let p = self.problem.p(&self.best);
        p.iter().map(|&p| (!exceeds(p, reached)).then_some(p)).collect()
    }

    /// The applications that have `reached` in the best allocation and cannot have more while the others keep it. `None` if a fairer
    /// allocation was met.
    fn forced(&mut self, state: &Floors, reached: f64) -> Option<Vec<usize>> {
        let free: Vec<usize> = (0..state.len()).filter(|&a| state[a].is_none()).collect();
        if free.len() == 1 || !exceeds(self.most, reached) {
            return Some(free);
        }
        let p = self.problem.p(&self.best);
        let mut forced: Vec<usize> = Vec::new();
        let mut not_forced: Vec<usize> = Vec::new();
        for &app in free.iter().filter(|&&app| !exceeds(p[app], reached)) {
            let twin =
                |others: &[usize]| others.iter().any(|&other| self.classes[other] == self.classes[app]);
            if twin(&forced) {
                forced.push(app);
                continue;
            }
            if twin(&not_forced) {
                continue;
            }
            let floors: Floors =
                (0..state.len()).map(|a| if a == app { None } else { state[a].or(Some(reached)) }).collect();
            match self.search(&floors) {
                Some((_, true)) => return None,
                Some((bound, _)) if !exceeds(bound, reached * (1.0 + SCORE_TOLERANCE)) => forced.push(app),
                _ => not_forced.push(app),
            }
        }
        Some(forced)
    }

    /// All states with one more application at `reached`; of equal free instances, the first.
    fn with_one_more(&self, states: &[Floors], reached: f64) -> Vec<Floors> {
        let mut next: Vec<Floors> = Vec::new();
        for state in states {
            for app in (0..state.len()).filter(|&app| state[app].is_none()) {
                let twin = |other: usize| state[other].is_none() && self.classes[other] == self.classes[app];
                if (0..app).any(twin) {
                    continue;
                }
                let mut with = state.clone();
                with[app] = Some(reached);
                if !next.contains(&with) {
                    next.push(with);
                }
            }
        }
        next
    }
}
