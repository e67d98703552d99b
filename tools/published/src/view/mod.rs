//! Assessment of the sharing models on published measurements.

use crate::sets::together::verdict::{self, OfSet};
use crate::sets::totals::{self, Total, totals};
use crate::sets::{EQUAL_PARTS, Judged, NO_SHARING, Part, Role, Summary, summary};
use numasim_ask::table::{self, Of};
use numasim_draw::grid::{self, Align, Grid};
use numasim_model::ModelKind;
use serde::Serialize;

use numasim_draw::Style;

pub(crate) mod bundles;
mod scaling;
mod steps;
mod together;

/// A row of CSV: a method on a set, or on several of them. Errors are fractions of the measured value.
struct Row<'a> {
    part: &'static str,
    set: &'a str,
    traffic: &'a str,
    write_allocate: &'static str,
    model: &'a str,
    variant: &'a str,
    errors: Summary,
    mean_of_machines: Option<f64>,
    role: Option<Role>,
    falls: Option<f64>,
    figures: &'a str,
}

/// The columns of CSV.
fn columns<'a>() -> [Of<'a, Row<'a>>; 16] {
    let error = |name, error: fn(&Row<'a>) -> Option<f64>| {
        Of::text(name, move |row: &Row<'a>| error(row).map(|error| format!("{error:.5}")))
    };
    [
        Of::text("part", |row: &Row<'a>| row.part),
        Of::text("set", |row: &Row<'a>| row.set),
        Of::text("traffic", |row: &Row<'a>| row.traffic),
        Of::text("write_allocate", |row: &Row<'a>| row.write_allocate),
        Of::text("model", |row: &Row<'a>| row.model),
        Of::text("variant", |row: &Row<'a>| row.variant),
        Of::count("points", |row: &Row<'a>| row.errors.points),
        error("mean", |row| Some(row.errors.mean)),
        error("median", |row| Some(row.errors.median)),
        error("percentile_95", |row| Some(row.errors.percentile_95)),
        error("worst", |row| Some(row.errors.worst)),
        error("held", |row| row.errors.held),
        error("mean_of_machines", |row| row.mean_of_machines),
        Of::text("role", |row: &Row<'a>| row.role.map(Role::name)),
        error("falls", |row| row.falls),
        Of::text("figures", |row: &Row<'a>| row.figures),
    ]
}

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
            "One process and all of them are given, the counts between predicted. As advised: ecm with its usual penalties. The machine that is marked chose \
             the rule of ecm for links. Errors in %.",
        ),
        (
            Part::Readers,
            "STREAM Triad of several nodes on one memory, predicted from the matrix of single nodes",
            "No fit: the matrix alone. As advised: ecm with its usual penalties. Fitted: two corrections, to the runs of two nodes, which also chose the rule of \
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

/// The name of a value of a summary, and the value.
type Figure = (&'static str, fn(&Summary) -> f64);

fn part(title: &str, notes: &str, judged: &[Judged], style: &Style) -> String {
    let kinds = ModelKind::ALL.iter().map(|kind| kind.as_str());
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

/// The subject of a table.
fn heading(title: &str, notes: &str, style: &Style) -> String {
    let lines = |text: &str| grid::wrap(text, style.columns()).join("\n");
    format!("{}{}\n\n", style.heading(3, &lines(title)), style.faint(&lines(notes)))
}

/// A short name for the default, because names of models are long.
pub(crate) fn short(model: &str) -> &str {
    if model == ModelKind::default().as_str() { "default" } else { model }
}

/// The name of a row: the set, and the treatment of the corrections.
fn label(one: &Judged) -> [String; 2] {
    let role = if one.role == Role::Chose { ", chose" } else { "" };
    [one.set.clone(), format!("  {}{role}", one.variant)]
}

/// The label next to the four values of a row: the name of the set in short lines, then the rest.
fn label_lines([set, second]: &[String; 2], points: usize) -> Vec<String> {
    const SHORT: usize = 18;
    /// The fourth line contains the rest.
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

/// One row for each set and method, and for curves added up.
pub(crate) fn csv(judged: &[Judged]) -> String {
    let of_sets = judged.iter().filter_map(|one| {
        Some(Row {
            part: one.part.name(),
            set: &one.set,
            traffic: &one.traffic,
            write_allocate: one.write_allocate,
            model: one.model,
            variant: &one.variant,
            errors: summary(&one.points)?,
            mean_of_machines: None,
            role: Some(one.role),
            falls: one.falls.map(|fall| fall.loss()),
            figures: &one.figures,
        })
    });
    let totals: Vec<Total> = totals::Of::list(judged).into_iter().flat_map(|of| totals(judged, of)).collect();
    let of_several = totals.iter().map(|total| Row {
        part: Part::Scaling.name(),
        set: total.of.name(),
        traffic: total.kernel.as_deref().unwrap_or("all kernels"),
        write_allocate: "",
        model: total.model,
        variant: &total.variant,
        errors: total.pooled,
        mean_of_machines: Some(total.of_machines),
        role: if let totals::Of::Role(role) = total.of { Some(role) } else { None },
        falls: None,
        figures: "",
    });
    table::csv(&columns(), of_sets.chain(of_several))
}

/// Every point and every summary.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    schema: u64,
    command: &'static str,
    judged: Vec<JudgedEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sets: Vec<SetEntry>,
}

#[derive(Serialize)]
struct JudgedEntry<'a> {
    #[serde(flatten)]
    judged: &'a Judged,
    summary: Option<Summary>,
}

#[derive(Serialize)]
struct SetEntry {
    #[serde(flatten)]
    set: OfSet,
    better_than_null_models: Option<bool>,
}

impl<'a> From<&'a [Judged]> for Document<'a> {
    fn from(judged: &'a [Judged]) -> Self {
        let sets = verdict::of_sets(judged)
            .into_iter()
            .filter(|set| !set.advantages.is_empty() && set.part.is_together());
        Self {
            schema: 1,
            command: "published",
            judged: judged
                .iter()
                .map(|judged| JudgedEntry { judged, summary: summary(&judged.points) })
                .collect(),
            sets: sets.map(|set| SetEntry { better_than_null_models: set.is_better(), set }).collect(),
        }
    }
}
