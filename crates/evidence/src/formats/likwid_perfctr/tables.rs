//! The tables of likwid-perfctr, drawn with `+` and `|` or as CSV, by group and region.

use numasim_study::Problem;

use crate::formats::lines::{Line, lines};
use numasim_study::csv::shown;

/// All tables of an output.
#[derive(Default)]
pub(super) struct Output<'t> {
    pub(super) groups: Vec<Group<'t>>,
    /// `CPU name:`, `Intel(R) Xeon(R) CPU Max 9480`.
    pub(super) cpu_name: &'t str,
    /// `CPU type:`, `AMD K19 (Zen4) architecture`.
    pub(super) cpu_type: &'t str,
}

/// The measurements with a group of events, in a region of the program or in the whole program.
pub(super) struct Group<'t> {
    pub(super) region: Option<String>,
    pub(super) number: u32,
    pub(super) name: &'t str,
    pub(super) line: Line<'t>,
    /// Derived values, a column for each hardware thread.
    pub(super) metrics: Option<Table<'t>>,
    /// Their sum, minimum, maximum and mean over hardware threads.
    pub(super) statistics: Option<Table<'t>>,
    /// Counters, a column for each hardware thread.
    pub(super) events: Option<Table<'t>>,
}

/// A table with a column for each hardware thread, or for each of their statistics.
pub(super) struct Table<'t> {
    /// The names of its columns.
    pub(super) columns: Vec<&'t str>,
    /// Name and values of each row.
    rows: Vec<(&'t str, Vec<&'t str>, Line<'t>)>,
}

/// Whether likwid printed a placeholder for a missing value.
fn is_missing(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "-" | "nan" | "-nan" | "inf" | "-inf" | "nil" | "")
}

impl<'t> Table<'t> {
    /// The names of its rows.
    pub(super) fn names(&self) -> Vec<&'t str> {
        self.rows.iter().map(|(name, ..)| *name).collect()
    }

    /// The column of this name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| *column == name)
    }

    /// The values of a row, one for each column; `None` if there is no such row. A value is `None` if likwid
    /// has none.
    pub(super) fn row(&self, name: &str) -> Result<Option<Vec<Option<f64>>>, Problem> {
        let Some((_, values, line)) = self.rows.iter().find(|(known, ..)| *known == name) else {
            return Ok(None);
        };
        let number = |value: &&str| {
            if is_missing(value) {
                return Ok(None);
            }
            let problem = line.problem(format!("'{}' is not a figure of `{name}`", shown(value)));
            match value.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
                Ok(_) => Err(problem.hint("a counter cannot be negative: measure again, for longer")),
                Err(_) => Err(problem.hint("leave the output of likwid-perfctr as it was printed")),
            }
        };
        values.iter().map(number).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// A problem with a row.
    pub(super) fn problem(&self, name: &str, message: String) -> Option<Problem> {
        self.rows.iter().find(|(known, ..)| *known == name).map(|(.., line)| line.problem(message))
    }

    /// The names of counters without a value on some hardware thread.
    pub(super) fn not_counted(&self) -> Vec<String> {
        let missing = |values: &[&str]| values.iter().any(|value| is_missing(value));
        let names = self.rows.iter().filter(|(_, values, _)| missing(values)).map(|(name, ..)| shown(name));
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names
    }
}

