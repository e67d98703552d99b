//! Search where it matters in which L3 domain a thread is (`l3_read_gbs`).
//!
//! The machine without that limit is searched first. Its answers are dealt over the domains, evenly and packed, and climbed from there: threads
//! come, go, and change places with others, one by one or all of an application in a domain. Of equal domains of a node one is
//! tried. The bound is the smaller one of what cores, domains and memories can do for each application alone, and of what cores, all domains of a
//! node, and memories can do for all together: it meets the value where these are the limit.

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Allocation, App, AppId, NodeId, OnNode, PerDomain, Placement, deal};

use super::choices::best_of_choices;
use super::{ExploreError, Outcome, Status, explore, gap, homes};
use crate::monitor::Monitor;
use crate::problem::{Candidate, Evaluator, Problem, margin};
use crate::search::Settings;
use crate::search::budget::Quiet;

/// Finds a good allocation by L3 domains, for a problem of [`Problem::by_domain`].
///
/// # Errors
/// Those of [`explore`].
pub fn explore_by_domain(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    if !problem.machine.has_limited_domains() {
        return explore(problem, settings, monitor);
    }
    if problem.has_open_smt() {
        let search = |of: &Problem, settings: &Settings, monitor: &dyn Monitor, _: Option<&Candidate>| {
            explore_by_domain(of, settings, monitor)
        };
        return best_of_choices(problem, settings, monitor, None, search);
    }
    let flat = Problem { machine: problem.machine.without_limited_domains(), ..problem.clone() };
    let of_flat = Settings { top: settings.top.max(3), effort: settings.effort / 4, ..*settings };
    let found = explore(&flat, &of_flat, &Quiet(monitor))?;
    let mut steps = settings.effort / problem.evaluation_cost().max(1);
    let mut answers: Vec<Candidate> = Vec::new();
    for start in std::iter::once(&found.best).chain(&found.alternatives) {
        for pack in [false, true] {
            let on_nodes =
                |app| start.allocation.row(AppId(app)).iter().copied().map(OnNode::Threads).collect();
            let rows: Vec<Vec<OnNode>> = (0..problem.apps.len()).map(on_nodes).collect();
            let dealt = deal(&problem.machine, &rows, pack);
            if let Some(answer) = Climb::new(problem, &start.placements).from(dealt, &mut steps, monitor) {
                answers.push(answer);
            }
        }
    }
    answers.sort_by(|a, b| b.score.total_cmp(&a.score));
    answers.dedup_by(|a, b| a.allocation == b.allocation);
    let Some(best) = answers.iter().cloned().reduce(|best, next| if next.beats(&best) { next } else { best })
    else {
        return Err(ExploreError::NothingFound);
    };
    // Cores, demand, controllers and what domains let through hold under any sharing.
    let (by_memories, _) = homes::anywhere(&flat, &problem.machine, settings.effort / 50, &Quiet(monitor));
    let bound_score = roof(problem).min(by_memories).max(best.score);
    let is_optimal = bound_score <= best.score + margin(best.score);
    let (value, bound) = (problem.goal.value(best.score), problem.goal.value(bound_score));
    let (bound, status) = match (is_optimal, monitor.stop()) {
        (true, _) => (value, Status::Optimal),
        (false, true) => (bound, Status::Stopped),
        (false, false) => (bound, Status::Unproven),
    };
    let others = answers.into_iter().filter(|answer| answer.allocation != best.allocation);
    let alternatives = others.take(settings.top).collect();
    let gap = gap(value, bound);
    Outcome { best, value, bound, gap, status, alternatives, alternatives_complete: false }.checked(problem)
}

