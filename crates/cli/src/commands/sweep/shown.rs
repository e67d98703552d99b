//! The rows for people and for programs that want JSON, from their CSV.

use std::collections::VecDeque;
use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid, wrap};
use serde_json::{Map, Value, json};

use super::plan::{Plan, Work};
use super::rows::{self, Column};
use crate::view::{Style, figures};

/// The cells of CSV lines without a header.
pub(super) fn records(text: &[u8]) -> impl Iterator<Item = csv::StringRecord> + '_ {
    let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    reader.into_records().filter_map(Result::ok)
}

/// The number in a cell.
fn number(cell: &str) -> Option<f64> {
    cell.parse().ok()
}

/// Rows at the beginning and at the end that a table shows of a long sweep.
const SHOWN_AT_ENDS: usize = 20;

/// A table for people: the ends of a long sweep, and its best point.
pub(super) struct Table {
    first: Vec<csv::StringRecord>,
    last: VecDeque<csv::StringRecord>,
    rows: u64,
    best: Option<(f64, csv::StringRecord)>,
}

impl Table {
    pub(super) fn new() -> Self {
        Self { first: Vec::new(), last: VecDeque::new(), rows: 0, best: None }
    }

    pub(super) fn add(&mut self, text: &[u8], plan: &Plan, columns: &[Column]) {
        let judged = match plan.work {
            Work::Evaluate(_) => Column::Total,
            Work::Explore(_) => Column::Value,
            Work::Simulate(_) => Column::Makespan,
        };
        let judged = columns.iter().position(|column| *column == judged).unwrap_or_default();
        let smaller_is_better = match &plan.work {
            Work::Evaluate(_) => false,
            Work::Explore(question) => question.objective == numasim_sim::Objective::Makespan,
            Work::Simulate(_) => true,
        };
        for record in records(text) {
            self.rows += 1;
            if let Some(value) = record.get(judged).and_then(number) {
                let better = |(best, _): &(f64, csv::StringRecord)| {
                    if smaller_is_better { value < *best } else { value > *best }
                };
                if self.best.as_ref().is_none_or(better) {
                    self.best = Some((value, record.clone()));
                }
            }
            if self.first.len() < SHOWN_AT_ENDS {
                self.first.push(record);
            } else {
                if self.last.len() == SHOWN_AT_ENDS {
                    self.last.pop_front();
                }
                self.last.push_back(record);
            }
        }
    }

    pub(super) fn text(&self, plan: &Plan, columns: &[Column], style: &Style) -> String {
        let names = rows::names(plan, columns);
        let all: Vec<&csv::StringRecord> = self.first.iter().chain(&self.last).collect();
        // Columns with nothing in them say nothing; one number has the digits of its column.
        let used: Vec<usize> =
            (0..columns.len()).filter(|&c| all.iter().any(|record| !record[c].is_empty())).collect();
        let rounded = |c: usize| {
            matches!(
                columns[c],
                Column::Value
                    | Column::Bound
                    | Column::Total
                    | Column::Gflops(_)
                    | Column::Makespan
                    | Column::Finished(_)
            )
        };
        let cells: Vec<Vec<String>> = used
            .iter()
            .map(|&c| {
                if rounded(c) {
                    let numbers: Vec<f64> =
                        all.iter().map(|record| number(&record[c]).unwrap_or(f64::NAN)).collect();
                    figures::column(&numbers)
                } else if columns[c] == Column::Gap {
                    let percent = |gap: f64| format!("{:.2} %", gap * 100.0);
                    all.iter().map(|record| number(&record[c]).map_or(String::new(), percent)).collect()
                } else {
                    all.iter().map(|record| record[c].to_owned()).collect()
                }
            })
            .collect();
        let align = |c: &usize| match columns[*c] {
            Column::Scenario
            | Column::Policy
            | Column::Status
            | Column::Reason
            | Column::Cautions
            | Column::Threads(_) => Align::Left,
            _ => Align::Right,
        };
        let heading = |name: &str| name.replace(':', "\n");
        let headings: Vec<String> = used.iter().map(|&c| heading(&names[c])).collect();
        let columns_of_grid: Vec<(&str, Align)> =
            headings.iter().zip(&used).map(|(name, c)| (name.as_str(), align(c))).collect();
        let mut grid = Grid::new(&columns_of_grid);
        let left_out = self.rows - all.len() as u64;
        for r in 0..all.len() {
            if left_out > 0 && r == SHOWN_AT_ENDS {
                grid.row(used.iter().map(|_| "…".to_owned()).collect());
            }
            grid.row(cells.iter().map(|column| column[r].clone()).collect());
        }
        let machine = &plan.sweep.study().machine;
        let (machine, model) = (machine.name(), machine.sharing().in_words());
        let points = figures::count(plan.points.end - plan.points.start, "point");
        let mut text =
            format!("Machine: {machine}\nModel:   {model}\nSweep:   {points}\n\n{}", grid.render(style));
        if left_out > 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "\n{left_out} rows between are not shown; --format csv has all of them.");
        }
        if let Some((value, record)) = &self.best {
            let at: Vec<String> = columns
                .iter()
                .enumerate()
                .filter(|(_, column)| matches!(column, Column::Key(_) | Column::Scenario | Column::Policy))
                .map(|(c, _)| format!("{} = {}", names[c], &record[c]))
                .collect();
            let what = match &plan.work {
                Work::Evaluate(_) => "Most GFLOPS".to_owned(),
                Work::Explore(question) => format!("Best {}", question.objective.name()),
                Work::Simulate(_) => "Shortest makespan".to_owned(),
            };
            let best = format!("{what}: {} at {}", figures::single(*value), at.join(", "));
            let _ = writeln!(text, "\n{}", wrap(&best, style.columns()).join("\n"));
        }
        text
    }
}

