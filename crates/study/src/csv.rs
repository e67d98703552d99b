//! CSV texts, row by row, with the place of every field, so that messages can point at a mistake.
//!
//! The crate `csv` reads the text and reports the start of each record; for a message the record is scanned
//! again, cell by cell. This module also contains rules for the messages of all readers of texts: the list of
//! problems stays short, and so does quoted text of files.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::ops::Range;

use ::csv::{Position, ReaderBuilder, StringRecord, Trim};
use csv_core::{ReadFieldResult, Reader};
use numasim_model::text::{is_hidden, visible};
use serde::de::DeserializeOwned;

use crate::{Place, Problem, ProblemKind};

/// Maximum number of listed problems.
const MOST: usize = 20;

/// Adds a problem to a list unless it is full; a last entry says that there are more.
pub fn add(problems: &mut Vec<Problem>, problem: Problem) {
    if !is_full(problems) {
        problems.push(if problems.len() == MOST { more() } else { problem });
    }
}

/// The first problems of a list that may be long.
pub fn first(mut problems: Vec<Problem>) -> Vec<Problem> {
    if is_full(&problems) {
        problems.truncate(MOST);
        problems.push(more());
    }
    problems
}

fn more() -> Problem {
    Problem::new(ProblemKind::More, "there are more problems; these are the first")
}

/// Whether further problems will not be listed, so that the search for them can stop.
pub fn is_full(problems: &[Problem]) -> bool {
    problems.len() > MOST
}

/// Text of a file for a message: short, on one line.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let short = text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end));
    short.map_or_else(|| visible(text).into_owned(), |short| format!("{}…", visible(short)))
}

/// A CSV text, row by row.
pub struct Rows<'t> {
    file: usize,
    text: &'t str,
    exact: bool,
    reader: ::csv::Reader<&'t [u8]>,
    headers: Vec<String>,
    record: StringRecord,
}

/// One row with as many fields as there are columns.
pub struct Row<'r> {
    file: usize,
    text: &'r str,
    exact: bool,
    headers: &'r [String],
    record: &'r StringRecord,
}

impl<'t> Rows<'t> {
    /// Reads the header of a text that people may have written, file 0: comment lines begin with `#`, and
    /// spaces around fields are ignored.
    ///
    /// # Errors
    /// No header, or a duplicate column name.
    pub fn new(text: &'t str) -> Result<Self, Problem> {
        let rows = Self::open(0, text, false)?;
        let repeated = rows.repeated().next();
        repeated.map_or(Ok(rows), Err)
    }

    /// Reads the header of a text that a program wrote: RFC 4180, without comments; spaces belong to their
    /// fields.
    ///
    /// # Errors
    /// No header.
    pub fn exact(file: usize, text: &'t str) -> Result<Self, Problem> {
        Self::open(file, text, true)
    }

    fn open(file: usize, text: &'t str, exact: bool) -> Result<Self, Problem> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment((!exact).then_some(b'#'))
            .trim(if exact { Trim::None } else { Trim::All })
            .from_reader(text.as_bytes());
        let mut record = StringRecord::new();
        if !reader.read_record(&mut record).map_err(|error| broken(file, &error))? {
            let message = "the file has no rows, not even a header";
            return Err(Problem::new(ProblemKind::EmptyFile, message).at(Place::whole(file), ""));
        }
        let headers = record.iter().map(str::to_owned).collect();
        Ok(Self { file, text, exact, reader, headers, record })
    }

    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The names of the columns.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.headers.iter().position(|header| header == name)
    }

    /// A problem for each column with the name of an earlier one.
    pub fn repeated(&self) -> impl Iterator<Item = Problem> {
        let columns = self.headers.iter().enumerate();
        columns.filter(|&(column, name)| self.headers[..column].contains(name)).map(|(column, name)| {
            let message = format!("the column `{}` appears twice", shown(name));
            Problem::new(ProblemKind::DuplicateKey, message)
                .at(self.header_place(column), "again")
                .hint("name each column once")
        })
    }

    fn header_place(&self, column: usize) -> Place {
        Place::at(self.file, field_span(self.text, row_start(self.text, 0, self.exact), column))
    }

    /// A problem with the name of a column.
    pub fn header_problem(&self, column: usize, message: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::UnknownKey, message).at(self.header_place(column), "here")
    }

    /// A problem with the whole header.
    pub fn header_lacks(&self, message: impl Into<String>) -> Problem {
        let place = row_place(self.file, self.text, row_start(self.text, 0, self.exact));
        Problem::new(ProblemKind::MissingKey, message).at(place, "the columns")
    }

    /// The next row; `None` after the last one.
    #[allow(clippy::should_implement_trait, reason = "a row lends from the reader, as no iterator can")]
    #[inline] // graphs have millions of rows: compiled and optimised in the crates that read them
    pub fn next(&mut self) -> Option<Result<Row<'_>, Problem>> {
        match self.reader.read_record(&mut self.record) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => return Some(Err(broken(self.file, &error))),
        }
        let row = Row {
            file: self.file,
            text: self.text,
            exact: self.exact,
            headers: &self.headers,
            record: &self.record,
        };
        Some(if row.record.len() == row.headers.len() { Ok(row) } else { Err(row.wrong_length()) })
    }
}

