//! Scaling of a program, from runs with different numbers of threads.
//!
//! With v(n) the speed of n threads (GFLOPS, or runs per second of the same work), Amdahl's law is 1 / v(n) =
//! a + b / n: a is the time of the serial part, b that of the rest. a and b are at least 0 and minimise the
//! squares of (a + b / n) v(n) - 1, the relative errors of the time; s = a / (a + b) is the serial fraction.
//! If it deviates from a measured speed by more than [`GOOD`] and one thread was measured, the speedups v(n)
//! / v(1) themselves are the answer.
//!
//! These speeds include limits by memory bandwidth, which the model also computes: see [`Scaled::residual`]
//! and the warning that `profile-app` writes.

use std::collections::BTreeMap;

use numasim_model::scaling::Scaling;

use crate::formats::counted::{Amount, Kind, Run};
use crate::statistics::{median, median_interval};

/// Amdahl's law describes the runs if no speed deviates from it by more than this fraction.
pub const GOOD: f64 = 0.05;

/// The scaling of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// The form for a file.
    pub scaling: Scaling,
    /// Threads and median speed, ascending.
    pub speeds: Vec<(u32, f64)>,
    /// Whether speeds are GFLOPS, not runs per second.
    pub gflops: bool,
    /// The largest relative difference between a measured speed and `scaling`.
    pub residual: f64,
}

/// The scaling of these runs; `None` with fewer than two numbers of threads.
pub fn scaling(runs: &[Run]) -> Option<Scaled> {
    let timed: Vec<(u32, (f64, bool))> = runs
        .iter()
        .filter_map(|run| Some((run.threads.filter(|&threads| threads > 0)?, run.speed()?)))
        .collect();
    // Speeds in one unit only: GFLOPS if all runs have them.
    let gflops = timed.iter().all(|(_, (_, gflops))| *gflops);
    let mut by_threads: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for run in runs {
        let speed = if gflops { run.speed() } else { Run { flop: None, ..run.clone() }.speed() };
        if let Some((threads, (speed, _))) = run.threads.filter(|&threads| threads > 0).zip(speed) {
            by_threads.entry(threads).or_default().push(speed);
        }
    }
    let speeds: Vec<(u32, f64)> =
        by_threads.into_iter().filter_map(|(threads, speeds)| Some((threads, median(&speeds)?))).collect();
    if speeds.len() < 2 {
        return None;
    }
    let fraction = serial_fraction(&speeds);
    let amdahl = Scaling::Serial { fraction };
    let residual = farthest(&speeds, &amdahl);
    if residual > GOOD
        && let Some(&(1, one)) = speeds.first()
    {
        let mut best = 1.0_f64;
        let points = speeds.iter().map(|&(threads, speed)| {
            // A file accepts speedups that never fall and are at most the number of threads.
            best = (speed / one).min(f64::from(threads)).max(best);
            (threads, best)
        });
        let table = Scaling::Table(points.collect());
        let residual = farthest(&speeds, &table);
        return Some(Scaled { scaling: table, speeds, gflops, residual });
    }
    Some(Scaled { scaling: amdahl, speeds, gflops, residual })
}

/// s of Amdahl's law, 0 to 1.
fn serial_fraction(speeds: &[(u32, f64)]) -> f64 {
    // Normal equations of (a + b / n) v = 1 with x = v and y = v / n; speeds relative to the first, so that nothing overflows.
    let first = speeds.first().map_or(1.0, |&(_, speed)| speed);
    let (mut xx, mut xy, mut yy, mut x1, mut y1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(threads, speed) in speeds {
        let x = speed / first;
        let y = x / f64::from(threads);
        xx += x * x;
        xy += x * y;
        yy += y * y;
        x1 += x;
        y1 += y;
    }
    let determinant = xx * yy - xy * xy;
    let (serial, parallel) = ((x1 * yy - y1 * xy) / determinant, (y1 * xx - x1 * xy) / determinant);
    let fraction = if parallel <= 0.0 { 1.0 } else { serial.max(0.0) / (serial.max(0.0) + parallel) };
    if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 }
}

