//! Finds the placement that is good whichever model is right: the one with the smallest worst *regret* over several sharing models.
//!
//! # Problem
//! Under model m an allocation x has the score F_m(x), which is concave in GFLOPS ([`crate::objective`]), and the best of all allocations
//! has F*_m. The regret of x under m is 1 - value / best value (makespan: 1 - best / value). The result is
//!
//! ```text
//! the least over x of the largest over m of regret_m(x)
//! ```
//!
//! # Regrets without a proof
//! Two values are known: L_m <= F*_m, the best found, and U_m >= F*_m, its proven bound. Regrets are reported *relative to the best found*,
//! 1 - F_m(x) / L_m. The true regrets are never below these, because F*_m >= L_m, and never above 1 - F_m(x) / U_m ([`Robust::at_most`]).
//! If every best is proven, all three are the same.
//!
//! # The bound
//! Division by the smaller L_m makes the regret smaller, so a lower bound of max_m (1 - F_m(x) / L_m) over all x is also one of the true
//! worst regret. With the *merit* g_m(x) = F_m(x) / L_m (geomean, whose score is a logarithm: F_m(x) - L_m), for any weights w of the
//! models (none below 0, their sum 1)
//!
//! ```text
//! max over x of min over m of g_m(x)  <=  max over x of sum_m w_m g_m(x)
//! ```
//!
//! and each g_m is below its own dual bound (module `dual`) at any prices, for which nodes are independent. The options of a node are the
//! same under all models; only their earnings differ. So the earnings of an option are *added* over the models, and the best option of each
//! node is chosen once for all of them:
//!
//! ```text
//! bound = sum_m K_m + sum_n max over options of sum_m earnings_m(option)
//! ```
//!
//! with weights and prices of each model times w_m / L_m (geomean: its conjugate is w_m sum_a v_a (ln(w_m v_a / y_ma) - 1) with the weights
//! v of the applications, less w_m L_m). A separate bound of each model could never show more than that every model reaches its best.
//! Weights and prices with the lowest bound come from a linear program over the options met so far (`bound`, `master`); prices of thread
//! totals are common to all models. Any of them give a valid bound: rounding and early stops weaken it but never invalidate it.
//!
//! # Approach
//! 1. The best of each model comes from [`super::explore`]. Each is rated under all models, and L_m is the largest of these values.
//! 2. Climbs by the smallest merit start from all of these, from the baselines and from random allocations, homes included (`Panel` rates
//!    them).
//! 3. Each set of open homes is bounded. Sets that could be better are split by thread totals (`parts`) and walked node by node (`walk`),
//!    where each model's own potentials also prune. If every node gets the same, all contents are rated (`every_node`).
//! 4. Results without a proof are kicked and climbed again.
//!
//! If the L3 domain of a thread matters, the best of each model are by domain and the results of climbs are distributed over domains;
//! nothing is proven.
//!
//! As with [`super::explore`], answers are the same on any number of threads.

use numasim_model::{Allocation, Placement};

use crate::baselines::{even, one_app_per_node};
use crate::objective::Objective;
use crate::parallel;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::climbs::{AT_THE_END, KICK_STEPS, RESTARTS, climb_with_homes, kicked};
use crate::search::local::Rates;
use crate::search::uniform::Keeps;
use crate::search::{ExploreError, Monitor, Outcome, Settings, Status, local};

mod bound;
mod parts;
mod walk;

/// The best under one model, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct OfModel {
    /// The best found, rated under this model.
    pub best: Candidate,
    /// Its value of the objective.
    pub value: f64,
    /// No allocation has a better value under this model.
    pub bound: f64,
    /// Whether it is proven that no allocation is better.
    pub proven: bool,
}

/// The placement with the smallest worst regret.
#[derive(Clone, Debug, PartialEq)]
pub struct Robust {
    /// The allocation, rated under the first model.
    pub best: Candidate,
    /// Its regret under each model, relative to the best found there.
    pub regrets: Vec<f64>,
    /// The largest of them.
    pub worst_regret: f64,
    /// It loses no more than this under any model, even if better allocations than the best found exist.
    pub at_most: f64,
    /// No allocation has a smaller worst regret than this.
    pub bound: f64,
    /// Whether that and the best of every model are proven; else the reason why the search ended.
    pub status: Status,
    /// The best of each model.
    pub models: Vec<OfModel>,
}

