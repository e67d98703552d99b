//! Attributes of tree programs in addition to blocks, tasks and accesses: 16 B a task, and no memory if there are none.

use numasim_model::ids::NodeId;

use super::super::{BlockId, GraphError, ReplayId, Submit, TaskId, TreeTask};
use super::{NewTask, TaskGraph, TaskGraphBuilder};

/// No task, no node, no place.
const NONE: u32 = u32::MAX;

/// A task in storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    created_by: u32,
    /// As given; after [`Tree::finish`] its place.
    seq: u32,
    replay: u32,
    /// Node + 1, 0 for none. There are at most 1024 nodes.
    affinity: u16,
    submit: Submit,
    returns: bool,
}

impl Record {
    const EMPTY: Self = Self {
        created_by: NONE,
        seq: NONE,
        replay: NONE,
        affinity: 0,
        submit: Submit::Spawn,
        returns: false,
    };
}

/// The attributes of tree programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    /// One per task, up to the last one that has any attribute.
    records: Vec<Record>,
    replays: Vec<Box<str>>,
    /// Creator of each block, up to the last block that has any attribute.
    block_creators: Vec<u32>,
    /// Hint of each block: node + 1, 0 for none.
    block_hints: Vec<u16>,
    /// Whether places were given.
    has_seqs: bool,
    /// Index of the first task that each task creates, with one more at the end; empty if no task creates any.
    starts: Vec<u32>,
    children: Vec<TaskId>,
}

impl Tree {
    fn record(&self, task: TaskId) -> Record {
        self.records.get(task.0 as usize).copied().unwrap_or(Record::EMPTY)
    }

