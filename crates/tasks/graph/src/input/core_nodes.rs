//! Reads the number of a node with cores.

use numasim_model::ids::NodeId;

use numasim_study::ProblemKind;
use numasim_study::names;
use numasim_study::reader::MachineReading;
use numasim_study::reader::Value;
use numasim_study::reader::node_number;

/// The number of a node with cores.
pub(super) fn read(value: &Value<'_>, machine: &MachineReading) -> Option<NodeId> {
    let node = node_number(value, machine.nodes())?;
    let cores = machine.cores.as_deref().unwrap_or_default();
    if cores.get(node.0) == Some(&0) {
        let message = format!("`{}` is node {}, which has no cores", value.name, node.0);
        let with_cores = cores.iter().enumerate().filter(|(_, cores)| **cores > 0);
        let with_cores: Vec<String> = with_cores.map(|(node, _)| node.to_string()).collect();
        let list = names::list(with_cores.iter().map(String::as_str));
        let hint = format!("write a node that can run the task: {list}");
        value.report(ProblemKind::BadValue, message, "memory only", hint);
        return None;
    }
    Some(node)
}
