//! Is there enough free memory on the nodes, before anything is touched?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use numasim_model::cpus::{CpuList, ranges};

use super::MemoryError;
use super::limit;
use super::meminfo::{self, MemInfo};

const NODES: &str = "/sys/devices/system/node";

/// Refuses if a node has less free memory than `wanted` says (bytes by the operating system's number of the node), or
/// the process may not use it, or a limit on the process is lower. Data that is bound strictly gets no memory from
/// elsewhere: the kernel would kill the program.
///
/// # Errors
/// [`MemoryError::NoSuchNode`], [`MemoryError::NotEnoughMemory`], [`MemoryError::MemoryLimit`].
pub fn refuse_if_short(wanted: &BTreeMap<u32, u64>) -> Result<(), MemoryError> {
    let usable = usable_nodes();
    for (&os_node, &wanted_bytes) in wanted {
        if !usable.contains(&os_node) {
            return Err(MemoryError::NoSuchNode { os_node, usable: format!("node {}", ranges(&usable)) });
        }
        // A kernel that does not tell cannot be asked; pages are still verified afterwards.
        if let Some(free_bytes) = memory_of(os_node).map(left)
            && free_bytes < wanted_bytes
        {
            return Err(MemoryError::NotEnoughMemory { os_node, free_bytes, wanted_bytes });
        }
    }
    limit::refuse_if_lower(wanted.values().sum())
}

/// What may be taken: some is left for the rest of the machine, 64 MiB at least, and never below the kernel's own
/// reserves.
fn left(memory: MemInfo) -> u64 {
    memory.free.saturating_sub((memory.total / 50).max(64 << 20))
}

fn memory_of(os_node: u32) -> Option<MemInfo> {
    let of_node = fs::read_to_string(format!("{NODES}/node{os_node}/meminfo")).ok();
    // A kernel without NUMA support: one node, the machine.
    let text = of_node.or_else(|| fs::read_to_string("/proc/meminfo").ok())?;
    meminfo::parse(&text)
}

/// Nodes with memory that this process may use; node 0 alone on a kernel without NUMA support.
pub(super) fn usable_nodes() -> Vec<u32> {
    let list = |text: &str| CpuList::parse(text).ok().map(|list| list.as_slice().to_vec());
    let with_memory =
        fs::read_to_string(Path::new(NODES).join("has_memory")).ok().and_then(|text| list(&text));
    let Some(mut nodes) = with_memory else { return vec![0] };
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"));
    if let Some(allowed) = allowed.and_then(list) {
        nodes.retain(|node| allowed.contains(node));
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fiftieth_stays_free_and_at_least_64_mib() {
        let gib = 1 << 30;
        assert_eq!(left(MemInfo { total: gib, free: gib / 2 }), gib / 2 - (64 << 20));
        assert_eq!(left(MemInfo { total: 100 * gib, free: 10 * gib }), 8 * gib);
        assert_eq!(left(MemInfo { total: gib, free: 1 << 20 }), 0);
    }

    #[test]
    fn more_than_a_node_has_is_refused_with_both_numbers() {
        let node = usable_nodes()[0];
        assert!(refuse_if_short(&[(node, 1 << 20)].into()).is_ok());
        match refuse_if_short(&[(node, 1 << 50)].into()) {
            Err(MemoryError::NotEnoughMemory { os_node, free_bytes, wanted_bytes }) => {
                assert_eq!((os_node, wanted_bytes), (node, 1 << 50));
                assert!(free_bytes > 0 && free_bytes < 1 << 50, "{free_bytes}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_node_that_does_not_exist_is_named_with_those_that_do() {
        let message = refuse_if_short(&[(900, 4096)].into()).expect_err("no machine has it").to_string();
        assert!(message.starts_with("there is no memory on node 900"), "{message}");
        assert!(message.ends_with(&format!("node {}", ranges(&usable_nodes()))), "{message}");
    }
}
