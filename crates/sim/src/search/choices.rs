//! One or both hardware threads of a core, if applications leave it open: each set of choices is a separate question.

use numasim_model::demand::with_smt;
use numasim_model::{App, Smt};

use crate::monitor::Monitor;
use crate::objective::margin;
use crate::problem::{Candidate, Problem, ProblemError};
use crate::symmetry::app_classes;

use super::budget::{Budget, Quiet, RISE};
use super::homes::HomeSets;
use super::pool::Pool;
use super::{Above, ExploreError, Floor, Outcome, Search, Settings, Status, gap};

/// Maximum number of sets of choices.
const MAX_SETS: usize = 512;

impl Problem {
    /// Whether `a` is a better answer than `b`: a larger score, or an equal one with fewer threads.
    fn prefers(&self, a: &Candidate, b: &Candidate) -> bool {
        let equal = (a.score - b.score).abs() <= margin(b.score);
        let (a_threads, b_threads) = (self.threads_of(a), self.threads_of(b));
        if equal && a_threads != b_threads { a_threads < b_threads } else { a.beats(b) }
    }

    /// Whether the search chooses between one and both hardware threads of a core.
    pub fn has_open_smt(&self) -> bool {
        !self.choices.is_empty()
    }

    /// The same question with these hardware threads of a core: one entry for each application, or none if nothing is open.
    #[must_use]
    pub fn with_smt(&self, smt: &[Smt]) -> Self {
        if smt.is_empty() {
            return self.clone();
        }
        let apps = with_smt(&self.asked, smt).iter().map(App::counted_in_cores).collect();
        Self { apps, smt: smt.to_vec(), choices: Vec::new(), ..self.clone() }
    }

    /// The sets of choices that do not contradict the constraints; the applications count threads.
    ///
    /// # Errors
    /// The contradiction of the first set if all sets have one, or too many sets.
    pub(crate) fn open_choices(&self) -> Result<Vec<Vec<Smt>>, ProblemError> {
        let classes = app_classes(&self.machine, &self.asked);
        let mut sets: Vec<Vec<Smt>> = vec![Vec::new()];
        for (a, app) in self.asked.iter().enumerate() {
            // Equal instances are exchangeable: those with both hardware threads come last.
            let twin = (0..a).rev().find(|&other| classes[other] == classes[a]);
            let next = |set: &Vec<Smt>| -> Vec<Vec<Smt>> {
                let choices: &[Smt] = match app.smt {
                    Smt::Any if twin.is_some_and(|twin| set[twin] == Smt::Both) => &[Smt::Both],
                    Smt::Any => &[Smt::One, Smt::Both],
                    Smt::One => &[Smt::One],
                    Smt::Both => &[Smt::Both],
                };
                choices.iter().map(|&smt| set.iter().copied().chain([smt]).collect()).collect()
            };
            sets = sets.iter().flat_map(next).collect();
            if sets.len() > MAX_SETS {
                return Err(ProblemError::TooManyChoices);
            }
        }
        let mut first = None;
        sets.retain(|smt| {
            let of = self.with_smt(smt);
            match of.restrictions.check(&of.machine, &of.apps) {
                Ok(()) => true,
                Err(error) => {
                    first.get_or_insert(error);
                    false
                }
            }
        });
        match first {
            Some(error) if sets.is_empty() => Err(error.into()),
            _ => Ok(sets),
        }
    }
}

/// The search of one set of choices.
pub(super) trait OneChoice {
    /// Steps of all searches together; `effort` are those of the question.
    fn budget(&self, effort: u64) -> u64 {
        effort.saturating_mul(2)
    }

    /// A score that no answer exceeds, for about this number of steps.
    fn first_bound(&self, of: &Problem, effort: u64, monitor: &dyn Monitor) -> f64;

    /// The best above `floor`, and any other good answers that were found.
    ///
    /// # Errors
    /// Those of [`super::explore`].
    fn search(
        &self,
        of: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
        known: Option<&Candidate>,
        floor: Floor,
    ) -> Result<Found, ExploreError>;

    /// Adds the best answers above the cutoff of `pool`, and returns whether they are complete. `best`: the best one, if it is known.
    fn more(
        &self,
        of: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
        best: Option<&Candidate>,
        pool: &mut Pool,
    ) -> bool;
}

/// The known facts about one set of choices.
pub(super) struct Found {
    /// `None` if nothing was found above the floor.
    pub(super) best: Option<Candidate>,
    /// No answer has a better score than the larger of this and the floor.
    pub(super) bound: f64,
    pub(super) others: Vec<Candidate>,
}

/// The search by node.
pub(super) struct ByNode;

impl OneChoice for ByNode {
    fn first_bound(&self, of: &Problem, effort: u64, monitor: &dyn Monitor) -> f64 {
        HomeSets::new(of, effort, monitor).bound.min(of.roof())
    }

    fn search(
        &self,
        of: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
        known: Option<&Candidate>,
        floor: Floor,
    ) -> Result<Found, ExploreError> {
        let Above { best, open_bound: bound } = Search::new(of, settings, monitor).above(known, floor)?;
        Ok(Found { best, bound, others: Vec::new() })
    }

    fn more(
        &self,
        of: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
        best: Option<&Candidate>,
        pool: &mut Pool,
    ) -> bool {
        Search::new(of, settings, monitor).add_alternatives(best, pool)
    }
}

/// The first budget of a set is this fraction of an equal share of the budget for all sets.
const FIRST_PART: u64 = 16;

/// A set while it is searched.
struct Set<'p> {
    smt: &'p [Smt],
    of: Problem,
    /// No answer has a better score.
    bound: f64,
    /// Steps of the last search; 0 before the first one.
    effort: u64,
    best: Option<Candidate>,
    others: Vec<Candidate>,
}

