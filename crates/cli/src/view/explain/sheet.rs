//! A worked calculation as rows of title and figures, like the paper's Tables I and II.

use numasim_draw::grid::{left, width};

use crate::view::Style;

/// What stands beside a title.
enum Figures {
    /// One cell per column.
    Cells(Vec<String>),
    /// One figure for all columns.
    Span(String),
}

/// Titles on the left, one column per kind of application.
pub(super) struct Sheet {
    heading: String,
    columns: Vec<String>,
    rows: Vec<(String, String, Figures)>,
}

const GAP: &str = "  ";

impl Sheet {
    pub(super) fn new(heading: String, columns: Vec<String>) -> Self {
        Self { heading, columns, rows: Vec::new() }
    }

    /// A row with a figure for each column. `how` says in parentheses how they are computed; it may be empty.
    pub(super) fn cells(&mut self, title: &str, how: &str, cells: Vec<String>) {
        self.rows.push((title.to_owned(), how.to_owned(), Figures::Cells(cells)));
    }

    /// A row with one figure for all columns.
    pub(super) fn span(&mut self, title: &str, how: &str, figure: String) {
        self.rows.push((title.to_owned(), how.to_owned(), Figures::Span(figure)));
    }

    /// Each title fits on a line with how it is computed and with its figures.
    pub(super) fn fits(&self, columns: usize) -> bool {
        let cells = self.widths();
        let cells = cells.iter().sum::<usize>() + GAP.len() * cells.len().saturating_sub(1);
        let spans = self.rows.iter().map(|(_, _, figures)| match figures {
            Figures::Span(figure) => width(figure),
            Figures::Cells(_) => 0,
        });
        self.title_width(true) + GAP.len() + cells.max(spans.max().unwrap_or(0)) <= columns
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|name| width(name)).collect();
        for (_, _, figures) in &self.rows {
            if let Figures::Cells(cells) = figures {
                for (columns, cell) in widths.iter_mut().zip(cells) {
                    *columns = width(cell).max(*columns);
                }
            }
        }
        widths
    }

    fn title_width(&self, one_line: bool) -> usize {
        let title = |(title, how, _): &(String, String, Figures)| match how.as_str() {
            how if one_line && !how.is_empty() => width(title) + width(how) + 3,
            _ => width(title),
        };
        self.rows.iter().map(title).max().unwrap_or(0)
    }

    /// The sheet, each line ended; how a figure is computed stands beside its title or, not on one line, below.
    pub(super) fn render(&self, one_line: bool, style: &Style) -> String {
        let widths = self.widths();
        let title_width = self.title_width(one_line);
        let mut text = format!("{}\n", style.strong(&self.heading));
        if !self.columns.is_empty() {
            let names: Vec<String> =
                self.columns.iter().zip(&widths).map(|(name, &w)| left(&style.strong(name), w)).collect();
            push_line(&mut text, &" ".repeat(title_width), &names.join(GAP));
        }
        for (title, how, figures) in &self.rows {
            let figures = match figures {
                Figures::Cells(cells) => {
                    cells.iter().zip(&widths).map(|(cell, &w)| left(cell, w)).collect::<Vec<_>>().join(GAP)
                }
                Figures::Span(figure) => figure.clone(),
            };
            let how = if how.is_empty() { String::new() } else { style.faint(&format!("({how})")) };
            let title_line =
                if one_line && !how.is_empty() { format!("{title} {how}") } else { title.clone() };
            push_line(&mut text, &left(&title_line, title_width), &figures);
            if !one_line && !how.is_empty() {
                push_line(&mut text, &format!("  {how}"), "");
            }
        }
        text
    }
}

fn push_line(text: &mut String, title: &str, figures: &str) {
    text.push_str(format!("{title}{GAP}{figures}").trim_end());
    text.push('\n');
}
