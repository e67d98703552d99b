//! The input files of `configs/`, included in the program: `@NAME` refers to one wherever a study is read.
//!
//! `build.rs` generates the list. A name is that of a file without `.toml`, optionally with its folder: `@epyc-7501-2s`,
//! `@machines/epyc-7501-2s`. If several folders contain a file with that name, a machine or a workload is chosen. If neither folder
//! contains it, the name must include the folder.

use std::path::Path;

use numasim_model::words::choice;

use crate::suggest;

/// Prefix of a path that refers to a file of the catalogue. A file on disk with this prefix is written `./@NAME`.
const SIGN: char = '@';

/// All files: path below `configs/` without the extension, and text. Sorted by path.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

/// The folders in display order, each with a description.
pub(crate) const FOLDERS: [(&str, &str); 10] = [
    ("machines", "real machines, each figure with its kind and source"),
    ("workloads", "applications for any machine"),
    ("applications", "applications as they are measured, with scenarios for one machine"),
    ("paper", "complete studies of the paper"),
    ("kernels", "complete studies with real kernels"),
    ("scale", "complete studies of growing size, made up"),
    ("dynamic", "complete studies over time"),
    ("tasks", "complete studies with graphs of tasks"),
    ("tasks/machines", "machines of papers on tasks"),
    ("discriminate", "scenarios in which models disagree, for the machine of that name"),
];

/// Folders that have precedence if others contain the same name.
const FIRST: [&str; 2] = ["machines", "workloads"];

/// One file of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Path below `configs/`, without `.toml`.
    pub(crate) path: &'static str,
    /// The text of the file.
    pub(crate) text: &'static str,
}

/// The reason why a name does not refer to a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    /// The rest of a sentence that begins with the name.
    pub(crate) message: String,
    /// A correction.
    pub(crate) hint: String,
}

impl Entry {
    /// The folder below `configs/`.
    pub(crate) fn folder(self) -> &'static str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The name of the file without the folder.
    pub(crate) fn name(self) -> &'static str {
        self.path.rsplit_once('/').map_or(self.path, |(_, name)| name)
    }

    /// The shortest name that refers to it, with its prefix.
    pub(crate) fn shortest(self) -> String {
        let name = if find(self.name()) == Ok(self) { self.name() } else { self.path };
        format!("{SIGN}{name}")
    }

    /// The first sentence of the comment at its top, which describes it; empty if there is none.
    pub(crate) fn about(self) -> String {
        let lines = self.text.lines().skip_while(|line| line.starts_with("#:"));
        let comment = lines.map_while(|line| line.strip_prefix('#')).map(str::trim);
        let words = comment.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        let end = words.match_indices(". ").map(|(at, _)| at).find(|&at| !is_initial(&words[..at]));
        match end {
            Some(end) => words[..end].to_owned(),
            None => words.trim_end_matches('.').to_owned(),
        }
    }
}

/// Whether a text ends with the initial of a name, after which a full stop does not end a sentence.
fn is_initial(text: &str) -> bool {
    text.rsplit(' ').next().is_some_and(|word| word.chars().count() == 1)
}

/// All files, folder by folder in the order of [`FOLDERS`].
pub(crate) fn all() -> impl Iterator<Item = Entry> {
    FOLDERS.iter().flat_map(|(folder, _)| of_folder(folder))
}

/// The files of a folder, by name.
pub(crate) fn of_folder(folder: &str) -> impl Iterator<Item = Entry> {
    entries().filter(move |entry| entry.folder() == folder)
}

fn entries() -> impl Iterator<Item = Entry> {
    FILES.iter().map(|&(path, text)| Entry { path, text })
}

/// The name after the prefix, if a path refers to a file of the catalogue.
pub(crate) fn named_by(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(SIGN)
}

