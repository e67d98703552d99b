//! How much memory the nodes have: `memory_gib`.

use numasim_study::keys::machine;
use numasim_study::writing::Lines;

use crate::topology::{HostNode, HostTopology};

/// Memories are alike where the smallest has at least this share of the largest: firmware and kernel take a little of each.
const ALIKE: f64 = 0.9;

/// What a machine file says of all nodes together.
pub(super) enum Memory {
    /// Somebody's memory is not known: comment only, or nothing where nobody's is.
    Unknown(Option<String>),
    /// The same for each.
    Each(String),
    /// Nearly the same: the smallest, and all of them.
    Nearly(String, Vec<String>),
    /// One by one.
    Different,
}

/// Bytes in GiB, rounded down to two digits, so that nobody counts on more than there is; `None` below that.
pub fn memory_gib(bytes: u64) -> Option<String> {
    let hundredths = (u128::from(bytes) * 100) >> 30;
    (hundredths > 0).then(|| format!("{}.{:02}", hundredths / 100, hundredths % 100))
}

/// How the memories of a host compare.
pub(super) fn of(host: &HostTopology) -> Memory {
    let bytes: Vec<u64> = host.nodes.iter().map(|node| node.memory_bytes.unwrap_or(0)).collect();
    if host.nodes.iter().any(HostNode::without_memory) {
        return Memory::Different;
    }
    let gib: Option<Vec<String>> = bytes.iter().map(|&bytes| memory_gib(bytes)).collect();
    let (Some(&least), Some(&most)) = (bytes.iter().min(), bytes.iter().max()) else {
        return Memory::Unknown(None);
    };
    match gib {
        None if most == 0 => Memory::Unknown(None),
        None => {
            let shown = bytes.iter().map(|&bytes| memory_gib(bytes).unwrap_or_else(|| "?".into()));
            Memory::Unknown(Some(shown.collect::<Vec<_>>().join(", ")))
        }
        Some(gib) if gib.iter().all(|one| *one == gib[0]) => Memory::Each(gib[0].clone()),
        Some(gib) if least as f64 >= ALIKE * most as f64 => {
            Memory::Nearly(memory_gib(least).unwrap_or_default(), gib)
        }
        Some(_) => Memory::Different,
    }
}

impl Memory {
    /// Writes the line for the short form of a machine.
    pub(super) fn write(&self, lines: &mut Lines) {
        let key = &machine::MEMORY_GIB;
        match self {
            Self::Each(gib) => lines.put(key, gib),
            Self::Nearly(least, all) => {
                lines.put(key, format_args!("{least}  # the smallest; node by node: {}", all.join(", ")));
            }
            Self::Unknown(Some(all)) => lines.comment(format_args!("{}, node by node: {all}", key.name)),
            Self::Unknown(None) | Self::Different => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gibibytes_are_rounded_down() {
        // 64 GB are 59.604 GiB.
        assert_eq!(memory_gib(64_000_000_000).as_deref(), Some("59.60"));
        assert_eq!(memory_gib(3 << 29).as_deref(), Some("1.50"));
        assert_eq!((memory_gib(u64::MAX).as_deref(), memory_gib(1 << 20)), (Some("17179869183.99"), None));
    }

    #[test]
    fn cores_without_memory_are_written_node_by_node() {
        let mut host = HostTopology::from_cores("box", &[1, 1]);
        host.nodes[1].memory_bytes = Some(0);
        assert!(matches!(of(&host), Memory::Different));
    }

    #[test]
    fn memories_that_differ_a_little_are_the_smallest_and_much_are_one_by_one() {
        let line = |gib: &[u64]| {
            let mut host = HostTopology::from_cores("box", &vec![1; gib.len()]);
            for (node, gib) in host.nodes.iter_mut().zip(gib) {
                node.memory_bytes = Some(gib << 30).filter(|&bytes| bytes > 0);
            }
            let found = of(&host);
            let mut lines = Lines::default();
            found.write(&mut lines);
            (lines.text(), matches!(found, Memory::Different))
        };
        assert_eq!(line(&[64, 64]), ("memory_gib = 64.00\n".into(), false));
        let nearly = "memory_gib = 62.00  # the smallest; node by node: 62.00, 64.00\n";
        assert_eq!(line(&[62, 64]), (nearly.into(), false));
        assert_eq!(line(&[32, 64]), (String::new(), true));
        assert_eq!(line(&[0, 64]), ("# memory_gib, node by node: ?, 64.00\n".into(), false));
        assert_eq!(line(&[0, 0]), (String::new(), false));
    }
}
