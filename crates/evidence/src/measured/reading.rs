//! Takes rows back from their text.

use super::{COLUMNS, Expected, Row, header};

/// Why a text is no CSV of measurements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first line is another one.
    #[error("it does not begin with the header of a result of numasim bench ({} columns from `run` to `doubts`)", COLUMNS.len())]
    Header,
    /// A line is no row.
    #[error("line {line}: {why}")]
    Row {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// One line without its end. No field has a line break: names may not, and problems get none.
fn row(line: &str) -> Result<Row, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let mut record = csv::StringRecord::new();
    reader.read_record(&mut record).map_err(|error| error.to_string())?;
    if record.len() != COLUMNS.len() {
        return Err(format!("it has {} fields, not {}", record.len(), COLUMNS.len()));
    }
    let names = csv::StringRecord::from(COLUMNS.to_vec());
    record.deserialize(Some(&names)).map_err(|error| error.to_string())
}

/// What a run left: rows of whole measurements, and where they end.
#[derive(Debug, PartialEq)]
pub struct Left {
    /// Rows of whole measurements.
    pub rows: Vec<Row>,
    /// Whole measurements.
    pub measurements: u64,
    /// Bytes up to the end of the last whole measurement, header included; 0 if not even the header is whole.
    pub end: usize,
}

/// The run of the first row; `None` if no row is whole.
///
/// # Errors
/// [`ReadError`] for a text that is no result, or whose first row is none.
pub fn run_of(text: &[u8]) -> Result<Option<String>, ReadError> {
    let header = header();
    if header.as_bytes().starts_with(text) {
        return Ok(None);
    }
    let rest = text.strip_prefix(header.as_bytes()).ok_or(ReadError::Header)?;
    let Some((line, _)) = rest.iter().position(|&byte| byte == b'\n').map(|end| rest.split_at(end)) else {
        return Ok(None);
    };
    let wrong = |why: String| ReadError::Row { line: 2, why };
    let line = std::str::from_utf8(line).map_err(|error| wrong(error.to_string()))?;
    row(line).map(|row| Some(row.run)).map_err(wrong)
}

/// Reads what a killed run left. The last measurement counts only if all its rows are there; a torn last line is dropped.
///
/// # Errors
/// [`ReadError::Header`] for another kind of text, [`ReadError::Row`] for a line that is no row of `plan`.
pub fn whole_measurements(text: &[u8], plan: &[Expected]) -> Result<Left, ReadError> {
    let header = header();
    if header.as_bytes().starts_with(text) && text.len() < header.len() {
        return Ok(Left { rows: Vec::new(), measurements: 0, end: 0 });
    }
    let rest = text.strip_prefix(header.as_bytes()).ok_or(ReadError::Header)?;
    let mut left = Left { rows: Vec::new(), measurements: 0, end: header.len() };
    let mut lines = rest.split_inclusive(|&byte| byte == b'\n').enumerate().peekable();
    while let Some(&(index, _)) = lines.peek() {
        let mut rows: Vec<Row> = Vec::new();
        let mut length = 0;
        let mut expected: &[(String, usize)] = &[];
        loop {
            // The end of the text, or a line that is not ended: what the last measurement lacks is lost with it.
            let Some((at, line)) = lines.next() else { return Ok(left) };
            let Some(whole) = line.strip_suffix(b"\n") else { return Ok(left) };
            let wrong = |why: String| ReadError::Row { line: at + 2, why };
            let whole = std::str::from_utf8(whole).map_err(|error| wrong(error.to_string()))?;
            let row = row(whole).map_err(wrong)?;
            if rows.is_empty() {
                let scenario = plan.iter().find(|expected| expected.scenario == row.scenario);
                let scenario = scenario.ok_or_else(|| {
                    wrong(format!("scenario '{}' is none of those of this run", row.scenario))
                })?;
                expected = &scenario.rows;
            }
            let same = rows.first().is_none_or(|first: &Row| {
                (&first.scenario, first.repetition, &first.run) == (&row.scenario, row.repetition, &row.run)
            });
            let here =
                expected.get(rows.len()).is_some_and(|(app, node)| *app == row.app && *node == row.node);
            if !same || !here {
                let first = index + 2;
                return Err(wrong(format!(
                    "it does not belong to the measurement that begins at line {first}"
                )));
            }
            length += line.len();
            rows.push(row);
            if rows.len() == expected.len() {
                break;
            }
        }
        left.rows.append(&mut rows);
        left.measurements += 1;
        left.end += length;
    }
    Ok(left)
}
