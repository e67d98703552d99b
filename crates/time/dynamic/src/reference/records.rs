//! What is written down of every application and every thread, one by one, and how fast each thread is: cores shared by bisection,
//! thread by thread, then the sharing model from the beginning.

use std::collections::VecDeque;

use numasim_course::{Channel, Course, Os, Phase, Pick, Work};
use numasim_model::order::Order;
use numasim_model::sharing::Solver;
use numasim_model::units::{FlopPerByte, GigabytesPerSecond};
use numasim_model::{AppId, Demand, Machine, NodeId, Table};

use crate::spread::{Spread, Waking};

/// Whatever lies within this time is one instant, in seconds.
pub(super) const INSTANT_S: f64 = 1e-9;

/// One thread.
pub(super) struct Thread {
    pub(super) node: usize,
    /// Counted through all nodes.
    pub(super) core: u32,
    /// Whether only this core computes for it.
    pub(super) is_bound: bool,
    pub(super) is_blocked: bool,
    pub(super) task: Option<Task>,
    /// The part of a core that it has had since the last instant; 0 where it did not compute.
    pub(super) part: f64,
    /// GFLOP/s since the last instant; 0 for what has just begun.
    pub(super) speed: f64,
    /// GB/s since the last instant.
    pub(super) bandwidth_gbs: f64,
}

/// A task on its thread.
pub(super) struct Task {
    /// GFLOP, all of it.
    pub(super) work: f64,
    /// The time that it computes over the time that its work takes without jitter.
    pub(super) time: f64,
    /// GFLOP that are left, times `time`.
    pub(super) rest: f64,
    /// Seconds of sleep that are left; `None` while it computes.
    pub(super) sleep_s: Option<f64>,
}

/// What is left of a phase.
pub(super) enum Left {
    /// GFLOP of divisible work: in all, and not done.
    Pool { work: f64, rest: f64 },
    /// The next task to be taken, and how many are not done.
    Tasks { next: u64, open: u64 },
}

/// Where an application is in its iteration.
pub(super) enum Stage {
    /// No iteration is under way.
    Between,
    /// In a phase.
    Phase(usize, Left),
    /// The work is done; it waits for the call with this number in the study.
    Calls(usize),
}

/// A call that nobody has answered.
pub(super) struct Called {
    /// The instant, counted from 0.
    pub(super) instant: u64,
    pub(super) caller: usize,
}

/// One application instance.
pub(super) struct Application<'a> {
    pub(super) course: &'a Course,
    /// Per phase.
    pub(super) demands: Vec<Demand>,
    /// In their order.
    pub(super) threads: Vec<Thread>,
    pub(super) arrived_s: Option<f64>,
    pub(super) finished_s: Option<f64>,
    pub(super) iterations: u64,
    pub(super) stage: Stage,
    /// In force.
    pub(super) order: Option<Order>,
    /// When the order in force was given, until it is followed.
    pub(super) reacting_since_s: Option<f64>,
    /// Whether others call it.
    pub(super) is_called: bool,
    pub(super) calls: VecDeque<Called>,
    /// Whose call it works for.
    pub(super) works_for: Option<usize>,
    pub(super) spread: Spread,
    pub(super) waking: Waking,
    /// GFLOP of what is over.
    pub(super) work_done: f64,
    pub(super) sums: Sums,
}

/// Integrals over time, in seconds or thread-seconds.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) computing: f64,
    pub(super) shared: f64,
    pub(super) idle: f64,
    pub(super) blocked: f64,
    pub(super) waited_input: f64,
    pub(super) waited_output: f64,
    pub(super) waited_call: f64,
}

impl<'a> Application<'a> {
    pub(super) fn new(
        machine: &Machine,
        course: &'a Course,
        demands: Vec<Demand>,
        (spread, waking): (Spread, Waking),
    ) -> Self {
        Self {
            threads: threads(machine, course),
            course,
            demands,
            arrived_s: None,
            finished_s: None,
            iterations: 0,
            stage: Stage::Between,
            order: None,
            reacting_since_s: None,
            is_called: false,
            calls: VecDeque::new(),
            works_for: None,
            spread,
            waking,
            work_done: 0.0,
            sums: Sums::default(),
        }
    }

    pub(super) fn is_there(&self) -> bool {
        self.arrived_s.is_some() && self.finished_s.is_none()
    }

