//! Checks that the nodes have enough free memory, before anything is touched.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use numasim_model::cpus::{CpuList, ranges};

use crate::memory::MemoryError;

const NODES: &str = "/sys/devices/system/node";

/// Returns an error if a node has less free memory than `wanted` (bytes by node number of the operating system), if the process may not use
/// the node, or if a limit on the process is lower. Strictly bound data gets no memory from other nodes: the operating system would kill
/// the program.
///
/// # Errors
/// [`MemoryError::NoSuchNode`], [`MemoryError::NotEnoughMemory`], [`MemoryError::MemoryLimit`].
pub fn refuse_if_short(wanted: &BTreeMap<u32, u64>) -> Result<(), MemoryError> {
    let usable = usable_nodes();
    for (&os_node, &wanted_bytes) in wanted {
        if !usable.contains(&os_node) {
            return Err(MemoryError::NoSuchNode { os_node, usable: format!("node {}", ranges(&usable)) });
        }
        // If the kernel does not report free memory, there is no check here; pages are still verified afterwards.
        if let Some(free_bytes) = memory_of(os_node).map(left)
            && free_bytes < wanted_bytes
        {
            return Err(MemoryError::NotEnoughMemory { os_node, free_bytes, wanted_bytes });
        }
    }
    refuse_if_lower(wanted.values().sum())
}

/// The memory that may be used: some is left for the rest of the machine, at least 64 MiB, and never below the kernel's own reserves.
fn left(memory: MemInfo) -> u64 {
    memory.free.saturating_sub((memory.total / 50).max(64 << 20))
}

fn memory_of(os_node: u32) -> Option<MemInfo> {
    let of_node = fs::read_to_string(format!("{NODES}/node{os_node}/meminfo")).ok();
    // A kernel without NUMA support: one node, the machine.
    let text = of_node.or_else(|| fs::read_to_string("/proc/meminfo").ok())?;
    parse(&text)
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

const GROUPS: &str = "/sys/fs/cgroup";

/// Returns an error if a limit on this process leaves less than `wanted_bytes`.
pub(super) fn refuse_if_lower(wanted_bytes: u64) -> Result<(), MemoryError> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    match tightest(Path::new(GROUPS), &own) {
        Some((free_bytes, place)) if free_bytes < wanted_bytes => {
            Err(MemoryError::MemoryLimit { limit: place.display().to_string(), free_bytes, wanted_bytes })
        }
        _ => Ok(()),
    }
}

/// The smallest remainder of any limit of the process's group and its ancestors, and the file of the limit.
fn tightest(root: &Path, own: &str) -> Option<(u64, PathBuf)> {
    // Version 2: `0::/path`. Version 1 has a path for each kind of resource.
    let groups = own.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (kind, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        if kind.is_empty() {
            Some((root.to_owned(), path, "memory.max", "memory.current"))
        } else if kind.split(',').any(|kind| kind == "memory") {
            Some((root.join("memory"), path, "memory.limit_in_bytes", "memory.usage_in_bytes"))
        } else {
            None
        }
    });
    let limits = groups.flat_map(|(top, path, limit, used)| {
        let group = top.join(path);
        let around: Vec<PathBuf> =
            group.ancestors().take_while(|group| group.starts_with(&top)).map(Path::to_owned).collect();
        around.into_iter().filter_map(move |group| {
            let number = |file: &str| fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
            let (most, used) = (number(limit)?, number(used)?); // `max` is not a number: no limit
            Some((most.saturating_sub(used.saturating_sub(files(&group))), group.join(limit)))
        })
    });
    limits.min_by_key(|(free, _)| *free)
}

/// Cached files that count as used, but can be dropped for data.
fn files(group: &Path) -> u64 {
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let kinds = ["active_file ", "inactive_file "];
    let of = |line: &str| kinds.iter().find_map(|kind| line.strip_prefix(kind)?.trim().parse::<u64>().ok());
    stat.lines().filter_map(of).sum()
}

/// The contents of a `meminfo` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemInfo {
    /// Total memory, in bytes.
    pub(crate) total: u64,
    /// Memory available for new data: free pages, and cached files, which the kernel drops for it. In bytes.
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
    // Pages that are not yet on disk cannot be dropped immediately.
    let busy: u64 = ["Dirty", "Writeback"].iter().filter_map(|key| bytes(key)).sum();
    let free = bytes("MemFree")?.checked_add(files.saturating_sub(busy))?;
    Some(MemInfo { total: bytes("MemTotal")?, free })
}

/// A transparent huge page of x86-64 and of aarch64 with small pages of 4 KiB.
const HUGE_PAGE: u64 = 2 << 20;

/// Mappings of this process with their huge pages, read once for all buffers: reading walks all page tables.
#[derive(Clone, Debug)]
pub struct HugePages(Vec<(Range<usize>, u64)>);

