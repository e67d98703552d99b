//! Dependences between tasks: edges from accesses, in creation order.
//!
//! A task first gets its edges from the state before it, then changes the state. When it reads a block: read after write (RAW), from the
//! last writer. When it writes one: write after read (WAR), from each reader since the last write, and write after write (WAW), from the
//! last writer, even if there were readers in between. There is one edge for a pair of tasks; its kinds are merged, and WAW is not named
//! in addition to RAW. An `inout` is a writer, not a later reader.

use crate::values::{BlockId, TaskGraph, TaskId};

numasim_model::words! {
    /// Why a task waits for another one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EdgeKind {
        /// It reads what the other wrote.
        Raw = "raw",
        /// It writes what the other read.
        War = "war",
        /// It writes what the other wrote.
        Waw = "waw",
        /// It reads what the other wrote, and writes what the other read.
        RawWar = "raw+war",
        /// It writes what the other read, and what it wrote.
        WarWaw = "war+waw",
    }
}

/// A task that waits for another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The earlier one.
    pub from: TaskId,
    /// The one that waits.
    pub to: TaskId,
    /// The reason.
    pub kind: EdgeKind,
    /// Bytes that the later task declares for the blocks that it reads from the earlier one.
    pub bytes: f64,
}

/// The reasons of one edge during the search.
#[derive(Clone, Copy, Debug, Default)]
struct Reasons {
    raw: bool,
    war: bool,
    waw: bool,
    bytes: f64,
}

impl Reasons {
    fn kind(self) -> EdgeKind {
        match (self.raw, self.war, self.waw) {
            (true, true, _) => EdgeKind::RawWar,
            (true, false, _) => EdgeKind::Raw,
            (false, true, true) => EdgeKind::WarWaw,
            (false, true, false) => EdgeKind::War,
            (false, false, _) => EdgeKind::Waw,
        }
    }
}

/// The last writer and readers of a block.
#[derive(Clone, Debug, Default)]
struct State {
    writer: Option<TaskId>,
    readers: Vec<TaskId>,
}

/// Finds the edges of tasks that come in creation order, in the same way as a runtime.
#[derive(Clone, Debug)]
pub struct Tracker {
    blocks: Vec<State>,
    /// For the current task: earlier tasks and the reasons to wait for them.
    found: Vec<(TaskId, Reasons)>,
}

impl Tracker {
    /// No task has accessed any of `blocks` blocks.
    pub fn new(blocks: usize) -> Self {
        Self { blocks: vec![State::default(); blocks], found: Vec::new() }
    }

    /// The edges to `task`, by the number of the earlier task. Tasks must come in creation order.
    pub fn add(&mut self, graph: &TaskGraph, task: TaskId) -> impl Iterator<Item = Edge> + '_ {
        self.found.clear();
        for access in graph.accesses(task) {
            let Some(state) = self.blocks.get(access.block.0 as usize) else { continue };
            if access.mode.reads()
                && let Some(writer) = state.writer
            {
                self.found.push((
                    writer,
                    Reasons { raw: true, bytes: access.declared_bytes, ..Reasons::default() },
                ));
            }
            if access.mode.writes() {
                let war = Reasons { war: true, ..Reasons::default() };
                self.found.extend(state.readers.iter().map(|&reader| (reader, war)));
                self.found
                    .extend(state.writer.map(|writer| (writer, Reasons { waw: true, ..Reasons::default() })));
            }
        }
        for access in graph.accesses(task) {
            let BlockId(block) = access.block;
            let Some(state) = self.blocks.get_mut(block as usize) else { continue };
            if access.mode.writes() {
                state.writer = Some(task);
                state.readers.clear();
            } else {
                state.readers.push(task);
            }
        }
        self.found.sort_by_key(|&(from, _)| from);
        self.found.dedup_by(|other, first| {
            let same = other.0 == first.0;
            if same {
                first.1.raw |= other.1.raw;
                first.1.war |= other.1.war;
                first.1.waw |= other.1.waw;
                first.1.bytes += other.1.bytes;
            }
            same
        });
        self.found.iter().map(move |&(from, reasons)| Edge {
            from,
            to: task,
            kind: reasons.kind(),
            bytes: reasons.bytes,
        })
    }
}

