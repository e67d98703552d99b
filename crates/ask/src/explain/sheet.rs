//! A worked calculation as rows of title and values, like the paper's Tables I and II.

use numasim_draw::grid::{fold, left, width, wrap};

use numasim_draw::Style;

/// The values next to a title.
enum Figures {
    /// One cell per column.
    Cells(Vec<String>),
    /// One value for all columns.
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

    /// A row with a value for each column. `how` shows in parentheses how the values are computed; it may be empty.
    pub(super) fn cells(&mut self, title: &str, how: &str, cells: Vec<String>) {
        self.rows.push((title.to_owned(), how.to_owned(), Figures::Cells(cells)));
    }

    /// A row with one value for all columns.
    pub(super) fn span(&mut self, title: &str, how: &str, figure: String) {
        self.rows.push((title.to_owned(), how.to_owned(), Figures::Span(figure)));
    }

    /// Whether each title fits on a line with its derivation and its values.
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

    /// The sheet, each line terminated. The derivation of a value is next to its title or, if not on one line, below it. Columns that do
    /// not fit are printed below, with the titles repeated.
    pub(super) fn render(&self, one_line: bool, style: &Style) -> String {
        let mut widths = vec![self.title_width(one_line)];
        widths.extend(self.widths());
        let mut text = String::new();
        for line in wrap(&self.heading, style.columns()) {
            text.push_str(&(style.strong(&line) + "\n"));
        }
        for (part, shown) in fold(&widths, 1, GAP.len(), style.columns()).iter().enumerate() {
            if part > 0 {
                text.push('\n');
            }
            self.render_part(&mut text, &widths, shown, part == 0, one_line, style);
        }
        text
    }

    /// Some of the columns, by their position after the titles; the first part includes the text that is printed once.
    fn render_part(
        &self,
        text: &mut String,
        widths: &[usize],
        shown: &[usize],
        first: bool,
        one_line: bool,
        style: &Style,
    ) {
        let title_width = widths.first().copied().unwrap_or(0);
        let line = |cells: &[String], paint: &dyn Fn(&str) -> String| {
            let cell =
                |&column: &usize| Some(left(&paint(cells.get(column.checked_sub(1)?)?), widths[column]));
            shown.iter().filter_map(cell).collect::<Vec<_>>().join(GAP)
        };
        if !self.columns.is_empty() {
            let names = line(&self.columns, &|name| style.strong(name));
            push_line(text, &" ".repeat(title_width), &names);
        }
        for (title, how, figures) in &self.rows {
            let how = if how.is_empty() { String::new() } else { format!("({how})") };
            let title = if one_line && !how.is_empty() {
                format!("{title} {}", style.faint(&how))
            } else {
                title.clone()
            };
            match figures {
                Figures::Cells(cells) => {
                    push_line(text, &left(&title, title_width), &line(cells, &str::to_owned));
                }
                Figures::Span(_) if !first => continue,
                Figures::Span(figure) => {
                    let room = style.columns().saturating_sub(title_width + GAP.len());
                    for (l, figure) in wrap(figure, room).iter().enumerate() {
                        push_line(text, &left(if l == 0 { &title } else { "" }, title_width), figure);
                    }
                }
            }
            if first && !one_line && !how.is_empty() {
                for line in wrap(&how, style.columns().saturating_sub(2)) {
                    push_line(text, &format!("  {}", style.faint(&line)), "");
                }
            }
        }
    }
}

fn push_line(text: &mut String, title: &str, figures: &str) {
    text.push_str(format!("{title}{GAP}{figures}").trim_end());
    text.push('\n');
}
