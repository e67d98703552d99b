//! The graph: blocks, tasks and accesses, stored compactly, because there may be 10^7 tasks.
//!
//! A task takes 24 B and an access 8 B: a program has few different pairs of declared and moved bytes, and each is stored once. Names,
//! and the tree attributes of tasks, are stored only if they were given.

use std::collections::HashMap;

use numasim_model::ids::NodeId;
use tree::Tree;

use super::{
    Access, AccessMode, Block, BlockHome, BlockId, GraphError, MAX_ACCESSES, MAX_TASKS, ReplayId, TaskId,
    TreeTask, TypeId,
};

mod tree;

/// A task to be added.
#[derive(Clone, Copy, Debug)]
pub struct NewTask<'a> {
    /// Its kind.
    pub kind: TypeId,
    /// Its work, 10^9 FLOP.
    pub gflop: f64,
    /// Its accesses, in order.
    pub accesses: &'a [Access],
    /// The node on which the programmer wants it.
    pub socket: Option<NodeId>,
    /// Whether the master waits for all earlier tasks before it creates this one.
    pub taskwait: bool,
    /// Its name, if it has one.
    pub name: Option<&'a str>,
}

/// A task in storage.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Record {
    gflop: f64,
    /// Index after its last access; the first one follows the last one of the previous task.
    end: u32,
    kind: TypeId,
    /// Node + 1 in the lower bits, 0 for none; the highest bit for `taskwait`.
    socket: u32,
}

const TASKWAIT: u32 = 1 << 31;

/// An access in storage: the mode is in the two highest bits of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    block: u32,
    sizes: u32,
}

const MODE_SHIFT: u32 = 30;

/// Names of items by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Names(Vec<Option<Box<str>>>);

impl Names {
    fn set(&mut self, number: usize, name: Option<&str>) {
        if let Some(name) = name {
            self.0.resize(number, None);
            self.0.push(Some(name.into()));
        }
    }

    fn get(&self, number: usize) -> Option<&str> {
        self.0.get(number)?.as_deref()
    }
}

/// Blocks, and tasks in creation order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskGraph {
    name: String,
    blocks: Vec<Block>,
    types: Vec<String>,
    tasks: Vec<Record>,
    accesses: Vec<Packed>,
    /// Different pairs of declared and moved bytes.
    sizes: Vec<(f64, f64)>,
    block_names: Names,
    task_names: Names,
    /// Priorities by task up to the last one that is not 0.
    priorities: Vec<f64>,
    /// Tree attributes; `None` for other programs.
    tree: Option<Box<Tree>>,
}

impl TaskGraph {
    /// Name of the graph.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of tasks.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// All tasks in creation order.
    pub fn tasks(&self) -> impl DoubleEndedIterator<Item = TaskId> + ExactSizeIterator + use<> {
        // There are at most MAX_TASKS.
        (0..u32::try_from(self.tasks.len()).unwrap_or(u32::MAX)).map(TaskId)
    }

    /// All blocks by number.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Kinds of tasks by number.
    pub fn types(&self) -> &[String] {
        &self.types
    }

    /// Number of accesses of all tasks together.
    pub fn access_count(&self) -> usize {
        self.accesses.len()
    }

