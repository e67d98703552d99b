//! The codes of paper 003 (section 5) that are loops: what they have and do, as programs of loops.
//!
//! Bytes are those that a piece of work moves, FLOP those of the published kernels: NPB 3.3 (a matrix entry is a value of 8 B and a column of 4 B), PARSEC 3.0.

use crate::values::{ArrayId, LoopShape, Program, ProgramArray, ProgramLoop};

use super::error::{GenerateError, at_least_one};

/// The coarsest grid of `npb-mg` has 8 to this power points.
const COARSEST: u64 = 4;
/// The finest that can be computed with: `Parameter` says the same.
const FINEST: u64 = 20;

/// A program while it is written down.
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

/// Streamcluster: what a new centre would gain, in one list of chunks of points; coordinates of 4 B.
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

/// Fluidanimate: nine steps over the cells, of which two look at the neighbours of each particle.
pub(super) fn fluidanimate(
    particles: u64,
    chunks: Option<u64>,
    repeat: u64,
) -> Result<Program, GenerateError> {
    let particles = at_least_one("particles", particles)?;
    let mut draft = Draft::new(chunks, repeat);
    let cells = draft.array("cells", 200.0 * particles);
    for name in ["clear", "rebuild", "init", "density", "density2", "force", "collide", "advance", "swap"] {
        let flop = if matches!(name, "density" | "force") { 1200.0 } else { 10.0 };
        draft.list(name, flop * particles, Uses { inout: &[cells], ..Uses::default() });
    }
    Ok(draft.0)
}
