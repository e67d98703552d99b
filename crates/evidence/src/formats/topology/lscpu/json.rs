//! `lscpu -J` and `lscpu -e -J`: an object with `lscpu`, the summary, or with `cpus`, the table.

use numasim_study::Problem;
use serde_json::{Map, Value as Json};

use super::summary::Summary;
use super::table::{Columns, Table};
use super::{HINT, Lscpu};
use crate::formats::lines::{Line, lines};

pub(super) fn read(text: &str, into: &mut Lscpu) -> Result<(), Problem> {
    let all: Vec<Line<'_>> = lines(text).collect();
    // Of JSON the first line stands for all where nothing says more.
    let Some(first) = all.iter().find(|line| !line.text.trim().is_empty()) else { return Ok(()) };
    let whole: Json = serde_json::from_str(text).map_err(|error| {
        let line = all.get(error.line().saturating_sub(1)).unwrap_or(first);
        line.problem(format!("this is no JSON: {error}")).hint(HINT)
    })?;
    let list = |key: &str| whole.get(key).and_then(Json::as_array);
    match (list("lscpu"), list("cpus")) {
        (Some(entries), _) => {
            let mut summary = Summary::default();
            summarise(entries, &all, first, &mut summary)?;
            match into.summary.replace(summary) {
                Some(_) => Err(first.problem("this is a second summary").hint("import one of them")),
                None => Ok(()),
            }
        }
        (None, Some(rows)) => {
            if into.table.is_some() {
                return Err(first.problem("this is a second table of processors").hint("import one of them"));
            }
            let mut table = Table::default();
            for row in rows {
                let row = row
                    .as_object()
                    .ok_or_else(|| first.problem("a row of `cpus` is no object").hint(HINT))?;
                let (names, cells): (Vec<String>, Vec<String>) =
                    row.iter().map(|(name, value)| (name.to_ascii_lowercase(), cell(value))).unzip();
                let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                let row = Columns::of_keys(names, first)?.cells(&cells, first)?;
                table.add(row, first)?;
            }
            into.table = Some(table);
            Ok(())
        }
        (None, None) => Err(first.problem("this is not output of lscpu").hint(HINT)),
    }
}

fn cell(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Entries, and those of their sections. A list that is nested too deeply for the stack is refused by serde_json.
fn summarise(
    entries: &[Json],
    all: &[Line<'_>],
    first: &Line<'_>,
    summary: &mut Summary,
) -> Result<(), Problem> {
    for entry in entries.iter().filter_map(Json::as_object) {
        let word =
            |entry: &Map<String, Json>, key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
        if let (Some(key), Some(value)) = (word(entry, "field"), word(entry, "data")) {
            summary.entry(first, key.trim_end_matches(':'), &value).map_err(|problem| {
                let line = all.iter().find(|line| line.text.contains(&format!("\"{key}\""))).unwrap_or(first);
                line.problem(problem.message)
            })?;
        }
        if let Some(children) = entry.get("children").and_then(Json::as_array) {
            summarise(children, all, first, summary)?;
        }
    }
    Ok(())
}
