//! The state that all threads of a pool share: the gate, the queues, and the order in which workers search them.

use std::sync::Arc;

use crossbeam_deque::{Injector, Steal, Stealer, Worker as Deque};
use crossbeam_utils::CachePadded;

use crate::gate::{Counts, Gate, Rule};
use crate::job::JobRef;
use crate::layout::OrderError;
use crate::layout::{Layout, Place};
use crate::posted::Posted;
use crate::said::Said;
use crate::sync::{AtomicBool, AtomicUsize, Ordering};
use numasim_model::ids::NodeId;
use numasim_model::order::Order;

/// A queue with this many tasks has more than joins leave there, one for each level: its owner spawns them faster than they are fetched.
/// If they are taken one by one, the beginning of the queue moves from core to core for each of them.
const MANY: usize = 64;
/// Number of tasks that are then taken at once.
const BATCH: usize = 16;

/// Counters of a worker; only the worker writes them.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Inside a task.
    pub(crate) busy: AtomicBool,
    /// Tasks done.
    pub(crate) tasks: AtomicUsize,
}

/// See the module.
pub(crate) struct Shared {
    pub(crate) gate: Gate,
    pub(crate) layout: Layout,
    pub(crate) places: Vec<Place>,
    pub(crate) figures: Vec<Arc<CachePadded<Figures>>>,
    /// For the agent.
    pub(crate) said: Said,
    /// The pool shuts down.
    pub(crate) stop: AtomicBool,
    /// Workers of each node.
    workers: Vec<Vec<usize>>,
    /// For each node: all nodes, itself first, then the nearest.
    near: Vec<Vec<usize>>,
    stealers: Vec<Stealer<JobRef>>,
    /// Tasks for a node, and tasks for the first worker that comes.
    for_node: Vec<Injector<JobRef>>,
    for_any: Injector<JobRef>,
    /// Work that a certain worker must do itself.
    pub(crate) posted: Posted,
}

impl Shared {
    pub(crate) fn new(
        layout: Layout,
        stealers: Vec<Stealer<JobRef>>,
        order: Option<&Order>,
    ) -> Result<Self, OrderError> {
        let places = layout.places();
        let nodes = layout.nodes().len();
        let of = |node: usize| (0..places.len()).filter(|&worker| places[worker].node == node).collect();
        let node_of: Vec<usize> = places.iter().map(|place| place.node).collect();
        let rule = rule(&layout, &places, order)?;
        Ok(Self {
            gate: Gate::new(&node_of, nodes, rule),
            figures: places.iter().map(|_| Arc::default()).collect(),
            said: Said::default(),
            stop: AtomicBool::new(false),
            workers: (0..nodes).map(of).collect(),
            near: (0..nodes).map(|node| layout.nodes_from(node)).collect(),
            stealers,
            for_node: (0..nodes).map(|_| Injector::new()).collect(),
            for_any: Injector::new(),
            posted: Posted::new(places.len()),
            layout,
            places,
        })
    }

    /// Puts an order in force.
    pub(crate) fn order(&self, order: Option<&Order>) -> Result<(), OrderError> {
        self.gate.set(rule(&self.layout, &self.places, order)?);
        Ok(())
    }

    /// [`Order::Cores`] from a caller that counts other `cores` on each node than the layout.
    pub(crate) fn order_cores(&self, cores: &[usize], wanted: &[u32]) -> Result<(), OrderError> {
        self.gate.set(on_cores(&self.places, cores, wanted)?);
        Ok(())
    }

    /// The nodes in the order in which a worker of `node` searches them.
    pub(crate) fn near(&self, node: usize) -> &[usize] {
        self.near.get(node).map_or(&[], Vec::as_slice)
    }

    /// Offers a task to the workers of a node, or to all workers.
    pub(crate) fn inject(&self, job: JobRef, node: Option<usize>) {
        match node.and_then(|node| self.for_node.get(node)) {
            Some(queue) => queue.push(job),
            None => self.for_any.push(job),
        }
        if self.gate.must_tell() {
            self.tell(node.unwrap_or(0));
        }
    }

    /// There is one more task: announces it if necessary.
    #[cold]
    pub(crate) fn tell(&self, node: usize) {
        self.gate.wake(self.near(node));
        self.said.tasks_are_there(true);
    }

