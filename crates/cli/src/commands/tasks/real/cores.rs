//! Processors of this host for the cores of the machine in the files.

use numasim_bench::execute::Cores;
use numasim_host::affinity;
use numasim_host::system::System;
use numasim_model::Machine;

use crate::failure::Failure;

/// The operating system's number of each node of the machine: that of the machine file, else that of the node in the same place here.
pub(super) fn numbers(machine: &Machine) -> Vec<Option<u32>> {
    let here = System::host().node_cores(&affinity::allowed().unwrap_or_default());
    let of_node = |node: numasim_model::NodeId| {
        let listed = machine.os_nodes().get(node.0).map(|os_node| os_node.number);
        listed.or_else(|| here.get(node.0).map(|node| node.number))
    };
    machine.node_ids().map(of_node).collect()
}

/// A processor for each core: those that the machine file lists, else the first one of each core of the node of the same number.
///
/// # Errors
/// Another operating system than Linux; a machine with more cores than are here.
pub(super) fn of(machine: &Machine) -> Result<Cores, Failure> {
    let allowed = affinity::allowed()
        .map_err(|error| Failure::input("--real binds threads, which needs Linux").caused_by(&error))?;
    let here = System::host().node_cores(&allowed);
    let of_node = |node: numasim_model::NodeId| {
        let cores = machine.node(node).cores as usize;
        let listed = machine.os_nodes().get(node.0).and_then(|os_node| os_node.cpus.as_ref());
        let own: Vec<u32> = match (listed, here.get(node.0)) {
            (Some(list), _) => list.as_slice().iter().copied().take(cores).collect(),
            (None, Some(node)) => {
                node.cores.iter().filter_map(|core| core.first().copied()).take(cores).collect()
            }
            (None, None) => Vec::new(),
        };
        if own.len() < cores {
            return Err(Failure::input(format!(
                "{node} of the machine has {cores} cores, and this process may use {} there",
                own.len()
            ))
            .hint("--real runs on this host: give its machine file, as `numasim detect` or `numasim calibrate` writes it"));
        }
        Ok(own)
    };
    Ok(Cores(machine.node_ids().map(of_node).collect::<Result<_, _>>()?))
}