/// The best over all sets of choices. First, each set gets a cheap bound. Then the set with the largest bound is searched, with a larger
/// budget each time, until no set can improve on the best of all. `search` searches one of them.
pub(super) fn best_of_choices(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
    known: Option<&Candidate>,
    search: &(impl OneChoice + Sync),
) -> Result<Outcome, ExploreError> {
    let goal = &problem.goal;
    let number = problem.choices.len() as u64;
    let quiet = Quiet(monitor);
    let part = settings.effort / number;
    let mut sets: Vec<Set<'_>> = problem
        .choices
        .iter()
        .map(|smt| {
            let of = problem.with_smt(smt);
            let bound = search.first_bound(&of, part, &quiet);
            Set { smt, of, bound, effort: 0, best: None, others: Vec::new() }
        })
        .collect();
    let (mut best, mut refused) = (None::<Candidate>, None);
    let mut budget = Budget::new(search.budget(settings.effort));
    loop {
        // A set that may still tie may have fewer threads, so it is searched once.
        let (reached, equal) =
            best.as_ref().map_or((f64::NEG_INFINITY, 0.0), |best| (best.score, margin(best.score)));
        let is_open = |set: &&mut Set<'_>| {
            if set.effort == 0 { set.bound >= reached - equal } else { set.bound > reached + equal }
        };
        let open = sets.iter_mut().filter(is_open);
        let Some(set) = open.reduce(|first, next| if next.bound > first.bound { next } else { first }) else {
            break;
        };
        let is_first = set.effort == 0;
        if budget.is_spent() || (monitor.stop() && (best.is_some() || !is_first)) {
            break;
        }
        set.effort = if is_first { (part / FIRST_PART).max(1) } else { set.effort.saturating_mul(RISE) };
        let own = Settings { top: 0, effort: set.effort.min(budget.left()), ..*settings };
        let known = known.filter(|known| known.smt == set.smt).or(set.best.as_ref());
        let floor = Floor { ties: reached - 2.0 * equal, proof: reached + equal };
        match search.search(&set.of, &own, &quiet, known, floor) {
            Ok(found) => {
                set.bound = set.bound.min(found.bound.max(floor.proof));
                if let Some(own) = found.best {
                    if best.as_ref().is_none_or(|best| problem.prefers(&own, best)) {
                        best = Some(own.clone());
                    }
                    set.best = Some(own);
                }
                set.others = found.others;
            }
            Err(ExploreError::NothingFound) => {}
            Err(error @ ExploreError::Infeasible(_)) => {
                refused.get_or_insert(error);
                set.bound = f64::NEG_INFINITY;
            }
            Err(error) => return Err(error),
        }
        budget.spend(own.effort);
        let bound = sets.iter().map(|set| set.bound).fold(f64::NEG_INFINITY, f64::max);
        monitor.progress(&budget.progress(problem, best.as_ref(), bound));
    }
    let bound = sets.iter().map(|set| set.bound).fold(f64::NEG_INFINITY, f64::max);
    let Some(best) = best else {
        let none = bound == f64::NEG_INFINITY;
        return Err(refused.filter(|_| none).unwrap_or(ExploreError::NothingFound));
    };
    let optimal = bound <= best.score + margin(best.score);
    let value = goal.value(best.score);
    let bound = if optimal { value } else { goal.value(bound.max(best.score)) };
    let status = match (optimal, monitor.stop()) {
        (true, _) => Status::Optimal,
        (false, true) => Status::Stopped,
        (false, false) => Status::Unproven,
    };
    let (alternatives, alternatives_complete) = if monitor.stop() || settings.top == 0 || goal.is_hopeless() {
        (Vec::new(), settings.top == 0 || goal.is_hopeless())
    } else {
        alternatives(problem, sets, &best, settings, &quiet, search)
    };
    let levels = Vec::new();
    let gap = gap(value, bound);
    Ok(Outcome { best, value, bound, gap, status, levels, alternatives, alternatives_complete })
}

/// The next best answers of all sets, and whether they are complete.
fn alternatives(
    problem: &Problem,
    sets: Vec<Set<'_>>,
    best: &Candidate,
    settings: &Settings,
    monitor: &dyn Monitor,
    search: &impl OneChoice,
) -> (Vec<Candidate>, bool) {
    let mut all: Vec<Candidate> = Vec::new();
    let mut complete = true;
    let own = Settings { effort: (settings.effort / problem.choices.len() as u64).max(1), ..*settings };
    for Set { of, best: own_best, bound, others, .. } in sets {
        all.extend(own_best.iter().cloned().chain(others));
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        // The best itself is one of them.
        let floor = all.get(settings.top + 1).map_or(f64::NEG_INFINITY, |last| last.score);
        if bound < floor {
            continue;
        }
        let mut pool = Pool::above(floor, settings.top + 1);
        complete &= search.more(&of, &own, monitor, own_best.as_ref(), &mut pool);
        let new = pool.into_candidates().into_iter().filter(|one| own_best.as_ref() != Some(one));
        all.extend(new);
    }
    // Of equal ones, the one from the earlier set stays. Scores that are equal up to rounding cannot be sorted.
    if let Some(position) = all.iter().position(|one| one == best) {
        all.remove(position);
    }
    let mut ranked: Vec<Candidate> = Vec::new();
    while ranked.len() < settings.top && !all.is_empty() {
        let next = (1..all.len())
            .fold(0, |best, next| if problem.prefers(&all[next], &all[best]) { next } else { best });
        ranked.push(all.remove(next));
    }
    (ranked, complete)
}
