//! `numactl --hardware`: nodes, their processors and memory, and distances.
//!
//! ```text
//! available: 2 nodes (0-1)
//! node 0 cpus: 0 1 2 3
//! node 0 size: 32041 MB
//! node 0 free: 31441 MB
//! ...
//! node distances:
//! node   0   1
//!   0:  10  21
//!   1:  21  10
//! ```

use numasim_model::cpus::ranges;
use numasim_study::Problem;

use super::{Node, Topology, mebibytes, node_number, once, processors, whole_numbers};
use crate::formats::lines::{Line, lines, nothing};

const HINT: &str = "import the output of `numactl --hardware`, from its line `available: ...` on";

/// Reads the output of `numactl --hardware`. It knows processors, not which of them share a core.
///
/// # Errors
/// The line that is wrong: no list of processors, no size, a node that is missing, distances that are no matrix.
pub fn read_numactl(text: &str) -> Result<Topology, Problem> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut available: Option<(Line<'_>, usize)> = None;
    let mut rows: Option<Distances<'_>> = None;
    let mut wrapped = false;
    for line in lines(text) {
        let trimmed = line.text.trim();
        if let Some(count) = trimmed.strip_prefix("available:") {
            if available.is_some() {
                return Err(line
                    .problem("this begins a second output")
                    .hint("import one machine; cut the others off"));
            }
            let count = count.split_whitespace().next().and_then(|count| count.parse().ok());
            let count =
                count.ok_or_else(|| line.problem("this is not how many nodes there are").hint(HINT))?;
            available = Some((line, count));
        } else if available.is_none() {
            // A prompt, or another tool.
        } else if trimmed.starts_with("node distances:") {
            rows = Some(Distances { line, columns: Vec::new(), rows: Vec::new() });
        } else if let Some(rows) = rows.as_mut() {
            rows.read(line)?;
        } else if let Some((number, key, value)) = of_node(trimmed) {
            let number = node_number(&line, number)?;
            wrapped = key == "cpus";
            match key {
                "cpus" => {
                    if nodes.iter().any(|node| node.number == number) {
                        return Err(line.problem(format!("node {number} appears twice")));
                    }
                    let processors = processors(&line, value)?;
                    once(&line, &processors, &nodes)?;
                    nodes.push(Node { number, processors, ..Node::default() });
                }
                "size" if !value.contains("not available") => {
                    let node = nodes.iter_mut().find(|node| node.number == number);
                    let node =
                        node.ok_or_else(|| line.problem(format!("no line `node {number} cpus:` precedes")))?;
                    node.memory_bytes = Some(mebibytes(&line, value)?);
                }
                _ => {}
            }
        } else if wrapped && !trimmed.is_empty() {
            // A long list that somebody broke into lines.
            let more = processors(&line, trimmed)?;
            once(&line, &more, &nodes)?;
            nodes.last_mut().into_iter().for_each(|node| node.processors.extend(&more));
        }
    }
    let Some((line, count)) = available else { return Err(nothing(text, "numactl --hardware", HINT)) };
    if count != nodes.len() {
        let numbers: Vec<u32> = nodes.iter().map(|node| node.number).collect();
        let message = format!(
            "there are {count} nodes, and lines `node N cpus:` of {} ({})",
            nodes.len(),
            ranges(&numbers)
        );
        return Err(line.problem(message).hint(HINT));
    }
    let distances = rows.map(|rows| rows.of(&nodes)).transpose()?;
    Topology { nodes, distances, ..Topology::default() }
        .tidied()
        .ok_or_else(|| line.problem("no node has processors").hint(HINT))
}

/// `node 0 cpus: 0 1` as `0`, `cpus`, `0 1`.
fn of_node(line: &str) -> Option<(&str, &str, &str)> {
    let (left, value) = line.strip_prefix("node ")?.split_once(':')?;
    let (number, key) = left.trim().split_once(' ')?;
    Some((number, key.trim(), value.trim()))
}

/// The matrix of distances.
struct Distances<'t> {
    line: Line<'t>,
    columns: Vec<u32>,
    rows: Vec<(u32, Vec<u64>, Line<'t>)>,
}

impl<'t> Distances<'t> {
    fn read(&mut self, line: Line<'t>) -> Result<(), Problem> {
        let trimmed = line.text.trim();
        if let Some(numbers) = trimmed.strip_prefix("node").filter(|_| self.columns.is_empty()) {
            let numbers = numbers.split_whitespace().map(|number| node_number(&line, number));
            self.columns = numbers.collect::<Result<_, _>>()?;
        } else if let Some((number, values)) = trimmed.split_once(':') {
            let number = node_number(&line, number)?;
            let values = whole_numbers(&line, values)?;
            if values.len() != self.columns.len() {
                let message = format!("{} distances for {} nodes", values.len(), self.columns.len());
                return Err(line.problem(message));
            }
            self.rows.push((number, values, line));
        } else if !trimmed.is_empty() {
            return Err(line.problem("this is no row of distances").hint(HINT));
        }
        Ok(())
    }

    /// In the order of the nodes.
    fn of(&self, nodes: &[Node]) -> Result<Vec<Vec<u64>>, Problem> {
        let missing = |number: u32| self.line.problem(format!("there are no distances of node {number}"));
        let place = |number: u32| {
            self.columns.iter().position(|&column| column == number).ok_or_else(|| missing(number))
        };
        let columns: Vec<usize> = nodes.iter().map(|node| place(node.number)).collect::<Result<_, _>>()?;
        let row = |node: &Node| {
            let mut found = self.rows.iter().filter(|(number, ..)| *number == node.number);
            let (_, values, _) = found.next().ok_or_else(|| missing(node.number))?;
            match found.next() {
                Some((number, _, line)) => {
                    Err(line.problem(format!("the distances of node {number} appear twice")))
                }
                None => Ok(columns.iter().map(|&column| values[column]).collect()),
            }
        };
        nodes.iter().map(row).collect()
    }
}
