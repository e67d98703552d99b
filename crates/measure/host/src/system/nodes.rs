//! NUMA nodes with their cores and all hardware threads of these, from `/sys`, without hwloc.

use std::collections::BTreeMap;

use numasim_model::cpus::CpuList;

use super::System;

/// A NUMA node of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCores {
    /// The operating system's number, which may leave gaps.
    pub number: u32,
    /// Its cores, that with the lowest processor first; of each all processors (hardware threads) that may be used,
    /// ascending. Empty for a node of memory only, and where none of its processors may be used.
    pub cores: Vec<Vec<u32>>,
}

impl System {
    /// The NUMA nodes in the order of the system, with the cores of which any processor is `allowed`
    /// ([`crate::affinity::allowed`]). A system that does not tell its nodes is one node, and a processor that does not
    /// tell its siblings is a core of its own.
    pub fn node_cores(&self, allowed: &[u32]) -> Vec<NodeCores> {
        let nodes = self.node_cpus();
        if nodes.is_empty() {
            return vec![NodeCores { number: 0, cores: self.cores(allowed) }];
        }
        let node = |(number, cpus): (u32, Vec<u32>)| {
            let cpus: Vec<u32> = cpus.into_iter().filter(|cpu| allowed.contains(cpu)).collect();
            NodeCores { number, cores: self.cores(&cpus) }
        };
        nodes.into_iter().map(node).collect()
    }

    /// The NUMA nodes with all their processors, ascending by number; empty where the system does not tell.
    pub fn node_cpus(&self) -> Vec<(u32, Vec<u32>)> {
        const FOLDER: &str = "sys/devices/system/node";
        let number = |name: String| name.strip_prefix("node")?.parse::<u32>().ok();
        let mut numbers: Vec<u32> = self.names(FOLDER).into_iter().filter_map(number).collect();
        numbers.sort_unstable();
        let cpus = |number: u32| {
            let list = self.line(&format!("{FOLDER}/node{number}/cpulist")).unwrap_or_default();
            CpuList::parse(&list).map(|list| list.as_slice().to_vec()).unwrap_or_default()
        };
        numbers.into_iter().map(|number| (number, cpus(number))).collect()
    }

    /// These processors, those of a core together.
    fn cores(&self, cpus: &[u32]) -> Vec<Vec<u32>> {
        let first_sibling = |cpu: u32| {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            let list = self.line(&path).and_then(|list| CpuList::parse(&list).ok());
            let siblings = list.map(|list| list.as_slice().to_vec()).unwrap_or_default();
            siblings.into_iter().min().filter(|&first| first <= cpu).unwrap_or(cpu)
        };
        let mut cores: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &cpu in cpus {
            cores.entry(first_sibling(cpu)).or_default().push(cpu);
        }
        let mut cores: Vec<Vec<u32>> = cores.into_values().collect();
        for core in &mut cores {
            core.sort_unstable();
        }
        cores.sort_unstable();
        cores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tree;

    fn siblings(cpu: u32) -> String {
        format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    }

    fn node(number: u32, cores: &[&[u32]]) -> NodeCores {
        NodeCores { number, cores: cores.iter().map(|core| core.to_vec()).collect() }
    }

    #[test]
    fn hardware_threads_of_a_core_are_together_and_nodes_in_the_order_of_their_numbers() {
        let tree = Tree::new(&[
            ("sys/devices/system/node/node10/cpulist", "2-3,6-7\n"),
            ("sys/devices/system/node/node2/cpulist", "0-1,4-5\n"),
            ("sys/devices/system/node/node3/cpulist", "\n"),
            ("sys/devices/system/node/online", "2-3,10\n"),
        ]);
        for cpu in 0..8 {
            tree.write(&siblings(cpu), &format!("{},{}\n", cpu % 4, cpu % 4 + 4));
        }
        let all: Vec<u32> = (0..8).collect();
        let memory_only = node(3, &[]);
        assert_eq!(
            tree.system().node_cores(&all),
            [node(2, &[&[0, 4], &[1, 5]]), memory_only.clone(), node(10, &[&[2, 6], &[3, 7]])]
        );
        // Of the core of 0 and 4 only 4 may be used, of that of 2 and 6 none: it is no core for this process.
        assert_eq!(
            tree.system().node_cores(&[1, 3, 4, 5, 7]),
            [node(2, &[&[1, 5], &[4]]), memory_only, node(10, &[&[3, 7]])]
        );
    }

    #[test]
    fn a_system_that_tells_nothing_is_one_node_of_the_allowed_processors() {
        assert_eq!(Tree::new(&[]).system().node_cores(&[0, 2]), [node(0, &[&[0], &[2]])]);
        let nonsense = Tree::new(&[
            ("sys/devices/system/node/node0/cpulist", "0-2\n"),
            (&siblings(0), "9-1"),
            (&siblings(1), "7"),
        ]);
        assert_eq!(nonsense.system().node_cores(&[0, 1, 2]), [node(0, &[&[0], &[1], &[2]])]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_allowed_processor_of_this_host_is_on_one_core() {
        let allowed = crate::affinity::allowed().expect("Linux tells");
        let nodes = System::host().node_cores(&allowed);
        let mut found: Vec<u32> = nodes.into_iter().flat_map(|node| node.cores).flatten().collect();
        found.sort_unstable();
        assert_eq!(found, allowed);
    }
}
