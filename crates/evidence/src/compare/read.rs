//! Reads a measured CSV: the full form of the benchmark ([`crate::measured`]) or the minimal one
//! (`scenario,app,gflops`, optional `bandwidth_gbs` and `repetition`).

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use numasim_model::machine::MAX_NODES;
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_study::{Problem, ProblemKind};

use crate::measured::COLUMNS;
use numasim_model::words::nearest;
use numasim_study::csv::{Row, Rows, first, is_full, row_place, shown};

/// Columns of the minimal form.
const MINIMAL: [&str; 5] = ["scenario", "app", "gflops", "bandwidth_gbs", "repetition"];
/// Columns that the full form requires.
const NEEDED: [&str; 8] =
    ["scenario", "app", "node", "repetition", "threads", "bandwidth_gbs", "gflops", "status"];
/// The status of a valid row.
const OK: &str = "ok";

/// The contents of a measured CSV.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurements {
    /// The measurements, in the order of the file. A scenario's total is included only if the file contains
    /// it.
    pub measured: Vec<Measured>,
    /// The excluded repetitions, with reasons.
    pub left_out: Vec<LeftOut>,
    /// Number of rows of the file, including excluded ones.
    pub rows: usize,
}

/// One application in one scenario, or the scenario as a whole, over all repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the application; `None` is the whole scenario.
    pub app: Option<String>,
    /// The valid repetitions, by number. Empty if every repetition is excluded.
    pub repetitions: Vec<Repetition>,
    /// Threads by node number; empty if the file does not contain them.
    pub threads: BTreeMap<usize, u32>,
    /// Whether the scenario was scaled to the host, so that it differs from its file.
    pub fitted: bool,
    /// Codes of the warnings for any of its rows.
    pub doubts: BTreeSet<String>,
    /// Line of its first row, from 1.
    pub line: usize,
}

/// One repetition: sums over the nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repetition {
    /// Its number, from 1.
    pub number: u32,
    /// Performance on all nodes together.
    pub gflops: Gflops,
    /// Traffic on all nodes together; `None` if it was not measured.
    pub bandwidth: Option<GigabytesPerSecond>,
}

/// An excluded repetition of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the application.
    pub app: String,
    /// The repetition.
    pub repetition: u32,
    /// Line in the file, from 1.
    pub line: usize,
    /// The reason: the status and the problem of the row, or that rows are missing.
    pub why: String,
}

/// Reads a measured CSV. Comment lines begin with `#`.
///
/// In the full form an application's GFLOPS in a repetition is the sum over its nodes; if one of them is
/// missing or has a status other than `ok`, the repetition of that application is excluded.
///
/// # Errors
/// All problems, up to a limit, with places in `text` (as file 0): unknown, missing and duplicate columns,
/// duplicate rows, values that are not numbers, negative or not finite, rows of different runs.
pub fn read_measured(text: &str) -> Result<Measurements, Vec<Problem>> {
    let mut rows = Rows::new(text).map_err(|problem| vec![problem])?;
    let columns = Columns::new(&rows)?;
    let mut reading = Reading::default();
    let mut problems = Vec::new();
    let mut count = 0;
    while let Some(row) = rows.next() {
        count += 1;
        if let Err(problem) = row.and_then(|row| reading.add(text, &columns, &row)) {
            problems.push(problem);
            if is_full(&problems) {
                break;
            }
        }
    }
    if count == 0 {
        problems.push(rows.header_lacks("there are no rows below the header"));
    }
    if problems.is_empty() { Ok(reading.finish(count)) } else { Err(first(problems)) }
}

/// Positions of the columns; `None` for a missing column.
struct Columns {
    scenario: usize,
    app: usize,
    gflops: usize,
    bandwidth: Option<usize>,
    repetition: Option<usize>,
    /// In the full form only: node, threads and status.
    full: Option<[usize; 3]>,
    run: Option<usize>,
    problem: Option<usize>,
    fitted: Option<usize>,
    doubts: Option<usize>,
}

