//! Topology of a machine from the output of tools: its NUMA nodes, logical CPUs, cores, memory and caches. No
//! tool reports a bandwidth or a peak.

pub mod likwid;
pub mod lscpu;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use numasim_model::cpus::{CpuList, MAX_OS_NODE, ranges};
use numasim_study::Problem;
use numasim_study::topology::{
    Cache, Core, Counting, HostNode, HostTopology, Origin, Unusable, UnusableThing, Why,
};

use crate::formats::lines::{Line, lines, nothing};

/// A machine as printed by a tool. Values that the tool does not report are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// The model of its processors.
    pub processor: Option<String>,
    /// Its nodes, in ascending order of the operating system's numbers.
    pub nodes: Vec<Node>,
    /// Distances of the firmware between the nodes, 10 is local. Row: node of the core; column: node of the memory.
    pub distances: Option<Vec<Vec<u64>>>,
    /// Its data caches with exactly known sizes.
    pub caches: Vec<Cache>,
    /// Logical CPUs that are offline, or were not available to the tool.
    pub unavailable: Vec<u32>,
    /// Further information, one line each.
    pub notes: Vec<String>,
}

/// A NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The operating system's number.
    pub number: u32,
    /// Its logical CPUs as numbered by the operating system: one for each hardware thread.
    pub processors: Vec<u32>,
    /// Its physical cores; `None` if the tool reports only logical CPUs.
    pub cores: Option<Cores>,
    /// Its memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Its socket, if reported.
    pub socket: Option<u32>,
}

/// Physical cores of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cores {
    /// Their number; it is unknown which logical CPUs share a core.
    Counted(u32),
    /// Each with its logical CPUs.
    Known(Vec<Core>),
}

impl Cores {
    /// Cores of `processors`, with `threads` of them per core; the assignment is known only for one thread
    /// per core.
    fn of(processors: &[u32], threads: u32) -> Self {
        if threads == 1 {
            return Self::Known(processors.iter().map(|&cpu| Core { cpus: vec![cpu], l3: None }).collect());
        }
        Self::Counted(u32::try_from(processors.len()).unwrap_or(u32::MAX) / threads)
    }

    /// Their number.
    pub fn count(&self) -> u32 {
        match self {
            Self::Counted(count) => *count,
            Self::Known(cores) => u32::try_from(cores.len()).unwrap_or(u32::MAX),
        }
    }
}

impl Topology {
    /// Fills in information of another tool about the same machine that this one lacks. The nodes are those
    /// of this one.
    ///
    /// # Errors
    /// The reason that the two are not of the same machine.
    pub fn and(mut self, other: Self) -> Result<Self, String> {
        for node in self.nodes.iter_mut().filter(|node| !node.processors.is_empty()) {
            let number = node.number;
            let same = other.nodes.iter().find(|other| other.number == number);
            let same = same.ok_or_else(|| format!("node {number} is in the first only"))?;
            let set = |node: &Node| node.processors.iter().copied().collect::<BTreeSet<u32>>();
            if set(node) != set(same) {
                return Err(format!(
                    "node {number} has the processors {} in the first and {} in the others",
                    ranges(&node.processors),
                    ranges(&same.processors)
                ));
            }
            node.cores = node.cores.take().or_else(|| same.cores.clone());
            node.memory_bytes = node.memory_bytes.or(same.memory_bytes);
            node.socket = node.socket.or(same.socket);
        }
        let known = |number| self.nodes.iter().any(|node| node.number == number);
        if let Some(more) = other.nodes.iter().find(|node| !known(node.number) && !node.processors.is_empty())
        {
            return Err(format!("node {} is not in the first", more.number));
        }
        self.processor = self.processor.or(other.processor);
        if self.caches.is_empty() {
            self.caches = other.caches;
        }
        for cpu in other.unavailable {
            if !self.unavailable.contains(&cpu) {
                self.unavailable.push(cpu);
            }
        }
        self.notes.extend(other.notes);
        Ok(self)
    }

