//! The profiling run of paper 000 (section II): each task alone on worker 0, with its data near and far, and in the whole run.
//!
//! The settings are those of OCR-Vx, the runtime of the paper. `near` is the node of worker 0, `far` the highest other node with cores
//! and memory.

use std::collections::{HashMap, VecDeque};

use numasim_graph::values::{
    Access, BlockId, PagePlacement, RuntimeSettings, SchedulerSettings, TaskGraph, TaskId, Ties,
};
use numasim_model::sharing::{FlowKey, Load, Network};
use numasim_model::units::Seconds;
use numasim_model::{Machine, NodeId};
use numasim_plan::profile::Setting;

use crate::engine::caches::{Caches, Shares};
use crate::engine::simulation::Simulation;
use crate::engine::work::{Assay, Pace};
use crate::error;
use crate::error::TasksError;
use crate::question::Question;
use crate::result::{Observer, TaskRecord};
use crate::schedulers::{Scheduler, View};
use crate::sockets::{Homes, SocketId, Sockets, WorkerId};

/// Number of tasks between two polls for a stop.
const TASKS_PER_LOOK: u32 = 1024;

/// Receives the seconds of each task.
pub trait Profiler {
    /// A task and its seconds in each setting, from the beginning of its work. Tasks come by number, settings in the order of the
    /// profile.
    fn timed(&mut self, task: TaskId, timings: &[(Setting, f64)]);

    /// Whether to stop; polled at intervals.
    fn stops(&self) -> bool {
        false
    }
}

/// Profiles a graph. Homes of blocks count only in the whole run; all other settings determine the homes.
///
/// # Errors
/// [`TasksError::UnknownHome`], [`TasksError::NeverEnds`], [`TasksError::Stopped`].
pub fn profile(machine: &Machine, graph: &TaskGraph, to: &mut dyn Profiler) -> Result<(), TasksError> {
    error::check_blocks(machine, graph)?;
    let sockets = Sockets::new(machine);
    let network = Network::new(machine);
    let near = sockets.node(SocketId(0));
    let others = sockets.all().map(|socket| sockets.node(socket));
    let far = others.filter(|&node| machine.has_memory(node)).last().unwrap_or(near);
    let order = of_one_worker(machine, graph, (&sockets, &network), to)?;
    let mut timer = Timer::new(graph, &network, near, far);
    let full_s = timer.full(&order);
    drop(order);
    let mut timings = Vec::new();
    for (task, full_s) in graph.tasks().zip(full_s) {
        if task.0.is_multiple_of(TASKS_PER_LOOK) && to.stops() {
            return Err(TasksError::Stopped);
        }
        timer.settings(task, &mut timings);
        timings.push((Setting::Full, full_s));
        to.timed(task, &timings);
    }
    Ok(())
}

// The order in which one worker alone runs all tasks: that of the engine, with one queue and no overheads.

/// All tasks in the order in which worker 0 runs them.
fn of_one_worker(
    machine: &Machine,
    graph: &TaskGraph,
    (sockets, network): (&Sockets, &Network),
    to: &dyn Profiler,
) -> Result<Vec<TaskId>, TasksError> {
    let none = Seconds::new(0.0);
    let runtime = RuntimeSettings {
        creation: none,
        throttle: None,
        task: none,
        steal: none,
        ties: Ties::Order,
        task_spread: 0.0,
        ..RuntimeSettings::default()
    };
    let scheduler = SchedulerSettings::default();
    let question = Question::new(machine, graph, &scheduler, &runtime);
    let mut heard = Heard { order: Vec::with_capacity(graph.task_count()), to };
    Simulation::new(&question, sockets, network, Box::new(Alone::default()), &mut heard)?.run()?;
    Ok(heard.order)
}

/// One queue for worker 0.
#[derive(Clone, Debug, Default)]
struct Alone(VecDeque<TaskId>);

impl Scheduler for Alone {
    fn ready(&mut self, _: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.0.push_back(task);
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        if worker == WorkerId(0) { self.0.pop_front() } else { None }
    }
}

/// Records when each task ended.
struct Heard<'a> {
    order: Vec<TaskId>,
    to: &'a dyn Profiler,
}

impl Observer for Heard<'_> {
    fn ended(&mut self, record: &TaskRecord) {
        self.order.push(record.task);
    }

    fn stops(&self) -> bool {
        self.to.stops()
    }
}

// Seconds of one task without contention: it is the only flow of the sharing model, solved once for each demand and location of its data.

/// Maximum number of cached rates: programs have few different ones.
const MOST_RATES: usize = 1 << 16;

