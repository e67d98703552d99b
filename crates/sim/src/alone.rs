//! The performance of an application alone on the machine under its own constraints: the F that p is relative to.
//!
//! Its own constraints are threads, nodes, hardware threads of a core, its requirements on nodes and L3 domains, and its memory. The other
//! applications do not count. Neither do constraints on all applications (`--whole-nodes` and similar options, `exclusive`).
//!
//! Arithmetic decides most applications: a simple allocation reaches an upper bound for all allocations ([`roof`]), or nodes do not depend
//! on each other ([`Separate`]). For the others, all allocations are rated if there are few; otherwise the search looks for the best one.

use numasim_model::{Allocation, App, AppId, Data, Machine, NodeId, Placement, Placing};

use crate::monitor::Unattended;
use crate::objective::{Alone, Goal, GoalError, Objective};
use crate::open_data::{self, OpenChoices};
use crate::problem::{Evaluator, Problem};
use crate::restrictions::may_hold;
use crate::roof::{MOST_NODES_SEARCHED, roof, roof_of_node};
use crate::search::{Settings, Status, best_with_any_threads};
use crate::symmetry::node_classes;

/// The result for an application without any valid allocation.
const NOTHING: Alone = Alone { gflops: 0.0, proven: true };

/// Maximum number of allocations of which all are rated: some milliseconds.
const MOST_RATED: f64 = 20_000.0;
/// Maximum number of elementary operations for all of them, and for nodes that do not depend on each other.
const MOST_OPERATIONS: f64 = 2e7;
/// Maximum number of data placements that are tried one by one: all homes of a large machine, and fractions on four unequal nodes.
const MOST_CHOICES: usize = 1024;
/// The search budget for one application.
const EFFORT: u64 = 2_000_000;
/// Largest relative change from adding in a different order.
const ROUNDING: f64 = 1e-9;
/// Relative difference below which values are equal on a large machine: far below the resolution of the search.
const LAST_DIGITS: f64 = 1e-12;

impl Goal {
    /// Computes the values that the objective compares with.
    ///
    /// # Errors
    /// [`GoalError`] if work or weights are missing, or if FLOP are to be added up and an application counts something else.
    pub fn new(objective: Objective, machine: &Machine, apps: &[App]) -> Result<Self, GoalError> {
        if matches!(objective, Objective::TotalGflops | Objective::Makespan) {
            let rates = apps.iter().filter(|app| app.rate_unit.is_some());
            let names: Vec<String> = rates.map(|app| app.name.clone()).collect();
            if !names.is_empty() {
                return Err(GoalError::NoFlop(objective, names));
            }
        }
        Self::of_any_work(objective, machine, apps)
    }

    /// Like [`Self::new`], but for any unit of work.
    pub(crate) fn of_any_work(
        objective: Objective,
        machine: &Machine,
        apps: &[App],
    ) -> Result<Self, GoalError> {
        Self::compared_with(objective, &alone(machine, apps), apps)
    }

    /// The same goal on another machine; `apps` are those of this goal. Values that a sum or a time does not depend on are not computed
    /// again.
    ///
    /// # Errors
    /// [`GoalError`], as [`Self::new`].
    pub(crate) fn on_machine(&self, machine: &Machine, apps: &[App]) -> Result<Self, GoalError> {
        if self.is_relative() { Self::new(self.objective(), machine, apps) } else { Ok(self.clone()) }
    }
}

/// The highest performance of each application alone.
pub(crate) fn alone(machine: &Machine, apps: &[App]) -> Vec<Alone> {
    let mut before: Option<(App, Alone)> = None;
    let of = |app: &App| {
        let own = on_its_own(app);
        // Instances of one application have the same performance alone.
        let twin = before.take().filter(|(other, _)| *other == own);
        let found = twin.map_or_else(|| of_one(machine, &own), |(_, found)| found);
        before = Some((own, found));
        found
    };
    apps.iter().map(of).collect()
}

