//! The CSV of measurements: one row for each scenario x application x node x repetition, units in the column names.
//!
//! Written by `numasim bench`, read by `compare`, `fit` and `report`. Only the meaning of rows is here; files are the
//! command line's.

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
/// - `cpus`: processors the threads ran on, in the syntax of Linux (`0-3,8`).
/// - `started_utc`: common start, RFC 3339 with milliseconds.
/// - `fitted`: `true` if the scenario was scaled to the host.
/// - `status`: `ok`, or `misplaced`: then the row counts for nothing, and `problem` says which pages and threads.
/// - `problem`: empty if `ok`.
/// - `doubts`: codes of the doubts that hold for this measurement, joined by spaces.
pub const COLUMNS: [&str; 24] = [
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
    "cpus",
    "started_utc",
    "fitted",
    "status",
    "problem",
    "doubts",
];
