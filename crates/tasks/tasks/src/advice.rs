//! The best sockets of tasks and homes of blocks that the schedulers here find for a graph.
//!
//! Each NUMA-aware scheduler runs the whole graph once. The sockets on which its tasks ran are those of a candidate; the home of a block
//! is the node that touched it first, or the one that moves most of its bytes. Every candidate is simulated in the form in which it would
//! be used: under `sa`, with these homes. The predicted time is therefore a simulated makespan, and the lower bound limits any further
//! improvement.

use numasim_graph::Dependencies;
use numasim_graph::values::{
    BlockHome, BlockId, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskGraph, TaskId,
};
use numasim_model::units::Seconds;
use numasim_model::{Machine, NodeId};

use crate::bound::{LowerBound, lower_bound};
use crate::engine::simulate;
use crate::error::TasksError;
use crate::question::Question;
use crate::result::{Observer, TaskRecord};

/// Schedulers whose placements are tried.
const ASKED: [SchedulerKind; 5] = [
    SchedulerKind::Dep,
    SchedulerKind::Tracked,
    SchedulerKind::Heft,
    SchedulerKind::RipDep,
    SchedulerKind::RipMw,
];
/// Number of seeds of the runs without information about data.
const SEEDS: u32 = 5;

numasim_model::words! {
    /// The rule for the homes of a candidate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HomeRule {
        /// Where a task touched the block first.
        FirstTouch = "first-touch",
        /// The node whose tasks move most of its bytes.
        MostBytes = "most-bytes",
    }
}

/// The nodes of tasks and blocks, and the predicted times.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The graph with a socket for each task, and a home for each block that had none and that some task accesses.
    pub graph: TaskGraph,
    /// The scheduler that chose the sockets.
    pub scheduler: SchedulerKind,
    /// The rule that chose the homes.
    pub homes: HomeRule,
    /// Under `sa`, without stealing.
    pub makespan: Seconds,
    /// Under `fifo` with first touch, the mean of five seeds.
    pub before: Seconds,
    /// No schedule and no homes of open blocks are faster than this bound.
    pub bound: LowerBound,
}

/// Finds the best of all candidates. `stops` is polled at intervals.
///
/// # Errors
/// [`TasksError::Stopped`]; [`TasksError::TooManyEdges`]; graphs that no scheduler can simulate.
pub fn advise(
    machine: &Machine,
    graph: &TaskGraph,
    runtime: &RuntimeSettings,
    stops: &dyn Fn() -> bool,
) -> Result<Advice, TasksError> {
    let asker = Asker { machine, runtime, stops };
    let dependencies = Dependencies::of(graph).ok_or(TasksError::TooManyEdges)?;
    let fifo = SchedulerSettings::default();
    let bound = lower_bound(&asker.question(graph, &fifo, runtime), &dependencies);
    let mut sum_s = 0.0;
    for more in 0..SEEDS {
        let runtime = RuntimeSettings { seed: runtime.seed.wrapping_add(u64::from(more)), ..runtime.clone() };
        let mut seen = Seen::new(graph, machine, stops);
        sum_s += simulate(&asker.question(graph, &fifo, &runtime), &mut seen)?.makespan.value();
    }
    let before = Seconds::new(sum_s / f64::from(SEEDS));
    let mut best: Option<Advice> = None;
    let mut refused = None;
    for scheduler in ASKED {
        match asker.candidate(graph, scheduler) {
            Ok(candidates) => {
                for (homes, graph, makespan) in candidates {
                    // Of equal ones the first.
                    if best.as_ref().is_none_or(|best| makespan.value() < best.makespan.value()) {
                        best = Some(Advice { graph, scheduler, homes, makespan, before, bound });
                    }
                }
            }
            Err(TasksError::Stopped) => return Err(TasksError::Stopped),
            // Some schedulers reject some graphs: trees have no windows.
            Err(error) => refused = Some(error),
        }
    }
    best.ok_or_else(|| refused.unwrap_or(TasksError::Stopped))
}

/// Data that all simulations share.
struct Asker<'a> {
    machine: &'a Machine,
    runtime: &'a RuntimeSettings,
    stops: &'a dyn Fn() -> bool,
}

