//! `--plot`: one axis as lines, two as a heat map.

use std::path::Path;

use numasim_ask::sweep::Work;
use numasim_ask::table::Table;
use numasim_ask::wording::{self, axis_title};
use numasim_course::Study;
use numasim_draw::figures;
use numasim_draw::heat_map::HeatMap;
use numasim_draw::line::{Line, LinePlot};
use numasim_draw::{Heading, Scale};
use numasim_model::{NodeId, Placement};
use numasim_policy::PolicyName;
use numasim_sim::Objective;
use numasim_sim::sweep::{Axis, Value};

use super::Plan;
use crate::commands::plot::allocations::only_best;
use crate::failure::Failure;
use crate::plot_file::PlotFile;

/// Maximum number of values along a line, and of cells of a heat map: more would be smaller than a pixel.
const MOST_VALUES: u64 = 100_000;
/// Maximum number of applications whose lines can be distinguished.
const MOST_APPS: usize = 6;

/// The values of a plot, collected row by row.
pub(super) struct Drawing {
    file: PlotFile,
    /// The columns whose sum is the main result of the sweep.
    total: Vec<usize>,
    /// The additional columns that are drawn.
    columns: Vec<usize>,
    /// For each row the sum, and one value of each of `columns`; NaN for a missing value.
    values: Vec<f64>,
    /// The axes with more than one value.
    axes: Vec<usize>,
}

impl Drawing {
    /// Checks that the sweep can be drawn, before anything is computed.
    pub(super) fn open(path: &Path, plan: &Plan) -> Result<Self, Failure> {
        let (sweep, columns) = (plan.sweep.grid(), plan.sweep.columns());
        let axes: Vec<usize> = (0..sweep.axes().len()).filter(|&a| sweep.axes()[a].len() > 1).collect();
        if !(1..=2).contains(&axes.len()) {
            return Err(Failure::input(format!(
                "a plot shows one or two axes, but this sweep has {} with more than one value",
                axes.len()
            ))
            .hint("give the other keys one value each, or leave out --plot"));
        }
        if sweep.points() > MOST_VALUES {
            return Err(Failure::input(format!("{} points are more than a plot can show", sweep.points()))
                .hint(format!("use larger steps (at most {MOST_VALUES} points), or leave out --plot")));
        }
        if axes.len() == 2 && plan.sweep.rows_per_point() > 1 {
            return Err(match plan.sweep.work() {
                Work::Simulate(_) => {
                    Failure::input("a heat map shows one policy").hint("choose it with --policy")
                }
                _ => Failure::input("a heat map shows one scenario").hint("choose it with --scenario"),
            });
        }
        let file = PlotFile::open(Some(path))?;
        let of = |names: &[&str]| -> Vec<usize> {
            (0..columns.len()).filter(|&c| names.contains(&&*columns[c].name)).collect()
        };
        let speed = if unit(plan) == "GFLOPS" { "gflops" } else { "rate" };
        let total = match plan.sweep.work() {
            Work::Evaluate(_) if speed == "rate" => of(&["rate"]),
            Work::Evaluate(_) => of(&["total_gflops"]),
            Work::Explore(_) | Work::Simulate(_) => of(&["value", "makespan_s"]),
        };
        let columns = if axes.len() == 1 && with_apps(plan) { of(&[speed]) } else { Vec::new() };
        Ok(Self { file, total, columns, values: Vec::new(), axes })
    }

    /// Receives rows.
    pub(super) fn add(&mut self, table: &Table) {
        for row in table.rows() {
            self.take(|c| row[c].number());
        }
    }

    fn take(&mut self, cell: impl Fn(usize) -> Option<f64>) {
        let value = |&c: &usize| cell(c).unwrap_or(f64::NAN);
        self.values.push(self.total.iter().map(value).fold(0.0, |sum, value| sum + value));
        self.values.extend(self.columns.iter().map(value));
    }

    /// Receives a line of CSV, from a file that is continued.
    pub(super) fn add_line(&mut self, text: &[u8]) {
        let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
        for record in reader.into_records().filter_map(Result::ok) {
            self.take(|c| record.get(c)?.parse().ok());
        }
    }

    /// Draws everything and writes it.
    pub(super) fn deliver(&self, plan: &Plan) -> Result<(), Failure> {
        let svg = match self.axes.as_slice() {
            [x] => self.lines(plan, *x).svg(),
            [x, y] => self.heat_map(plan, *x, *y).svg(),
            _ => return Err(Failure::fault("a plot of no axes")),
        };
        self.file.deliver(&svg)
    }

