//! `/proc/PID/numa_maps`: the nodes of the pages of a process (proc(5), Documentation/filesystems/proc.rst).
//!
//! A line is a mapping: address, memory policy, then words such as `heap`, `file=/lib/libc.so`, `N0=512`
//! (pages on node 0) and `kernelpagesize_kB=4`. Data is the memory with which a program computes: anonymous
//! memory, heap, stack, memory shared by processes (`/dev/shm`, System V, memfd, huge pages), and mapped
//! files that are neither programs nor libraries (module `mapped`). Programs and libraries are excluded.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use numasim_study::Problem;

use crate::formats::lines::{Line, lines, nothing};
use numasim_study::csv::shown;

/// Page size of a line without one, in kB: kernels before 3.13.
const OLD_PAGE_KB: u64 = 4;
/// The same for huge pages, as on x86.
const OLD_HUGE_PAGE_KB: u64 = 2048;
/// Largest number that is accepted as a node.
const MOST_NODES: u32 = 4096;

/// The nodes of the pages of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// Bytes of data on each node, by the number of the operating system.
    pub data: BTreeMap<u32, u64>,
    /// Bytes of data by memory policy: `default`, `interleave:0-3`.
    pub policies: BTreeMap<String, u64>,
    /// Mapped files that count as data: a part of `data`.
    pub mapped: Files,
    /// Programs and libraries, which are excluded.
    pub code: Files,
    /// The part of `data` that other processes may also list, by its identity: bytes on each node. A named
    /// file is one object at any address; memory without a unique name is identified by its address, which a
    /// child process inherits.
    pub shared: BTreeMap<String, BTreeMap<u32, u64>>,
    /// Whether some lines had no page size, and were counted with pages of 4 kB, huge ones of 2 MB.
    pub old_pages: bool,
}

impl Pages {
    /// All data, in bytes.
    pub fn bytes(&self) -> u64 {
        self.data.values().fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// The excluded share of the resident pages, 0 to 1.
    pub fn left_out(&self) -> f64 {
        let code = self.code.bytes as f64;
        if code > 0.0 { code / (code + self.bytes() as f64) } else { 0.0 }
    }

    /// The share of the data with an interleave policy, 0 to 1; 0 without data.
    pub fn interleaved_by_policy(&self) -> f64 {
        let asked = self.policies.iter().filter(|(policy, _)| policy.contains("interleave"));
        let bytes: f64 = asked.map(|(_, &bytes)| bytes as f64).sum();
        if self.bytes() == 0 { 0.0 } else { bytes / self.bytes() as f64 }
    }
}

/// Reads `numa_maps`.
///
/// # Errors
/// A line that is not a mapping, a duplicate mapping, or a text without any page of data.
pub fn read_numa_maps(text: &str) -> Result<Pages, Problem> {
    let mut mappings = Vec::new();
    let mut addresses = BTreeSet::new();
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        let mapping = mapping(line)?;
        if !addresses.insert(mapping.address) {
            let message = format!("the mapping at {:x} is there twice", mapping.address);
            return Err(line.problem(message).hint("give each process and each copy in a separate file"));
        }
        mappings.push(mapping);
    }
    if mappings.is_empty() {
        return Err(nothing(text, "/proc/PID/numa_maps", HINT));
    }
    let pages = pages(&mappings);
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

/// A line.
#[derive(Debug, Default)]
struct Mapping<'t> {
    address: u64,
    policy: String,
    file: Option<&'t str>,
    is_heap: bool,
    is_huge: bool,
    /// Whether some of its pages are copies that the process has written.
    has_own_pages: bool,
    /// Whether several processes map some of its pages.
    is_mapped_elsewhere: bool,
    /// Node and pages.
    nodes: Vec<(u32, u64)>,
    page_kb: Option<u64>,
}

impl Mapping<'_> {
    /// Bytes of a page.
    fn page_bytes(&self) -> u64 {
        let old = if self.is_huge { OLD_HUGE_PAGE_KB } else { OLD_PAGE_KB };
        self.page_kb.unwrap_or(old).saturating_mul(1024)
    }

    /// The identity of its pages in the lists of several processes; `None` for pages that are only in this
    /// list.
    fn shared(&self, role: Role) -> Option<String> {
        /// Names that many objects share.
        const NAMELESS: [&str; 4] = ["/dev/zero", "/SYSV00000000", "/memfd:", "/anon_hugepage"];
        match self.file {
            // Pages of a parent that no process has written since the fork.
            None => self.is_mapped_elsewhere.then(|| format!("{:x}", self.address)),
            Some(file) if NAMELESS.iter().any(|begin| file.starts_with(begin)) => {
                Some(format!("{file}@{:x}", self.address))
            }
            Some(file) => (role != Role::Code).then(|| file.to_owned()),
        }
    }
}