    /// A task for a worker whose queue is empty: from its node, then from anywhere, then from the nearest nodes. `start` determines the
    /// first neighbour, so that thieves do not collide. If a victim has many tasks, several are taken at once; they then wait in `into`,
    /// the worker's queue.
    pub(crate) fn steal(&self, worker: usize, start: usize, into: &Deque<JobRef>) -> Option<JobRef> {
        let own = self.places[worker].node;
        for &node in self.near(own) {
            if let Some(job) = take(|| self.for_node[node].steal()) {
                return Some(job);
            }
            let others = &self.workers[node];
            let (before, from) = others.split_at(if others.is_empty() { 0 } else { start % others.len() });
            for &other in from.iter().chain(before).filter(|&&other| other != worker) {
                let from = &self.stealers[other];
                let several = from.len() >= MANY;
                let job = take(|| {
                    if several { from.steal_batch_with_limit_and_pop(into, BATCH) } else { from.steal() }
                });
                if job.is_some() {
                    return job;
                }
            }
            if node == own
                && let Some(job) = take(|| self.for_any.steal())
            {
                return Some(job);
            }
        }
        None
    }

    /// Is there a task in any queue?
    pub(crate) fn any_task(&self) -> bool {
        !self.for_any.is_empty()
            || self.for_node.iter().any(|queue| !queue.is_empty())
            || self.stealers.iter().any(|queue| !queue.is_empty())
    }

    /// The same, or does a dispatcher have one?
    pub(crate) fn has_tasks(&self) -> bool {
        self.any_task() || self.said.queued() > 0
    }

    /// Tasks in all queues, and those that a dispatcher reports: not begun yet.
    pub(crate) fn queued(&self) -> usize {
        let nodes = self.for_node.iter().map(Injector::len).sum::<usize>();
        let workers = self.stealers.iter().map(Stealer::len).sum::<usize>();
        self.for_any.len() + nodes + workers + self.said.queued()
    }

    /// A worker that was woken for a task does something else: wakes another one for it.
    pub(crate) fn pass_on(&self, worker: usize) {
        if self.any_task() {
            self.tell(self.places[worker].node);
        }
    }

    /// Counts the workers of each node by state.
    pub(crate) fn counts(&self) -> Counts {
        self.gate.counts(|worker| self.figures[worker].busy.load(Ordering::Relaxed))
    }

    /// Tasks done since the beginning.
    pub(crate) fn tasks_done(&self) -> usize {
        self.figures.iter().map(|figures| figures.tasks.load(Ordering::Relaxed)).sum()
    }
}

fn take(steal: impl Fn() -> Steal<JobRef>) -> Option<JobRef> {
    loop {
        match steal() {
            Steal::Success(job) => return Some(job),
            Steal::Empty => return None,
            Steal::Retry => std::hint::spin_loop(),
        }
    }
}

/// The order in the numbers of workers; without an order all may run.
fn rule(layout: &Layout, places: &[Place], order: Option<&Order>) -> Result<Rule, OrderError> {
    let threads = places.len();
    match order {
        None => Ok(Rule::All),
        Some(Order::Total(ordered)) => match *ordered as usize {
            ordered if ordered > threads => Err(OrderError::TooMany { ordered, threads }),
            ordered => Ok(Rule::Total(ordered)),
        },
        Some(Order::PerNode(ordered)) => {
            let workers = layout.workers();
            let ordered: Vec<usize> = ordered.iter().map(|&threads| threads as usize).collect();
            if ordered.len() != workers.len() {
                return Err(OrderError::NodeCount { ordered: ordered.len(), nodes: workers.len() });
            }
            let pairs = ordered.iter().zip(&workers).enumerate();
            match pairs.into_iter().find(|(_, (ordered, threads))| ordered > threads) {
                Some((node, (&ordered, &threads))) => {
                    Err(OrderError::TooManyOnNode { node: NodeId(node), ordered, threads })
                }
                None => Ok(Rule::PerNode(ordered)),
            }
        }
        Some(Order::Cores(cores)) => {
            let all: Vec<usize> = layout.nodes().iter().map(|node| node.cores).collect();
            on_cores(places, &all, cores)
        }
    }
}

/// The workers on these cores: worker i of a node is on its core i mod cores.
fn on_cores(places: &[Place], cores_of: &[usize], wanted: &[u32]) -> Result<Rule, OrderError> {
    let wanted: Vec<usize> = wanted.iter().map(|&core| core as usize).collect();
    let cores = cores_of.iter().sum();
    if let Some(&core) = wanted.iter().find(|&&core| core >= cores) {
        return Err(OrderError::UnknownCore { core, cores });
    }
    let on = |place: &Place| {
        let first: usize = cores_of.iter().take(place.node).sum();
        let of_node = cores_of.get(place.node).copied().unwrap_or(0);
        of_node > 0 && wanted.contains(&(first + place.index % of_node))
    };
    Ok(Rule::Workers(places.iter().map(on).collect()))
}
