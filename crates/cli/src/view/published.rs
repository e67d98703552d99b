//! What the sharing models are worth on published measurements.

use numasim_draw::grid::{self, Align, Grid};
use numasim_evidence::published::{Judged, Part, Summary, all_curves, summary};
use numasim_model::ModelKind;
use serde_json::{Value, json};

use super::Style;

/// The kernel that reads only; of the others the terminal shows totals.
const LOAD: &str = "load";

/// For people: one table for each question; four rows of figures for each set, a column for each model.
pub(crate) fn table(judged: &[Judged], style: &Style) -> String {
    let mut parts = Vec::new();
    let scaling: Vec<Judged> = judged.iter().filter(|one| one.part == Part::Scaling).cloned().collect();
    if !scaling.is_empty() {
        let totals = |overloaded: bool| all_curves(&scaling, overloaded);
        let curves = scaling.iter().filter(|one| one.traffic == LOAD).cloned();
        let mut shown: Vec<Judged> = curves.collect();
        shown.extend(totals(true));
        if scaling.iter().any(|one| one.overloaded) {
            shown.extend(totals(false));
        }
        let title =
            "Bandwidth over cores of one NUMA domain: 1, half and all cores are fitted, the others predicted";
        let notes = "The hard corner is that of every model without correction: equal threads get min(n b1, B). Errors in %.";
        parts.push(part(title, notes, &shown, &by_method(&shown), style));
    }
    let others = [
        (
            Part::Readers,
            "STREAM Triad of several nodes on one memory, predicted from the matrix of single nodes",
            "no fit: the matrix alone. Below: two corrections that fit the runs against the other memories. Errors in %.",
        ),
        (
            Part::TableIii,
            "The paper's Table III, each row predicted by a fit of peak, bandwidth and link to the four others",
            "Two more: the corner's softness (knee, or penalty of ecm) and remote_loss. Errors in %.",
        ),
        (
            Part::CoRun,
            "Local and remote readers of one HBM, totals",
            "Three points only, with a noise of 8 %. Errors in %.",
        ),
    ];
    for (wanted, title, notes) in others {
        let shown: Vec<Judged> = judged.iter().filter(|one| one.part == wanted).cloned().collect();
        if !shown.is_empty() {
            parts.push(part(title, notes, &shown, &by_model(), style));
        }
    }
    parts.join("\n")
}

/// The name of a figure of a summary, and the figure.
type Figure = (&'static str, fn(&Summary) -> f64);

/// A column: its header, and what belongs into it.
struct Column {
    header: String,
    model: &'static str,
    variant: Option<String>,
}

impl Column {
    fn holds(&self, one: &Judged) -> bool {
        one.model == self.model && self.variant.as_ref().is_none_or(|variant| *variant == one.variant)
    }
}

fn by_model() -> Vec<Column> {
    let column = |kind: ModelKind| Column {
        header: kind.name().replacen('-', "-\n", 1),
        model: kind.name(),
        variant: None,
    };
    ModelKind::ALL.map(column).into()
}

fn by_method(judged: &[Judged]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for one in judged {
        if !columns.iter().any(|column| column.holds(one)) {
            let header =
                format!("{}\n{}", one.model.replacen('-', "-\n", 1), one.variant.replace('_', "_\n"));
            columns.push(Column { header, model: one.model, variant: Some(one.variant.clone()) });
        }
    }
    columns
}

fn part(title: &str, notes: &str, judged: &[Judged], columns: &[Column], style: &Style) -> String {
    let mut headers = vec![("set", Align::Left), ("error", Align::Left)];
    headers.extend(columns.iter().map(|column| (column.header.as_str(), Align::Right)));
    let mut grid = Grid::new(&headers).named_by(2);
    let mut done: Vec<[String; 2]> = Vec::new();
    for one in judged {
        let label = label(one, columns);
        if done.contains(&label) {
            continue;
        }
        let mut count = 0;
        let summaries: Vec<Option<Summary>> = columns
            .iter()
            .map(|column| {
                let found =
                    judged.iter().find(|other| column.holds(other) && self::label(other, columns) == label);
                let found = found.and_then(|found| summary(&found.points));
                count = found.map_or(count, |found| found.points);
                found
            })
            .collect();
        let figures: [Figure; 4] = [
            ("mean", |s| s.mean),
            ("median", |s| s.median),
            ("95th %ile", |s| s.percentile_95),
            ("worst", |s| s.worst),
        ];
        let lines = label_lines(&label, count);
        for (line, (name, figure)) in figures.into_iter().enumerate() {
            let first = lines.get(line).cloned().unwrap_or_default();
            let mut row = vec![first, name.to_owned()];
            let cell = |summary: &Option<Summary>| {
                summary.as_ref().map_or("-".to_owned(), |summary| format!("{:.1}", 100.0 * figure(summary)))
            };
            row.extend(summaries.iter().map(cell));
            grid.row(row);
        }
        done.push(label);
    }
    let lines = |text: &str| grid::wrap(text, style.columns()).join("\n");
    format!("{}\n{}\n\n{}", style.strong(&lines(title)), style.faint(&lines(notes)), grid.render(style))
}

/// What names a row: the set, and its traffic or what was done with the corrections.
fn label(one: &Judged, columns: &[Column]) -> [String; 2] {
    let by_method = columns.iter().all(|column| column.variant.is_some());
    let second = if by_method { one.traffic.clone() } else { one.variant.clone() };
    [one.set.clone(), format!("  {second}")]
}

/// The label beside the four figures of a row: the name of the set in short lines, then the rest.
fn label_lines([set, second]: &[String; 2], points: usize) -> Vec<String> {
    const SHORT: usize = 18;
    /// The fourth line is for what is not the name.
    const MOST: usize = 3;
    let mut lines: Vec<String> = Vec::new();
    for part in set.split_inclusive(['_', '-', ' ']) {
        let full = lines.len() >= MOST;
        match lines.last_mut() {
            Some(line) if full || line.len() + part.len() <= SHORT => line.push_str(part),
            _ => lines.push(part.to_owned()),
        }
    }
    lines.push(format!("{second}, {points} points"));
    lines
}

/// One row for each set and method. Errors are parts of the measured value.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(judged: &[Judged]) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "part",
        "set",
        "traffic",
        "write_allocate",
        "model",
        "variant",
        "points",
        "mean",
        "median",
        "percentile_95",
        "worst",
        "figures",
    ])?;
    let totals = [all_curves(judged, true), all_curves(judged, false)].concat();
    for one in judged.iter().chain(&totals) {
        let Some(summary) = summary(&one.points) else { continue };
        let head = [one.part.name(), &one.set, &one.traffic, one.write_allocate, one.model, &one.variant];
        let errors = [summary.mean, summary.median, summary.percentile_95, summary.worst];
        let numbers = errors.map(|error| format!("{error:.5}"));
        let row = head.map(str::to_owned).into_iter().chain([summary.points.to_string()]).chain(numbers);
        writer.write_record(row.chain([one.figures.clone()]))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Every point and every summary.
pub(crate) fn json(judged: &[Judged]) -> Value {
    let one = |one: &Judged| {
        let mut value = json!(one);
        value["summary"] = json!(summary(&one.points));
        value
    };
    json!({ "schema": 1, "command": "published", "judged": judged.iter().map(one).collect::<Vec<_>>() })
}
