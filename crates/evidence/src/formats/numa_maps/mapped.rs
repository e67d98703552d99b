//! Which mapped files are data, and which are programs and libraries.
//!
//! `numa_maps` has names, and no permissions. A file that processes share memory through is data. A file is code if its name
//! says so (`libm.so.6`, `/usr/bin/python3`), or if it is mapped in several pieces, as the segments of an ELF file are, of which
//! one is below the heap (where the kernel puts the program itself) or has pages that the process has written. Every other
//! file is data that the program maps: weights of a model, a database, an index.

use std::collections::{BTreeMap, BTreeSet};

use super::Mapping;

/// Mapped files and their resident bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// All of them.
    pub bytes: u64,
    /// Each by its name.
    pub by_name: BTreeMap<String, u64>,
}

impl Files {
    pub(super) fn add(&mut self, file: &str, bytes: u64) {
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

/// What a mapping is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Memory of the program, or memory that processes share.
    Memory,
    /// A mapped file that it computes with.
    DataFile,
    /// A program or a library.
    Code,
}

/// The role of each mapping.
pub(super) fn roles(mappings: &[Mapping<'_>]) -> Vec<Role> {
    let code = programs(mappings);
    let role = |mapping: &Mapping<'_>| match mapping.file {
        None => Role::Memory,
        Some(file) if mapping.is_huge || is_shared_memory(file) => Role::Memory,
        Some(file) if code.contains(file) || is_named_like_code(file) => Role::Code,
        Some(_) => Role::DataFile,
    };
    mappings.iter().map(role).collect()
}

/// Files that are programs by how they are mapped.
fn programs<'t>(mappings: &[Mapping<'t>]) -> BTreeSet<&'t str> {
    let heap = mappings.iter().find(|mapping| mapping.is_heap).map(|mapping| mapping.address);
    // How many pieces, and whether one of them is as only programs have it.
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

/// A name as a person wrote it: the kernel writes spaces, tabs, ends of lines and `=` as octal numbers.
fn unescaped(file: &str) -> String {
    const ESCAPED: [(&str, &str); 4] = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\075", "=")];
    ESCAPED.iter().fold(file.to_owned(), |name, (escaped, plain)| name.replace(escaped, plain))
}
