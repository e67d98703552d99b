//! Operating system numbers of a machine's NUMA nodes and cores, needed to apply an allocation to it.

use std::fmt;

use crate::ids::NodeId;

/// Largest logical CPU number that is accepted. Linux supports at most 8192 logical CPUs.
pub const MAX_CPU: u32 = 65_535;
/// Largest NUMA node number that is accepted. Linux supports at most 1024 nodes.
pub const MAX_OS_NODE: u32 = 1023;

/// Logical CPU numbers of the operating system in a chosen order, each once.
///
/// The syntax is that of Linux (`/sys/devices/system/node/node0/cpulist`): numbers and ranges joined by
/// commas, e.g. `0-19,40-59`. Every second number of a range is `0-62:2`, the first two of every four are
/// `0-62:2/4`. The order counts: if there are more logical CPUs than cores, the first ones are used, so the
/// first hardware thread of every core comes first and second hardware threads (SMT) come last.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CpuList(Vec<u32>);

/// The reason that a text or a list of numbers is not a [`CpuList`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CpuListError {
    /// No number at all.
    #[error("it contains no logical CPU number")]
    Empty,
    /// An item between commas is neither a number nor a range.
    #[error("'{0}' is neither a logical CPU number nor a range such as 0-19 or 0-62:2")]
    Part(String),
    /// A range that ends before it starts.
    #[error("the range {0}-{1} ends before it starts")]
    Backwards(u32, u32),
    /// A number that no system uses.
    #[error("logical CPU numbers go up to {MAX_CPU}, this one is {0}")]
    TooLarge(String),
    /// A duplicate number.
    #[error("it contains logical CPU {0} twice")]
    Twice(u32),
}

impl CpuList {
    /// Builds the list from numbers in their order of use.
    ///
    /// # Errors
    /// [`CpuListError::Empty`], [`CpuListError::TooLarge`], [`CpuListError::Twice`].
    pub fn new(cpus: Vec<u32>) -> Result<Self, CpuListError> {
        if cpus.is_empty() {
            return Err(CpuListError::Empty);
        }
        if let Some(large) = cpus.iter().find(|&&cpu| cpu > MAX_CPU) {
            return Err(CpuListError::TooLarge(large.to_string()));
        }
        let mut sorted = cpus.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(CpuListError::Twice(pair[0])),
            None => Ok(Self(cpus)),
        }
    }

    /// Parses the syntax of Linux: `0-19,40-59`, with strides (`0-62:2`, `0-62:2/4`). Spaces around the items
    /// are ignored.
    ///
    /// # Errors
    /// Every variant of [`CpuListError`].
    pub fn parse(text: &str) -> Result<Self, CpuListError> {
        if text.trim().is_empty() {
            return Err(CpuListError::Empty);
        }
        let mut cpus = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (range, stride) = match part.split_once(':') {
                // Only a range has a stride.
                Some((range, stride)) if range.contains('-') => (range, Some(stride)),
                Some(_) => return Err(CpuListError::Part(part.chars().take(30).collect())),
                None => (part, None),
            };
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (number(first, part)?, number(last, part)?);
            if first > last {
                return Err(CpuListError::Backwards(first, last));
            }
            let (used, group) = stride.map_or(Ok((1, 1)), |stride| strides(stride, part))?;
            // More numbers than exist: one of them is a duplicate, and `new` finds it.
            if cpus.len() > MAX_CPU as usize + 1 {
                break;
            }
            cpus.extend((first..=last).filter(|cpu| (cpu - first) % group < used));
        }
        Self::new(cpus)
    }

    /// The numbers in their order.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

/// Parses a stride. `2` is every second number: the first 1 of every 2. `2/4`, the kernel's syntax, is the
/// first 2 of every 4.
fn strides(text: &str, part: &str) -> Result<(u32, u32), CpuListError> {
    let (used, group) = match text.split_once('/') {
        Some((used, group)) => (number(used, part)?, number(group, part)?),
        None => (1, number(text, part)?),
    };
    if used == 0 || used > group {
        return Err(CpuListError::Part(part.chars().take(30).collect()));
    }
    Ok((used, group))
}