/// The application without its name, its weight, and its constraints on others.
fn on_its_own(app: &App) -> App {
    App {
        name: String::new(),
        group: String::new(),
        weight: 1.0,
        work: None,
        placing: Placing { exclusive: false, ..app.placing.clone() },
        ..app.clone()
    }
}

fn of_one(machine: &Machine, app: &App) -> Alone {
    let Ok(problem) = Problem::of_one(machine, app) else { return NOTHING };
    if !problem.has_open_smt() {
        return of_choice(&problem);
    }
    let choices = problem.choices.iter().map(|smt| of_choice(&problem.with_smt(smt)));
    choices.fold(NOTHING, better)
}

/// Combines the results for two ways to place an application.
fn better(a: Alone, b: Alone) -> Alone {
    Alone { gflops: a.gflops.max(b.gflops), proven: a.proven && b.proven }
}

/// The result once the hardware threads of a core are decided, with open data at its best place.
fn of_choice(problem: &Problem) -> Alone {
    let Problem { machine, apps, .. } = problem;
    let app = &apps[0];
    let homes: Vec<Placement> = match &app.data {
        Data::Placed(placement) => vec![placement.clone()],
        // Equal nodes are tried once.
        _ => match OpenChoices::new(&problem.machine, &problem.apps).all(MOST_CHOICES) {
            Some(choices) => choices.into_iter().flatten().collect(),
            None => return too_many(problem),
        },
    };
    let mut by_roof: Vec<(f64, Placement)> =
        homes.into_iter().map(|data| (roof(machine, app, &data), data)).collect();
    // The most promising home first: most of the others cannot be better and need no evaluation.
    by_roof.sort_by(|a, b| b.0.total_cmp(&a.0));
    let large = machine.node_count() > MOST_NODES_SEARCHED;
    let mut best = NOTHING;
    for (roof, placement) in by_roof {
        // On a large machine, hundreds of homes may have the same upper bound, and the first of them reaches it.
        let reached = large && roof <= best.gflops * (1.0 + LAST_DIGITS);
        if reached || roof * (1.0 + ROUNDING) < best.gflops {
            break;
        }
        best = better(best, Placed::new(problem, placement).most(roof));
    }
    best
}

/// The result if there are too many places for its data to try each of them.
fn too_many(problem: &Problem) -> Alone {
    let Problem { machine, apps, .. } = problem;
    let mut best = open_data::first(&apps[0].data, machine);
    let most = |placement: &Placement| {
        let roof = roof(machine, &apps[0], placement);
        Placed::new(problem, placement.clone()).most(roof).gflops
    };
    let mut found = most(&best);
    if machine.node_count() > MOST_NODES_SEARCHED {
        return Alone { gflops: found, proven: false };
    }
    let (searched, proven) = search(problem);
    if proven {
        return Alone { gflops: found.max(searched), proven };
    }
    let mut improved = true;
    while improved {
        improved = false;
        for other in open_data::others(&apps[0].data, machine, &best.clone()) {
            if roof(machine, &apps[0], &other) > found * (1.0 + ROUNDING) {
                let next = most(&other);
                if next > found * (1.0 + ROUNDING) {
                    (best, found, improved) = (other, next, true);
                }
            }
        }
    }
    Alone { gflops: found.max(searched), proven: false }
}

/// The best value that the search finds, and whether it is proven.
fn search(problem: &Problem) -> (f64, bool) {
    let settings = Settings { top: 0, effort: EFFORT, ..Settings::default() };
    match best_with_any_threads(problem, &settings, &Unattended) {
        Ok(outcome) => (outcome.value, outcome.status == Status::Optimal),
        Err(_) => (0.0, false),
    }
}

/// One application with its data placed.
struct Placed {
    problem: Problem,
    placements: Vec<Placement>,
}

impl Placed {
    fn new(problem: &Problem, placement: Placement) -> Self {
        let mut problem = problem.clone();
        for app in problem.apps.iter_mut().chain(&mut problem.asked) {
            app.data = Data::Placed(placement.clone());
        }
        Self { problem, placements: vec![placement] }
    }