impl Columns {
    fn new(rows: &Rows<'_>) -> Result<Self, Vec<Problem>> {
        let is_full =
            rows.headers().iter().any(|h| COLUMNS.contains(&h.as_str()) && !MINIMAL.contains(&h.as_str()));
        let (known, needed): (&[&str], &[&str]) =
            if is_full { (&COLUMNS, &NEEDED) } else { (&MINIMAL, &MINIMAL[..3]) };
        let mut problems: Vec<Problem> = Vec::new();
        for (at, name) in
            rows.headers().iter().enumerate().filter(|(_, name)| !known.contains(&name.as_str()))
        {
            let problem = rows.header_problem(at, format!("there is no column `{}`", shown(name)));
            problems.push(match nearest(name, known.iter().copied()) {
                _ if name.contains([';', '\t']) => problem.hint("separate columns by commas"),
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem.hint(format!(
                    "the columns are {}, as `numasim bench` writes them, or scenario, app, gflops and, if measured, \
                     bandwidth_gbs and repetition",
                    COLUMNS.join(", ")
                )),
            });
        }
        let missing: Vec<&str> = needed.iter().copied().filter(|name| rows.column(name).is_none()).collect();
        if !missing.is_empty() && problems.is_empty() {
            let what = if missing.len() == 1 { "a column is" } else { "columns are" };
            let problem = rows.header_lacks(format!("{what} missing: {}", missing.join(", ")));
            problems.push(problem.hint(
                "the shortest form is scenario,app,gflops; leave app empty where the GFLOPS are those of the whole \
                 scenario",
            ));
        }
        let place = |name: &str| rows.column(name);
        match (place("scenario"), place("app"), place("gflops")) {
            (Some(scenario), Some(app), Some(gflops)) if problems.is_empty() => Ok(Self {
                scenario,
                app,
                gflops,
                bandwidth: place("bandwidth_gbs"),
                repetition: place("repetition"),
                full: match (place("node"), place("threads"), place("status")) {
                    (Some(node), Some(threads), Some(status)) => Some([node, threads, status]),
                    _ => None,
                },
                run: place("run"),
                problem: place("problem"),
                fitted: place("fitted"),
                doubts: place("doubts"),
            }),
            _ => Err(first(problems)),
        }
    }
}

/// The rows that were read so far.
#[derive(Default)]
struct Reading {
    entries: Vec<Entry>,
    /// Index into `entries`, by scenario and application.
    places: HashMap<String, HashMap<String, usize>>,
    run: Option<String>,
}

/// A node number that a machine can have.
fn node_number(row: &Row<'_>, column: usize) -> Result<usize, Problem> {
    let node = row.whole_number(column, 0, "the number of the node in the machine file, from 0")? as usize;
    if node < MAX_NODES {
        return Ok(node);
    }
    let message = format!("there is no node {node}: a machine has at most {MAX_NODES}, numbered from 0");
    let problem = row.problem(column, ProblemKind::Limit, message);
    Err(problem.hint("write the number of the node in the machine file, from 0"))
}

/// The rows of one application in one scenario.
struct Entry {
    measured: Measured,
    sums: BTreeMap<u32, Sum>,
}

/// The rows of one repetition.
struct Sum {
    gflops: f64,
    bandwidth: Option<f64>,
    /// The position of the row of each node: its first byte and its line.
    rows: BTreeMap<usize, (usize, usize)>,
    /// The reason that it is excluded, and the line of the row.
    bad: Option<(String, usize)>,
}

