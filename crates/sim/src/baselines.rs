//! The allocations that people use without a search, to compare with the best one.

use std::cell::Cell;

use numasim_model::{Allocation, App, AppId, Data, Machine, NodeId, Placement, Scenario, Smt};

use crate::ascent::Ascent;
use crate::monitor::Monitor;
use crate::open_data;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::may_hold;

/// Maximum number of elementary operations for the homes of all baselines of a question, some tenths of a second: thousands of open homes
/// on hundreds of nodes need millions of evaluations.
const MOST_OPERATIONS: u64 = 100_000_000;
/// An evaluation with other homes is compiled anew, which costs this many times the evaluation itself.
const COMPILED_ANEW: u64 = 5;

/// Up to this number of applications in a scenario, every choice of hardware threads is tried.
const MOST_OPEN: u32 = 8;

/// An allocation to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// `even`, `one app per node`, or the name of a scenario.
    pub name: String,
    /// The allocation, with open homes at the best nodes found ([`Problem::baselines`]).
    pub candidate: Candidate,
    /// The constraint that it breaks, if any. It is then shown for comparison only.
    pub breaks: Option<String>,
    /// Whether its scenario schedules work statically. The candidate's score and homes are those of dynamic work sharing, which is never
    /// slower.
    pub static_work: bool,
}

/// The baselines `even` and `one app per node`, which come first.
pub const BUILT_IN_BASELINES: usize = 2;

/// Removes duplicates: a scenario of the files may equal a built-in baseline of the same name. Scenarios have different names, so only the
/// built-in ones can have duplicates.
pub fn distinct(all: Vec<Baseline>) -> Vec<Baseline> {
    let mut distinct: Vec<Baseline> = Vec::new();
    for baseline in all {
        if !distinct.iter().take(BUILT_IN_BASELINES).any(|known| *known == baseline) {
            distinct.push(baseline);
        }
    }
    distinct
}

/// Puts floor(cores / applications) threads of each application on each node that may hold them. The cores of excluded applications stay
/// idle there.
pub fn even(machine: &Machine, apps: &[App]) -> Allocation {
    let mut allocation = Allocation::empty(apps.len(), machine.node_count());
    for node in machine.compute_nodes() {
        let threads = machine.node(node).cores / u32::try_from(apps.len()).unwrap_or(u32::MAX).max(1);
        for (a, _) in apps.iter().enumerate().filter(|(_, app)| may_hold(app, node)) {
            allocation.set(AppId(a), node, threads);
        }
    }
    allocation
}

/// Gives each application an equal share of all cores, up to its maximum, on the fewest nodes. Applications are placed in sequence, those
/// that lose most on several nodes first. This is a start of the search, not a baseline.
pub(crate) fn on_few_nodes(machine: &Machine, apps: &[App]) -> Allocation {
    let mut allocation = Allocation::empty(apps.len(), machine.node_count());
    let mut free: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    let part = u32::try_from(machine.total_cores() / apps.len().max(1) as u64).unwrap_or(u32::MAX);
    let mut order: Vec<usize> = (0..apps.len()).collect();
    order.sort_by(|&a, &b| apps[b].node_overhead.total_cmp(&apps[a].node_overhead));
    for a in order {
        let app = &apps[a];
        let mut left = part.min(app.max_threads.unwrap_or(u32::MAX)).max(app.min_threads);
        let home = app.data.placement().and_then(Placement::home);
        let mut nodes: Vec<NodeId> = machine.compute_nodes().filter(|&node| may_hold(app, node)).collect();
        // Its home first, then the nodes with the most room.
        nodes.sort_by_key(|&node| (Some(node) != home, std::cmp::Reverse(free[node.0]), node));
        for node in nodes {
            let threads = app.placing.previous(left.min(free[node.0]));
            allocation.set(AppId(a), node, threads);
            free[node.0] -= threads;
            left -= threads;
        }
    }
    allocation
}

