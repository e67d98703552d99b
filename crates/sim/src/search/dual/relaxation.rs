//! The relaxed problem: classes of nodes with their options, and the priced resources.

use std::sync::Arc;

use numasim_model::sharing::least::{Kept, MostThreads};
use numasim_model::{Data, Machine, Node, NodeId};

use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::open_data::Rest;
use crate::problem::{Evaluator, Problem};
use crate::search::budget::OPTIONS_PER_STEP;
use crate::search::ceilings::{Respected, common_limits};
use crate::search::dual::{Improved, MeanWait, OnCurve, Own, Prices, Ranges};
use crate::search::options::OptionTable;
use crate::search::watch::{Count, Level, Watch};

/// Maximum number of thread counts in the listed options of all relaxations that exist at the same time: 12 bytes each.
const MOST_ENTRIES: usize = 40_000_000;

/// Nodes that can be exchanged, with their common options.
#[derive(Clone)]
pub(in crate::search) struct Class {
    pub(in crate::search) nodes: Vec<NodeId>,
    pub(in crate::search) table: Arc<OptionTable>,
    /// Per application: the classes of memories that it reads from here (and other shared resources), ascending, and the GB/s occupied of
    /// each per GFLOPS of the application on a node of this class.
    pub(in crate::search) draw: Vec<Vec<(usize, f64)>>,
    /// The guaranteed minimum of threads on its first node, if it is needed.
    pub(in crate::search) kept: Option<Arc<Kept>>,
    /// Set if its options distribute the memory of their node.
    pub(in crate::search) own: Option<Arc<Own>>,
}

impl Class {
    /// The consumption of an application at prices: resources that its options do not distribute.
    pub(in crate::search) fn draws_at_prices(&self, app: usize) -> impl Iterator<Item = (usize, f64)> {
        let own = self.own.as_deref();
        let beside = move |(m, draw): &(usize, f64)| match own {
            Some(own) if own.resource == *m => (*m, (draw - own.draw[app]).max(0.0)),
            _ => (*m, *draw),
        };
        self.draw[app].iter().map(beside).filter(|(_, draw)| *draw > 0.0)
    }
}

/// A memory whose readers on other nodes are counted, and their possible total demand in this relaxation.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Watched {
    pub(in crate::search) memory: NodeId,
    /// Its controller, GB/s: the scale of the price.
    pub(in crate::search) bandwidth: f64,
    /// Their minimum demand, GB/s.
    pub(in crate::search) least: f64,
    /// Their maximum demand, GB/s; infinite without a limit.
    pub(in crate::search) most: f64,
    /// Set if they are counted by drawn bandwidth: bandwidth that is certainly drawn counts as demand.
    pub(in crate::search) drawn: Option<Drawn>,
}

/// The watch on a memory whose readers may get less than they ask.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Drawn {
    /// The shared resource that represents the total bandwidth of others.
    pub(in crate::search) resource: usize,
    pub(in crate::search) level: Level,
    /// The bandwidth that they draw, GB/s.
    pub(in crate::search) range: (f64, f64),
}

/// The relaxed problem for fixed placements.
#[derive(Clone)]
pub(in crate::search) struct Relaxation<'a> {
    pub(in crate::search) problem: &'a Problem,
    /// Its machine. Bounds over corners also know limits of L3 domains that a problem by node leaves out.
    pub(in crate::search) limits: &'a Machine,
    pub(in crate::search) classes: Vec<Class>,
    /// Per class: the total bandwidth of its memories if it has a price (it has readers over a link), else `None`. After the classes: the
    /// capacities of other resources that several flows share.
    pub(in crate::search) shared_bandwidth: Vec<Option<f64>>,
    /// Memories whose readers are counted.
    pub(in crate::search) watched: Vec<Watched>,
    /// Set if bytes of several applications have the same total wait over all memories.
    pub(in crate::search) mean_wait: Option<MeanWait>,
    /// Whether potentials are the GFLOPS of a node with all others empty, and add up: threads elsewhere never help threads that read local
    /// memory. Otherwise they are upper bounds under any sharing.
    pub(in crate::search) exact: bool,
    /// Cores of the machine: the scale of thread prices.
    pub(in crate::search) total_cores: f64,
    /// Asked between steps: a bound may be left unfinished at any time.
    pub(in crate::search) monitor: &'a dyn Monitor,
}