    /// The phase under way.
    pub(super) fn phase(&self) -> Option<&'a Phase> {
        match self.stage {
            Stage::Phase(number, _) => self.course.phases.get(number),
            Stage::Between | Stage::Calls(_) => None,
        }
    }

    /// Whether divisible work is left.
    pub(super) fn has_pool(&self) -> bool {
        matches!(self.stage, Stage::Phase(_, Left::Pool { rest, .. }) if rest > 0.0)
    }

    /// Whether a thread computes at this moment: it is in a task and awake, or may work on a pool.
    pub(super) fn computes(&self, thread: &Thread) -> bool {
        match &thread.task {
            Some(task) => task.sleep_s.is_none(),
            None => self.has_pool() && !thread.is_blocked,
        }
    }

    /// Whether a thread is in a task, asleep in it or not, or works on a pool.
    pub(super) fn is_at_work(&self, thread: &Thread) -> bool {
        thread.task.is_some() || self.computes(thread)
    }

    /// GFLOP done, parts included.
    pub(super) fn work(&self) -> f64 {
        let pool = match self.stage {
            Stage::Phase(_, Left::Pool { work, rest }) => work - rest,
            _ => 0.0,
        };
        let tasks = self.threads.iter().filter_map(|thread| thread.task.as_ref());
        self.work_done + pool + tasks.map(|task| task.work - task.rest / task.time).sum::<f64>()
    }

    /// Goes to a phase, or beyond the last one: then `false`.
    pub(super) fn begin_phase(&mut self, number: usize) -> bool {
        let Some(work) = self.course.phases.get(number).and_then(|phase| phase.work.as_ref()) else {
            return false;
        };
        let left = match work {
            Work::Divisible(work) => Left::Pool { work: work.value(), rest: work.value() },
            Work::Tasks { count, .. } => Left::Tasks { next: 0, open: *count },
        };
        self.stage = Stage::Phase(number, left);
        for thread in &mut self.threads {
            thread.speed = 0.0;
        }
        true
    }
}

/// The threads of an application in their order.
fn threads(machine: &Machine, course: &Course) -> Vec<Thread> {
    let mut first_core = 0;
    let mut on_nodes: Vec<Vec<Thread>> = Vec::new();
    for (n, node) in machine.nodes().iter().enumerate() {
        let count = if node.cores > 0 { course.threads.get(n).copied().unwrap_or(0) } else { 0 };
        let thread = |i: u32| Thread {
            node: n,
            core: first_core + i % node.cores.max(1),
            is_bound: course.binding == numasim_course::Binding::Core,
            is_blocked: false,
            task: None,
            part: 0.0,
            speed: 0.0,
            bandwidth_gbs: 0.0,
        };
        on_nodes.push((0..count).map(thread).collect());
        first_core += node.cores;
    }
    match course.pick {
        Pick::Pack => on_nodes.into_iter().flatten().collect(),
        Pick::Spread => {
            let mut queues: Vec<VecDeque<Thread>> = on_nodes.into_iter().map(VecDeque::from).collect();
            let mut all = Vec::new();
            while queues.iter().any(|queue| !queue.is_empty()) {
                all.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
            }
            all
        }
    }
}

/// A channel.
pub(super) struct Items<'a> {
    pub(super) channel: &'a Channel,
    /// At the end of the instants so far.
    pub(super) most: u64,
    /// Item-seconds.
    pub(super) sum: f64,
}

/// One thread that computes, for the sharing of the cores of its node.
struct OnCore {
    /// The core, counted through all nodes, where it is bound to one.
    core: Option<u32>,
    /// The part of a core that it has; `None` while it may still grow.
    part: Option<f64>,
}

/// Writes part, speed and bandwidth of every thread.
pub(super) fn set(machine: &Machine, os: &Os, applications: &mut [Application]) {
    for application in applications.iter_mut() {
        for thread in &mut application.threads {
            (thread.part, thread.speed, thread.bandwidth_gbs) = (0.0, 0.0, 0.0);
        }
    }
    for (n, node) in machine.nodes().iter().enumerate() {
        share_cores(n, node.cores, applications);
    }
    solve(machine, os, applications);
}

/// Max-min fair parts of the cores of a node: the level of all threads that may still grow rises until some of them cannot
/// grow any more; these stay, the others go on.
fn share_cores(node: usize, cores: u32, applications: &mut [Application]) {
    let mut places = Vec::new();
    let mut threads = Vec::new();
    for (a, application) in applications.iter().enumerate() {
        for (t, thread) in application.threads.iter().enumerate() {
            if thread.node == node && application.computes(thread) {
                places.push((a, t));
                threads.push(OnCore { core: thread.is_bound.then_some(thread.core), part: None });
            }
        }
    }
    while threads.iter().any(|thread| thread.part.is_none()) {
        let level = highest_level(&threads, cores);
        // Who cannot have a little more, when it alone asks for it?
        let tight: Vec<bool> = (0..threads.len())
            .map(|t| {
                let more = |i: usize| threads[i].part.unwrap_or(level + if i == t { 1e-7 } else { 0.0 });
                threads[t].part.is_none() && !is_possible(&threads, cores, &more)
            })
            .collect();
        for (thread, _) in threads.iter_mut().zip(tight).filter(|(_, tight)| *tight) {
            thread.part = Some(level);
        }
    }
    for ((a, t), thread) in places.into_iter().zip(threads) {
        applications[a].threads[t].part = thread.part.unwrap_or(0.0);
    }
}