fn mapping(line: Line<'_>) -> Result<Mapping<'_>, Problem> {
    let mut words = line.text.split_whitespace().peekable();
    let word = words.next().unwrap_or_default();
    let Ok(address) = u64::from_str_radix(word, 16) else {
        return Err(line.problem(format!("'{}' is not the address of a mapping", shown(word))).hint(HINT));
    };
    let mut policy = Policy::default();
    while let Some(word) = words.next_if(|word| policy.goes_on_with(word)) {
        policy.push(word);
    }
    let Some(policy) = policy.finish() else {
        return Err(line.problem("this mapping has no memory policy").hint(HINT));
    };
    let mut mapping = Mapping { address, policy, ..Mapping::default() };
    for word in words {
        mapping.take(word, line)?;
    }
    Ok(mapping)
}

impl<'t> Mapping<'t> {
    fn take(&mut self, word: &'t str, line: Line<'_>) -> Result<(), Problem> {
        let Some((key, value)) = word.split_once('=') else {
            self.is_heap |= word == "heap";
            self.is_huge |= word == "huge";
            return Ok(());
        };
        let number = || {
            let whole = value.parse::<u64>().ok();
            whole.ok_or_else(|| line.problem(format!("'{}' is not a whole number", shown(value))).hint(HINT))
        };
        match key {
            "file" => self.file = Some(value),
            "anon" => self.has_own_pages = number()? > 0,
            "mapmax" => self.is_mapped_elsewhere = number()? > 1,
            "kernelpagesize_kB" => self.page_kb = Some(number()?).filter(|&size| size > 0),
            _ => {
                let digits = key.strip_prefix('N').unwrap_or_default();
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Ok(());
                }
                let node = digits.parse().ok().filter(|&node| node < MOST_NODES);
                let Some(node) = node else {
                    let message = format!("'{}' is no NUMA node: there are at most {MOST_NODES}", shown(key));
                    return Err(line.problem(message).hint(HINT));
                };
                self.nodes.push((node, number()?));
            }
        }
        Ok(())
    }
}

/// The sums of all mappings.
fn pages(mappings: &[Mapping<'_>]) -> Pages {
    let roles = roles(mappings);
    let mut pages = Pages::default();
    for (mapping, role) in mappings.iter().zip(roles) {
        let mut all = 0_u64;
        for &(node, count) in &mapping.nodes {
            let bytes = count.saturating_mul(mapping.page_bytes());
            all = all.saturating_add(bytes);
            if role != Role::Code {
                let sum = pages.data.entry(node).or_default();
                *sum = sum.saturating_add(bytes);
                let sum = pages.policies.entry(mapping.policy.clone()).or_default();
                *sum = sum.saturating_add(bytes);
                pages.old_pages |= mapping.page_kb.is_none();
            }
        }
        if let Some(object) = mapping.shared(role).filter(|_| role != Role::Code && all > 0) {
            let nodes = pages.shared.entry(object).or_default();
            for &(node, count) in &mapping.nodes {
                let sum = nodes.entry(node).or_default();
                *sum = sum.saturating_add(count.saturating_mul(mapping.page_bytes()));
            }
        }
        match (role, mapping.file) {
            (Role::Code, Some(file)) => pages.code.add(file, all),
            (Role::DataFile, Some(file)) => pages.mapped.add(file, all),
            _ => {}
        }
    }
    pages
}

// Distinguishes mapped data files from programs and libraries.
//
// `numa_maps` has names, but no permissions. A file through which processes share memory is data. A file is
// code if its name indicates that (`libm.so.6`, `/usr/bin/python3`), or if it is mapped in several pieces,
// like the segments of an ELF file, one of which is below the heap (where the kernel puts the program itself)
// or has pages that the process has written. Every other file is data that the program maps: weights of a
// model, a database, an index.

/// Mapped files and their resident bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Total size.
    pub bytes: u64,
    /// Size of each by its name.
    pub by_name: BTreeMap<String, u64>,
}

impl Files {
    fn add(&mut self, file: &str, bytes: u64) {
        if bytes == 0 {
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        let sum = self.by_name.entry(unescaped(file)).or_default();
        *sum = sum.saturating_add(bytes);
    }

    /// The name of the largest one, the first of equal ones.
    pub fn largest(&self) -> Option<&str> {
        let largest = self.by_name.iter().rev().max_by_key(|(_, bytes)| **bytes);
        largest.map(|(name, _)| name.as_str())
    }
}

/// The role of a mapping in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Memory of the program, or memory shared by processes.
    Memory,
    /// A mapped file that it computes with.
    DataFile,
    /// A program or a library.
    Code,
}

