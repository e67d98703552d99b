//! Text in columns. Widths are those of the terminal: colours take no room, wide characters take two columns.

use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr;

use super::markdown;
use super::terminal::Style;

/// Columns of `text` on a terminal.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(strip_str(text).to_string().as_str())
}

/// `text` with spaces behind it up to `columns`.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` with spaces before it up to `columns`.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The alignment of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left.
    Left,
    /// Right.
    Right,
}

impl Align {
    /// `text` with spaces up to `columns`.
    fn pad(self, text: &str, columns: usize) -> String {
        match self {
            Self::Left => left(text, columns),
            Self::Right => right(text, columns),
        }
    }
}

/// A row of cells with their widths, each wrapped to its width: the number of lines that the longest needs, with `indent` before each.
pub fn row<'c>(cells: impl Iterator<Item = (&'c str, usize, Align)>, indent: &str) -> String {
    let cells: Vec<_> = cells.map(|(cell, width, align)| (fit(cell, width), width, align)).collect();
    let count = cells.iter().map(|(lines, ..)| lines.len()).max().unwrap_or(0);
    let line = |at: usize| {
        let cell = |(lines, width, align): &(Vec<String>, usize, Align)| {
            align.pad(lines.get(at).map_or("", String::as_str), *width)
        };
        let line = indent.to_owned() + &cells.iter().map(cell).collect::<Vec<_>>().join(GAP);
        line.trim_end().to_owned() + "\n"
    };
    (0..count).map(line).collect()
}

/// A table with a header. The last column is wrapped to the width of the terminal. If the table is still too wide, it is folded: the other
/// columns are printed below, next to the repeated row names.
#[derive(Clone)]
pub struct Grid {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    /// Number of first columns that name a row.
    names: usize,
}

/// Minimum width of the last column.
const NARROWEST_LAST: usize = 14;
const GAP: &str = "  ";

