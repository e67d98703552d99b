//! Removes the private data of the person who measured.
//!
//! | where | what | becomes |
//! |---|---|---|
//! | provenance | name of the host | nothing |
//! | provenance: command line, names of files; the file of a limit | folders | the name of the file alone |
//! | doubts, changes to scenarios, comments of TOML files | absolute paths | the name of the file alone |
//! | name of the machine, if it is that of the host | | model of the processor |
//!
//! The rest stays, because it gives the measurements their value: processor, kernel, memory, settings, times, and the texts of the person's
//! own files, whose hashes match the contents of the bundle. Measurements are kept byte by byte.

use std::path::Path;

use crate::provenance::{Input, Provenance};
use serde::Deserialize;
use toml::Spanned;

/// The name of a machine with an unknown processor.
const NAMELESS: &str = "a host";

/// The private data to remove from the files of one result.
pub struct Hidden {
    host: Option<String>,
    machine: String,
}

impl Hidden {
    /// The private data in this provenance.
    pub fn of(provenance: &Provenance) -> Self {
        let facts = &provenance.facts;
        Self {
            host: facts.host_name.clone(),
            machine: facts.cpu_model.clone().unwrap_or_else(|| NAMELESS.to_owned()),
        }
    }

    /// The provenance without private data.
    pub fn provenance(&self, mut provenance: Provenance) -> Provenance {
        provenance.facts.host_name = None;
        if let Some(limit) = &mut provenance.facts.cpu_limit {
            limit.file = without_folders(&limit.file);
        }
        provenance.command = command(&provenance.command);
        let input = |input: &Input| Input::new(file_name(&input.name), self.toml(&input.text));
        provenance.inputs = provenance.inputs.iter().map(input).collect();
        for text in
            provenance.fitted.iter_mut().chain(provenance.doubts.iter_mut().map(|one| &mut one.message))
        {
            *text = without_folders(text);
        }
        provenance
    }

    /// An input file without private data.
    pub fn toml(&self, text: &str) -> String {
        #[derive(Deserialize)]
        struct Named {
            name: Option<Spanned<String>>,
        }
        #[derive(Deserialize)]
        struct File {
            machine: Option<Named>,
        }
        let mut text = text.to_owned();
        let name = toml::from_str(&text).ok().and_then(|file: File| file.machine?.name);
        if let Some(name) = name.filter(|name| self.host.as_ref() == Some(name.get_ref())) {
            text.replace_range(name.span(), &toml::Value::from(self.machine.as_str()).to_string());
        }
        let lines = text.split_inclusive('\n');
        lines
            .map(|line| if line.starts_with('#') { without_folders(line) } else { line.to_owned() })
            .collect()
    }
}

/// The words of a command line without folders.
fn command(words: &[String]) -> Vec<String> {
    let word = |word: &String| match (word.strip_prefix('-'), word.split_once('=')) {
        (Some(_), Some((name, value))) => format!("{name}={}", file_name(value)),
        // -oFOLDER/FILE
        (Some(_), None) if word.contains('/') => {
            word.chars().take(2).chain(file_name(word).chars()).collect()
        }
        _ => file_name(word),
    };
    words.iter().map(word).collect()
}

/// The last component of a path; any other text unchanged.
fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The text with each absolute path replaced by the name of the file.
fn without_folders(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, path) = rest.split_at(at);
        short.push_str(before);
        // `1/32` and `FLOP/byte` are not paths.
        let begins = before.chars().next_back().or(short.chars().next_back()).is_none_or(opens);
        let ends = |c: char| c.is_whitespace() || "'\"`(),;|".contains(c);
        let length = if begins { path.find(ends).unwrap_or(path.len()) } else { 1 };
        let (path, after) = path.split_at(length);
        let last = path.trim_end_matches('/').rsplit_once('/').filter(|(folders, _)| !folders.is_empty());
        short.push_str(last.map_or(path, |(_, name)| name));
        rest = after;
    }
    short + rest
}

/// Whether this character may precede a path.
fn opens(c: char) -> bool {
    c.is_whitespace() || "'\"`(=".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_file_names_and_nothing_else_changes() {
        for (text, short) in [
            (
                "limits the run to 2.00 processors (/sys/fs/cgroup/user-7.slice/cpu.max)",
                "limits the run to 2.00 processors (cpu.max)",
            ),
            ("kernel at 1/32 FLOP/byte", "kernel at 1/32 FLOP/byte"),
            ("/opt/alice/x.toml: 2 threads", "x.toml: 2 threads"),
            ("a / b, /tmp, https://example.org/a/b", "a / b, /tmp, https://example.org/a/b"),
            ("", ""),
        ] {
            assert_eq!(without_folders(text), short);
        }
    }

    #[test]
    fn a_command_line_keeps_its_words_without_folders() {
        let words = [
            "/opt/alice/numasim",
            "validate",
            "../alice/my.toml",
            "-o",
            "/data/alice/out",
            "--window=0.5",
            "-oalice/out",
            "--bundle=/x/b.tar.zst",
        ];
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let kept =
            ["numasim", "validate", "my.toml", "-o", "out", "--window=0.5", "-oout", "--bundle=b.tar.zst"];
        assert_eq!(command(&words), kept);
    }

    #[test]
    fn a_machine_name_changes_only_if_it_is_the_host_name() {
        let hidden = Hidden { host: Some("node17".into()), machine: "A \"fast\" processor".into() };
        let text = "# made on node17\n[machine]\nname = \"node17\" # here\nsource = \"node17\"\n";
        let file: toml::Table = hidden.toml(text).parse().expect("TOML");
        assert_eq!(file["machine"]["name"].as_str(), Some("A \"fast\" processor"));
        assert!(hidden.toml(text).ends_with(" # here\nsource = \"node17\"\n"));
        for other in ["[machine]\nname = \"mine\"\n", "[[app]]\nname = \"node17\"\n", "no TOML"] {
            assert_eq!(hidden.toml(other), other);
        }
    }
}