    /// Accesses of a task, in order; empty if there is no such task.
    pub fn accesses(&self, task: TaskId) -> impl ExactSizeIterator<Item = Access> + Clone + '_ {
        let index = task.0 as usize;
        let end = self.tasks.get(index).map_or(0, |record| record.end as usize);
        let before = index.checked_sub(1).and_then(|before| self.tasks.get(before));
        let start = before.map_or(0, |record| record.end as usize).min(end);
        let packed = self.accesses.get(start..end).unwrap_or_default();
        packed.iter().map(|packed| {
            let mode = match packed.block >> MODE_SHIFT {
                0 => AccessMode::In,
                1 => AccessMode::Out,
                _ => AccessMode::Inout,
            };
            let (declared_bytes, moved_bytes) =
                self.sizes.get(packed.sizes as usize).copied().unwrap_or_default();
            let block = BlockId(packed.block & ((1 << MODE_SHIFT) - 1));
            Access { block, mode, declared_bytes, moved_bytes }
        })
    }

    /// Work of a task, 10^9 FLOP.
    pub fn gflop(&self, task: TaskId) -> f64 {
        self.tasks.get(task.0 as usize).map_or(0.0, |record| record.gflop)
    }

    /// The same graph with other work, 10^9 FLOP. Values that are negative or not finite count as no work.
    #[must_use]
    pub fn with_work(mut self, gflop: impl Fn(TaskId) -> f64) -> Self {
        for task in self.tasks() {
            let work = gflop(task);
            if let Some(record) = self.tasks.get_mut(task.0 as usize) {
                record.gflop = if work.is_finite() { work.max(0.0) } else { 0.0 };
            }
        }
        self
    }

    /// The kind of a task.
    pub fn kind(&self, task: TaskId) -> TypeId {
        self.tasks.get(task.0 as usize).map_or(TypeId(0), |record| record.kind)
    }

    /// The name of the kind of a task.
    pub fn type_name(&self, task: TaskId) -> &str {
        self.types.get(self.kind(task).0 as usize).map_or("", String::as_str)
    }

    /// The node on which the programmer wants a task.
    pub fn socket(&self, task: TaskId) -> Option<NodeId> {
        let socket = self.tasks.get(task.0 as usize)?.socket & !TASKWAIT;
        socket.checked_sub(1).map(|node| NodeId(node as usize))
    }

    /// Whether the master waits for all earlier tasks before it creates this one.
    pub fn taskwait(&self, task: TaskId) -> bool {
        self.tasks.get(task.0 as usize).is_some_and(|record| record.socket & TASKWAIT != 0)
    }

    /// Priority of a task: ready tasks of higher priority come first, under schedulers that use priorities
    /// ([`super::SchedulerKind::follows_priorities`]). 0 by default.
    pub fn priority(&self, task: TaskId) -> f64 {
        self.priorities.get(task.0 as usize).copied().unwrap_or(0.0)
    }

    /// Whether the priorities of tasks differ.
    pub fn has_priorities(&self) -> bool {
        let mut all = self.tasks().map(|task| self.priority(task));
        !self.priorities.is_empty() && all.next().is_some_and(|first| all.any(|other| other != first))
    }

    /// The name of a task, if it was given.
    pub fn task_name(&self, task: TaskId) -> Option<&str> {
        self.task_names.get(task.0 as usize)
    }

    /// The name of a block, if it was given.
    pub fn block_name(&self, block: BlockId) -> Option<&str> {
        self.block_names.get(block.0 as usize)
    }
}

/// Makes a [`TaskGraph`], task by task.
#[derive(Clone, Debug, Default)]
pub struct TaskGraphBuilder {
    graph: TaskGraph,
    type_numbers: HashMap<String, TypeId>,
    size_numbers: HashMap<(u64, u64), u32>,
    /// Per block: 1 + the last task that accesses it.
    last_access: Vec<u32>,
    replay_numbers: HashMap<String, ReplayId>,
}

impl TaskGraphBuilder {
    /// An empty graph.
    pub fn new(name: impl Into<String>) -> Self {
        Self { graph: TaskGraph { name: name.into(), ..TaskGraph::default() }, ..Self::default() }
    }

    /// The number of a kind of task; an unknown name gets a new number.
    pub fn kind(&mut self, name: &str) -> TypeId {
        if let Some(&known) = self.type_numbers.get(name) {
            return known;
        }
        let number = TypeId(u32::try_from(self.graph.types.len()).unwrap_or(u32::MAX));
        self.graph.types.push(name.to_owned());
        self.type_numbers.insert(name.to_owned(), number);
        number
    }

