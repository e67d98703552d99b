//! The nodes on this host for the machine in the files: for `run`, and for an agent with `--this-host`.

use numasim_host::affinity;
use numasim_host::system::{NodeCores, System};
use numasim_model::Machine;

use crate::failure::Failure;

/// The nodes of the host that correspond to those of the machine: by the numbers in the file, else in order; with the machine's number of
/// cores on each.
///
/// # Errors
/// The host has fewer nodes, or fewer cores on a node.
pub(super) fn of_machine(machine: &Machine) -> Result<Vec<NodeCores>, Failure> {
    chosen(machine, &this_host()?)
}

/// The nodes of this host with the cores that this process may use.
///
/// # Errors
/// The system does not report them.
pub(super) fn this_host() -> Result<Vec<NodeCores>, Failure> {
    let allowed = affinity::allowed().map_err(|error| {
        Failure::input("this host does not report which cores may be used").caused_by(&error)
    })?;
    Ok(System::host().node_cores(&allowed))
}

fn chosen(machine: &Machine, host: &[NodeCores]) -> Result<Vec<NodeCores>, Failure> {
    let cores = |node: &NodeCores| node.cores.len().to_string();
    let there = || {
        format!(
            "this host has {} node(s), with this number of cores for this process: {}",
            host.len(),
            host.iter().map(cores).collect::<Vec<_>>().join(", ")
        )
    };
    let hint = "the [machine] has to be this host or a part of it: `numasim detect` and `numasim calibrate` write one";
    let mut nodes = Vec::new();
    for (place, node) in machine.nodes().iter().enumerate() {
        let named = machine.os_nodes().get(place).map(|os| os.number);
        let found = match named {
            Some(number) => host.iter().find(|host| host.number == number),
            None => host.get(place),
        };
        let found = found.ok_or_else(|| {
            let which = named.map_or_else(|| format!("node {place}"), |number| format!("os_node {number}"));
            Failure::input(format!("{which} of machine '{}' is not there: {}", machine.name(), there()))
                .hint(hint)
        })?;
        let wanted = node.cores as usize;
        let Some(cores) = found.cores.get(..wanted) else {
            let message =
                format!("node {place} of machine '{}' has {wanted} cores: {}", machine.name(), there());
            return Err(Failure::input(message).hint(hint));
        };
        nodes.push(NodeCores { number: found.number, cores: cores.to_vec() });
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(nodes: u32, cores: u32) -> Machine {
        let text = format!(
            "[machine]\nname = \"m\"\nnodes = {nodes}\ncores_per_node = {cores}\ngflops_per_core = 1\nbandwidth_gbs = 1\nlink_gbs = 1\n[[app]]\nname = \"a\"\narithmetic_intensity = 1\n"
        );
        let file = numasim_study::SourceFile { name: "a.toml".to_owned(), text };
        numasim_ask::reading::read_study(&[file]).expect("a valid file").study.at_rest.machine
    }

    #[test]
    fn a_machine_may_be_a_part_of_the_host_and_not_more() {
        let node = |number, cpus: std::ops::Range<u32>| NodeCores {
            number,
            cores: cpus.map(|cpu| vec![cpu]).collect(),
        };
        let host = [node(0, 0..2), node(4, 2..5)];
        let all = chosen(&machine(2, 2), &host).expect("it has them");
        assert_eq!(all.iter().map(|node| node.number).collect::<Vec<_>>(), [0, 4]);
        assert_eq!(all.last().map(|node| node.cores.clone()), Some(vec![vec![2], vec![3]]));
        assert!(chosen(&machine(1, 1), &host).is_ok());
        let refused = |machine| chosen(&machine, &host).expect_err("more than there is").message().to_owned();
        assert!(
            refused(machine(2, 3)).starts_with("node 0 of machine 'm' has 3 cores: this host has 2 node(s)")
        );
        assert!(refused(machine(3, 1)).starts_with("node 2 of machine 'm' is not there"));
    }
}