/// The role of each mapping.
fn roles(mappings: &[Mapping<'_>]) -> Vec<Role> {
    let code = programs(mappings);
    let role = |mapping: &Mapping<'_>| match mapping.file {
        None => Role::Memory,
        Some(file) if mapping.is_huge || is_shared_memory(file) => Role::Memory,
        Some(file) if code.contains(file) || is_named_like_code(file) => Role::Code,
        Some(_) => Role::DataFile,
    };
    mappings.iter().map(role).collect()
}

/// Files that are programs according to their mappings.
fn programs<'t>(mappings: &[Mapping<'t>]) -> BTreeSet<&'t str> {
    let heap = mappings.iter().find(|mapping| mapping.is_heap).map(|mapping| mapping.address);
    // Number of pieces, and whether one of them is typical only of programs.
    let mut pieces: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for mapping in mappings {
        let Some(file) = mapping.file else { continue };
        let (count, is_marked) = pieces.entry(file).or_default();
        *count += 1;
        *is_marked |= mapping.has_own_pages || heap.is_some_and(|heap| mapping.address < heap);
    }
    let programs = pieces.into_iter().filter(|(_, (count, is_marked))| *count > 1 && *is_marked);
    programs.map(|(file, _)| file).collect()
}

/// Names of deleted files end with an escaped ` (deleted)`.
fn is_shared_memory(file: &str) -> bool {
    const SHARED: [&str; 7] =
        ["/dev/shm/", "/run/shm/", "/SYSV", "/memfd:", "/dev/zero", "/anon_hugepage", "/dev/hugepages"];
    SHARED.iter().any(|begin| file.starts_with(begin))
}

fn is_named_like_code(file: &str) -> bool {
    const FOLDERS: [&str; 14] = [
        "/bin/",
        "/sbin/",
        "/lib/",
        "/lib32/",
        "/lib64/",
        "/usr/bin/",
        "/usr/sbin/",
        "/usr/lib/",
        "/usr/lib32/",
        "/usr/lib64/",
        "/usr/libexec/",
        "/usr/local/bin/",
        "/usr/local/lib/",
        "/usr/local/lib64/",
    ];
    const ENDINGS: [&str; 6] = [".so", ".jar", ".jsa", ".dll", ".exe", ".dylib"];
    let name = unescaped(file);
    let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
    FOLDERS.iter().any(|folder| name.starts_with(folder))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.rsplit('/').next().is_some_and(|name| name.contains(".so."))
        // The classes of a Java runtime.
        || name.ends_with("/lib/modules")
}

/// The original name: the kernel writes spaces, tabs, line ends and `=` as octal numbers.
fn unescaped(file: &str) -> String {
    const ESCAPED: [(&str, &str); 4] = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\075", "=")];
    ESCAPED.iter().fold(file.to_owned(), |name, (escaped, plain)| name.replace(escaped, plain))
}

// The memory policy of a mapping, in the format of `mpol_to_str` of the kernel (mm/mempolicy.c).
//
// A mode (`default`, `prefer`, `prefer (many)`, `bind`, `interleave`, `weighted interleave`, `local`),
// optional flags (`=static`, `=relative`, `=balancing`, `=static|balancing`), optional nodes (`:0-3,6`).

/// Modes, without the text after `prefer` and `weighted`.
const MODES: [&str; 6] = ["default", "prefer", "bind", "interleave", "weighted", "local"];

/// A policy while its words are read.
#[derive(Debug, Default)]
struct Policy(String);

impl Policy {
    /// Whether this word belongs to the policy: the first one does, and the second word of modes with two
    /// words.
    fn goes_on_with(&self, word: &str) -> bool {
        match self.0.as_str() {
            // A mode has no `=` except before its flags. Modes of later kernels have other names.
            "" => MODES.contains(&mode(word)) || !word.contains('='),
            "prefer" => word.starts_with("(many)"),
            "weighted" => mode(word) == "interleave",
            _ => false,
        }
    }

    fn push(&mut self, word: &str) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(word);
    }

    /// The policy, if there is one.
    fn finish(self) -> Option<String> {
        Some(self.0).filter(|policy| !policy.is_empty())
    }
}

/// The word without flags and nodes.
fn mode(word: &str) -> &str {
    word.split(['=', ':']).next().unwrap_or_default()
}