/// Gives every node with cores whole to one application. Returns `None` if there are more applications than such nodes, or if no free node
/// may hold the threads of an application.
///
/// An application whose data has a fixed home takes that node if it has cores and is free. The others follow in the order of the files. The
/// remaining nodes are distributed in the same order; a node that no application may use stays empty.
pub fn one_app_per_node(machine: &Machine, apps: &[App]) -> Option<Allocation> {
    let mut free: Vec<NodeId> = machine.compute_nodes().collect();
    if apps.len() > free.len() || apps.is_empty() {
        return None;
    }
    let mut allocation = Allocation::empty(apps.len(), machine.node_count());
    let give = |allocation: &mut Allocation, a: usize, node: NodeId| {
        allocation.set(AppId(a), node, machine.node(node).cores);
    };
    let mut waiting = Vec::new();
    for (a, app) in apps.iter().enumerate() {
        let home = app.data.placement().and_then(Placement::home);
        match free.iter().position(|&node| Some(node) == home && may_hold(app, node)) {
            Some(position) => give(&mut allocation, a, free.remove(position)),
            None => waiting.push(a),
        }
    }
    // Applications with few allowed nodes choose first.
    let allowed = |a: &usize| free.iter().filter(|&&node| may_hold(&apps[*a], node)).count();
    waiting.sort_by_key(allowed);
    for a in waiting {
        let position = free.iter().position(|&node| may_hold(&apps[a], node))?;
        give(&mut allocation, a, free.remove(position));
    }
    let mut turn = 0;
    for node in free {
        let next = (0..apps.len()).map(|i| (turn + i) % apps.len()).find(|&a| may_hold(&apps[a], node));
        if let Some(a) = next {
            give(&mut allocation, a, node);
            turn = a + 1;
        }
    }
    Some(allocation)
}

/// Returns the baseline that breaks no constraint, else the better one.
fn better(a: Baseline, b: Baseline) -> Baseline {
    match (a.breaks.is_none(), b.breaks.is_none()) {
        (true, false) => a,
        (false, true) => b,
        _ if b.candidate.beats(&a.candidate) => b,
        _ => a,
    }
}

impl Problem {
    /// `even`, `one app per node` if it is possible, and every scenario of the files.
    ///
    /// Their open homes are optimised until `monitor` stops the work, with a fixed number of operations. With thousands of homes, the rest
    /// stay at the best found so far.
    pub fn baselines(&self, scenarios: &[Scenario], monitor: &dyn Monitor) -> Vec<Baseline> {
        let own: Vec<Data> = self.apps.iter().map(|app| app.data.clone()).collect();
        let left = Cell::new(MOST_OPERATIONS);
        let cost = self.evaluation_cost().saturating_mul(COMPILED_ANEW);
        let stop = || {
            let enough = left.get() < cost;
            left.set(left.get().saturating_sub(cost));
            enough || monitor.stop()
        };
        let open: &[Vec<Smt>] = if self.has_open_smt() { &self.choices } else { &[Vec::new()] };
        let built_in = |name: &str, allocation: &Allocation| {
            let all = open.iter().map(|smt| self.with_smt(smt).baseline(name, allocation, &own, &stop));
            all.reduce(better)
        };
        let mut baselines: Vec<Baseline> =
            built_in("even", &even(&self.machine, &self.apps)).into_iter().collect();
        if let Some(allocation) = one_app_per_node(&self.machine, &self.apps) {
            baselines.extend(built_in("one app per node", &allocation));
        }
        baselines.extend(scenarios.iter().filter_map(|s| {
            let decided = self.decided(s).into_iter();
            let all = decided
                .map(|(smt, allocation)| self.with_smt(&smt).baseline(&s.name, &allocation, &s.data, &stop));
            let found = all.reduce(better)?;
            let differs =
                self.asked.iter().zip(&s.smt).find(|(app, smt)| app.smt != Smt::Any && app.smt != **smt);
            let other = differs.map(|(app, smt)| format!("{} has smt \"{}\" in it", app.name, smt.as_str()));
            Some(Baseline { static_work: s.static_work, breaks: found.breaks.clone().or(other), ..found })
        }));
        baselines
    }

    /// Every choice for the hardware threads of a core that a scenario leaves open, with the cores of each application, if they fit the
    /// machine. If the scenario keeps what the applications specify, the list of hardware threads is empty.
    fn decided(&self, scenario: &Scenario) -> Vec<(Vec<Smt>, Allocation)> {
        let open: Vec<usize> = (0..scenario.smt.len()).filter(|&a| scenario.smt[a] == Smt::Any).collect();
        if open.is_empty() {
            let same = self.asked.iter().zip(&scenario.smt).all(|(app, smt)| app.smt == *smt);
            let smt = if same { Vec::new() } else { scenario.smt.clone() };
            return vec![(smt, scenario.allocation.clone())];
        }
        // Scenarios that people write have few. With many applications, only choices that are the same for all are tried.
        let few = u32::try_from(open.len()).ok().filter(|&open| open <= MOST_OPEN);
        let sets = few.map_or(2, |open| 1 << open);
        let chosen = |set: usize| {
            let (mut smt, mut allocation) = (scenario.smt.clone(), scenario.allocation.clone());
            for (bit, &a) in open.iter().enumerate() {
                let both = if few.is_some() { set >> bit & 1 == 1 } else { set == 1 };
                smt[a] = if both { Smt::Both } else { Smt::One };
                let per_core = smt[a].threads_per_core();
                allocation
                    .replace(AppId(a), |threads| (threads % per_core == 0).then_some(threads / per_core))?;
            }
            allocation.fits(&self.machine).is_ok().then_some((smt, allocation))
        };
        (0..sets).filter_map(chosen).collect()
    }

