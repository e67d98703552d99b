//! Search if the L3 domain of a thread matters (`l3_read_gbs`), or if an application has requirements on L3 domains.
//!
//! Climbs (`climb`) start at the known allocations, at the answers for the machine without that limit (distributed over the domains, evenly
//! and packed), at an even allocation for the most promising places of open data, and at random (`space`). If there are few allocations,
//! all are covered (`listed`). Otherwise the best get kicks, and the machine without that limit gets longer searches. The bound is the smaller of
//! two. One is the limit of cores, domains and memories for each application alone. The other is the limit of cores, links, memories and
//! all domains of a node for all together, at the place of open data for which it is largest ([`HomeSets::within`]). Neither includes the limit
//! of a single domain for several applications. If domains limit nothing, the bound by node holds.

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Allocation, App, AppId, NodeId, Placement};

use climb::Climber;
pub(super) use climb::{climbed, spared};
use space::{Space, Threads};

use super::choices::{Found, OneChoice, best_of_choices};
use super::homes::{HomeSet, HomeSets};
use super::{
    ExploreError, Floor, Outcome, Proof, Search, Settings, Status, best_with_any_threads, gap, homes, local,
};
use crate::baselines::even;
use crate::monitor::{Monitor, Progress};
use crate::objective::{Objective, margin};
use crate::open_data::OpenChoices;
use crate::parallel;
use crate::problem::{Candidate, Problem};
use crate::restrictions::Infeasible;
use crate::search::budget::{Quiet, RISE};
use crate::search::pool::{Canonical, Pool};

mod climb;
mod listed;
mod space;

/// The first round has the budget divided by this.
const FIRST_ROUND: u64 = 16;
/// Number of rounds, each with [`RISE`] times the budget of the one before, unless there is time for more.
const ROUNDS: u32 = 3;
/// Steps of an evaluation for each elementary operation of one round of redistribution (measured).
const STEPS_PER_OPERATION: u64 = 2;
/// Maximum number of places of open data that are starting points.
const MOST_HOMES: usize = 16;
/// Random starts.
const RESTARTS: u64 = 6;
/// Chains of kicks in each round.
const CHAINS: u64 = 4;
/// Number of alternatives of a part of a space; one of them may be valid if the best is not.
const PROOF_TOP: usize = 5;
/// Up to this number of sets of homes, all allocations are evaluated.
const MOST_SETS: usize = 64;

/// Finds a good allocation by L3 domain. `known`: allocations that are starting points; the answer is at least as good as those of them
/// that are allowed. `to_the_end`: until it is proven or `monitor` stops it.
///
/// # Errors
/// Those of [`super::explore`].
pub(crate) fn explore_by_domain(
    problem: &Problem,
    settings: &Settings,
    known: &[Candidate],
    to_the_end: bool,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    if problem.has_open_smt() {
        return best_of_choices(problem, settings, monitor, None, &ByDomainOf { known, to_the_end });
    }
    let search = if to_the_end { homes::best_to_the_end } else { best_with_any_threads };
    let flat = problem.clone().by_nodes();
    let limited = problem.machine.has_limited_domains();
    let together = || Infeasible::Together(problem.restrictions.describe(&problem.asked));
    if !limited && !problem.machine.has_domains() {
        return match search(&flat, settings, monitor) {
            Ok(outcome) => outcome.checked(problem),
            Err(ExploreError::Infeasible(Infeasible::Together(_))) => Err(together().into()),
            Err(error) => Err(error),
        };
    }
    let space = Space::new(problem);
    let mut search = ByDomain {
        space: &space,
        flat: &flat,
        settings,
        monitor,
        limited,
        homes: Vec::new(),
        found: Pool::new(settings.top + 5),
        canonical: Canonical::new(problem),
        bound: roof(problem),
    };
    search.bound_together();
    search.begin(known)?;
    if search.cover() {
        search.bound = f64::NEG_INFINITY;
        if search.found.best().is_none() {
            return Err(together().into());
        }
    } else {
        let mut round = 0;
        while !search.is_proven() && !monitor.stop() && (to_the_end || round < ROUNDS) {
            search.round(round)?;
            round += 1;
        }
    }
    search.outcome()
}

