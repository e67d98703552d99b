//! `/proc/PID/numa_maps`: on which node the pages of a process lie (proc(5), Documentation/filesystems/proc.rst).
//!
//! A line is a mapping: address, memory policy, then words such as `heap`, `file=/lib/libc.so`, `N0=512` (pages on node 0)
//! and `kernelpagesize_kB=4`. Data is what a program computes with: anonymous memory, heap, stack, and what processes share
//! (`/dev/shm`, System V, memfd, huge pages). Mapped files, programs and libraries are left out.

use std::collections::BTreeMap;

use numasim_model::input::Problem;

use crate::csv_rows::shown;
use crate::import::lines::{Line, lines, nothing};

/// Page size of a line that does not say it, in kB: kernels before 3.13.
const OLD_PAGE_KB: u64 = 4;
/// Greatest number of a node that is taken for one.
const MOST_NODES: u32 = 4096;
/// Words without a value that follow the policy.
const FLAGS: [&str; 3] = ["heap", "stack", "huge"];

/// Where the pages of a process lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// Bytes of data on each node, by the number of the operating system.
    pub data: BTreeMap<u32, u64>,
    /// Bytes of data by memory policy: `default`, `interleave:0-3`.
    pub policies: BTreeMap<String, u64>,
    /// Bytes of mapped files, programs and libraries, which are left out.
    pub files: u64,
    /// Some lines said no page size, and were counted with pages of 4 kB.
    pub old_pages: bool,
}

impl Pages {
    /// All data, in bytes.
    pub fn bytes(&self) -> u64 {
        self.data.values().fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// The share of the data that the kernel was asked to interleave, 0 to 1; 0 without data.
    pub fn interleaved_by_policy(&self) -> f64 {
        let asked = self.policies.iter().filter(|(policy, _)| policy.contains("interleave"));
        let bytes: f64 = asked.map(|(_, &bytes)| bytes as f64).sum();
        if self.bytes() == 0 { 0.0 } else { bytes / self.bytes() as f64 }
    }
}

/// Reads `numa_maps`.
///
/// # Errors
/// The line that is no mapping, and a text without any page of data.
pub fn read_numa_maps(text: &str) -> Result<Pages, Problem> {
    let mut pages = Pages::default();
    let mut mappings = 0_usize;
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        add(&mut pages, line)?;
        mappings += 1;
    }
    if mappings == 0 {
        return Err(nothing(text, "/proc/PID/numa_maps", HINT));
    }
    if pages.data.is_empty() {
        let problem = nothing(
            text,
            "a process with data",
            "look at a process that has begun its work; threads of the kernel have no data",
        );
        return Err(Problem { message: "no page of data is resident in this process".to_owned(), ..problem });
    }
    Ok(pages)
}

const HINT: &str = "copy it while the program runs: cat /proc/PID/numa_maps > numa_maps.txt";