    fn baseline(
        &self,
        name: &str,
        allocation: &Allocation,
        data: &[Data],
        stop: &dyn Fn() -> bool,
    ) -> Baseline {
        let candidate = self.with_good_homes(allocation, data, stop);
        let breaks = self.violation(allocation, &candidate.placements);
        Baseline { name: name.to_owned(), candidate, breaks, static_work: false }
    }

    /// Rates `allocation` with all open data of `data` at its best place. If `stop` returns true, the best place so far is used; `stop` is
    /// called before each evaluation except the first.
    ///
    /// All combinations are tried if there are few. Otherwise the data of one application after the other is improved until nothing
    /// changes.
    pub(crate) fn with_good_homes(
        &self,
        allocation: &Allocation,
        data: &[Data],
        stop: &dyn Fn() -> bool,
    ) -> Candidate {
        let first: Vec<Placement> = data.iter().map(|data| open_data::first(data, &self.machine)).collect();
        self.with_better_homes(allocation, data, &first, stop)
    }

    /// Like [`Self::with_good_homes`], but the data of one application after the other starts at `from`.
    pub(crate) fn with_better_homes(
        &self,
        allocation: &Allocation,
        data: &[Data],
        from: &[Placement],
        stop: &dyn Fn() -> bool,
    ) -> Candidate {
        let rate = |placements: &[Placement]| {
            Evaluator::new(self, placements.to_vec()).candidate(allocation.clone())
        };
        better_homes(&self.machine, data, from, &rate, stop)
    }
}

