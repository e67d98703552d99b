//! The summary of `lscpu`: `Key: value`, flat, or in sections where it was printed to a terminal.

use std::collections::BTreeMap;

use numasim_model::input::Problem;
use numasim_model::text::visible;

use super::super::{Cores, Node, node_number, once, processors};
use crate::import::lines::Line;

/// What of the summary is needed.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) model: Option<String>,
    /// Level, size and what was printed, of data and unified caches.
    pub(super) caches: Vec<(u8, Size, String)>,
    pub(super) offline: Vec<u32>,
    online: Vec<u32>,
    nodes: Vec<Node>,
    threads_per_core: Vec<u32>,
    sockets: Option<u32>,
}

/// The size of the caches of a level. Before util-linux 2.33 it is that of one, from then on that of all together.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// `8192K`.
    One(u64),
    /// `128 MiB (16 instances)`; 2.33 to 2.36 do not say how many.
    All { bytes: u64, instances: Option<u32> },
}

impl Size {
    pub(super) fn instances(&self) -> Option<u32> {
        match self {
            Self::One(_) => None,
            Self::All { instances, .. } => *instances,
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (size, instances) = match text.split_once('(') {
            Some((size, rest)) => {
                (size, Some(rest.split_whitespace().next()?.parse().ok().filter(|&count| count > 0)?))
            }
            None => (text, None),
        };
        let size = size.trim();
        let (number, unit) =
            size.split_at(size.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(size.len()));
        let number =
            number.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)?;
        let (factor, old) = match unit.trim() {
            "" | "B" => (1.0, false),
            "K" => (1024.0, true),
            "KiB" => (1024.0, false),
            "M" => (1_048_576.0, true),
            "MiB" => (1_048_576.0, false),
            "GiB" => (1_073_741_824.0, false),
            _ => return None,
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^63")]
        let bytes = (number * factor).round().min(9e18) as u64;
        Some(if old && instances.is_none() { Self::One(bytes) } else { Self::All { bytes, instances } })
    }
}

impl Summary {
    /// A line of text; whether it is one of those that every `lscpu` prints.
    pub(super) fn line(&mut self, line: &Line<'_>) -> Result<bool, Problem> {
        match line.text.split_once(':') {
            Some((key, value)) => self.entry(line, key.trim(), value.trim()),
            None => Ok(false),
        }
    }

    /// A key and its value.
    pub(super) fn entry(&mut self, line: &Line<'_>, key: &str, value: &str) -> Result<bool, Problem> {
        let count = || {
            let number = value.parse::<u32>().ok().filter(|&number| number > 0);
            number.ok_or_else(|| line.problem(format!("'{}' is not a number above 0", visible(value))))
        };
        match key {
            "Model name" if value != "-" && self.model.is_none() => self.model = Some(value.to_owned()),
            // One for each kind of core.
            "Thread(s) per core" if value != "-" => self.threads_per_core.push(count()?),
            "Socket(s)" if value != "-" => self.sockets = Some(count()?),
            "On-line CPU(s) list" => self.online = processors(line, value)?,
            "Off-line CPU(s) list" => self.offline = processors(line, value)?,
            "Architecture" | "CPU(s)" => {}
            _ => {
                if let Some(number) =
                    key.strip_prefix("NUMA node").and_then(|rest| rest.strip_suffix(" CPU(s)"))
                {
                    let number = node_number(line, number)?;
                    if self.nodes.iter().any(|node| node.number == number) {
                        return Err(line.problem(format!("node {number} appears twice")));
                    }
                    let processors = if value == "-" { Vec::new() } else { processors(line, value)? };
                    once(line, &processors, &self.nodes)?;
                    self.nodes.push(Node { number, processors, ..Node::default() });
                } else if let Some(level) = level(key) {
                    let size =
                        Size::read(value).ok_or_else(|| line.problem("this is not the size of a cache"))?;
                    self.caches.push((level, size, visible(value).into_owned()));
                }
                return Ok(false);
            }
        }
        Ok(matches!(key, "On-line CPU(s) list" | "Architecture" | "CPU(s)"))
    }

    pub(super) fn says_something(&self) -> bool {
        !self.online.is_empty() || self.says_nodes() || self.model.is_some() || !self.caches.is_empty()
    }

    pub(super) fn says_nodes(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// The nodes with as many cores as threads per core make of their processors.
    pub(super) fn nodes(&self, notes: &mut Vec<String>) -> Vec<Node> {
        let mut nodes = self.nodes.clone();
        if nodes.is_empty() && !self.online.is_empty() {
            nodes.push(Node { processors: self.online.clone(), ..Node::default() });
            notes.push("lscpu shows no NUMA nodes: all processors are taken as one node".to_owned());
        }
        let smt = self
            .threads_per_core
            .first()
            .filter(|first| self.threads_per_core.iter().all(|other| other == *first));
        if self.threads_per_core.len() > 1 && smt.is_none() {
            notes.push("cores have different numbers of hardware threads: lscpu -e says which".to_owned());
        }
        for node in &mut nodes {
            let processors = u32::try_from(node.processors.len()).unwrap_or(u32::MAX);
            if let Some(&smt) = smt.filter(|&&smt| processors > 0 && processors % smt == 0) {
                let first = (smt == 1).then(|| node.processors.clone());
                node.cores = Some(Cores { count: processors / smt, first });
            }
            node.socket = (self.sockets == Some(1)).then_some(0);
        }
        nodes
    }
}

/// Of `L1d cache`, `L2`: data and unified caches.
fn level(key: &str) -> Option<u8> {
    let name = key.strip_suffix(" cache").unwrap_or(key);
    let levels = BTreeMap::from([("L1d", 1), ("L1", 1), ("L2", 2), ("L3", 3), ("L4", 4)]);
    levels.get(name).copied()
}
