//! Aligned columns without rules, indented, and labels with text.

use std::fmt::Write as _;

use numasim_draw::Style;
use numasim_draw::grid::{self, Align, fit, fold, left, right, width};

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
        write_part(text, rows, align, &widths, columns);
    }
}

/// Rows may be of different lengths.
fn in_markdown(titles: &[String], rows: &[Vec<String>], align: &[Align], style: &Style) -> String {
    let columns = rows.iter().map(Vec::len).chain([titles.len()]).max().unwrap_or(0);
    let titled = (0..columns).map(|c| {
        let align = align.get(c).or(align.last()).copied().unwrap_or(Align::Left);
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
        text.push_str(&(grid::wrap(title, style.columns()).join("\n") + "\n"));
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
                shown += &match align.get(column).or(align.last()) {
                    Some(Align::Right) => right(cell, widths[column]),
                    _ => left(cell, widths[column]),
                };
                shown += "  ";
            }
            text.push_str(shown.trim_end());
            text.push('\n');
        }
    }
}

/// `words` in lines of at most `width` columns.
fn wrap(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if grid::width(line) + 1 + grid::width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A label and text that is broken into lines below each other.
pub(super) fn labelled(text: &mut String, label: &str, words: &str, style: &Style) {
    if style.markdown {
        // Each label is an entry of a list.
        let _ = writeln!(text, "{label}: {words}", words = words.replace('\n', " "));
        return;
    }
    let room = style.columns().saturating_sub(label.len() + 4);
    let lines = wrap(words, room).into_iter().flat_map(|line| fit(&line, room));
    for (index, line) in lines.enumerate() {
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