impl Robust {
    /// The regret of any allocation under each model, relative to the best found. It is below 0 for a better one, which must break a
    /// constraint. It is 0 if every allocation is as bad as any other under a model.
    pub fn regrets_of(
        &self,
        problems: &[Problem],
        allocation: &Allocation,
        placements: &[Placement],
    ) -> Vec<f64> {
        let of = |(problem, of): (&Problem, &OfModel)| {
            let score = Evaluator::new(problem, placements.to_vec()).rate_of(allocation).0;
            problem.goal.regret(of.value, problem.goal.value(score))
        };
        problems.iter().zip(&self.models).map(of).collect()
    }
}

/// Finds the placement with the smallest worst regret. `problems` are one question under several models, each with the result of
/// [`super::explore`], or `None` if a stop or a small budget left no result. At most `settings.effort` steps are spent.
///
/// # Errors
/// [`ExploreError::NothingFound`] if there is no answer for any model; [`ExploreError::Fault`] if the answer breaks a rule of the question.
pub fn robust(
    problems: &[Problem],
    outcomes: &[Option<Outcome>],
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Robust, ExploreError> {
    let Some(question) = problems.first() else { return Err(ExploreError::NothingFound) };
    let mut met: Vec<Candidate> = outcomes.iter().flatten().map(|outcome| outcome.best.clone()).collect();
    if met.is_empty() {
        return Err(ExploreError::NothingFound);
    }
    let mut bests = best_of_each(problems, &met);
    let Some(mut panel) = panel(problems, &bests) else {
        return answer(problems, outcomes, &bests, met.swap_remove(0), f64::NEG_INFINITY, monitor);
    };
    met.extend(question.starts().into_iter().filter(|start| question.permits(start)));
    let climbed = climbed(&panel, starts(question, &met, settings, monitor), monitor);
    met.extend(climbed);
    // A climb may have found an allocation that is better than the best of a model.
    bests = best_of_each(problems, &met);
    panel = self::panel(problems, &bests).unwrap_or(panel);
    let rated = met
        .iter()
        .filter(|met| met.excess <= 0.0)
        .map(|met| panel.rater(&met.placements).candidate(met.allocation.clone()));
    let Some(candidate) = rated.reduce(|best, next| if next.beats(&best) { next } else { best }) else {
        return Err(ExploreError::NothingFound);
    };
    let mut best = Best { candidate };
    // This search fills nodes, not L3 domains, so it makes no claim about other distributions over domains.
    let open = if question.is_by_domain() {
        f64::INFINITY
    } else {
        parts::prove(&panel, &mut best, settings, monitor)
    };
    if open > best.cutoff() && !monitor.stop() {
        let kicks = AT_THE_END.min(settings.effort / KICK_STEPS);
        let begin = |chain| (local::generator(settings.seed, 4_000 + chain), None);
        let rater = |placements: Vec<Placement>| panel.rater(&placements);
        best.offer(kicked(panel.question(), &best.candidate, kicks, begin, &rater, monitor));
    }
    met.push(best.candidate.clone());
    bests = best_of_each(problems, &met);
    answer(problems, outcomes, &bests, best.candidate, open, monitor)
}

/// Per problem, the best allocation met, rated there.
fn best_of_each(problems: &[Problem], met: &[Candidate]) -> Vec<Candidate> {
    let of = |problem: &Problem| {
        let rated = met.iter().filter(|met| met.excess <= 0.0);
        let rated = rated
            .map(|met| Evaluator::new(problem, met.placements.clone()).candidate(met.allocation.clone()));
        rated.reduce(|best, next| if next.beats(&best) { next } else { best })
    };
    problems.iter().filter_map(of).collect()
}

/// The models under which allocations differ; `None` if there is none.
fn panel<'a>(problems: &'a [Problem], bests: &[Candidate]) -> Option<Panel<'a>> {
    let members = problems.iter().zip(bests);
    let members: Vec<_> =
        members.filter_map(|(problem, best)| Some((problem, Scale::new(problem, best.score)?))).collect();
    (!members.is_empty()).then_some(Panel { members })
}