    /// The highest performance; no allocation exceeds `roof`.
    fn most(&self, roof: f64) -> Alone {
        let mut evaluator = Evaluator::new(&self.problem, self.placements.clone());
        let mut best: f64 = 0.0;
        for allocation in self.simple() {
            best = best.max(allowed_gflops(&mut evaluator, &allocation));
        }
        let reaches = |best: f64, roof: f64| best * (1.0 + ROUNDING) >= roof;
        if reaches(best, roof) {
            return Alone { gflops: best, proven: true };
        }
        let mut roof = roof;
        if let Some(separate) = Separate::new(self, &mut evaluator) {
            let (most, allocation) = separate.best();
            best = best.max(allowed_gflops(&mut evaluator, &allocation));
            // Data may not fit the memory of its nodes. In that case no allocation that fits exceeds this value.
            roof = roof.min(most);
            if reaches(best, roof) {
                return Alone { gflops: best, proven: true };
            }
        }
        if let Some(listed) = self.best_of_all(&mut evaluator) {
            return Alone { gflops: best.max(listed), proven: true };
        }
        let (searched, proven) = self.search();
        let gflops = best.max(searched);
        Alone { gflops, proven: proven || reaches(gflops, roof) }
    }

    /// Threads on all cores that the application may use, its home and the fastest nodes first. If several nodes cost performance, or
    /// writes go to copies on all of them, there is one allocation for one node, one for two, and so on.
    fn simple(&self) -> Vec<Allocation> {
        let Problem { machine, apps, .. } = &self.problem;
        let (app, placement) = (&apps[0], &self.placements[0]);
        let mut nodes: Vec<(f64, NodeId)> = machine
            .compute_nodes()
            .filter(|&node| may_hold(app, node))
            .map(|node| (roof_of_node(machine, app, placement, node), node))
            .collect();
        let is_home = |node| placement.home() == Some(node);
        nodes.sort_by(|a, b| is_home(b.1).cmp(&is_home(a.1)).then(b.0.total_cmp(&a.0)));
        nodes.truncate(app.placing.max_nodes.unwrap_or(usize::MAX));
        let mut left = app.max_threads.unwrap_or(u32::MAX);
        let mut allocation = Allocation::empty(1, machine.node_count());
        let mut growing = Vec::new();
        for (_, node) in nodes {
            let threads = app.placing.previous(left.min(machine.node(node).cores));
            left -= threads;
            allocation.set(AppId(0), node, threads);
            if app.node_overhead > 0.0 || app.writes_copies(placement) {
                growing.push(allocation.clone());
            }
        }
        growing.push(allocation);
        growing
    }

    /// The best value over all allocations; `None` if there are too many. Equal nodes have their threads in descending order.
    fn best_of_all(&self, evaluator: &mut Evaluator<'_>) -> Option<f64> {
        let Problem { machine, apps, restrictions, .. } = &self.problem;
        if restrictions.ask_of_domains(apps) || machine.node_count() > MOST_NODES_SEARCHED {
            return None;
        }
        let classes = node_classes(machine, apps, &self.placements, false);
        let mut nodes: Vec<NodeId> =
            machine.compute_nodes().filter(|&node| may_hold(&apps[0], node)).collect();
        nodes.sort_by_key(|node| (classes[node.0], node.0));
        let options = |node: NodeId| {
            (0..=machine.node(node).cores).filter(|&threads| apps[0].placing.takes(threads)).count() as f64
        };
        let mut count = 1.0;
        let mut alike = 0.0;
        for (i, &node) in nodes.iter().enumerate() {
            let same = i > 0 && classes[nodes[i - 1].0] == classes[node.0];
            alike = if same { alike + 1.0 } else { 1.0 };
            // C(options + alike - 1, alike), factor by factor.
            count *= (options(node) + alike - 1.0) / alike;
        }
        if count > MOST_RATED || count * self.problem.evaluation_cost() as f64 > MOST_OPERATIONS {
            return None;
        }
        let mut every = Every { placed: self, classes, nodes, best: 0.0 };
        let mut allocation = Allocation::empty(1, machine.node_count());
        every.from(0, evaluator, &mut allocation);
        Some(every.best)
    }

