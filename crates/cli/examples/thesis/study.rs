//! All simulations for a machine.

use numasim_graph::values::{SchedulerKind, VertexWeight};
use numasim_model::Machine;

use crate::calibration::SEVEN;
use crate::codes::{Code, Settings, of_small_tiles};
use crate::common::Failure;
use crate::common::statistics::Estimate;
use crate::machines::{Platform, without_caches, without_numa};
use crate::runs::{self, Runs, Way};

/// The thesis uses the same number of repetitions.
pub(crate) const SEEDS: u64 = 10;
/// Number of seeds for results that serve only for comparison.
pub(crate) const FEW_SEEDS: u64 = 3;

/// The schedulers that the thesis compares with `fifo`, in its order.
pub(crate) const COMPARED: [SchedulerKind; 5] = [
    SchedulerKind::Sa,
    SchedulerKind::Dep,
    SchedulerKind::RipDep,
    SchedulerKind::RipSp,
    SchedulerKind::RipMw,
];
/// Simple alternatives.
pub(crate) const REFERENCES: [SchedulerKind; 3] =
    [SchedulerKind::RandomSteal, SchedulerKind::Heft, SchedulerKind::Tracked];

/// A machine and its simulations.
pub(crate) struct Study {
    pub(crate) platform: Platform,
    pub(crate) machine: Machine,
    /// All schedulers; those of the thesis also with stealing.
    pub(crate) runs: Runs,
}

impl Study {
    /// Simulates all codes.
    pub(crate) fn of(platform: Platform, machine: Machine, codes: &[Code]) -> Result<Self, Failure> {
        let mut ways = vec![Way::of(SchedulerKind::Fifo)];
        ways.extend(COMPARED.into_iter().chain(REFERENCES).map(Way::of));
        ways.extend(COMPARED.map(Way::stealing));
        let runs = runs::all(&machine, codes, &ways, &Settings::default(), SEEDS)?;
        Ok(Self { platform, machine, runs })
    }

    /// The geometric mean of the seven codes.
    pub(crate) fn seven(&self, way: Way) -> Estimate {
        self.runs.mean(&SEVEN, way)
    }
}

/// Results under a changed assumption.
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) runs: Runs,
}

/// The variant whose individual codes are also shown.
pub(crate) const CACHELESS: &str = "without last-level caches";

/// The stencils on smaller tiles.
pub(crate) fn small_tiles(machine: &Machine) -> Result<Runs, Failure> {
    let mut ways = vec![Way::of(SchedulerKind::Fifo)];
    ways.extend(COMPARED.map(Way::of));
    runs::all(machine, &of_small_tiles(), &ways, &Settings::default(), FEW_SEEDS)
}

/// The results under changed assumptions.
pub(crate) fn variants(machine: &Machine, codes: &[Code]) -> Result<Vec<Variant>, Failure> {
    let usual = Settings::default;
    let (cacheless, uniform) = (without_caches(machine)?, without_numa(machine)?);
    let by_time = || Settings { vertex_weight: VertexWeight::Time, ..usual() };
    let all: [(&'static str, &Machine, Settings); 10] = [
        ("as decided", machine, usual()),
        (CACHELESS, &cacheless, usual()),
        ("no NUMA at all: one latency, wide links, no caches", &uniform, usual()),
        ("windows of 2 units in the place of 3", machine, Settings { window: 2, ..usual() }),
        ("tasks weigh their time", machine, by_time()),
        ("tasks weigh their time, windows of 2 units", machine, Settings { window: 2, ..by_time() }),
        ("the two last writers as parents", machine, Settings { old_dependencies: true, ..usual() }),
        ("partitioning at 100 times the price", machine, Settings { price: 100.0, ..usual() }),
        ("all tasks of a kind equally long", machine, Settings { task_spread: 0.0, ..usual() }),
        ("work of tasks with a spread of 10 %", machine, Settings { task_spread: 0.1, ..usual() }),
    ];
    let mut ways = vec![Way::of(SchedulerKind::Fifo)];
    ways.extend(COMPARED.map(Way::of));
    let variant = |(name, machine, settings): (&'static str, &Machine, Settings)| {
        Ok(Variant { name, runs: runs::all(machine, codes, &ways, &settings, FEW_SEEDS)? })
    };
    all.into_iter().map(variant).collect()
}