/// Searches by L3 domain with decided hardware threads of a core.
struct ByDomainOf<'k> {
    known: &'k [Candidate],
    to_the_end: bool,
}

impl OneChoice for ByDomainOf<'_> {
    /// Until the end, the sets are repeated with a larger budget each time: one alone would take all the time.
    fn budget(&self, effort: u64) -> u64 {
        if self.to_the_end { u64::MAX } else { effort.saturating_mul(2) }
    }

    fn first_bound(&self, of: &Problem, effort: u64, monitor: &dyn Monitor) -> f64 {
        let flat = of.clone().by_nodes();
        HomeSets::within(&flat, &of.machine, effort, &Quiet(monitor)).bound.min(roof(of))
    }

    fn search(
        &self,
        of: &Problem,
        settings: &Settings,
        monitor: &dyn Monitor,
        _: Option<&Candidate>,
        _: Floor,
    ) -> Result<Found, ExploreError> {
        let outcome = explore_by_domain(of, settings, self.known, false, monitor)?;
        Ok(Found {
            best: Some(outcome.best),
            bound: of.goal.score_of(outcome.bound),
            others: outcome.alternatives,
        })
    }

    /// The search by domain has already returned its alternatives.
    fn more(&self, _: &Problem, _: &Settings, _: &dyn Monitor, _: Option<&Candidate>, _: &mut Pool) -> bool {
        false
    }
}

impl Search<'_> {
    /// [`Self::prove`] by L3 domain.
    pub(super) fn prove_by_domain(&self, pool: &mut Pool, effort: u64) -> Proof {
        let settings = Settings { top: PROOF_TOP, effort, ..*self.settings };
        match explore_by_domain(self.problem, &settings, &[], false, self.monitor) {
            Ok(outcome) => {
                let complete = outcome.status == Status::Optimal;
                let open_bound = self.problem.goal.score_of(outcome.bound);
                std::iter::once(outcome.best)
                    .chain(outcome.alternatives)
                    .for_each(|found| pool.add(&self.canonical, found));
                Proof { open_bound, complete }
            }
            Err(ExploreError::Infeasible(_)) => Proof { open_bound: f64::NEG_INFINITY, complete: true },
            Err(_) => Proof { open_bound: f64::INFINITY, complete: false },
        }
    }
}

struct ByDomain<'s, 'a> {
    space: &'s Space<'a>,
    /// The problem by node, without the limits of domains.
    flat: &'s Problem,
    settings: &'s Settings,
    monitor: &'s dyn Monitor,
    limited: bool,
    /// Places of open data that could hold the best answer, the largest bound first.
    homes: Vec<HomeSet>,
    /// Different allowed answers, the best first.
    found: Pool,
    canonical: Canonical,
    /// No answer has a better score.
    bound: f64,
}

impl ByDomain<'_, '_> {
    /// Climbs from known allocations, from answers by node and from random ones.
    fn begin(&mut self, known: &[Candidate]) -> Result<(), ExploreError> {
        let space = self.space;
        let mut starts: Vec<(Threads, Vec<Placement>)> = Vec::new();
        for candidate in known.iter().filter(|known| known.smt == space.problem.smt) {
            starts.push((space.of(&candidate.allocation), candidate.placements.clone()));
            if space.problem.allows(&candidate.allocation, &candidate.placements) {
                self.found.add(&self.canonical, candidate.clone());
            }
        }
        let first = space.problem.placements(&[]);
        let equal = even(&space.problem.machine, &space.problem.apps);
        starts.extend(space.dealt(&equal).into_iter().map(|threads| (threads, first.clone())));
        for set in &self.homes {
            let placements = space.problem.placements(&set.homes);
            starts.extend(space.dealt(&equal).into_iter().map(|threads| (threads, placements.clone())));
        }
        for restart in 0..RESTARTS {
            let mut random = local::generator(self.settings.seed, 3_000 + restart);
            starts.push((space.random(&mut random), first.clone()));
        }
        self.climb(starts, self.settings.effort / FIRST_ROUND);
        self.by_node(self.settings.effort / FIRST_ROUND / 4)
    }

