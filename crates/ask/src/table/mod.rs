//! Tables as data: columns that are declared once, and rows of typed cells. Terminal tables, Markdown, CSV, rows of JSON, their schema
//! and the columns in Python are generated from these declarations.
//!
//! A column added to a declaration appears in all of them:
//!
//! ```
//! use numasim_ask::table::{self, Of};
//!
//! struct Node { cores: u64, gbs: f64 }
//! let columns = [
//!     Of::whole("cores", |node: &Node| node.cores),
//!     Of::number("bandwidth_gbs", |node: &Node| node.gbs),
//! ];
//! assert_eq!(table::csv(&columns, [Node { cores: 8, gbs: 32.5 }]), "cores,bandwidth_gbs\n8,32.5\n");
//! ```

mod cell;

use std::borrow::Borrow;

use numasim_draw::grid::{Align, Grid};
use numasim_draw::{Grade, Style, figures};
use numasim_evidence::statistics;

pub use cell::{Cell, Column, Kind, Look, header, line, quoted};

/// A column with the function that reads its cell from a row.
pub struct Of<'a, R> {
    column: Column,
    cell: Box<dyn Fn(&R) -> Cell<'a> + 'a>,
    people: People<'a, R>,
}

/// Presentation of a column for people, if it differs from that for programs.
struct People<'a, R> {
    title: Option<String>,
    page_title: Option<&'static str>,
    align: Option<Align>,
    show: Show,
    scale: f64,
    one: Option<fn(f64) -> String>,
    /// Text for a missing value; `-` if a writer for each number is set.
    none: Option<&'static str>,
    once: bool,
    alike: Option<&'static str>,
    only_known: bool,
    style: Option<Paint<'a, R>>,
    grade: Option<GradeOf<'a, R>>,
    place: Option<PlaceOf<'a, R>>,
}

/// Decorates a shown cell in the terminal.
type Paint<'a, R> = Box<dyn Fn(&R, String) -> String + 'a>;
/// Grades the value of a row.
type GradeOf<'a, R> = Box<dyn Fn(&R) -> Option<Grade> + 'a>;
/// Location of the value of a row in a document, by the number of the row.
type PlaceOf<'a, R> = Box<dyn Fn(usize, &R) -> String + 'a>;

impl<R> People<'_, R> {
    fn new() -> Self {
        Self {
            title: None,
            page_title: None,
            align: None,
            show: Show::Always,
            scale: 1.0,
            one: None,
            none: None,
            once: false,
            alike: None,
            only_known: false,
            style: None,
            grade: None,
            place: None,
        }
    }

    /// The same presentation for other row types: the parts that do not depend on the row.
    fn of_others<'b, Q>(self) -> People<'b, Q> {
        let Self { title, page_title, align, show, scale, one, none, once, alike, only_known, .. } = self;
        People { title, page_title, align, show, scale, one, none, once, alike, only_known, ..People::new() }
    }
}

/// Condition for showing a column in tables for people.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    Always,
    Never,
    /// If some row has a value other than 0.
    IfAny,
}

/// A column as shown to people.
pub struct Shown {
    /// Its title in a terminal, with line breaks.
    pub title: String,
    /// Its title on a page.
    pub page_title: String,
    /// Right-aligned, as for numbers.
    pub is_right: bool,
    /// A cell for each row.
    pub cells: Vec<ShownCell>,
}

/// A cell as shown to people.
pub struct ShownCell {
    /// The text.
    pub text: String,
    /// The text for a terminal: with its style, and without a repetition of the row above.
    painted: String,
    /// Grade of the value.
    pub grade: Option<Grade>,
    /// Location of the value in a document.
    pub place: Option<String>,
}

