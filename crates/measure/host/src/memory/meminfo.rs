//! Reading the kernel's `meminfo`, of a node or of the machine.

/// What a `meminfo` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemInfo {
    /// All memory, in bytes.
    pub(crate) total: u64,
    /// What new data can have: free pages, and files in memory, which the kernel drops for it. In bytes.
    pub(crate) free: u64,
}

/// Reads `/sys/devices/system/node/node*/meminfo` or `/proc/meminfo`; `None` if it is something else.
pub(crate) fn parse(text: &str) -> Option<MemInfo> {
    let bytes = |key: &str| -> Option<u64> {
        text.lines().find_map(|line| {
            // `Node 0 MemFree:  123 kB` and `MemFree:  123 kB`.
            let (before, after) = line.split_once(':')?;
            let named = before.split_whitespace().next_back() == Some(key);
            let number = after.split_whitespace().next().filter(|_| named)?;
            number.parse::<u64>().ok()?.checked_mul(1024)
        })
    };
    let files: u64 = ["Active(file)", "Inactive(file)"].iter().filter_map(|key| bytes(key)).sum();
    // Pages that are not yet on disk cannot be dropped at once.
    let busy: u64 = ["Dirty", "Writeback"].iter().filter_map(|key| bytes(key)).sum();
    let free = bytes("MemFree")?.checked_add(files.saturating_sub(busy))?;
    Some(MemInfo { total: bytes("MemTotal")?, free })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_counts_files_that_can_be_dropped() {
        let node = "Node 1 MemTotal:       1000 kB\nNode 1 MemFree:         100 kB\n\
                    Node 1 MemUsed:         900 kB\nNode 1 Active(file):     50 kB\n\
                    Node 1 Inactive(file):   30 kB\nNode 1 Dirty:            20 kB\n";
        // 100 + 50 + 30 - 20 = 160 kB.
        let expected = MemInfo { total: 1000 << 10, free: 160 << 10 };
        assert_eq!(parse(node), Some(expected));
        assert_eq!(parse(&node.replace("Node 1 ", "")), Some(expected));
    }

    #[test]
    fn a_file_without_the_two_figures_is_no_meminfo() {
        assert_eq!(parse(""), None);
        assert_eq!(parse("MemTotal: 5 kB\n"), None);
        assert_eq!(parse("MemTotal: 5 kB\nMemFree: lots\n"), None);
    }
}
