//! Cells of CSV texts: the crate `csv` reads, and tells where a record begins; for a message a record is looked at again, cell by cell.
//!
//! Also what messages of all readers of such texts have in common: the list stays short, and so does text of files.

use std::ops::Range;

use csv_core::{ReadFieldResult, Reader};
use numasim_model::text::visible;

use crate::{Problem, ProblemKind};

/// Most problems that are listed.
const MOST: usize = 20;

/// Adds a problem to a list, unless it is full; says at its end that there are more.
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

/// Whether what is found from here on is not listed, so that there is no need to look for more.
pub fn is_full(problems: &[Problem]) -> bool {
    problems.len() > MOST
}

/// Text of a file in a message: short, and in one line.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let short = text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end));
    short.map_or_else(|| visible(text).into_owned(), |short| format!("{}…", visible(short)))
}

/// The first byte of the record that the reader found at or behind `at`: it counts line ends, the mark at the begin of a file and
/// `comments` before a record to it.
pub fn row_start(text: &str, mut at: usize, comments: bool) -> usize {
    loop {
        let Some(rest) = text.get(at..) else { return text.len() };
        let skipped = rest.trim_start_matches(['\u{feff}', '\r', '\n']);
        at += rest.len() - skipped.len();
        if !comments || !skipped.starts_with('#') {
            return at;
        }
        at = row_end(text, at);
    }
}

/// The end of the line on which a record begins.
pub fn row_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    start + line.trim_end_matches('\r').len()
}

/// The bytes of a cell, quotes included, of the record that begins at `start`.
pub fn cell(text: &str, start: usize, column: usize) -> Range<usize> {
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
