//! Values as text: for CSV, and for people.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use numasim_course::{Phase, Scaling, Work};
use numasim_draw::Style;
use numasim_draw::grid::{self, Align, fit, fold, width};
use numasim_model::units::Gflop;
use numasim_model::{App, Data, NodeId, Placement};
use numasim_study::keys::{Echo, Key};

use crate::document;

/// The mark of a value that is missing in all files.
pub(super) const DEFAULT: &str = "(default)";

/// Maximum number of entries of a list that are shown.
const MOST_ENTRIES: usize = 4;

/// A word as it is, numbers separated by spaces, everything else as JSON; empty without a value.
pub(super) fn plain(value: &Echo) -> String {
    match value {
        Echo::None => String::new(),
        Echo::Text(text) => text.clone(),
        Echo::List(list) if list.iter().all(|value| matches!(value, Echo::Number(_) | Echo::Whole(_))) => {
            list.iter().map(document::text).collect::<Vec<_>>().join(" ")
        }
        other => document::text(other),
    }
}

/// For people: a number with its unit, or the default of the key if there is no value.
pub(super) fn shown(key: &Key, value: &Echo) -> String {
    let unit = match value {
        Echo::Number(_) | Echo::Whole(_) => key.unit(),
        _ => "",
    };
    let words = without_unit(key, value);
    if unit.is_empty() { words } else { format!("{words} {unit}") }
}

/// The same without the unit, which is printed with the name of the key.
pub(super) fn without_unit(key: &Key, value: &Echo) -> String {
    match value {
        Echo::None => absent(key).to_owned(),
        Echo::Number(number) => figure(*number),
        Echo::List(list) => list.iter().map(plain).collect::<Vec<_>>().join(" "),
        other => plain(other),
    }
}

/// Text for a missing value: the default of the key.
pub(super) fn absent(key: &Key) -> &'static str {
    match key.name {
        "throttle" => "no limit",
        "partition_ns_per_vertex_edge" => "of this program",
        // For a program that is only started.
        "arithmetic_intensity" => "not given",
        _ => key.default,
    }
}

/// A value, marked if it is missing in all files.
pub(super) fn marked(value: String, default: bool) -> String {
    if default { format!("{value} {DEFAULT}") } else { value }
}

/// One value in full precision, with an exponent if it would be long.
pub(super) fn figure(value: f64) -> String {
    if value == 0.0 || (1e-4..1e9).contains(&value) { value.to_string() } else { format!("{value:e}") }
}

/// Values of one column with the same number of decimals: as many as needed, but at most 3.
///
/// Small values, for which three decimals lose information, are all shown in full.
pub(super) fn figures(values: &[f64]) -> Vec<String> {
    const MOST: usize = 3;
    let decimals = |value: f64| value.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let needed = values.iter().map(|&value| decimals(value)).max().unwrap_or(0);
    if values.iter().any(|&value| value != 0.0 && !(0.1..1e9).contains(&value)) {
        return values.iter().map(|&value| figure(value)).collect();
    }
    values.iter().map(|value| format!("{value:.*}", needed.min(MOST))).collect()
}

