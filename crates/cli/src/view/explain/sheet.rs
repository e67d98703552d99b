//! A worked calculation as rows of title and figures, like the paper's Tables I and II.

use crate::view::Style;
use crate::view::grid::{left, width};

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

    /// The sheet, each line ended. Where the width is too small, `how` stands below its title.
    pub(super) fn render(&self, style: &Style) -> String {
        let mut widths: Vec<usize> = self.columns.iter().map(|name| width(name)).collect();
        for (_, _, figures) in &self.rows {
            if let Figures::Cells(cells) = figures {
                for (columns, cell) in widths.iter_mut().zip(cells) {
                    *columns = width(cell).max(*columns);
                }
            }
        }
        let spans = self.rows.iter().map(|(_, _, figures)| match figures {
            Figures::Span(figure) => width(figure),
            Figures::Cells(_) => 0,
        });
        let right_part = (widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1))
            .max(spans.max().unwrap_or(0));
        let whole = |title: &str, how: &str| if how.is_empty() { title.to_owned() } else { format!("{title} ({how})") };
        let widest = |text: &dyn Fn(&(String, String, Figures)) -> usize| self.rows.iter().map(text).max().unwrap_or(0);
        let on_one_line = widest(&|(title, how, _)| width(&whole(title, how)));
        let fits = on_one_line + GAP.len() + right_part <= style.width;
        let title_width = if fits { on_one_line } else { widest(&|(title, _, _)| width(title)) };

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
            let title_line = if fits && !how.is_empty() { format!("{title} {how}") } else { title.clone() };
            push_line(&mut text, &left(&title_line, title_width), &figures);
            if !fits && !how.is_empty() {
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
