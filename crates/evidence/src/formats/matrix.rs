//! Node-to-node values, of Intel MLC or a CSV, and the machine file made from them.
//!
//! Intel Memory Latency Checker: the matrices of `mlc --bandwidth_matrix` and `mlc --latency_matrix`, alone
//! or inside other output.
//!
//! ```text
//! Measuring Memory Bandwidths between nodes within system
//! Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
//! Using all the threads from each core if Hyper-threading is enabled
//! Using Read-only traffic type
//!                 Numa node
//! Numa node            0       1
//!        0        113139.4 50923.4
//!        1        50916.6  113249.2
//! ```

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::machine::{FigureKind, MAX_NODES, Provenance};
use numasim_model::text::visible;
use numasim_study::keys::{machine, node as of_node, provenance as of_origin};
use numasim_study::writing::{Lines, PEAK, float, list, quoted};
use numasim_study::{Problem, ProblemKind};

use crate::figures::{MEGA, bandwidth, mega_to_giga};
use crate::formats::lines::{Line, comments, is_csv, lines, nothing};
use numasim_study::csv::{Row, Rows, shown};

/// Measurements of a tool between the NUMA nodes of a machine. Rows: the node whose cores read; columns: the
/// memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrices {
    /// Read bandwidth in MB/s (10^6 bytes per second).
    pub bandwidth_mbs: Matrix,
    /// Idle latency in ns. The models do not use it.
    pub latency_ns: Matrix,
    /// For all memories together: shares of writes, ascending, each with its bandwidth in MB/s (the table of
    /// peak injection).
    pub mixed_mbs: Vec<(f64, f64)>,
    /// The file's notes about itself: version of the tool, machine, source.
    pub notes: Vec<String>,
}

/// A value for each measured pair of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix(pub BTreeMap<(usize, usize), f64>);

impl Matrix {
    /// The nodes whose cores read.
    fn rows(&self) -> BTreeSet<usize> {
        self.0.keys().map(|&(from, _)| from).collect()
    }

    /// The number of nodes, which must be numbered from 0; the error is the reason that the matrix is
    /// invalid.
    fn nodes(&self) -> Result<usize, String> {
        let columns: BTreeSet<usize> = self.0.keys().map(|&(_, to)| to).collect();
        let nodes = columns.len();
        if nodes > MAX_NODES {
            return Err(format!(
                "there are figures of {nodes} memories; a machine has at most {MAX_NODES} NUMA nodes"
            ));
        }
        if let Some(gap) = (0..nodes).find(|node| !columns.contains(node)) {
            return Err(format!("there is no value for the memory of node {gap}"));
        }
        let rows = self.rows();
        if let Some(row) = rows.iter().find(|&&row| row >= nodes) {
            return Err(format!("node {row} has a row, but its memory has no column"));
        }
        let hole = rows
            .iter()
            .flat_map(|&row| (0..nodes).map(move |to| (row, to)))
            .find(|pair| !self.0.contains_key(pair));
        match hole {
            Some((from, to)) => Err(format!("the value from node {from} to node {to} is missing")),
            None => Ok(nodes),
        }
    }

    /// The largest value of the memory of a node.
    fn best(&self, node: usize) -> f64 {
        self.0.iter().filter(|((_, to), _)| *to == node).map(|(_, &value)| value).fold(0.0, f64::max)
    }
}

/// Values that a matrix does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Cores of each node that has a row.
    pub cores_per_node: Option<u32>,
    /// Peak of one core in GFLOPS.
    pub gflops_per_core: Option<f64>,
}