/// The file with this name, which may begin with the prefix.
pub(crate) fn find(name: &str) -> Result<Entry, Unknown> {
    let name = name.strip_prefix(SIGN).unwrap_or(name);
    let name = name.strip_suffix(".toml").unwrap_or(name);
    if let Some(exact) = entries().find(|entry| entry.path == name) {
        return Ok(exact);
    }
    let same: Vec<Entry> = entries().filter(|entry| entry.name() == name).collect();
    let first = FIRST.iter().find_map(|folder| same.iter().find(|entry| entry.folder() == *folder));
    match (first, same.as_slice()) {
        (Some(&entry), _) | (None, &[entry]) => Ok(entry),
        (None, []) => Err(unknown(name)),
        (None, several) => {
            let paths: Vec<String> = several.iter().map(|entry| format!("{SIGN}{}", entry.path)).collect();
            Err(Unknown {
                message: "stands for several files of the catalogue".into(),
                hint: format!("write {}", choice(paths)),
            })
        }
    }
}

fn unknown(name: &str) -> Unknown {
    const LIST: &str = "`numasim catalog` lists all names";
    let names: Vec<&str> = entries().map(Entry::name).chain(entries().map(|entry| entry.path)).collect();
    let close = suggest::nearest(name, &names).map(|close| format!("did you mean {SIGN}{close}? "));
    Unknown {
        message: "is not in the catalogue".into(),
        hint: format!("{}{LIST}; a file on disk of that name is ./{SIGN}{name}", close.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_configs_is_there_and_in_a_folder_that_is_shown() {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let mut shown = 0;
        for entry in all() {
            let file = configs.join(format!("{}.toml", entry.path));
            assert_eq!(std::fs::read_to_string(file).expect("a file of configs/"), entry.text);
            shown += 1;
        }
        assert_eq!(shown, FILES.len(), "a folder of configs/ is not in FOLDERS");
        let mut on_disk = 0;
        for (folder, _) in FOLDERS {
            let files = std::fs::read_dir(configs.join(folder)).expect("a folder of configs/");
            let names = files.map(|file| file.expect("readable").file_name());
            on_disk += names.filter(|name| name.to_string_lossy().ends_with(".toml")).count();
        }
        assert_eq!(on_disk, FILES.len());
    }

    #[test]
    fn every_file_says_what_it_is_and_its_shortest_name_stands_for_it() {
        for entry in all() {
            assert!(!entry.about().is_empty(), "{} begins with no comment", entry.path);
            assert_eq!(find(&entry.shortest()), Ok(entry));
        }
    }

    #[test]
    fn a_point_after_an_initial_ends_no_sentence() {
        let text = "#: schema\n# Figure 2 of J. Dokulil and\n# S. Benkner. More.\n\n[machine]\n";
        assert_eq!(Entry { path: "paper/x", text }.about(), "Figure 2 of J. Dokulil and S. Benkner");
    }

    #[test]
    fn a_machine_is_meant_where_others_have_its_name() {
        let path = |name| find(name).map(|entry| entry.path);
        assert_eq!(path("@opteron-8n"), Ok("machines/opteron-8n"));
        assert_eq!(path("opteron-8n.toml"), Ok("machines/opteron-8n"));
        assert_eq!(path("@discriminate/opteron-8n"), Ok("discriminate/opteron-8n"));
    }

    #[test]
    fn a_name_without_a_file_gets_a_suggestion() {
        let several = find("@stencil2d").expect_err("two folders have it");
        assert_eq!(several.hint, "write @kernels/stencil2d or @tasks/stencil2d");
        let hint = find("@epyc-7501").expect_err("there is none").hint;
        assert!(hint.starts_with("did you mean @epyc-7501-2s? "), "{hint}");
        assert!(hint.ends_with("a file on disk of that name is ./@epyc-7501"), "{hint}");
    }

    #[test]
    fn only_what_begins_with_the_sign_is_a_name() {
        assert_eq!(named_by(Path::new("@hpc-node")), Some("hpc-node"));
        assert_eq!(named_by(Path::new("./@hpc-node")), None);
        assert_eq!(named_by(Path::new("hpc-node.toml")), None);
    }
}
