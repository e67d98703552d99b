//! Rows of a CSV text with the place of every field, so that a mistake can be shown where it is.
//!
//! Where a field is says `numasim_study::csv`. Comment lines begin with `#`; spaces around fields do not count.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::ops::Range;

use csv::{ReaderBuilder, StringRecord, Trim};
use numasim_model::text::is_hidden;
use numasim_study::csv::{cell, row_end, row_start};
pub use numasim_study::csv::{first, is_full, shown};
use numasim_study::{Place, Problem, ProblemKind};
use serde::de::DeserializeOwned;

/// A CSV text, row by row.
pub struct Rows<'t> {
    text: &'t str,
    reader: csv::Reader<&'t [u8]>,
    headers: Vec<String>,
    record: StringRecord,
    /// A byte of the text and the number of its line.
    counted: (usize, usize),
}

/// One row with as many fields as there are columns.
pub struct Row<'r> {
    text: &'r str,
    headers: &'r [String],
    record: &'r StringRecord,
    /// Byte where the row begins.
    pub start: usize,
    /// Number of its first line, from 1.
    pub line: usize,
}

impl<'t> Rows<'t> {
    /// Reads the header.
    ///
    /// # Errors
    /// No header, or a column that is named twice.
    pub fn new(text: &'t str) -> Result<Self, Problem> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        let mut record = StringRecord::new();
        if !reader.read_record(&mut record).map_err(|error| broken(&error))? {
            let message = "the file has no rows, not even a header";
            return Err(Problem::new(ProblemKind::EmptyFile, message).at(Place::whole(0), ""));
        }
        let headers: Vec<String> = record.iter().map(str::to_owned).collect();
        let start = row_start(text, 0, true);
        for (column, name) in headers.iter().enumerate() {
            if headers[..column].contains(name) {
                let place = Place::at(0, field_span(text, start, column));
                let message = format!("the column `{}` appears twice", shown(name));
                return Err(Problem::new(ProblemKind::DuplicateKey, message)
                    .at(place, "again")
                    .hint("name each column once"));
            }
        }
        Ok(Self { text, reader, headers, record, counted: (0, 1) })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'t str {
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

    /// A problem with the name of a column.
    pub fn header_problem(&self, column: usize, message: impl Into<String>) -> Problem {
        let span = field_span(self.text, row_start(self.text, 0, true), column);
        Problem::new(ProblemKind::UnknownKey, message).at(Place::at(0, span), "here")
    }

    /// A problem with the header as a whole.
    pub fn header_lacks(&self, message: impl Into<String>) -> Problem {
        let start = row_start(self.text, 0, true);
        let place = Place::at(0, start..row_end(self.text, start));
        Problem::new(ProblemKind::MissingKey, message).at(place, "the columns")
    }

    /// The next row; `None` behind the last.
    #[allow(clippy::should_implement_trait, reason = "a row lends from the reader, as no iterator can")]
    pub fn next(&mut self) -> Option<Result<Row<'_>, Problem>> {
        match self.reader.read_record(&mut self.record) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => return Some(Err(broken(&error))),
        }
        let at = self.record.position().map_or(0, csv::Position::byte);
        let start = row_start(self.text, usize::try_from(at).unwrap_or(usize::MAX), true);
        let (fields, columns) = (self.record.len(), self.headers.len());
        if fields != columns {
            let span = if fields > columns {
                field_span(self.text, start, columns)
            } else {
                start..row_end(self.text, start)
            };
            let what = if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") };
            let problem = Problem::new(
                ProblemKind::WrongLength,
                format!("this row has {what}, the header names {columns} columns"),
            );
            let hint = "separate fields by commas; write the decimal point as `.`, and a name with a comma in double \
                        quotes: \"even 2,2\"";
            return Some(Err(problem.at(Place::at(0, span), "here").hint(hint)));
        }
        let (from, line) = self.counted;
        let line = line + self.text.get(from..start).unwrap_or_default().matches('\n').count();
        self.counted = (start, line);
        Some(Ok(Row { text: self.text, headers: &self.headers, record: &self.record, start, line }))
    }
}