/// Writes a machine file. A node without a row is memory-only: its row counts only on the diagonal, which
/// contains the best value of its column. Values missing in `given` are comments with a `?`.
///
/// # Errors
/// The reason that the values are not a matrix of all nodes.
pub fn machine_file(matrices: &Matrices, name: &str, source: &str, given: Given) -> Result<String, String> {
    let Matrices { bandwidth_mbs: bandwidth, latency_ns: latency, mixed_mbs: mixed, notes } = matrices;
    let known = if bandwidth.0.is_empty() { latency } else { bandwidth };
    let nodes = known.nodes()?;
    let rows = known.rows();
    let memory_only: Vec<usize> = (0..nodes).filter(|node| !rows.contains(node)).collect();
    let mut lines = Lines::default();
    // A TOML comment contains no control characters.
    for note in notes {
        lines.comment(visible(note));
    }
    if given.cores_per_node.is_none() || given.gflops_per_core.is_none() || bandwidth.0.is_empty() {
        lines.comment(
            "Fill in the figures marked with `?` and remove the `# ` before them; `numasim check` names what is \
             still missing.",
        );
    }
    lines.first_table(&machine::TABLE);
    lines.put(&machine::NAME, quoted(name));
    lines.put(&machine::SOURCE, quoted(source));
    if bandwidth.0.is_empty() {
        lines.comment(
            "GB/s; row = node of the core that runs, column = node of the memory: mlc --bandwidth_matrix",
        );
        let row = list(vec!["?"; nodes]);
        lines.comment(format_args!("{} = {}", machine::BANDWIDTH_MATRIX_GBS.name, list(vec![row; nodes])));
    } else {
        let figure = |from: usize, to: usize| match bandwidth.0.get(&(from, to)) {
            Some(&mbs) => mega_to_giga(mbs),
            None if from == to => mega_to_giga(bandwidth.best(to)),
            None => 0.0,
        };
        let rows = (0..nodes).map(|from| (0..nodes).map(|to| float(figure(from, to))).collect());
        lines.rows(&machine::BANDWIDTH_MATRIX_GBS, rows);
    }
    if latency.nodes().is_ok() && !latency.0.is_empty() {
        lines.comment("Idle latency in ns, which the models do not use:");
        for from in latency.rows() {
            let row: Vec<String> =
                (0..nodes).filter_map(|to| latency.0.get(&(from, to))).map(f64::to_string).collect();
            lines.comment(format_args!("    node {from}: {}", row.join(", ")));
        }
    }
    let origins = origins(bandwidth, source, &memory_only, given);
    lines.origins(origins.iter().map(|(key, origin)| (*key, origin)));
    for node in 0..nodes {
        lines.line(format_args!("\n{} # node {node}", of_node::TABLE.title));
        if memory_only.contains(&node) {
            lines.put(&of_node::CORES, "0 # no row in the matrix: memory only");
            lines.put(&of_node::GFLOPS_PER_CORE, float(0.0));
            continue;
        }
        let how = "            # physical cores: numactl --hardware, lscpu, or numasim detect";
        lines.put_or_open(&of_node::CORES, given.cores_per_node, how);
        lines.put_or_open(&of_node::GFLOPS_PER_CORE, given.gflops_per_core.map(float), PEAK);
        if !mixed.is_empty() {
            // An equal share of the total traffic of all nodes with cores.
            let part = |&(share, mbs): &(f64, f64)| {
                list([float(share), float(mega_to_giga(mbs / rows.len() as f64))])
            };
            lines.put(&of_node::MIXED_GBS, list(mixed.iter().map(part)));
        }
    }
    Ok(lines.text())
}

/// The value from one node to another is missing; if the other node has no memory, its whole column is.
pub(super) fn no_memory(
    matrix: &Matrix,
    from: usize,
    to: usize,
    word: &str,
    problem: impl FnOnce(String) -> Problem,
) -> Problem {
    if matrix.0.keys().any(|&(_, column)| column == to) {
        let problem = problem(format!("the value from node {from} to node {to} is '{}'", shown(word)));
        return problem.hint("measure again: every node reads every memory");
    }
    let problem = problem(format!("node {to} has no memory: its column has no values"));
    problem.hint(format!(
        "a matrix without gaps is read. For this machine start from `numasim import numactl` or `numasim detect`, with `memory_gib = 0` for node {to}, and write the figures by hand"
    ))
}

/// Whether a word stands for a missing memory.
pub(super) fn is_gap(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "" | "-" | "--" | "n/a" | "na")
        || word.parse::<f64>().is_ok_and(|value| value == 0.0)
}

