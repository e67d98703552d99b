//! Text in columns. Widths are those of the terminal: colours take no room, wide characters take two columns.

use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr;

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

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the left.
    Left,
    /// At the right.
    Right,
}

/// A table with a header. The last column is wrapped to the width of the terminal.
#[derive(Clone)]
pub struct Grid {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

/// The last column gets at least this much.
const NARROWEST_LAST: usize = 14;
const GAP: &str = "  ";

impl Grid {
    /// A table without rows: titles of the columns, and where their cells stand.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns.iter().map(|&(header, align)| (header.to_owned(), align)).collect(),
            rows: Vec::new(),
        }
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

    /// The table without one of its columns.
    #[must_use]
    pub fn without(&self, column: usize) -> Self {
        let (mut columns, mut rows) = (self.columns.clone(), self.rows.clone());
        columns.remove(column);
        for row in &mut rows {
            row.remove(column);
        }
        Self { columns, rows }
    }

    /// The first columns of the table.
    #[must_use]
    pub fn only_first(&self, columns: usize) -> Self {
        let rows = self.rows.iter().map(|row| row.iter().take(columns).cloned().collect()).collect();
        Self { columns: self.columns.iter().take(columns).cloned().collect(), rows }
    }

    /// The table, each line ended. Header cells may have several lines.
    pub fn render(&self, style: &Style) -> String {
        let last = self.columns.len().saturating_sub(1);
        let mut widths = self.widths();
        let room = self.room(style).max(NARROWEST_LAST);
        widths[last] = widths[last].min(room);

        let mut text = String::new();
        let header_lines = self.columns.iter().map(|(header, _)| header.lines().count()).max().unwrap_or(0);
        for line in 0..header_lines {
            let cells = self.columns.iter().map(|(header, _)| {
                // Short headers stand on the line right above the cells.
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
        for row in &self.rows {
            let wrapped = row.last().map(|cell| wrap(cell, room)).unwrap_or_default();
            for (l, piece) in wrapped.iter().enumerate() {
                let cells = (0..self.columns.len()).map(|c| match (c == last, l) {
                    (true, _) => piece.clone(),
                    (false, 0) => row.get(c).cloned().unwrap_or_default(),
                    (false, _) => String::new(),
                });
                self.line(&mut text, &widths, cells);
            }
        }
        text
    }

    fn line(&self, text: &mut String, widths: &[usize], cells: impl Iterator<Item = String>) {
        let padded: Vec<String> = cells
            .zip(&self.columns)
            .zip(widths)
            .map(|((cell, (_, align)), &columns)| match align {
                Align::Left => left(&cell, columns),
                Align::Right => right(&cell, columns),
            })
            .collect();
        text.push_str(padded.join(GAP).trim_end());
        text.push('\n');
    }
}

/// Lines of at most `columns`, broken between words; a longer word keeps its line to itself.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_width_of_their_characters() {
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
    fn colours_take_no_room() {
        assert_eq!(width("\u{1b}[1mbold\u{1b}[0m"), 4);
    }
}
