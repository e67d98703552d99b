//! What the repetitions have in common: median and extremes of every application and scenario.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::{Expected, Row, Status};
use crate::statistics::spread;

/// A figure over repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The middle one; the mean of the two in the middle of an even number.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// See [`spread`]; `None` with fewer than two repetitions.
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
    let mut by_scenario: HashMap<&str, Vec<&Row>> = HashMap::new();
    for row in rows {
        by_scenario.entry(&row.scenario).or_default().push(row);
    }
    for Expected { scenario, rows: expected } in plan {
        let Some(own) = by_scenario.get(scenario.as_str()) else { continue };
        // Rows of an application follow each other: one for each of its nodes.
        let mut apps: Vec<&str> = expected.iter().map(|(app, _)| app.as_str()).collect();
        apps.dedup();
        for app in &apps {
            let rows: Vec<&Row> = own.iter().copied().filter(|row| row.app == *app).collect();
            all.push(of(scenario, Some(app), &rows));
        }
        if apps.len() > 1 {
            all.push(of(scenario, None, own));
        }
    }
    all
}

fn of(scenario: &str, app: Option<&str>, rows: &[&Row]) -> Summary {
    let mut threads: BTreeMap<usize, u32> = BTreeMap::new();
    // GFLOPS and GB/s of each repetition, in the order of the rows.
    let mut sums: Vec<[f64; 2]> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    // One row of each application and node: their repetitions and tries all have the same threads.
    let mut counted: HashSet<(&str, usize)> = HashSet::new();
    for row in rows {
        if counted.insert((&row.app, row.node)) {
            *threads.entry(row.node).or_default() += row.threads;
        }
        if row.status == Status::Ok {
            let place = *places.entry(row.repetition).or_insert_with(|| {
                sums.push([0.0; 2]);
                sums.len() - 1
            });
            sums[place][0] += row.gflops;
            sums[place][1] += row.bandwidth_gbs;
        }
    }
    let figure = |which: usize| Figure::of(&sums.iter().map(|sum| sum[which]).collect::<Vec<_>>());
    Summary {
        scenario: scenario.to_owned(),
        app: app.map(str::to_owned),
        fitted: rows.iter().any(|row| row.fitted),
        threads: threads.into_iter().collect(),
        repetitions: sums.len(),
        gflops: figure(0),
        bandwidth_gbs: figure(1),
        counting_percent: rows
            .iter()
            .filter(|row| row.status == Status::Ok)
            .filter_map(|row| row.counting_percent)
            .max_by(f64::total_cmp),
    }
}
