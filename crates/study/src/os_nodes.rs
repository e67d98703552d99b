//! Reads what the operating system calls the nodes and cores: `cpus` and `os_node`.

use toml::de::DeValue;

use numasim_model::cpus::{CpuList, CpuListError, OsNode, OsNodesError, contradictions};

use super::keys::node;
use super::log::Log;
use super::problem::{Problem, ProblemKind};
use super::reading::TableKind;
use super::table::TableReader;
use super::value::Value;

const EXAMPLE: &str = "write numbers and ranges as Linux does, e.g. `\"0-19\"` or `\"0-9,40-49\"`";

/// The keys of one node; a value that could not be read is there without its meaning.
#[derive(Default)]
pub(super) struct OsKeys<'a> {
    cpus: Option<(Value<'a>, Option<CpuList>)>,
    os_node: Option<(Value<'a>, Option<u32>)>,
}

impl<'a> OsKeys<'a> {
    /// Of a `[[machine.node]]`.
    pub(super) fn read(table: &mut TableReader<'a>) -> Self {
        let cpus = table.optional(&node::CPUS).map(|value| {
            let list = read_cpus(&value);
            (value, list)
        });
        let os_node = table.optional(&node::OS_NODE).map(|value| {
            let number = value.count();
            (value, number)
        });
        Self { cpus, os_node }
    }
}

/// Of the machine: one list of processors for each node.
pub(super) fn read_list<'a>(value: &Value<'a>, nodes: Option<usize>) -> Vec<OsKeys<'a>> {
    let hint = "write one text for each node, e.g. `cpus = [\"0-19\", \"20-39\"]`";
    let Some(entries) = value.list("a list with one text for each node", hint) else { return Vec::new() };
    if let Some(nodes) = nodes.filter(|&nodes| nodes != entries.len()) {
        let message = format!("the machine has {nodes} nodes, the list `cpus` {}", entries.len());
        value.report(ProblemKind::Conflict, message, "one entry for each node is needed", hint);
        return Vec::new();
    }
    let keys = entries.into_iter().map(|entry| {
        let list = read_cpus(&entry);
        OsKeys { cpus: Some((entry, list)), os_node: None }
    });
    keys.collect()
}

fn read_cpus(value: &Value<'_>) -> Option<CpuList> {
    let DeValue::String(text) = value.get() else {
        value.wrong_type("text", EXAMPLE);
        return None;
    };
    let error = match CpuList::parse(text) {
        Ok(list) => return Some(list),
        Err(error) => error,
    };
    let hint = match error {
        CpuListError::Empty => {
            "name the processors, e.g. `\"0-19\"`; leave `cpus` out for a node without cores"
        }
        _ => EXAMPLE,
    };
    let message = format!("`{}` is not a list of processors: {error}", value.name);
    value.report(ProblemKind::BadValue, message, "not a list of processors", hint);
    None
}

/// `[machine] cpus` is for nodes that are all alike.
pub(super) fn report_two_ways(cpus: &Value<'_>, nodes: &Value<'_>) {
    let message = "`cpus` of [machine] is for nodes that are all alike";
    let problem = Problem::new(ProblemKind::Conflict, message)
        .at(cpus.key_place(), "a list for all nodes")
        .related(nodes.key_place(), "these are described one by one")
        .hint("write `cpus = \"0-19\"` into each `[[machine.node]]`");
    cpus.source.log.report(problem);
}

/// The nodes, if all that is said of them could be read and fits; empty if nothing is said.
pub(super) fn assemble(log: &Log, cores: &[Option<u32>], keys: &[OsKeys<'_>]) -> Vec<OsNode> {
    if keys.iter().all(|key| key.cpus.is_none() && key.os_node.is_none()) {
        return Vec::new();
    }
    let Some(cores) = cores.iter().copied().collect::<Option<Vec<u32>>>() else { return Vec::new() };
    let mut nodes = Vec::new();
    for (place, key) in (0..).zip(keys) {
        let number = match &key.os_node {
            Some((_, Some(number))) => *number,
            Some((_, None)) => return Vec::new(),
            None => {
                log.note_default(TableKind::Node, &place.to_string(), node::OS_NODE.name, place.to_string());
                place
            }
        };
        let cpus = match &key.cpus {
            Some((_, None)) => return Vec::new(),
            Some((_, list)) => list.clone(),
            None => None,
        };
        nodes.push(OsNode { number, cpus });
    }
    let found = contradictions(&cores, &nodes);
    for error in &found {
        report(log, keys, error);
    }
    if found.is_empty() { nodes } else { Vec::new() }
}

fn report(log: &Log, keys: &[OsKeys<'_>], error: &OsNodesError) {
    let cpus = |node: usize| keys.get(node).and_then(|key| key.cpus.as_ref()).map(|(value, _)| value.place());
    let number =
        |node: usize| keys.get(node).and_then(|key| key.os_node.as_ref()).map(|(value, _)| value.place());
    let problem = Problem::new(ProblemKind::Conflict, error.to_string());
    let problem = match error {
        OsNodesError::TooFewCpus { node, .. } => {
            let problem =
                problem.hint("name at least one processor for each core, second hardware threads last");
            located(problem, cpus(node.0), "too few processors", None)
        }
        OsNodesError::CpuTwice { first, second, .. } => {
            let problem =
                problem.hint("a processor belongs to one NUMA node; `lscpu -e=CPU,CORE,NODE` lists them");
            located(problem, cpus(second.0), "here again", cpus(first.0))
        }
        OsNodesError::NumberTwice { first, second, .. } => {
            let problem = problem.hint("without `os_node` a node has the number of its place, from 0");
            located(problem, number(second.0).or_else(|| number(first.0)), "the same number", None)
        }
        OsNodesError::NodeCount { .. } => problem,
    };
    log.report(problem);
}

fn located(
    problem: Problem,
    place: Option<super::Place>,
    label: &str,
    related: Option<super::Place>,
) -> Problem {
    let problem = match place {
        Some(place) => problem.at(place, label),
        None => problem,
    };
    match related {
        Some(related) => problem.related(related, "first named here"),
        None => problem,
    }
}
