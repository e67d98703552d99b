//! Programs of loops, the codes of paper 003 that have this form, and its pipeline.

use numasim_model::ids::NodeId;

use crate::generators::{Datum, GenerateError, Size, Weaver, at_least_one, index, settled, work};
use crate::values::{
    Access, ArrayId, LoopShape, NewTask, Program, ProgramArray, ProgramLoop, Submit, TaskId, TreeTask, TypeId,
};

// Programs of loops (`[program]`) as trees of tasks, one for each loop, in sequence (paper 003, section 4).
//
// Each array is divided into the same number of equal blocks as each loop into pieces. A `range` is halved until one chunk is left; the
// task that halves it hands over the right half and returns the left one, as TBB's `parallel_for` does. Under a `list` one task creates
// all pieces. The hint of a block is its place among the nodes with cores, in order, and the affinity of a task is the node of all its
// chunks.

pub(super) fn loops(weave: &mut Weaver<'_>, program: &Program) -> Result<(), GenerateError> {
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

/// The size of the graph with this number of chunks.
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

/// The pieces of work of a loop.
#[derive(Clone, Copy)]
struct Piece<'a> {
    each: &'a ProgramLoop,
    kind: TypeId,
    gflop: f64,
    arrays: &'a [Vec<Datum>],
}

impl Piece<'_> {
    /// The accesses of the piece of chunk `k`, into `accesses`.
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

/// The node of all chunks from `low` to before `high`, if they have the same one.
fn affinity(weave: &Weaver<'_>, (low, high): (u64, u64), chunks: u64) -> Option<NodeId> {
    // Nodes ascend with chunks: if both ends have the same node, so have those in between.
    let first = weave.node_of(low, chunks);
    first.filter(|_| first == weave.node_of(high - 1, chunks))
}

/// The creator of a task.
#[derive(Clone, Copy)]
enum Above {
    /// The master, when all tasks so far are finished.
    Master,
    /// A task, and the index among its children.
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

/// A loop whose pieces are all created by one task.
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

// The codes of paper 003 (section 5) that are loops: their arrays and work, as programs of loops.
//
// Bytes are those that a piece of work moves, FLOP those of the published kernels: NPB 3.3 (a matrix entry is a value of 8 B and a column
// of 4 B), PARSEC 3.0.

/// The coarsest grid of `npb-mg` has 8 to this power points.
const COARSEST: u64 = 4;
/// The finest grid that can be computed with: the limit of `Parameter` is the same.
const FINEST: u64 = 20;

/// A program during construction.
struct Draft(Program);

impl Draft {
    fn new(chunks: Option<u64>, repeat: u64) -> Self {
        Self(Program { chunks, repeat, arrays: Vec::new(), loops: Vec::new() })
    }

    fn array(&mut self, name: impl Into<String>, bytes: f64) -> ArrayId {
        let number = u32::try_from(self.0.arrays.len()).unwrap_or(u32::MAX);
        self.0.arrays.push(ProgramArray { name: name.into(), bytes });
        ArrayId(number)
    }

    fn range(&mut self, name: impl Into<String>, flop: f64, uses: Uses<'_>) {
        self.add(name.into(), flop, uses, LoopShape::Range);
    }

    fn list(&mut self, name: impl Into<String>, flop: f64, uses: Uses<'_>) {
        self.add(name.into(), flop, uses, LoopShape::List);
    }

    fn add(&mut self, name: String, flop: f64, uses: Uses<'_>, shape: LoopShape) {
        let Uses { inputs, whole, inout, out } = uses;
        let [inputs, whole, inout, out] = [inputs, whole, inout, out].map(<[ArrayId]>::to_vec);
        self.0.loops.push(ProgramLoop { name, gflop: flop / 1e9, inputs, whole, inout, out, shape });
    }
}

/// Arrays that a loop uses.
#[derive(Clone, Copy, Default)]
struct Uses<'a> {
    inputs: &'a [ArrayId],
    whole: &'a [ArrayId],
    inout: &'a [ArrayId],
    out: &'a [ArrayId],
}

