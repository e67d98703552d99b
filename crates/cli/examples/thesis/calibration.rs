//! The values of two parameters of a machine that best match the results for `sa` over `fifo` in the thesis. Other results are not used.

use numasim_graph::values::SchedulerKind;
use numasim_model::Machine;

use crate::codes::{Code, Settings};
use crate::common::Failure;
use crate::common::statistics::{self, geometric};
use crate::machines::{Calibrated, Platform};
use crate::runs::{self, Way};

/// The tried numbers of outstanding lines: 2 to 16, the most that the manuals report for a core of one of the machines.
const LINES: std::ops::RangeInclusive<u32> = 2..=16;
/// The tried GB/s of a core from its last-level cache: at least the 8 that ten lines reach from local memory.
const LLC_GBS: [Option<f64>; 3] = [Some(10.0), Some(20.0), None];
/// Fewer seeds than for the displayed results: the grid has many points.
pub(crate) const SEEDS: u64 = 5;

/// The result of `sa` in the thesis: the codes of the geometric mean, and the speedup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) codes: &'static [&'static str],
    pub(crate) printed: f64,
}

/// The seven codes of the reported means: all except `nstream`.
pub(crate) const SEVEN: [&str; 7] =
    ["gauss-seidel", "red-black", "jacobi", "cg", "integral-histogram", "qr", "smi"];

/// All reported results of `sa` on a machine.
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
    /// Our results, in the order of the targets.
    pub(crate) speedups: Vec<f64>,
    /// Sum of ln(ours / printed)^2 over the targets.
    pub(crate) error: f64,
}

/// All points of the grid, in order. One reported result cannot determine two parameters: POWER8 keeps its `llc_gbs`, which is that of
/// Sandy Bridge.
pub(crate) fn grid(platform: Platform, machine: &Machine, codes: &[Code]) -> Result<Vec<Point>, Failure> {
    let targets = targets(platform);
    let asked = |code: &&Code| targets.iter().any(|target| target.codes.contains(&code.name()));
    let codes: Vec<Code> = codes.iter().filter(asked).cloned().collect();
    let ways = [SchedulerKind::Fifo, SchedulerKind::Sa].map(Way::of);
    let own = Calibrated::of(machine).and_then(|own| own.llc_gbs);
    let limits = if targets.len() > 1 { LLC_GBS.to_vec() } else { vec![own] };
    let mut points = Vec::new();
    for lines in LINES {
        for &llc_gbs in &limits {
            let figures = Calibrated { outstanding_lines: f64::from(lines), llc_gbs };
            let runs = runs::all(&figures.on(machine)?, &codes, &ways, &Settings::default(), SEEDS)?;
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

/// Errors with a smaller difference count as equal.
const EQUAL: f64 = 1e-6;

/// The point with the smallest error; of several equal ones, that with the fewest lines, then the slowest cache.
pub(crate) fn best(points: &[Point]) -> Option<&Point> {
    statistics::best(points, |point| point.error, EQUAL)
}

/// The grids of all machines as CSV.
pub(crate) fn csv(grids: &[(Platform, Vec<Point>)]) -> String {
    let mut text =
        "machine,outstanding_lines,llc_gbs,sa_mean_of_seven,sa_gauss_seidel,sa_red_black,error\n".to_owned();
    for (platform, points) in grids {
        let targets = targets(*platform);
        for point in points {
            let ours = |codes: &[&str]| {
                let place = targets.iter().position(|target| target.codes == codes);
                let ours = place.and_then(|place| point.speedups.get(place));
                ours.map_or(String::new(), |ours| format!("{ours:.4}"))
            };
            let Calibrated { outstanding_lines, llc_gbs } = point.figures;
            let cells = [
                platform.name().to_owned(),
                outstanding_lines.to_string(),
                llc_gbs.map_or(String::new(), |gbs| gbs.to_string()),
                ours(&SEVEN),
                ours(&["gauss-seidel"]),
                ours(&["red-black"]),
                format!("{:.6}", point.error),
            ];
            text += &(cells.join(",") + "\n");
        }
    }
    text
}