impl<'r> Row<'r> {
    fn wrong_length(&self) -> Problem {
        let (fields, columns) = (self.record.len(), self.headers.len());
        let (place, hint) = if fields > columns {
            let hint = "separate fields by commas; write the decimal point as `.`, and a name with a comma in double \
                        quotes: \"even 2,2\"";
            (self.place(columns), hint)
        } else {
            (self.whole(), "separate fields by commas; a field with nothing in it keeps its comma")
        };
        let what = if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") };
        let message = format!("this row has {what}, the header names {columns} columns");
        Problem::new(ProblemKind::WrongLength, message).at(place, "here").hint(hint)
    }

    fn position(&self) -> (usize, usize) {
        let at = self.record.position().map_or(0, Position::byte);
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        (at, row_start(self.text, at, self.exact))
    }

    /// Byte at which the row begins.
    pub fn start(&self) -> usize {
        self.position().1
    }

    /// Number of its first line, from 1.
    pub fn line(&self) -> usize {
        let (at, start) = self.position();
        let skipped = self.text.get(at..start).unwrap_or_default().matches('\n').count();
        let line = self.record.position().map_or(1, Position::line);
        skipped + usize::try_from(line).unwrap_or(usize::MAX)
    }

    /// The column of this name.
    #[inline] // like `Rows::next`
    pub fn column(&self, name: &str) -> Option<usize> {
        self.headers.iter().position(|header| header == name)
    }

    /// All fields as a value, by the names of the columns.
    ///
    /// # Errors
    /// The first field of the wrong type.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ::csv::Error> {
        self.record.deserialize(Some(&StringRecord::from(self.headers)))
    }

    /// The name of a column.
    pub fn header(&self, column: usize) -> &'r str {
        self.headers.get(column).map_or("", String::as_str)
    }

    /// The text of a field; empty for a column that the file does not have.
    #[inline] // like `Rows::next`
    pub fn text(&self, column: Option<usize>) -> &'r str {
        column.and_then(|column| self.record.get(column)).unwrap_or_default()
    }

    /// The place of a field.
    pub fn place(&self, column: usize) -> Place {
        Place::at(self.file, field_span(self.text, self.start(), column))
    }

    /// The whole row.
    pub fn whole(&self) -> Place {
        row_place(self.file, self.text, self.start())
    }

    /// A problem with a field.
    pub fn problem(&self, column: usize, kind: ProblemKind, message: impl Into<String>) -> Problem {
        Problem::new(kind, message).at(self.place(column), "here")
    }

    /// A name with the syntax of input files; may be empty.
    ///
    /// # Errors
    /// An invalid field, with its place.
    pub fn name(&self, column: usize) -> Result<&'r str, Problem> {
        let text = self.text(Some(column));
        if !text.contains(is_hidden) {
            return Ok(text);
        }
        let name = self.header(column);
        let message = format!("`{name}` is '{}': it contains a character that cannot be seen", shown(text));
        Err(self
            .problem(column, ProblemKind::BadValue, message)
            .hint("no name in an input file can have one: delete it"))
    }

    /// A finite number, zero or more. `example` shows a valid value.
    ///
    /// # Errors
    /// An invalid field, with its place.
    pub fn amount(&self, column: usize, example: &str) -> Result<f64, Problem> {
        let text = self.text(Some(column));
        let name = self.header(column);
        let why = match text.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => return Ok(value),
            Ok(value) if value < 0.0 => format!("`{name}` is {}, but cannot be negative", shown(text)),
            Ok(_) => format!("`{name}` is {}, which is not a finite number", shown(text)),
            Err(_) if text.is_empty() => format!("`{name}` is empty"),
            Err(_) => format!("`{name}` is '{}', not a number", shown(text)),
        };
        let kind = if text.is_empty() { ProblemKind::MissingKey } else { ProblemKind::BadValue };
        Err(self.problem(column, kind, why).hint(format!("write {example}")))
    }

    /// A whole number of at least `least`. `example` shows a valid value.
    ///
    /// # Errors
    /// An invalid field, with its place.
    pub fn whole_number(&self, column: usize, least: u32, example: &str) -> Result<u32, Problem> {
        let text = self.text(Some(column));
        text.parse::<u32>().ok().filter(|&number| number >= least).ok_or_else(|| {
            let message = format!("`{}` is '{}'", self.header(column), shown(text));
            self.problem(column, ProblemKind::BadValue, message).hint(format!("write {example}"))
        })
    }
}

