//! Influence of the window (thesis, section 3.2.4 and figure 3.5): Jacobi on 150 blocks of rows, `rip-dep`, Sandy Bridge.

use numasim_graph::partition::NS_PER_VERTEX_EDGE;
use numasim_graph::values::{Generator, SchedulerKind, SchedulerSettings};
use numasim_model::Machine;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::codes::{Code, Settings};
use crate::common::Failure;
use crate::common::statistics::{Estimate, of_ratios};
use crate::machines::sockets;
use crate::runs::one;
use crate::study::SEEDS;

/// Tasks before the first iteration: two borders and 150 blocks.
pub(crate) const BEFORE: u32 = 152;
/// Tasks of an iteration.
pub(crate) const ITERATION: u32 = 150;

/// Tasks in the first window.
const WINDOWS: [u32; 31] = [
    10, 25, 50, 75, 100, 125, 140, 150, 152, 160, 170, 180, 190, 202, 215, 227, 240, 252, 265, 277, 290, 302,
    352, 402, 452, 527, 602, 752, 1052, 2102, 3152,
];
/// Factors on the cost of partitioning that this program assumes: SCOTCH's mapping was not measured.
pub(crate) const PRICES: [f64; 2] = [1.0, 100.0];

/// A window.
pub(crate) struct Point {
    pub(crate) window: u32,
    /// Speedups over `fifo`, one for each of [`PRICES`].
    pub(crate) speedups: Vec<Estimate>,
}

/// All windows.
pub(crate) fn study(machine: &Machine, jacobi: &Code) -> Result<Vec<Point>, Failure> {
    let graph = jacobi.graph(&sockets(machine))?;
    let spread = Settings::default().task_spread;
    let seeds: Vec<u64> = (1..=SEEDS).collect();
    let makespans = |scheduler: &SchedulerSettings| -> Result<Vec<f64>, Failure> {
        let run = |&seed: &u64| Ok(one(machine, &graph, scheduler, false, (spread, seed))?.makespan.value());
        seeds.par_iter().map(run).collect()
    };
    let fifo = makespans(&SchedulerSettings::default())?;
    let mut points = Vec::new();
    for window in WINDOWS {
        let mut speedups = Vec::new();
        for price in PRICES {
            let scheduler = SchedulerSettings {
                kind: SchedulerKind::RipDep,
                window,
                partition_ns_per_vertex_edge: Some(NS_PER_VERTEX_EDGE * price),
                ..SchedulerSettings::default()
            };
            let ratios: Vec<f64> =
                fifo.iter().zip(makespans(&scheduler)?).map(|(fifo, own)| fifo / own).collect();
            speedups.push(of_ratios(&ratios));
        }
        points.push(Point { window, speedups });
    }
    Ok(points)
}

/// Multiples of the blocks of the matrix in a window of dense linear algebra.
const MULTIPLES: [u64; 6] = [1, 2, 3, 4, 6, 8];

/// A code of dense linear algebra in several windows.
pub(crate) struct Dense {
    pub(crate) code: &'static str,
    /// The multiple of the blocks of the matrix, and the speedup of `rip-dep` over `fifo`.
    pub(crate) speedups: Vec<(u64, Estimate)>,
}

/// `qr` and `smi` in all windows.
pub(crate) fn dense(machine: &Machine, codes: &[Code]) -> Result<Vec<Dense>, Failure> {
    let is_dense = |code: &&Code| matches!(code.generator, Generator::Qr { .. } | Generator::Smi { .. });
    let seeds: Vec<u64> = (1..=SEEDS).collect();
    let mut all = Vec::new();
    for code in codes.iter().filter(is_dense) {
        let graph = code.graph(&sockets(machine))?;
        let makespans = |scheduler: &SchedulerSettings| -> Result<Vec<f64>, Failure> {
            let spread = Settings::default().task_spread;
            let run =
                |&seed: &u64| Ok(one(machine, &graph, scheduler, false, (spread, seed))?.makespan.value());
            seeds.par_iter().map(run).collect()
        };
        let fifo = makespans(&SchedulerSettings::default())?;
        let mut speedups = Vec::new();
        for window in MULTIPLES {
            let scheduler =
                code.scheduler(SchedulerKind::RipDep, &Settings { window, ..Settings::default() });
            let own = makespans(&scheduler)?;
            let ratios: Vec<f64> = fifo.iter().zip(own).map(|(fifo, own)| fifo / own).collect();
            speedups.push((window, of_ratios(&ratios)));
        }
        all.push(Dense { code: code.name(), speedups });
    }
    Ok(all)
}