    /// Adds a block.
    ///
    /// # Errors
    /// [`GraphError::TooManyTasks`], [`GraphError::NotANumber`].
    pub fn block(&mut self, block: Block, name: Option<&str>) -> Result<BlockId, GraphError> {
        not_negative("the size of a block", block.bytes)?;
        let number = self.graph.blocks.len();
        if number >= MAX_TASKS {
            return Err(GraphError::TooManyTasks);
        }
        self.graph.blocks.push(block);
        self.graph.block_names.set(number, name);
        self.last_access.push(0);
        u32::try_from(number).map(BlockId).map_err(|_| GraphError::TooManyTasks)
    }

    /// Adds a task of the master after all others.
    ///
    /// # Errors
    /// A [`GraphError`] if the task is invalid; the graph is then unchanged.
    pub fn task(&mut self, task: NewTask<'_>) -> Result<TaskId, GraphError> {
        self.tree_task(task, TreeTask::default())
    }

    /// Adds a task after all others, with its tree attributes.
    ///
    /// # Errors
    /// A [`GraphError`] if the task is invalid; the graph is then unchanged. [`TaskGraphBuilder::try_finish`] checks the places (`seq`)
    /// of several tasks together.
    pub fn tree_task(&mut self, task: NewTask<'_>, tree: TreeTask<'_>) -> Result<TaskId, GraphError> {
        let number = self.graph.tasks.len();
        if number >= MAX_TASKS {
            return Err(GraphError::TooManyTasks);
        }
        let accesses = self.graph.accesses.len();
        if task.accesses.len() > MAX_ACCESSES - accesses {
            return Err(GraphError::TooManyAccesses);
        }
        let id = u32::try_from(number).map_err(|_| GraphError::TooManyTasks)?;
        let end = u32::try_from(accesses + task.accesses.len()).map_err(|_| GraphError::TooManyAccesses)?;
        not_negative("the work of a task", task.gflop)?;
        tree::check(&task, &tree, number)?;
        for access in task.accesses {
            not_negative("what an access declares", access.declared_bytes)?;
            not_negative("what an access moves", access.moved_bytes)?;
        }
        for (place, access) in task.accesses.iter().enumerate() {
            let last = self.last_access.get_mut(access.block.0 as usize);
            let last = last.ok_or(GraphError::UnknownBlock(access.block));
            match last {
                Ok(last) if *last != id + 1 => *last = id + 1,
                wrong => {
                    let error = wrong.err().unwrap_or(GraphError::BlockTwice(access.block));
                    // If adding a task with this number is tried again, it has not accessed these blocks.
                    for access in task.accesses.iter().take(place) {
                        if let Some(last) = self.last_access.get_mut(access.block.0 as usize) {
                            *last = 0;
                        }
                    }
                    return Err(error);
                }
            }
        }
        for access in task.accesses {
            let sizes = self.sizes(access);
            let mode = match access.mode {
                AccessMode::In => 0,
                AccessMode::Out => 1,
                AccessMode::Inout => 2,
            };
            self.graph.accesses.push(Packed { block: access.block.0 | mode << MODE_SHIFT, sizes });
        }
        let socket = task.socket.map_or(0, |node| u32::try_from(node.0 + 1).unwrap_or(TASKWAIT - 1));
        let socket = socket | if task.taskwait { TASKWAIT } else { 0 };
        self.graph.tasks.push(Record { gflop: task.gflop, end, kind: task.kind, socket });
        self.graph.task_names.set(number, task.name);
        self.grow_tree(number, &tree);
        Ok(TaskId(id))
    }

    /// Sets the priority of a task that was added. A priority that is not finite becomes 0.
    pub fn prioritise(&mut self, task: TaskId, priority: f64) {
        let (number, all) = (task.0 as usize, &mut self.graph.priorities);
        let priority = if priority.is_finite() { priority + 0.0 } else { 0.0 };
        if number >= self.graph.tasks.len() || (priority == 0.0 && number >= all.len()) {
            return;
        }
        if number >= all.len() {
            all.resize(number + 1, 0.0);
        }
        if let Some(known) = all.get_mut(number) {
            *known = priority;
        }
        // Equal graphs are equal values.
        all.truncate(all.iter().rposition(|&priority| priority != 0.0).map_or(0, |last| last + 1));
    }

