//! What the sharing models are worth on published measurements.

use crate::sets::together::verdict;
use crate::sets::totals::{Of, totals};
use crate::sets::{EQUAL_PARTS, Judged, NO_SHARING, Part, Role, Summary, summary};
use numasim_draw::grid::{self, Align, Grid};
use numasim_model::ModelKind;
use serde_json::{Value, json};

use numasim_draw::Style;

pub(crate) mod bundles;
mod scaling;
mod steps;
mod together;

/// The columns of CSV; of bundles, too.
const COLUMNS: [&str; 15] = [
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
    "mean_of_machines",
    "role",
    "falls",
    "figures",
];

/// For people: one table for each question; four rows of figures for each set, a column for each model.
pub(crate) fn table(judged: &[Judged], style: &Style) -> String {
    let mut parts = Vec::new();
    if judged.iter().any(|one| one.part == Part::Scaling) {
        parts.push(scaling::table(judged, style));
    }
    if judged.iter().any(|one| one.part == Part::Steps) {
        parts.push(steps::table(judged, style));
    }
    let others = [
        (
            Part::Links,
            "STREAM of processes on node 0 on the memory of other nodes, by their number",
            "One process and all of them are given, the counts between predicted. As advised: ecm_penalty 0.33. The machine that is marked chose \
             the rule of ecm for links. Errors in %.",
        ),
        (
            Part::Readers,
            "STREAM Triad of several nodes on one memory, predicted from the matrix of single nodes",
            "No fit: the matrix alone. As advised: ecm_penalty 0.33. Fitted: two corrections, to the runs of two nodes, which also chose the rule of \
             ecm for links; the runs of four test. Errors in %.",
        ),
        (
            Part::TableIii,
            "The paper's Table III, each row predicted by a fit of peak, bandwidth and link to the four others",
            "Two more: the corner's softness (knee, or penalty of ecm) and remote_loss. Many combinations were tried on these five rows: no prediction. Errors in %.",
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
            parts.push(part(title, notes, &shown, style));
        }
    }
    let together = together::table(judged, style);
    if !together.is_empty() {
        parts.push(together);
    }
    parts.join("\n")
}

/// The name of a figure of a summary, and the figure.
type Figure = (&'static str, fn(&Summary) -> f64);

fn part(title: &str, notes: &str, judged: &[Judged], style: &Style) -> String {
    let kinds = ModelKind::ALL.iter().map(|kind| kind.name());
    let nulls = [NO_SHARING, EQUAL_PARTS].into_iter();
    let columns: Vec<(String, &str)> = kinds
        .chain(nulls.filter(|null| judged.iter().any(|one| one.model == *null)))
        .map(|name| (name.replacen('-', "-\n", 1), name))
        .collect();
    let mut headers = vec![("set", Align::Left), ("error", Align::Left)];
    headers.extend(columns.iter().map(|(header, _)| (header.as_str(), Align::Right)));
    let mut grid = Grid::new(&headers).named_by(2);
    let mut done: Vec<[String; 2]> = Vec::new();
    for one in judged {
        let label = label(one);
        if done.contains(&label) {
            continue;
        }
        let mut count = 0;
        let summaries: Vec<Option<Summary>> = columns
            .iter()
            .map(|(_, model)| {
                let found = judged.iter().find(|other| other.model == *model && self::label(other) == label);
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
        let lines = if style.markdown { vec![label.concat()] } else { label_lines(&label, count) };
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
    format!("{}{}", heading(title, notes, style), grid.render(style))
}

/// What a table is about.
fn heading(title: &str, notes: &str, style: &Style) -> String {
    let lines = |text: &str| grid::wrap(text, style.columns()).join("\n");
    format!("{}{}\n\n", style.heading(3, &lines(title)), style.faint(&lines(notes)))
}

/// The default is called that: names of models are long.
pub(crate) fn short(model: &str) -> &str {
    if model == ModelKind::default().name() { "default" } else { model }
}

/// What names a row: the set, and what was done with the corrections.
fn label(one: &Judged) -> [String; 2] {
    let role = if one.role == Role::Chose { ", chose" } else { "" };
    [one.set.clone(), format!("  {}{role}", one.variant)]
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

/// One row for each set and method, and for curves added up. Errors are parts of the measured value.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(judged: &[Judged]) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let errors = |summary: &Summary| {
        let errors = [summary.mean, summary.median, summary.percentile_95, summary.worst];
        let errors = errors.map(|error| format!("{error:.5}"));
        std::iter::once(summary.points.to_string()).chain(errors)
    };
    for one in judged {
        let Some(summary) = summary(&one.points) else { continue };
        let head = [one.part.name(), &one.set, &one.traffic, one.write_allocate, one.model, &one.variant];
        let falls = one.falls.map_or_else(String::new, |fall| format!("{:.5}", fall.loss()));
        let tail = [String::new(), one.role.name().to_owned(), falls, one.figures.clone()];
        writer.write_record(head.map(str::to_owned).into_iter().chain(errors(&summary)).chain(tail))?;
    }
    for total in Of::list(judged).into_iter().flat_map(|of| totals(judged, of)) {
        let kernel = total.kernel.as_deref().unwrap_or("all kernels");
        let role = if let Of::Role(role) = total.of { role.name() } else { "" };
        let head = [Part::Scaling.name(), total.of.name(), kernel, "", total.model, &total.variant];
        let tail = [format!("{:.5}", total.of_machines), role.to_owned(), String::new(), String::new()];
        writer.write_record(head.map(str::to_owned).into_iter().chain(errors(&total.pooled)).chain(tail))?;
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
    let mut value =
        json!({ "schema": 1, "command": "published", "judged": judged.iter().map(one).collect::<Vec<_>>() });
    let sets = verdict::of_sets(judged)
        .into_iter()
        .filter(|set| !set.advantages.is_empty() && set.part.is_together());
    let sets: Vec<Value> = sets
        .map(|set| {
            let mut value = json!(set);
            value["better_than_null_models"] = json!(set.is_better());
            value
        })
        .collect();
    if !sets.is_empty() {
        value["sets"] = json!(sets);
    }
    value
}
