//! Other figures at every point of a grid, as columns.

use std::sync::Arc;

use numasim_ask::caution;
use numasim_model::evaluation::Warning;
use numasim_model::{Study, evaluate};
use numasim_sim::search::{ExploreError, Settings, Status};
use numasim_sim::sweep::{Axis, Evaluator, SettingError, Sweep, Task, Value};
use numasim_sim::{Objective, Restrictions, search};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::array::{self, code, plain};
use crate::columns::coded;
use crate::error;
use crate::exploring::{objective, time_limit, to_restrictions};
use crate::reading::Reading;
use crate::working::{Stop, work};

/// Most numbers of all columns together: 4 GiB.
const MOST_CELLS: u64 = 1 << 29;
/// Points that one worker takes at a time.
const BLOCK: u64 = 1024;
/// Of so many rows one is evaluated in full and checked, as the command line does; the first is, too.
const SAMPLE: u64 = 16_384;

/// The figures of some rows, application by application.
#[derive(Debug, Default)]
struct Rows {
    status: Vec<i32>,
    total: Vec<f64>,
    gflops: Vec<Vec<f64>>,
    /// Why a row has no result, and which nodes remote reads starve: the number of the row, and the words.
    reasons: Vec<(u64, String)>,
    starved: Vec<(u64, String)>,
    /// Of searches.
    value: Vec<f64>,
    bound: Vec<f64>,
    gap: Vec<f64>,
    threads: Vec<Vec<u32>>,
    /// NaN where the data lies on no single node.
    home: Vec<Vec<f64>>,
    cautions: Vec<String>,
}

/// What stands for the numbers of `Rows::status`.
const STATUS: [&str; 5] = ["ok", "optimal", "feasible", "infeasible", "not found"];
const OK: i32 = 0;
const OPTIMAL: i32 = 1;
const FEASIBLE: i32 = 2;
const INFEASIBLE: i32 = 3;
const NOT_FOUND: i32 = 4;

impl Rows {
    fn of(apps: usize) -> Self {
        Self {
            gflops: vec![Vec::new(); apps],
            threads: vec![Vec::new(); apps],
            home: vec![Vec::new(); apps],
            ..Self::default()
        }
    }

    fn push(&mut self, status: i32, gflops: &[f64]) {
        self.status.push(status);
        self.total.push(plain(gflops.iter().sum()));
        for (column, &gflops) in self.gflops.iter_mut().zip(gflops) {
            column.push(plain(gflops));
        }
    }

    fn push_without(&mut self, row: u64, status: i32, reason: String) {
        self.status.push(status);
        self.total.push(f64::NAN);
        self.gflops.iter_mut().for_each(|column| column.push(f64::NAN));
        self.reasons.push((row, reason));
    }

    fn append(&mut self, mut other: Self) {
        self.status.append(&mut other.status);
        self.total.append(&mut other.total);
        for (column, other) in self.gflops.iter_mut().zip(&mut other.gflops) {
            column.append(other);
        }
        self.reasons.append(&mut other.reasons);
        self.starved.append(&mut other.starved);
    }
}

/// What is done at every point.
enum Work {
    Evaluate(Vec<usize>),
    Explore {
        objective: Objective,
        restrictions: Restrictions,
        settings: Settings,
        limit: Option<std::time::Duration>,
    },
}

/// Evaluates scenarios, or searches, at every point of a grid. `settings`: `KEY=VALUES` as on the command line.
#[pyfunction]
#[pyo3(signature = (reading, settings, names=None, model=None, explore=None, seed=0, time_limit_s=None))]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    reading: &Reading,
    settings: Vec<String>,
    names: Option<Vec<String>>,
    model: Option<&str>,
    explore: Option<(String, (bool, bool, u64, bool))>,
    seed: u64,
    time_limit_s: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let study = reading.under(py, model)?.study;
    let task = if explore.is_some() { Task::Explore } else { Task::Evaluate };
    let axes: Vec<Axis> = settings
        .iter()
        .map(|setting| Axis::read(&study, setting, task).map_err(|error| wrong(py, setting, &error)))
        .collect::<PyResult<_>>()?;
    let asked = match &explore {
        None => {
            let wanted = numasim_ask::evaluate::wanted(&study, &names.unwrap_or_default());
            let wanted = wanted.map_err(|refusal| error::refused(py, &refusal))?;
            let is_wanted = |at: &usize| wanted.iter().any(|one| one.name == study.scenarios[*at].name);
            Work::Evaluate((0..study.scenarios.len()).filter(is_wanted).collect())
        }
        Some((name, restrictions)) => {
            if study.apps.is_empty() {
                return Err(error::input(py, "there is no application to place"));
            }
            Work::Explore {
                objective: objective(py, name)?,
                restrictions: to_restrictions(py, *restrictions)?,
                settings: Settings { top: 0, seed, ..Settings::default() },
                limit: time_limit(py, time_limit_s)?,
            }
        }
    };
    let sweep = Sweep::new(Study::clone(&study), axes).map_err(|error| wrong(py, "", &error))?;
    has_room(py, &sweep, &asked)?;
    let stop = Stop::after(None);
    let rows = work(py, &stop, || match &asked {
        Work::Evaluate(scenarios) => evaluated(&sweep, scenarios, &stop),
        Work::Explore { objective, restrictions, settings, limit } => {
            explored(&sweep, *objective, *restrictions, settings, *limit, &stop)
        }
    })?;
    let rows = rows.map_err(|contradiction| error::fault(py, &contradiction))?;
    columns(py, &study, &sweep, &asked, rows)
}

