//! Node-to-node matrices as CSV: `from_node,to_mem0,to_mem1,...`, with `metric` in front where bandwidth and latency
//! share a file, or long: `file,machine,metric,from_node,to_node,value`.

use std::collections::BTreeSet;

use numasim_study::{Problem, ProblemKind};

use super::lines::comments;
use super::matrix::{Matrices, Matrix, is_gap, no_memory};
use crate::csv_rows::{Row, Rows, shown};
use crate::figures::MEGA;

/// What a row says of: bandwidth in MB/s or latency in ns.
#[derive(Clone, Copy)]
enum Metric {
    Bandwidth,
    Latency,
}

/// Reads such a CSV.
pub(super) fn read(text: &str, select: Option<&str>) -> Result<Matrices, Problem> {
    let mut rows = Rows::new(text)?;
    let mut matrices = Matrices { notes: comments(text), ..Matrices::default() };
    let metric = rows.column("metric");
    let long = rows.column("from_node").zip(rows.column("to_node")).zip(rows.column("value"));
    let wanted = Wanted::new(text, &rows, select)?;
    let notes = matrices.notes.clone();
    let mut into = Into { matrices: &mut matrices, gaps: Vec::new() };
    if let Some(((from, to), value)) = long {
        while let Some(row) = rows.next() {
            let row = row?;
            if wanted.has(&row) {
                let pair = (node(&row, from)?, node(&row, to)?);
                into.put(metric_of(&row, metric, None)?, &row, pair, value)?;
            }
        }
    } else {
        let header = ["from_node", "from_socket"].into_iter().find_map(|name| rows.column(name));
        let columns: Vec<(usize, usize)> = rows
            .headers()
            .iter()
            .enumerate()
            .filter(|(at, _)| Some(*at) != header && Some(*at) != metric)
            .filter_map(|(at, name)| Some((at, number_in(name)?)))
            .collect();
        let (Some(from), false) = (header, columns.is_empty()) else {
            let problem = rows.header_lacks("these are not the columns of a matrix between nodes");
            return Err(problem.hint("the columns are from_node,to_mem0,to_mem1,... or file,machine,metric,from_node,to_node,value"));
        };
        let unit = unit_of(&notes);
        if unit.is_none() && metric.is_none() {
            let problem = rows.header_lacks("it is not stated whether these are MB/s or ns");
            return Err(problem.hint(
                "put a comment line such as `# MB/s` above, or a column `metric` with bw_MBs or latency_ns",
            ));
        }
        while let Some(row) = rows.next() {
            let row = row?;
            let metric = metric_of(&row, metric, unit)?;
            let node = node(&row, from)?;
            for &(column, to) in &columns {
                into.put(metric, &row, (node, to), column)?;
            }
        }
    }
    if !into.gaps.is_empty() {
        let gap = into.gaps.swap_remove(0);
        return Err(gap.problem(&mut matrices));
    }
    if matrices.bandwidth_mbs.0.is_empty() && matrices.latency_ns.0.is_empty() {
        return Err(rows.header_lacks("there are no rows below the header"));
    }
    Ok(matrices)
}

/// The table of a file that holds several.
struct Wanted {
    column: Option<usize>,
    name: String,
}

impl Wanted {
    fn new(text: &str, rows: &Rows<'_>, select: Option<&str>) -> Result<Self, Problem> {
        let column = rows.column("file");
        let mut names = BTreeSet::new();
        if let Some(column) = column {
            let mut all = Rows::new(text)?;
            while let Some(row) = all.next() {
                names.insert(row?.text(Some(column)).to_owned());
            }
        }
        let chosen: Vec<&String> =
            names.iter().filter(|name| select.is_none_or(|select| name.contains(select))).collect();
        // One that is called so exactly, or that alone has the text in its name.
        let exact = select.and_then(|select| names.iter().find(|name| *name == select));
        let only = if let [only] = chosen.as_slice() { Some(*only) } else { None };
        match (exact.or(only), column) {
            (_, None) if select.is_some() => {
                Err(rows.header_lacks("--select chooses a table by the column `file`, but there is none"))
            }
            (_, None) => Ok(Self { column: None, name: String::new() }),
            (Some(name), _) => Ok(Self { column, name: name.clone() }),
            _ => {
                let message = match (select, chosen.is_empty()) {
                    (Some(select), true) => format!("there is no table '{}'", shown(select)),
                    (Some(select), false) => {
                        format!("'{}' matches the names of several tables", shown(select))
                    }
                    (None, _) => format!("there are {} tables in this file", names.len()),
                };
                let list: Vec<&str> = names.iter().map(String::as_str).collect();
                Err(rows.header_lacks(message).hint(format!("choose one with --select: {}", list.join(", "))))
            }
        }
    }

