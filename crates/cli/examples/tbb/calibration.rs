//! The number of outstanding lines of a core of the Westmere that best matches the results for (NACS, NADD) in the paper. Other results
//! are not used.

use numasim_graph::values::TaskScenario;
use numasim_model::Machine;

use crate::codes::{Code, OnMachine};
use crate::common::{Failure, statistics};
use crate::machines::with_lines;
use crate::runs::{self, Contention};

/// Codes and their reported results in (NACS, NADD): time relative to (noap, FT) (section 5.2).
pub(crate) const TARGETS: [(&str, f64); 2] = [("cg", 0.34), ("streamcluster", 0.38)];
/// The tried numbers of outstanding lines, in tenths.
const TENTHS: std::ops::RangeInclusive<u32> = 30..=100;
/// Fewer seeds than for the displayed results: the grid has many points.
const SEEDS: u64 = 3;
/// Errors with a smaller difference count as equal.
const EQUAL: f64 = 1e-9;

/// A point of the grid.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) lines: f64,
    /// Our results, in the order of the targets.
    ours: Vec<f64>,
    /// Sum of ln(ours / printed)^2.
    error: f64,
}

/// All points, in ascending order of lines.
pub(crate) fn grid(machine: &Machine, codes: &[Code]) -> Result<Vec<Point>, Failure> {
    let asked = |code: &&Code| TARGETS.iter().any(|(name, _)| *name == code.name());
    let codes: Vec<OnMachine> =
        codes.iter().filter(asked).map(|code| code.on(machine)).collect::<Result<_, _>>()?;
    let point = |tenths: u32| {
        let lines = f64::from(tenths) / 10.0;
        let runs = runs::all(&with_lines(machine, lines), &codes, Contention::Nobody, SEEDS)?;
        let ours = TARGETS.map(|(code, _)| runs.relative(code, TaskScenario::NacsNadd).mean).to_vec();
        let error = ours.iter().zip(TARGETS).map(|(ours, (_, printed))| (ours / printed).ln().powi(2)).sum();
        Ok(Point { lines, ours, error })
    };
    TENTHS.map(point).collect()
}

/// The point with the smallest error; of several equal ones, that with the fewest lines.
pub(crate) fn best(points: &[Point]) -> Option<&Point> {
    statistics::best(points, |point| point.error, EQUAL)
}

/// The grid as CSV.
pub(crate) fn csv(points: &[Point]) -> String {
    let mut text = "outstanding_lines,cg_nacs_nadd,streamcluster_nacs_nadd,error\n".to_owned();
    for Point { lines, ours, error } in points {
        let ours: Vec<String> = ours.iter().map(|ours| format!("{ours:.4}")).collect();
        text += &([lines.to_string(), ours.join(","), format!("{error:.6}")].join(",") + "\n");
    }
    text
}