/// A score that no allocation exceeds: of each application the least of what its cores, its L3 domains and all memories do for it alone.
fn roof(problem: &Problem) -> f64 {
    let machine = &problem.machine;
    let of_app = |app: &App| -> f64 {
        // A GB/s that it moves occupies at least this much of whatever it reads.
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

/// A domain: its node, and its number there.
type Place = (usize, usize);

/// What changes: threads of an application in a domain, more or less.
type Change = (usize, Place, i64);

struct Climb<'a> {
    problem: &'a Problem,
    evaluator: Evaluator<'a>,
    places: Vec<Place>,
}

impl<'a> Climb<'a> {
    fn new(problem: &'a Problem, placements: &[Placement]) -> Self {
        let nodes = problem.machine.nodes().iter().enumerate().filter(|(_, node)| node.cores > 0);
        let places = nodes.flat_map(|(n, node)| (0..node.domains()).map(move |domain| (n, domain))).collect();
        Self { problem, evaluator: Evaluator::new(problem, placements.to_vec()), places }
    }

    /// The best that is reached from `threads`, if that is allowed; without threads that bring nothing.
    fn from(mut self, threads: PerDomain, steps: &mut u64, monitor: &dyn Monitor) -> Option<Candidate> {
        let mut best = self.rated(threads)?;
        if !self.problem.allows(&best.allocation, &best.placements) {
            return None;
        }
        while let Some(better) = self.next(&best, steps, monitor, &|best, next| next.beats(best)) {
            best = better;
        }
        // Fewer threads with the same result leave room.
        let removes = |best: &Candidate, next: &Candidate| {
            !best.beats(next) && threads_of(&next.allocation) < threads_of(&best.allocation)
        };
        while let Some(fewer) = self.next(&best, steps, monitor, &removes) {
            best = fewer;
        }
        Some(best)
    }

    fn rated(&mut self, threads: PerDomain) -> Option<Candidate> {
        Some(self.evaluator.candidate(Allocation::from_domains(threads)?))
    }

    /// The first allowed neighbour of `best` that is taken.
    fn next(
        &mut self,
        best: &Candidate,
        steps: &mut u64,
        monitor: &dyn Monitor,
        takes: &dyn Fn(&Candidate, &Candidate) -> bool,
    ) -> Option<Candidate> {
        let now = best.allocation.own_domains()?;
        for changes in self.neighbours(now) {
            if *steps == 0 || monitor.stop() {
                return None;
            }
            *steps -= 1;
            let mut threads = now.clone();
            for &(app, (node, domain), more) in &changes {
                let count = &mut threads[app][node][domain];
                *count = u32::try_from(i64::from(*count) + more).unwrap_or(0);
            }
            let Some(next) = self.rated(threads) else { continue };
            if takes(best, &next) && self.problem.allows(&next.allocation, &next.placements) {
                return Some(next);
            }
        }
        None
    }

    /// Changes that keep to the cores of domains, of equal domains of a node the first.
    fn neighbours(&self, now: &PerDomain) -> Vec<Vec<Change>> {
        let apps = now.len();
        let contents = |(node, domain): Place| now.iter().map(move |nodes| nodes[node][domain]);
        let free = |place: Place| {
            let cores = self.problem.machine.node(NodeId(place.0)).domain_cores();
            i64::from(cores.saturating_sub(contents(place).sum()))
        };
        let is_first = |place: Place, but: Option<Place>| {
            let before = (0..place.1).map(|domain| (place.0, domain));
            !before.filter(|&other| Some(other) != but).any(|other| contents(other).eq(contents(place)))
        };
        let mut found = Vec::new();
        let firsts: Vec<Place> = self.places.iter().copied().filter(|&place| is_first(place, None)).collect();
        for &from in &firsts {
            for a in 0..apps {
                let count = i64::from(now[a][from.0][from.1]);
                if free(from) > 0 {
                    found.push(vec![(a, from, 1)]);
                }
                if count == 0 {
                    continue;
                }
                found.push(vec![(a, from, -1)]);
                found.extend((0..apps).filter(|&b| b != a).map(|b| vec![(a, from, -1), (b, from, 1)]));
                let others = self.places.iter().copied().filter(|&to| to != from && is_first(to, Some(from)));
                for to in others {
                    let moved = one_or_all(count.min(free(to)));
                    found.extend(moved.map(|number| vec![(a, from, -number), (a, to, number)]));
                    for b in (0..apps).filter(|&b| b != a && now[b][to.0][to.1] > 0) {
                        let exchanged = one_or_all(count.min(i64::from(now[b][to.0][to.1])));
                        found.extend(exchanged.map(|number| {
                            vec![(a, from, -number), (a, to, number), (b, to, -number), (b, from, number)]
                        }));
                    }
                }
            }
        }
        found
    }
}

/// 1 and `all`, once each; nothing where that is 0.
fn one_or_all(all: i64) -> impl Iterator<Item = i64> {
    [1, all].into_iter().take(usize::try_from(all.clamp(0, 2)).unwrap_or(0))
}

fn threads_of(allocation: &Allocation) -> u64 {
    (0..allocation.apps()).map(|app| allocation.total(AppId(app))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::testing::uniform_machine;
    use numasim_model::units::FlopPerByte;
    use numasim_model::{Data, Machine, ModelKind};

    /// 1 node x 16 cores of 1000 GFLOPS, 200 GB/s; 30 GB/s a core, 50 a domain of 8.
    fn machine() -> Machine {
        let flat = uniform_machine(1, 16, 1000.0, 200.0, 1.0);
        let mut node = *flat.node(NodeId(0));
        node.core_bandwidth = Some(GigabytesPerSecond::new(30.0));
        node.cores_per_l3 = Some(8);
        node.l3_bandwidth = Some(GigabytesPerSecond::new(50.0));
        flat.retuned(vec![node], vec![GigabytesPerSecond::new(1.0)]).unwrap()
    }

    fn best(machine: &Machine, apps: &[App], objective: Objective) -> Outcome {
        let problem = Problem::by_domain(machine, apps, objective, Restrictions::default()).unwrap();
        explore_by_domain(&problem, &Settings::default(), &crate::search::Unattended).unwrap()
    }

    #[test]
    fn two_threads_in_each_domain_are_all_that_one_application_can_use() {
        let app = App::new("a", FlopPerByte::new(1.0), Data::Placed(Placement::Local));
        let outcome = best(&machine(), &[app], Objective::TotalGflops);
        assert_eq!((outcome.value, outcome.status), (100.0, Status::Optimal));
        assert_eq!(outcome.best.allocation.own_domains(), Some(&vec![vec![vec![2, 2]]]));
    }

    /// All allocations of two applications of 1 to 3 threads each, evaluated one by one.
    #[test]
    fn small_questions_have_the_answer_of_all_allocations() {
        for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin, ModelKind::Ecm] {
            small_questions_have_the_answer_of_all_allocations_under(kind);
        }
    }

    fn small_questions_have_the_answer_of_all_allocations_under(kind: ModelKind) {
        let mut machine = machine();
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
            let problem = Problem::by_domain(&machine, &apps, objective, Restrictions::default()).unwrap();
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