impl Grid {
    /// A table without rows: titles of the columns, and the alignment of their cells.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns.iter().map(|&(header, align)| (header.to_owned(), align)).collect(),
            rows: Vec::new(),
            names: 1,
        }
    }

    /// Makes the first `columns` name a row; they are repeated before every part of a folded table.
    #[must_use]
    pub fn named_by(mut self, columns: usize) -> Self {
        self.names = columns;
        self
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The cells of its rows.
    pub fn into_rows(self) -> Vec<Vec<String>> {
        self.rows
    }

    /// One cell per column.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Columns of the terminal that are left for the last column.
    pub fn room(&self, style: &Style) -> usize {
        let widths = self.widths();
        let others = &widths[..widths.len().saturating_sub(1)];
        style.columns().saturating_sub(others.iter().map(|w| w + GAP.len()).sum())
    }

    fn widths(&self) -> Vec<usize> {
        let of_column = |(c, (header, _)): (usize, &(String, Align))| {
            let cells = self.rows.iter().filter_map(|row| row.get(c)).map(|cell| width(cell));
            cells.chain(header.lines().map(width)).max().unwrap_or(0)
        };
        self.columns.iter().enumerate().map(of_column).collect()
    }

    /// The widths of the columns; if the table is too wide, long text is wrapped.
    fn fitting(&self, style: &Style) -> Vec<usize> {
        let mut widths = self.widths();
        let last = widths.len().saturating_sub(1);
        let others: usize = widths[..last].iter().map(|w| w + GAP.len()).sum();
        let least = widths[last].min(NARROWEST_LAST);
        if others + least > style.columns() {
            for (width, (_, align)) in widths[..last].iter_mut().zip(&self.columns) {
                if *align == Align::Left {
                    *width = (*width).min(style.columns() / 2);
                }
            }
        }
        widths
    }

    /// The table without one of its columns.
    #[must_use]
    pub fn without(&self, column: usize) -> Self {
        let Self { mut columns, mut rows, names } = self.clone();
        columns.remove(column);
        for row in &mut rows {
            row.remove(column);
        }
        Self { columns, rows, names }
    }

    /// The first columns of the table.
    #[must_use]
    pub fn only_first(&self, columns: usize) -> Self {
        let rows = self.rows.iter().map(|row| row.iter().take(columns).cloned().collect()).collect();
        Self { columns: self.columns.iter().take(columns).cloned().collect(), rows, names: self.names }
    }

    /// These columns of the table.
    fn only(&self, columns: &[usize]) -> Self {
        let pick = |row: &Vec<String>| columns.iter().filter_map(|&c| row.get(c)).cloned().collect();
        Self {
            columns: columns.iter().filter_map(|&c| self.columns.get(c)).cloned().collect(),
            rows: self.rows.iter().map(pick).collect(),
            names: self.names,
        }
    }

    /// The table, with an end to each line. Header cells may have several lines. For Markdown its lines are marked.
    pub fn render(&self, style: &Style) -> String {
        if style.markdown {
            let columns = self.columns.iter().map(|(title, align)| (title.as_str(), *align == Align::Right));
            return markdown::table(&columns.collect::<Vec<_>>(), &self.rows);
        }
        let mut widths = self.fitting(style);
        if let Some(last) = widths.last_mut() {
            *last = (*last).min(NARROWEST_LAST);
        }
        let parts = fold(&widths, self.names, GAP.len(), style.columns());
        let parts: Vec<String> = parts.iter().map(|columns| self.only(columns).whole(style)).collect();
        parts.join("\n")
    }

    /// The table in one part.
    fn whole(&self, style: &Style) -> String {
        let last = self.columns.len().saturating_sub(1);
        let mut widths = self.fitting(style);
        let others: usize = widths[..last].iter().map(|w| w + GAP.len()).sum();
        let room = style.columns().saturating_sub(others).max(NARROWEST_LAST);
        widths[last] = widths[last].min(room);

        let mut text = String::new();
        let header_lines = self.columns.iter().map(|(header, _)| header.lines().count()).max().unwrap_or(0);
        for line in 0..header_lines {
            let cells = self.columns.iter().map(|(header, _)| {
                // Short headers are on the line directly above the cells.
                let lines: Vec<&str> = header.lines().collect();
                (line + lines.len())
                    .checked_sub(header_lines)
                    .map_or(String::new(), |at| style.strong(lines[at]))
            });
            self.line(&mut text, &widths, cells);
        }
        let rule = if style.unicode { "─" } else { "-" };
        let underline: Vec<String> = widths.iter().map(|&w| rule.repeat(w)).collect();
        text.push_str(&style.faint(&underline.join(GAP)));
        text.push('\n');
        for cells in &self.rows {
            let cells = cells.iter().zip(&widths).zip(&self.columns);
            text.push_str(&row(cells.map(|((cell, &width), (_, align))| (cell.as_str(), width, *align)), ""));
        }
        text
    }

    fn line(&self, text: &mut String, widths: &[usize], cells: impl Iterator<Item = String>) {
        let padded: Vec<String> = cells
            .zip(&self.columns)
            .zip(widths)
            .map(|((cell, (_, align)), &columns)| align.pad(&cell, columns))
            .collect();
        text.push_str(padded.join(GAP).trim_end());
        text.push('\n');
    }
}

/// The columns in each part of a table that is `most` wide: the first `names` in every part, then the others in order, as far as they fit,
/// but at least one.
pub fn fold(widths: &[usize], names: usize, gap: usize, most: usize) -> Vec<Vec<usize>> {
    let first = names.min(widths.len().saturating_sub(1));
    let named: usize = widths[..first].iter().map(|width| width + gap).sum();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut used = 0;
    for (column, width) in widths.iter().enumerate().skip(first) {
        match parts.last_mut() {
            Some(part) if used + gap + width <= most => {
                part.push(column);
                used += gap + width;
            }
            _ => {
                parts.push((0..first).chain([column]).collect());
                used = named + width;
            }
        }
    }
    parts
}

/// A highlighted note, in lines that fit.
pub fn note(text: &str, style: &Style) -> String {
    if style.markdown { markdown::note(text) } else { wrap(text, style.columns()).join("\n") + "\n" }
}