    /// Climbs from the answers by node.
    fn by_node(&mut self, effort: u64) -> Result<(), ExploreError> {
        let settings = Settings { top: self.settings.top.max(3), effort, ..*self.settings };
        let outcome = match best_with_any_threads(self.flat, &settings, &Quiet(self.monitor)) {
            Ok(outcome) => outcome,
            // Every allocation by domain is also possible by node.
            Err(error @ ExploreError::Infeasible(_)) => return Err(error),
            Err(_) => return Ok(()),
        };
        if !self.limited {
            self.bound = self.bound.min(self.flat.goal.score_of(outcome.bound));
        }
        let answers = std::iter::once(outcome.best).chain(outcome.alternatives);
        let dealt = |answer: Candidate| {
            let placements = answer.placements;
            self.space.dealt(&answer.allocation).into_iter().map(move |threads| (threads, placements.clone()))
        };
        let starts = answers.flat_map(dealt).collect();
        self.climb(starts, effort);
        Ok(())
    }

    fn climb(&mut self, starts: Vec<(Threads, Vec<Placement>)>, effort: u64) {
        let left = self.evaluations(effort) / starts.len().max(1) as u64;
        let (space, monitor) = (self.space, self.monitor);
        let found = parallel::map(starts, |(threads, placements)| {
            let mut climber = Climber::new(space, placements, left.max(1), monitor);
            let (threads, _) = climber.with_homes(threads, monitor);
            climber.candidate(&threads)
        });
        self.add(found.into_iter().flatten());
    }

    /// Evaluates all allocations if they are few; returns whether it did.
    fn cover(&mut self) -> bool {
        let Some(homes) =
            OpenChoices::new(&self.space.problem.machine, &self.space.problem.apps).all(MOST_SETS)
        else {
            return false;
        };
        let left = self.evaluations(self.settings.effort / 4);
        let best = self.found.best().cloned();
        match listed::covered(self.space, self.flat, &homes, best, left, self.monitor) {
            None => false,
            Some((best, complete)) => {
                // Ties are broken by a climb.
                let starts =
                    best.iter().map(|best| (self.space.of(&best.allocation), best.placements.clone()));
                self.climb(starts.collect(), self.settings.effort / FIRST_ROUND);
                self.add(best.into_iter());
                complete
            }
        }
    }

    /// Lowers the bound by the limits that hold under any sharing, for all applications together.
    fn bound_together(&mut self) {
        let limits = &self.space.problem.machine;
        let sets = HomeSets::within(self.flat, limits, self.settings.effort, &Quiet(self.monitor));
        self.bound = self.bound.min(sets.bound);
        self.homes = sets.listed.unwrap_or_default();
        self.homes.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        self.homes.truncate(MOST_HOMES);
        self.tell(0.0);
    }

    /// Searches by node with a larger budget and kicks the best.
    fn round(&mut self, round: u32) -> Result<(), ExploreError> {
        let effort = (self.settings.effort / FIRST_ROUND).saturating_mul(RISE.saturating_pow(round));
        if round > 0 {
            // Its answers are starts only if domains are limited.
            self.by_node(if self.limited { effort / 2 } else { effort })?;
        }
        let space = self.space;
        let left = self.evaluations(effort) / CHAINS;
        let (monitor, seed) = (self.monitor, self.settings.seed);
        let found = self.found.clone().into_candidates();
        let elsewhere = self.open_homes(round).unwrap_or_else(|| space.problem.placements(&[]));
        let chains = parallel::map(0..CHAINS, |chain| {
            let mut random = local::generator(seed, 4_000 + u64::from(round) * CHAINS + chain);
            // The last chain starts at a random allocation.
            let start =
                if chain + 1 < CHAINS { found.get(usize::try_from(chain / 2).unwrap_or(0)) } else { None };
            let (mut threads, placements) = match start.or(found.first().filter(|_| chain + 1 < CHAINS)) {
                Some(start) => (space.of(&start.allocation), start.placements.clone()),
                None => (space.random(&mut random), elsewhere.clone()),
            };
            let mut climber = Climber::new(space, placements, left.max(1), monitor);
            (threads, _) = climber.with_homes(threads, monitor);
            climber.kicked(&mut threads, u64::MAX, &mut random);
            (threads, _) = climber.with_homes(threads, monitor);
            climber.candidate(&threads)
        });
        self.add(chains.into_iter().flatten());
        self.tell(f64::from(round + 1) / f64::from(ROUNDS));
        Ok(())
    }