impl Row<'_> {
    /// All fields as a value, by the names of the columns.
    ///
    /// # Errors
    /// The first field that is of another type.
    pub(crate) fn deserialize<T: DeserializeOwned>(&self) -> Result<T, csv::Error> {
        self.record.deserialize(Some(&StringRecord::from(self.headers)))
    }

    /// The text of a field; empty for a column that the file does not have.
    pub fn text(&self, column: Option<usize>) -> &str {
        column.and_then(|column| self.record.get(column)).unwrap_or_default()
    }

    /// Where a field is.
    pub fn place(&self, column: usize) -> Place {
        Place::at(0, field_span(self.text, self.start, column))
    }

    /// The whole row.
    pub fn whole(&self) -> Place {
        row_place(self.text, self.start)
    }

    /// A problem with a field.
    pub fn problem(&self, column: usize, kind: ProblemKind, message: impl Into<String>) -> Problem {
        Problem::new(kind, message).at(self.place(column), "here")
    }

    /// A name, as input files may have one; perhaps empty.
    ///
    /// # Errors
    /// A field that is none, with its place.
    pub fn name(&self, column: usize) -> Result<&str, Problem> {
        let text = self.text(Some(column));
        if !text.contains(is_hidden) {
            return Ok(text);
        }
        let name = &self.headers[column];
        let message = format!("`{name}` is '{}': it contains a character that cannot be seen", shown(text));
        Err(self
            .problem(column, ProblemKind::BadValue, message)
            .hint("no name in an input file can have one: delete it"))
    }

    /// A finite number, zero or more. `example` says what belongs there.
    ///
    /// # Errors
    /// A field that is none, with its place.
    pub fn amount(&self, column: usize, example: &str) -> Result<f64, Problem> {
        let text = self.text(Some(column));
        let name = &self.headers[column];
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

    /// A bandwidth above zero in GB/s, of a figure in `unit` GB/s; no more than a machine has.
    ///
    /// # Errors
    /// A field that is none, with its place.
    pub fn bandwidth(&self, column: usize, example: &str, unit: f64) -> Result<f64, Problem> {
        let value = self.amount(column, example)?;
        let name = &self.headers[column];
        let bad = |why: String| Err(self.problem(column, ProblemKind::BadValue, why));
        if value <= 0.0 {
            let why = format!("`{name}` is {}: nothing was measured", shown(self.text(Some(column))));
            return bad(why).map_err(|problem| problem.hint("leave this row out"));
        }
        let gbs = in_giga(value, unit);
        match too_fast(gbs) {
            Some(why) => bad(why).map_err(|problem| problem.hint(TOO_FAST_HINT)),
            None => Ok(gbs),
        }
    }

    /// A whole number from `least` up. `example` says what belongs there.
    ///
    /// # Errors
    /// A field that is none, with its place.
    pub fn whole_number(&self, column: usize, least: u32, example: &str) -> Result<u32, Problem> {
        let text = self.text(Some(column));
        text.parse::<u32>().ok().filter(|&number| number >= least).ok_or_else(|| {
            let message = format!("`{}` is '{}'", self.headers[column], shown(text));
            self.problem(column, ProblemKind::BadValue, message).hint(format!("write {example}"))
        })
    }
}

/// The row that begins at `start`, for a message.
pub fn row_place(text: &str, start: usize) -> Place {
    Place::at(0, start..row_end(text, start))
}

fn broken(error: &csv::Error) -> Problem {
    Problem::new(ProblemKind::Syntax, format!("this is not CSV: {error}")).at(Place::whole(0), "")
}

/// The bytes of a field without the spaces around it, quotes included.
fn field_span(text: &str, start: usize, column: usize) -> Range<usize> {
    let cell = cell(text, start, column);
    let field = text.get(cell.clone()).unwrap_or_default();
    let lead = field.len() - field.trim_start().len();
    let end = cell.start + field.trim_end().len();
    cell.start + lead..end.max(cell.start + lead)
}

// Bandwidths in GB/s, from other units, and figures that no machine reaches: a measurement beyond them is a slip of a tool or of
// a unit, and is refused.
//
// These bounds are far above what [`numasim_model`] doubts for one node or one core, because a run may use all of them, or caches.