/// All edges of a graph: for each task the tasks that wait for it, and the number of tasks for which it waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Index of the first child of each task; one more at the end.
    starts: Vec<u32>,
    children: Vec<TaskId>,
    parents: Vec<u32>,
}

impl Dependencies {
    /// The edges of `graph`; `None` beyond 2^32 edges.
    pub fn of(graph: &TaskGraph) -> Option<Self> {
        let count = graph.task_count();
        let mut parents = vec![0_u32; count];
        let mut starts = vec![0_u32; count + 1];
        let mut tracker = Tracker::new(graph.blocks().len());
        let mut edges = 0_u64;
        for task in graph.tasks() {
            for edge in tracker.add(graph, task) {
                starts[edge.from.0 as usize + 1] += 1;
                parents[task.0 as usize] += 1;
                edges += 1;
            }
        }
        let edges = usize::try_from(u32::try_from(edges).ok()?).ok()?;
        for task in 0..count {
            starts[task + 1] += starts[task];
        }
        // The second pass puts each child at the children of its parent; children come in creation order.
        let mut next = starts.clone();
        let mut children = vec![TaskId(0); edges];
        let mut tracker = Tracker::new(graph.blocks().len());
        for task in graph.tasks() {
            for edge in tracker.add(graph, task) {
                let place = &mut next[edge.from.0 as usize];
                children[*place as usize] = task;
                *place += 1;
            }
        }
        Some(Self { starts, children, parents })
    }