/// The largest relative error of the speeds, with the scale of `scaling` that fits best on average.
fn farthest(speeds: &[(u32, f64)], scaling: &Scaling) -> f64 {
    let ratios: Vec<f64> = speeds.iter().map(|&(threads, speed)| scaling.speedup(threads) / speed).collect();
    let one = match scaling {
        // A table starts with the speed of one thread.
        Scaling::Table(_) => ratios.first().copied().unwrap_or(1.0),
        Scaling::Linear | Scaling::Serial { .. } => {
            // The scale k that minimises the squares of S(n) / (k v(n)) - 1.
            let (squares, sum) = ratios
                .iter()
                .fold((0.0, 0.0), |(squares, sum), ratio| (squares + ratio * ratio, sum + ratio));
            squares / sum
        }
    };
    ratios.iter().map(|ratio| (ratio / one - 1.0).abs()).fold(0.0, f64::max)
}

/// The loss of an application for each doubling of its number of NUMA nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Overhead {
    /// `node_overhead`.
    pub value: f64,
    /// Nodes, threads, and the speed as a fraction of that of one node times the number of nodes.
    pub points: Vec<(u32, u32, f64)>,
    /// The largest relative difference between a measured speed and the overhead.
    pub residual: f64,
}

/// The overhead x of runs on one node and on k nodes, with the same number of threads on each: with v(k)
/// their speed, v(k) (1 + x log2 k) = k v(1), by least squares of relative errors, at least 0. `None` without
/// such runs.
pub fn node_overhead(runs: &[Run]) -> Option<Overhead> {
    let timed: Vec<(u32, u32, (f64, bool))> =
        runs.iter().filter_map(|run| Some((run.nodes?, run.threads?, run.speed()?))).collect();
    let gflops = timed.iter().all(|(.., (_, gflops))| *gflops);
    let mut speeds: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for run in runs {
        let speed = if gflops { run.speed() } else { Run { flop: None, ..run.clone() }.speed() };
        if let Some(((nodes, threads), (speed, _))) = run.nodes.zip(run.threads).zip(speed) {
            speeds.entry((nodes, threads)).or_default().push(speed);
        }
    }
    let speeds: BTreeMap<(u32, u32), f64> =
        speeds.into_iter().filter_map(|(at, speeds)| Some((at, median(&speeds)?))).collect();
    let points: Vec<(u32, u32, f64)> = speeds
        .iter()
        .filter(|((nodes, threads), _)| *nodes > 1 && threads.is_multiple_of(*nodes))
        .filter_map(|(&(nodes, threads), &speed)| {
            let one = speeds.get(&(1, threads / nodes))?;
            Some((nodes, threads, speed / (f64::from(nodes) * one)))
        })
        .collect();
    let doublings = |nodes: u32| f64::from(nodes).log2();
    // Squares of (1 + x log2 k) r - 1, with r the share.
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        points.iter().map(|&(nodes, _, share)| of(doublings(nodes) * share, share)).sum::<f64>()
    };
    let value = (sum(&|a, share| a * (1.0 - share)) / sum(&|a, _| a * a)).max(0.0);
    let off = |&(nodes, _, share): &(u32, u32, f64)| ((1.0 + value * doublings(nodes)) * share - 1.0).abs();
    let residual = points.iter().map(off).fold(0.0, f64::max);
    (!points.is_empty() && value.is_finite()).then_some(Overhead { value, points, residual })
}

/// GB/s of one thread alone: the median over the runs with one thread, restricted to those of the best kind.
/// `None` without any.
pub fn thread_gbs(runs: &[Run]) -> Option<Figure> {
    let gbs = |run: &Run| Some(run.bytes.as_ref()?.value / run.seconds? / 1e9);
    best(runs.iter().filter(|run| run.threads == Some(1)), gbs, "of one thread over its time")
}

/// The same for programs that never run with one thread: the share per thread of the runs with the fewest
/// threads, which is an estimate.
pub fn busy_thread_gbs(runs: &[Run]) -> Option<Figure> {
    let counted = || runs.iter().filter(|run| run.bytes.is_some() && run.seconds.is_some());
    let threads = counted().filter_map(|run| run.threads).min()?;
    if threads == 1 {
        return thread_gbs(runs);
    }
    let gbs = |run: &Run| Some(run.bytes.as_ref()?.value / run.seconds? / 1e9 / f64::from(threads));
    let words = format!("of {threads} threads over their time, for each of them");
    let found = best(counted().filter(|run| run.threads == Some(threads)), gbs, &words)?;
    Some(Figure { kind: found.kind.max(Kind::Estimated), ..found })
}