    /// The best value that the search finds, and whether it is proven.
    fn search(&self) -> (f64, bool) {
        if self.problem.machine.node_count() > MOST_NODES_SEARCHED {
            return (0.0, false);
        }
        search(&self.problem)
    }
}

/// GFLOPS of an allocation of one application; 0 if it is not allowed.
fn allowed_gflops(evaluator: &mut Evaluator<'_>, allocation: &Allocation) -> f64 {
    if evaluator.allows(allocation) { evaluator.gflops_of(allocation)[0].max(0.0) } else { 0.0 }
}

/// A walk over all allocations.
struct Every<'p> {
    placed: &'p Placed,
    classes: Vec<usize>,
    nodes: Vec<NodeId>,
    best: f64,
}

impl Every<'_> {
    /// Rates every allocation that differs from the i-th node on.
    fn from(&mut self, i: usize, evaluator: &mut Evaluator<'_>, allocation: &mut Allocation) {
        let Some(&node) = self.nodes.get(i) else {
            self.best = self.best.max(allowed_gflops(evaluator, allocation));
            return;
        };
        let before = i.checked_sub(1).map(|before| self.nodes[before]);
        let twin = before.filter(|before| self.classes[before.0] == self.classes[node.0]);
        let most = twin.map_or(u32::MAX, |twin| allocation.get(AppId(0), twin));
        let Problem { machine, apps, .. } = &self.placed.problem;
        for threads in 0..=machine.node(node).cores.min(most) {
            if apps[0].placing.takes(threads) {
                allocation.set(AppId(0), node, threads);
                self.from(i + 1, evaluator, allocation);
            }
        }
        allocation.set(AppId(0), node, 0);
    }
}

/// An application whose threads read only local memory, so that its GFLOPS are a sum over nodes.
///
/// The best sum is found node by node, for each number of used nodes and of threads that matters.
struct Separate<'p> {
    app: &'p App,
    nodes: Vec<NodeId>,
    /// Per node: GFLOPS by the number of threads there.
    gflops: Vec<Vec<f64>>,
    all_nodes: usize,
    /// Largest number of used nodes that is distinguished; 0 if their number does not matter.
    most_nodes: usize,
    /// Largest number of threads that is distinguished.
    most_threads: usize,
}

impl<'p> Separate<'p> {
    /// `None` if nodes depend on each other, or if there are too many combinations of nodes and threads.
    fn new(placed: &'p Placed, evaluator: &mut Evaluator<'_>) -> Option<Self> {
        let Problem { machine, apps, restrictions, .. } = &placed.problem;
        let app = &apps[0];
        if !app.stays_at_home(&placed.placements[0], machine) || restrictions.ask_of_domains(apps) {
            return None;
        }
        let nodes: Vec<NodeId> = machine.compute_nodes().filter(|&node| may_hold(app, node)).collect();
        let counts_nodes = app.node_overhead > 0.0 || app.placing.max_nodes.is_some();
        let most_nodes = if counts_nodes { nodes.len() } else { 0 };
        let most_threads = app.max_threads.unwrap_or(app.min_threads) as usize;
        let cores = nodes.iter().map(|&node| f64::from(machine.node(node).cores) + 1.0).sum::<f64>();
        if cores * (most_nodes + 1) as f64 * (most_threads + 1) as f64 > MOST_OPERATIONS {
            return None;
        }
        let classes = node_classes(machine, apps, &placed.placements, false);
        let mut allocation = Allocation::empty(1, machine.node_count());
        let mut gflops: Vec<Vec<f64>> = Vec::with_capacity(nodes.len());
        for (i, &node) in nodes.iter().enumerate() {
            if let Some(twin) = (0..i).find(|&other| classes[nodes[other].0] == classes[node.0]) {
                gflops.push(gflops[twin].clone());
                continue;
            }
            let mut of = |threads| {
                allocation.set(AppId(0), node, threads);
                evaluator.gflops_of(&allocation)[0]
            };
            gflops.push((0..=machine.node(node).cores).map(&mut of).collect());
            allocation.set(AppId(0), node, 0);
        }
        Some(Self { app, nodes, gflops, all_nodes: machine.node_count(), most_nodes, most_threads })
    }