impl<'a> Relaxation<'a> {
    /// Lists the options of each class of nodes. `None` if a node has more than `limit`, if all together exceed the memory with `share`
    /// others like this, or if the monitor stops it.
    pub(in crate::search) fn new(
        problem: &'a Problem,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        watched: &[Watch],
        limit: usize,
        share: usize,
        monitor: &'a dyn Monitor,
    ) -> Option<Self> {
        // The GFLOPS of a node with all others empty are an upper bound only if threads elsewhere never help it. With threads on several
        // nodes an application may lose part of the sum.
        let exact =
            evaluator.solver.threads_elsewhere_never_help_local_ones() && !problem.loses_on_several_nodes();
        let representatives = representatives(node_classes);
        let mut tables = Vec::with_capacity(representatives.len());
        let mut entries_left = MOST_ENTRIES / share.max(1);
        for &node in &representatives {
            let limit = limit.min(entries_left / problem.apps.len());
            let table = OptionTable::new(problem, evaluator, watched, node, limit, monitor)?;
            entries_left -= table.len() * problem.apps.len();
            tables.push(table);
        }
        let mut relaxation =
            Self::build(problem, &problem.machine, evaluator, node_classes, exact, monitor, tables);
        let is_coupled = relaxation.shared_bandwidth.iter().any(Option::is_some);
        if is_coupled {
            for class in &mut relaxation.classes {
                class.kept = class.nodes.first().and_then(|&node| evaluator.solver.kept(node)).map(Arc::new);
            }
            if !exact || evaluator.solver.shares_along_curves() {
                relaxation.deal_out(evaluator);
            }
            let nodes: Vec<&[NodeId]> = relaxation.classes.iter().map(|class| &class.nodes[..]).collect();
            relaxation.mean_wait = MeanWait::new(&nodes, evaluator);
            relaxation = relaxation.with_least(&relaxation.everything())?;
        }
        for watch in watched {
            relaxation.watch(evaluator, watch);
        }
        Some(relaxation)
    }

    /// Lets options distribute the memories of their nodes.
    pub(super) fn deal_out(&mut self, evaluator: &Evaluator<'_>) {
        let machine = &self.problem.machine;
        let first_nodes: Vec<Option<NodeId>> =
            self.classes.iter().map(|class| class.nodes.first().copied()).collect();
        for (resource, class) in self.classes.iter_mut().enumerate() {
            let Some(&node) = class.nodes.first().filter(|&&node| machine.node(node).cores > 0) else {
                continue;
            };
            let queue = evaluator.solver.own_queue(node);
            let draw = self.problem.apps.iter().enumerate().map(|(a, app)| {
                let reads = evaluator.placements[a].read_from(machine, node).contains(&node);
                // With a curve, applications that read several memories count as others.
                if reads && queue.as_ref().is_none_or(|queue| queue.has(a)) {
                    evaluator.cost(a, node, node) / app.arithmetic_intensity.value()
                } else {
                    0.0
                }
            });
            let own = Own {
                resource,
                bandwidth_gbs: machine.node(node).bandwidth.value() * (1.0 + 1e-9),
                draw: draw.collect(),
                others: Arc::new(evaluator.solver.drawn_by_others(node)),
                queue: queue.map(|own| OnCurve {
                    own,
                    links: first_nodes
                        .iter()
                        .map(|from| evaluator.solver.link_readers((*from)?, node))
                        .collect(),
                    waits: (0.0, f64::INFINITY),
                }),
            };
            class.own = self.shared_bandwidth[resource].map(|_| Arc::new(own));
        }
    }

    /// The same with one price for each memory; options do not distribute it.
    pub(in crate::search) fn with_prices_alone(mut self) -> Self {
        self.classes.iter_mut().for_each(|class| class.own = None);
        self
    }

