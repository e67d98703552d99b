//! From counts to logical CPUs: the logical CPU of the operating system for each thread of an allocation.

use crate::allocation::{Allocation, PerDomain, TooManyThreads};
use crate::app::{App, Smt};
use crate::ids::NodeId;
use crate::machine::Machine;

/// The logical CPUs of one application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppCpus {
    /// The nodes with threads of it, in order, and one logical CPU for each thread there.
    pub nodes: Vec<(NodeId, Vec<u32>)>,
}

impl AppCpus {
    /// One logical CPU per thread, node by node; second hardware threads follow the first ones of the node.
    pub fn cpus(&self) -> Vec<u32> {
        self.nodes.iter().flat_map(|(_, cpus)| cpus.iter().copied()).collect()
    }
}

/// The reason that threads cannot be assigned to logical CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// The logical CPUs of the node are unknown.
    #[error("the logical CPU numbers of {0} are not known")]
    UnknownCpus(NodeId),
    /// The list of the node has no second hardware thread for each core.
    #[error("the list of logical CPUs of {0} has no second hardware thread for each of its cores")]
    NoSecondThreads(NodeId),
    /// A node has more threads than cores.
    #[error(transparent)]
    TooManyThreads(#[from] TooManyThreads),
}

/// The first node with cores whose logical CPUs are unknown.
pub fn node_without_cpus(machine: &Machine) -> Option<NodeId> {
    machine.compute_nodes().find(|node| machine.os_nodes().get(node.0).is_none_or(|os| os.cpus.is_none()))
}

/// The cores of a node that each application gets, as positions in the node's list of logical CPUs.
///
/// In each L3 domain of the node the applications take consecutive cores in the order of the files. `per_l3`:
/// the number of cores of each application in each L3 domain of each node ([`Allocation::per_l3`]).
pub fn cores(machine: &Machine, per_l3: &PerDomain, node: NodeId) -> Vec<Vec<usize>> {
    let own = machine.node(node);
    let mut free: Vec<usize> =
        (0..own.domains()).map(|domain| domain * own.domain_cores().max(1) as usize).collect();
    let take = |nodes: &Vec<Vec<u32>>| {
        let in_domains = nodes.get(node.0).into_iter().flatten();
        let each = free.iter_mut().zip(in_domains).flat_map(|(free, &cores)| {
            let first = *free;
            *free += cores as usize;
            first..*free
        });
        each.collect()
    };
    per_l3.iter().map(take).collect()
}

