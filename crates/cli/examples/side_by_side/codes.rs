//! The codes: the kind of graph of each, and its size on a machine.

use numasim_graph::values::{Generator, Pattern, TaskBench, TaskGraph};
use numasim_graph::{Dependencies, generate};
use numasim_model::Machine;

use crate::annotated::annotated;
use crate::common::Failure;
use crate::common::machines::sockets;
use crate::common::windows;

/// The shape of a graph, determined by the operations of the code before any run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The same blocks in every iteration, neighbours in between.
    Iterations,
    /// A front moves over the blocks.
    Wavefront,
    /// Factorisations of tiled matrices: compute-intensive and irregular.
    Dense,
    /// Loops that tasks halve or list, in sequence.
    Loops,
    /// A pipeline.
    Pipeline,
    /// Tasks that recreate themselves for the next iteration.
    Strands,
    /// New blocks in every step, passed on in patterns.
    Handed,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] = [
        Self::Iterations,
        Self::Wavefront,
        Self::Dense,
        Self::Loops,
        Self::Pipeline,
        Self::Strands,
        Self::Handed,
    ];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Wavefront => "wavefronts",
            Self::Dense => "dense algebra",
            Self::Loops => "loops",
            Self::Pipeline => "pipeline",
            Self::Strands => "strands",
            Self::Handed => "handed on",
        }
    }
}

/// A code.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    generator: Generator,
}

/// A code on a machine.
#[derive(Clone, Debug)]
pub(crate) struct OnMachine {
    pub(crate) code: Code,
    /// Its generator for the machine.
    pub(crate) generator: Generator,
    /// Includes the programmer's annotations in the form of every library.
    pub(crate) graph: TaskGraph,
    pub(crate) dependencies: Dependencies,
    /// Windows for partitioning; `None` for tree programs.
    pub(crate) windows: Option<windows::Code>,
    /// Maximum number of tasks that exist at the same time.
    pub(crate) throttle: Option<u64>,
}

/// FLOP and bytes of a task of Task Bench. It reads up to `radix` blocks and writes one, so that memory bandwidth is decisive, not the
/// cost of task creation.
const BENCH_FLOP: u64 = 1_000_000;
const BENCH_BYTES: u64 = 1_048_576;
/// Rows.
const BENCH_STEPS: u64 = 25;
/// Tasks of a row for each core.
const BENCH_PER_CORE: u64 = 2;

fn bench(pattern: Pattern) -> Generator {
    let (flop, bytes, steps) = (BENCH_FLOP, BENCH_BYTES, BENCH_STEPS);
    Generator::TaskBench(TaskBench { pattern, width: BENCH_PER_CORE, steps, radix: 3, flop, bytes })
}

/// A program with fewer iterations if they are alike, for a simulation time of acceptable length.
fn shortened(generator: Generator) -> Generator {
    let mut few = generator;
    for (key, value) in few.parameters_mut() {
        match key {
            "iterations" => *value = (*value).min(10),
            // For `npb-*`, `streamcluster`, `fluidanimate`.
            "repeat" => *value = (*value).min(4),
            "queries" => *value = (*value).min(1750),
            _ => {}
        }
    }
    if let Generator::Stencil2d { iterations, .. } = &mut few {
        // It has few tasks.
        *iterations = 25;
    }
    few
}

/// All codes, grouped by kind. Sizes are the defaults of the generators, which are those of the papers if reported.
pub(crate) fn all() -> Vec<Code> {
    let mut codes = Vec::new();
    for generator in Generator::defaults() {
        let few = shortened(generator);
        let kind = match few {
            Generator::RedBlack { .. }
            | Generator::Jacobi { .. }
            | Generator::Cg { .. }
            | Generator::Nstream { .. } => Kind::Iterations,
            Generator::GaussSeidel { .. } | Generator::IntegralHistogram { .. } => Kind::Wavefront,
            Generator::Qr { .. } | Generator::Cholesky { .. } | Generator::Smi { .. } => Kind::Dense,
            Generator::NpbCg { .. }
            | Generator::NpbMg { .. }
            | Generator::Streamcluster { .. }
            | Generator::Fluidanimate { .. } => Kind::Loops,
            Generator::Ferret { .. } => Kind::Pipeline,
            Generator::Stencil2d { .. } | Generator::Seismic { .. } => Kind::Strands,
            // Its patterns are listed below.
            Generator::TaskBench(_) => continue,
        };
        codes.push(Code { name: few.as_str(), kind, generator: few });
    }
    // No exchange, neighbours, distant partners, the whole row, all tasks.
    let patterns = [
        ("tb-no-comm", Pattern::NoComm),
        ("tb-stencil", Pattern::Stencil),
        ("tb-fft", Pattern::Fft),
        ("tb-spread", Pattern::Spread),
        ("tb-tree", Pattern::Tree),
    ];
    let made = |(name, pattern)| Code { name, kind: Kind::Handed, generator: bench(pattern) };
    codes.extend(patterns.map(made));
    codes.sort_by_key(|code| code.kind);
    codes
}

/// The largest number up to `n` that `parts` divide.
fn rounded(n: u64, parts: u64) -> u64 {
    n - n % parts.max(1)
}

impl Code {
    /// Its graph for a machine.
    pub(crate) fn on(&self, machine: &Machine) -> Result<OnMachine, Failure> {
        let nodes = sockets(machine);
        let cores: Vec<u32> = nodes.iter().map(|&node| machine.node(node).cores).collect();
        let workers: u64 = cores.iter().copied().map(u64::from).sum();
        let mut generator = self.generator.clone();
        generator.settle(&cores);
        match &mut generator {
            Generator::TaskBench(bench) => bench.width *= workers,
            // Paper 000 has 8 x 8 strands on its machine with 64 cores.
            Generator::Stencil2d { columns, .. } if workers == 64 => *columns = 8,
            Generator::Seismic { n, blocks: Some(blocks), strips: Some(strips), .. } => {
                *n = rounded(*n, *blocks * *strips);
            }
            _ => {}
        }
        let graph = annotated(&generate(&generator, self.name, &nodes)?, &nodes)?;
        let dependencies = Dependencies::of(&graph).ok_or("too many edges")?;
        Ok(OnMachine {
            code: self.clone(),
            windows: windows::of(generator.clone()),
            throttle: generator.throttle(workers),
            generator,
            graph,
            dependencies,
        })
    }
}

impl OnMachine {
    /// Whether its loops are ranges that are halved, not lists.
    pub(crate) const fn has_ranges(&self) -> bool {
        matches!(self.generator, Generator::NpbCg { .. } | Generator::NpbMg { .. })
    }

    /// A smaller program of the same shape for profiling: a tenth of the points in each direction, and few iterations, as in paper 000
    /// (section IV). `None` for codes that do not begin with one task, which the profile needs.
    pub(crate) fn profiled(&self) -> Option<Generator> {
        match self.generator {
            Generator::Stencil2d { rows, columns, .. } => {
                Some(Generator::Stencil2d { n: 1040, rows, columns, iterations: 4 })
            }
            Generator::Seismic { n, blocks, strips, .. } => {
                let parts = blocks.unwrap_or(1) * strips.unwrap_or(1);
                Some(Generator::Seismic { n: rounded(n / 10, parts), blocks, strips, iterations: 10 })
            }
            _ => None,
        }
    }
}