    fn has(&self, row: &Row<'_>) -> bool {
        self.column.is_none() || row.text(self.column) == self.name
    }
}

fn matrix(matrices: &mut Matrices, metric: Metric) -> &mut Matrix {
    match metric {
        Metric::Bandwidth => &mut matrices.bandwidth_mbs,
        Metric::Latency => &mut matrices.latency_ns,
    }
}

fn node(row: &Row<'_>, column: usize) -> Result<usize, Problem> {
    Ok(row.whole_number(column, 0, "the number of a NUMA node, from 0")? as usize)
}

/// A field without a figure: its nodes, what it says, and its place.
struct Gap {
    metric: Metric,
    pair: (usize, usize),
    word: String,
    problem: Problem,
}

impl Gap {
    fn problem(self, matrices: &mut Matrices) -> Problem {
        let matrix = matrix(matrices, self.metric);
        let (from, to) = self.pair;
        no_memory(matrix, from, to, &self.word, |message| Problem { message, ..self.problem })
    }
}

/// Where figures go, and what was found in their place.
struct Into<'m> {
    matrices: &'m mut Matrices,
    gaps: Vec<Gap>,
}

impl Into<'_> {
    fn put(
        &mut self,
        metric: Metric,
        row: &Row<'_>,
        pair: (usize, usize),
        column: usize,
    ) -> Result<(), Problem> {
        let word = row.text(Some(column));
        if is_gap(word) {
            let problem = row.problem(column, ProblemKind::BadValue, "");
            self.gaps.push(Gap { metric, pair, word: word.to_owned(), problem });
            return Ok(());
        }
        let value = row.amount(column, "a value above zero: MB/s or ns")?;
        if let Metric::Bandwidth = metric {
            row.bandwidth(column, "MB/s (10^6 bytes per second)", MEGA)?;
        }
        if matrix(self.matrices, metric).0.insert(pair, value).is_some() {
            let message = format!("the value from node {} to node {} appears twice", pair.0, pair.1);
            return Err(row.problem(column, ProblemKind::DuplicateName, message));
        }
        Ok(())
    }
}

fn metric_of(row: &Row<'_>, column: Option<usize>, unit: Option<Metric>) -> Result<Metric, Problem> {
    match (column, unit) {
        (Some(column), _) => match row.text(Some(column)) {
            "bw_MBs" => Ok(Metric::Bandwidth),
            "latency_ns" => Ok(Metric::Latency),
            other => {
                let message = format!("`metric` is '{}'", shown(other));
                Err(row.problem(column, ProblemKind::BadValue, message).hint("write bw_MBs or latency_ns"))
            }
        },
        (None, Some(unit)) => Ok(unit),
        (None, None) => {
            let problem =
                Problem::new(ProblemKind::MissingKey, "it is not stated whether this is MB/s or ns");
            Err(problem.at(row.whole(), "this row").hint("add a column `metric` with bw_MBs or latency_ns"))
        }
    }
}

/// The unit that the comments name first: `MB/s` or `ns`.
fn unit_of(notes: &[String]) -> Option<Metric> {
    let words =
        notes.iter().flat_map(|note| note.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':')));
    words.into_iter().find_map(|word| match word {
        "MB/s" => Some(Metric::Bandwidth),
        "ns" => Some(Metric::Latency),
        _ => None,
    })
}

/// The node in the name of a column: 4 in `to_cxl4`, 2 in `node2_HBM`.
fn number_in(name: &str) -> Option<usize> {
    let from = name.find(|c: char| c.is_ascii_digit())?;
    let digits = name[from..].split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}