    fn children(&self, task: TaskId) -> &[TaskId] {
        let task = task.0 as usize;
        match (self.starts.get(task), self.starts.get(task + 1)) {
            (Some(&start), Some(&end)) => self.children.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Finds the tasks that each of `count` tasks creates, in their order.
    pub(super) fn finish(&mut self, count: usize) {
        let creators = || self.records.iter().map(|record| record.created_by);
        if creators().all(|creator| creator == NONE) {
            return;
        }
        let mut starts = vec![0_u32; count + 1];
        for creator in creators().filter(|&creator| creator != NONE) {
            starts.get_mut(creator as usize + 1).into_iter().for_each(|start| *start += 1);
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut children = vec![TaskId(0); sum as usize];
        for (task, creator) in (0..).map(TaskId).zip(creators()) {
            if let Some(place) = next.get_mut(creator as usize)
                && let Some(child) = children.get_mut(*place as usize)
            {
                *child = task;
                *place += 1;
            }
        }
        (self.starts, self.children) = (starts, children);
        if self.has_seqs {
            for bounds in self.starts.windows(2) {
                if let [start, end] = *bounds
                    && let Some(children) = self.children.get_mut(start as usize..end as usize)
                {
                    // The sort is stable: without places, tasks stay in the order of their numbers.
                    let records = &self.records;
                    children
                        .sort_by_key(|child| records.get(child.0 as usize).map_or(NONE, |record| record.seq));
                }
            }
        }
    }

    /// The first task whose place is not the next one of its creator's, if places were given.
    fn misplaced(&self) -> Option<(TaskId, GraphError)> {
        if !self.has_seqs {
            return None;
        }
        for creator in (0..u32::try_from(self.starts.len()).unwrap_or(NONE)).map(TaskId) {
            let children = self.children(creator);
            let without = children.iter().find(|&&child| self.record(child).seq == NONE);
            match without {
                Some(_) if children.iter().all(|&child| self.record(child).seq == NONE) => continue,
                Some(&child) => return Some((child, GraphError::SeqMixed(creator))),
                None => {}
            }
            for (place, &child) in (0..).zip(children) {
                // The places are ascending: the first one that differs from its index determines the error.
                let seq = self.record(child).seq;
                if seq < place {
                    return Some((child, GraphError::SeqRepeated { creator, seq }));
                }
                if seq > place {
                    return Some((child, GraphError::SeqMissing { creator, seq: place }));
                }
            }
        }
        None
    }
}

/// Whether a task that gets `number` may have these attributes.
pub(super) fn check(task: &NewTask<'_>, tree: &TreeTask<'_>, number: usize) -> Result<(), GraphError> {
    match tree.created_by {
        Some(creator) if creator.0 as usize >= number => Err(GraphError::CreatorNotEarlier(creator)),
        Some(creator) if task.taskwait => Err(GraphError::TaskwaitOfChild(creator)),
        None if tree.seq.is_some() => Err(GraphError::SeqOfMaster),
        _ => Ok(()),
    }
}

fn packed(node: Option<NodeId>) -> u16 {
    node.map_or(0, |node| u16::try_from(node.0 + 1).unwrap_or(u16::MAX))
}

fn unpacked(node: u16) -> Option<NodeId> {
    node.checked_sub(1).map(|node| NodeId(usize::from(node)))
}

impl TaskGraphBuilder {
    /// Stores the attributes of a task that was just added.
    pub(super) fn grow_tree(&mut self, number: usize, said: &TreeTask<'_>) {
        if *said == TreeTask::default() {
            return;
        }
        let tree = self.graph.tree.get_or_insert_default();
        let replay = said.replay.map_or(NONE, |key| {
            if let Some(known) = self.replay_numbers.get(key) {
                return known.0;
            }
            // No more than there are tasks.
            let new = u32::try_from(tree.replays.len()).unwrap_or(NONE);
            tree.replays.push(key.into());
            self.replay_numbers.insert(key.to_owned(), ReplayId(new));
            new
        });
        tree.has_seqs |= said.seq.is_some();
        tree.records.resize(number, Record::EMPTY);
        tree.records.push(Record {
            created_by: said.created_by.map_or(NONE, |creator| creator.0),
            // Far beyond all places, so the largest number means the same as the one below.
            seq: said.seq.map_or(NONE, |seq| seq.min(NONE - 1)),
            replay,
            affinity: packed(said.affinity),
            submit: said.submit,
            returns: said.returns,
        });
    }

    /// Sets the task that creates a block; the task must exist.
    ///
    /// # Errors
    /// [`GraphError::UnknownBlock`], [`GraphError::CreatorNotEarlier`]; the graph is then unchanged.
    pub fn block_created_by(&mut self, block: BlockId, creator: TaskId) -> Result<(), GraphError> {
        if creator.0 as usize >= self.graph.tasks.len() {
            return Err(GraphError::CreatorNotEarlier(creator));
        }
        let index = self.known_block(block)?;
        let creators = &mut self.graph.tree.get_or_insert_default().block_creators;
        creators.resize(creators.len().max(index + 1), NONE);
        creators.get_mut(index).into_iter().for_each(|entry| *entry = creator.0);
        Ok(())
    }

    /// Sets the node on which the programmer wants a block.
    ///
    /// # Errors
    /// [`GraphError::UnknownBlock`]; the graph is then unchanged.
    pub fn block_hint(&mut self, block: BlockId, node: NodeId) -> Result<(), GraphError> {
        let index = self.known_block(block)?;
        let hints = &mut self.graph.tree.get_or_insert_default().block_hints;
        hints.resize(hints.len().max(index + 1), 0);
        hints.get_mut(index).into_iter().for_each(|entry| *entry = packed(Some(node)));
        Ok(())
    }

    fn known_block(&self, block: BlockId) -> Result<usize, GraphError> {
        let index = block.0 as usize;
        if index < self.graph.blocks.len() { Ok(index) } else { Err(GraphError::UnknownBlock(block)) }
    }
}

impl TaskGraph {
    fn tree_record(&self, task: TaskId) -> Record {
        self.tree.as_ref().map_or(Record::EMPTY, |tree| tree.record(task))
    }

    /// Whether there are any tree attributes, hints or creators of blocks.
    pub fn says_more(&self) -> bool {
        self.tree.is_some()
    }

    /// Whether some task creates tasks.
    pub fn is_tree(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| !tree.children.is_empty())
    }

    /// The task that creates a task when it ends; `None`: the master.
    pub fn created_by(&self, task: TaskId) -> Option<TaskId> {
        let creator = self.tree_record(task).created_by;
        (creator != NONE).then_some(TaskId(creator))
    }

    /// The tasks that a task creates when it ends, in their order.
    pub fn children(&self, task: TaskId) -> &[TaskId] {
        self.tree.as_ref().map_or(&[], |tree| tree.children(task))
    }

    /// The place of a task among those of its creator, whether or not a file sets it; `None` for tasks of the master.
    pub fn seq(&self, task: TaskId) -> Option<u32> {
        let seq = self.tree_record(task).seq;
        if seq != NONE {
            return Some(seq);
        }
        // In the order of their numbers, so that a binary search works.
        let place = self.children(self.created_by(task)?).binary_search(&task).ok()?;
        u32::try_from(place).ok()
    }

    /// Whether the place of a task was given, and does not just follow from its number.
    pub fn gives_seq(&self, task: TaskId) -> bool {
        self.tree_record(task).seq != NONE
    }

    /// The first task whose `seq` is wrong, and the error, if the places of each creator are not 0, 1, 2 ...: for error messages about
    /// graphs that a file lists.
    pub fn misplaced(&self) -> Option<(TaskId, GraphError)> {
        self.tree.as_ref()?.misplaced()
    }

    /// The node of the data of a task, as its programmer declares it.
    pub fn affinity(&self, task: TaskId) -> Option<NodeId> {
        unpacked(self.tree_record(task).affinity)
    }

    /// How a task is handed over.
    pub fn submit(&self, task: TaskId) -> Submit {
        self.tree_record(task).submit
    }

    /// Whether the worker that ran a task continues with the last one that it hands over.
    pub fn returns(&self, task: TaskId) -> bool {
        self.tree_record(task).returns
    }

    /// The key of a task's piece of work.
    pub fn replay(&self, task: TaskId) -> Option<ReplayId> {
        let replay = self.tree_record(task).replay;
        (replay != NONE).then_some(ReplayId(replay))
    }

    /// The keys of pieces of work by number.
    pub fn replays(&self) -> &[Box<str>] {
        self.tree.as_ref().map_or(&[], |tree| &tree.replays)
    }

    /// The task that creates a block, if it was given.
    pub fn block_creator(&self, block: BlockId) -> Option<TaskId> {
        let creators = &self.tree.as_ref()?.block_creators;
        creators.get(block.0 as usize).filter(|&&creator| creator != NONE).map(|&creator| TaskId(creator))
    }

    /// The task that creates each block: the given one, else the first that accesses it, else the first task.
    pub fn block_creators(&self) -> Vec<TaskId> {
        let mut creators = vec![None; self.blocks.len()];
        for task in self.tasks() {
            for access in self.accesses(task) {
                creators.get_mut(access.block.0 as usize).into_iter().for_each(|creator| {
                    creator.get_or_insert(task);
                });
            }
        }
        let blocks = (0..).map(BlockId);
        let said_or = |(block, first): (BlockId, Option<TaskId>)| self.block_creator(block).or(first);
        blocks.zip(creators).map(|pair| said_or(pair).unwrap_or(TaskId(0))).collect()
    }

    /// The node where the programmer wants a block.
    pub fn hint(&self, block: BlockId) -> Option<NodeId> {
        unpacked(self.tree.as_ref()?.block_hints.get(block.0 as usize).copied()?)
    }
}

#[cfg(test)]
mod tests;