impl<'a, R: 'a> Of<'a, R> {
    fn new<C: Into<Cell<'a>>>(column: Column, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self { column, cell: Box::new(move |row| cell(row).into()), people: People::new() }
    }

    /// A column of numbers.
    pub fn number<C: Into<Cell<'a>>>(name: &'static str, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self::new(Column::new(name, Kind::Number), cell)
    }

    /// A column of counts, with a value in every row.
    pub fn count<C: Into<Cell<'a>>>(name: &'static str, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self::new(Column::new(name, Kind::Count), cell)
    }

    /// A column of counts or numbers, possibly without a value.
    pub fn whole<C: Into<Cell<'a>>>(name: &'static str, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self::new(Column::new(name, Kind::Whole), cell)
    }

    /// A column of words.
    pub fn text<C: Into<Cell<'a>>>(name: &'static str, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self::new(Column::new(name, Kind::Text), cell)
    }

    /// A column of counts, one for each node.
    pub fn per_node<C: Into<Cell<'a>>>(name: &'static str, cell: impl Fn(&R) -> C + 'a) -> Self {
        Self::new(Column::new(name, Kind::PerNode), cell)
    }

    /// Assigns the column to this application or channel, if each has a column.
    #[must_use]
    pub fn each(mut self, of: &str) -> Self {
        self.column.of = Some(of.to_owned());
        self
    }

    /// Sets another title for people; `\n` breaks it into lines.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.people.title = Some(title.into());
        self
    }

    /// Rounds the values for people to the decimals that the whole column shares.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        self.column.look = Look::Rounded;
        self
    }

    /// Writes each number for people with `one`, and `-` for a missing value.
    #[must_use]
    pub fn written(mut self, one: fn(f64) -> String) -> Self {
        self.people.one = Some(one);
        self
    }

    /// Shows this text to people for a missing value.
    #[must_use]
    pub fn none(mut self, text: &'static str) -> Self {
        self.people.none = Some(text);
        self
    }

    /// Shows another unit to people: each number times `scale`.
    #[must_use]
    pub fn scaled(mut self, scale: f64) -> Self {
        self.people.scale = scale;
        self
    }

    /// Aligns the column at the right for people.
    #[must_use]
    pub fn right(mut self) -> Self {
        self.people.align = Some(Align::Right);
        self
    }

    /// Shows the column to people only if `shown`.
    #[must_use]
    pub fn only_if(mut self, shown: bool) -> Self {
        if !shown {
            self.people.show = Show::Never;
        }
        self
    }

    /// Shows the column to people only if a row has a value other than 0.
    #[must_use]
    pub fn if_any(mut self) -> Self {
        self.people.show = Show::IfAny;
        self
    }

    /// Decorates shown cells in a terminal, for example with colours.
    #[must_use]
    pub fn painted(mut self, paint: impl Fn(&R, String) -> String + 'a) -> Self {
        self.people.style = Some(Box::new(paint));
        self
    }

    /// Omits the value for people if the first column of the table repeats that of the row above.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.people.once = true;
        self
    }

    /// Rounds the values for people to the decimals shared by all columns with this name.
    #[must_use]
    pub fn alike(mut self, name: &'static str) -> Self {
        self.people.alike = Some(name);
        self.rounded()
    }

    /// Rounds the values for people as if there were no rows without a number.
    #[must_use]
    pub fn only_known(mut self) -> Self {
        self.people.only_known = true;
        self
    }

    /// Adds the grade of each value, which determines its colour.
    #[must_use]
    pub fn graded(mut self, grade: impl Fn(&R) -> Option<Grade> + 'a) -> Self {
        self.people.grade = Some(Box::new(grade));
        self
    }

    /// Adds the location of each value in a document, as named on a page.
    #[must_use]
    pub fn at(mut self, place: impl Fn(usize, &R) -> String + 'a) -> Self {
        self.people.place = Some(Box::new(place));
        self
    }

    /// Sets another title on a page.
    #[must_use]
    pub fn on_page(mut self, title: &'static str) -> Self {
        self.people.page_title = Some(title);
        self
    }

    /// A number for people, in their unit; NaN if there is none.
    fn seen_number(&self, cell: &Cell) -> f64 {
        match cell {
            Cell::Number(number) => *number * self.people.scale,
            #[allow(clippy::cast_precision_loss, reason = "people see some digits")]
            Cell::Whole(number) => *number as f64 * self.people.scale,
            _ => f64::NAN,
        }
    }

    /// Whether the column with these cells is shown to people.
    fn is_shown(&self, cells: &[Cell]) -> bool {
        let is_more = |cell: &Cell| match cell {
            Cell::Number(number) => *number > 0.0,
            Cell::Whole(number) => *number > 0,
            other => !other.is_empty(),
        };
        match self.people.show {
            Show::Always => true,
            Show::Never => false,
            Show::IfAny => cells.iter().any(is_more),
        }
    }

    /// The cells as shown to people; `alike`: the numbers of all columns with the same decimals.
    fn texts(&self, cells: &[Cell], alike: &[f64]) -> Vec<String> {
        match (self.people.one, self.column.look) {
            (Some(one), _) => cells
                .iter()
                .map(|cell| {
                    if cell.is_empty() {
                        self.people.none.unwrap_or("-").to_owned()
                    } else {
                        one(self.seen_number(cell))
                    }
                })
                .collect(),
            (None, Look::Rounded) if self.people.only_known => {
                let numbers: Vec<f64> = cells.iter().map(|cell| self.seen_number(cell)).collect();
                let known: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
                let mut texts = figures::column(&known).into_iter();
                let mut shown = Vec::new();
                for number in numbers {
                    shown.push(
                        if number.is_finite() { texts.next() } else { None }
                            .unwrap_or_else(|| "-".to_owned()),
                    );
                }
                shown
            }
            (None, Look::Rounded) => {
                let own = cells.iter().map(|cell| self.seen_number(cell));
                let mut texts = figures::column(&own.chain(alike.iter().copied()).collect::<Vec<_>>());
                texts.truncate(cells.len());
                texts
            }
            (None, _) => {
                let mut texts = self.column.shown(&cells.iter().collect::<Vec<_>>());
                if let Some(none) = self.people.none {
                    texts.iter_mut().filter(|text| text.is_empty()).for_each(|text| none.clone_into(text));
                }
                texts
            }
        }
    }

    /// The same column for rows that each contain several of these: the mean of all; no value if one has no number.
    pub fn mean<Q: 'a>(self, rows: impl Fn(&Q) -> Vec<R> + 'a) -> Of<'a, Q> {
        let Self { mut column, cell, people } = self;
        column.kind = Kind::Number;
        let mean = move |group: &Q| {
            let rows = rows(group);
            let numbers = rows.iter().map(|row| match cell(row) {
                Cell::Number(number) => Some(number),
                #[allow(clippy::cast_precision_loss, reason = "counts of tasks and orders")]
                Cell::Whole(number) => Some(number as f64),
                _ => None,
            });
            numbers.collect::<Option<Vec<f64>>>().and_then(|numbers| statistics::mean(&numbers)).into()
        };
        Of { column, cell: Box::new(mean), people: people.of_others() }
    }

    /// Sets the presentation for people.
    #[must_use]
    pub fn seen(mut self, look: Look) -> Self {
        self.column.look = look;
        self
    }

    /// The description of the column.
    pub fn column(&self) -> &Column {
        &self.column
    }

    /// Its cell in a row.
    pub fn cell(&self, row: &R) -> Cell<'a> {
        (self.cell)(row)
    }

    /// The same column for rows of which this row is a part.
    pub fn within<Q: 'a>(self, part: impl Fn(&Q) -> &R + 'a) -> Of<'a, Q> {
        let Self { column, cell, people } = self;
        Of { column, cell: Box::new(move |row| cell(part(row))), people: people.of_others() }
    }
}