    /// Watches one more memory.
    fn watch(&mut self, evaluator: &Evaluator<'_>, watch: &Watch) {
        let memory = watch.memory;
        let bandwidth = self.problem.machine.node(memory).bandwidth.value();
        let drawn = match watch.count {
            Count::Asked => None,
            Count::Drawn(level) => {
                let resource = self.shared_bandwidth.len();
                self.shared_bandwidth.push(Some(bandwidth));
                for class in self.classes.iter_mut().filter(|class| !class.nodes.contains(&memory)) {
                    let Some(&from) = class.nodes.first() else { continue };
                    for (a, app) in self.problem.apps.iter().enumerate() {
                        let cost = evaluator.cost(a, from, memory);
                        if cost > 0.0 {
                            class.draw[a].push((resource, cost / app.arithmetic_intensity.value()));
                        }
                    }
                }
                Some(Drawn { resource, level, range: (0.0, self.most_drawn(memory)) })
            }
        };
        self.watched.push(Watched { memory, bandwidth, least: 0.0, most: f64::INFINITY, drawn });
    }

    /// The same with a demand of others between `least` and `most` GB/s on the watched memories, one entry each.
    ///
    /// Threads on the node of such a memory then get at most the remainder: their potentials are lower. `None` if stopped.
    pub(in crate::search) fn where_others_read(
        &self,
        evaluator: &Evaluator<'_>,
        least: &[f64],
        most: &[f64],
    ) -> Option<Self> {
        let classes = self.classes.iter().map(|class| {
            let taken = self.watched.iter().zip(least).find(|(w, _)| class.nodes == [w.memory]);
            let table = match taken {
                Some((watched, &least)) if least > 0.0 => {
                    Arc::new(class.table.with_less(evaluator, (watched.memory, least), self.monitor)?)
                }
                _ => Arc::clone(&class.table),
            };
            Some(Class { table, ..class.clone() })
        });
        let limits = least.iter().zip(most);
        let watched =
            self.watched.iter().zip(limits).map(|(w, (&least, &most))| Watched { least, most, ..*w });
        Some(Self {
            problem: self.problem,
            limits: self.limits,
            classes: classes.collect::<Option<_>>()?,
            shared_bandwidth: self.shared_bandwidth.clone(),
            watched: watched.collect(),
            mean_wait: self.mean_wait.clone(),
            exact: self.exact,
            total_cores: self.total_cores,
            monitor: self.monitor,
        })
    }

    /// The looser relaxation over the corners of each node, for nodes with too many options to list.
    pub(in crate::search) fn loose(
        problem: &'a Problem,
        limits: &'a Machine,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        monitor: &'a dyn Monitor,
    ) -> Self {
        let representatives = representatives(node_classes).into_iter();
        let tables =
            representatives.map(|node| OptionTable::corners(problem, &evaluator.solver, node)).collect();
        Self::build(problem, limits, evaluator, node_classes, false, monitor, tables)
    }

    /// Corners with the guaranteed minimum of their threads, if the model guarantees one: an application that has it also draws it.
    pub(in crate::search) fn with_least_of_corners(mut self, evaluator: &Evaluator<'_>) -> Self {
        // Its solver counts the threads of each domain apart.
        if self.problem.machine.has_limited_domains() {
            return self;
        }
        let apps = self.problem.apps.len();
        let highest = self.everything().highest;
        let cores = |node| vec![self.problem.machine.node(node).cores; apps];
        let on_node: Vec<u32> = self.problem.machine.node_ids().flat_map(cores).collect();
        let most = MostThreads { on_machine: &highest[..apps], on_node: &on_node };
        let mut least = vec![0.0; apps];
        for class in &mut self.classes {
            let Some(&first) = class.nodes.first() else { continue };
            if let Some(kept) = evaluator.solver.kept(first) {
                let node = self.limits.node(first);
                let domain_part =
                    node.l3_bandwidth.map(|limit| limit * f64::from(node.domain_cores()).recip());
                kept.least_gflops_of_one(most, domain_part, &mut least);
                class.table = Arc::new(class.table.with_least_of_one(&least));
            }
        }
        self
    }

