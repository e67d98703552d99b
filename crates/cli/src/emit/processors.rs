//! Sources of the numbers of logical CPUs: the machine file, an hwloc XML, or this host.

use numasim_evidence::formats::hwloc::read_xml;
use numasim_model::cpus::OsNode;
use numasim_model::pinning::node_without_cpus;
use numasim_model::{Machine, NodeId};
use numasim_study::topology::{Counting, HostTopology};

use crate::args::{CpusFrom, EmitArgs};
use crate::failure::Failure;
use crate::files;

/// The machine with the CPU numbers that `--emit` needs; unchanged without `--emit`.
///
/// Called before a search, so that the user does not wait for an answer that cannot be printed.
pub(crate) fn complete(machine: Machine, args: &EmitArgs) -> Result<Machine, Failure> {
    if args.emit.is_none() {
        return Ok(machine);
    }
    let machine = adopted(machine, args.cpus_from.as_ref())?;
    let Some(node) = node_without_cpus(&machine) else { return Ok(machine) };
    Err(unknown("--emit", node))
}

/// The error if the logical CPUs of a node are unknown, which `what` needs.
pub(crate) fn unknown(what: &str, node: NodeId) -> Failure {
    Failure::input(format!(
        "{what} needs the numbers of the logical CPUs, and those of {node} are not known"
    ))
    .hint(
        "add them to the machine file, one per core: `cpus = \"0-19\"` in each [[machine.node]], or \
         `cpus = [\"0-19\", \"20-39\"]` in [machine] (`lscpu -e=CPU,CORE,NODE` shows them)",
    )
    .hint("or read them from the machine itself: --cpus-from host, or --cpus-from FILE.xml written there by lstopo")
}

/// The machine with the CPU numbers of `--cpus-from`.
pub(crate) fn adopted(machine: Machine, from: Option<&CpusFrom>) -> Result<Machine, Failure> {
    Ok(match from {
        None => machine,
        Some(CpusFrom::Host) => {
            let host = numasim_host::host_topology("--cpus-from");
            adopt(machine, &host.map_err(|error| Failure::input(error.to_string()))?, "this host")?
        }
        Some(CpusFrom::Xml(path)) => {
            let xml = files::read_topology(path)?;
            let name = path.display().to_string();
            let topology = read_xml(&xml, "hwloc XML", Counting::Cores).map_err(|error| {
                Failure::input(error.to_string()).hint(format!("is {name} what `lstopo {name}` wrote?"))
            })?;
            adopt(machine, &topology, &name)?
        }
    })
}

/// The machine with the numbers that were found, node by node in ascending order of the operating system, or by `os_node` if the file
/// contains it.
fn adopt(machine: Machine, found: &HostTopology, source: &str) -> Result<Machine, Failure> {
    let name = machine.name().to_owned();
    let other = |error: &dyn std::error::Error| {
        Failure::input(format!("{source} is not the machine '{name}'"))
            .caused_by(error)
            .hint("use --cpus-from on the machine that the file describes, or write `cpus` into the file")
    };
    let mut nodes = found.os_nodes(machine.threads_per_core() > 1);
    nodes.sort_by_key(|node| node.number);
    if machine.os_nodes().len() == nodes.len() {
        let numbered =
            |number| nodes.iter().find(|node| node.number == number).cloned().ok_or(NoNode(number));
        let in_order: Result<Vec<OsNode>, NoNode> =
            machine.os_nodes().iter().map(|named| numbered(named.number)).collect();
        nodes = in_order.map_err(|error| other(&error))?;
    }
    machine.with_os_nodes(nodes).map_err(|error| other(&error))
}

/// A node of the machine file that the operating system does not have.
#[derive(Debug, thiserror::Error)]
#[error("it has no node {0} (`os_node`, or the place in the file)")]
struct NoNode(u32);

#[cfg(test)]
mod tests {
    use numasim_model::cpus::CpuList;
    use numasim_model::units::{Gflops, GigabytesPerSecond};
    use numasim_model::{Machine, Node};
    use numasim_study::topology::HostNode;

    use super::*;

    /// Nodes 8 and 0 of one core each, as a topology may list them.
    fn found() -> HostTopology {
        let node = |os_index, cpus: &str| HostNode {
            os_index,
            cores: 1,
            cpus: CpuList::parse(cpus).ok(),
            ..HostNode::default()
        };
        HostTopology::from_nodes("box", "test", vec![node(8, "80"), node(0, "0")])
    }

    fn machine(nodes: usize, numbers: &[u32]) -> Machine {
        let node = Node {
            cores: 1,
            gflops_per_core: Gflops::new(1.0),
            bandwidth: GigabytesPerSecond::new(1.0),
            ..Node::default()
        };
        let machine = Machine::uniform("m", nodes, node, GigabytesPerSecond::new(1.0)).expect("valid");
        let os_nodes = numbers.iter().map(|&number| OsNode { number, cpus: None }).collect::<Vec<_>>();
        if os_nodes.is_empty() { machine } else { machine.with_os_nodes(os_nodes).expect("consistent") }
    }

    fn numbers(machine: Machine) -> Result<Vec<u32>, String> {
        let adopted = adopt(machine, &found(), "box").map_err(|failure| failure.to_string())?;
        Ok(adopted.os_nodes().iter().map(|node| node.number).collect())
    }

    #[test]
    fn nodes_are_matched_by_their_number_or_in_ascending_order() {
        assert_eq!(numbers(machine(2, &[])), Ok(vec![0, 8]));
        assert_eq!(numbers(machine(2, &[8, 0])), Ok(vec![8, 0]));
    }

    #[test]
    fn another_machine_is_refused() {
        for (machine, why) in [
            (machine(2, &[0, 1]), "it has no node 1"),
            (machine(3, &[]), "the machine has 3 NUMA nodes, but the operating system has 2"),
        ] {
            let to_failure = numbers(machine).expect_err("another machine");
            assert!(
                to_failure.contains("box is not the machine 'm'") && to_failure.contains(why),
                "{to_failure}"
            );
        }
    }
}