    /// One of the places of open data that could still be better than the best, each in turn.
    fn open_homes(&self, round: u32) -> Option<Vec<Placement>> {
        let best = self.found.best().map_or(f64::NEG_INFINITY, |best| best.score);
        let open: Vec<&HomeSet> = self.homes.iter().filter(|set| set.bound > best).collect();
        let set = open.get(usize::try_from(round).unwrap_or(0) % open.len().max(1))?;
        Some(self.space.problem.placements(&set.homes))
    }

    /// Number of evaluations in the time of these steps.
    fn evaluations(&self, steps: u64) -> u64 {
        let problem = self.space.problem;
        let rows = problem.machine.rows_per_app() as u64;
        steps / problem.evaluation_cost().saturating_mul(rows * STEPS_PER_OPERATION).max(1)
    }

    fn add(&mut self, answers: impl Iterator<Item = Candidate>) {
        answers.for_each(|answer| self.found.add(&self.canonical, answer));
    }

    fn is_proven(&self) -> bool {
        self.found.best().is_some_and(|best| self.bound <= best.score + margin(best.score))
    }

    fn tell(&self, effort_spent: f64) {
        let goal = &self.space.problem.goal;
        let best = self.found.best();
        let bound = best.map_or(self.bound, |best| self.bound.max(best.score));
        self.monitor.progress(&Progress {
            found: best,
            best: best.map(|best| goal.value(best.score)),
            bound: goal.value(bound),
            effort_spent: effort_spent.min(1.0),
        });
    }

    fn outcome(self) -> Result<Outcome, ExploreError> {
        let problem = self.space.problem;
        let optimal = self.is_proven();
        let stopped = self.monitor.stop();
        let mut found = self.found.into_candidates();
        // The one with the fewest threads, out of those that are as good as the best.
        let ties = found.iter().take_while(|other| found.first().is_some_and(|best| !best.beats(other)));
        let fewest = ties.enumerate().min_by_key(|(_, tie)| threads_of(&tie.allocation));
        let Some(fewest) = fewest.map(|(number, _)| number) else { return Err(ExploreError::NothingFound) };
        let best = found.remove(fewest);
        if problem.goal.objective() == Objective::Makespan && best.score <= 0.0 {
            return Err(if optimal {
                Infeasible::NoFiniteMakespan(super::without_progress(problem)).into()
            } else {
                ExploreError::NothingFound
            });
        }
        let bound = if optimal { best.score } else { self.bound.max(best.score) };
        let (value, bound) = (problem.goal.value(best.score), problem.goal.value(bound));
        let status = match (optimal, stopped) {
            (true, _) => Status::Optimal,
            (false, true) => Status::Stopped,
            (false, false) => Status::Unproven,
        };
        found.truncate(self.settings.top);
        let gap = gap(value, bound);
        let levels = Vec::new();
        Outcome { best, value, bound, gap, status, levels, alternatives: found, alternatives_complete: false }
            .relative_to(problem)
            .checked(problem)
    }
}

fn threads_of(allocation: &Allocation) -> u64 {
    (0..allocation.apps()).map(|app| allocation.total(AppId(app))).sum()
}