/// The rows as JSON objects.
pub(super) struct Json {
    objects: String,
}

impl Json {
    pub(super) fn new() -> Self {
        Self { objects: String::new() }
    }

    pub(super) fn add(&mut self, text: &[u8], plan: &Plan, columns: &[Column]) {
        for record in records(text) {
            self.objects.push_str(if self.objects.is_empty() { "\n    " } else { ",\n    " });
            self.objects.push_str(&object(&record, plan, columns).to_string());
        }
    }

    pub(super) fn text(&self, plan: &Plan) -> String {
        let keys: Vec<&str> = plan.sweep.axes().iter().map(numasim_sim::sweep::Axis::key).collect();
        let mut head = json!({
            "schema": 1,
            "command": "sweep",
            "machine": plan.sweep.study().machine.name(),
            "model": plan.sweep.study().machine.sharing().name(),
            "keys": keys,
        });
        if let Work::Explore(question) = &plan.work {
            head["objective"] = question.objective.name().into();
        }
        let head = format!("{head:#}");
        format!("{},\n  \"rows\": [{}\n  ]\n}}\n", head.trim_end_matches(['}', '\n']), self.objects)
    }
}

fn object(record: &csv::StringRecord, plan: &Plan, columns: &[Column]) -> Value {
    let mut point = Map::new();
    let mut object = Map::new();
    let apps = &plan.sweep.study().apps;
    let mut of_apps: Vec<Map<String, Value>> =
        apps.iter().map(|app| Map::from_iter([("name".to_owned(), app.name.clone().into())])).collect();
    let as_number = |cell: &str| number(cell).map_or(Value::Null, Value::from);
    let as_count = |cell: &str| cell.parse::<u64>().map_or(Value::Null, Value::from);
    let mut channels: Vec<Value> = Vec::new();
    let as_text = |cell: &str| if cell.is_empty() { Value::Null } else { Value::from(cell) };
    let as_list = |cell: &str| {
        Value::from(cell.split_whitespace().filter_map(|n| n.parse::<u64>().ok()).collect::<Vec<_>>())
    };
    let as_words = |cell: &str| Value::from(cell.split_terminator(';').collect::<Vec<_>>());
    for (column, cell) in columns.iter().zip(record) {
        let (key, value) = match *column {
            Column::Key(axis) => {
                let value = number(cell).map_or_else(|| Value::from(cell), Value::from);
                point.insert(plan.sweep.axes()[axis].key().to_owned(), value);
                continue;
            }
            Column::Gflops(app) => {
                of_apps[app].insert("gflops".to_owned(), as_number(cell));
                continue;
            }
            Column::Threads(app) => {
                of_apps[app].insert("threads".to_owned(), as_list(cell));
                continue;
            }
            Column::Home(app) => {
                of_apps[app].insert("home".to_owned(), cell.parse::<u64>().map_or(Value::Null, Value::from));
                continue;
            }
            Column::Finished(app) => {
                of_apps[app].insert("finished_s".to_owned(), as_number(cell));
                continue;
            }
            Column::MaxItems(channel) => {
                let ends = &plan.sweep.study().dynamics.channels[channel];
                let name = |app: numasim_model::AppId| apps[app.0].name.as_str();
                channels.push(json!({
                    "from": name(ends.from), "to": name(ends.to), "max_items": as_count(cell),
                }));
                continue;
            }
            Column::Policy => ("policy", as_text(cell)),
            Column::Makespan => ("makespan_s", as_number(cell)),
            Column::Commands => ("commands", as_count(cell)),
            Column::CoreMoves => ("core_moves", as_count(cell)),
            Column::Scenario => ("scenario", as_text(cell)),
            Column::Status => ("status", as_text(cell)),
            Column::Value => ("value", as_number(cell)),
            Column::Bound => ("bound", as_number(cell)),
            Column::Gap => ("gap", as_number(cell)),
            Column::Total => ("total_gflops", as_number(cell)),
            Column::Starved => ("starved_nodes", as_list(cell)),
            Column::Reason => ("reason", as_text(cell)),
            Column::Cautions => ("cautions", as_words(cell)),
        };
        object.insert(key.to_owned(), value);
    }
    let has_result =
        ["total_gflops", "commands"].iter().any(|key| object.get(*key).is_some_and(Value::is_number));
    object.insert(
        "apps".to_owned(),
        if has_result { of_apps.into_iter().map(Value::Object).collect() } else { json!([]) },
    );
    if let (Work::Simulate(_), true) = (&plan.work, has_result) {
        object.insert("channels".to_owned(), channels.into());
    }
    let mut whole = Map::from_iter([("point".to_owned(), Value::Object(point))]);
    whole.append(&mut object);
    Value::Object(whole)
}