fn number(text: &str, part: &str) -> Result<u32, CpuListError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CpuListError::Part(part.chars().take(30).collect()));
    }
    match text.parse() {
        Ok(number) if number <= MAX_CPU => Ok(number),
        _ => Err(CpuListError::TooLarge(text.chars().take(30).collect())),
    }
}

/// The syntax of Linux, in the order of the list: `0-19,40-59`.
impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&ranges(&self.0))
    }
}

/// Numbers with each run of consecutive numbers as a range: `0-3,8`.
pub fn ranges(numbers: &[u32]) -> String {
    let parts = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b)).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        [only] => only.to_string(),
        [] => String::new(),
    });
    parts.collect::<Vec<_>>().join(",")
}

/// The comment in a machine file on cores that differ; `kinds` describes each kind.
pub fn unequal_cores(kinds: &str) -> String {
    format!("cores are unequal: {kinds}; a machine file has one gflops_per_core for all cores of a node")
}

/// [`unequal_cores`] for these numbers of hardware threads, one per core; `None` if all are equal.
pub fn unequal_threads(cores: impl Iterator<Item = usize>) -> Option<String> {
    let mut kinds: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    cores.for_each(|threads| *kinds.entry(threads).or_default() += 1);
    let kind = |(&threads, cores): (&usize, &usize)| {
        format!("{cores} with {threads} hardware thread{}", if threads == 1 { "" } else { "s" })
    };
    (kinds.len() > 1).then(|| unequal_cores(&kinds.iter().map(kind).collect::<Vec<_>>().join(", ")))
}

/// A NUMA node as the operating system numbers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OsNode {
    /// Its number (`numactl --membind`); systems may have gaps in the numbering.
    pub number: u32,
    /// Its logical CPUs; `None` if not given, or for a memory-only node.
    pub cpus: Option<CpuList>,
}

/// The reason that the operating system's nodes do not match a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OsNodesError {
    /// A different number of nodes.
    #[error("the machine has {nodes} NUMA nodes, but the operating system has {found}")]
    NodeCount {
        /// Nodes of the machine.
        nodes: usize,
        /// Nodes of the operating system.
        found: usize,
    },
    /// A node has more cores than logical CPUs.
    #[error("{node} has {cores} cores, but only {cpus} logical CPUs ({list})")]
    TooFewCpus {
        /// The node.
        node: NodeId,
        /// Its cores.
        cores: u32,
        /// Its logical CPUs.
        cpus: usize,
        /// Their numbers.
        list: String,
    },
    /// Two nodes contain the same logical CPU.
    #[error("logical CPU {cpu} is on {first} and on {second}")]
    CpuTwice {
        /// Its number.
        cpu: u32,
        /// One node.
        first: NodeId,
        /// The other node.
        second: NodeId,
    },
    /// Two nodes have the same number.
    #[error("{first} and {second} are both node {number} of the operating system")]
    NumberTwice {
        /// The number.
        number: u32,
        /// One node.
        first: NodeId,
        /// The other node.
        second: NodeId,
    },
}