    fn lines(&self, plan: &Plan, x: usize) -> LinePlot {
        let (width, rows) = (1 + self.columns.len(), plan.sweep.rows_per_point());
        let values = |row: usize, column: usize| -> Vec<f64> {
            self.values.iter().skip(row * width + column).step_by(rows * width).copied().collect()
        };
        let lines = match plan.sweep.work() {
            Work::Evaluate(scenarios) if scenarios.len() > 1 => {
                let line = |(row, &s): (usize, &usize)| Line {
                    name: plan.sweep.grid().study().scenarios[s].name.clone(),
                    values: values(row, 0),
                };
                together(scenarios.iter().enumerate().map(line))
            }
            Work::Simulate(asked) => {
                let name = |policy: &PolicyName| match policy {
                    PolicyName::Lead(_) if plan.sweep.sweeps_lead() => "lead".to_owned(),
                    policy => policy.to_string(),
                };
                let line = |row: usize| Line {
                    name: asked.policies.get(row).map_or_else(|| "makespan".to_owned(), name),
                    values: values(row, 0),
                };
                together((0..rows).map(line))
            }
            work => {
                let apps = plan.sweep.grid().study().apps.iter();
                let counting = apps.clone().filter(|app| app.unit() == unit(plan));
                let all = match work {
                    Work::Evaluate(_) if counting.clone().count() < apps.count() => "all in GFLOPS",
                    Work::Evaluate(_) => "all applications",
                    _ => "best",
                };
                let apps = counting.map(|app| app.name.as_str());
                let names = std::iter::once(all).chain(apps).take(width);
                together(
                    names.enumerate().map(|(c, name)| Line { name: name.to_owned(), values: values(0, c) }),
                )
            }
        };
        LinePlot {
            heading: heading(plan, None),
            x: axis(&plan.sweep.grid().axes()[x]),
            y: title_of_values(plan),
            lines,
        }
    }

    fn heat_map(&self, plan: &Plan, x: usize, y: usize) -> HeatMap {
        let least = match plan.sweep.work() {
            Work::Evaluate(_) => false,
            Work::Explore(question) => question.objective == Objective::Makespan,
            Work::Simulate(_) => true,
        };
        let best = only_best(&self.values, least);
        HeatMap {
            heading: heading(plan, best.map(|at| self.values[at])),
            x: axis(&plan.sweep.grid().axes()[x]),
            y: axis(&plan.sweep.grid().axes()[y]),
            label: title_of_values(plan),
            values: self.values.clone(),
            best,
            numbers: false,
            gap: "no result",
        }
    }
}

/// Merges coinciding lines, such as those of equal instances, into one line with all their names.
fn together(lines: impl Iterator<Item = Line>) -> Vec<Line> {
    // Differences due to rounding are not visible.
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs() || (a.is_nan() && b.is_nan());
    let same = |a: &Line, b: &Line| a.values.iter().zip(&b.values).all(close);
    let mut distinct: Vec<Line> = Vec::new();
    for line in lines {
        match distinct.iter_mut().find(|other| same(other, &line)) {
            Some(other) => {
                other.name.push_str(", ");
                other.name.push_str(&line.name);
            }
            None => distinct.push(line),
        }
    }
    distinct
}

/// Whether the objective weights the GFLOPS of the applications.
fn weighted(plan: &Plan) -> bool {
    let swept = plan.sweep.grid().axes().iter().any(|axis| axis.key().ends_with(".weight"));
    swept || wording::weighted(&plan.sweep.grid().study().apps)
}

/// Whether the lines of the applications are also drawn: if there are few, in the unit of the total.
fn with_apps(plan: &Plan) -> bool {
    let in_gflops = match plan.sweep.work() {
        Work::Evaluate(scenarios) => scenarios.len() == 1,
        Work::Explore(question) => question.objective == Objective::TotalGflops && !weighted(plan),
        Work::Simulate(_) => false,
    };
    in_gflops && (2..=MOST_APPS).contains(&plan.sweep.grid().study().apps.len())
}

/// The unit of the total: that of all applications, or GFLOPS of those that count FLOP.
pub(super) fn unit(plan: &Plan) -> &str {
    wording::common_unit(&plan.sweep.grid().study().apps).unwrap_or("GFLOPS")
}

