//! The eight codes of the thesis (section 3.1.5) and the windows in which their graphs are partitioned, all decided before anything was run.

use numasim_graph::{GenerateError, generate};
use numasim_model::NodeId;
use numasim_model::graph::{Generator, SchedulerKind, SchedulerSettings, TaskGraph};

/// Iterations in a window: the thesis says "2 or 3" (section 3.2.4) and draws three (figure 2.5).
const ITERATIONS: u64 = 3;
/// Rows of tiles that stay from one window to the next: "a couple" (section 3.2.4).
const ROWS: u64 = 2;

/// A code with its sizes.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) generator: Generator,
    /// Tasks of an iteration, or, of dense linear algebra, blocks of the matrix.
    unit: u64,
    /// Tasks before the first iteration.
    before: u64,
    /// Tasks that stay in the window of `rip-mw`.
    intersection: u64,
}

impl Code {
    /// The word for it.
    pub(crate) fn name(&self) -> &'static str {
        self.generator.as_str()
    }

    /// Its graph on so many sockets.
    pub(crate) fn graph(&self, sockets: &[NodeId]) -> Result<TaskGraph, GenerateError> {
        generate(&self.generator, self.name(), sockets)
    }

    /// A scheduler with its window, by the rule of thumb of the thesis (section 3.2.4): of iterative codes 2 or 3 iterations beside what
    /// comes before them, and one of them stays; of dense linear algebra 2 or 3 times the blocks of the matrix, and a couple of rows stay.
    pub(crate) fn scheduler(&self, kind: SchedulerKind) -> SchedulerSettings {
        let narrow = |tasks: u64| u32::try_from(tasks).unwrap_or(u32::MAX);
        SchedulerSettings {
            kind,
            window: narrow(std::env::var("UNITS").map_or(ITERATIONS, |s| s.parse().unwrap()) * self.unit),
            partition_ns_per_vertex_edge: std::env::var("PRICE").ok().map(|s| s.parse().unwrap()),
            old_dependencies: std::env::var_os("OLD").is_some(),
            initial_extra: narrow(self.before),
            intersection: narrow(self.intersection),
            ..SchedulerSettings::default()
        }
    }
}

/// All eight, in the order of the figures here; sizes are the defaults of the generators.
pub(crate) fn all() -> Vec<Code> {
    Generator::defaults().into_iter().filter_map(of).collect()
}

/// `None` of what is no code of the thesis.
fn of(generator: Generator) -> Option<Code> {
    let (unit, before, intersection) = match generator {
        Generator::GaussSeidel { grid, control, .. } | Generator::RedBlack { grid, control, .. } => {
            (grid * grid, control + grid * grid, grid * grid)
        }
        // Two borders.
        Generator::Jacobi { blocks, .. } => (blocks, blocks + 2, blocks),
        Generator::Cg { blocks, .. } => (6 * blocks + 2, blocks, 6 * blocks + 2),
        // Three passes over the image in the place of iterations.
        Generator::IntegralHistogram { grid, .. } => (grid * grid, grid * grid, grid * grid),
        Generator::Nstream { arrays, .. } => (arrays, 3 * arrays, arrays),
        // First tasks write the blocks of the matrix once.
        Generator::Qr { n, .. } => (n * n, 0, ROWS * n),
        Generator::Smi { n, .. } => (n * (n + 1) / 2, 0, ROWS * n),
        _ => return None,
    };
    Some(Code { generator, unit, before, intersection })
}