/// A score that no allocation exceeds: for each application, the smallest of the limits of its cores, its L3 domains and all memories for
/// it alone.
fn roof(problem: &Problem) -> f64 {
    let machine = &problem.machine;
    let of_app = |app: &App| -> f64 {
        // Each GB/s of its traffic occupies at least this much of any memory.
        let occupied = machine.memory_nodes().map(|memory| machine.node(memory).occupied_by(app.traffic()));
        let least = occupied.fold(f64::INFINITY, f64::min);
        let by_bandwidth =
            |gbs: f64| (GigabytesPerSecond::new(gbs / least) * app.arithmetic_intensity).value();
        let limits = app.limits();
        let of_node = |node: NodeId| {
            let node = machine.node(node);
            let fed = limits.want(node, app.arithmetic_intensity) * app.arithmetic_intensity;
            let by_cores = f64::from(node.cores) * fed.min(limits.peak(node)).value();
            let of_domains = |limit: GigabytesPerSecond| by_bandwidth(limit.value() * node.domains() as f64);
            by_cores.min(node.l3_bandwidth.map_or(f64::INFINITY, of_domains))
        };
        let memories: f64 = machine.nodes().iter().map(|node| node.bandwidth.value()).sum();
        machine.compute_nodes().map(of_node).sum::<f64>().min(by_bandwidth(memories))
    };
    problem.goal.score(&problem.apps.iter().map(of_app).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::problem::Evaluator;
    use crate::restrictions::Restrictions;
    use crate::testing::two_chiplets;
    use numasim_model::units::FlopPerByte;
    use numasim_model::{Data, Machine, ModelKind};

    fn best(machine: &Machine, apps: &[App], objective: Objective) -> Outcome {
        let problem = Problem::new(machine, apps, objective, Restrictions::default()).unwrap();
        explore_by_domain(&problem, &Settings::default(), &[], false, &crate::search::Unattended).unwrap()
    }

    #[test]
    fn one_application_can_use_only_two_threads_per_domain() {
        let app = App::new("a", FlopPerByte::new(1.0), Data::Placed(Placement::Local));
        let outcome = best(&two_chiplets(), &[app], Objective::TotalGflops);
        assert_eq!((outcome.value, outcome.status), (100.0, Status::Optimal));
        assert_eq!(outcome.best.allocation.own_domains(), Some(&vec![vec![vec![2, 2]]]));
    }

    /// All allocations of two applications of 1 to 3 threads each, evaluated one by one.
    #[test]
    fn small_questions_match_all_allocations() {
        for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin, ModelKind::Ecm] {
            small_questions_have_the_answer_of_all_allocations_under(kind);
        }
    }

    fn small_questions_have_the_answer_of_all_allocations_under(kind: ModelKind) {
        let mut machine = two_chiplets();
        let mut node = *machine.node(NodeId(0));
        (node.cores, node.cores_per_l3) = (6, Some(2));
        machine = machine
            .retuned(vec![node], vec![GigabytesPerSecond::new(1.0)])
            .unwrap()
            .with_sharing(kind.into());
        let app = |name: &str, intensity| {
            App::new(name, FlopPerByte::new(intensity), Data::Placed(Placement::Local))
        };
        let apps = [app("a", 1.0), app("b", 0.25)];
        for objective in [Objective::TotalGflops, Objective::Fair, Objective::Geomean] {
            let problem = Problem::new(&machine, &apps, objective, Restrictions::default()).unwrap();
            let mut evaluator = Evaluator::new(&problem, vec![Placement::Local; 2]);
            let mut most = f64::NEG_INFINITY;
            for code in 0..6_u32.pow(3) {
                // Both applications in a domain of 2 cores: (0, 0) to (2, 0).
                const WAYS: [(u32, u32); 6] = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)];
                let ways = [0, 1, 2].map(|domain| WAYS[(code / 6_u32.pow(domain) % 6) as usize]);
                let (a, b) = (ways.map(|way| way.0).to_vec(), ways.map(|way| way.1).to_vec());
                let allocation = Allocation::from_domains(vec![vec![a], vec![b]]).unwrap();
                let candidate = evaluator.candidate(allocation);
                if problem.allows(&candidate.allocation, &candidate.placements) {
                    most = most.max(candidate.score);
                }
            }
            let outcome = best(&machine, &apps, objective);
            let found = outcome.best.score;
            assert!((found - most).abs() <= 1e-9 * most.abs(), "{kind:?} {objective:?}: {found} of {most}");
            assert!(outcome.bound >= outcome.value * (1.0 - 1e-9), "{kind:?} {objective:?}");
        }
    }
}
