//! From whom a task reads: the edges of windows, as they come.

use crate::values::{TaskGraph, TaskId};

/// A task whose data a later one reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parent {
    /// The writer.
    pub task: TaskId,
    /// What the reader declares of the blocks that it wrote last.
    pub bytes: f64,
    /// What the reader declares of the blocks of which it was the last writer but one (old dependencies: paper 001, section 2.2).
    pub old_bytes: f64,
}

/// The last two writers of each block, for tasks that come in creation order.
#[derive(Clone, Debug)]
pub struct Writers {
    /// The last one, and the one before.
    blocks: Vec<[Option<TaskId>; 2]>,
    found: Vec<Parent>,
}

impl Writers {
    /// Nobody has written any of `blocks` blocks.
    pub fn new(blocks: usize) -> Self {
        Self { blocks: vec![[None; 2]; blocks], found: Vec::new() }
    }

    /// From whom `task` reads, by number. Tasks must come in creation order.
    pub fn add(&mut self, graph: &TaskGraph, task: TaskId) -> &[Parent] {
        self.found.clear();
        for access in graph.accesses(task) {
            let Some(writers) = self.blocks.get_mut(access.block.0 as usize) else { continue };
            if access.mode.reads() {
                let bytes = access.declared_bytes;
                let [last, old] = *writers;
                self.found.extend(last.map(|task| Parent { task, bytes, old_bytes: 0.0 }));
                self.found.extend(old.map(|task| Parent { task, bytes: 0.0, old_bytes: bytes }));
            }
            if access.mode.writes() {
                *writers = [Some(task), writers[0]];
            }
        }
        self.found.sort_by_key(|parent| parent.task);
        self.found.dedup_by(|other, first| {
            let same = other.task == first.task;
            if same {
                first.bytes += other.bytes;
                first.old_bytes += other.old_bytes;
            }
            same
        });
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::AccessMode::{In, Inout, Out};
    use crate::values::{Access, Block, BlockHome, BlockId, NewTask, TaskGraphBuilder};

    #[test]
    fn the_last_two_writers_of_a_block_are_parents_and_readers_are_none() {
        let mut graph = TaskGraphBuilder::new("writers");
        let kind = graph.kind("work");
        for bytes in [3.0, 5.0] {
            graph.block(Block { bytes, home: BlockHome::Open }, None).expect("a block");
        }
        // Task 0 writes X and Y, 1 changes X, 2 reads X, 3 reads X and Y.
        let access = |block: u32, mode| {
            let bytes = [3.0, 5.0][block as usize];
            Access { block: BlockId(block), mode, declared_bytes: bytes, moved_bytes: bytes }
        };
        let tasks = [
            vec![access(0, Out), access(1, Out)],
            vec![access(0, Inout)],
            vec![access(0, In)],
            vec![access(0, In), access(1, In)],
        ];
        for accesses in &tasks {
            let task = NewTask { kind, gflop: 0.0, accesses, socket: None, taskwait: false, name: None };
            graph.task(task).expect("a task");
        }
        let graph = graph.finish();
        let mut writers = Writers::new(2);
        let found: Vec<Vec<Parent>> = graph.tasks().map(|task| writers.add(&graph, task).to_vec()).collect();
        let parent = |task, bytes, old_bytes| Parent { task: TaskId(task), bytes, old_bytes };
        assert_eq!(found[0], []);
        assert_eq!(found[1], [parent(0, 3.0, 0.0)]);
        assert_eq!(found[2], [parent(0, 0.0, 3.0), parent(1, 3.0, 0.0)]);
        // Task 0 wrote Y last and X last but one.
        assert_eq!(found[3], [parent(0, 5.0, 3.0), parent(1, 3.0, 0.0)]);
    }
}