/// The columns that are shown to people, with a cell for each of `rows`.
pub fn shown<'d, 'a: 'd, R: 'a>(declared: impl IntoIterator<Item = &'d Of<'a, R>>, rows: &[R]) -> Vec<Shown> {
    let cells = |of: &'d Of<'a, R>| (of, rows.iter().map(|row| of.cell(row)).collect());
    let declared: Vec<(&'d Of<'a, R>, Vec<Cell<'a>>)> = declared.into_iter().map(cells).collect();
    let is_repeated = |r: usize| r > 0 && declared.first().is_some_and(|(_, first)| first[r] == first[r - 1]);
    let mut all = Vec::new();
    for (of, own) in declared.iter().filter(|(of, own)| of.is_shown(own)) {
        let People { alike, once, style, grade, place, title, page_title, align, .. } = &of.people;
        let others = declared.iter().filter(|(other, _)| alike.is_some() && other.people.alike == *alike);
        let numbers: Vec<f64> =
            others.flat_map(|(other, cells)| cells.iter().map(|cell| other.seen_number(cell))).collect();
        let cell = |(r, (row, text)): (usize, (&R, String))| ShownCell {
            painted: match style {
                _ if *once && is_repeated(r) => String::new(),
                Some(paint) => paint(row, text.clone()),
                None => text.clone(),
            },
            text,
            grade: grade.as_ref().and_then(|grade| grade(row)),
            place: place.as_ref().map(|place| place(r, row)),
        };
        let title = title.clone().unwrap_or_else(|| of.column.title());
        all.push(Shown {
            page_title: page_title.map_or_else(|| title.trim().replace('\n', ", "), str::to_owned),
            title,
            is_right: align.unwrap_or(of.column.align()) == Align::Right,
            cells: rows.iter().zip(of.texts(own, &numbers)).enumerate().map(cell).collect(),
        });
    }
    all
}

/// A table for people: the columns that are shown to them, with `rows`.
pub fn grid<'d, 'a: 'd, R: 'a>(declared: impl IntoIterator<Item = &'d Of<'a, R>>, rows: &[R]) -> Grid {
    graded(declared, rows, &Style::default())
}

/// The same table with the colours of the grades.
pub fn graded<'d, 'a: 'd, R: 'a>(
    declared: impl IntoIterator<Item = &'d Of<'a, R>>,
    rows: &[R],
    style: &Style,
) -> Grid {
    let columns = shown(declared, rows).into_iter().map(|Shown { title, is_right, cells, .. }| {
        let cells = cells.into_iter().map(|cell| style.graded(cell.grade, &cell.painted));
        (title, if is_right { Align::Right } else { Align::Left }, cells.collect())
    });
    laid_out(&columns.collect::<Vec<_>>(), rows.len(), None)
}

/// The same table for rows that are not stored contiguously.
pub fn grid_of<'a, R: 'a>(declared: &[Of<'a, R>], rows: impl IntoIterator<Item = R>) -> Grid {
    grid(declared, &rows.into_iter().collect::<Vec<_>>())
}

/// The columns with these names, in this order.
pub fn named<'d, 'a, R: 'a>(
    declared: &'d [Of<'a, R>],
    names: &[&str],
) -> impl Iterator<Item = &'d Of<'a, R>> {
    names.iter().filter_map(|name| declared.iter().find(|of| of.column.name == *name))
}

