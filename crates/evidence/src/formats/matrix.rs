//! Node-to-node figures, and the machine file that they make.

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::machine::{FigureKind, MAX_NODES, Provenance};
use numasim_model::text::visible;
use numasim_study::Problem;
use numasim_study::keys::{machine, node as of_node, provenance as of_origin};
use numasim_study::writing::{Lines, PEAK, float, list, quoted};

use crate::csv_rows::shown;
use crate::figures::mega_to_giga;

/// What a tool measured between the NUMA nodes of a machine. Rows: the node whose cores read; columns: the memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrices {
    /// Read bandwidth in MB/s (10^6 bytes per second).
    pub bandwidth_mbs: Matrix,
    /// Idle latency in ns. The models do not use it.
    pub latency_ns: Matrix,
    /// What the file says about itself: version of the tool, machine, source.
    pub notes: Vec<String>,
}

/// A figure for each pair of nodes that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix(pub BTreeMap<(usize, usize), f64>);

impl Matrix {
    /// The nodes whose cores read.
    fn rows(&self) -> BTreeSet<usize> {
        self.0.keys().map(|&(from, _)| from).collect()
    }

    /// The nodes, numbered from 0, and why this is no matrix of them.
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

    /// The largest figure of the memory of a node.
    fn best(&self, node: usize) -> f64 {
        self.0.iter().filter(|((_, to), _)| *to == node).map(|(_, &value)| value).fold(0.0, f64::max)
    }
}

/// What a matrix does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Cores of each node that has a row.
    pub cores_per_node: Option<u32>,
    /// Peak of one core in GFLOPS.
    pub gflops_per_core: Option<f64>,
}

/// Writes a machine file. A node without a row has memory only: its row counts on the diagonal alone, where the best
/// figure of its column stands. What `given` leaves open is a comment with a `?`.
///
/// # Errors
/// Why the figures are no matrix of all nodes.
pub fn machine_file(matrices: &Matrices, name: &str, source: &str, given: Given) -> Result<String, String> {
    let Matrices { bandwidth_mbs: bandwidth, latency_ns: latency, notes } = matrices;
    let known = if bandwidth.0.is_empty() { latency } else { bandwidth };
    let nodes = known.nodes()?;
    let rows = known.rows();
    let memory_only: Vec<usize> = (0..nodes).filter(|node| !rows.contains(node)).collect();
    let mut lines = Lines::default();
    // A comment of TOML has no control characters.
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
    }
    Ok(lines.text())
}

/// There is no figure from one node to another: all of the column, where the other has no memory.
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

/// What is written for a memory that is not there.
pub(super) fn is_gap(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "" | "-" | "--" | "n/a" | "na")
        || word.parse::<f64>().is_ok_and(|value| value == 0.0)
}

/// How the figures came about.
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
