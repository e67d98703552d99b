//! Rows of a CSV text with the place of every cell.
//!
//! Where a cell is says `numasim_study::csv`.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::ops::Range;

use crate::values::MAX_TASKS;
use ::csv::{ReaderBuilder, StringRecord};
use numasim_model::machine::MAX_NODES;
use numasim_model::text::is_hidden;
use numasim_study::csv::{cell, row_start, shown};
use numasim_study::{Place, Problem, ProblemKind};

use crate::problems::{self, Problems, amount};

/// Which columns a file has.
pub(super) struct Columns<const N: usize> {
    /// Their names, in the order in which they are written.
    pub(super) names: [&'static str; N],
    /// Those that must be there.
    pub(super) required: &'static [&'static str],
}

/// One row: its cells in the order of [`Columns::names`].
pub(super) struct Row<'r, const N: usize> {
    file: usize,
    text: &'r str,
    names: &'r [&'static str; N],
    /// Where in the file each column is.
    columns: &'r [Option<usize>; N],
    record: &'r StringRecord,
    /// Number of the row, from 0.
    pub(super) number: usize,
}

/// Reads all rows of a file; `each` is called for those that have as many cells as the header. Stops where no further problem would be listed.
///
/// Returns whether every row was read, so that what is not there is not there by mistake.
pub(super) fn read<const N: usize>(
    (file, text): (usize, &str),
    known: &Columns<N>,
    problems: &mut Problems,
    mut each: impl FnMut(&Row<'_, N>, &mut Problems),
) -> bool {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    // Text is UTF-8 and the reader never refuses anything else.
    if !reader.read_record(&mut record).unwrap_or(false) {
        let message = format!("the file has no rows, not even a header: {}", known.names.join(","));
        problems.add(Problem::new(ProblemKind::EmptyFile, message).at(Place::whole(file), ""));
        return false;
    }
    let Some(columns) = header((file, text), &record, known, problems) else { return false };
    let width = record.len();
    let mut number = 0;
    while reader.read_record(&mut record).unwrap_or(false) {
        let row = Row { file, text, names: &known.names, columns: &columns, record: &record, number };
        if number == MAX_TASKS {
            let message = format!("this file has more than {MAX_TASKS} rows, which is the most that is read");
            problems.add(problems::at(ProblemKind::Limit, file, row.cell(0), message));
            return false;
        }
        if record.len() == width {
            each(&row, problems);
        } else {
            let what =
                if record.len() == 1 { "1 cell".to_owned() } else { format!("{} cells", record.len()) };
            let message = format!("this row has {what}, the header names {width} columns");
            let place = row.cell(width.min(record.len().saturating_sub(1)));
            let hint = if record.len() > width {
                "write text with a comma in double quotes: \"a, b\""
            } else {
                "cells with nothing in them keep their commas"
            };
            problems.add(problems::at(ProblemKind::WrongLength, file, place, message).hint(hint));
        }
        if problems.is_full() {
            return false;
        }
        number += 1;
    }
    true
}

/// Makes something of the row with a number; `None` where there is none. For messages: it reads all rows.
pub(super) fn find<const N: usize, T>(
    file: (usize, &str),
    known: &Columns<N>,
    number: u32,
    make: impl FnOnce(&Row<'_, N>) -> T,
) -> Option<T> {
    let (mut make, mut made) = (Some(make), None);
    read(file, known, &mut Problems::default(), |row, _| {
        if row.number == number as usize {
            made = made.take().or_else(|| Some(make.take()?(row)));
        }
    });
    made
}

/// Where each known column is.
fn header<const N: usize>(
    (file, text): (usize, &str),
    record: &StringRecord,
    known: &Columns<N>,
    problems: &mut Problems,
) -> Option<[Option<usize>; N]> {
    let start = row_start(text, 0, false);
    let mut columns = [None; N];
    let mut good = true;
    for (at, name) in record.iter().enumerate() {
        let place = known.names.iter().position(|known| *known == name);
        let problem = match place.and_then(|place| columns.get_mut(place)) {
            None => {
                let message = format!("there is no column `{}`", shown(name));
                let hint = format!("the columns are {}", known.names.join(","));
                problems::at(ProblemKind::UnknownKey, file, cell(text, start, at), message).hint(hint)
            }
            Some(Some(_)) => {
                let message = format!("the column `{name}` appears twice");
                problems::at(ProblemKind::DuplicateKey, file, cell(text, start, at), message)
            }
            Some(column) => {
                *column = Some(at);
                continue;
            }
        };
        good = false;
        problems.add(problem);
    }
    for (name, column) in known.names.iter().zip(&columns) {
        if column.is_none() && known.required.contains(name) {
            good = false;
            let span = cell(text, start, 0).start..cell(text, start, record.len().saturating_sub(1)).end;
            let message = format!("there is no column `{name}`");
            problems.add(problems::at(ProblemKind::MissingKey, file, span, message));
        }
    }
    good.then_some(columns)
}

impl<const N: usize> Row<'_, N> {
    /// The text of a cell; empty for a column that the file does not have.
    pub(super) fn text(&self, name: &str) -> &str {
        self.column(name).and_then(|column| self.record.get(column)).unwrap_or_default()
    }

    /// A problem with a cell.
    pub(super) fn problem(&self, name: &str, kind: ProblemKind, message: impl Into<String>) -> Problem {
        problems::at(kind, self.file, self.place(name), message)
    }

    /// A problem with a part of a cell, for as long as nothing in it is quoted.
    pub(super) fn problem_in(
        &self,
        name: &str,
        part: Range<usize>,
        kind: ProblemKind,
        message: impl Into<String>,
    ) -> Problem {
        let whole = self.place(name);
        let plain = self.text.get(whole.clone()) == Some(self.text(name));
        let span = if plain { whole.start + part.start..whole.start + part.end } else { whole };
        problems::at(kind, self.file, span, message)
    }

    /// Reads the identifier, which is the number of the row.
    pub(super) fn id(&self, what: &str) -> Result<(), Problem> {
        let text = self.text("id");
        if text.parse() == Ok(self.number) {
            return Ok(());
        }
        let message = format!("`id` is '{}' where {} is expected", shown(text), self.number);
        let hint = format!("{what} have the numbers 0, 1, 2 ... in the order of the rows");
        Err(self.problem("id", ProblemKind::BadValue, message).hint(hint))
    }

    /// A finite number, zero or more.
    pub(super) fn amount(&self, name: &str, what: &str) -> Result<f64, Problem> {
        amount(self.text(name)).map_err(|why| {
            let message = format!("`{name}` is {why}");
            self.problem(name, ProblemKind::BadValue, message).hint(format!("write {what}"))
        })
    }

    /// The number of a node; `also` says what else a cell may hold.
    pub(super) fn node(&self, name: &str, also: &str) -> Result<usize, Problem> {
        let text = self.text(name);
        text.parse().ok().filter(|&node| node < MAX_NODES).ok_or_else(|| {
            let message = format!("`{name}` is '{}', not a node", shown(text));
            let hint = format!("write the number of a node, below {MAX_NODES}, {also}");
            self.problem(name, ProblemKind::BadValue, message).hint(hint)
        })
    }

    /// A node that a machine with so many does not have.
    pub(super) fn no_such_node(&self, name: &str, nodes: usize) -> Problem {
        let message = format!("`{name}` is {}, but the machine has {nodes} nodes", shown(self.text(name)));
        let hint = format!("write a number from 0 to {}, or nothing", nodes.saturating_sub(1));
        self.problem(name, ProblemKind::BadValue, message).hint(hint)
    }

    /// A whole number from 0, or nothing.
    pub(super) fn number(&self, name: &str, what: &str) -> Result<Option<u32>, Problem> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(None);
        }
        let number = text.parse().ok().filter(|&number| number as usize <= MAX_TASKS);
        number.map(Some).ok_or_else(|| {
            let message = format!("`{name}` is '{}'", shown(text));
            self.problem(name, ProblemKind::BadValue, message).hint(format!("write {what}, or nothing"))
        })
    }

    /// 1 for yes, nothing for no.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.text(name) {
            "" => Ok(false),
            "1" => Ok(true),
            other => {
                let message = format!("`{name}` is '{}'", shown(other));
                Err(self.problem(name, ProblemKind::BadValue, message).hint("write 1, or nothing"))
            }
        }
    }

    /// Text that people read: nothing in it is hidden.
    pub(super) fn word(&self, name: &str) -> Result<&str, Problem> {
        let text = self.text(name);
        if !text.contains(is_hidden) {
            return Ok(text);
        }
        let message = format!("`{name}` is '{}': it has a character that cannot be seen", shown(text));
        Err(self.problem(name, ProblemKind::BadValue, message).hint("delete it"))
    }

    fn column(&self, name: &str) -> Option<usize> {
        let place = self.names.iter().position(|known| *known == name)?;
        self.columns.get(place).copied().flatten()
    }

    fn place(&self, name: &str) -> Range<usize> {
        self.cell(self.column(name).unwrap_or(0))
    }

    fn cell(&self, column: usize) -> Range<usize> {
        let at = self.record.position().map_or(0, ::csv::Position::byte);
        let start = row_start(self.text, usize::try_from(at).unwrap_or(usize::MAX), false);
        cell(self.text, start, column)
    }
}