impl HugePages {
    /// For this process, now; `None` if the system does not report it.
    #[cfg(target_os = "linux")]
    pub fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/self/smaps").ok()?)
    }

    /// Reads the text of `smaps`; `None` if no mapping has the line `AnonHugePages`.
    fn parse(smaps: &str) -> Option<Self> {
        let mut found: Vec<(Range<usize>, u64)> = Vec::new();
        let mut known = false;
        for line in smaps.lines() {
            if let Some(size) = line.strip_prefix("AnonHugePages:") {
                let kib: u64 = size.split_whitespace().next()?.parse().ok()?;
                found.last_mut()?.1 = kib.checked_mul(1024)?;
                known = true;
            } else if let Some(addresses) = addresses(line) {
                found.push((addresses, 0));
            }
        }
        known.then_some(Self(found))
    }

    /// Bytes at these addresses in huge pages.
    pub fn bytes(&self, addresses: &Range<usize>) -> u64 {
        let inside = |at: &Range<usize>| at.start >= addresses.start && at.end <= addresses.end;
        self.0.iter().filter(|(at, _)| inside(at)).map(|(_, bytes)| bytes).sum()
    }

    /// Share of these addresses in huge pages, 0 to 1.
    pub fn share(&self, addresses: &Range<usize>) -> f64 {
        self.bytes(addresses) as f64 / (addresses.end - addresses.start).max(1) as f64
    }

    /// Number of page faults when memory at these addresses is touched for the first time: one for each of its pages, huge ones and small
    /// ones of `page` bytes.
    pub fn first_touches(&self, addresses: &Range<usize>, page: usize) -> u64 {
        let (huge, all) = (self.bytes(addresses), (addresses.end - addresses.start) as u64);
        huge / HUGE_PAGE + all.saturating_sub(huge).div_ceil(page.max(1) as u64)
    }
}

/// `7f00-7f80 rw-p 00000000 00:00 0`.
fn addresses(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
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
    fn too_much_memory_is_rejected_with_both_numbers() {
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
    fn a_nonexistent_node_is_named_with_the_existing_ones() {
        let message = refuse_if_short(&[(900, 4096)].into()).expect_err("no machine has it").to_string();
        assert!(message.starts_with("there is no memory on node 900"), "{message}");
        assert!(message.ends_with(&format!("node {}", ranges(&usable_nodes()))), "{message}");
    }
}

#[cfg(test)]
mod limit_tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).expect("a temporary folder");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("a temporary file");
        }
    }

    #[test]
    fn the_tightest_limit_around_the_process_counts() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let job = root.path().join("slurm/job_7");
        write(&root.path().join("slurm"), &[("memory.max", "5000\n"), ("memory.current", "4500\n")]);
        write(&job, &[("memory.max", "max\n"), ("memory.current", "4500\n")]);
        // 5000 - 4500 = 500 above the job; the job itself has no limit.
        let expected = (500, root.path().join("slurm/memory.max"));
        assert_eq!(tightest(root.path(), "0::/slurm/job_7\n"), Some(expected));
        // 1000 - (900 - 300 - 200) = 600 is not tighter; with 600 - 400 = 200 it is.
        write(&job, &[("memory.max", "1000\n"), ("memory.current", "900\n")]);
        write(&job, &[("memory.stat", "anon 400\nactive_file 300\ninactive_file 200\n")]);
        assert_eq!(tightest(root.path(), "0::/slurm/job_7\n").map(|(free, _)| free), Some(500));
        write(&job, &[("memory.max", "600\n")]);
        assert_eq!(tightest(root.path(), "0::/slurm/job_7\n").map(|(free, _)| free), Some(200));
    }

    #[test]
    fn version_1_has_separate_files() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let files = [("memory.limit_in_bytes", "900\n"), ("memory.usage_in_bytes", "100\n")];
        write(&root.path().join("memory/box"), &files);
        let own = "5:cpu,cpuacct:/other\n4:memory:/box\n";
        assert_eq!(tightest(root.path(), own).map(|(free, _)| free), Some(800));
    }

    #[test]
    fn a_missing_limit_does_not_apply() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(tightest(root.path(), "0::/\n"), None);
        assert_eq!(tightest(root.path(), ""), None);
    }
}

#[cfg(test)]
mod meminfo_tests {
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
    fn a_file_without_both_values_is_not_a_meminfo() {
        assert_eq!(parse(""), None);
        assert_eq!(parse("MemTotal: 5 kB\n"), None);
        assert_eq!(parse("MemTotal: 5 kB\nMemFree: lots\n"), None);
    }
}

#[cfg(test)]
mod huge_tests {
    use super::*;

    const SMAPS: &str = "00400000-00800000 rw-p 00000000 00:00 0 \nSize:               4096 kB\n\
                         AnonHugePages:      2048 kB\nVmFlags: rd wr\n\
                         00800000-00c00000 rw-p 00000000 00:00 0 \nAnonHugePages:      4096 kB\n\
                         7f0000000000-7f0000001000 ---p 00000000 00:00 0 \nAnonHugePages:         0 kB\n";

    #[test]
    fn huge_pages_are_summed_over_the_mappings_inside() {
        let pages = HugePages::parse(SMAPS).expect("has the line");
        // 2 of 4 MiB, then 6 of 8 MiB over both.
        assert_eq!(pages.share(&(0x40_0000..0x80_0000)), 0.5);
        assert_eq!(pages.share(&(0x40_0000..0xc0_0000)), 0.75);
        assert_eq!(pages.share(&(0x100_0000..0x200_0000)), 0.0);
        // 4 MiB: a huge page, and 2 MiB of 4096 bytes. 8 MiB: three huge pages, and 512 small ones.
        assert_eq!(pages.first_touches(&(0x40_0000..0x80_0000), 4096), 1 + 512);
        assert_eq!(pages.first_touches(&(0x40_0000..0xc0_0000), 4096), 3 + 512);
    }

    #[test]
    fn a_kernel_without_huge_pages_reports_nothing() {
        assert!(HugePages::parse("00400000-00800000 rw-p 00000000 00:00 0 \nSize: 4 kB\n").is_none());
        assert!(HugePages::parse("").is_none());
    }
}
