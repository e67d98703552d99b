//! The five codes of the paper (its Table 2): the simulated part of each, and how a whole run is composed of it.

use numasim_graph::generate;
use numasim_graph::values::{Generator, TaskGraph, TaskScenario};
use numasim_model::Machine;
use numasim_model::NodeId;

use crate::common::Failure;

/// FLOP of loading a query, in sequence; assumed, as in the default of the generator.
const LOAD_FLOP: u64 = 2_000_000;

/// A code and its inputs.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    generator: Generator,
    /// Number of repetitions of the simulated part in a whole run; the time for moving pages is counted once.
    pub(crate) times: f64,
    /// Whether its loops support the affinity partitioner.
    pub(crate) loops: bool,
}

/// A code on a machine.
#[derive(Clone, Debug)]
pub(crate) struct OnMachine {
    pub(crate) code: Code,
    pub(crate) graph: TaskGraph,
    /// Maximum number of tasks that exist at the same time.
    pub(crate) throttle: Option<u64>,
}

/// All five with the inputs of the paper, in its order.
///
/// Repetitions: `cg` of class C 75 x 25 times (NPB), `mg` of class C 20 times (NPB), `fluidanimate` in 500 frames (Table 2). The paper
/// does not report how often `streamcluster` traverses its points. With 20 centres PARSEC's source has 180 evaluations in each of several
/// local searches, so 1000 is assumed.
pub(crate) fn all() -> Vec<Code> {
    let repeated = |generator: Generator, loops: bool, whole: f64, simulated: f64| Code {
        generator,
        times: whole / simulated,
        loops,
    };
    vec![
        repeated(
            Generator::NpbCg { rows: 150_000, nnz: 36_100_000, chunks: None, repeat: 5 },
            true,
            75.0 * 25.0,
            5.0,
        ),
        repeated(Generator::NpbMg { log2: 9, chunks: None, repeat: 2 }, true, 20.0, 2.0),
        repeated(
            Generator::Streamcluster { points: 10_000_000, dims: 128, chunks: None, repeat: 5 },
            false,
            1000.0,
            5.0,
        ),
        repeated(Generator::Fluidanimate { particles: 500_000, chunks: None, repeat: 5 }, false, 500.0, 5.0),
        repeated(
            Generator::Ferret { queries: 3500, database: 700_000_000, load_flop: LOAD_FLOP },
            false,
            1.0,
            1.0,
        ),
    ]
}

impl Code {
    /// The name that the paper gives it.
    pub(crate) const fn name(&self) -> &'static str {
        match self.generator {
            Generator::NpbCg { .. } => "cg",
            Generator::NpbMg { .. } => "mg",
            _ => self.generator.as_str(),
        }
    }

    /// Its scenarios: codes without parallel loops have no affinity partitioner.
    pub(crate) fn scenarios(&self) -> Vec<TaskScenario> {
        let has = |scenario: &TaskScenario| self.loops || *scenario != TaskScenario::ApIntl;
        TaskScenario::ALL.into_iter().filter(has).collect()
    }

    /// Its graph for a machine: 8 chunks for each worker, as in `numasim tasks`.
    pub(crate) fn on(&self, machine: &Machine) -> Result<OnMachine, Failure> {
        let nodes: Vec<NodeId> = machine.compute_nodes().collect();
        let cores: Vec<u32> = nodes.iter().map(|&node| machine.node(node).cores).collect();
        let mut generator = self.generator.clone();
        generator.settle(&cores);
        Ok(OnMachine {
            code: self.clone(),
            graph: generate(&generator, self.name(), &nodes)?,
            throttle: generator.throttle(cores.iter().copied().map(u64::from).sum()),
        })
    }
}