/// The open data of `data` at its best place by `rate`, until `stop` returns true. `from`: where a search starts that does not try all
/// places.
pub(crate) fn better_homes(
    machine: &Machine,
    data: &[Data],
    from: &[Placement],
    rate: &dyn Fn(&[Placement]) -> Candidate,
    stop: &dyn Fn() -> bool,
) -> Candidate {
    const FEW: usize = 512;
    let open: Vec<usize> = (0..data.len()).filter(|&a| data[a].is_open()).collect();
    let few = open.iter().map(|&a| open_data::number(&data[a], machine)).product::<f64>() <= FEW as f64;
    if few {
        let choices: Vec<Vec<Placement>> = open.iter().map(|&a| open_data::each(&data[a], machine)).collect();
        let mut placements: Vec<Placement> = from.to_vec();
        let mut best: Option<Candidate> = None;
        for combination in 0..choices.iter().map(Vec::len).product() {
            if best.is_some() && stop() {
                break;
            }
            let mut rest: usize = combination;
            for (&a, choices) in open.iter().zip(&choices) {
                placements[a] = choices[rest % choices.len()].clone();
                rest /= choices.len();
            }
            let candidate = rate(&placements);
            if best.as_ref().is_none_or(|best| candidate.beats(best)) {
                best = Some(candidate);
            }
        }
        return best.unwrap_or_else(|| rate(from));
    }
    let begin = |(a, from): (usize, &Placement)| open_data::beginning(&data[a], machine, from);
    let mut ascent = Ascent::new(rate(&from.iter().enumerate().map(begin).collect::<Vec<_>>()));
    let mut improved = true;
    while improved {
        improved = false;
        for &a in &open {
            for other in open_data::others(&data[a], machine, &ascent.best().placements[a].clone()) {
                if stop() {
                    return ascent.into_best();
                }
                let mut placements = ascent.best().placements.clone();
                placements[a] = other;
                improved |= ascent.tries(rate(&placements));
            }
        }
    }
    ascent.into_best()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::search::{Progress, Unattended};
    use crate::testing::{app, local_app, uniform_machine};

    /// Stops from the first call on, and counts the calls.
    #[derive(Default)]
    struct AtOnce(AtomicUsize);

    impl Monitor for AtOnce {
        fn stop(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            true
        }
        fn progress(&self, _: &Progress) {}
    }

    /// One application with an open home for each of `nodes` nodes.
    fn open_homes(nodes: usize) -> Problem {
        let machine = uniform_machine(nodes, 2, 10.0, 32.0, 10.0);
        let apps: Vec<App> = (0..nodes).map(|_| app("a", 0.5, Data::OpenHome { share: 1.0 })).collect();
        Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).expect("a question")
    }

    #[test]
    fn a_stop_keeps_the_current_homes() {
        let problem = open_homes(3);
        let monitor = AtOnce::default();
        let baselines = problem.baselines(&[], &monitor);
        let homes = |baseline: &Baseline| -> Vec<_> {
            baseline.candidate.placements.iter().map(Placement::home).collect()
        };
        assert_eq!(baselines.iter().map(homes).collect::<Vec<_>>(), [[Some(NodeId(0)); 3]; 2]);
        // Once for each of `even` and `one app per node`.
        assert_eq!(monitor.0.load(Ordering::Relaxed), 2);
        // Each application has a separate node, where its data belongs.
        let homes: Vec<_> = problem.baselines(&[], &Unattended).iter().map(homes).collect();
        assert_eq!(homes[1], [Some(NodeId(0)), Some(NodeId(1)), Some(NodeId(2))]);
    }

    #[test]
    fn homes_of_baselines_are_searched_with_a_fixed_budget() {
        let problem = open_homes(3);
        let asked = Cell::new(0);
        let allocation = even(&problem.machine, &problem.apps);
        let data = vec![Data::OpenHome { share: 1.0 }; 3];
        let few = || {
            asked.set(asked.get() + 1);
            asked.get() > 5
        };
        problem.with_good_homes(&allocation, &data, &few);
        assert_eq!(asked.get(), 6, "5 of the 3^3 - 1 other homes, and the stop");
        // 200 open homes on 200 nodes: one flow for each from each node, 4 operations, compiled anew.
        let many = open_homes(200);
        let each = 200 * 200 * 4 * COMPILED_ANEW;
        assert_eq!(many.evaluation_cost() * COMPILED_ANEW, each);
        assert!(MOST_OPERATIONS / each < 200 * 200, "not one pass over all homes");
    }

    #[test]
    fn even_rounds_down() {
        // 8 cores, 3 applications: 2 threads each, 2 cores idle
        let allocation = even(&uniform_machine(2, 8, 10.0, 32.0, 10.0), &vec![local_app("a", 1.0); 3]);
        assert_eq!(allocation.row(AppId(1)), [2, 2]);
    }

    #[test]
    fn an_application_with_a_fixed_home_gets_that_node() {
        let machine = uniform_machine(3, 8, 10.0, 32.0, 10.0);
        let apps = [
            local_app("a", 1.0),
            app("b", 1.0, Data::Placed(Placement::Home(NodeId(0)))),
            local_app("c", 1.0),
        ];
        let allocation = one_app_per_node(&machine, &apps).unwrap();
        assert_eq!(allocation.row(AppId(0)), [0, 8, 0]);
        assert_eq!(allocation.row(AppId(1)), [8, 0, 0]);
        assert_eq!(allocation.row(AppId(2)), [0, 0, 8]);
    }

    #[test]
    fn remaining_nodes_are_distributed() {
        let machine = uniform_machine(4, 8, 10.0, 32.0, 10.0);
        let apps = [local_app("a", 1.0), local_app("b", 1.0)];
        assert_eq!(one_app_per_node(&machine, &apps).unwrap().row(AppId(0)), [8, 0, 8, 0]);
    }

    #[test]
    fn one_app_per_node_needs_enough_nodes() {
        let machine = uniform_machine(1, 8, 10.0, 32.0, 10.0);
        assert_eq!(one_app_per_node(&machine, &[local_app("a", 1.0), local_app("b", 1.0)]), None);
    }

    #[test]
    fn no_application_gets_a_forbidden_node() {
        // `b` may use node 0 only, and comes first there; `a` has the other nodes.
        let machine = uniform_machine(3, 8, 10.0, 32.0, 10.0);
        let mut apps = [local_app("a", 1.0), local_app("b", 1.0)];
        apps[1].nodes = Some(vec![NodeId(0)]);
        let equal = even(&machine, &apps);
        assert_eq!((equal.row(AppId(0)), equal.row(AppId(1))), (&[4, 4, 4][..], &[4, 0, 0][..]));
        let whole = one_app_per_node(&machine, &apps).unwrap();
        assert_eq!((whole.row(AppId(0)), whole.row(AppId(1))), (&[0, 8, 8][..], &[8, 0, 0][..]));
        apps[0].nodes = Some(vec![NodeId(0)]);
        assert_eq!(one_app_per_node(&machine, &apps), None);
    }
}