/// A sum, without the rounding errors in its last digits.
pub(super) fn total(values: impl Iterator<Item = f64>) -> String {
    // The sum of an empty list is -0.0.
    let sum = values.sum::<f64>() + 0.0;
    if !(0.1..1e9).contains(&sum) {
        return figure(sum);
    }
    let text = format!("{sum:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Ranges of equal neighbours: "0-3".
pub(super) fn runs<T: PartialEq>(items: &[T]) -> Vec<(RangeInclusive<usize>, &T)> {
    let mut runs: Vec<(RangeInclusive<usize>, &T)> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match runs.last_mut() {
            Some((range, same)) if *same == item => *range = *range.start()..=index,
            _ => runs.push((index..=index, item)),
        }
    }
    runs
}

/// "3" or "0-3".
pub(super) fn range(range: &RangeInclusive<usize>) -> String {
    if range.start() == range.end() {
        range.start().to_string()
    } else {
        format!("{}-{}", range.start(), range.end())
    }
}

/// "0-3, 6": ascending node numbers.
pub(super) fn ranges_of(nodes: &[NodeId]) -> String {
    let runs = nodes.chunk_by(|a, b| a.0 + 1 == b.0).filter_map(|run| Some(run.first()?.0..=run.last()?.0));
    runs.map(|run| range(&run)).collect::<Vec<_>>().join(", ")
}

/// Data placement, in few words.
pub(super) fn data(data: &Data) -> String {
    const REST: &str = "the rest local";
    match data {
        Data::OpenHome { share } if *share < 1.0 => format!("{} on any node, {REST}", figure(*share)),
        Data::OpenHome { .. } => "home = any node".to_owned(),
        Data::OpenFractions => "fractions = any".to_owned(),
        Data::Placed(Placement::PartHome { home, share }) => format!("{} on {home}, {REST}", figure(*share)),
        Data::Placed(Placement::PartInterleave { share }) => {
            format!("{} on all nodes, {REST}", figure(*share))
        }
        Data::Placed(word @ (Placement::Local | Placement::Interleave | Placement::Replicated)) => {
            word.to_string()
        }
        Data::Placed(Placement::Home(home)) => format!("home = {home}"),
        Data::Placed(Placement::Fractions(fractions)) => {
            let runs = runs(fractions);
            let one = |(nodes, fraction): &(RangeInclusive<usize>, &f64)| {
                format!("{} on {}", figure(**fraction), range(nodes))
            };
            runs.iter().filter(|(_, fraction)| **fraction > 0.0).map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

/// `dmv, rows = 5120, iterations = 10`
pub(super) fn kernel(app: &App) -> String {
    let sizes = app.problem.iter().flat_map(numasim_model::problem::KernelProblem::sizes);
    sizes.fold(app.kernel_word().to_owned(), |text, (key, value)| format!("{text}, {key} = {value}"))
}

/// A phase in few words.
pub(super) fn phase(phase: &Phase) -> String {
    let work = match &phase.work {
        Some(Work::Divisible(work)) => format!("{} GFLOP", figure(work.value())),
        Some(Work::Tasks { count, each }) => format!("{count} x {}", list(each)),
        None => "work not given".to_owned(),
    };
    format!("{work} at {} FLOP/byte", figure(phase.arithmetic_intensity.value()))
}

/// The work of tasks: `3, 4 GFLOP`.
pub(super) fn list(each: &[Gflop]) -> String {
    let mut shown: Vec<String> = each.iter().take(MOST_ENTRIES).map(|work| figure(work.value())).collect();
    if each.len() > MOST_ENTRIES {
        shown.push(format!("… ({} in all)", each.len()));
    }
    format!("{} GFLOP", shown.join(", "))
}

/// How several threads scale together, in few words.
pub(super) fn scaling(scaling: &Scaling) -> String {
    match scaling {
        Scaling::Linear => "linear".to_owned(),
        Scaling::Serial { fraction } => format!("{} serial", figure(*fraction)),
        Scaling::Table(points) => {
            let (threads, speedup) = points.last().copied().unwrap_or((1, 1.0));
            format!("{} times with {threads} threads", figure(speedup))
        }
    }
}

/// Threads on each node, equal ones merged.
pub(super) fn threads(threads: &[u32]) -> String {
    let runs = runs(threads);
    if let [(_, each)] = runs.as_slice() {
        return format!("{each} on each node");
    }
    let some = runs.iter().filter(|(_, threads)| **threads > 0);
    some.map(|(nodes, each)| format!("{each} on node {}", range(nodes))).collect::<Vec<_>>().join(", ")
}

// Aligned columns without rules, indented, and labels with text.

/// Spaces before a row.
const INDENT: usize = 2;
/// Spaces between columns.
const GAP: usize = 2;

/// Rows of cells, indented, with two spaces between columns and none at the end of a line. Columns beyond `most` are printed below, with
/// the first column repeated; text that is longer than a line is broken.
///
/// The first row contains the titles.
pub(super) fn write(text: &mut String, rows: &[Vec<String>], align: &[Align], style: &Style) {
    if style.markdown {
        let (titles, rows) = rows.split_first().map_or((&[][..], rows), |(titles, rows)| (titles, rows));
        text.push_str(&in_markdown(titles, rows, align, style));
        return;
    }
    write_untitled(text, rows, align, style);
}

/// The same without titles.
pub(super) fn write_untitled(text: &mut String, rows: &[Vec<String>], align: &[Align], style: &Style) {
    if style.markdown {
        text.push_str(&in_markdown(&[], rows, align, style));
        return;
    }
    let most = style.columns();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
    let mut widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0)).collect();
    let room = most.saturating_sub(INDENT);
    if widths.iter().map(|width| width + GAP).sum::<usize>() > room + GAP {
        let (first, others) = widths.split_at_mut(1.min(columns));
        for width in first.iter_mut() {
            *width = (*width).min(room / 2);
        }
        let beside = first.iter().sum::<usize>() + GAP;
        for width in others {
            *width = (*width).min(room.saturating_sub(beside));
        }
    }
    for (part, columns) in fold(&widths, 1, GAP, room).iter().enumerate() {
        if part > 0 {
            text.push('\n');
        }
        for row in rows {
            let cells = columns.iter().map(|&column| {
                let cell = row.get(column).map_or("", String::as_str);
                (cell, widths[column], aligned(align, column))
            });
            text.push_str(&grid::row(cells, &" ".repeat(INDENT)));
        }
    }
}

/// Rows may be of different lengths.
fn in_markdown(titles: &[String], rows: &[Vec<String>], align: &[Align], style: &Style) -> String {
    let columns = rows.iter().map(Vec::len).chain([titles.len()]).max().unwrap_or(0);
    let titled = (0..columns).map(|c| (titles.get(c).map_or("", String::as_str).trim(), aligned(align, c)));
    let mut table = grid::Grid::new(&titled.collect::<Vec<_>>());
    for row in rows {
        table.row((0..columns).map(|c| row.get(c).cloned().unwrap_or_default().trim().to_owned()).collect());
    }
    table.render(style)
}

/// Columns beyond the last known alignment use that alignment.
fn aligned(align: &[Align], column: usize) -> Align {
    align.get(column).or(align.last()).copied().unwrap_or(Align::Left)
}

/// The title of a part.
pub(super) fn heading(text: &mut String, title: &str, style: &Style) {
    text.push('\n');
    if style.markdown {
        text.push_str(&style.heading(2, title));
    } else {
        text.push_str(&(grid::wrap(title, style.columns()).join("\n") + "\n"));
    }
}

/// A label and text that is broken into aligned lines.
pub(super) fn labelled(text: &mut String, label: &str, words: &str, style: &Style) {
    if style.markdown {
        // Each label is an entry of a list.
        let _ = writeln!(text, "{label}: {words}", words = words.replace('\n', " "));
        return;
    }
    let room = style.columns().saturating_sub(label.len() + 4);
    let words: Vec<&str> = words.split_whitespace().collect();
    for (index, line) in fit(&words.join(" "), room).into_iter().enumerate() {
        let label = if index == 0 { label.to_owned() } else { " ".repeat(label.len()) };
        let _ = writeln!(text, "  {label}  {line}");
    }
}

/// A sentence above a table, indented.
pub(super) fn legend(text: &mut String, words: &str, style: &Style) {
    text.push('\n');
    for line in grid::wrap(words, style.columns().saturating_sub(2)) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_column_have_the_same_decimals() {
        assert_eq!(figures(&[99.8333, 101.0, 17.6]), ["99.833", "101.000", "17.600"]);
        assert_eq!(figures(&[32.0, 10.0]), ["32", "10"]);
        assert_eq!(figures(&[0.03125, 10.0]), ["0.03125", "10"]);
    }

    #[test]
    fn a_total_has_no_digits_from_rounding() {
        assert_eq!(total([0.1, 0.2].into_iter()), "0.3"); // 0.30000000000000004
        assert_eq!(total([50.0, 50.0].into_iter()), "100");
    }

    #[test]
    fn equal_neighbours_make_one_range() {
        let found: Vec<String> =
            runs(&[8, 8, 8, 0]).iter().map(|(nodes, cores)| format!("{}: {cores}", range(nodes))).collect();
        assert_eq!(found, ["0-2: 8", "3: 0"]);
    }
}