fn title_of_values(plan: &Plan) -> String {
    let objective = match plan.sweep.work() {
        Work::Evaluate(_) => return unit(plan).to_owned(),
        Work::Simulate(_) => Objective::Makespan,
        Work::Explore(question) => question.objective,
    };
    axis_title(objective, weighted(plan)).to_owned()
}

/// The question; below it the work, the keys with one value, and the machine.
fn heading(plan: &Plan, best: Option<f64>) -> Heading {
    let study = plan.sweep.grid().study();
    let mut parts = vec![match plan.sweep.work() {
        Work::Simulate(asked) => match asked.policies.as_slice() {
            [] => "policy of the files".to_owned(),
            [only] => format!("policy {only}"),
            several => format!("{} policies", several.len()),
        },
        Work::Evaluate(scenarios) => match scenarios.as_slice() {
            [only] => format!("scenario {}", study.scenarios[*only].name),
            several => format!("{} scenarios", several.len()),
        },
        Work::Explore(question) => match question.objective {
            objective @ (Objective::Fair | Objective::Geomean) => {
                let p = wording::relative(&study.apps);
                format!("best for {}, p = {p} on the machine", objective.as_str())
            }
            other => format!("best for {}", other.as_str()),
        },
    }];
    // Placed before parts that may be long, because a subtitle is cut at the edge of the picture.
    parts.push(format!("model {}", study.machine.sharing().name()));
    let fixed = plan.sweep.grid().axes().iter().filter(|axis| axis.len() == 1);
    parts.extend(fixed.map(|axis| format!("{} = {}", axis.key(), word(axis.value(0)))));
    if let Some(best) = best {
        parts.push(format!("○ best point: {}", figures::single(best)));
    }
    parts.push(study.machine.name().to_owned());
    let varied = plan.sweep.grid().axes().iter().filter(|axis| axis.len() > 1);
    let varied: Vec<String> = varied.map(|axis| axis.key().to_string()).collect();
    let title = if varied.is_empty() {
        "What is the result?".to_owned()
    } else {
        format!("How does the result depend on {}?", varied.join(" and "))
    };
    Heading { title, subtitle: parts.join("; ") }
}

fn word(value: Value<'_>) -> String {
    match value {
        Value::Number(number) => figures::short(number),
        Value::Data(word, _) => word.to_owned(),
    }
}

/// The only node that has a share of the data in all placements of an axis, and these shares; the rest is local to each thread.
fn shares(axis: &Axis<Study>) -> Option<(NodeId, Vec<f64>)> {
    let mut node = None;
    let mut shares = Vec::new();
    for i in 0..axis.len() {
        let Value::Data(_, data) = axis.value(i) else { return None };
        let (home, share) = match data.placement()? {
            Placement::Local => (None, 0.0),
            Placement::Home(home) => (Some(*home), 1.0),
            Placement::PartHome { home, share } => (Some(*home), *share),
            Placement::Interleave
            | Placement::Fractions(_)
            | Placement::PartInterleave { .. }
            | Placement::Replicated => return None,
        };
        if home.is_some() && home != *node.get_or_insert(home) {
            return None;
        }
        shares.push(share);
    }
    Some((node.flatten()?, shares))
}

fn axis(axis: &Axis<Study>) -> numasim_draw::Axis {
    if let Some((node, shares)) = shares(axis).filter(|(_, shares)| shares.is_sorted_by(|a, b| a < b)) {
        let label = format!("{}: share on {node}, the rest local", axis.key());
        return numasim_draw::Axis { label, scale: Scale::Linear(shares) };
    }
    let unit = if axis.unit().is_empty() { String::new() } else { format!(" ({})", axis.unit()) };
    let mut numbers = Vec::new();
    for value in (0..axis.len()).map(|i| axis.value(i)) {
        if let Value::Number(number) = value {
            numbers.push(number);
        }
    }
    let rises = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    let falls = numbers.windows(2).all(|pair| pair[0] > pair[1]);
    let scale = if numbers.is_empty() || !(rises || falls) {
        // An unordered list keeps its given order.
        Scale::Words((0..axis.len()).map(|i| word(axis.value(i))).collect())
    } else if axis.is_geometric() {
        Scale::Log(numbers)
    } else {
        Scale::Linear(numbers)
    };
    numasim_draw::Axis { label: format!("{}{unit}", axis.key()), scale }
}