/// Assigns every thread to a separate logical CPU on the [`cores`] of its application. Applications with
/// [`Smt::Both`] get both hardware threads of their cores.
///
/// # Errors
/// [`PinError::UnknownCpus`] for the first node that has threads but no list of logical CPUs;
/// [`PinError::NoSecondThreads`]; [`PinError::TooManyThreads`] if there are more threads than cores.
pub fn pin(machine: &Machine, apps: &[App], allocation: &Allocation) -> Result<Vec<AppCpus>, PinError> {
    allocation.fits(machine)?;
    let mut pinned = vec![AppCpus::default(); allocation.apps()];
    let per_l3 = allocation.per_l3(machine);
    for node in machine.node_ids().filter(|&node| allocation.on_node(node) > 0) {
        let own = machine.node(node);
        let list = machine.os_nodes().get(node.0).and_then(|os_node| os_node.cpus.as_ref());
        let (first, second) = list
            .and_then(|list| list.as_slice().split_at_checked(own.cores as usize))
            .ok_or(PinError::UnknownCpus(node))?;
        for (a, (pinned, cores)) in pinned.iter_mut().zip(cores(machine, &per_l3, node)).enumerate() {
            // The list is long enough: each node has at least as many logical CPUs as cores.
            let mut cpus: Vec<u32> = cores.iter().map(|&core| first[core]).collect();
            if apps[a].smt == Smt::Both {
                let of_core =
                    |&core: &usize| second.get(core).copied().ok_or(PinError::NoSecondThreads(node));
                cpus.extend(cores.iter().map(of_core).collect::<Result<Vec<_>, _>>()?);
            }
            if !cpus.is_empty() {
                pinned.nodes.push((node, cpus));
            }
        }
    }
    Ok(pinned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Data, Placement};
    use crate::cpus::{CpuList, OsNode};
    use crate::machine::Node;
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    /// Two nodes of 4 cores; the second hardware threads (8-15) come last.
    fn machine(cpus: [Option<&str>; 2]) -> Machine {
        let node = Node {
            cores: 4,
            gflops_per_core: Gflops::new(1.0),
            bandwidth: GigabytesPerSecond::new(1.0),
            ..Node::default()
        };
        let os_nodes = (0..).zip(cpus).map(|(number, list)| OsNode {
            number,
            cpus: list.map(|list| CpuList::parse(list).expect("a list")),
        });
        Machine::uniform("m", 2, node, GigabytesPerSecond::new(1.0))
            .expect("valid")
            .with_os_nodes(os_nodes.collect())
            .expect("consistent")
    }

    fn apps(smt: &[Smt]) -> Vec<App> {
        let app = |&smt| App { smt, ..App::new("a", FlopPerByte::new(1.0), Data::Placed(Placement::Local)) };
        smt.iter().map(app).collect()
    }

    #[test]
    fn both_hardware_threads_of_a_core_belong_to_its_application() {
        let machine = machine([Some("0-3,8-11"), Some("4-7")]);
        let apps = apps(&[Smt::One, Smt::Both, Smt::One]);
        let allocation = Allocation::from_rows(&[vec![1, 0], vec![2, 0], vec![1, 0]]).expect("rows");
        let pinned = pin(&machine, &apps, &allocation).expect("possible");
        let cpus: Vec<_> = pinned.iter().map(AppCpus::cpus).collect();
        assert_eq!(cpus, [vec![0], vec![1, 2, 9, 10], vec![3]]);
        let allocation = Allocation::from_rows(&[vec![0, 1], vec![0, 1], vec![0, 0]]).expect("rows");
        assert_eq!(pin(&machine, &apps, &allocation), Err(PinError::NoSecondThreads(NodeId(1))));
    }

    #[test]
    fn applications_take_consecutive_logical_cpus_of_a_node() {
        let allocation = Allocation::from_rows(&[vec![1, 0], vec![2, 3], vec![0, 0]]).expect("rows");
        let one = apps(&[Smt::One; 3]);
        let apps =
            pin(&machine([Some("0,2,4,6,8-15"), Some("1,3,5,7")]), &one, &allocation).expect("possible");
        // Node 0: the first application takes 0, the second the next two. Node 1 belongs entirely to the
        // second.
        assert_eq!(apps[0].nodes, [(NodeId(0), vec![0])]);
        assert_eq!(apps[1].nodes, [(NodeId(0), vec![2, 4]), (NodeId(1), vec![1, 3, 5])]);
        assert_eq!(apps[1].cpus(), [2, 4, 1, 3, 5]);
        assert!(apps[2].nodes.is_empty());
    }

    #[test]
    fn an_unknown_cpu_list_is_an_error_only_if_the_node_has_threads() {
        let machine = machine([Some("0-3"), None]);
        let on = |rows: [u32; 2]| Allocation::from_rows(&[rows.to_vec()]).expect("rows");
        assert_eq!(pin(&machine, &apps(&[Smt::One]), &on([4, 1])), Err(PinError::UnknownCpus(NodeId(1))));
        assert!(pin(&machine, &apps(&[Smt::One]), &on([4, 0])).is_ok());
        assert_eq!(node_without_cpus(&machine), Some(NodeId(1)));
    }

    #[test]
    fn more_threads_than_cores_are_rejected_even_if_logical_cpus_are_left() {
        let allocation = Allocation::from_rows(&[vec![5, 0]]).expect("rows");
        let refused = pin(&machine([Some("0-7"), None]), &apps(&[Smt::One]), &allocation);
        assert_eq!(
            refused,
            Err(PinError::TooManyThreads(TooManyThreads { node: NodeId(0), threads: 5, cores: 4 }))
        );
    }

    #[test]
    fn threads_are_on_the_logical_cpus_of_their_l3_domains() {
        let of_lists = machine([Some("0-3"), Some("4-7")]);
        let node = Node { cores_per_l3: Some(2), ..*of_lists.node(NodeId(0)) };
        let links = vec![GigabytesPerSecond::new(1.0); 4];
        let os_nodes = of_lists.os_nodes().to_vec();
        let machine = Machine::new("m", vec![node; 2], links).unwrap().with_os_nodes(os_nodes).unwrap();
        // Two applications on node 0: one thread in each domain, and one in the second.
        let allocation =
            Allocation::from_domains(vec![vec![vec![1, 1], vec![0, 0]], vec![vec![0, 1], vec![0, 0]]])
                .unwrap();
        let pinned = pin(&machine, &apps(&[Smt::One; 2]), &allocation).unwrap();
        assert_eq!((pinned[0].cpus(), pinned[1].cpus()), (vec![0, 2], vec![3]));
        // With both hardware threads of its cores 0 and 2, the first application also gets their siblings.
        let os_nodes =
            vec![OsNode { number: 0, cpus: CpuList::parse("0-3,8-11").ok() }, machine.os_nodes()[1].clone()];
        let machine = machine.with_os_nodes(os_nodes).unwrap();
        let pinned = pin(&machine, &apps(&[Smt::Both, Smt::One]), &allocation).unwrap();
        assert_eq!((pinned[0].cpus(), pinned[1].cpus()), (vec![0, 2, 8, 10], vec![3]));
    }
}
