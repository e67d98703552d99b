//! Rows of measurements, and values with their intervals.

use std::path::Path;

use numasim_evidence::measured::{Row, Status};
use numasim_evidence::statistics::{bootstrap_median_interval, median};

use crate::Failure;

/// The rows of a file, each with its values in some columns that do not belong to the benchmark; one
/// misplaced row makes the file useless.
pub(crate) fn read<const N: usize>(path: &Path, more: [&str; N]) -> Result<Vec<([String; N], Row)>, Failure> {
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).map_err(|why| named(&why))?;
    let titles = reader.headers()?.clone();
    let mut all = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|why| named(&why))?;
        let row: Row = record.deserialize(Some(&titles)).map_err(|why| named(&why))?;
        if row.status != Status::Ok {
            return Err(named(&format!("'{}' was misplaced: {}", row.scenario, row.problem)).into());
        }
        let column = |title| titles.iter().position(|one| one == title).and_then(|column| record.get(column));
        let mut own = [const { String::new() }; N];
        for (own, title) in own.iter_mut().zip(more) {
            column(title).ok_or_else(|| named(&format!("no column {title}")))?.clone_into(own);
        }
        all.push((own, row));
    }
    Ok(all)
}

/// The sum of a value over the nodes of an application in one measurement.
pub(crate) fn sum(
    rows: &[Row],
    scenario: &str,
    app: &str,
    repetition: u32,
    of: impl Fn(&Row) -> f64,
) -> Option<f64> {
    let mut own = rows
        .iter()
        .filter(|row| row.scenario == scenario && row.app == app && row.repetition == repetition)
        .peekable();
    own.peek()?;
    Some(own.map(of).sum())
}

/// The median and its 95 % bootstrap interval, as percentages.
pub(crate) fn percent(values: &[f64]) -> String {
    with_interval(values, |value| format!("{:.2} %", 100.0 * value))
}

/// The same with signs.
pub(crate) fn change(values: &[f64]) -> String {
    with_interval(values, |value| format!("{:+.2} %", 100.0 * value))
}

fn with_interval(values: &[f64], shown: impl Fn(f64) -> String) -> String {
    let Some(middle) = median(values) else { return "-".to_owned() };
    match bootstrap_median_interval(values) {
        Some((low, high)) => format!("{} [{}, {}]", shown(middle), shown(low), shown(high)),
        None => format!("{} (too few for an interval)", shown(middle)),
    }
}