fn wrong(py: Python<'_>, setting: &str, error: &SettingError) -> PyErr {
    let prefix = if setting.is_empty() { String::new() } else { format!("'{setting}': ") };
    let more = match error {
        SettingError::Wrong { hint, .. } => format!(" ({hint})"),
        SettingError::Unknown { known, .. } => format!("; there is: {}", known.join(", ")),
    };
    error::input(py, &format!("{prefix}{error}{more}"))
}

fn has_room(py: Python<'_>, sweep: &Sweep, asked: &Work) -> PyResult<()> {
    let apps = sweep.study().apps.len() as u64;
    let (rows, figures) = match asked {
        Work::Evaluate(scenarios) => (scenarios.len() as u64, apps + 2),
        Work::Explore { .. } => (1, apps * (sweep.study().machine.node_count() as u64 + 2) + 5),
    };
    let cells = sweep.points().saturating_mul(rows).saturating_mul(figures + sweep.axes().len() as u64);
    if cells <= MOST_CELLS {
        return Ok(());
    }
    let message = format!(
        "{} points have {cells} figures, and memory is for {MOST_CELLS}: use larger steps, or `numasim sweep`, which writes while it computes",
        sweep.points()
    );
    Err(error::input(py, &message))
}

fn evaluated(sweep: &Sweep, scenarios: &[usize], stop: &Stop) -> Result<Rows, String> {
    let apps = sweep.study().apps.len();
    let starts: Vec<u64> =
        (0..sweep.points()).step_by(usize::try_from(BLOCK).unwrap_or(usize::MAX)).collect();
    let block = |&start: &u64| {
        let mut rows = Rows::of(apps);
        let mut evaluator = Evaluator::new(sweep, scenarios);
        for point in start..sweep.points().min(start + BLOCK) {
            // Of what was interrupted nobody sees a result.
            if stop.is_interrupted() {
                break;
            }
            evaluator.go_to(point);
            for i in 0..scenarios.len() {
                let row = point * scenarios.len() as u64 + i as u64;
                match evaluator.gflops(i) {
                    Ok(gflops) => rows.push(OK, gflops),
                    Err(reason) => {
                        rows.push_without(row, INFEASIBLE, reason);
                        continue;
                    }
                }
                if row.is_multiple_of(SAMPLE) {
                    evaluator.check(i).map_err(|error| format!("point {point} of the sweep: {error}"))?;
                }
                let starved: Vec<String> = evaluator.starved(i).map(|node| node.0.to_string()).collect();
                if !starved.is_empty() {
                    rows.starved.push((row, starved.join(" ")));
                }
            }
        }
        Ok(rows)
    };
    let blocks: Vec<Rows> = starts.par_iter().map(block).collect::<Result<_, String>>()?;
    let mut all = Rows::of(apps);
    for rows in blocks {
        all.append(rows);
    }
    Ok(all)
}

fn explored(
    sweep: &Sweep,
    objective: Objective,
    restrictions: Restrictions,
    settings: &Settings,
    limit: Option<std::time::Duration>,
    stop: &Stop,
) -> Result<Rows, String> {
    let (apps, nodes) = (sweep.study().apps.len(), sweep.study().machine.node_count());
    let mut rows = Rows::of(apps);
    for point in 0..sweep.points() {
        if stop.is_interrupted() {
            break;
        }
        let found = match sweep.problem(point, objective, restrictions) {
            Err(reason) => Err((INFEASIBLE, reason)),
            Ok(problem) => {
                let clock = stop.for_one(limit);
                match search::explore(&problem, settings, &clock) {
                    Ok(outcome) => Ok((problem, outcome)),
                    Err(ExploreError::Infeasible(reason)) => Err((INFEASIBLE, reason.to_string())),
                    Err(error @ ExploreError::NothingFound) => Err((NOT_FOUND, error.to_string())),
                    Err(ExploreError::Fault(forbidden)) => return Err(forbidden.to_string()),
                }
            }
        };
        let (problem, outcome) = match found {
            Ok(found) => found,
            Err((status, reason)) => {
                rows.push_without(point, status, reason);
                for column in [&mut rows.value, &mut rows.bound, &mut rows.gap] {
                    column.push(f64::NAN);
                }
                rows.threads.iter_mut().for_each(|column| column.extend(std::iter::repeat_n(0, nodes)));
                rows.home.iter_mut().for_each(|column| column.push(f64::NAN));
                rows.cautions.push(String::new());
                continue;
            }
        };
        let best = &outcome.best;
        let evaluation = evaluate(problem.machine(), problem.apps(), &best.placements, &best.allocation)
            .map_err(|error| format!("point {point} of the sweep: {error}"))?;
        let gflops: Vec<f64> = evaluation.apps.iter().map(|app| app.gflops.value()).collect();
        rows.push(if outcome.status == Status::Optimal { OPTIMAL } else { FEASIBLE }, &gflops);
        // As the command line sums it.
        if let Some(total) = rows.total.last_mut() {
            *total = plain(evaluation.total.value());
        }
        rows.value.push(plain(outcome.value));
        rows.bound.push(plain(outcome.bound));
        rows.gap.push(plain(outcome.gap));
        for app in 0..apps {
            rows.threads[app].extend_from_slice(best.allocation.row(numasim_model::AppId(app)));
            let home = best.placements[app].home();
            rows.home[app].push(home.map_or(f64::NAN, |home| home.0 as f64));
        }
        let starved: Vec<String> = evaluation
            .warnings
            .iter()
            .map(|Warning::StarvedByRemote { node, .. }| node.0.to_string())
            .collect();
        if !starved.is_empty() {
            rows.starved.push((point, starved.join(" ")));
        }
        rows.cautions.push(caution::codes(&problem.cautions(&best.allocation, &evaluation)));
    }
    Ok(rows)
}

