//! The way to a front: both ends, then what lies between them.

use numasim_model::{App, Scenario};

use super::archive::Pair;
use super::archive::{Archive, Entry};
use super::everything::Everything;
use super::nearby::Nearby;
use super::{End, Front, Point, Settings, Stage, Stages, TradeOff, archive};
use crate::problem::{Candidate, margin};
use crate::search::{self, ExploreError, Outcome, Status, explore};
use crate::{Objective, Problem, ProblemError, Restrictions};

/// Most allocations with the same number on every node that are compared as starts.
const MOST_UNIFORM: u64 = 200_000;

/// Finds the front. Scenarios are compared too, where their data lies as the applications say.
///
/// # Errors
/// [`ExploreError::Infeasible`] if no allocation keeps to the restrictions, or none has a finite makespan where that
/// is one of the objectives; [`ExploreError::NothingFound`] if the monitor stopped the search before it found one;
/// [`ExploreError::Fault`] if a point breaks a rule of the question.
pub fn front(
    question: &TradeOff,
    scenarios: &[Scenario],
    settings: &Settings,
    monitor: &dyn Stages,
) -> Result<Front, ExploreError> {
    let pair = question.pair();
    let baselines = question.problems[0].baselines(scenarios, monitor);
    let mut archive = Archive::default();
    let mut ends = [None, None];
    for ((problem, stage), end) in
        question.problems.iter().zip([Stage::FirstEnd, Stage::SecondEnd]).zip(&mut ends)
    {
        monitor.begin(stage);
        let alone = search::Settings { top: 0, seed: settings.seed, effort: settings.effort };
        match explore(problem, &alone, monitor) {
            Ok(outcome) => {
                offer(&pair, &mut archive, &outcome.best);
                *end = Some(outcome);
            }
            Err(ExploreError::NothingFound) => {}
            Err(error) => return Err(error),
        }
    }
    monitor.begin(Stage::Between);
    for baseline in &baselines {
        if baseline.breaks.is_none() && lies_as_asked(&question.problems[0].apps, &baseline.candidate) {
            offer(&pair, &mut archive, &baseline.candidate);
        }
    }
    let (complete, compared) = between(question, &mut archive, settings, monitor);
    let mut points = tidy(archive.into_entries());
    archive::align(pair.problem, &mut points);
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err(ExploreError::NothingFound);
    };
    let best = [question.values_of(first.scores)[0], question.values_of(last.scores)[1]];
    let [first_end, second_end] = ends;
    let ends = [first_end, second_end].map(|end| (end.as_ref().map(|e| e.bound), is_optimal(end.as_ref())));
    let end = |i: usize| {
        let (bound, optimal) = ends[i];
        let proven = complete || optimal;
        End { value: best[i], bound: if proven { Some(best[i]) } else { bound }, proven }
    };
    let ends = [end(0), end(1)];
    // One allocation that is best for both leaves nothing to trade.
    let complete = complete || (points.len() == 1 && ends.iter().all(|end| end.proven));
    let points = points
        .into_iter()
        .map(|entry| {
            pair.problem.check_answer(&entry.allocation, &entry.placements)?;
            Ok(Point {
                values: question.values(&entry.allocation, &entry.placements),
                allocation: entry.allocation,
                placements: entry.placements,
            })
        })
        .collect::<Result<_, ExploreError>>()?;
    Ok(Front { points, ends, complete, stopped: monitor.stop(), compared, baselines })
}

fn is_optimal(end: Option<&Outcome>) -> bool {
    end.is_some_and(|end| end.status == Status::Optimal)
}

/// Compares everything, or what is near to good allocations; whether it was everything, and how many.
fn between(
    question: &TradeOff,
    archive: &mut Archive,
    settings: &Settings,
    monitor: &dyn Stages,
) -> (bool, u64) {
    let pair = question.pair();
    let mut compared = 0;
    if let Some(everything) = Everything::new(pair, settings.most_compared) {
        let complete = everything.offer(archive, &mut compared, monitor);
        return (complete, compared);
    }
    let same = Problem {
        restrictions: Restrictions { same_on_every_node: true, ..pair.problem.restrictions },
        ..pair.problem.clone()
    };
    let uniform = Pair { problem: &same, goals: pair.goals };
    let most = settings.work / pair.cells();
    if let Some(uniform) = Everything::new(uniform, MOST_UNIFORM.min(most)) {
        uniform.offer(archive, &mut compared, monitor);
    }
    for problem in compromises(question) {
        let quick = search::Settings { top: 0, seed: settings.seed, effort: 0 };
        if monitor.stop() {
            break;
        }
        if let Ok(outcome) = explore(&problem, &quick, monitor) {
            offer(&pair, archive, &outcome.best);
        }
    }
    let reported = |number: u64| {
        monitor.compared(compared + number, (number as f64 / most.max(1) as f64).min(1.0));
    };
    let searched = Nearby::new(pair, monitor, most, settings.seed).search(archive, &reported);
    (false, compared + searched)
}

/// Questions whose answers lie between common objectives: the mean and the smallest p, and sums of GFLOPS whose
/// weights go step by step from those of the files to 1 / GFLOPS alone.
fn compromises(question: &TradeOff) -> Vec<Problem> {
    let [first, second] = &question.problems;
    let asked = [first.goal.objective(), second.goal.objective()];
    let with = |objective: Objective, apps: &[App]| {
        Problem::new(&first.machine, apps, objective, first.restrictions)
    };
    let mut problems: Vec<Result<Problem, ProblemError>> = [Objective::Geomean, Objective::Fair]
        .into_iter()
        .filter(|objective| !asked.contains(objective))
        .map(|objective| with(objective, &first.apps))
        .collect();
    for step in [0.25, 0.5, 0.75, 1.0] {
        let mut apps = first.apps.clone();
        for (app, alone) in apps.iter_mut().zip(first.goal.alone()).filter(|(_, alone)| **alone > 0.0) {
            app.weight = libm::pow(app.weight, 1.0 - step) * libm::pow(alone.recip(), step);
        }
        problems.push(with(Objective::TotalGflops, &apps));
    }
    problems.into_iter().flatten().collect()
}

fn offer(pair: &Pair, archive: &mut Archive, candidate: &Candidate) {
    let mut rater = pair.rater(candidate.placements.clone());
    let scores = rater.scores(&candidate.allocation);
    if pair.counts(scores) && rater.allows(&candidate.allocation) {
        archive.add(rater.entry(&candidate.allocation, scores));
    }
}

/// Whether the data lies where the applications have it; a scenario may say otherwise.
fn lies_as_asked(apps: &[App], candidate: &Candidate) -> bool {
    apps.iter().zip(&candidate.placements).all(|(app, placement)| app.data.may_become(placement))
}

/// Leaves out what differs by rounding only; of two that tie in the first score the better in the second stays.
fn tidy(entries: Vec<Entry>) -> Vec<Entry> {
    let mut kept: Vec<Entry> = Vec::new();
    for entry in entries {
        if let Some(last) = kept.last_mut() {
            if entry.scores[1] <= last.scores[1] + margin(last.scores[1]) {
                continue;
            }
            if entry.scores[0] >= last.scores[0] - margin(last.scores[0]) {
                *last = entry;
                continue;
            }
        }
        kept.push(entry);
    }
    kept
}