/// The highest level that all threads without a part can have together.
fn highest_level(threads: &[OnCore], cores: u32) -> f64 {
    let possible = |level: f64| is_possible(threads, cores, &|t: usize| threads[t].part.unwrap_or(level));
    if possible(1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    // Each step halves what is unknown; 60 are below the precision of a number near 1.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if possible(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Whether the cores of a node can give these parts: no thread more than a core, those that are bound to a core no more than
/// it has, all together no more than there is (threads that are not bound may run on any core, one after the other).
fn is_possible(threads: &[OnCore], cores: u32, part: &dyn Fn(usize) -> f64) -> bool {
    const ROUNDING: f64 = 1e-14;
    let mut total = 0.0;
    for (t, thread) in threads.iter().enumerate() {
        total += part(t);
        if part(t) > 1.0 + ROUNDING {
            return false;
        }
        if thread.core.is_some() {
            let on_core = (0..threads.len()).filter(|&other| threads[other].core == thread.core);
            if on_core.map(part).sum::<f64>() > 1.0 + ROUNDING {
                return false;
            }
        }
    }
    total <= f64::from(cores) * (1.0 + ROUNDING)
}

/// The threads of an application on a node: equal but for their parts.
struct Group {
    app: usize,
    node: usize,
    demand: Demand,
    efficiency: f64,
    /// The sum of the parts.
    count: f64,
}

/// Speeds, where every group of threads is an application of its own for a new solver.
fn solve(machine: &Machine, os: &Os, applications: &mut [Application]) {
    let mut groups = Vec::new();
    for (app, application) in applications.iter().enumerate() {
        let Some((phase, demand)) = application.phase().zip(demand(application)) else { continue };
        let computing = application.threads.iter().filter(|thread| application.computes(thread));
        let efficiency =
            phase.scaling.efficiency(u32::try_from(computing.clone().count()).unwrap_or(u32::MAX));
        for node in 0..machine.node_count() {
            let parts: Vec<f64> =
                computing.clone().filter(|thread| thread.node == node).map(|thread| thread.part).collect();
            if !parts.is_empty() {
                groups.push(Group {
                    app,
                    node,
                    demand: demand.clone(),
                    efficiency,
                    count: parts.iter().sum(),
                });
            }
        }
    }
    let bandwidths = bandwidths(machine, &groups);
    // Of k nodes with computing threads: 1 / (1 + overhead x log2 k).
    let kept = |of: &Group| {
        let nodes = groups.iter().filter(|group| group.app == of.app).count();
        1.0 / (1.0 + of.demand.node_overhead * (nodes as f64).log2())
    };
    for (group, bandwidth_gbs) in groups.iter().zip(bandwidths) {
        let peak = group.demand.peak(machine.node(NodeId(group.node))).value() * group.efficiency;
        let full = (bandwidth_gbs * group.demand.arithmetic_intensity.value()).min(peak) * kept(group);
        let application = &mut applications[group.app];
        let of_node = application.threads.iter_mut().filter(|thread| thread.node == group.node);
        for thread in of_node.filter(|thread| thread.part > 0.0) {
            let is_shared = thread.part < 1.0 - 1e-9;
            thread.speed = thread.part * full * if is_shared { os.efficiency() } else { 1.0 };
            thread.bandwidth_gbs = thread.part * bandwidth_gbs;
        }
    }
}

/// What the phase under way asks for.
fn demand<'a>(application: &'a Application) -> Option<&'a Demand> {
    match application.stage {
        Stage::Phase(number, _) => application.demands.get(number),
        _ => None,
    }
}

/// GB/s of one full thread of each group.
///
/// A solver knows no efficiency. A thread that wants e times what it wants at full speed is one whose core has
/// so high an intensity that it digests no more: peak / intensity = e x want.
fn bandwidths(machine: &Machine, groups: &[Group]) -> Vec<f64> {
    let full: Vec<Demand> = groups.iter().map(|group| group.demand.clone()).collect();
    let wants = Solver::new(machine, &full);
    let slowed = |(g, group): (usize, &Group)| {
        let mut demand = group.demand.clone();
        if group.efficiency < 1.0 {
            let want = wants.demand_per_thread()[(AppId(g), NodeId(group.node))] * group.efficiency;
            let peak = demand.peak(machine.node(NodeId(group.node))).value();
            if demand.limits.no_flop {
                demand.limits.bandwidth = Some(GigabytesPerSecond::new(want));
            } else {
                demand.arithmetic_intensity = FlopPerByte::new(peak / want);
            }
        }
        demand
    };
    let demands: Vec<Demand> = groups.iter().enumerate().map(slowed).collect();
    let solver = Solver::new(machine, &demands);
    let mut workspace = solver.workspace();
    let mut counts = Table::filled(groups.len(), machine.node_count(), 0.0);
    for (g, group) in groups.iter().enumerate() {
        counts[(AppId(g), NodeId(group.node))] = group.count;
    }
    solver.solve_fractional(counts.as_slice(), &mut workspace);
    let bandwidth = workspace.bandwidth_per_thread();
    groups.iter().enumerate().map(|(g, group)| bandwidth[(AppId(g), NodeId(group.node))]).collect()
}