    /// The graph, for tasks that are made by rule. If places (`seq`) repeat or are missing, tasks come in the order of places, then of
    /// numbers.
    pub fn finish(mut self) -> TaskGraph {
        if let Some(tree) = &mut self.graph.tree {
            tree.finish(self.graph.tasks.len());
        }
        self.graph
    }

    /// The graph, for tasks that a file lists.
    ///
    /// # Errors
    /// [`GraphError::SeqMixed`], [`GraphError::SeqRepeated`], [`GraphError::SeqMissing`].
    pub fn try_finish(self) -> Result<TaskGraph, GraphError> {
        let graph = self.finish();
        graph.misplaced().map_or(Ok(graph), |(_, error)| Err(error))
    }

    /// The graph so far.
    pub fn graph(&self) -> &TaskGraph {
        &self.graph
    }

    fn sizes(&mut self, access: &Access) -> u32 {
        let pair = (access.declared_bytes, access.moved_bytes);
        let sizes = &mut self.graph.sizes;
        *self.size_numbers.entry((pair.0.to_bits(), pair.1.to_bits())).or_insert_with(|| {
            sizes.push(pair);
            // No more than there are accesses.
            u32::try_from(sizes.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

fn not_negative(what: &'static str, value: f64) -> Result<(), GraphError> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(GraphError::NotANumber { what, value }) }
}

impl TaskGraph {
    /// The same graph with other sockets and homes.
    #[must_use]
    pub fn placed(
        &self,
        socket: impl Fn(TaskId) -> Option<NodeId>,
        home: impl Fn(BlockId) -> BlockHome,
    ) -> Self {
        let mut graph = self.clone();
        for (task, record) in (0..).map(TaskId).zip(&mut graph.tasks) {
            let node = socket(task).map_or(0, |node| u32::try_from(node.0 + 1).unwrap_or(0));
            record.socket = (record.socket & TASKWAIT) | (node & !TASKWAIT);
        }
        for (block, known) in (0..).map(BlockId).zip(&mut graph.blocks) {
            known.home = home(block);
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_replaced_and_nothing_else() {
        let (mut builder, kind, ..) = builder();
        for gflop in [1.0, 2.0, 3.0] {
            let task = NewTask { kind, gflop, accesses: &[], socket: None, taskwait: true, name: None };
            builder.task(task).expect("a task");
        }
        let graph = builder.finish();
        let other = graph.clone().with_work(|task| [4.0, f64::NAN, -1.0][task.0 as usize]);
        assert_eq!(other.tasks().map(|task| other.gflop(task)).collect::<Vec<_>>(), [4.0, 0.0, 0.0]);
        assert_eq!(other.with_work(|task| graph.gflop(task)), graph);
    }

    fn builder() -> (TaskGraphBuilder, TypeId, BlockId, BlockId) {
        let mut graph = TaskGraphBuilder::new("two blocks");
        let kind = graph.kind("work");
        let x = graph.block(Block { bytes: 3e6, home: BlockHome::Open }, Some("X")).expect("a block");
        let y = graph.block(Block { bytes: 1e6, home: BlockHome::Node(NodeId(1)) }, None).expect("a block");
        (graph, kind, x, y)
    }

    fn task(kind: TypeId, accesses: &[Access]) -> NewTask<'_> {
        NewTask { kind, gflop: 1.0, accesses, socket: None, taskwait: false, name: None }
    }

    #[test]
    fn what_was_put_in_comes_out() {
        let (mut graph, kind, x, y) = builder();
        let read = Access { block: x, mode: AccessMode::In, declared_bytes: 3e6, moved_bytes: 1e5 };
        let change = Access { block: y, mode: AccessMode::Inout, declared_bytes: 1e6, moved_bytes: 2e6 };
        graph.task(NewTask { socket: Some(NodeId(0)), taskwait: true, ..task(kind, &[]) }).expect("a task");
        let accesses = [read, change];
        let second = NewTask { gflop: 2.5, name: Some("second"), ..task(kind, &accesses) };
        let id = graph.task(second).expect("a task");
        let graph = graph.finish();
        assert_eq!(graph.accesses(TaskId(0)).len(), 0);
        assert_eq!(graph.accesses(id).collect::<Vec<_>>(), [read, change]);
        assert_eq!((graph.socket(TaskId(0)), graph.taskwait(TaskId(0))), (Some(NodeId(0)), true));
        assert_eq!((graph.socket(id), graph.taskwait(id), graph.gflop(id)), (None, false, 2.5));
        assert_eq!((graph.task_name(TaskId(0)), graph.task_name(id)), (None, Some("second")));
        assert_eq!((graph.block_name(x), graph.block_name(y)), (Some("X"), None));
        assert_eq!(graph.type_name(id), "work");
        assert_eq!(graph.accesses(TaskId(9)).len(), 0);
    }

    #[test]
    fn a_task_that_is_refused_leaves_the_graph_as_it_was() {
        let (mut graph, kind, x, _) = builder();
        let read = Access { block: x, mode: AccessMode::In, declared_bytes: 1.0, moved_bytes: 1.0 };
        let unknown = Access { block: BlockId(7), ..read };
        assert_eq!(graph.task(task(kind, &[read, read])), Err(GraphError::BlockTwice(x)));
        assert_eq!(graph.task(task(kind, &[read, unknown])), Err(GraphError::UnknownBlock(BlockId(7))));
        let negative = Access { moved_bytes: -1.0, ..read };
        assert!(matches!(graph.task(task(kind, &[negative])), Err(GraphError::NotANumber { .. })));
        assert_eq!(graph.graph().access_count(), 0);
        assert_eq!(graph.task(task(kind, &[read])), Ok(TaskId(0)));
    }

    #[test]
    fn priorities_are_kept_up_to_the_last_one_that_is_given() {
        let (mut graph, kind, ..) = builder();
        for _ in 0..3 {
            graph.task(task(kind, &[])).expect("a task");
        }
        let plain = graph.clone().finish();
        graph.prioritise(TaskId(1), -2.5);
        graph.prioritise(TaskId(9), 1.0);
        let given = graph.clone().finish();
        assert_eq!(given.tasks().map(|task| given.priority(task)).collect::<Vec<_>>(), [0.0, -2.5, 0.0]);
        assert!(given.has_priorities() && !plain.has_priorities());
        graph.prioritise(TaskId(1), f64::NAN);
        assert_eq!(graph.finish(), plain);
    }

    #[test]
    fn equal_priorities_are_none() {
        let (mut graph, kind, ..) = builder();
        for _ in 0..2 {
            let id = graph.task(task(kind, &[])).expect("a task");
            graph.prioritise(id, 20.0);
        }
        assert!(!graph.finish().has_priorities());
    }

    #[test]
    fn a_task_takes_24_bytes_and_an_access_8() {
        assert_eq!((size_of::<Record>(), size_of::<Packed>()), (24, 8));
    }

    #[test]
    fn sockets_and_homes_change_and_nothing_else() {
        let mut graph = TaskGraphBuilder::new("placed");
        let kind = graph.kind("work");
        graph.block(Block { bytes: 8.0, home: BlockHome::Open }, Some("X")).expect("a block");
        for taskwait in [false, true] {
            let task = NewTask {
                kind,
                gflop: 1.0,
                accesses: &[],
                socket: Some(NodeId(1)),
                taskwait,
                name: Some("t"),
            };
            graph.task(task).expect("a task");
        }
        let graph = graph.finish();
        let placed = graph.placed(|task| (task.0 == 1).then_some(NodeId(3)), |_| BlockHome::Node(NodeId(2)));
        assert_eq!([TaskId(0), TaskId(1)].map(|task| placed.socket(task)), [None, Some(NodeId(3))]);
        assert!(!placed.taskwait(TaskId(0)) && placed.taskwait(TaskId(1)));
        assert_eq!(placed.blocks()[0].home, BlockHome::Node(NodeId(2)));
        assert_eq!(placed.placed(|_| Some(NodeId(1)), |_| BlockHome::Open), graph);
    }
}
