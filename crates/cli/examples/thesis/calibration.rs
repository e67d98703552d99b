//! Which two figures of a machine suit what the thesis prints of `sa` over `fifo`, and of nothing else.

use numasim_model::Machine;
use numasim_model::graph::SchedulerKind;

use crate::Failure;
use crate::codes::Code;
use crate::machines::{Calibrated, Platform};
use crate::runs::{self, Way};
use crate::statistics::geometric;

/// Lines under way that are tried, up to the figure of the manuals.
const LINES: [f64; 15] = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0];
/// GB/s of a core from its last-level cache that are tried.
const LLC_GBS: [Option<f64>; 4] = [Some(5.0), Some(10.0), Some(20.0), None];
/// Fewer seeds than of what is shown: the grid has many points.
pub(crate) const SEEDS: u64 = 3;

/// What the thesis prints of `sa`: the codes whose geometric mean it is, and the speedup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) codes: &'static [&'static str],
    pub(crate) printed: f64,
}

/// The seven codes of the printed means: all but `nstream`.
pub(crate) const SEVEN: [&str; 7] =
    ["gauss-seidel", "red-black", "jacobi", "cg", "integral-histogram", "qr", "smi"];

/// All that is printed of `sa` on a machine.
pub(crate) const fn targets(platform: Platform) -> &'static [Target] {
    const MEAN_1_16: Target = Target { codes: &SEVEN, printed: 1.16 };
    const MEAN_1_10: Target = Target { codes: &SEVEN, printed: 1.10 };
    match platform {
        Platform::SandyBridge => &[
            MEAN_1_16,
            Target { codes: &["gauss-seidel"], printed: 1.11 },
            Target { codes: &["red-black"], printed: 1.11 },
        ],
        Platform::Uv100 => &[
            Target { codes: &["gauss-seidel"], printed: 2.05 },
            Target { codes: &["red-black"], printed: 2.05 },
        ],
        Platform::Power8 => &[MEAN_1_10],
    }
}

/// A point of the grid.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) figures: Calibrated,
    /// Ours, in the order of the targets.
    pub(crate) speedups: Vec<f64>,
    /// Sum of ln(ours / printed)^2 over the targets.
    pub(crate) error: f64,
}

/// All points of the grid, in order.
pub(crate) fn grid(platform: Platform, machine: &Machine, codes: &[Code]) -> Result<Vec<Point>, Failure> {
    let targets = targets(platform);
    let asked = |code: &&Code| targets.iter().any(|target| target.codes.contains(&code.name()));
    let codes: Vec<Code> = codes.iter().filter(asked).cloned().collect();
    let ways = [SchedulerKind::Fifo, SchedulerKind::Sa].map(Way::of);
    let mut points = Vec::new();
    for outstanding_lines in LINES {
        for llc_gbs in LLC_GBS {
            let figures = Calibrated { outstanding_lines, llc_gbs };
            let runs = runs::all(&figures.on(machine)?, &codes, &ways, SEEDS)?;
            let mean = |target: &Target| {
                geometric(target.codes.iter().map(|code| runs.speedup(code, Way::of(SchedulerKind::Sa)).mean))
            };
            let speedups: Vec<f64> = targets.iter().map(mean).collect();
            let error = speedups.iter().zip(targets).map(|(ours, of)| (ours / of.printed).ln().powi(2)).sum();
            points.push(Point { figures, speedups, error });
        }
    }
    Ok(points)
}

/// The point with the least error; the first of equal ones.
pub(crate) fn best(points: &[Point]) -> Option<&Point> {
    points.iter().min_by(|a, b| a.error.total_cmp(&b.error))
}