/// The starts of climbs.
fn starts(
    question: &Problem,
    met: &[Candidate],
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Vec<Candidate> {
    let allowed =
        |allocation: &Allocation| question.restrictions.allow(&question.machine, &question.apps, allocation);
    let mut simple: Vec<Allocation> = vec![even(&question.machine, &question.apps)];
    simple.extend(one_app_per_node(&question.machine, &question.apps));
    simple.retain(allowed);
    for restart in 0..RESTARTS {
        let mut random = local::generator(settings.seed, 3_000 + restart);
        simple.extend(local::random_start(question, &mut random));
    }
    let data: Vec<_> = question.apps.iter().map(|app| app.data.clone()).collect();
    let mut starts = met.to_vec();
    for allocation in simple {
        if monitor.stop() {
            break;
        }
        starts.push(question.with_good_homes(&allocation, &data, &|| monitor.stop()));
    }
    starts
}

fn climbed(panel: &Panel<'_>, starts: Vec<Candidate>, monitor: &dyn Monitor) -> Vec<Candidate> {
    let rater = |placements: Vec<Placement>| panel.rater(&placements);
    parallel::map(starts, |start| {
        let rated = rater(start.placements).candidate(start.allocation);
        climb_with_homes(panel.question(), rated, &rater, monitor)
    })
}

/// The whole answer. `open`: no allocation that was not met has a larger merit.
fn answer(
    problems: &[Problem],
    outcomes: &[Option<Outcome>],
    bests: &[Candidate],
    found: Candidate,
    open: f64,
    monitor: &dyn Monitor,
) -> Result<Robust, ExploreError> {
    let question = &problems[0];
    question.check_answer(&found.allocation, &found.placements)?;
    let of = |((problem, outcome), best): ((&Problem, &Option<Outcome>), &Candidate)| {
        let value = problem.goal.value(best.score);
        let proven = outcome.as_ref().is_some_and(|outcome| outcome.status == Status::Optimal);
        let bound =
            outcome.as_ref().map_or_else(|| problem.goal.value(problem.roof()), |outcome| outcome.bound);
        // A bound that was reported for a smaller scale than the one known now.
        let bound = match problem.goal.objective() {
            Objective::Makespan => bound.min(value),
            _ => bound.max(value),
        };
        OfModel { best: best.clone(), value, bound, proven }
    };
    let models: Vec<OfModel> = problems.iter().zip(outcomes).zip(bests).map(of).collect();
    let best = Evaluator::new(question, found.placements).candidate(found.allocation);
    let mut robust = Robust {
        best,
        regrets: Vec::new(),
        worst_regret: 0.0,
        at_most: 0.0,
        bound: 0.0,
        status: Status::Unproven,
        models,
    };
    robust.regrets = robust.regrets_of(problems, &robust.best.allocation, &robust.best.placements);
    robust.worst_regret = robust.regrets.iter().copied().fold(0.0, f64::max);
    let at_most = problems.iter().zip(&robust.models).zip(&robust.regrets).map(|((problem, of), own)| {
        // The loss relative to the bound: (1 - own) of the value, which is a fraction of the bound.
        1.0 - (1.0 - own) * (1.0 - problem.goal.regret(of.bound, of.value))
    });
    robust.at_most = at_most.fold(robust.worst_regret, f64::max);
    // The scales found may have grown since `open`: a bound for smaller ones remains valid.
    let least = panel(problems, bests).map_or(0.0, |panel| panel.regret(open)).max(0.0);
    let closed = least >= robust.worst_regret - EQUAL;
    robust.bound = if closed { robust.worst_regret } else { least };
    let proven = closed && robust.models.iter().all(|of| of.proven);
    robust.status = match (proven, monitor.stop()) {
        (true, _) => Status::Optimal,
        (false, true) => Status::Stopped,
        (false, false) => Status::Unproven,
    };
    Ok(robust)
}

// The fraction of the best of its model that an allocation reaches.

/// Turns the scores of one model into *merits*, which are comparable between models: the fraction of the best there, or for geomean its
/// logarithm. Either is concave in the GFLOPS, as the score is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// The best score found.
    best: f64,
    /// Whether scores are logarithms.
    logarithmic: bool,
}

impl Scale {
    /// `None` if no allocation is better than another: the best score is 0, or that of a geomean with a 0 in it.
    fn new(problem: &Problem, best: f64) -> Option<Self> {
        let logarithmic = problem.goal.objective() == Objective::Geomean;
        let scaled = best.is_finite() && (logarithmic || best > 0.0);
        scaled.then_some(Self { best, logarithmic })
    }