/// Conjugate gradients: a product with the sparse matrix, which reads all of p, then sums and updates of vectors.
pub(super) fn npb_cg(
    (rows, nnz): (u64, u64),
    chunks: Option<u64>,
    repeat: u64,
) -> Result<Program, GenerateError> {
    let (rows, nnz) = (at_least_one("rows", rows)?, at_least_one("nnz", nnz)?);
    let mut draft = Draft::new(chunks, repeat);
    let a = draft.array("a", 12.0 * nnz);
    let [z, p, q, r] = ["z", "p", "q", "r"].map(|name| draft.array(name, 8.0 * rows));
    let none = Uses::default();
    draft.range("spmv", 2.0 * nnz, Uses { inputs: &[a], whole: &[p], out: &[q], ..none });
    draft.range("dot-pq", 2.0 * rows, Uses { inputs: &[p, q], ..none });
    draft.range("axpy-z", 2.0 * rows, Uses { inputs: &[p], inout: &[z], ..none });
    draft.range("axpy-r", 2.0 * rows, Uses { inputs: &[q], inout: &[r], ..none });
    draft.range("dot-rr", 2.0 * rows, Uses { inputs: &[r], ..none });
    draft.range("update", 2.0 * rows, Uses { inputs: &[r], inout: &[p], ..none });
    Ok(draft.0)
}

/// Multigrid: from the finest grid down to the coarsest, and up again; grid l has 8^l points.
pub(super) fn npb_mg(log2: u64, chunks: Option<u64>, repeat: u64) -> Result<Program, GenerateError> {
    if !(COARSEST..=FINEST).contains(&log2) {
        let (least, most) = (COARSEST, FINEST);
        return Err(GenerateError::OutOfRange { parameter: "log2", value: log2, least, most });
    }
    // Exact: a power of two.
    let points = |level: u64| (1_u64 << (3 * level)) as f64;
    let mut draft = Draft::new(chunks, repeat);
    let v = draft.array("v", 8.0 * points(log2));
    let mut grids = Vec::new();
    for level in COARSEST..=log2 {
        let [u, r] = ["u", "r"].map(|name| draft.array(format!("{name}-{level}"), 8.0 * points(level)));
        grids.push((level, u, r));
    }
    let none = Uses::default();
    for ((_, _, coarse), (level, _, fine)) in grids.iter().zip(grids.iter().skip(1)).rev() {
        let uses = Uses { inputs: &[*fine], out: &[*coarse], ..none };
        draft.range(format!("rprj3-{level}"), 20.0 * points(level - 1), uses);
    }
    let mut below = None;
    for &(level, u, r) in &grids {
        if let Some(coarse) = below {
            let points = points(level);
            let uses = Uses { inputs: &[coarse], inout: &[u], ..none };
            draft.range(format!("interp-{level}"), 8.0 * points, uses);
            let at_the_top = Uses { inputs: &[u, v], out: &[r], ..none };
            let uses = if level == log2 { at_the_top } else { Uses { inputs: &[u], inout: &[r], ..none } };
            draft.range(format!("resid-{level}"), 21.0 * points, uses);
        }
        let uses = Uses { inputs: &[r], inout: &[u], ..none };
        draft.range(format!("psinv-{level}"), 30.0 * points(level), uses);
        below = Some(u);
    }
    Ok(draft.0)
}

/// Streamcluster: the gain of a possible new centre, in one list of chunks of points; coordinates of 4 B.
pub(super) fn streamcluster(
    (points, dims): (u64, u64),
    chunks: Option<u64>,
    repeat: u64,
) -> Result<Program, GenerateError> {
    let (points, dims) = (at_least_one("points", points)?, at_least_one("dims", dims)?);
    let mut draft = Draft::new(chunks, repeat);
    let array = draft.array("points", 4.0 * dims * points);
    draft.list("gain", 3.0 * dims * points, Uses { inputs: &[array], ..Uses::default() });
    Ok(draft.0)
}

/// Bytes of a particle of `fluidanimate`: PARSEC's cell has 832 B for 4.87 particles on average, and there are two grids of cells.
const PARTICLE_BYTES: f64 = 342.0;