    /// The same for any place of the undecided part of open data (`rest`: one entry for each application). Reads from an open home are
    /// limited by the fastest controller, and all reads by all controllers together. Undecided fractions are limited by the controllers of
    /// the possible nodes. The reads of a node are limited by the limits of the node and its L3 domains in `limits`. Links to an undecided
    /// memory have no limit.
    pub(in crate::search) fn with_homes_anywhere(
        problem: &'a Problem,
        limits: &'a Machine,
        evaluator: &Evaluator<'_>,
        rest: &[Option<Rest>],
        monitor: &'a dyn Monitor,
    ) -> Self {
        let machine = &problem.machine;
        let no_two_are_equal: Vec<usize> = (0..machine.node_count()).collect();
        let mut relaxation = Self::loose(problem, limits, evaluator, &no_two_are_equal, monitor);
        let controllers = || machine.nodes().iter().map(|node| node.bandwidth.value());
        let all = relaxation.shared_bandwidth.len();
        relaxation.shared_bandwidth.push(Some(controllers().sum()));
        let reads: Vec<Option<usize>> = machine
            .node_ids()
            .map(|node| {
                relaxation.shared_bandwidth.push(Some(limits.node(node).most_read()?.value()));
                Some(relaxation.shared_bandwidth.len() - 1)
            })
            .collect();
        // Memories from a node on, if an undecided part is on one of them, and not on all.
        let later: Option<(NodeId, usize)> =
            rest.iter().flatten().map(|rest| rest.from).max().and_then(|from| {
                let delivered = || machine.nodes().iter().skip(from.0).map(|node| node.bandwidth.value());
                (from.0 > 0).then(|| {
                    relaxation.shared_bandwidth.push(Some(delivered().sum()));
                    (from, relaxation.shared_bandwidth.len() - 1)
                })
            });
        for (a, app) in problem.apps.iter().enumerate() {
            let moved = app.arithmetic_intensity.value().recip();
            // A memory may deliver more to a write kernel than to reads.
            let memories = || machine.nodes().iter().filter(|node| node.has_memory());
            let least_occupied = |from: usize| {
                let nodes = machine.nodes().iter().skip(from).filter(|node| node.has_memory());
                nodes.map(|node| node.occupied_by(app.traffic())).fold(f64::INFINITY, f64::min)
            };
            let per_gflops = moved * least_occupied(0);
            let at_home = match (&app.data, rest[a]) {
                (Data::OpenHome { .. }, Some(rest)) => {
                    let delivers = |node: &Node| node.bandwidth.value() / node.occupied_by(app.traffic());
                    let fastest = memories().map(delivers).fold(0.0, f64::max);
                    relaxation.shared_bandwidth.push(Some(fastest));
                    Some((relaxation.shared_bandwidth.len() - 1, rest.share * moved))
                }
                _ => None,
            };
            let from_later = later.map(|(from, resource)| {
                let unknown = rest[a].filter(|rest| rest.from >= from).map_or(0.0, |rest| rest.share);
                let unknown = if unknown > 0.0 { unknown * moved * least_occupied(from.0) } else { 0.0 };
                (from, resource, unknown)
            });
            for class in &mut relaxation.classes {
                if rest[a].is_some()
                    && let Some(&node) = class.nodes.first()
                {
                    let most = problem.most_of_thread_wherever(a, node);
                    class.table = Arc::new(class.table.with_corner_of(a, most));
                }
                let draw = &mut class.draw[a];
                if at_home.is_some() {
                    draw.clear();
                }
                if let Some((from, resource, unknown)) = from_later {
                    // No two nodes are equal: each class is one node, and these classes come first.
                    let known =
                        draw.iter().filter(|(memory, _)| (from.0..machine.node_count()).contains(memory));
                    draw.push((resource, unknown + known.map(|(_, per_gflops)| per_gflops).sum::<f64>()));
                }
                draw.push((all, per_gflops));
                let from = class.nodes.first().and_then(|node| reads[node.0]);
                draw.extend(from.map(|reads| (reads, per_gflops)));
                draw.extend(at_home);
            }
        }
        relaxation
    }