/// CSV with a header, and a line for each of `rows`.
pub fn csv<'a, R: 'a>(declared: &[Of<'a, R>], rows: impl IntoIterator<Item: Borrow<R>>) -> String {
    let columns: Vec<Column> = declared.iter().map(|of| of.column.clone()).collect();
    let mut text = header(&columns);
    for row in rows {
        line(&mut text, declared.iter().map(|of| of.cell(row.borrow())));
    }
    text
}

/// Rows of cells.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    columns: &'a [Column],
    cells: Vec<Cell<'a>>,
}

impl<'a> Table<'a> {
    /// A table without rows.
    pub fn new(columns: &'a [Column]) -> Self {
        Self { columns, cells: Vec::new() }
    }

    /// The columns, in order.
    pub fn columns(&self) -> &'a [Column] {
        self.columns
    }

    /// The rows, with a cell for each column.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Cell<'a>]> {
        self.cells.chunks(self.columns.len().max(1))
    }

    /// Adds a row: a cell for each column.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) {
        self.cells.extend(cells);
    }

    /// The lines of CSV after [`header`].
    pub fn csv_rows(&self) -> String {
        let mut text = String::new();
        for row in self.rows() {
            line(&mut text, row.iter());
        }
        text
    }

    /// A table for people, without empty columns. `gap`: the row before which rows are left out.
    pub fn grid(&self, gap: Option<usize>) -> Grid {
        let rows: Vec<&[Cell]> = self.rows().collect();
        let cells = |c: usize| rows.iter().map(|row| &row[c]).collect::<Vec<&Cell>>();
        let columns = self.columns.iter().enumerate().filter_map(|(c, column)| {
            let cells = cells(c);
            let shown = cells.iter().any(|cell| !cell.is_empty());
            shown.then(|| (column.title(), column.align(), column.shown(&cells)))
        });
        laid_out(&columns.collect::<Vec<_>>(), rows.len(), gap)
    }
}

