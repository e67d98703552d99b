//! Memory: transparent huge pages, total and free memory of each node.

use super::{HugePages, NodeMemory, System};

impl System {
    /// The chosen word stands in brackets: `always [madvise] never`.
    pub(super) fn huge_pages(&self) -> Option<HugePages> {
        let words = self.words("sys/kernel/mm/transparent_hugepage/enabled");
        match words.iter().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))? {
            "always" => Some(HugePages::Always),
            "madvise" => Some(HugePages::Madvise),
            "never" => Some(HugePages::Never),
            _ => None,
        }
    }

    /// Total and free memory of each NUMA node now, ascending by number.
    pub fn node_memory(&self) -> Vec<NodeMemory> {
        const FOLDER: &str = "sys/devices/system/node";
        let number = |name: String| name.strip_prefix("node")?.parse::<u32>().ok();
        let read = |os_node: u32| {
            let text = self.text(&format!("{FOLDER}/node{os_node}/meminfo"))?;
            Some(NodeMemory {
                os_node,
                total_bytes: field(&text, "MemTotal:")?,
                free_bytes: field(&text, "MemFree:")?,
            })
        };
        let mut nodes: Vec<NodeMemory> =
            self.names(FOLDER).into_iter().filter_map(number).filter_map(read).collect();
        nodes.sort_by_key(|node| node.os_node);
        nodes
    }
}

/// The bytes after a key: `Node 0 MemTotal:       24684096 kB`, where kB are 1024 bytes.
fn field(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().any(|word| word == key))?;
    let number: u64 = line.split(key).nth(1)?.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}
