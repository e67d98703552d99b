//! Placements as other tools have them: domains of libvirt, containers of Docker, pods of Kubernetes, rankfiles of Open MPI. Each reader finds
//! applications with their processors and memory nodes; [`study`] makes `[[app]]` tables and a `[[scenario]]` of them on a machine.

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

/// Threads of one application, as a tool places them. Numbers are those of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One thread that may run on these processors.
    On(Vec<u32>),
    /// So many on a node.
    OfNode {
        /// The node.
        node: u32,
        /// How many.
        threads: u32,
    },
    /// So many in the L3 domain of a processor.
    OfDomain {
        /// The processor.
        cpu: u32,
        /// How many.
        threads: u32,
    },
}

/// Where memory comes from, in node numbers of the operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Not given: from the node of the thread that touches it first.
    #[default]
    FirstTouch,
    /// From these nodes.
    Bound(Vec<u32>),
    /// Page by page from these nodes in turn.
    Interleaved(Vec<u32>),
    /// The same by the weights of the host, which the file does not contain.
    Weighted(Vec<u32>),
}

/// One application that a tool places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its threads.
    pub threads: Vec<Threads>,
    /// Where its memory comes from.
    pub memory: Memory,
    /// How much memory it has, MiB; `None` if the file does not contain it.
    pub memory_mib: Option<u64>,
    /// Processes that it consists of.
    pub ranks: u32,
    /// Whether numbers of threads that name no processors count both hardware threads of each core.
    pub counts_both: bool,
    /// Its place in which file.
    pub place: Place,
}

/// A problem at these bytes of a file.
fn problem(file: usize, span: Range<usize>, message: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::BadValue, message).at(Place::at(file, span), "here")
}

/// The first line of a text, for problems with all of it.
fn first_line(text: &str) -> Range<usize> {
    0..text.lines().next().map_or(0, str::len)
}

/// Most processors of a list: no machine has more.
const MOST: usize = 65_536;

/// A list of processors or nodes; in those of libvirt `^2` takes one out.
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
/// A list of nodes that is none.
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