    /// The index of a state: this number of used nodes and of threads.
    fn state(&self, used: usize, threads: usize) -> usize {
        used.min(self.most_nodes) * (self.most_threads + 1) + threads.min(self.most_threads)
    }

    /// The highest GFLOPS, and an allocation that reaches them if its data fits.
    fn best(&self) -> (f64, Allocation) {
        let states = (self.most_nodes + 1) * (self.most_threads + 1);
        let mut sums = vec![f64::NEG_INFINITY; states];
        sums[0] = 0.0;
        // Per node and state: the previous state, and the threads of the node.
        let mut ways: Vec<Vec<(usize, u32)>> = Vec::with_capacity(self.nodes.len());
        for gflops in &self.gflops {
            let mut next = vec![f64::NEG_INFINITY; states];
            let mut way = vec![(0, 0); states];
            for (state, sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > f64::NEG_INFINITY) {
                let (used, before) = (state / (self.most_threads + 1), state % (self.most_threads + 1));
                for (threads, more) in (0_u32..).zip(gflops) {
                    let after = before + threads as usize;
                    if self.app.max_threads.is_some() && after > self.most_threads {
                        break;
                    }
                    let to = self.state(used + usize::from(threads > 0), after);
                    if self.app.placing.takes(threads) && sum + more > next[to] {
                        next[to] = sum + more;
                        way[to] = (state, threads);
                    }
                }
            }
            sums = next;
            ways.push(way);
        }
        let most = self.app.placing.max_nodes.unwrap_or(usize::MAX);
        let mut best = (0.0, None);
        for (state, sum) in sums.iter().enumerate() {
            let (used, threads) = (state / (self.most_threads + 1), state % (self.most_threads + 1));
            let lost = 1.0 + self.app.node_overhead * libm::log2(used.max(1) as f64);
            let enough = threads >= self.app.min_threads as usize;
            if used <= most && enough && sum / lost > best.0 {
                best = (sum / lost, Some(state));
            }
        }
        let mut allocation = Allocation::empty(1, self.all_nodes);
        if let Some(mut state) = best.1 {
            for (way, &node) in ways.iter().zip(&self.nodes).rev() {
                let (before, threads) = way[state];
                allocation.set(AppId(0), node, threads);
                state = before;
            }
        }
        (best.0, allocation)
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::sharing::ModelKind;
    use numasim_model::units::{Gflops, GigabytesPerSecond};
    use numasim_model::{Access, Node, Smt};

    use super::*;
    use crate::testing::{app, local_app, uniform_machine};

    fn gflops(machine: &Machine, apps: &[App]) -> Vec<f64> {
        let found = alone(machine, apps);
        assert!(found.iter().all(|one| one.proven), "{found:?}");
        found.into_iter().map(|one| one.gflops).collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        let equal = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-9 * b);
        assert!(equal && found.len() == expected.len(), "{found:?} {expected:?}");
    }

    #[test]
    fn performance_alone_uses_only_the_constraints_of_the_application() {
        // 2 nodes x 6 cores of 10 GFLOPS. At most 3 threads: 30; the cores of one node: 60; all cores: 120.
        let machine = uniform_machine(2, 6, 10.0, 1000.0, 100.0);
        let on_one = App { nodes: Some(vec![NodeId(0)]), ..local_app("y", 10.0) };
        let few = App { max_threads: Some(3), ..on_one.clone() };
        close(&gflops(&machine, &[few, on_one, local_app("z", 10.0)]), &[30.0, 60.0, 120.0]);
    }