/// The origins of the values.
fn origins(
    bandwidth: &Matrix,
    source: &str,
    memory_only: &[usize],
    given: Given,
) -> Vec<(&'static str, Provenance)> {
    let option = |key: &'static str, option: &str| {
        let source = format!("given to numasim import, {option}");
        (key, Provenance::of(FigureKind::Assumed, source))
    };
    let mut origins = Vec::new();
    origins.extend(given.cores_per_node.map(|_| option(of_origin::CORES.name, "--cores-per-node")));
    let peak = of_origin::GFLOPS_PER_CORE.name;
    origins.extend(given.gflops_per_core.map(|_| option(peak, "--gflops-per-core")));
    if !bandwidth.0.is_empty() {
        let diagonal: Vec<String> = memory_only.iter().map(|node| format!("[{node}][{node}]")).collect();
        let note = match diagonal.as_slice() {
            [] => String::new(),
            [only] => format!("; {only} is the best figure of its column"),
            several => format!("; {} are the best figures of their columns", several.join(", ")),
        };
        let origin = Provenance::of(FigureKind::Measured, format!("{source}{note}"));
        origins.push((of_origin::BANDWIDTH_MATRIX_GBS.name, origin));
    }
    origins
}

/// Reads the output of MLC, or a CSV with such matrices. `select` names one of several tables of a CSV.
///
/// # Errors
/// The line with the error: not a number, too few values, a duplicate matrix, or no matrix at all.
pub fn read_mlc(text: &str, select: Option<&str>) -> Result<Matrices, Problem> {
    if is_csv(text) {
        return read_csv(text, select);
    }
    let mut matrices = Matrices::default();
    let mut lines = lines(text).peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.text.trim();
        if trimmed.starts_with("Intel(R) Memory Latency Checker") && matrices.notes.is_empty() {
            matrices.notes.push(trimmed.to_owned());
        }
        if let Some((share, mbs)) = injected(&line)? {
            if matrices.mixed_mbs.iter().all(|&(known, _)| known < share) {
                matrices.mixed_mbs.push((share, mbs));
            }
            continue;
        }
        let into = if trimmed.contains("Memory Bandwidths between nodes") {
            &mut matrices.bandwidth_mbs
        } else if trimmed.starts_with("Measuring idle latencies") {
            &mut matrices.latency_ns
        } else {
            continue;
        };
        if !into.0.is_empty() {
            let problem = line.problem("this matrix appears twice");
            return Err(problem.hint("import the output of one run; cut the others off"));
        }
        let mut columns: Vec<usize> = Vec::new();
        let mut missing: Vec<Missing<'_>> = Vec::new();
        while let Some(next) = lines.peek() {
            let next = *next;
            let fields: Vec<&str> = next.text.split_whitespace().collect();
            if columns.is_empty() {
                if next.text.contains("Measuring") {
                    break;
                }
                columns = header(&fields);
            } else if fields.first().is_some_and(|first| first.parse::<usize>().is_ok()) {
                row(&next, &fields, &columns, into, &mut missing)?;
            } else {
                break;
            }
            lines.next();
        }
        if let Some(first) = missing.first() {
            return Err(first.problem(into));
        }
        if into.0.is_empty() {
            let problem = line.problem("there is no matrix below this line");
            return Err(problem
                .hint("its header is `Numa node  0  1 ...`, and a row of values for each node follows"));
        }
    }
    if matrices.bandwidth_mbs.0.is_empty() && matrices.latency_ns.0.is_empty() {
        if let Some(problem) = other_output(text) {
            return Err(problem);
        }
        let hint = "import the output of `mlc --bandwidth_matrix` or `mlc --latency_matrix`, or a CSV with the columns \
                    from_node,to_mem0,to_mem1,...";
        return Err(nothing(text, "Intel MLC with a matrix", hint));
    }
    Ok(matrices)
}

/// A row of the table of peak injection: the share of writes and MB/s. The row of a triad also counts the
/// reads before writes, and is skipped.
fn injected(line: &Line<'_>) -> Result<Option<(f64, f64)>, Problem> {
    const RATIOS: [(&str, f64); 4] = [
        ("ALL Reads", 0.0),
        ("3:1 Reads-Writes", 0.25),
        ("2:1 Reads-Writes", 1.0 / 3.0),
        ("1:1 Reads-Writes", 0.5),
    ];
    let Some((ratio, word)) = line.text.rsplit_once(':') else {
        return Ok(None);
    };
    let Some((_, share)) = RATIOS.iter().find(|(name, _)| *name == ratio.trim()) else { return Ok(None) };
    let word = word.trim();
    // A line of words belongs to another table.
    if word.split_whitespace().count() != 1 {
        return Ok(None);
    }
    let mbs = line.number(word, false)?;
    line.bandwidth(mbs, MEGA)?;
    Ok(Some((*share, mbs)))
}