impl<'a> Asker<'a> {
    fn question<'q>(
        &self,
        graph: &'q TaskGraph,
        scheduler: &'q SchedulerSettings,
        runtime: &'q RuntimeSettings,
    ) -> Question<'q>
    where
        'a: 'q,
    {
        Question::new(self.machine, graph, scheduler, runtime)
    }

    /// The graph as a scheduler places it, with each rule for homes, and the resulting time.
    fn candidate(
        &self,
        graph: &TaskGraph,
        kind: SchedulerKind,
    ) -> Result<Vec<(HomeRule, TaskGraph, Seconds)>, TasksError> {
        // One window with all tasks: the plan is made in advance, so no task waits for it.
        let window = u32::try_from(graph.task_count()).unwrap_or(u32::MAX).max(1);
        let settings = SchedulerSettings {
            kind,
            window,
            partition_ns_per_vertex_edge: Some(0.0),
            ..SchedulerSettings::default()
        };
        let mut seen = Seen::new(graph, self.machine, self.stops);
        simulate(&self.question(graph, &settings, self.runtime), &mut seen)?;
        let by_hand = SchedulerSettings { kind: SchedulerKind::Sa, ..SchedulerSettings::default() };
        let mut candidates = Vec::new();
        for rule in HomeRule::ALL {
            let placed = seen.placed(rule);
            let mut silent = Seen::new(graph, self.machine, self.stops);
            let run = simulate(&self.question(&placed, &by_hand, self.runtime), &mut silent)?;
            candidates.push((rule, placed, run.makespan));
        }
        Ok(candidates)
    }
}

/// The nodes where tasks ran and the resulting homes of blocks.
struct Seen<'a> {
    graph: &'a TaskGraph,
    machine: &'a Machine,
    stops: &'a dyn Fn() -> bool,
    nodes: usize,
    /// By task.
    ran_on: Vec<Option<NodeId>>,
    /// By block: when it was touched first, and the node in whose memory it is then.
    first: Vec<(f64, Option<NodeId>)>,
    /// By block and node.
    bytes: Vec<f64>,
}

impl<'a> Seen<'a> {
    fn new(graph: &'a TaskGraph, machine: &'a Machine, stops: &'a dyn Fn() -> bool) -> Self {
        let (blocks, nodes) = (graph.blocks().len(), machine.node_count());
        Self {
            graph,
            machine,
            stops,
            nodes,
            ran_on: vec![None; graph.task_count()],
            first: vec![(f64::INFINITY, None); blocks],
            bytes: vec![0.0; blocks * nodes],
        }
    }

    fn placed(&self, rule: HomeRule) -> TaskGraph {
        let home = |block: BlockId| {
            let index = block.0 as usize;
            let own = self.graph.blocks().get(index).map_or(BlockHome::Open, |block| block.home);
            let first = self.first.get(index).and_then(|(_, node)| *node);
            match (own, first, rule) {
                (BlockHome::Open, Some(first), HomeRule::FirstTouch) => BlockHome::Node(first),
                (BlockHome::Open, Some(first), HomeRule::MostBytes) => {
                    let bytes =
                        self.bytes.get(index * self.nodes..(index + 1) * self.nodes).unwrap_or_default();
                    let of_first = bytes.get(first.0).copied().unwrap_or(0.0);
                    // Of equal ones the node that touched it first.
                    let better = |best: (NodeId, f64), (node, &bytes): (usize, &f64)| {
                        if bytes > best.1 { (NodeId(node), bytes) } else { best }
                    };
                    BlockHome::Node(bytes.iter().enumerate().fold((first, of_first), better).0)
                }
                (own, ..) => own,
            }
        };
        self.graph.placed(|task| self.ran_on.get(task.0 as usize).copied().flatten(), home)
    }
}

impl Observer for Seen<'_> {
    fn ended(&mut self, record: &TaskRecord) {
        let TaskId(task) = record.task;
        if let Some(ran_on) = self.ran_on.get_mut(task as usize) {
            *ran_on = Some(record.node);
        }
        let memory = self.machine.local_memory(record.node);
        for access in self.graph.accesses(record.task) {
            let block = access.block.0 as usize;
            if let Some(first) = self.first.get_mut(block).filter(|(start, _)| record.start_s < *start) {
                *first = (record.start_s, Some(memory));
            }
            if let Some(bytes) = self.bytes.get_mut(block * self.nodes + memory.0) {
                *bytes += access.moved_bytes;
            }
        }
    }

    fn stops(&self) -> bool {
        (self.stops)()
    }
}
