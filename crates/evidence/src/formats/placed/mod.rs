//! Placements of other tools: domains of libvirt, containers of Docker, pods of Kubernetes, rankfiles of Open
//! MPI. Each reader finds applications with their logical CPUs and memory nodes; [`study`] converts them to
//! `[[app]]` tables and a `[[scenario]]` on a machine.

pub mod docker;
pub mod kubernetes;
pub mod libvirt;
pub mod rankfile;
mod scenario;
#[cfg(test)]
mod tests;
mod yaml;

use std::ops::Range;

use numasim_model::cpus::CpuList;
use numasim_study::{Place, Problem, ProblemKind};

pub use self::scenario::{Given, study};

/// Threads of one application, as placed by a tool. Numbers are those of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One thread that may run on these logical CPUs.
    On(Vec<u32>),
    /// A number of threads on a node.
    OfNode {
        /// The node.
        node: u32,
        /// Number of threads.
        threads: u32,
    },
    /// A number of threads in the L3 domain of a logical CPU.
    OfDomain {
        /// The logical CPU.
        cpu: u32,
        /// Number of threads.
        threads: u32,
    },
}

/// The source of memory pages, in node numbers of the operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Not given: pages come from the node of the thread that touches them first.
    #[default]
    FirstTouch,
    /// From these nodes.
    Bound(Vec<u32>),
    /// Interleaved over these nodes, page by page.
    Interleaved(Vec<u32>),
    /// Interleaved by the weights of the host, which the file does not contain.
    Weighted(Vec<u32>),
}

/// One application that a tool places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its threads.
    pub threads: Vec<Threads>,
    /// The source of its memory pages.
    pub memory: Memory,
    /// Size of its memory, MiB; `None` if the file does not contain it.
    pub memory_mib: Option<u64>,
    /// Number of its processes.
    pub ranks: u32,
    /// Whether numbers of threads without logical CPUs count both hardware threads of each core.
    pub counts_both: bool,
    /// Its place and file.
    pub place: Place,
}

/// A problem at these bytes of a file.
fn problem(file: usize, span: Range<usize>, message: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::BadValue, message).at(Place::at(file, span), "here")
}

/// The first line of a text, for problems with the whole text.
fn first_line(text: &str) -> Range<usize> {
    0..text.lines().next().map_or(0, str::len)
}

/// Maximum number of logical CPUs in a list: no machine has more.
const MOST: usize = 65_536;

/// A list of logical CPUs or nodes; in lists of libvirt `^2` removes one.
fn set(text: &str) -> Result<Vec<u32>, String> {
    let (without, with): (Vec<&str>, Vec<&str>) =
        text.split(',').map(str::trim).partition(|part| part.starts_with('^'));
    let list = CpuList::parse(&with.join(",")).map_err(|why| format!("'{}': {why}", shown(text)))?;
    let mut set = list.as_slice().to_vec();
    set.sort_unstable();
    for part in without {
        let number = part[1..].parse::<u32>().map_err(|_| format!("'{}' is no number", shown(part)))?;
        set.retain(|&known| known != number);
    }
    if set.is_empty() || set.len() > MOST {
        return Err(format!("'{}' is an empty list", shown(text)));
    }
    Ok(set)
}

/// A text of a file in a message.
fn shown(text: &str) -> String {
    numasim_study::names::shown(text)
}

/// The memory policy of a command line that begins with numactl.
///
/// # Errors
/// An invalid list of nodes.
fn numactl<'a>(words: impl Iterator<Item = &'a str>) -> Result<Option<Memory>, String> {
    let mut words = words.skip_while(|word| word.rsplit('/').next() != Some("numactl")).skip(1).peekable();
    let mut found = None;
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            break;
        }
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, None),
        };
        let make: fn(Vec<u32>) -> Memory = match option {
            "--membind" | "-m" => Memory::Bound,
            "--interleave" | "-i" => Memory::Interleaved,
            "--weighted-interleave" | "-w" => Memory::Weighted,
            "--localalloc" | "-l" => continue,
            "--physcpubind" | "-C" | "--cpunodebind" | "-N" => {
                if value.is_none() {
                    words.next();
                }
                continue;
            }
            _ => return Err(format!("`numactl {}` is not read", shown(word))),
        };
        let nodes = value.or_else(|| words.next()).ok_or_else(|| format!("`{option}` names no nodes"))?;
        found = Some(make(set(nodes)?));
    }
    Ok(found)
}