/// All groups of an output, in order. Lines outside tables belong to the program.
pub(super) fn read(text: &str) -> Result<Output<'_>, Problem> {
    let mut output = Output::default();
    let groups = &mut output.groups;
    let mut open: Option<Open> = None;
    for line in lines(text) {
        let trimmed = line.text.trim();
        if let Some(rest) = trimmed.strip_prefix("TABLE,") {
            let cells: Vec<&str> = rest.split(',').map(str::trim).collect();
            let Some((region, number, kind, name)) = csv_title(&cells) else {
                let problem = line.problem("this is no title of a table of likwid-perfctr");
                return Err(problem.hint("titles are `TABLE,Group 1 Metric,MEM_DP,20` or `TABLE,Region NAME,Group 1 Raw,MEM_DP,15`"));
            };
            enter(groups, region, number, name, line, kind == "Raw");
            open = Some(Open { csv: true, columns: 0, kind: Rows::Title });
        } else if let Some((region, number, name)) = title(trimmed) {
            enter(groups, region, number, name, line, true);
            open = None;
        } else if trimmed.starts_with("STRUCT,") || trimmed.starts_with("CPU ") {
            for (key, value) in [("CPU name:", &mut output.cpu_name), ("CPU type:", &mut output.cpu_type)] {
                if let Some(rest) = trimmed.strip_prefix(key).filter(|_| value.is_empty()) {
                    *value = rest.trim_matches(|c: char| c.is_whitespace() || c == ',');
                }
            }
            open = None;
        } else if let Some(cells) = cells(trimmed, open.as_ref()) {
            if begins_table(&cells) && lacks_title(groups, &cells) {
                let number = groups.last().map_or(1, |last| last.number.saturating_add(1));
                enter(groups, None, number, UNTITLED, line, true);
            }
            let Some(group) = groups.last_mut() else { continue };
            let table = open.get_or_insert(Open { csv: false, columns: 0, kind: Rows::Title });
            add(group, table, &cells, line)?;
        } else if open.as_ref().is_some_and(|open| open.csv) {
            open = None; // the program prints again
        } else if trimmed.starts_with('+') || trimmed.is_empty() {
            // A border: the next row with `Metric` or `Event` begins a new table.
        } else {
            open = None;
        }
    }
    Ok(output)
}

/// The table being read.
struct Open {
    csv: bool,
    columns: usize,
    kind: Rows,
}

#[derive(Clone, Copy, PartialEq)]
enum Rows {
    /// Its title was read, but not yet its header.
    Title,
    Metrics,
    Statistics,
    Events,
    /// Sums over counters, times of regions: not needed.
    Others,
}

fn enter<'t>(
    groups: &mut Vec<Group<'t>>,
    region: Option<String>,
    number: u32,
    name: &'t str,
    line: Line<'t>,
    begins: bool,
) {
    let same =
        groups.last().is_some_and(|last| last.region == region && last.number == number && last.name == name);
    if begins || !same {
        groups.push(Group { region, number, name, line, metrics: None, statistics: None, events: None });
    }
}

/// The cells of a row; `None` for a line that is not a row.
fn cells<'t>(line: &'t str, open: Option<&Open>) -> Option<Vec<&'t str>> {
    if let Some(inner) = line.strip_prefix('|') {
        let inner = inner.strip_suffix('|')?;
        let all: Vec<&str> = inner.split('|').map(str::trim).collect();
        // The name `L3|MEM evict bandwidth [MBytes/s]` contains the character of a border.
        let width = open.filter(|open| open.columns > 0).map(|open| open.columns + lead(open.kind));
        let Some(width) = width.filter(|&width| all.len() > width && !is_header(all[0])) else {
            return Some(all);
        };
        let mut cells: Vec<&str> = inner.rsplitn(width, '|').map(str::trim).collect();
        cells.reverse();
        return Some(cells);
    }
    let open = open.filter(|open| open.csv)?;
    let mut cells: Vec<&str> = line.split(',').map(str::trim).collect();
    // Rows are padded with empty cells to the width of the widest table.
    let width = if open.kind == Rows::Title || is_header(cells.first()?) {
        cells.iter().rposition(|cell| !cell.is_empty())? + 1
    } else {
        open.columns + lead(open.kind)
    };
    if cells.len() < width || cells.len() < 2 || cells.get(width..)?.iter().any(|cell| !cell.is_empty()) {
        return None;
    }
    cells.truncate(width);
    Some(cells)
}

/// Cells before the values: a counter has a register next to its name.
fn lead(kind: Rows) -> usize {
    if kind == Rows::Events { 2 } else { 1 }
}

/// The columns of a table over hardware threads; percentiles may follow.
const STATISTICS: [&str; 4] = ["Sum", "Min", "Max", "Avg"];

/// A group with a missing title.
pub(super) const UNTITLED: &str = "(without a title)";