/// GB/s of all memories and caches of a machine: 192 cores with 300 GB/s from their first cache come to 58 TB/s.
pub(crate) const MOST_GBS: f64 = 100_000.0;
/// GFLOPS of all cores of a machine: 10,000 cores of 1 TFLOPS each.
pub(crate) const MOST_GFLOPS: f64 = 1e7;

/// Why this is no bandwidth of a machine; `None` if it may be one.
pub(crate) fn too_fast(gbs: f64) -> Option<String> {
    (gbs > MOST_GBS).then(|| format!("{} GB/s are more than any machine moves", short(gbs)))
}

/// Why this is no performance of a machine; `None` if it may be one.
pub(crate) fn too_much(gflops: f64) -> Option<String> {
    (gflops > MOST_GFLOPS).then(|| format!("{} GFLOPS are more than any machine computes", short(gflops)))
}

/// What to do about both.
pub(crate) const TOO_FAST_HINT: &str = "the tool or a unit slipped: measure again";

fn short(value: f64) -> String {
    format!("{value:.2e}")
}

/// Millions in thousands of millions, for [`in_giga`].
pub(crate) const MEGA: f64 = 1e-3;

/// A figure in `unit` GB/s.
pub(crate) fn in_giga(value: f64, unit: f64) -> f64 {
    if unit.to_bits() == MEGA.to_bits() { mega_to_giga(value) } else { value * unit }
}

/// A figure in millions as one in thousands of millions, without a new rounding: 99833.3 MB/s are 99.8333 GB/s.
pub(crate) fn mega_to_giga(mega: f64) -> f64 {
    format!("{mega:e}").split_once('e').map_or(mega / 1e3, |(digits, exponent)| {
        let exponent = exponent.parse::<i32>().unwrap_or(0) - 3;
        format!("{digits}e{exponent}").parse().unwrap_or(mega / 1e3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked<'t>(text: &'t str, problem: &Problem) -> &'t str {
        let span = problem.place.clone().and_then(|place| place.span).expect("a place");
        &text[span]
    }

    #[test]
    fn fields_are_found_behind_comments_quotes_and_line_ends_of_windows() {
        let text = "\u{feff}# made by hand\r\na,b\r\n\r\n# more\r\n\"x, \"\"y\"\"\" , 7z\r\n";
        let mut rows = Rows::new(text).expect("a header");
        assert_eq!(rows.headers(), ["a", "b"]);
        let row = rows.next().expect("a row").expect("in order");
        assert_eq!(row.line, 5);
        let problem = row.amount(1, "a number").expect_err("7z");
        assert_eq!(marked(text, &problem), "7z");
        assert_eq!(&text[row.place(0).span.expect("a place")], "\"x, \"\"y\"\"\"");
    }

    #[test]
    fn a_row_with_too_many_fields_is_marked_at_the_first_one_too_many() {
        let text = "a,b\n1,22,82\n";
        let mut rows = Rows::new(text).expect("a header");
        let problem = rows.next().expect("a row").err().expect("three fields");
        assert_eq!(marked(text, &problem), "82");
    }

    #[test]
    fn an_amount_is_finite_and_not_negative() {
        let text = "a\n1.5\n-1\ninf\nNaN\n1e999\n1 000\n";
        let mut rows = Rows::new(text).expect("a header");
        let mut good = Vec::new();
        while let Some(row) = rows.next() {
            good.push(row.expect("one field").amount(0, "a number").ok());
        }
        assert_eq!(good, [Some(1.5), None, None, None, None, None]);
    }

    #[test]
    fn a_column_is_named_once_and_a_file_has_a_header() {
        assert!(Rows::new("a,b,a\n").is_err_and(|problem| problem.message.contains("`a` appears twice")));
        assert!(Rows::new("# nothing\n").is_err());
    }
}

#[cfg(test)]
mod figures_tests {
    use super::*;

    #[test]
    fn caches_of_a_large_machine_are_believed_and_a_slip_of_units_is_not() {
        assert_eq!(too_fast(58_000.0), None);
        assert_eq!(too_fast(3.3e12).as_deref(), Some("3.30e12 GB/s are more than any machine moves"));
        assert_eq!(too_much(4_000.0), None);
        assert!(too_much(1e9).is_some());
    }
}