    /// `tables`: one for each class of nodes, in the order of their smallest nodes.
    fn build(
        problem: &'a Problem,
        limits: &'a Machine,
        evaluator: &Evaluator<'_>,
        node_classes: &[usize],
        exact: bool,
        monitor: &'a dyn Monitor,
        tables: Vec<OptionTable>,
    ) -> Self {
        let machine = &problem.machine;
        let representatives = representatives(node_classes);
        let mut class_of = vec![0; node_classes.len()];
        let mut members = vec![Vec::new(); representatives.len()];
        for (node, &class) in node_classes.iter().enumerate() {
            let position = representatives.binary_search(&NodeId(class)).unwrap_or(0);
            class_of[node] = position;
            members[position].push(NodeId(node));
        }
        let mut classes: Vec<Class> = representatives
            .iter()
            .zip(members)
            .zip(tables)
            .map(|((&from, nodes), table)| {
                let draw = problem.apps.iter().enumerate().map(|(a, app)| {
                    let mut draw: Vec<(usize, f64)> = Vec::new();
                    for memory in evaluator.placements[a].read_from(machine, from) {
                        let per_gflops = evaluator.cost(a, from, memory) / app.arithmetic_intensity.value();
                        let class = class_of[memory.0];
                        match draw.binary_search_by_key(&class, |entry| entry.0) {
                            Ok(at) => draw[at].1 += per_gflops,
                            Err(at) => draw.insert(at, (class, per_gflops)),
                        }
                    }
                    draw
                });
                Class { draw: draw.collect(), nodes, table: Arc::new(table), kept: None, own: None }
            })
            .collect();
        let read_from_outside = |m: NodeId| {
            evaluator.placements.iter().any(|placement| {
                machine.compute_nodes().any(|n| n != m && placement.fraction(machine, n, m) > 0.0)
            })
        };
        let mut shared_bandwidth: Vec<Option<f64>> = classes
            .iter()
            .map(|class: &Class| {
                let has_memory = class.nodes.iter().all(|&m| machine.has_memory(m));
                let shared = has_memory && (!exact || class.nodes.iter().any(|&m| read_from_outside(m)));
                shared.then(|| class.nodes.iter().map(|&m| machine.node(m).bandwidth.value()).sum())
            })
            .collect();
        if !evaluator.solver.threads_elsewhere_never_help() || !exact {
            let nodes: Vec<&[NodeId]> = classes.iter().map(|class| &class.nodes[..]).collect();
            let are_corners = classes.iter().any(|class| class.table.as_corners().is_some());
            let respected = match (exact, are_corners) {
                (true, _) => Respected::All,
                (false, true) => Respected::Demand,
                (false, false) => Respected::Ceilings,
            };
            for common in common_limits(problem, limits, evaluator, &nodes, respected) {
                let resource = shared_bandwidth.len();
                shared_bandwidth.push(Some(common.capacity));
                for (class, parts) in classes.iter_mut().zip(&common.parts) {
                    let drawn = class.draw.iter_mut().zip(parts).zip(&problem.apps);
                    for ((draw, part), app) in drawn.filter(|((_, part), _)| **part > 0.0) {
                        draw.push((resource, part / app.arithmetic_intensity.value()));
                    }
                }
            }
        }
        let total_cores = machine.total_cores() as f64;
        Self {
            problem,
            limits,
            classes,
            shared_bandwidth,
            watched: Vec::new(),
            mean_wait: None,
            exact,
            total_cores,
            monitor,
        }
    }

    /// The same with the guaranteed minimum of threads in these ranges. `None` if stopped: it takes seconds for millions of options.
    pub(in crate::search) fn with_least(&self, ranges: &Ranges) -> Option<Self> {
        let apps = self.problem.apps.len();
        let ranges = ranges.tightened(apps);
        let mut on_node = vec![0; self.problem.machine.node_count() * apps];
        for (class, highest) in self.classes.iter().zip(ranges.highest[apps..].chunks_exact(apps)) {
            for node in &class.nodes {
                on_node[node.0 * apps..][..apps].copy_from_slice(highest);
            }
        }
        let most = MostThreads { on_machine: &ranges.highest[..apps], on_node: &on_node };
        let mut relaxation = self.clone();
        let goes_on = || (!self.monitor.stop()).then_some(());
        for class in &mut relaxation.classes {
            goes_on()?;
            if let Some(kept) = &class.kept {
                class.table = Arc::new(class.table.with_least(kept, most));
            }
            let own = class.own.take().map(|own| match &self.mean_wait {
                Some(mean) => Arc::new(own.beside_at_least(&mean.readers, &ranges.lowest)),
                None => own,
            });
            class.own = own;
            goes_on()?;
            if let Some(own) = &class.own {
                let queue = own.queue.as_ref().map(|at| (&at.own, at.waits));
                class.table = Arc::new(class.table.with_others(&own.others, queue, most));
            }
        }
        goes_on()?;
        Some(relaxation.with_room())
    }