/// Units of `work` per GB of traffic: the median over the runs, each of which did that work. `None` if no
/// bytes were counted.
pub fn per_gb(runs: &[Run], work: f64) -> Option<Figure> {
    best(runs.iter(), |run| Some(work / (run.bytes.as_ref()?.value / 1e9)), "that --work moved")
}

/// The values of the runs from their bytes, restricted to those of the best kind.
fn best<'r>(
    runs: impl Iterator<Item = &'r Run>,
    value: impl Fn(&Run) -> Option<f64>,
    words: &str,
) -> Option<Figure> {
    let of_run = |run: &'r Run| Some((value(run)?, run.bytes.as_ref()?));
    let said = runs.filter_map(of_run).filter(|(value, _)| value.is_finite() && *value > 0.0);
    let said: Vec<(f64, &Amount)> = said.collect();
    let kind = said.iter().map(|(_, bytes)| bytes.kind).min()?;
    let best = || said.iter().filter(|(_, bytes)| bytes.kind == kind);
    let values: Vec<f64> = best().map(|(value, _)| *value).collect();
    Figure::of(&values, kind, format!("{} {words}", best().next()?.1.source))
}

/// A value with its sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Its kind: the weakest of its sources.
    pub kind: Kind,
    /// Its source, in a few words.
    pub source: String,
    /// Number of runs.
    pub runs: usize,
    /// Its range: with six or more runs an interval that contains the median in 95 % of all cases, with fewer
    /// the minimum and the maximum. `None` for one run.
    pub range: Option<(f64, f64)>,
}

/// FLOP per byte: the median over the runs with both counts, restricted to those of the best kind: measured
/// counts take precedence over estimates. `None` if no run has both.
pub fn intensity(runs: &[Run]) -> Option<Figure> {
    let kind = |run: &Run| Some(run.flop.as_ref()?.kind.max(run.bytes.as_ref()?.kind));
    let said: Vec<(f64, Kind, &Run)> =
        runs.iter().filter_map(|run| Some((run.intensity()?, kind(run)?, run))).collect();
    let best = said.iter().map(|(_, kind, _)| *kind).min()?;
    let known: Vec<&(f64, Kind, &Run)> = said.iter().filter(|(_, kind, _)| *kind == best).collect();
    let values: Vec<f64> = known.iter().map(|(value, ..)| *value).collect();
    let (_, _, first) = known.first()?;
    let (flop, bytes) = (first.flop.as_ref()?, first.bytes.as_ref()?);
    Figure::of(&values, best, format!("{} over {}", flop.source, bytes.source))
}