    #[test]
    fn threads_spread_over_nodes_when_one_memory_is_too_slow() {
        // 12 threads of 12 GB/s: 144 on two nodes, 100 on one; x 0.2 FLOP/byte. Two threads: 24 x 0.5.
        let node = Node {
            core_bandwidth: Some(GigabytesPerSecond::new(12.0)),
            ..uniform_machine(1, 16, 10.0, 100.0, 1.0).nodes()[0]
        };
        let machine = Machine::uniform("a", 2, node, GigabytesPerSecond::new(30.0)).expect("a machine");
        let exactly = |threads, app: App| App { min_threads: threads, max_threads: Some(threads), ..app };
        let apps = [exactly(12, local_app("big", 0.2)), exactly(2, local_app("small", 0.5))];
        close(&gflops(&machine, &apps), &[28.8, 12.0]);
    }

    #[test]
    fn an_application_with_node_overhead_uses_the_best_number_of_nodes() {
        // 4 nodes x 8 cores x 10 GFLOPS: 320 / (1 + 0.12 x 2); limited to 8 threads one node, 80.
        let machine = uniform_machine(4, 8, 10.0, 1000.0, 10.0);
        let all = App { node_overhead: 0.12, ..local_app("a", 10.0) };
        let few = App { max_threads: Some(8), ..all.clone() };
        close(&gflops(&machine, &[all, few]), &[320.0 / 1.24, 80.0]);
    }

    #[test]
    fn own_hardware_threads_and_memory_count_but_common_constraints_do_not() {
        // 4 cores x 10 GFLOPS; exactly 4 threads: 40 on 4 cores, 25 on 2 with both hardware threads.
        let machine = uniform_machine(1, 4, 10.0, 1000.0, 10.0).with_smt(true);
        let four = |smt| App {
            smt,
            smt_speedup: Some(1.25),
            min_threads: 4,
            max_threads: Some(4),
            ..local_app("vm", 10.0)
        };
        close(&gflops(&machine, &[four(Smt::One), four(Smt::Both), four(Smt::Any)]), &[40.0, 25.0, 40.0]);
        // 12 GiB on nodes with 8: half the threads on each node, 2 x 4 of the 4 + 8 cores x 10 GFLOPS, a third being 8 GiB of 12:
        // 4 + 8 threads have 4 and 8 GiB.
        let node = |cores, peak: f64| Node {
            cores,
            gflops_per_core: Gflops::new(peak),
            memory: Some(numasim_model::units::Gibibytes::new(8.0)),
            ..uniform_machine(1, 1, 10.0, 1000.0, 10.0).nodes()[0]
        };
        let links = vec![GigabytesPerSecond::new(10.0); 4];
        let machine = Machine::new("m", vec![node(1, 100.0), node(9, 10.0)], links).expect("a machine");
        let sized = App { memory: Some(numasim_model::units::Gibibytes::new(12.0)), ..local_app("a", 100.0) };
        // One thread on node 0 and k on node 1 leave 12 k / (k + 1) GiB there, at most 8: k = 2, 120 GFLOPS of 190.
        close(&gflops(&machine, &[sized]), &[120.0]);
    }

    #[test]
    fn cases_without_arithmetic_or_list_are_searched() {
        // 8 nodes x 8 cores: 12,870 allocations up to exchange without a home. With one, 8 x C(15, 8) x 9 / 8 exceed the limit for listing.
        let machine = uniform_machine(8, 8, 10.0, 32.0, 3.0);
        let home = |share| app("a", 0.5, Data::Placed(Placement::at_home(NodeId(0), share)));
        for share in [0.5, 1.0] {
            let all = Allocation::from_rows(&[vec![8; 8]]).expect("one row");
            let problem = Problem::of_one(&machine, &home(share)).expect("a question");
            let full = Evaluator::new(&problem, problem.placements(&[])).gflops_of(&all)[0];
            let found = alone(&machine, &[home(share)])[0];
            assert!(found.gflops >= full * (1.0 - 1e-12), "{share}: {found:?} of {full}");
        }
    }