    /// Whether other ranges change the guaranteed minimum of threads.
    pub(in crate::search) fn least_differs(&self, before: &Ranges, after: &Ranges) -> bool {
        self.classes.iter().any(|class| class.kept.is_some() || class.own.is_some()) && before != after
    }

    /// The whole space: `min_threads` to `max_threads` on the machine, any number on a class.
    pub(in crate::search) fn everything(&self) -> Ranges {
        let machine = &self.problem.machine;
        let clamp = |cores: u64| u32::try_from(cores).unwrap_or(u32::MAX);
        let cores = |class: &Class| class.nodes.iter().map(|&n| u64::from(machine.node(n).cores)).sum();
        let apps = &self.problem.apps;
        let all = clamp(machine.total_cores());
        let mut ranges = Ranges {
            lowest: apps.iter().map(|app| app.min_threads).collect(),
            highest: apps.iter().map(|app| app.max_threads.map_or(all, |max| max.min(all))).collect(),
            capacity: vec![all; apps.len()],
        };
        for class in &self.classes {
            let cores = clamp(cores(class));
            ranges.lowest.extend(apps.iter().map(|_| 0));
            ranges.highest.extend(apps.iter().map(|_| cores));
            ranges.capacity.extend(apps.iter().map(|_| cores));
        }
        ranges
    }

    /// Initial prices.
    pub(in crate::search) fn start(&self) -> Improved {
        let prices = self.start_prices();
        Improved { bound: f64::INFINITY, prices, threads: Vec::new(), cuts: Vec::new(), work: 0 }
    }

    fn start_prices(&self) -> Prices {
        let goal = &self.problem.goal;
        let apps = self.problem.apps.len();
        let y = match goal.objective() {
            Objective::TotalGflops | Objective::Geomean => goal.weights().to_vec(),
            // Applications with a floor do not count at first.
            Objective::Fair | Objective::Makespan => {
                let counts = |a: usize| goal.offset(a) == 0.0;
                let all = (0..apps).filter(|&a| counts(a)).count().max(1) as f64;
                (0..apps).map(|a| if counts(a) { 1.0 / all } else { 0.0 }).collect()
            }
        };
        Prices {
            y,
            lambda: vec![0.0; self.shared_bandwidth.len()],
            pays: vec![0.0; apps * (1 + self.classes.len())],
            charges: vec![0.0; apps * (1 + self.classes.len())],
            mu: vec![0.0; self.watched.len()],
            wait: 0.0,
        }
    }

    /// The number of allocations, counting those that only exchange nodes of a class once: k nodes with m options have C(m + k - 1, k).
    pub(in crate::search) fn allocations(&self) -> f64 {
        let of_class = |class: &Class| {
            let options = class.table.len() as f64;
            (0..class.nodes.len()).fold(1.0, |c, k| c * (options + k as f64) / (k as f64 + 1.0))
        };
        self.classes.iter().map(of_class).product()
    }

    /// The cost of pricing all options once, in steps of the search.
    pub(in crate::search) fn pricing(&self) -> u64 {
        /// Options that are priced in the time of one along its curve.
        const PER_CURVE: u64 = 16;
        (self.options() as u64 + self.on_curves() * (PER_CURVE - 1)) / OPTIONS_PER_STEP + 1
    }

    /// The cost of laying out the curves of all options, in steps of the search.
    pub(in crate::search) fn laying_out(&self) -> u64 {
        const STEPS_PER_CURVE: u64 = 60;
        STEPS_PER_CURVE * self.on_curves()
    }

    /// Number of options whose node's memory is shared along a curve.
    fn on_curves(&self) -> u64 {
        let classes = self.classes.iter().filter(|class| class.table.curve(0).is_some());
        classes.map(|class| class.table.len() as u64).sum()
    }
}

/// The smallest node of each class.
fn representatives(node_classes: &[usize]) -> Vec<NodeId> {
    (0..node_classes.len()).filter(|&n| node_classes[n] == n).map(NodeId).collect()
}