impl Figure {
    /// The median of the values of several runs; `None` without any.
    fn of(values: &[f64], kind: Kind, source: String) -> Option<Self> {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        let range = (values.len() > 1).then(|| median_interval(values).unwrap_or((least, most)));
        Some(Self { value: median(values)?, kind, source, runs: values.len(), range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(threads: u32, seconds: f64) -> Run {
        Run { threads: Some(threads), seconds: Some(seconds), ..Run::default() }
    }

    fn fraction(runs: &[Run]) -> f64 {
        match scaling(runs).expect("several counts").scaling {
            Scaling::Serial { fraction } => fraction,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn amdahls_law_is_recovered() {
        // 2 s serial and 8 s to share: 10, 6, 4 s with 1, 2, 4 threads; s = 0.2. Two thread counts without
        // one thread are sufficient.
        let runs = [timed(1, 10.0), timed(2, 6.0), timed(4, 4.0)];
        assert!((fraction(&runs) - 0.2).abs() < 1e-12);
        assert!((fraction(&runs[1..]) - 0.2).abs() < 1e-12);
        let found = scaling(&runs).expect("three counts");
        assert!(found.residual < 1e-12 && !found.gflops, "{found:?}");
        assert_eq!(scaling(&runs[..1]), None);
        assert_eq!(scaling(&[timed(2, 6.0), timed(2, 7.0)]), None);
    }

    #[test]
    fn superlinear_speedups_are_linear_and_slowdowns_are_serial() {
        assert_eq!(fraction(&[timed(2, 10.0), timed(4, 4.9)]), 0.0);
        assert_eq!(fraction(&[timed(2, 10.0), timed(4, 10.4)]), 1.0);
    }

    #[test]
    fn speedups_that_deviate_from_amdahls_law_become_a_table() {
        // Linear up to 4 threads, then constant: 1, 4, 4, and 3.9 with 16 threads, which a table cannot
        // contain.
        let runs = [timed(1, 8.0), timed(4, 2.0), timed(8, 2.0), timed(16, 8.0 / 3.9)];
        let found = scaling(&runs).expect("four counts");
        assert_eq!(found.scaling, Scaling::Table(vec![(1, 1.0), (4, 4.0), (8, 4.0), (16, 4.0)]));
        // 4 / 3.9 - 1
        assert!((found.residual - (4.0 / 3.9 - 1.0)).abs() < 1e-9, "{found:?}");
    }
}

#[cfg(test)]
mod overhead_tests {
    use super::*;

    fn run(nodes: u32, threads: u32, seconds: f64) -> Run {
        Run { nodes: Some(nodes), threads: Some(threads), seconds: Some(seconds), ..Run::default() }
    }

    #[test]
    fn the_overhead_of_nodes_is_recovered() {
        // Section 4: 80 GFLOPS on one node, 8 + 8 threads 142.8571 = 160 / 1.12, 4 x 8 258.0645 = 320 / 1.24.
        let runs =
            [run(1, 8, 1.0 / 80.0), run(2, 16, 1.0 / 142.857_142_857), run(4, 32, 1.0 / 258.064_516_129)];
        let found = node_overhead(&runs).expect("two points");
        assert!((found.value - 0.12).abs() < 1e-9 && found.residual < 1e-9, "{found:?}");
        // 71.4286 with 4 + 4 threads has no run on one node with the same number of threads per node.
        assert_eq!(node_overhead(&[run(1, 8, 1.0), run(2, 8, 1.12)]), None);
        // Faster than two nodes without a loss: none.
        assert_eq!(node_overhead(&[run(1, 8, 1.0), run(2, 16, 0.4)]).map(|found| found.value), Some(0.0));
    }

    #[test]
    fn one_thread_alone_gives_the_bandwidth_of_a_thread() {
        let bytes = Amount { value: 6e9, kind: Kind::Measured, source: "bytes".into() };
        let one = Run { bytes: Some(bytes), ..run(1, 1, 2.0) };
        let found = thread_gbs(&[one.clone(), Run { threads: Some(2), ..one.clone() }]).expect("one thread");
        assert_eq!(
            (found.value, found.runs, found.source.as_str()),
            (3.0, 1, "bytes of one thread over its time")
        );
        // 16 GB of four threads in 2 s are 2 GB/s each, an estimate; 800 requests are 50 per GB.
        let bytes = Amount { value: 16e9, kind: Kind::Measured, source: "bytes".into() };
        let four = Run { bytes: Some(bytes), ..run(1, 4, 2.0) };
        let found = busy_thread_gbs(std::slice::from_ref(&four)).expect("four threads");
        assert_eq!((found.value, found.kind), (2.0, Kind::Estimated));
        assert_eq!(busy_thread_gbs(&[four.clone(), one]).map(|found| found.value), Some(3.0));
        let found = per_gb(&[four, run(1, 4, 2.0)], 800.0).expect("bytes");
        assert_eq!((found.value, found.kind, found.runs), (50.0, Kind::Measured, 1));
        assert_eq!(per_gb(&[run(1, 4, 2.0)], 800.0), None);
    }
}

#[cfg(test)]
mod intensity_tests {
    use super::*;
    use crate::formats::counted::Amount;

    #[test]
    fn estimates_count_only_without_measured_values() {
        let run = |flop: f64, kind: Kind| Run {
            flop: Some(Amount { value: flop, kind: Kind::Measured, source: "FLOP".into() }),
            bytes: Some(Amount { value: 2.0, kind, source: "bytes".into() }),
            ..Run::default()
        };
        let runs =
            [run(1.0, Kind::Measured), run(3.0, Kind::Estimated), run(2.0, Kind::Measured), Run::default()];
        let found = intensity(&runs).expect("three runs");
        // 0.5 and 1.0; 1.5 is an estimate
        assert_eq!((found.value, found.kind, found.runs), (0.75, Kind::Measured, 2));
        assert_eq!((found.range, found.source.as_str()), (Some((0.5, 1.0)), "FLOP over bytes"));
        assert_eq!(intensity(&runs[1..2]).expect("one run").kind, Kind::Estimated);
        assert_eq!(intensity(&runs[..1]).expect("one run").range, None);
        assert_eq!(intensity(&[Run::default()]), None);
    }
}
