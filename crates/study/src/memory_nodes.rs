//! Reads nodes in whose memory data lies: those that have some.

use numasim_model::ids::NodeId;

use super::machine::MachineReading;
use super::node_numbers;
use super::problem::ProblemKind;
use super::value::Value;

/// One node that has memory; `machine` as far as it could be read.
pub fn read(value: &Value<'_>, machine: &MachineReading) -> Option<NodeId> {
    let node = node_numbers::read(value, machine.nodes())?;
    check(value, node, machine)?;
    Some(node)
}

/// `None`, and a report at `value`, if `node` has no memory that data could lie in.
pub(super) fn check(value: &Value<'_>, node: NodeId, machine: &MachineReading) -> Option<()> {
    if !machine.without_memory.contains(&node) {
        return Some(());
    }
    let with_memory = (0..machine.nodes()?).filter(|&node| !machine.without_memory.contains(&NodeId(node)));
    let with_memory: Vec<String> = with_memory.map(|node| node.to_string()).collect();
    let noun = if with_memory.len() == 1 { "node" } else { "nodes" };
    let hint = format!(
        "name a node that has memory: {noun} {}; the machine says `memory_gib = 0` for {node}",
        with_memory.join(", ")
    );
    let message = format!("`{}` places data on {node}, which has no memory", value.name);
    value.report(ProblemKind::BadValue, message, "no memory", hint);
    None
}