/// The numbers of `Numa node  0  1`; empty for any other line.
fn header(fields: &[&str]) -> Vec<usize> {
    let words = fields.iter().take_while(|field| field.parse::<usize>().is_err()).count();
    if words == 0 {
        return Vec::new();
    }
    fields[words..].iter().map(|field| field.parse().ok()).collect::<Option<Vec<usize>>>().unwrap_or_default()
}

/// A missing value of a matrix.
struct Missing<'t> {
    line: Line<'t>,
    from: usize,
    to: usize,
    word: &'t str,
}

impl Missing<'_> {
    fn problem(&self, matrix: &Matrix) -> Problem {
        no_memory(matrix, self.from, self.to, self.word, |message| self.line.problem(message))
    }
}

/// Other parts of MLC's output: their name, and the part that is needed.
fn other_output(text: &str) -> Option<Problem> {
    const OTHERS: [(&str, &str); 5] = [
        ("Measuring Peak Injection Memory Bandwidths", "--peak_injection_bandwidth"),
        ("Measuring Maximal Memory Bandwidths", "--max_bandwidth"),
        ("Measuring Maximum Memory Bandwidths", "--max_bandwidth"),
        ("Measuring Loaded Latencies", "--loaded_latency"),
        ("Measuring cache-to-cache", "--c2c_latency"),
    ];
    lines(text).find_map(|line| {
        let (_, option) = OTHERS.iter().find(|(begin, _)| line.text.trim().starts_with(begin))?;
        let problem = line.problem(format!("this is output of `mlc {option}`, which has no matrix of nodes"));
        Some(problem.hint("import the output of `mlc --bandwidth_matrix` or `mlc --latency_matrix`"))
    })
}

fn row<'t>(
    line: &Line<'t>,
    fields: &[&'t str],
    columns: &[usize],
    into: &mut Matrix,
    missing: &mut Vec<Missing<'t>>,
) -> Result<(), Problem> {
    let Some((from, figures)) = fields.split_first() else { return Ok(()) };
    let from: usize = from.parse().map_err(|_| line.problem("a row begins with the number of its node"))?;
    if figures.len() != columns.len() {
        let message =
            format!("node {from} has {} values, but the header names {} nodes", figures.len(), columns.len());
        return Err(line.problem(message).hint("leave the output of the tool as it was printed"));
    }
    for (&to, &word) in columns.iter().zip(figures) {
        if is_gap(word) {
            missing.push(Missing { line: *line, from, to, word });
            continue;
        }
        // Latencies in ns are always below the upper bound for bandwidths in MB/s.
        line.bandwidth(line.number(word, false)?, MEGA)?;
        if into.0.insert((from, to), line.number(word, false)?).is_some() {
            return Err(line.problem(format!("node {from} already has a row")));
        }
    }
    Ok(())
}

// Node-to-node matrices as CSV: `from_node,to_mem0,to_mem1,...`, with `metric` in front if bandwidth and
// latency share a file, or in long form: `file,machine,metric,from_node,to_node,value`.

/// The quantity of a row: bandwidth in MB/s or latency in ns.
#[derive(Clone, Copy)]
enum Metric {
    Bandwidth,
    Latency,
}

/// Reads such a CSV.
fn read_csv(text: &str, select: Option<&str>) -> Result<Matrices, Problem> {
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

/// The selected table of a file with several.
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
        // The table with exactly this name, or the only one whose name contains the text.
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

/// A field without a value: its nodes, its text, and its place.
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

/// The destination of values, and the gaps found among them.
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
            bandwidth(row, column, "MB/s (10^6 bytes per second)", MEGA)?;
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

/// The first unit in the comments: `MB/s` or `ns`.
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