/// Whether a table with this header begins a group although no title is above it: it is the first one, or the
/// group without a title already has such a table.
fn lacks_title(groups: &[Group<'_>], cells: &[&str]) -> bool {
    let Some(last) = groups.last() else { return true };
    let has = match cells {
        ["Metric", first, ..] if is_thread(first) => last.metrics.is_some(),
        ["Metric", ..] => last.statistics.is_some(),
        _ => last.metrics.is_some() || last.statistics.is_some(),
    };
    last.name == UNTITLED && has
}

/// Whether this is the header of a table of likwid, and not of another tool.
fn begins_table(cells: &[&str]) -> bool {
    let (["Metric", columns @ ..] | ["Event", "Counter", columns @ ..]) = cells else { return false };
    columns.starts_with(&STATISTICS) || (!columns.is_empty() && columns.iter().all(|cell| is_thread(cell)))
}

fn is_header(cell: &str) -> bool {
    matches!(cell, "Metric" | "Event" | "Region Info")
}

fn is_thread(cell: &str) -> bool {
    let cell = cell.to_ascii_lowercase();
    let number = cell.strip_prefix("hwthread ").or_else(|| cell.strip_prefix("core "));
    number.is_some_and(|number| number.trim().parse::<u32>().is_ok())
}

fn add<'t>(group: &mut Group<'t>, open: &mut Open, cells: &[&'t str], line: Line<'t>) -> Result<(), Problem> {
    let Some(first) = cells.first().copied() else { return Ok(()) };
    if is_header(first) {
        open.kind = if first == "Metric" {
            Rows::Metrics
        } else if first == "Event" {
            Rows::Events
        } else {
            Rows::Others
        };
        let columns = cells.get(lead(open.kind)..).unwrap_or_default();
        if columns.is_empty() || !columns.iter().all(|cell| is_thread(cell)) {
            open.kind = if open.kind == Rows::Metrics && columns.starts_with(&STATISTICS) {
                Rows::Statistics
            } else {
                Rows::Others
            };
        }
        open.columns = cells.len() - lead(open.kind);
        let table = Some(Table { columns: columns.to_vec(), rows: Vec::new() });
        match open.kind {
            Rows::Metrics => group.metrics = table,
            Rows::Statistics => group.statistics = table,
            Rows::Events => group.events = table,
            Rows::Title | Rows::Others => {}
        }
        return Ok(());
    }
    let table = match open.kind {
        Rows::Metrics => group.metrics.as_mut(),
        Rows::Statistics => group.statistics.as_mut(),
        Rows::Events => group.events.as_mut(),
        Rows::Title | Rows::Others => None,
    };
    let Some(table) = table else { return Ok(()) };
    let values = cells.get(lead(open.kind)..).unwrap_or_default().to_vec();
    if values.len() != table.columns.len() {
        let what = if open.kind == Rows::Statistics { "statistics" } else { "hardware threads" };
        let message =
            format!("this row has {} values, its table {} {what}", values.len(), table.columns.len());
        return Err(line.problem(message).hint("leave the output of likwid-perfctr as it was printed"));
    }
    table.rows.push((first.trim_end_matches(" STAT"), values, line));
    Ok(())
}

/// `Group 1: MEM_DP`, `Region Solve, Group 1: MEM_DP`.
fn title(line: &str) -> Option<(Option<String>, u32, &str)> {
    let (region, group) = match line.strip_prefix("Region ") {
        Some(rest) => {
            let (region, group) = rest.rsplit_once(", Group ")?;
            (Some(region.to_owned()), group)
        }
        None => (None, line.strip_prefix("Group ")?),
    };
    let (number, name) = group.split_once(": ")?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(' ')).then_some((region, number.parse().ok()?, name))
}

/// `Group 1 Metric,MEM_DP,20`, `Region Solve,Group 1 Raw STAT,MEM_DP,15`.
fn csv_title<'t>(cells: &[&'t str]) -> Option<(Option<String>, u32, &'t str, &'t str)> {
    let (region, cells) = match cells.first()?.strip_prefix("Region ") {
        Some(region) => (Some(region.to_owned()), cells.get(1..)?),
        None => (None, cells),
    };
    let (number, kind) = cells.first()?.strip_prefix("Group ")?.split_once(' ')?;
    let name = cells.get(1).copied().filter(|name| !name.is_empty())?;
    let known = matches!(kind, "Raw" | "Raw STAT" | "Metric" | "Metric STAT");
    known.then_some((region, number.parse().ok()?, kind, name))
}