    /// The tasks that wait for `task`, in creation order.
    pub fn children(&self, task: TaskId) -> &[TaskId] {
        let task = task.0 as usize;
        match (self.starts.get(task), self.starts.get(task + 1)) {
            (Some(&start), Some(&end)) => self.children.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Number of tasks for which `task` waits.
    pub fn parent_count(&self, task: TaskId) -> u32 {
        self.parents.get(task.0 as usize).copied().unwrap_or(0)
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.children.len()
    }

    /// Tasks on the longest path.
    pub fn span(&self) -> u32 {
        let mut before = vec![0; self.parents.len()];
        let mut longest = 0;
        // Numbers of tasks are u32.
        for (number, task) in (0..).map(TaskId).enumerate().take(self.parents.len()) {
            let until = before[number] + 1;
            longest = longest.max(until);
            for child in self.children(task) {
                let place = &mut before[child.0 as usize];
                *place = until.max(*place);
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Access, AccessMode, Block, BlockHome, NewTask, TaskGraphBuilder};

    /// Tasks given by their accesses: `(block, mode)`, all of one byte.
    fn graph(blocks: usize, tasks: &[&[(u32, AccessMode)]]) -> TaskGraph {
        let mut graph = TaskGraphBuilder::new("test");
        let kind = graph.kind("work");
        for _ in 0..blocks {
            graph.block(Block { bytes: 1.0, home: BlockHome::Open }, None).expect("a block");
        }
        for task in tasks {
            let access = |&(block, mode)| Access {
                block: BlockId(block),
                mode,
                declared_bytes: 1.0,
                moved_bytes: 1.0,
            };
            let accesses: Vec<Access> = task.iter().map(access).collect();
            let task =
                NewTask { kind, gflop: 1.0, accesses: &accesses, socket: None, taskwait: false, name: None };
            graph.task(task).expect("a task");
        }
        graph.finish()
    }

    fn edges(graph: &TaskGraph) -> Vec<(u32, u32, EdgeKind, f64)> {
        let mut tracker = Tracker::new(graph.blocks().len());
        graph
            .tasks()
            .flat_map(|task| tracker.add(graph, task).collect::<Vec<_>>())
            .map(|edge| (edge.from.0, edge.to.0, edge.kind, edge.bytes))
            .collect()
    }

    use AccessMode::{In, Inout, Out};

    /// Algorithm 1.1 of paper 001 for three elements and their sum: 10 tasks, 12 edges. For each element the first task reads v and
    /// writes u, the second reads w and writes v (WAR on v), the product reads u and v and writes w (RAW on u from the first; from the
    /// second RAW on v and WAR on w); the sum reads each w (RAW).
    #[test]
    fn algorithm_1_1_has_ten_tasks_and_twelve_edges() {
        // Blocks of element e: u = 3e, v = 3e + 1, w = 3e + 2.
        let element = |e: u32| -> [Vec<(u32, AccessMode)>; 3] {
            let (u, v, w) = (3 * e, 3 * e + 1, 3 * e + 2);
            [vec![(v, In), (u, Out)], vec![(w, In), (v, Out)], vec![(u, In), (v, In), (w, Out)]]
        };
        let mut tasks: Vec<Vec<(u32, AccessMode)>> = (0..3).flat_map(element).collect();
        tasks.push((0..3).map(|e| (3 * e + 2, In)).collect());
        let tasks: Vec<&[_]> = tasks.iter().map(Vec::as_slice).collect();
        let graph = graph(9, &tasks);
        let dependencies = Dependencies::of(&graph).expect("few edges");
        assert_eq!((graph.task_count(), dependencies.edge_count(), dependencies.span()), (10, 12, 4));
        let of_one: Vec<_> = edges(&graph).into_iter().filter(|&(from, ..)| from < 3).collect();
        let (raw, war, both) = (EdgeKind::Raw, EdgeKind::War, EdgeKind::RawWar);
        assert_eq!(of_one, [(0, 1, war, 0.0), (0, 2, raw, 1.0), (1, 2, both, 1.0), (2, 9, raw, 1.0)]);
    }

    #[test]
    fn a_pair_of_tasks_has_one_edge_with_all_its_kinds() {
        // The second reads the block that the first wrote (0) and writes the one that it read (1); the third only writes the block that
        // the second wrote (1).
        let graph = graph(2, &[&[(0, Out), (1, In)], &[(0, In), (1, Out)], &[(1, Out)]]);
        assert_eq!(edges(&graph), [(0, 1, EdgeKind::RawWar, 1.0), (1, 2, EdgeKind::Waw, 0.0)]);
    }

    #[test]
    fn a_writer_waits_for_all_readers_and_for_the_last_writer() {
        let graph = graph(1, &[&[(0, Out)], &[(0, In)], &[(0, In)], &[(0, Inout)], &[(0, In)]]);
        let (raw, war) = (EdgeKind::Raw, EdgeKind::War);
        // The `inout` reads what task 0 wrote, so WAW is not named in addition to RAW; it is no reader for the last one.
        let of_inout = [(0, 3, raw, 1.0), (1, 3, war, 0.0), (2, 3, war, 0.0)];
        assert_eq!(
            edges(&graph),
            [&[(0, 1, raw, 1.0), (0, 2, raw, 1.0)][..], &of_inout, &[(3, 4, raw, 1.0)]].concat()
        );
    }

    #[test]
    fn the_longest_path_is_counted_in_tasks() {
        // 0 -> 1 -> 3 and 0 -> 2.
        let graph = graph(3, &[&[(0, Out)], &[(0, In), (1, Out)], &[(0, In), (2, Out)], &[(1, In)]]);
        let dependencies = Dependencies::of(&graph).expect("few edges");
        assert_eq!(dependencies.span(), 3);
        assert_eq!(dependencies.children(TaskId(0)), [TaskId(1), TaskId(2)]);
        assert_eq!(dependencies.parent_count(TaskId(3)), 1);
    }
}
