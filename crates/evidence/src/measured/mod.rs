//! The CSV of measurements: one row for each scenario x application x node x repetition, units in the column names.
//!
//! Written by `numasim bench`, read by `compare`, `fit` and `report`. [`Row`] is a row, [`whole_measurements`] takes rows
//! back from what a run left, and [`summary`] says what the repetitions have in common. The file on disk, with its lock,
//! is `result_file` of `numasim-bench`.

mod reading;
pub mod summary;

use serde::{Deserialize, Serialize};

pub use reading::{Left, ReadError, run_of, whole_measurements};

/// The columns, in order.
///
/// - `run`: the random id of the run that wrote the row; all rows of a file have the same.
/// - `scenario`, `app`: names as in the input files; `node`: the node's number in the machine file.
/// - `repetition`: from 1.
/// - `threads`: threads of the application on this node.
/// - `data`: where the data lies, `node:percent` for each NUMA node of the machine file, joined by spaces: `0:100`.
/// - `kernel`: `read`, `copy`, `triad` or `update`; `isa`: `avx512`, `avx2` or `portable`.
/// - `arithmetic_intensity_flop_per_byte`: of the kernel that ran.
/// - `window_s`: mean time over which the threads counted.
/// - `traffic_bytes`, `work_flop`: sums over the threads.
/// - `bandwidth_gbs`, `gflops`: sums over the threads of each thread's own rate.
/// - `thread_gflops_min`, `thread_gflops_max`: slowest and fastest thread.
/// - `huge_pages_percent`: empty where unknown.
/// - `counting_percent`: how much of the window went into looking at the clock, of the thread where it was most; empty where
///   unknown.
/// - `cpus`: processors the threads ran on, in the syntax of Linux (`0-3,8`).
/// - `started_utc`: common start, RFC 3339 with milliseconds.
/// - `fitted`: `true` if the scenario was scaled to the host.
/// - `status`: `ok`, or `misplaced`: then the row counts for nothing, and `problem` says which pages and threads.
/// - `problem`: empty if `ok`.
/// - `doubts`: codes of the doubts that hold for this measurement, joined by spaces.
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

/// The rows that each measurement of a scenario has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The scenario.
    pub scenario: String,
    /// Application and node of each row, in order.
    pub rows: Vec<(String, usize)>,
}

/// Whether a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Threads and data were where the plan wanted them.
    Ok,
    /// Some were not: the whole measurement counts for nothing.
    Misplaced,
}

/// The header line.
pub fn header() -> String {
    format!("{}\n", COLUMNS.join(","))
}

/// Rows as lines of CSV, without the header.
///
/// # Errors
/// Those of the writer; with rows alone there are none.
pub fn lines(rows: &[Row]) -> Result<String, csv::Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
