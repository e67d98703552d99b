//! What the repetitions have in common: median and extremes of every application and scenario.

use serde::Serialize;

use super::{Expected, Row, Status};

/// A figure over repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The middle one; the mean of the two in the middle of an even number.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Sample standard deviation over mean; `None` with fewer than two repetitions.
    pub spread: Option<f64>,
}

impl Figure {
    /// `None` without values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let middle = sorted.len() / 2;
        let upper = *sorted.get(middle)?;
        let median =
            if sorted.len() % 2 == 1 { upper } else { f64::midpoint(*sorted.get(middle - 1)?, upper) };
        Some(Self { median, min, max, spread: spread(values) })
    }
}

/// Sample standard deviation over mean; `None` with fewer than two values or a mean that is not positive.
pub fn spread(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 || !mean.is_finite() || mean <= 0.0 {
        return None;
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0)).sqrt() / mean)
}

/// One application, or a whole scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The scenario.
    pub scenario: String,
    /// The application; `None`: all of the scenario together.
    pub app: Option<String>,
    /// It was scaled to the host.
    pub fitted: bool,
    /// Threads on each node where there are any: node, threads.
    pub threads: Vec<(usize, u32)>,
    /// Valid repetitions.
    pub repetitions: usize,
    /// GFLOPS over all nodes; `None` without a valid repetition.
    pub gflops: Option<Figure>,
    /// GB/s over all nodes; `None` without a valid repetition.
    pub bandwidth_gbs: Option<Figure>,
    /// The most that counting took of a window, in percent; `None` where no row says it.
    pub counting_percent: Option<f64>,
}

/// Summaries of what was planned and has rows, in the order of the plan, each scenario followed by its sum where it has
/// several applications. Rows of misplaced measurements count for nothing.
pub fn summarise(plan: &[Expected], rows: &[Row]) -> Vec<Summary> {
    let mut all = Vec::new();
    for Expected { scenario, rows: expected } in plan {
        let own: Vec<&Row> = rows.iter().filter(|row| row.scenario == *scenario).collect();
        if own.is_empty() {
            continue;
        }
        // Rows of an application follow each other: one for each of its nodes.
        let mut apps: Vec<&str> = expected.iter().map(|(app, _)| app.as_str()).collect();
        apps.dedup();
        for app in &apps {
            let rows: Vec<&Row> = own.iter().copied().filter(|row| row.app == *app).collect();
            all.push(of(scenario, Some(app), &rows));
        }
        if apps.len() > 1 {
            all.push(of(scenario, None, &own));
        }
    }
    all
}

fn of(scenario: &str, app: Option<&str>, rows: &[&Row]) -> Summary {
    let mut threads: Vec<(usize, u32)> = Vec::new();
    let mut sums: Vec<(u32, f64, f64)> = Vec::new();
    // One row of each application and node: their repetitions and tries all have the same threads.
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        if !counted.contains(&(row.app.as_str(), row.node)) {
            counted.push((&row.app, row.node));
            match threads.iter_mut().find(|(node, _)| *node == row.node) {
                Some((_, count)) => *count += row.threads,
                None => threads.push((row.node, row.threads)),
            }
        }
        if row.status == Status::Ok {
            match sums.iter_mut().find(|(repetition, ..)| *repetition == row.repetition) {
                Some((_, gflops, bandwidth)) => {
                    *gflops += row.gflops;
                    *bandwidth += row.bandwidth_gbs;
                }
                None => sums.push((row.repetition, row.gflops, row.bandwidth_gbs)),
            }
        }
    }
    threads.sort_unstable();
    let figure = |value: fn(&(u32, f64, f64)) -> f64| Figure::of(&sums.iter().map(value).collect::<Vec<_>>());
    Summary {
        scenario: scenario.to_owned(),
        app: app.map(str::to_owned),
        fitted: rows.iter().any(|row| row.fitted),
        threads,
        repetitions: sums.len(),
        gflops: figure(|sum| sum.1),
        bandwidth_gbs: figure(|sum| sum.2),
        counting_percent: rows
            .iter()
            .filter(|row| row.status == Status::Ok)
            .filter_map(|row| row.counting_percent)
            .max_by(f64::total_cmp),
    }
}