/// The row that begins at `start`, for a message.
pub fn row_place(file: usize, text: &str, start: usize) -> Place {
    Place::at(file, start..row_end(text, start))
}

fn broken(file: usize, error: &::csv::Error) -> Problem {
    Problem::new(ProblemKind::Syntax, format!("this is not CSV: {error}")).at(Place::whole(file), "")
}

/// The bytes of a field without the spaces around it, quotes included.
fn field_span(text: &str, start: usize, column: usize) -> Range<usize> {
    let cell = cell(text, start, column);
    let field = text.get(cell.clone()).unwrap_or_default();
    let lead = field.len() - field.trim_start().len();
    let end = cell.start + field.trim_end().len();
    cell.start + lead..end.max(cell.start + lead)
}

/// The first byte of the record that the reader found at or after `at`. The reader includes preceding line
/// ends, the byte order mark at the beginning of a file and, unless the text is `exact`, preceding comments
/// in a record.
fn row_start(text: &str, mut at: usize, exact: bool) -> usize {
    loop {
        let Some(rest) = text.get(at..) else { return text.len() };
        let skipped = rest.trim_start_matches(['\u{feff}', '\r', '\n']);
        at += rest.len() - skipped.len();
        if exact || !skipped.starts_with('#') {
            return at;
        }
        at = row_end(text, at);
    }
}

/// The end of the line on which a record begins.
fn row_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    start + line.trim_end_matches('\r').len()
}

/// The bytes of a cell, quotes included, of the record that begins at `start`.
fn cell(text: &str, start: usize, column: usize) -> Range<usize> {
    let (mut reader, mut content) = (Reader::new(), [0; 256]);
    let mut at = start.min(text.len());
    let mut from = at;
    let mut seen = 0;
    loop {
        let input = text.as_bytes().get(at..).unwrap_or_default();
        let (result, read, _) = reader.read_field(input, &mut content);
        at += read;
        match result {
            ReadFieldResult::OutputFull => {}
            ReadFieldResult::InputEmpty if read > 0 => {}
            ReadFieldResult::Field { record_end: false } if seen < column => {
                seen += 1;
                from = at;
            }
            _ => break,
        }
    }
    let field = text.get(from..at).unwrap_or_default();
    let separator =
        if field.ends_with(',') { 1 } else { field.len() - field.trim_end_matches(['\r', '\n']).len() };
    from..from + field.len() - separator
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked<'t>(text: &'t str, problem: &Problem) -> &'t str {
        let span = problem.place.clone().and_then(|place| place.span).expect("a place");
        &text[span]
    }

    #[test]
    fn fields_are_found_after_comments_quotes_and_windows_line_ends() {
        let text = "\u{feff}# made by hand\r\na,b\r\n\r\n# more\r\n\"x, \"\"y\"\"\" , 7z\r\n";
        let mut rows = Rows::new(text).expect("a header");
        assert_eq!(rows.headers(), ["a", "b"]);
        let row = rows.next().expect("a row").expect("in order");
        assert_eq!(row.line(), 5);
        let problem = row.amount(1, "a number").expect_err("7z");
        assert_eq!(marked(text, &problem), "7z");
        assert_eq!(&text[row.place(0).span.expect("a place")], "\"x, \"\"y\"\"\"");
    }

    #[test]
    fn a_row_with_too_many_fields_is_marked_at_the_first_excess_field() {
        let text = "a,b\n1,22,82\n";
        let mut rows = Rows::new(text).expect("a header");
        let problem = rows.next().expect("a row").err().expect("three fields");
        assert_eq!(marked(text, &problem), "82");
    }

    #[test]
    fn amounts_are_finite_and_not_negative() {
        let text = "a\n1.5\n-1\ninf\nNaN\n1e999\n1 000\n";
        let mut rows = Rows::new(text).expect("a header");
        let mut good = Vec::new();
        while let Some(row) = rows.next() {
            good.push(row.expect("one field").amount(0, "a number").ok());
        }
        assert_eq!(good, [Some(1.5), None, None, None, None, None]);
    }

    #[test]
    fn column_names_are_unique_and_a_header_is_required() {
        assert!(Rows::new("a,b,a\n").is_err_and(|problem| problem.message.contains("`a` appears twice")));
        assert!(Rows::new("# nothing\n").is_err());
    }
}