    /// Five nodes whose cores, memories and links all differ; triads have 12 to 20 GB/s.
    fn unequal(kind: ModelKind) -> Machine {
        let mut nodes = uniform_machine(5, 4, 10.0, 32.0, 10.0).nodes().to_vec();
        for (n, node) in nodes.iter_mut().enumerate() {
            let n = u32::try_from(n).expect("five");
            node.cores = 1 + (3 * n) % 5;
            node.gflops_per_core = Gflops::new(f64::from(7 + (2 * n) % 5));
            node.bandwidth = GigabytesPerSecond::new(f64::from(20 + (20 * n) % 7));
            node.kernels.set(Access::Triad, GigabytesPerSecond::new(f64::from(12 + (11 * n) % 9)));
        }
        let links = (0..25).map(|pair| GigabytesPerSecond::new(f64::from(2 + (pair * 7) % 11)));
        Machine::new("unequal", nodes, links.collect()).expect("a machine").with_sharing(kind.into())
    }

    #[test]
    fn an_open_home_alone_is_as_good_as_its_best_home_under_every_model() {
        for kind in ModelKind::ALL {
            let machine = unequal(kind);
            for intensity in [0.1, 0.5, 1.0, 3.0, 50.0] {
                for kernel in [Access::Read, Access::Triad] {
                    let app = |data: Data| App { kernel, ..app("a", intensity, data) };
                    let homes = machine
                        .node_ids()
                        .map(|home| alone(&machine, &[app(Data::Placed(Placement::Home(home)))])[0].gflops);
                    let best = homes.fold(0.0, f64::max);
                    let open = alone(&machine, &[app(Data::OpenHome { share: 1.0 })])[0].gflops;
                    assert!((open - best).abs() <= 1e-9 * best, "{} {intensity} {kernel:?}", kind.as_str());
                }
            }
        }
    }

    #[test]
    fn instances_with_different_memory_use_differ_alone() {
        // Four cores want 80 GB/s. Reads have 20 on the first node, triads 12. Copies were not measured, so they have the bandwidth of
        // reads.
        let machine = unequal(ModelKind::default());
        let on = |kernel| App { kernel, ..app("a", 0.1, Data::Placed(Placement::Home(NodeId(0)))) };
        let gflops = gflops(&machine, &[on(Access::Read), on(Access::Triad), on(Access::Copy)]);
        assert!((gflops[1] / gflops[0] - 12.0 / 20.0).abs() < 1e-12 && gflops[2] == gflops[0], "{gflops:?}");
    }

    #[test]
    fn written_copies_are_on_the_best_number_of_nodes() {
        // 8 nodes x 16 cores, 100 GB/s, links of 20. A node with k - 1 others has 100 / (1 + w (k - 1)) GB/s, and its links let 20 / w
        // through. With a tenth written: 8 x 100 / 1.7 GB/s, half a GFLOPS for each. With half: 8 x 100 / 4.5. With all traffic written on
        // 2 nodes: one has 100 GB/s, two 2 x 20.
        let of = |nodes, write_share| App {
            write_share,
            nodes: Some((0..nodes).map(NodeId).collect()),
            ..app("a", 0.5, Data::Placed(Placement::Replicated))
        };
        let machine = uniform_machine(8, 16, 10.0, 100.0, 20.0);
        let found = gflops(&machine, &[of(8, 0.0), of(8, 0.1), of(8, 0.5), of(2, 1.0)]);
        close(&found, &[400.0, 400.0 / 1.7, 400.0 / 4.5, 50.0]);
    }

    #[test]
    fn no_model_exceeds_the_upper_bound() {
        for kind in ModelKind::ALL {
            let machine = unequal(kind);
            let homes = machine.node_ids().map(Placement::Home);
            for placement in homes.chain([Placement::Local, Placement::Interleave, Placement::Replicated]) {
                for intensity in [0.1, 0.5, 1.0, 3.0, 50.0] {
                    for kernel in [Access::Read, Access::Triad] {
                        let app = App { kernel, ..app("a", intensity, Data::Placed(placement.clone())) };
                        let reached = alone(&machine, std::slice::from_ref(&app))[0].gflops;
                        let roof = roof(&machine, &app, &placement);
                        assert!(reached <= roof * (1.0 + ROUNDING), "{}: {reached} of {roof}", kind.as_str());
                    }
                }
            }
        }
    }
}