/// Times tasks.
struct Timer<'a> {
    machine: &'a Machine,
    graph: &'a TaskGraph,
    near: NodeId,
    far: NodeId,
    assay: Assay<'a>,
    load: Load<'a>,
    /// GB/s by the bits of demand and fractions.
    rates: HashMap<Box<[u64]>, f64>,
    /// All blocks near, and all far: changed for one task and back.
    all_near: Homes,
    all_far: Homes,
    caches: Caches,
}

impl<'a> Timer<'a> {
    fn new(graph: &'a TaskGraph, network: &'a Network, near: NodeId, far: NodeId) -> Self {
        let blocks = graph.blocks().len();
        Self {
            machine: network.machine(),
            graph,
            near,
            far,
            assay: Assay::new(graph, network),
            load: network.load(),
            rates: HashMap::new(),
            all_near: Homes::on(network.machine(), near, blocks),
            all_far: Homes::on(network.machine(), far, blocks),
            caches: Caches::new(network.machine(), blocks),
        }
    }

    /// Seconds of every task, by number, if worker 0 runs all in this order: blocks are placed by first touch, and the cache serves
    /// recently touched bytes.
    fn full(&mut self, order: &[TaskId]) -> Vec<f64> {
        let mut homes = Homes::new(self.graph, self.machine, PagePlacement::FirstTouch, self.near);
        let mut caches = std::mem::replace(&mut self.caches, Caches::new(self.machine, 0));
        let (graph, near) = (self.graph, self.near);
        let mut turnover = 0.0;
        let mut seconds = vec![0.0; graph.task_count()];
        for &task in order {
            let mut added = 0.0;
            let own = self.seconds(task, &mut homes, |access| {
                let (shares, adds) = caches.take(access, bytes_of(graph, access.block), near, |_| turnover);
                added += adds;
                shares
            });
            turnover += added;
            if let Some(seconds) = seconds.get_mut(task.0 as usize) {
                *seconds = own;
            }
        }
        self.caches = caches;
        seconds
    }

    /// Seconds of a task in all settings except the whole run, replacing the content of `into`.
    fn settings(&mut self, task: TaskId, into: &mut Vec<(Setting, f64)>) {
        into.clear();
        let graph = self.graph;
        // Moved out, so that the timer can be used meanwhile.
        let mut near = std::mem::take(&mut self.all_near);
        let mut far = std::mem::take(&mut self.all_far);
        into.push((Setting::Normal, self.seconds(task, &mut near, |_| Shares::MEMORY)));
        for (slot, cached) in graph.accesses(task).enumerate() {
            if self.caches.fits(self.near, bytes_of(graph, cached.block)) {
                let shares =
                    |access: &Access| if access.block == cached.block { Shares::OWN } else { Shares::MEMORY };
                into.push((Setting::Cache(slot), self.seconds(task, &mut near, shares)));
            }
        }
        let fixed = into.len();
        for (slot, access) in graph.accesses(task).enumerate() {
            far.put(access.block, self.near);
            into.push((Setting::NumaFixed(slot), self.seconds(task, &mut far, |_| Shares::MEMORY)));
            far.put(access.block, self.far);
        }
        // A block has the same home whether it is placed or touched first.
        for (slot, at) in (fixed..into.len()).enumerate() {
            let seconds = into.get(at).map_or(0.0, |(_, seconds)| *seconds);
            into.push((Setting::NumaMovable(slot), seconds));
        }
        (self.all_near, self.all_far) = (near, far);
    }

    fn seconds(&mut self, task: TaskId, homes: &mut Homes, shares: impl FnMut(&Access) -> Shares) -> f64 {
        match self.assay.of(task, 1.0, (self.near, self.near), homes, shares).1 {
            Pace::Seconds(seconds) => seconds,
            Pace::Shared { gb, want_gbs } => gb / self.rate(want_gbs),
        }
    }

    /// The rate of a thread with this demand, with the data of the last task.
    fn rate(&mut self, want_gbs: f64) -> f64 {
        let fractions = self.assay.fractions();
        let bits: Box<[u64]> =
            std::iter::once(want_gbs).chain(fractions.iter().copied()).map(f64::to_bits).collect();
        if let Some(&known) = self.rates.get(&bits) {
            return known;
        }
        let fraction = |memory: NodeId| fractions.get(memory.0).copied().unwrap_or(0.0);
        // Workers are on nodes with cores.
        let Some(flow) = self.load.add_reader(FlowKey(0), self.near, 1.0, want_gbs, fraction) else {
            return 0.0;
        };
        self.load.solve();
        let rate = self.load.bandwidth(flow);
        self.load.remove(flow);
        if self.rates.len() == MOST_RATES {
            self.rates.clear();
        }
        self.rates.insert(bits, rate);
        rate
    }
}

fn bytes_of(graph: &TaskGraph, block: BlockId) -> f64 {
    graph.blocks().get(block.0 as usize).map_or(0.0, |block| block.bytes)
}