/// Lines of at most `columns`, broken between words; a longer word has a separate line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    if width(text) <= columns {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().filter(|line| !line.is_empty());
        match line {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(word.to_owned()),
            None => lines = vec![word.to_owned()],
        }
    }
    lines
}

/// As [`wrap`], but longer words are also broken, so that a cell stays within its column.
pub fn fit(text: &str, columns: usize) -> Vec<String> {
    wrap(text, columns).iter().flat_map(|line| pieces(line, columns)).collect()
}

/// A word in parts of at most `columns`; one with colours stays whole.
fn pieces(word: &str, columns: usize) -> Vec<String> {
    if width(word) <= columns || word.contains('\u{1b}') {
        return vec![word.to_owned()];
    }
    let mut parts = vec![String::new()];
    for c in word.chars() {
        match parts.last_mut() {
            Some(part) if part.is_empty() || width(part) + width(&c.to_string()) <= columns => part.push(c),
            _ => parts.push(c.to_string()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_for_characters_of_any_width() {
        let mut grid = Grid::new(&[("name", Align::Left), ("x", Align::Right)]);
        grid.row(vec!["ä".into(), "1".into()]);
        grid.row(vec!["数据".into(), "22".into()]);
        let text = grid.render(&Style { unicode: false, ..Style::default() });
        assert_eq!(text, "name   x\n----  --\nä      1\n数据  22\n");
    }

    #[test]
    fn the_last_column_is_wrapped_between_words() {
        assert_eq!(wrap("core peak on nodes 0, 1", 12), ["core peak on", "nodes 0, 1"]);
    }

    #[test]
    fn columns_that_do_not_fit_are_below() {
        // 3 + 2 + 10 = 15, and 2 + 10 more are 27; then 3 + 2 + 10 again.
        assert_eq!(fold(&[3, 10, 10, 10], 1, 2, 27), [vec![0, 1, 2], vec![0, 3]]);
        assert_eq!(fold(&[3, 10, 10, 10], 1, 2, 39), [vec![0, 1, 2, 3]]);
        // At least one column, even if it is too wide.
        assert_eq!(fold(&[3, 50, 50], 1, 2, 20), [vec![0, 1], vec![0, 2]]);
        assert_eq!(fold(&[3, 4, 10, 10], 2, 2, 22), [vec![0, 1, 2], vec![0, 1, 3]]);
    }

    #[test]
    fn a_folded_table_repeats_the_names_of_its_rows() {
        let mut grid = Grid::new(&[("app", Align::Left), ("first", Align::Right), ("second", Align::Right)]);
        grid.row(vec!["mem".into(), "1".into(), "x".repeat(50)]);
        let text = grid.render(&Style { unicode: false, width: Some(60), ..Style::default() });
        assert!(text.lines().all(|line| width(line) <= 60), "{text}");
        assert_eq!(
            text.matches("mem").count(),
            1,
            "wrapped, not folded: the last column may be long\n{text}"
        );
        let mut grid = Grid::new(&[("app", Align::Left), ("first", Align::Right), ("second", Align::Right)]);
        grid.row(vec!["mem".into(), "x".repeat(50), "1".into()]);
        let text = grid.render(&Style { unicode: false, width: Some(60), ..Style::default() });
        assert_eq!(text.matches("mem").count(), 2, "{text}");
    }

    #[test]
    fn markdown_puts_units_next_to_titles_and_omits_bars() {
        let style = Style { markdown: true, ..Style::default() };
        let mut grid =
            Grid::new(&[("application", Align::Left), ("drawn\nGB/s", Align::Right), ("", Align::Left)]);
        grid.row(vec!["mem".into(), "12.5".into(), style.bar([0.5, 0.0], 4)]);
        let text = markdown::document(&grid.render(&style));
        assert_eq!(text, "| application | drawn GB/s |\n| :--- | ---: |\n| mem | 12.5 |\n");
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(width("\u{1b}[1mbold\u{1b}[0m"), 4);
    }
}
