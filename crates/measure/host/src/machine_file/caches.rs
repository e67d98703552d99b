//! The last-level cache that each node has: `llc_mb`.

use crate::topology::{Cache, HostTopology};

/// Size of the last-level caches of each node with cores in MB (10^6 bytes), where all have the same: those of a node together,
/// as one node may have several, and several nodes may share one. `None` where the system tells too little.
pub fn llc_mb(host: &HostTopology) -> Option<f64> {
    let last = host.caches.iter().map(|cache| cache.level).max()?;
    let mut of_last = host.caches.iter().filter(|cache| cache.level == last);
    let (Some(cache), None) = (of_last.next(), of_last.next()) else { return None };
    // A cache of one core is no cache of a node.
    let Cache { bytes, cores: 2.., count, .. } = *cache else { return None };
    let nodes = host.nodes.iter().filter(|node| node.cores > 0).map(|node| node.cores);
    let (least, most) = (nodes.clone().min()?, nodes.clone().max()?);
    // Of nodes with different numbers of cores nobody knows which caches are theirs.
    (least == most).then(|| bytes as f64 * f64::from(count) / nodes.count() as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::HostNode;

    fn host(cores: &[u32], caches: &[Cache]) -> Option<f64> {
        let node = |&cores: &u32| HostNode { cores, ..HostNode::default() };
        let nodes = cores.iter().map(node).collect();
        llc_mb(&HostTopology { nodes, caches: caches.to_vec(), ..HostTopology::default() })
    }

    const L2: Cache = Cache { level: 2, bytes: 1 << 20, cores: 1, count: 16 };

    #[test]
    fn a_node_has_all_caches_of_its_dies_or_its_part_of_a_shared_one() {
        // Two dies with 8 MiB each on each of two nodes, the third node is memory only: 16 MiB are 16.777216 MB.
        let dies = Cache { level: 3, bytes: 8 << 20, cores: 4, count: 4 };
        assert_eq!(host(&[8, 8, 0], &[L2, dies]), Some(16.777_216));
        // One cache of 32 MiB for two nodes.
        let shared = Cache { level: 3, bytes: 32 << 20, cores: 16, count: 1 };
        assert_eq!(host(&[8, 8], &[L2, shared]), Some(16.777_216));
    }

    #[test]
    fn what_is_not_clear_is_not_said() {
        let l3 = Cache { level: 3, bytes: 8 << 20, cores: 8, count: 2 };
        assert_eq!(host(&[8, 8], &[]), None);
        assert_eq!(host(&[8, 8], &[L2]), None);
        assert_eq!(host(&[8, 4], &[L2, l3]), None);
        assert_eq!(host(&[8, 8], &[l3, Cache { bytes: 1 << 20, ..l3 }]), None);
    }
}