/// Columns for people: title, alignment and a cell for each of `rows` rows.
fn laid_out(columns: &[(String, Align, Vec<String>)], rows: usize, gap: Option<usize>) -> Grid {
    let titles: Vec<(&str, Align)> =
        columns.iter().map(|(title, align, _)| (title.as_str(), *align)).collect();
    let mut grid = Grid::new(&titles);
    for r in 0..rows {
        if gap == Some(r) {
            grid.row(columns.iter().map(|_| "…".to_owned()).collect());
        }
        grid.row(columns.iter().map(|(.., cells)| cells[r].clone()).collect());
    }
    grid
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn written(cells: &[Cell]) -> String {
        let mut text = String::new();
        line(&mut text, cells.iter());
        text
    }

    #[test]
    fn text_with_commas_and_quotes_stands_in_quotes() {
        let row = written(&["uneven 1,1".into(), "the \"best\"".into(), "even".into()]);
        assert_eq!(row, "\"uneven 1,1\",\"the \"\"best\"\"\",even\n");
    }

    #[test]
    fn numbers_read_back_as_they_were_and_what_is_not_finite_is_left_out() {
        let row = written(&[0.1 + 0.2, -0.0, 1e-7, f64::INFINITY, f64::NAN].map(Cell::from));
        assert_eq!(row, "0.30000000000000004,0,0.0000001,,\n");
    }

    #[test]
    fn a_cell_is_the_same_in_every_format() {
        type Row = (&'static str, Option<f64>);
        let columns = [
            Of::text("name", |row: &Row| row.0),
            Of::number("gflops", |row: &Row| row.1).each("a"),
            Of::whole("threads", |_: &Row| Cell::None),
        ];
        let rows = [("a", Some(1.0 / 3.0)), ("", None)];
        let text = "name,gflops:a,threads\na,0.3333333333333333,\n,,\n";
        assert_eq!(csv(&columns, rows), text);
        let declared: Vec<Column> = columns.iter().map(|of| of.column.clone()).collect();
        let mut table = Table::new(&declared);
        for row in &rows {
            table.push(columns.iter().map(|of| of.cell(row)));
        }
        assert_eq!(header(table.columns()) + &table.csv_rows(), text);
        let json = |row: &[Cell]| {
            let cells = declared.iter().zip(row).map(|(column, cell)| column.kind.json(cell));
            Value::from(cells.collect::<Vec<_>>()).to_string()
        };
        let objects: Vec<String> = table.rows().map(json).collect();
        assert_eq!(objects, [r#"["a",0.3333333333333333,null]"#, "[null,null,null]"]);
        assert_eq!(Kind::Nodes.json(&Cell::None), json!([]));
    }
}