    /// The merit of a score; that of the best is 1, or 0 if it is a logarithm.
    #[inline]
    fn merit(self, score: f64) -> f64 {
        if self.logarithmic { score - self.best } else { score / self.best }
    }

    /// The loss of an allocation with this merit, as a fraction of the best.
    fn regret(self, merit: f64) -> f64 {
        if self.logarithmic { -libm::expm1(merit) } else { 1.0 - merit }
    }

    /// The divisor of the GFLOPS of an application, if `unit` is the divisor of the goal.
    fn unit(self, unit: f64) -> f64 {
        if self.logarithmic { unit } else { unit * self.best }
    }
}

// Rates allocations under several models: the smallest merit counts.

/// The models under which allocations differ, each with its scale; never empty, and all of one objective.
#[derive(Clone, Debug)]
struct Panel<'a> {
    members: Vec<(&'a Problem, Scale)>,
}

impl<'a> Panel<'a> {
    /// The question without the model: applications, constraints, nodes.
    fn question(&self) -> &'a Problem {
        self.members[0].0
    }

    /// The rater for these placements.
    fn rater(&self, placements: &[Placement]) -> Rater<'a> {
        let evaluator =
            |&(problem, scale): &(&'a Problem, Scale)| (Evaluator::new(problem, placements.to_vec()), scale);
        Rater { members: self.members.iter().map(evaluator).collect() }
    }

    /// The cost of rating an allocation, in elementary operations.
    fn evaluation_cost(&self) -> u64 {
        self.members.iter().map(|(problem, _)| problem.evaluation_cost()).fold(0, u64::saturating_add)
    }

    /// The worst regret of an allocation with this merit.
    fn regret(&self, merit: f64) -> f64 {
        self.members[0].1.regret(merit)
    }
}

/// Rates allocations by their smallest merit; the mean of all merits breaks ties.
struct Rater<'a> {
    members: Vec<(Evaluator<'a>, Scale)>,
}

impl Rates for Rater<'_> {
    #[inline]
    fn excess(&self, threads: &[u32]) -> f64 {
        self.members[0].0.excess(threads)
    }

    #[inline]
    fn rate(&mut self, allocation: &Allocation) -> (f64, f64) {
        let (mut least, mut sum) = (f64::INFINITY, 0.0);
        for (evaluator, scale) in &mut self.members {
            let merit = scale.merit(evaluator.rate_of(allocation).0);
            least = least.min(merit);
            sum += merit;
        }
        (least, sum / self.members.len() as f64)
    }

    fn candidate(&mut self, allocation: Allocation) -> Candidate {
        let (score, tie_break) = self.rate(&allocation);
        let excess = self.excess(allocation.as_slice());
        let placements = self.members[0].0.placements.clone();
        let smt = self.members[0].0.problem.smt.clone();
        Candidate { allocation, placements, smt, score, tie_break, excess }
    }
}

/// The best allocation met, and the margin to beat it.
#[derive(Clone, Debug)]
struct Best {
    candidate: Candidate,
}

/// Merits are near 1, or logarithms near 0: they count as equal within this fraction of the best of a model.
const EQUAL: f64 = 1e-9;

impl Keeps for Best {
    /// Only candidates above this are better.
    fn cutoff(&self) -> f64 {
        self.candidate.score + EQUAL
    }

    fn offer(&mut self, other: Candidate) {
        if other.beats(&self.candidate) {
            self.candidate = other;
        }
    }

    fn join(&mut self, other: Self) {
        self.offer(other.candidate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::question;

    #[test]
    fn a_regret_is_the_missing_fraction_of_the_best() {
        // 90 of 100 GFLOPS; and a mean of 0.45 of 0.5.
        let total = Scale::new(&question(1, Objective::TotalGflops), 100.0).expect("a scale");
        assert!((total.regret(total.merit(90.0)) - 0.1).abs() < 1e-12);
        let mean = Scale::new(&question(1, Objective::Geomean), 0.5_f64.ln()).expect("a scale");
        assert!((mean.regret(mean.merit(0.45_f64.ln())) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn without_better_allocations_there_is_no_scale() {
        assert_eq!(Scale::new(&question(1, Objective::Fair), 0.0), None);
        assert_eq!(Scale::new(&question(1, Objective::Geomean), f64::NEG_INFINITY), None);
    }
}
