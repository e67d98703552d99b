//! Intel Memory Latency Checker: the matrices of `mlc --bandwidth_matrix` and `mlc --latency_matrix`, alone or inside of
//! other output.
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

use numasim_study::Problem;

use super::lines::{Line, is_csv, lines, nothing};
use super::matrix::{Matrices, Matrix, is_gap, no_memory};
use super::mlc_csv;
use crate::figures::MEGA;

/// Reads the output of MLC, or a CSV with such matrices. `select` names one of several tables of a CSV.
///
/// # Errors
/// The line that is wrong: not a number, too few figures, the same matrix twice, no matrix at all.
pub fn read_mlc(text: &str, select: Option<&str>) -> Result<Matrices, Problem> {
    if is_csv(text) {
        return mlc_csv::read(text, select);
    }
    let mut matrices = Matrices::default();
    let mut lines = lines(text).peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.text.trim();
        if trimmed.starts_with("Intel(R) Memory Latency Checker") && matrices.notes.is_empty() {
            matrices.notes.push(trimmed.to_owned());
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

/// The numbers of `Numa node  0  1`; empty for any other line.
fn header(fields: &[&str]) -> Vec<usize> {
    let words = fields.iter().take_while(|field| field.parse::<usize>().is_err()).count();
    if words == 0 {
        return Vec::new();
    }
    fields[words..].iter().map(|field| field.parse().ok()).collect::<Option<Vec<usize>>>().unwrap_or_default()
}

/// A figure that a matrix does not have.
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

/// Other parts of MLC's output: what they are, and which one is needed.
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
        // Nothing of a machine takes as many ns as its memory moves MB/s at most.
        line.bandwidth(line.number(word, false)?, MEGA)?;
        if into.0.insert((from, to), line.number(word, false)?).is_some() {
            return Err(line.problem(format!("node {from} already has a row")));
        }
    }
    Ok(())
}