    /// Counts one core for this number of logical CPUs of each node.
    ///
    /// # Errors
    /// A node whose number of logical CPUs is not a multiple of it.
    pub fn count_cores(&mut self, threads: u32) -> Result<(), String> {
        for node in self.nodes.iter_mut().filter(|node| !node.processors.is_empty()) {
            let processors = u32::try_from(node.processors.len()).unwrap_or(u32::MAX);
            if processors % threads != 0 {
                return Err(format!("node {} has {processors} processors", node.number));
            }
            node.cores = Some(Cores::of(&node.processors, threads));
        }
        Ok(())
    }

    /// The topology of a host with this name; cores are counted if they are known for all nodes.
    ///
    /// # Errors
    /// Logical CPU numbers that no system has.
    pub fn host(self, name: String, source: String) -> Result<HostTopology, String> {
        let known = |node: &Node| node.processors.is_empty() || node.cores.is_some();
        let counting = if self.nodes.iter().all(known) { Counting::Cores } else { Counting::Processors };
        let mut notes: Vec<String> =
            self.processor.iter().map(|model| format!("processor: {model}")).collect();
        notes.extend(self.nodes.iter().filter_map(Node::open_processors));
        let empty =
            self.nodes.iter().filter(|node| node.processors.is_empty() && node.memory_bytes.is_none());
        notes.extend(
            empty.map(|node| format!("node {} has no processors, and its memory is not known", node.number)),
        );
        notes.extend(self.notes);
        let unusable = CpuList::new(self.unavailable).ok();
        let unusable = unusable.map(|list| Unusable { what: UnusableThing::Cpus(list), why: Why::Unknown });
        Ok(HostTopology {
            name,
            source,
            origin: Origin::Other,
            counting,
            nodes: self.nodes.iter().map(|node| node.host(counting)).collect::<Result<_, _>>()?,
            caches: self.caches,
            distances: self.distances,
            unusable: unusable.into_iter().collect(),
            figures: None,
            notes,
        })
    }

    /// The nodes in ascending order, without those that have neither logical CPUs nor memory; `None` if no
    /// node has logical CPUs.
    fn tidied(mut self) -> Option<Self> {
        // A system without any memory in the output hides it.
        let memory = |node: &Node| node.memory_bytes.is_some_and(|bytes| bytes > 0);
        if !self.nodes.iter().any(memory) && self.nodes.iter().any(|node| node.memory_bytes.is_some()) {
            self.nodes.iter_mut().for_each(|node| node.memory_bytes = None);
            self.notes.push("all nodes have 0 bytes of memory: how much they have is not known".to_owned());
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&place| self.nodes[place].number);
        let (kept, empty): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&place| {
            let node = &self.nodes[place];
            !node.processors.is_empty() || node.memory_bytes != Some(0)
        });
        if !empty.is_empty() {
            let numbers: Vec<u32> = empty.iter().map(|&place| self.nodes[place].number).collect();
            self.notes.push(format!("without processors and memory, left out: node {}", ranges(&numbers)));
        }
        self.distances = self.distances.map(|rows| {
            let row = |&from: &usize| kept.iter().map(|&to| rows[from][to]).collect();
            kept.iter().map(row).collect()
        });
        self.nodes = kept.iter().map(|&place| self.nodes[place].clone()).collect();
        self.nodes.iter().any(|node| !node.processors.is_empty()).then_some(self)
    }

    /// The physical cores of all nodes, if they are known.
    fn cores(&self) -> Option<u32> {
        let of = |node: &Node| {
            if node.processors.is_empty() { Some(0) } else { Some(node.cores.as_ref()?.count()) }
        };
        self.nodes.iter().map(of).sum()
    }
}

impl Node {
    /// Its logical CPUs, if their cores are unknown.
    fn open_processors(&self) -> Option<String> {
        let known = matches!(self.cores, Some(Cores::Known(_)));
        (!known && !self.processors.is_empty()).then(|| {
            format!(
                "processors of node {}: {}; which of them share a core: lscpu -e",
                self.number,
                ranges(&self.processors)
            )
        })
    }

