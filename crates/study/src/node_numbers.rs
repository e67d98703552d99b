//! Reads node numbers: one, or a list in which each stands once.

use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_NODES;

use super::names::plural;
use super::problem::ProblemKind;
use super::value::{Count, Value};

const NODE: Count =
    Count { what: "the number of a node, from 0", example: "0", min: 0, max: MAX_NODES as u64 - 1 };

/// One node. `nodes` is how many there are, if the machine is known.
pub fn read(value: &Value<'_>, nodes: Option<usize>) -> Option<NodeId> {
    let Some(nodes) = nodes else { return Some(NodeId(value.count_of(NODE)? as usize)) };
    let node = value.count_of(Count { max: u64::from(u32::MAX), ..NODE })? as usize;
    if node >= nodes {
        let message = format!("there is no node {node}; the machine has {}", plural(nodes, "node"));
        let hint = format!("nodes are numbered from 0: write a number from 0 to {}", nodes.saturating_sub(1));
        value.report(ProblemKind::BadValue, message, "no such node", hint);
        return None;
    }
    Some(NodeId(node))
}

/// A list of nodes in which none stands twice, as it is written; `None` if it makes no sense or is empty.
pub(super) fn read_list(value: &Value<'_>, nodes: Option<usize>) -> Option<Vec<NodeId>> {
    let hint = "write the numbers of nodes, e.g. `[0, 2]`";
    let entries = value.list("a list of nodes", hint)?;
    if entries.is_empty() {
        let message = format!("`{}` names no node", value.name);
        value.report(ProblemKind::BadValue, message, "empty", hint);
        return None;
    }
    let mut list: Vec<Option<NodeId>> = Vec::with_capacity(entries.len());
    let mut known = vec![false; nodes.unwrap_or(MAX_NODES)];
    for entry in &entries {
        let node = read(entry, nodes);
        let again =
            node.and_then(|node| known.get_mut(node.0)).is_some_and(|known| std::mem::replace(known, true));
        if again {
            let message = format!("`{}` names node {} twice", value.name, entry.text());
            entry.report(ProblemKind::BadValue, message, "a second time", "name each node once");
        }
        list.push(node.filter(|_| !again));
    }
    list.into_iter().collect()
}
