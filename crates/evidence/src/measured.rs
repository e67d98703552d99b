//! The CSV of measurements: one row for each scenario x application x node x repetition, units in the column
//! names.
//!
//! `numasim bench` writes it; `compare`, `fit` and `report` read it. [`Row`] is a row, [`whole_measurements`]
//! reads the rows that a run left, and [`summarise`] summarises the repetitions. The file on disk, with its
//! lock, is `result_file` of `numasim-bench`.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::statistics::{percentile, spread};
use numasim_study::csv::Rows;

/// The columns, in order.
///
/// - `run`: the random id of the run that wrote the row; all rows of a file have the same.
/// - `scenario`, `app`: names as in the input files; `node`: the node's number in the machine file.
/// - `repetition`: from 1.
/// - `threads`: threads of the application on this node.
/// - `data`: data placement, `node:percent` for each NUMA node of the machine file, joined by spaces:
///   `0:100`.
/// - `kernel`: `read`, `copy`, `triad` or `update`; `isa`: `avx512`, `avx2` or `portable`.
/// - `arithmetic_intensity_flop_per_byte`: of the kernel that ran.
/// - `window_s`: mean time over which the threads counted.
/// - `traffic_bytes`, `work_flop`: sums over the threads.
/// - `bandwidth_gbs`, `gflops`: sums over the threads of each thread's own rate.
/// - `thread_gflops_min`, `thread_gflops_max`: slowest and fastest thread.
/// - `huge_pages_percent`: empty if unknown.
/// - `counting_percent`: largest share of the window that a thread spent reading the clock; empty if unknown.
/// - `cpus`: logical CPUs of the threads, in the syntax of Linux (`0-3,8`).
/// - `started_utc`: common start, RFC 3339 with milliseconds.
/// - `fitted`: `true` if the scenario was scaled to the host.
/// - `status`: `ok`, or `misplaced`: the row is then excluded, and `problem` lists the pages and threads.
/// - `problem`: empty if `ok`.
/// - `doubts`: codes of the warnings for this measurement, joined by spaces.
pub const COLUMNS: [&str; 25] = [
    "run",
    "scenario",
    "app",
    "node",
    "repetition",
    "threads",
    "data",
    "kernel",
    "isa",
    "arithmetic_intensity_flop_per_byte",
    "window_s",
    "traffic_bytes",
    "work_flop",
    "bandwidth_gbs",
    "gflops",
    "thread_gflops_min",
    "thread_gflops_max",
    "huge_pages_percent",
    "counting_percent",
    "cpus",
    "started_utc",
    "fitted",
    "status",
    "problem",
    "doubts",
];

/// One row; its fields are [`COLUMNS`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "every column is described at COLUMNS")]
pub struct Row {
    pub run: String,
    pub scenario: String,
    pub app: String,
    pub node: usize,
    pub repetition: u32,
    pub threads: u32,
    pub data: String,
    pub kernel: String,
    pub isa: String,
    pub arithmetic_intensity_flop_per_byte: f64,
    pub window_s: f64,
    pub traffic_bytes: u64,
    pub work_flop: u64,
    pub bandwidth_gbs: f64,
    pub gflops: f64,
    pub thread_gflops_min: f64,
    pub thread_gflops_max: f64,
    pub huge_pages_percent: Option<f64>,
    pub counting_percent: Option<f64>,
    pub cpus: String,
    pub started_utc: String,
    pub fitted: bool,
    pub status: Status,
    pub problem: String,
    pub doubts: String,
}

/// The rows of each measurement of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The scenario.
    pub scenario: String,
    /// Application and node of each row, in order.
    pub rows: Vec<(String, usize)>,
}

/// Whether a row is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Threads and data were placed as planned.
    Ok,
    /// Some were not: the whole measurement is excluded.
    Misplaced,
}

/// The header line.
pub fn header() -> String {
    format!("{}\n", COLUMNS.join(","))
}

/// Rows as lines of CSV, without the header.
///
/// # Errors
/// Those of the writer; valid rows cause none.
pub fn lines(rows: &[Row]) -> Result<String, csv::Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The reason that a text is not a CSV of measurements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first line differs.
    #[error("it does not begin with the header of a result of numasim bench ({} columns from `run` to `doubts`)", COLUMNS.len())]
    Header,
    /// A line is not a row.
    #[error("line {line}: {why}")]
    Row {
        /// Its number, from 1.
        line: usize,
        /// The mistake.
        why: String,
    },
}

/// The complete rows after our header; `None` if not even the header is complete.
fn rows(text: &[u8]) -> Result<Option<Rows<'_>>, ReadError> {
    let header = header();
    if header.as_bytes().starts_with(text) && text.len() < header.len() {
        return Ok(None);
    }
    if !text.starts_with(header.as_bytes()) {
        return Err(ReadError::Header);
    }
    // An unfinished line is lost.
    let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let whole = text.get(..end).unwrap_or_default();
    let text = std::str::from_utf8(whole).map_err(|error| {
        let before = whole.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + String::from_utf8_lossy(before).matches('\n').count();
        ReadError::Row { line, why: error.to_string() }
    })?;
    Rows::new(text).map(Some).map_err(|_| ReadError::Header)
}

