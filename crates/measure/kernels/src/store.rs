//! The blocks of a program while its tasks run.

use std::ops::Range;
use std::sync::{OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use crate::cholesky::NotPositive;

/// An existing block.
#[derive(Debug)]
struct Block {
    /// The task that accessed it first.
    made_by: TaskId,
    held: RwLock<Vec<f64>>,
}

/// A block: created when the first task accesses it.
type Cell = OnceLock<Block>;

/// The blocks of a program. A block is created, with its initial contents, by the thread that first runs a task which accesses it. Its
/// pages are then on the node of that thread, unless another node was requested (first touch).
///
/// A task must not access data that another task is changing. That is a fault of the caller: tasks do not wait for each other here.
#[derive(Debug, Default)]
pub struct Store(Vec<Cell>);

enum Access<'s> {
    Read(RwLockReadGuard<'s, Vec<f64>>),
    Write(RwLockWriteGuard<'s, Vec<f64>>),
}

impl Store {
    /// For the blocks of `graph`, none of which exists yet.
    pub fn new(graph: &TaskGraph) -> Self {
        Self(graph.blocks().iter().map(|_| Cell::new()).collect())
    }

    /// Calls `body` with the blocks that `task` accesses, in that order; `fresh` returns the contents of blocks that no task has accessed
    /// yet.
    ///
    /// # Errors
    /// [`Fault::Busy`], [`Fault::Accesses`], and those of `body`.
    pub(crate) fn with(
        &self,
        graph: &TaskGraph,
        task: TaskId,
        fresh: impl Fn(BlockId) -> Vec<f64>,
        body: impl FnOnce(&mut [Part<'_>]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut held = Vec::with_capacity(graph.accesses(task).len());
        for access in graph.accesses(task) {
            let block = access.block;
            let busy = Fault::Busy { task, block };
            let cell = self.0.get(block.0 as usize).ok_or(Fault::Accesses(task))?;
            let cell = &cell.get_or_init(|| Block { made_by: task, held: RwLock::new(fresh(block)) }).held;
            held.push(if access.mode.writes() {
                cell.try_write().map(Access::Write).map_err(|_| busy)?
            } else {
                cell.try_read().map(Access::Read).map_err(|_| busy)?
            });
        }
        let parts = held.iter_mut().map(|access| match access {
            Access::Read(guard) => Part::Read(guard),
            Access::Write(guard) => Part::Write(guard),
        });
        let mut parts: Vec<Part<'_>> = parts.collect();
        body(&mut parts)
    }

    /// The contents of a block; empty if no task has accessed it.
    pub(crate) fn read<R>(&self, block: BlockId, read: impl FnOnce(&[f64]) -> R) -> R {
        let held =
            self.0.get(block.0 as usize).and_then(OnceLock::get).and_then(|block| block.held.read().ok());
        read(held.as_ref().map_or(&[], |held| held.as_slice()))
    }

    /// The first block with different bits in the two stores, if there is one.
    pub fn difference(&self, other: &Self) -> Option<BlockId> {
        let equal = |a: &[f64], b: &[f64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        let mut blocks = (0..u32::try_from(self.0.len().max(other.0.len())).unwrap_or(u32::MAX)).map(BlockId);
        blocks.find(|&block| !self.read(block, |own| other.read(block, |theirs| equal(own, theirs))))
    }

    /// Bytes of the existing blocks.
    pub fn bytes(&self) -> u64 {
        let cells = self.0.iter().filter_map(OnceLock::get).filter_map(|block| block.held.read().ok());
        cells.map(|held| 8 * held.len() as u64).sum()
    }

    /// The addresses of each existing block, with the task whose thread created it.
    pub fn made(&self) -> impl Iterator<Item = (TaskId, Range<usize>)> {
        self.0.iter().filter_map(OnceLock::get).filter_map(|block| {
            let held = block.held.read().ok()?;
            let Range { start, end } = held.as_ptr_range();
            Some((block.made_by, start.addr()..end.addr()))
        })
    }
}

/// A task's access to a block.
#[derive(Debug)]
pub enum Part<'a> {
    /// The task only reads it.
    Read(&'a [f64]),
    /// The task may change it.
    Write(&'a mut [f64]),
}

/// The reason why a task did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Another task uses a block that this one should not access at that time.
    #[error("task {} accesses block {}, which another task changes meanwhile", .task.0, .block.0)]
    Busy {
        /// The task.
        task: TaskId,
        /// The block.
        block: BlockId,
    },
    /// The accesses of a task are not those of its kernel.
    #[error("task {} accesses other blocks than its kernel needs", .0.0)]
    Accesses(TaskId),
    /// A matrix does not meet the requirements of its kernel.
    #[error(transparent)]
    NotPositive(#[from] NotPositive),
}