    fn host(&self, counting: Counting) -> Result<HostNode, String> {
        let node = match &self.cores {
            Some(Cores::Known(cores)) if counting == Counting::Cores => {
                HostNode::of_cores(self.number, cores, counting)
            }
            Some(cores) if counting == Counting::Cores => {
                HostNode { os_index: self.number, cores: cores.count(), ..HostNode::default() }
            }
            _ => {
                let processors = u32::try_from(self.processors.len());
                let cores = processors.map_err(|_| "too many processors".to_owned())?;
                HostNode { os_index: self.number, cores, ..HostNode::default() }
            }
        };
        Ok(HostNode { memory_bytes: self.memory_bytes, sockets: self.socket.into_iter().collect(), ..node })
    }
}

/// The number of a NUMA node.
fn node_number(line: &Line<'_>, text: &str) -> Result<u32, Problem> {
    let number = text.trim().parse::<u32>().ok().filter(|&number| number <= MAX_OS_NODE);
    number.ok_or_else(|| line.problem(format!("this is not the number of a NUMA node: 0 to {MAX_OS_NODE}")))
}

/// Logical CPU numbers in the syntax of Linux, or with any separators except `-`; may be empty.
fn processors(line: &Line<'_>, text: &str) -> Result<Vec<u32>, Problem> {
    let parts: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'))
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let list = CpuList::parse(&parts.join(","));
    list.map(|list| list.as_slice().to_vec())
        .map_err(|why| line.problem(format!("this is no list of processors: {why}")))
}

/// Whole numbers separated by spaces or commas.
fn whole_numbers(line: &Line<'_>, text: &str) -> Result<Vec<u64>, Problem> {
    let parts = text.split(|c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty());
    let numbers: Result<Vec<u64>, _> = parts.map(str::parse).collect();
    numbers.map_err(|_| line.problem("this is no row of distances: whole numbers, 10 for the node itself"))
}

/// Rejects a logical CPU that an earlier node also has.
fn once(line: &Line<'_>, processors: &[u32], nodes: &[Node]) -> Result<(), Problem> {
    let new: BTreeSet<u32> = processors.iter().copied().collect();
    let both = |node: &&Node| node.processors.iter().copied().find(|cpu| new.contains(cpu));
    let Some((cpu, node)) = nodes.iter().find_map(|node| Some((both(&node)?, node))) else { return Ok(()) };
    if node.processors.iter().copied().collect::<BTreeSet<u32>>() == new {
        let message = format!(
            "this node has the processors of node {}: nodes that share processors are emulated (`numa=fake`)",
            node.number
        );
        return Err(line.problem(message).hint(
            "one memory controller serves emulated nodes: import one node with these processors and the memory of all of them, or \
             what the tool prints after a start without `numa=fake`",
        ));
    }
    Err(line.problem(format!("processor {cpu} is on this node and on node {}", node.number)))
}

/// MB of 2^20 bytes, as printed by `numactl` and likwid.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^63")]
fn mebibytes(line: &Line<'_>, text: &str) -> Result<u64, Problem> {
    let number = text.trim().trim_end_matches("MB").trim();
    Ok((line.number(number, true)? * 1_048_576.0).min(9e18) as u64)
}

// `numactl --hardware`: nodes, their processors and memory, and distances.
//
// ```text
// available: 2 nodes (0-1)
// node 0 cpus: 0 1 2 3
// node 0 size: 32041 MB
// node 0 free: 31441 MB
// ...
// node distances:
// node   0   1
//   0:  10  21
//   1:  21  10
// ```

const HINT: &str = "import the output of `numactl --hardware`, from its line `available: ...` on";

/// Reads the output of `numactl --hardware`. It contains logical CPUs, but not which of them share a core.
///
/// # Errors
/// The line with the error: an invalid list of logical CPUs, no size, a missing node, or distances that are
/// not a matrix.
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
            // A long list that was broken into lines.
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
