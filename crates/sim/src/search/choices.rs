//! One or both hardware threads of a core, where applications leave it open: each set of choices is a question of its own.

use numasim_model::demand::with_smt;
use numasim_model::{App, Smt};

use crate::monitor::{Monitor, Progress};
use crate::objective::{Objective, margin};
use crate::problem::{Candidate, Problem, ProblemError};
use crate::symmetry::app_classes;

use super::budget::Quiet;
use super::{ExploreError, Outcome, Settings, Status, gap};

/// Most sets of choices.
const MAX_SETS: usize = 512;

impl Problem {
    /// Whether `a` is a better answer than `b`: it has a larger score, or an equal one with fewer threads.
    fn prefers(&self, a: &Candidate, b: &Candidate) -> bool {
        let equal = (a.score - b.score).abs() <= margin(b.score);
        let (a_threads, b_threads) = (self.threads_of(a), self.threads_of(b));
        if equal && a_threads != b_threads { a_threads < b_threads } else { a.beats(b) }
    }

    /// Whether the search chooses between one and both hardware threads of a core.
    pub fn has_open_smt(&self) -> bool {
        !self.choices.is_empty()
    }

    /// The same question with these hardware threads of a core: one entry for each application, or none where nothing is open.
    #[must_use]
    pub fn with_smt(&self, smt: &[Smt]) -> Self {
        if smt.is_empty() {
            return self.clone();
        }
        let apps = with_smt(&self.asked, smt).iter().map(App::counted_in_cores).collect();
        Self { apps, smt: smt.to_vec(), choices: Vec::new(), ..self.clone() }
    }

    /// The sets of choices that do not contradict the restrictions; the applications count threads.
    ///
    /// # Errors
    /// What speaks against the first one, where all are contradicted, and too many of them.
    pub(crate) fn open_choices(&self) -> Result<Vec<Vec<Smt>>, ProblemError> {
        let classes = app_classes(&self.machine, &self.asked);
        let mut sets: Vec<Vec<Smt>> = vec![Vec::new()];
        for (a, app) in self.asked.iter().enumerate() {
            // Equal instances are exchangeable: those with both come last.
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

/// The best over all sets of choices, each of which has the same part of the effort. `search` is that of one of them.
pub(super) fn best_of_choices(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
    known: Option<&Candidate>,
    search: impl Fn(&Problem, &Settings, &dyn Monitor, Option<&Candidate>) -> Result<Outcome, ExploreError>,
) -> Result<Outcome, ExploreError> {
    let each = Settings { effort: (settings.effort / problem.choices.len() as u64).max(1), ..*settings };
    let is_makespan = problem.goal.objective() == Objective::Makespan;
    let tighter = |a: f64, b: f64| if is_makespan { a.min(b) } else { a.max(b) };
    let mut found: Vec<Outcome> = Vec::new();
    let (mut open_bound, mut nothing, mut refused) = (None, false, None);
    for (number, smt) in problem.choices.iter().enumerate() {
        let of = problem.with_smt(smt);
        let known = known.filter(|known| known.smt == *smt);
        match search(&of, &each, &Quiet(monitor), known) {
            Ok(outcome) => found.push(outcome),
            Err(ExploreError::NothingFound) => {
                nothing = true;
                let roof = of.goal.value(of.roof());
                open_bound = Some(open_bound.map_or(roof, |bound| tighter(bound, roof)));
            }
            Err(error @ ExploreError::Infeasible(_)) => {
                refused.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
        let best = found.iter().map(|outcome| &outcome.best);
        let best = best.reduce(|best, next| if problem.prefers(next, best) { next } else { best });
        if let Some(best) = best {
            let effort_spent = (number + 1) as f64 / problem.choices.len() as f64;
            let value = problem.goal.value(best.score);
            // Nothing is known of those that are still to be searched but what no machine exceeds.
            let bound = problem.choices.iter().skip(number + 1).fold(value, |bound, smt| {
                let of = problem.with_smt(smt);
                tighter(bound, of.goal.value(of.roof()))
            });
            let bound = found.iter().fold(bound, |bound, outcome| tighter(bound, outcome.bound));
            monitor.progress(&Progress { found: Some(best), best: Some(value), bound, effort_spent });
        }
    }
    let bound = found.iter().map(|outcome| outcome.bound).chain(open_bound).reduce(tighter);
    let complete = found.iter().all(|outcome| outcome.alternatives_complete) && !nothing;
    let stopped = nothing || found.iter().any(|outcome| outcome.status == Status::Stopped);
    let all_optimal = !nothing && found.iter().all(|outcome| outcome.status == Status::Optimal);
    let mut all: Vec<Candidate> = Vec::new();
    for Outcome { best, alternatives, .. } in found {
        all.push(best);
        all.extend(alternatives);
    }
    // The better first; of equal ones that of the earlier set. Scores that are equal but for rounding have no order to sort by.
    let mut ranked: Vec<Candidate> = Vec::new();
    while ranked.len() <= settings.top && !all.is_empty() {
        let best = (1..all.len()).fold(
            0,
            |best, next| {
                if problem.prefers(&all[next], &all[best]) { next } else { best }
            },
        );
        ranked.push(all.remove(best));
    }
    let mut ranked = ranked.into_iter();
    let (Some(best), Some(bound)) = (ranked.next(), bound) else {
        return Err(refused.filter(|_| !nothing).unwrap_or(ExploreError::NothingFound));
    };
    let value = problem.goal.value(best.score);
    let closed = all_optimal || {
        let reached = margin(value);
        if is_makespan { value <= bound + reached } else { bound <= value + reached }
    };
    let bound = if closed { value } else { bound };
    let status = match (closed, stopped) {
        (true, _) => Status::Optimal,
        (false, true) => Status::Stopped,
        (false, false) => Status::Unproven,
    };
    Ok(Outcome {
        gap: gap(value, bound),
        best,
        value,
        bound,
        status,
        levels: Vec::new(),
        alternatives: ranked.collect(),
        alternatives_complete: complete,
    })
}