fn add(pages: &mut Pages, line: Line<'_>) -> Result<(), Problem> {
    let mut words = line.text.split_whitespace();
    let address = words.next().unwrap_or_default();
    if u64::from_str_radix(address, 16).is_err() {
        return Err(line.problem(format!("'{}' is not the address of a mapping", shown(address))).hint(HINT));
    }
    let mut mapping = Mapping::default();
    for word in words {
        mapping.take(word, line)?;
    }
    if mapping.policy.is_empty() {
        return Err(line.problem("this mapping has no memory policy").hint(HINT));
    }
    let size = mapping.page_kb.unwrap_or(OLD_PAGE_KB).saturating_mul(1024);
    for &(node, count) in &mapping.nodes {
        let bytes = count.saturating_mul(size);
        if mapping.is_data() {
            let sum = pages.data.entry(node).or_default();
            *sum = sum.saturating_add(bytes);
            let sum = pages.policies.entry(mapping.policy.clone()).or_default();
            *sum = sum.saturating_add(bytes);
            pages.old_pages |= mapping.page_kb.is_none();
        } else {
            pages.files = pages.files.saturating_add(bytes);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Mapping<'t> {
    policy: String,
    file: Option<&'t str>,
    huge: bool,
    /// Node and pages.
    nodes: Vec<(u32, u64)>,
    page_kb: Option<u64>,
}

impl<'t> Mapping<'t> {
    fn take(&mut self, word: &'t str, line: Line<'_>) -> Result<(), Problem> {
        let Some((key, value)) = word.split_once('=') else {
            if self.policy.is_empty() || !FLAGS.iter().any(|flag| word.starts_with(flag)) {
                // `weighted interleave:0-1` and `prefer (many):0` are policies of two words.
                if !self.policy.is_empty() {
                    self.policy.push(' ');
                }
                self.policy.push_str(word);
            } else {
                self.huge |= word == "huge";
            }
            return Ok(());
        };
        let number = || {
            let whole = value.parse::<u64>().ok();
            whole.ok_or_else(|| line.problem(format!("'{}' is not a whole number", shown(value))).hint(HINT))
        };
        match key {
            "file" => self.file = Some(value),
            "kernelpagesize_kB" => self.page_kb = Some(number()?).filter(|&size| size > 0),
            _ => {
                let node = key.strip_prefix('N').and_then(|node| node.parse::<u32>().ok());
                if let Some(node) = node.filter(|&node| node < MOST_NODES) {
                    self.nodes.push((node, number()?));
                }
            }
        }
        Ok(())
    }

    /// Whether a program computes with it. Names of deleted files end with an escaped ` (deleted)`.
    fn is_data(&self) -> bool {
        const SHARED: [&str; 6] =
            ["/dev/shm/", "/SYSV", "/memfd:", "/dev/zero", "/anon_hugepage", "/dev/hugepages"];
        let shared = |file: &str| SHARED.iter().any(|begin| file.starts_with(begin));
        self.huge || self.file.is_none_or(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of the kernel's documentation (torvalds/linux, Documentation/filesystems/proc.rst) and, the last one, of a
    /// message to its mailing list (A. Ryabinin, "mm/mempolicy: fix THP allocations").
    const REAL: &str = "\
00400000 default file=/usr/local/bin/app mapped=1 active=0 N3=1 kernelpagesize_kB=4
3206000000 default file=/lib64/ld-2.12.so mapped=26 mapmax=6 N0=24 N3=2 kernelpagesize_kB=4
3206221000 default anon=1 dirty=1 N3=1 kernelpagesize_kB=4
320698b000 default file=/lib64/libc-2.12.so
7f4dc10a2000 default anon=3 dirty=3 N3=3 kernelpagesize_kB=4
7fff6303d000 default stack anon=3 dirty=3 N0=2 N3=1 kernelpagesize_kB=4
7fd970a00000 bind:0 file=/dev/shm/test dirty=524288 active=0 N0=396800 N1=127488 kernelpagesize_kB=4
";

    #[test]
    fn data_is_what_is_anonymous_or_shared() {
        let pages = read_numa_maps(REAL).expect("real lines");
        // Node 0: 2 of the stack and 396,800 shared; node 3: 1 + 3 + 1. Files: 1 + 24 + 2.
        let kb4 = 4096;
        assert_eq!(pages.data, BTreeMap::from([(0, 396_802 * kb4), (1, 127_488 * kb4), (3, 5 * kb4)]));
        assert_eq!(pages.files, 27 * kb4);
        assert_eq!(
            pages.policies,
            BTreeMap::from([("bind:0".into(), 524_288 * kb4), ("default".into(), 7 * kb4)])
        );
        assert!(!pages.old_pages);
    }

    #[test]
    fn copies_of_real_processes_are_read() {
        let read = |text: &str| read_numa_maps(text).expect("a real copy").data;
        let migrated = read(include_str!("../../../../tests/profile_app/numa_maps-migrated.txt"));
        assert_eq!(migrated, BTreeMap::from([(0, 18_602 * 4096), (1, 6_998 * 4096)]));
        let kernel = read(include_str!("../../../../tests/profile_app/numa_maps-kernel-doc.txt"));
        assert_eq!(kernel, BTreeMap::from([(3, 4096)]), "one anonymous page beside files");
        let own = read(include_str!("../../../../tests/profile_app/numa_maps-one-node.txt"));
        assert_eq!(own.len(), 1);
    }

    #[test]
    fn huge_pages_count_with_their_size_and_policies_may_have_two_words() {
        let text = "7f00 weighted interleave:0-1 file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N0=2 N1=1 kernelpagesize_kB=2048\n\
                    7f10 default heap anon=1 N0=1\n";
        let pages = read_numa_maps(text).expect("in order");
        assert_eq!(pages.data, BTreeMap::from([(0, 2 * (2 << 20) + 4096), (1, 2 << 20)]));
        // 6 of 6.004 MiB were asked to be interleaved.
        assert!((pages.interleaved_by_policy() - 6144.0 / 6148.0).abs() < 1e-12);
        assert!(pages.old_pages, "the heap says no page size");
    }

    #[test]
    fn what_is_no_mapping_is_shown_with_its_line() {
        for (text, said) in [
            ("", "the file is empty"),
            ("7f00 default anon=1 N0=1\nCPU name: x\n", "'CPU' is not the address of a mapping"),
            ("7f00\n", "this mapping has no memory policy"),
            ("7f00 default N0=x\n", "'x' is not a whole number"),
            (
                "7f00 default file=/bin/true mapped=3 N0=3 kernelpagesize_kB=4\n",
                "no page of data is resident in this process",
            ),
        ] {
            assert_eq!(read_numa_maps(text).expect_err("refused").message, said);
        }
    }
}
