//! NUMA nodes with their cores and all hardware threads of these, from `/sys`, without hwloc.

use std::collections::BTreeMap;

use numasim_model::cpus::CpuList;
use numasim_study::topology::{Core, Counting, HostNode, HostTopology};

use crate::system::System;

/// A NUMA node of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCores {
    /// The operating system's number, which may leave gaps.
    pub number: u32,
    /// Its cores, the one with the lowest logical CPU first; for each, all logical CPUs (hardware threads) that may be used, ascending.
    /// Empty for a memory-only node, and if none of its logical CPUs may be used.
    pub cores: Vec<Vec<u32>>,
}

impl System {
    /// The NUMA nodes in the order of the system, with the cores that have an `allowed` logical CPU ([`crate::affinity::allowed`]). If the
    /// system does not report its nodes, it is one node. A logical CPU without reported siblings is a separate core.
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

    /// The NUMA nodes with all their logical CPUs, ascending by number; empty if the system does not report them.
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

    /// These logical CPUs, grouped by core.
    pub(super) fn cores(&self, cpus: &[u32]) -> Vec<Vec<u32>> {
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

impl System {
    /// Nodes with the cores that have an `allowed` logical CPU ([`crate::affinity::allowed`]), and the first such logical CPU of each;
    /// memory and distances of the nodes, if the system reports them.
    pub fn topology(&self, allowed: &[u32]) -> HostTopology {
        self.topology_of(allowed, Counting::Cores)
    }

    pub(super) fn topology_of(&self, allowed: &[u32], counting: Counting) -> HostTopology {
        let memory = self.node_memory();
        let nodes: Vec<HostNode> = self
            .node_cores(allowed)
            .into_iter()
            .map(|node| {
                let l3 = |cpus: &[u32]| cpus.first().and_then(|&cpu| self.l3(cpu));
                let cores: Vec<Core> =
                    node.cores.into_iter().map(|cpus| Core { l3: l3(&cpus), cpus }).collect();
                HostNode {
                    memory_bytes: memory
                        .iter()
                        .find(|memory| memory.os_node == node.number)
                        .map(|memory| memory.total_bytes),
                    ..HostNode::of_cores(node.number, &cores, counting)
                }
            })
            .collect();
        let name = self.line("proc/sys/kernel/hostname").unwrap_or_else(|| "this host".to_owned());
        let distances = self.distances(&nodes);
        // A node with neither cores nor memory can hold nothing.
        let kept: Vec<bool> =
            nodes.iter().map(|node| node.cores > 0 || node.memory_bytes != Some(0)).collect();
        let nodes: Vec<HostNode> =
            nodes.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(node, _)| node).collect();
        let of_kept = |row: Vec<u64>| {
            row.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell).collect()
        };
        let distances = distances.filter(|_| nodes.len() > 1).map(|rows| {
            rows.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(row, _)| of_kept(row)).collect()
        });
        HostTopology { distances, counting, ..HostTopology::from_nodes(name, "/sys of this host", nodes) }
    }

    /// The L3 cache of a logical CPU, identified by the first logical CPU that shares it.
    pub(super) fn l3(&self, cpu: u32) -> Option<u32> {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}/cache");
        let of_level = |name: &String| self.number(&format!("{folder}/{name}/level")) == Some(3);
        let cache = self.names(&folder).into_iter().find(of_level)?;
        let sharing = CpuList::parse(&self.line(&format!("{folder}/{cache}/shared_cpu_list"))?).ok()?;
        sharing.as_slice().iter().copied().min()
    }

    /// `None` unless every node has a distance to each.
    fn distances(&self, nodes: &[HostNode]) -> Option<Vec<Vec<u64>>> {
        let row = |node: &HostNode| -> Option<Vec<u64>> {
            let words = self.words(&format!("sys/devices/system/node/node{}/distance", node.os_index));
            let row: Vec<u64> = words.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
            (row.len() == nodes.len()).then_some(row)
        };
        let values = nodes.iter().map(row).collect::<Option<Vec<_>>>()?;
        (values.len() > 1).then_some(values)
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
        // For the core of 0 and 4, only 4 may be used. For that of 2 and 6, none may be used: it is no core for this process.
        assert_eq!(
            tree.system().node_cores(&[1, 3, 4, 5, 7]),
            [node(2, &[&[1, 5], &[4]]), memory_only, node(10, &[&[3, 7]])]
        );
    }

    #[test]
    fn a_system_without_facts_is_one_node_of_the_allowed_cpus() {
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
    fn every_allowed_cpu_of_this_host_is_on_one_core() {
        let allowed = crate::affinity::allowed().expect("Linux tells");
        let nodes = System::host().node_cores(&allowed);
        let mut found: Vec<u32> = nodes.into_iter().flat_map(|node| node.cores).flatten().collect();
        found.sort_unstable();
        assert_eq!(found, allowed);
    }

    #[test]
    fn nodes_have_one_cpu_per_core_memory_and_distances() {
        let tree = Tree::new(&[
            ("proc/sys/kernel/hostname", "box\n"),
            ("sys/devices/system/node/node0/cpulist", "0-3\n"),
            ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 4 kB\nNode 0 MemFree: 2 kB\n"),
            ("sys/devices/system/node/node0/distance", "10 14\n"),
            ("sys/devices/system/node/node1/cpulist", "\n"),
            ("sys/devices/system/node/node1/distance", "14 10\n"),
        ]);
        for cpu in 0..4 {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            tree.write(&path, &format!("{},{}\n", cpu % 2, cpu % 2 + 2));
        }
        let host = tree.system().topology(&[0, 1, 2, 3]);
        assert_eq!(host.name, "box");
        assert_eq!((host.nodes[0].cores, host.nodes[0].memory_bytes), (2, Some(4096)));
        assert_eq!(host.nodes[0].cpus.as_ref().map(ToString::to_string), Some("0-1".to_owned()));
        assert_eq!((host.nodes[1].cores, &host.nodes[1].cpus), (0, &None));
        assert_eq!(host.distances, Some(vec![vec![10, 14], vec![14, 10]]));
    }

    #[test]
    fn cores_that_share_an_l3_cache_are_together() {
        let tree = Tree::new(&[("sys/devices/system/node/node0/cpulist", "0-7\n")]);
        for cpu in 0..8 {
            tree.write(&siblings(cpu), &format!("{},{}\n", cpu % 4, cpu % 4 + 4));
            let cache = format!("sys/devices/system/cpu/cpu{cpu}/cache");
            tree.write(&format!("{cache}/index0/level"), "1\n");
            tree.write(&format!("{cache}/index3/level"), "3\n");
            let first = cpu % 2;
            let sharing = format!("{first},{},{},{}\n", first + 2, first + 4, first + 6);
            tree.write(&format!("{cache}/index3/shared_cpu_list"), &sharing);
        }
        let host = tree.system().topology(&(0..8).collect::<Vec<_>>());
        let lists = [&host.nodes[0].cpus, &host.nodes[0].second_cpus];
        let lists = lists.map(|list| list.as_ref().map(ToString::to_string));
        assert_eq!(lists, [Some("0,2,1,3".to_owned()), Some("4,6,5,7".to_owned())]);
        assert_eq!(host.cores_per_l3(&host.nodes[0]), Some(2));
        // Without one core of the second domain they are not equal.
        let fewer = tree.system().topology(&[0, 1, 2]);
        assert_eq!(fewer.cores_per_l3(&fewer.nodes[0]), None);
        assert!(fewer.unequal_l3().is_some());
    }

    #[test]
    fn nodes_without_memory_have_cores_and_empty_ones_are_omitted() {
        let memory =
            |node: u32, kb: u32| format!("Node {node} MemTotal: {kb} kB\nNode {node} MemFree: 0 kB\n");
        let tree = Tree::new(&[]);
        for (node, cpus, kb) in [(0, "0", 4), (1, "", 0), (2, "1", 0)] {
            tree.write(&format!("sys/devices/system/node/node{node}/cpulist"), cpus);
            tree.write(&format!("sys/devices/system/node/node{node}/meminfo"), &memory(node, kb));
            tree.write(&format!("sys/devices/system/node/node{node}/distance"), "10 11 12");
        }
        let host = tree.system().topology(&[0, 1]);
        let nodes: Vec<_> = host.nodes.iter().map(|node| (node.os_index, node.without_memory())).collect();
        assert_eq!(nodes, [(0, false), (2, true)]);
        assert_eq!(host.distances, Some(vec![vec![10, 12], vec![10, 12]]));
    }

    #[test]
    fn a_system_without_facts_is_one_node_without_memory_or_distances() {
        let host = Tree::new(&[]).system().topology(&[0, 1]);
        assert_eq!((host.nodes.len(), host.nodes[0].cores, host.distances), (1, 2, None));
        assert_eq!(host.name, "this host");
    }
}