/// Fluidanimate: nine steps over the cells, two of which visit the neighbours of each particle.
pub(super) fn fluidanimate(
    particles: u64,
    chunks: Option<u64>,
    repeat: u64,
) -> Result<Program, GenerateError> {
    let particles = at_least_one("particles", particles)?;
    let mut draft = Draft::new(chunks, repeat);
    let cells = draft.array("cells", PARTICLE_BYTES * particles);
    for name in ["clear", "rebuild", "init", "density", "density2", "force", "collide", "advance", "swap"] {
        let flop = if matches!(name, "density" | "force") { 1200.0 } else { 10.0 };
        draft.list(name, flop * particles, Uses { inout: &[cells], ..Uses::default() });
    }
    Ok(draft.0)
}

// Ferret: queries to a database of images that is distributed over the nodes, as a pipeline (paper 003, section 5).
//
// Each query is a chain of tasks: the master creates the first one, and each task creates the next one. The first step is the serial
// input stage of the pipeline: a query is loaded after the previous one. A query reads 2 % of each part of the database, on its node: one
// of 50 pieces, so that a cache does not see a piece again before all others were read.

/// FLOP of the steps that compute without reading the database.
const SEGMENT: f64 = 1e7;
const EXTRACT: f64 = 5e7;
const RANK: f64 = 1e7;
/// Number of pieces of each part of the database, of which a query reads one, and the FLOP per byte.
const PIECES: usize = 50;
const FLOP_PER_BYTE: f64 = 2.0;

pub(super) fn ferret(
    weave: &mut Weaver<'_>,
    queries: u64,
    database: u64,
    load_flop: u64,
) -> Result<(), GenerateError> {
    let database = at_least_one("database", database)?;
    let nodes = weave.sockets();
    let (each, parts) = (queries as f64, nodes as f64);
    // Load, segment, extract, each part in turn, rank, out.
    let tasks = each * (5.0 + parts);
    let pieces = parts * PIECES as f64;
    weave.begin(Size { blocks: pieces + 1.0, tasks, accesses: each * (parts + 1.0) })?;
    let mut steps = Vec::new();
    for k in 0..nodes {
        let mut part = Vec::with_capacity(PIECES);
        for piece in 0..PIECES {
            let name = format!("part-{k}-{piece}");
            part.push(weave.hinted(database / pieces, Some(&name), weave.node(k))?);
        }
        steps.push((weave.kind(&format!("query-{k}")), part, weave.node(k)));
    }
    // No byte of it is moved: it makes one query load after the other.
    let input = weave.hinted(0.0, Some("input"), None)?;
    let [load, segment, extract, rank, out] =
        ["load", "segment", "extract", "rank", "out"].map(|name| weave.kind(name));
    for (_, query) in (0..queries).zip((0..PIECES).cycle()) {
        let mut chain = Chain { weave, last: None };
        chain.plain(work(load, load_flop as f64 / 1e9, &[input.update()]))?;
        chain.plain(work(segment, SEGMENT / 1e9, &[]))?;
        chain.plain(work(extract, EXTRACT / 1e9, &[]))?;
        for (kind, part, node) in &steps {
            let Some(piece) = part.get(query) else { continue };
            let (kind, node) = (*kind, *node);
            let tree = TreeTask { affinity: node, submit: Submit::Detach, ..TreeTask::default() };
            chain.add(work(kind, FLOP_PER_BYTE * piece.bytes() / 1e9, &[piece.read()]), tree)?;
        }
        chain.plain(work(rank, RANK / 1e9, &[]))?;
        chain.plain(work(out, 0.0, &[]))?;
    }
    Ok(())
}

/// Tasks that each create the next one.
struct Chain<'c, 's> {
    weave: &'c mut Weaver<'s>,
    last: Option<TaskId>,
}

impl Chain<'_, '_> {
    fn plain(&mut self, task: NewTask<'_>) -> Result<(), GenerateError> {
        self.add(task, TreeTask::default())
    }

    fn add(&mut self, task: NewTask<'_>, tree: TreeTask<'_>) -> Result<(), GenerateError> {
        self.last = Some(self.weave.tree_task(task, TreeTask { created_by: self.last, ..tree })?);
        Ok(())
    }
}