/// Columns by their names, each an array, or the codes and the words of its rows.
fn columns<'py>(
    py: Python<'py>,
    study: &Arc<Study>,
    sweep: &Sweep,
    asked: &Work,
    rows: Rows,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let per_point = match asked {
        Work::Evaluate(scenarios) => scenarios.len() as u64,
        Work::Explore { .. } => 1,
    };
    let all = sweep.points() * per_point;
    let mut repeat = all;
    for axis in sweep.axes() {
        repeat /= axis.len();
        let at = |row: u64| (row / repeat) % axis.len();
        let words: Vec<&str> = (0..axis.len())
            .filter_map(|i| match axis.value(i) {
                Value::Data(word, _) => Some(word),
                Value::Number(_) => None,
            })
            .collect();
        if words.is_empty() {
            let number = |row| match axis.value(at(row)) {
                Value::Number(number) => plain(number),
                Value::Data(..) => f64::NAN,
            };
            columns.set_item(axis.key(), array::one(py, (0..all).map(number).collect()))?;
        } else {
            let codes = (0..all).map(|row| code(at(row))).collect();
            columns.set_item(axis.key(), coded(py, codes, &words)?)?;
        }
    }
    if let Work::Evaluate(scenarios) = asked {
        let names: Vec<&str> =
            scenarios.iter().map(|&number| study.scenarios[number].name.as_str()).collect();
        let codes = (0..all).map(|row| code(row % per_point)).collect();
        columns.set_item("scenario", coded(py, codes, &names)?)?;
    }
    columns.set_item("status", coded(py, rows.status, &STATUS)?)?;
    if let Work::Explore { .. } = asked {
        for (name, column) in [("value", rows.value), ("bound", rows.bound), ("gap", rows.gap)] {
            columns.set_item(name, array::one(py, column))?;
        }
    }
    columns.set_item("total_gflops", array::one(py, rows.total))?;
    for (app, column) in study.apps.iter().zip(rows.gflops) {
        columns.set_item(format!("gflops:{}", app.name), array::one(py, column))?;
    }
    if let Work::Explore { .. } = asked {
        let (points, nodes) = (rows.cautions.len(), study.machine.node_count());
        for (app, column) in study.apps.iter().zip(rows.threads) {
            columns.set_item(format!("threads:{}", app.name), array::two(py, points, nodes, column)?)?;
        }
        for (number, (app, column)) in study.apps.iter().zip(rows.home).enumerate() {
            if sweep.may_choose_home(number) {
                columns.set_item(format!("home:{}", app.name), array::one(py, column))?;
            }
        }
        let (codes, words) = by_code(rows.cautions.iter().enumerate().map(|(i, word)| (i as u64, word)), all);
        columns.set_item("cautions", coded(py, codes, &words)?)?;
    }
    for (name, sparse) in [("starved_nodes", &rows.starved), ("reason", &rows.reasons)] {
        let (codes, words) = by_code(sparse.iter().map(|(row, word)| (*row, word)), all);
        columns.set_item(name, coded(py, codes, &words)?)?;
    }
    Ok(columns)
}

/// The rows of sparse words as codes: 0 where there is nothing.
fn by_code<'a>(sparse: impl Iterator<Item = (u64, &'a String)>, rows: u64) -> (Vec<i32>, Vec<&'a str>) {
    let mut codes = vec![0; usize::try_from(rows).unwrap_or_default()];
    let mut words = vec![""];
    let mut known = std::collections::HashMap::from([("", 0)]);
    for (row, word) in sparse {
        let next = code(words.len() as u64);
        let found = *known.entry(word.as_str()).or_insert(next);
        if found == next {
            words.push(word);
        }
        if let Some(cell) = usize::try_from(row).ok().and_then(|row| codes.get_mut(row)) {
            *cell = found;
        }
    }
    (codes, words)
}
