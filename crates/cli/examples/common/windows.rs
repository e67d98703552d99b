//! Windows in which the graphs of generators are partitioned, all decided before any run.

use numasim_graph::partition::NS_PER_VERTEX_EDGE;
use numasim_graph::values::{
    Generator, SchedulerKind, SchedulerSettings, TaskGraph, VertexWeight, WindowUnit,
};
use numasim_graph::{GenerateError, generate};
use numasim_model::NodeId;

/// Choices that the thesis leaves open, decided before any run; other values are for the table of variants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Iterations in a window, or multiples of the blocks of a matrix: the thesis says "2 or 3" (section 3.2.4) and draws three (figure
    /// 2.5).
    pub(crate) window: u64,
    /// Weight of a task in it, which the thesis does not report.
    pub(crate) vertex_weight: VertexWeight,
    /// Whether the two last writers of a block are parents in the window (section 2.2 describes it as an option).
    pub(crate) old_dependencies: bool,
    /// Factor on the cost of partitioning that this program assumes.
    pub(crate) price: f64,
    /// Sigma of the logarithm of the work of tasks. Tasks of equal duration keep the order in which they began, so that `fifo` gives an
    /// array of `nstream` the same worker in every iteration. A sigma of 2 % is enough to prevent this, and too small to matter.
    pub(crate) task_spread: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            window: 3,
            vertex_weight: VertexWeight::One,
            old_dependencies: false,
            price: 1.0,
            task_spread: 0.02,
        }
    }
}

/// A code with its sizes.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) generator: Generator,
    unit: WindowUnit,
}

impl Code {
    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        self.generator.as_str()
    }

    /// Its graph on these sockets.
    pub(crate) fn graph(&self, sockets: &[NodeId]) -> Result<TaskGraph, GenerateError> {
        generate(&self.generator, self.name(), sockets)
    }

    /// A scheduler with its window, by the rule of thumb of the thesis (section 3.2.4). For iterative codes: 2 or 3 iterations in
    /// addition to the preceding tasks, and one of them remains. For dense linear algebra: 2 or 3 times the blocks of the matrix, and a
    /// couple of rows remain.
    pub(crate) fn scheduler(&self, kind: SchedulerKind, settings: &Settings) -> SchedulerSettings {
        let narrow = |tasks: u64| u32::try_from(tasks).unwrap_or(u32::MAX);
        SchedulerSettings {
            kind,
            window: narrow(settings.window * self.unit.tasks),
            initial_extra: narrow(self.unit.before),
            intersection: narrow(self.unit.stays),
            vertex_weight: settings.vertex_weight,
            partition_ns_per_vertex_edge: Some(NS_PER_VERTEX_EDGE * settings.price),
            old_dependencies: settings.old_dependencies,
            ..SchedulerSettings::default()
        }
    }
}

/// `None` for tree programs, whose tasks the master does not create.
pub(crate) fn of(generator: Generator) -> Option<Code> {
    let unit = generator.window_unit()?;
    Some(Code { generator, unit })
}
