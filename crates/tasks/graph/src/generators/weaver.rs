//! What all generators do: blocks of the same size, accesses that move what the mode says, annotations as numbers of sockets.

use crate::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, TaskGraph, TaskGraphBuilder, TaskId, TreeTask,
    TypeId,
};
use numasim_model::ids::NodeId;

use super::error::GenerateError;
use super::size::Size;

/// A block while a graph is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datum {
    id: BlockId,
    bytes: f64,
}

impl Datum {
    /// Its size.
    pub(super) fn bytes(self) -> f64 {
        self.bytes
    }

    /// All of it is read.
    pub(super) fn read(self) -> Access {
        self.access(AccessMode::In, self.bytes)
    }

    /// `moved` of it are read; all of it is declared.
    pub(super) fn read_part(self, moved: f64) -> Access {
        self.access(AccessMode::In, moved)
    }

    /// All of it is written.
    pub(super) fn write(self) -> Access {
        self.access(AccessMode::Out, self.bytes)
    }

    /// All of it is read and written.
    pub(super) fn update(self) -> Access {
        self.access(AccessMode::Inout, 2.0 * self.bytes)
    }

    fn access(self, mode: AccessMode, moved_bytes: f64) -> Access {
        Access { block: self.id, mode, declared_bytes: self.bytes, moved_bytes }
    }
}

/// A task of 10^9 FLOP without an annotation or a name, for which the master does not wait.
pub(super) fn work(kind: TypeId, gflop: f64, accesses: &[Access]) -> NewTask<'_> {
    NewTask { kind, gflop, accesses, socket: None, taskwait: false, name: None }
}

/// Makes a graph for some sockets.
pub(super) struct Weaver<'s> {
    graph: TaskGraphBuilder,
    sockets: &'s [NodeId],
    announced: Size,
}

impl<'s> Weaver<'s> {
    /// An empty graph.
    pub(super) fn new(name: &str, sockets: &'s [NodeId]) -> Self {
        Self { graph: TaskGraphBuilder::new(name), sockets, announced: Size::default() }
    }

    /// Announces what will be made.
    ///
    /// # Errors
    /// It is too much.
    pub(super) fn begin(&mut self, size: Size) -> Result<(), GenerateError> {
        self.announced = size;
        size.check()
    }

    /// How many sockets there are, at least 1.
    pub(super) fn sockets(&self) -> usize {
        self.sockets.len().max(1)
    }

    /// The number of a kind of task.
    pub(super) fn kind(&mut self, name: &str) -> TypeId {
        self.graph.kind(name)
    }

    /// A block without a home.
    pub(super) fn block(&mut self, bytes: f64) -> Result<Datum, GenerateError> {
        let id = self.graph.block(Block { bytes, home: BlockHome::Open }, None)?;
        Ok(Datum { id, bytes })
    }

    /// Some blocks of the same size.
    pub(super) fn blocks(&mut self, count: usize, bytes: f64) -> Result<Vec<Datum>, GenerateError> {
        (0..count).map(|_| self.block(bytes)).collect()
    }

    /// A task of `flop` FLOP for the socket with number `place` modulo how many there are.
    pub(super) fn task(
        &mut self,
        kind: TypeId,
        flop: f64,
        place: usize,
        accesses: &[Access],
    ) -> Result<(), GenerateError> {
        let socket = self.sockets.get(place % self.sockets()).copied();
        let task = NewTask { kind, gflop: flop / 1e9, accesses, socket, taskwait: false, name: None };
        self.graph.task(task)?;
        Ok(())
    }

    /// The node on which part `part` of `parts` equal ones lies: as many parts on each node with cores, in order. `None` without such nodes.
    pub(super) fn node_of(&self, part: u64, parts: u64) -> Option<NodeId> {
        let number = u128::from(part) * self.sockets.len() as u128 / u128::from(parts.max(1));
        self.sockets.get(usize::try_from(number).ok()?).copied()
    }

    /// The node with this number among those with cores.
    pub(super) fn node(&self, number: usize) -> Option<NodeId> {
        self.sockets.get(number).copied()
    }

    /// A block without a home that its programmer wants on a node.
    pub(super) fn hinted(
        &mut self,
        bytes: f64,
        name: Option<&str>,
        hint: Option<NodeId>,
    ) -> Result<Datum, GenerateError> {
        let id = self.graph.block(Block { bytes, home: BlockHome::Open }, name)?;
        if let Some(node) = hint {
            self.graph.block_hint(id, node)?;
        }
        Ok(Datum { id, bytes })
    }

    /// Says which task creates a block.
    pub(super) fn creates(&mut self, creator: TaskId, block: Datum) -> Result<(), GenerateError> {
        Ok(self.graph.block_created_by(block.id, creator)?)
    }

    /// A task of a tree program.
    pub(super) fn tree_task(
        &mut self,
        task: NewTask<'_>,
        tree: TreeTask<'_>,
    ) -> Result<TaskId, GenerateError> {
        Ok(self.graph.tree_task(task, tree)?)
    }

    /// First tasks, if there are any: each writes one of `blocks`, whose place `place` says by its number among them.
    pub(super) fn init(
        &mut self,
        blocks: &[Datum],
        place: impl Fn(usize) -> usize,
    ) -> Result<(), GenerateError> {
        let kind = self.kind("init");
        for (number, block) in blocks.iter().enumerate() {
            self.task(kind, 0.0, place(number), &[block.write()])?;
        }
        Ok(())
    }

    /// The graph.
    pub(super) fn finish(self) -> TaskGraph {
        let graph = self.graph.finish();
        let Size { blocks, tasks, accesses } = self.announced;
        debug_assert_eq!((graph.blocks().len() as f64, graph.task_count() as f64), (blocks, tasks));
        debug_assert!(graph.access_count() as f64 <= accesses);
        graph
    }
}