impl Reading {
    fn add(&mut self, text: &str, columns: &Columns, row: &Row<'_>) -> Result<(), Problem> {
        self.same_run(columns, row)?;
        let scenario = row.name(columns.scenario)?;
        if scenario.is_empty() {
            let problem = row.problem(columns.scenario, ProblemKind::MissingKey, "`scenario` is empty");
            return Err(problem.hint("write the name of a [[scenario]]"));
        }
        let app = row.name(columns.app)?;
        if app.is_empty() && columns.full.is_some() {
            let problem = row.problem(columns.app, ProblemKind::MissingKey, "`app` is empty");
            return Err(
                problem.hint("write the name of the application; only the form without `node` has totals")
            );
        }
        let number = match columns.repetition {
            Some(column) => row.whole_number(column, 1, "the number of the repetition, from 1")?,
            None => 1,
        };
        let (node, threads, status) = match columns.full {
            Some([node, threads, status]) => (
                node_number(row, node)?,
                Some(row.whole_number(threads, 0, "the number of threads on the node")?),
                row.text(Some(status)),
            ),
            None => (0_usize, None, OK),
        };
        let (gflops, bandwidth) = if status == OK {
            let gflops = row.amount(columns.gflops, "GFLOPS, zero or more, such as 22.82")?;
            let bandwidth = match columns.bandwidth {
                Some(column) if !row.text(Some(column)).is_empty() => {
                    Some(row.amount(column, "GB/s (10^9 bytes per second), or leave it empty")?)
                }
                _ => None,
            };
            (gflops, bandwidth)
        } else {
            (0.0, None)
        };

        let entry = self.entry(scenario, app, row.line());
        if let Some(threads) = threads {
            let known = *entry.measured.threads.entry(node).or_insert(threads);
            if known != threads {
                let column = columns.full.map_or(0, |[_, threads, _]| threads);
                let message =
                    format!("{threads} threads of '{app}' on node {node}, and {known} in an earlier row");
                let problem = row.problem(column, ProblemKind::Conflict, message);
                return Err(problem.hint("the repetitions of a scenario have the same threads"));
            }
        }
        entry.measured.fitted |= row.text(columns.fitted) == "true";
        let doubts = row.text(columns.doubts).split_whitespace();
        for doubt in doubts {
            if !entry.measured.doubts.contains(doubt) {
                entry.measured.doubts.insert(doubt.to_owned());
            }
        }
        let sum = entry.sums.entry(number).or_insert(Sum {
            gflops: 0.0,
            bandwidth: Some(0.0),
            rows: BTreeMap::new(),
            bad: None,
        });
        if let Some(&(earlier, _)) = sum.rows.get(&node) {
            let problem = Problem::new(ProblemKind::DuplicateName, "this was measured in an earlier row")
                .at(row.whole(), "again")
                .related(row_place(0, text, earlier), "first here");
            return Err(problem.hint(if columns.repetition.is_none() {
                "number repeated measurements in a column `repetition`, or keep one row"
            } else {
                "keep one row for each scenario, application, node and repetition"
            }));
        }
        sum.rows.insert(node, (row.start(), row.line()));
        sum.gflops += gflops;
        sum.bandwidth = sum.bandwidth.zip(bandwidth).map(|(sum, more)| sum + more);
        if status != OK && sum.bad.is_none() {
            let why = [shown(status), shown(row.text(columns.problem))].join(": ");
            sum.bad = Some((why.trim_end_matches(": ").to_owned(), row.line()));
        }
        Ok(())
    }

    /// Checks that all rows belong to one run of the benchmark.
    fn same_run(&mut self, columns: &Columns, row: &Row<'_>) -> Result<(), Problem> {
        let Some(column) = columns.run else { return Ok(()) };
        let text = row.text(Some(column));
        let known = self.run.get_or_insert_with(|| text.to_owned());
        if known == text {
            return Ok(());
        }
        let message =
            format!("this row is of run '{}', the rows before it of run '{}'", shown(text), shown(known));
        let problem = row.problem(column, ProblemKind::Conflict, message);
        Err(problem.hint("keep each run of the benchmark in a separate file"))
    }

    fn entry(&mut self, scenario: &str, app: &str, line: usize) -> &mut Entry {
        // Names are copied only for the first row of an entry.
        let known = self.places.get(scenario).and_then(|apps| apps.get(app)).copied();
        let place = known.unwrap_or_else(|| {
            let place = self.entries.len();
            self.places.entry(scenario.to_owned()).or_default().insert(app.to_owned(), place);
            let measured = Measured {
                scenario: scenario.to_owned(),
                app: (!app.is_empty()).then(|| app.to_owned()),
                repetitions: Vec::new(),
                threads: BTreeMap::new(),
                fitted: false,
                doubts: BTreeSet::new(),
                line,
            };
            self.entries.push(Entry { measured, sums: BTreeMap::new() });
            place
        });
        &mut self.entries[place]
    }

    fn finish(self, rows: usize) -> Measurements {
        let mut left_out = Vec::new();
        let finished = self.entries.into_iter().map(|Entry { mut measured, sums }| {
            let all: BTreeSet<usize> = sums.values().flat_map(|sum| sum.rows.keys().copied()).collect();
            for (number, sum) in sums {
                let absent = all.iter().find(|node| !sum.rows.contains_key(node));
                let first_line = sum.rows.values().next().map_or(0, |&(_, line)| line);
                let bad = sum.bad.or_else(|| {
                    absent.map(|node| (format!("the row of node {node} is missing"), first_line))
                });
                match bad {
                    Some((why, line)) => left_out.push(LeftOut {
                        scenario: measured.scenario.clone(),
                        app: measured.app.clone().unwrap_or_default(),
                        repetition: number,
                        line,
                        why,
                    }),
                    None => measured.repetitions.push(Repetition {
                        number,
                        gflops: Gflops::new(sum.gflops),
                        bandwidth: sum.bandwidth.map(GigabytesPerSecond::new),
                    }),
                }
            }
            measured
        });
        let measured = finished.collect();
        Measurements { measured, left_out, rows }
    }
}
