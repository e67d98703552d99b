//! Programs of loops (`[program]`) as trees of tasks, one for each loop and behind one another (paper 003, section 4).
//!
//! Each array is dealt into as many equal blocks as each loop into pieces. A `range` is halved until one chunk is left; who halves it hands
//! over the right half and returns the left one, as TBB's `parallel_for` does. Under a `list` one task creates all pieces. The hint of a block is
//! its place among the nodes with cores, in order, and the affinity of a task the node of all its chunks.

use crate::values::{Access, ArrayId, LoopShape, NewTask, Program, ProgramLoop, TaskId, TreeTask, TypeId};
use numasim_model::ids::NodeId;

use super::error::{GenerateError, settled};
use super::size::{Size, index};
use super::weaver::{Datum, Weaver, work};

pub(super) fn weave(weave: &mut Weaver<'_>, program: &Program) -> Result<(), GenerateError> {
    let count = settled("chunks", program.chunks)?;
    weave.begin(size(program, count))?;
    let chunks = program.chunks.unwrap_or(1);
    let mut arrays = Vec::with_capacity(program.arrays.len());
    for array in &program.arrays {
        let block = |k| {
            let (name, node) = (format!("{}-{k}", array.name), weave.node_of(k, chunks));
            weave.hinted(array.bytes / count, Some(&name), node)
        };
        arrays.push((0..chunks).map(block).collect::<Result<Vec<Datum>, GenerateError>>()?);
    }
    for _ in 0..program.repeat {
        for each in &program.loops {
            let kind = weave.kind(&each.name);
            let piece = Piece { each, kind, gflop: each.gflop / count, arrays: &arrays };
            match each.shape {
                LoopShape::Range => {
                    let split = weave.kind("split");
                    let mut range = Range { weave, piece, split, chunks, accesses: Vec::new() };
                    range.unfold(0, chunks, Above::Master)?;
                }
                LoopShape::List => list(weave, &piece, chunks)?,
            }
        }
    }
    Ok(())
}

/// What will be made with so many chunks.
fn size(program: &Program, chunks: f64) -> Size {
    let (mut tasks, mut accesses) = (0.0, 0.0);
    for each in &program.loops {
        // A binary tree, or a root and its pieces.
        tasks += match each.shape {
            LoopShape::Range => 2.0 * chunks - 1.0,
            LoopShape::List => chunks + 1.0,
        };
        let own = each.inputs.len() + each.inout.len() + each.out.len();
        accesses += chunks * (own as f64 + chunks * each.whole.len() as f64);
    }
    let (blocks, repeat) = (chunks * program.arrays.len() as f64, program.repeat as f64);
    Size { blocks, tasks: repeat * tasks, accesses: repeat * accesses }
}

/// What the pieces of work of a loop do.
#[derive(Clone, Copy)]
struct Piece<'a> {
    each: &'a ProgramLoop,
    kind: TypeId,
    gflop: f64,
    arrays: &'a [Vec<Datum>],
}

impl Piece<'_> {
    /// What the piece of chunk `k` accesses, into `accesses`.
    fn accesses(&self, k: usize, accesses: &mut Vec<Access>) {
        let blocks = |array: &ArrayId| self.arrays.get(array.0 as usize);
        let own = |array| blocks(array).and_then(|blocks| blocks.get(k)).copied();
        accesses.clear();
        accesses.extend(self.each.inputs.iter().filter_map(own).map(Datum::read));
        accesses.extend(self.each.whole.iter().filter_map(blocks).flatten().copied().map(Datum::read));
        accesses.extend(self.each.inout.iter().filter_map(own).map(Datum::update));
        accesses.extend(self.each.out.iter().filter_map(own).map(Datum::write));
    }

    /// The key of the chunks from `low` to before `high`.
    fn replay(&self, low: u64, high: u64) -> String {
        format!("{}/{low}-{high}", self.each.name)
    }
}

/// The node of all chunks from `low` to before `high`, if it is one.
fn affinity(weave: &Weaver<'_>, (low, high): (u64, u64), chunks: u64) -> Option<NodeId> {
    // Nodes ascend with chunks: those in between are those of both ends.
    let first = weave.node_of(low, chunks);
    first.filter(|_| first == weave.node_of(high - 1, chunks))
}

/// Who creates a task.
#[derive(Clone, Copy)]
enum Above {
    /// The master, when all tasks so far are finished.
    Master,
    /// A task, and the place among its tasks.
    Task(TaskId, u32),
}

impl Above {
    fn creator(self) -> (Option<TaskId>, Option<u32>) {
        match self {
            Self::Master => (None, None),
            Self::Task(creator, seq) => (Some(creator), Some(seq)),
        }
    }

    fn waits(self) -> bool {
        matches!(self, Self::Master)
    }
}

/// A loop that is halved until one chunk is left.
struct Range<'r, 's, 'p> {
    weave: &'r mut Weaver<'s>,
    piece: Piece<'p>,
    split: TypeId,
    chunks: u64,
    accesses: Vec<Access>,
}

impl Range<'_, '_, '_> {
    /// The task of the chunks from `low` to before `high`, and below it those of the left half, then those of the right one.
    fn unfold(&mut self, low: u64, high: u64, above: Above) -> Result<(), GenerateError> {
        let is_piece = high - low == 1;
        let key = self.piece.replay(low, high);
        let (created_by, seq) = above.creator();
        let tree = TreeTask {
            created_by,
            seq,
            affinity: affinity(self.weave, (low, high), self.chunks),
            returns: !is_piece,
            replay: Some(&key),
            ..TreeTask::default()
        };
        let task = if is_piece {
            self.piece.accesses(index(low), &mut self.accesses);
            work(self.piece.kind, self.piece.gflop, &self.accesses)
        } else {
            work(self.split, 0.0, &[])
        };
        let task = self.weave.tree_task(NewTask { taskwait: above.waits(), ..task }, tree)?;
        if is_piece {
            return Ok(());
        }
        let middle = u64::midpoint(low, high);
        self.unfold(low, middle, Above::Task(task, 1))?;
        self.unfold(middle, high, Above::Task(task, 0))
    }
}

/// A loop of which one task creates all pieces.
fn list(weave: &mut Weaver<'_>, piece: &Piece<'_>, chunks: u64) -> Result<(), GenerateError> {
    let kind = weave.kind("list");
    let key = piece.replay(0, chunks);
    let tree = TreeTask {
        replay: Some(&key),
        affinity: affinity(weave, (0, chunks), chunks),
        ..TreeTask::default()
    };
    let root = weave.tree_task(NewTask { taskwait: true, ..work(kind, 0.0, &[]) }, tree)?;
    let mut accesses = Vec::new();
    for (k, seq) in (0..chunks).zip(0..) {
        piece.accesses(index(k), &mut accesses);
        let key = piece.replay(k, k + 1);
        let tree = TreeTask {
            created_by: Some(root),
            seq: Some(seq),
            replay: Some(&key),
            affinity: affinity(weave, (k, k + 1), chunks),
            ..TreeTask::default()
        };
        weave.tree_task(work(piece.kind, piece.gflop, &accesses), tree)?;
    }
    Ok(())
}