/// The next row, its line, and its end.
fn next(rows: &mut Rows<'_>) -> Option<Result<(Row, usize, usize), ReadError>> {
    let text = rows.text();
    Some(match rows.next()? {
        Ok(row) => {
            let line = row.line();
            let end = row.whole().span.map_or(text.len(), |span| text.len().min(span.end + 1));
            let read = row.deserialize().map(|read| (read, line, end));
            read.map_err(|error| ReadError::Row { line, why: error.to_string() })
        }
        Err(problem) => {
            let start = problem.place.and_then(|place| place.span).map_or(0, |span| span.start);
            let line = 1 + text.get(..start).unwrap_or_default().matches('\n').count();
            Err(ReadError::Row { line, why: problem.message })
        }
    })
}

/// The remains of a run: rows of complete measurements, and their end.
#[derive(Debug, PartialEq)]
pub struct Left {
    /// Rows of complete measurements.
    pub rows: Vec<Row>,
    /// Number of complete measurements.
    pub measurements: u64,
    /// Bytes up to the end of the last complete measurement, including the header; 0 if not even the header
    /// is complete.
    pub end: usize,
}

/// The run of the first row; `None` if no row is complete.
///
/// # Errors
/// [`ReadError`] for a text that is not a result, or whose first row is invalid.
pub fn run_of(text: &[u8]) -> Result<Option<String>, ReadError> {
    let Some(mut rows) = rows(text)? else { return Ok(None) };
    next(&mut rows).map(|row| row.map(|(row, ..)| row.run)).transpose()
}

/// Reads the remains of a killed run. The last measurement counts only if all its rows are present; a torn
/// last line is dropped.
///
/// # Errors
/// [`ReadError::Header`] for another kind of text, [`ReadError::Row`] for a line that is not a row of `plan`.
pub fn whole_measurements(text: &[u8], plan: &[Expected]) -> Result<Left, ReadError> {
    let mut left = Left { rows: Vec::new(), measurements: 0, end: 0 };
    let Some(mut rows) = rows(text)? else { return Ok(left) };
    left.end = header().len();
    // The measurement being read: its rows, the line of the first one, and the expected rows.
    let (mut read, mut first, mut expected): (Vec<Row>, _, &[(String, usize)]) = (Vec::new(), 0, &[]);
    while let Some(row) = next(&mut rows) {
        let (row, line, end) = row?;
        let wrong = |why: String| Err(ReadError::Row { line, why });
        if read.is_empty() {
            let Some(scenario) = plan.iter().find(|expected| expected.scenario == row.scenario) else {
                return wrong(format!("scenario '{}' is none of those of this run", row.scenario));
            };
            (first, expected) = (line, &scenario.rows);
        }
        let same = read.first().is_none_or(|first| {
            (&first.scenario, first.repetition, &first.run) == (&row.scenario, row.repetition, &row.run)
        });
        let here = expected.get(read.len()).is_some_and(|(app, node)| *app == row.app && *node == row.node);
        if !same || !here {
            return wrong(format!("it does not belong to the measurement that begins at line {first}"));
        }
        read.push(row);
        if read.len() == expected.len() {
            left.rows.append(&mut read);
            left.measurements += 1;
            left.end = end;
        }
    }
    Ok(left)
}

/// A value over repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The median; for an even number the mean of the two middle values.
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
        let figure = |p| percentile(values, p);
        Some(Self { median: figure(0.5)?, min: figure(0.0)?, max: figure(1.0)?, spread: spread(values) })
    }
}

/// One application, or a whole scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The scenario.
    pub scenario: String,
    /// The application; `None`: the whole scenario.
    pub app: Option<String>,
    /// Whether it was scaled to the host.
    pub fitted: bool,
    /// Threads on each node that has any: node, threads.
    pub threads: Vec<(usize, u32)>,
    /// Number of valid repetitions.
    pub repetitions: usize,
    /// GFLOPS over all nodes; `None` without a valid repetition.
    pub gflops: Option<Figure>,
    /// GB/s over all nodes; `None` without a valid repetition.
    pub bandwidth_gbs: Option<Figure>,
    /// The largest share of a window that counting took, in percent; `None` if no row contains it.
    pub counting_percent: Option<f64>,
}

/// Summaries of the planned scenarios with rows, in the order of the plan, each scenario followed by its sum
/// if it has several applications. Rows of misplaced measurements are excluded.
pub fn summarise(plan: &[Expected], rows: &[Row]) -> Vec<Summary> {
    let mut all = Vec::new();
    let mut by_scenario: HashMap<&str, Vec<&Row>> = HashMap::new();
    for row in rows {
        by_scenario.entry(&row.scenario).or_default().push(row);
    }
    for Expected { scenario, rows: expected } in plan {
        let Some(own) = by_scenario.get(scenario.as_str()) else { continue };
        // Rows of an application are consecutive: one for each of its nodes.
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
    // One row for each application and node: all repetitions and tries have the same threads.
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
