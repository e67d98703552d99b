//! The topology of the host from `/sys`, without hwloc: nodes, cores, memory and distances; no caches and no sockets.

use numasim_model::cpus::CpuList;

use super::System;
use crate::topology::{Distances, HostNode, HostTopology};

impl System {
    /// Nodes with the cores of which any processor is `allowed` ([`crate::affinity::allowed`]), the first such processor of
    /// each; memory and distances of the nodes, as far as the system tells them.
    pub fn topology(&self, allowed: &[u32]) -> HostTopology {
        let memory = self.node_memory();
        let nodes: Vec<HostNode> = self
            .node_cores(allowed)
            .into_iter()
            .map(|node| HostNode {
                os_index: node.number,
                cores: u32::try_from(node.cores.len()).unwrap_or(u32::MAX),
                cpus: CpuList::new(node.cores.iter().filter_map(|core| core.first().copied()).collect()).ok(),
                memory_bytes: memory
                    .iter()
                    .find(|memory| memory.os_node == node.number)
                    .map(|memory| memory.total_bytes),
                ..HostNode::default()
            })
            .collect();
        let name = self.line("proc/sys/kernel/hostname").unwrap_or_else(|| "this host".to_owned());
        let distances = self.distances(&nodes);
        // Nothing to place is on a node with neither cores nor memory.
        let kept: Vec<bool> =
            nodes.iter().map(|node| node.cores > 0 || node.memory_bytes != Some(0)).collect();
        let nodes: Vec<HostNode> =
            nodes.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(node, _)| node).collect();
        let of_kept = |row: Vec<u64>| {
            row.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell).collect()
        };
        let distances = distances.map(|distances| Distances {
            values: distances
                .values
                .into_iter()
                .zip(&kept)
                .filter(|(_, kept)| **kept)
                .map(|(row, _)| of_kept(row))
                .collect(),
        });
        let distances = distances.filter(|_| nodes.len() > 1);
        HostTopology { distances, ..HostTopology::from_nodes(name, "/sys of this host", nodes) }
    }

    /// `None` unless every node has a distance to each.
    fn distances(&self, nodes: &[HostNode]) -> Option<Distances> {
        let row = |node: &HostNode| -> Option<Vec<u64>> {
            let words = self.words(&format!("sys/devices/system/node/node{}/distance", node.os_index));
            let row: Vec<u64> = words.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
            (row.len() == nodes.len()).then_some(row)
        };
        let values = nodes.iter().map(row).collect::<Option<Vec<_>>>()?;
        (values.len() > 1).then_some(Distances { values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tree;

    #[test]
    fn nodes_have_the_first_processor_of_each_core_their_memory_and_distances() {
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
        assert_eq!(host.distances, Some(Distances { values: vec![vec![10, 14], vec![14, 10]] }));
    }

    #[test]
    fn nodes_without_memory_have_cores_and_empty_ones_are_left_out() {
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
        assert_eq!(host.distances, Some(Distances { values: vec![vec![10, 12], vec![10, 12]] }));
    }

    #[test]
    fn a_system_that_tells_nothing_is_one_node_without_memory_or_distances() {
        let host = Tree::new(&[]).system().topology(&[0, 1]);
        assert_eq!((host.nodes.len(), host.nodes[0].cores, host.distances), (1, 2, None));
        assert_eq!(host.name, "this host");
    }
}