/// All contradictions between `os_nodes` and a machine with these cores; each pair of nodes once.
pub fn contradictions(cores: &[u32], os_nodes: &[OsNode]) -> Vec<OsNodesError> {
    if cores.len() != os_nodes.len() {
        return vec![OsNodesError::NodeCount { nodes: cores.len(), found: os_nodes.len() }];
    }
    let mut found = Vec::new();
    let mut owners: std::collections::BTreeMap<u32, NodeId> = std::collections::BTreeMap::new();
    let mut numbers: std::collections::BTreeMap<u32, NodeId> = std::collections::BTreeMap::new();
    for (n, (&cores, os_node)) in cores.iter().zip(os_nodes).enumerate() {
        let node = NodeId(n);
        if let Some(&first) = numbers.get(&os_node.number) {
            found.push(OsNodesError::NumberTwice { number: os_node.number, first, second: node });
        }
        numbers.entry(os_node.number).or_insert(node);
        let Some(list) = &os_node.cpus else { continue };
        let cpus = list.as_slice();
        if cpus.len() < cores as usize {
            let list = list.to_string();
            found.push(OsNodesError::TooFewCpus { node, cores, cpus: cpus.len(), list });
        }
        let mut reported: Vec<NodeId> = Vec::new();
        for &cpu in cpus {
            match owners.get(&cpu) {
                Some(&first) if !reported.contains(&first) => {
                    found.push(OsNodesError::CpuTwice { cpu, first, second: node });
                    reported.push(first);
                }
                Some(_) => {}
                None => {
                    owners.insert(cpu, node);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<u32>, CpuListError> {
        CpuList::parse(text).map(|list| list.0)
    }

    #[test]
    fn lists_use_the_syntax_of_linux_and_keep_their_order() {
        assert_eq!(parsed("0-2,8"), Ok(vec![0, 1, 2, 8]));
        assert_eq!(parsed(" 4 , 0-1\n"), Ok(vec![4, 0, 1]));
        for text in ["0", "0-3,40-43", "4,0-1", "0,2,4"] {
            assert_eq!(CpuList::parse(text).map(|list| list.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn strides_of_lscpu_and_of_the_kernel_are_accepted() {
        // util-linux 2.42: every second logical CPU; the kernel: the first 2 of every 4.
        assert_eq!(parsed("0-6:2,9"), Ok(vec![0, 2, 4, 6, 9]));
        assert_eq!(parsed("1-6:3"), Ok(vec![1, 4]));
        assert_eq!(parsed("0-9:2/4"), Ok(vec![0, 1, 4, 5, 8, 9]));
        assert_eq!(parsed("0-3:1"), Ok(vec![0, 1, 2, 3]));
        assert_eq!(parsed("0-4:2,2"), Err(CpuListError::Twice(2)));
    }

    #[test]
    fn invalid_lists_are_rejected_and_the_error_names_the_wrong_item() {
        assert_eq!(parsed(" "), Err(CpuListError::Empty));
        for (text, part) in [
            ("0-", "0-"),
            ("0,,2", ""),
            ("0..3", "0..3"),
            ("0-7:0", "0-7:0"),
            ("0-7:3/2", "0-7:3/2"),
            ("3:2", "3:2"),
            ("0-7:", "0-7:"),
            ("0-7:0/2", "0-7:0/2"),
            ("-1", "-1"),
        ] {
            assert_eq!(parsed(text), Err(CpuListError::Part(part.into())), "{text}");
        }
        assert_eq!(parsed("3-1"), Err(CpuListError::Backwards(3, 1)));
        assert_eq!(parsed("0-3,2"), Err(CpuListError::Twice(2)));
        assert_eq!(parsed("65536"), Err(CpuListError::TooLarge("65536".into())));
        assert_eq!(
            parsed("0-99999999999999999999"),
            Err(CpuListError::TooLarge("99999999999999999999".into()))
        );
    }

    #[test]
    fn megabytes_of_repeated_ranges_are_rejected_quickly() {
        assert_eq!(parsed(&"0-65535,".repeat(100_000)), Err(CpuListError::Twice(0)));
    }

    fn os_node(number: u32, cpus: &str) -> OsNode {
        OsNode { number, cpus: CpuList::parse(cpus).ok() }
    }

    #[test]
    fn two_nodes_cannot_share_a_logical_cpu_or_a_number() {
        let nodes = [os_node(0, "0-3"), os_node(0, "2-5"), os_node(2, "")];
        let expected = [
            OsNodesError::NumberTwice { number: 0, first: NodeId(0), second: NodeId(1) },
            // 2 and 3 are both on nodes 0 and 1: one error.
            OsNodesError::CpuTwice { cpu: 2, first: NodeId(0), second: NodeId(1) },
        ];
        assert_eq!(contradictions(&[4, 4, 0], &nodes), expected);
    }

    #[test]
    fn nodes_need_at_least_as_many_logical_cpus_as_cores() {
        assert_eq!(contradictions(&[2], &[os_node(0, "0-3")]), []);
        let few = OsNodesError::TooFewCpus { node: NodeId(0), cores: 4, cpus: 2, list: "0-1".into() };
        assert_eq!(contradictions(&[4], &[os_node(0, "0-1")]), [few]);
    }
}
