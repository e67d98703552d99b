//! Aligned columns.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use numasim_draw::grid::{self, fit, fold};
use numasim_model::NodeId;

use crate::view::Style;

/// How a column stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Spaces before a row.
const INDENT: usize = 2;
/// Spaces between columns.
const GAP: usize = 2;

/// Rows of cells, indented, two spaces between columns, none at the end of a line. Columns beyond `most` stand below,
/// beside the first column again; text that is longer than a line is broken.
///
/// The first row has the titles.
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
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let mut widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
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
        write_part(text, rows, align, &widths, columns);
    }
}

/// Rows may be of different lengths.
fn in_markdown(titles: &[String], rows: &[Vec<String>], align: &[Align], style: &Style) -> String {
    let columns = rows.iter().map(Vec::len).chain([titles.len()]).max().unwrap_or(0);
    let titled = (0..columns).map(|c| {
        let align = if align.get(c).or(align.last()) == Some(&Align::Right) {
            grid::Align::Right
        } else {
            grid::Align::Left
        };
        (titles.get(c).map_or("", String::as_str).trim(), align)
    });
    let mut table = grid::Grid::new(&titled.collect::<Vec<_>>());
    for row in rows {
        table.row((0..columns).map(|c| row.get(c).cloned().unwrap_or_default().trim().to_owned()).collect());
    }
    table.render(style)
}

/// The title of a part.
pub(super) fn heading(text: &mut String, title: &str, style: &Style) {
    text.push('\n');
    if style.markdown {
        text.push_str(&style.heading(2, title));
    } else {
        text.push_str(&(numasim_draw::grid::wrap(title, style.columns()).join("\n") + "\n"));
    }
}

fn write_part(text: &mut String, rows: &[Vec<String>], align: &[Align], widths: &[usize], columns: &[usize]) {
    for row in rows {
        let cell = |&column: &usize| row.get(column).map_or("", String::as_str);
        let lines: Vec<Vec<String>> =
            columns.iter().map(|column| fit(cell(column), widths[*column])).collect();
        for line in 0..lines.iter().map(Vec::len).max().unwrap_or(0) {
            let mut shown = " ".repeat(INDENT);
            for (&column, lines) in columns.iter().zip(&lines) {
                let cell = lines.get(line).map_or("", String::as_str);
                let blank = " ".repeat(widths[column].saturating_sub(cell.width()));
                // Writing to a String cannot fail.
                let _ = match align.get(column).or(align.last()) {
                    Some(Align::Right) => write!(shown, "{blank}{cell}  "),
                    _ => write!(shown, "{cell}{blank}  "),
                };
            }
            text.push_str(shown.trim_end());
            text.push('\n');
        }
    }
}

/// Figures of one column with the same number of decimals, as many as they need but not more than 3.
///
/// Small ones, where three decimals hide something, are all shown in full.
pub(super) fn figures(values: &[f64]) -> Vec<String> {
    const MOST: usize = 3;
    let decimals = |value: f64| value.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let needed = values.iter().map(|&value| decimals(value)).max().unwrap_or(0);
    if values.iter().any(|&value| value != 0.0 && !(0.1..1e9).contains(&value)) {
        return values.iter().map(|&value| figure(value)).collect();
    }
    values.iter().map(|value| format!("{value:.*}", needed.min(MOST))).collect()
}

/// A sum, without the rounding errors of its last digits.
pub(super) fn total(values: impl Iterator<Item = f64>) -> String {
    // The sum of nothing is -0.0.
    let sum = values.sum::<f64>() + 0.0;
    if !(0.1..1e9).contains(&sum) {
        return figure(sum);
    }
    let text = format!("{sum:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// One figure in full, with an exponent where it would be long.
pub(super) fn figure(value: f64) -> String {
    if value == 0.0 || (1e-4..1e9).contains(&value) { value.to_string() } else { format!("{value:e}") }
}

/// `words` in lines of at most `width` columns.
pub(super) fn wrap(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Neighbours that are equal, as ranges: "0-3".
pub(super) fn runs<T: PartialEq>(items: &[T]) -> Vec<(std::ops::RangeInclusive<usize>, &T)> {
    let mut runs: Vec<(std::ops::RangeInclusive<usize>, &T)> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match runs.last_mut() {
            Some((range, same)) if *same == item => *range = *range.start()..=index,
            _ => runs.push((index..=index, item)),
        }
    }
    runs
}

/// "3" or "0-3".
pub(super) fn range(range: &std::ops::RangeInclusive<usize>) -> String {
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
