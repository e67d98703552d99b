//! The README is true: its commands run as written, and the output it shows is what they print.
//!
//! Rules, so that nothing is skipped silently:
//! - each line of a fenced `sh` block is a command; lines that begin with one of [`SKIPPED`] are not run;
//! - `cargo run --release --` and `numasim` stand for the program that is tested;
//! - a `toml` block after `<!-- file: NAME -->` is written to NAME before any command runs;
//! - a `text` block after `<!-- output -->` is what the last command printed; `...` stands for left-out lines, and
//!   seconds of a search may differ; after `<!-- output, exit code 1 -->` the command fails with it.
//!
//! `UPDATE_README=1 cargo test --release --test readme` writes the first shown output, and the picture of it, anew.

#![cfg(unix)]

#[path = "docs/dark.rs"]
mod dark;
#[path = "readme/picture.rs"]
mod picture;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is not run: the build itself, what a system must install, what needs hwloc, and what measures this host for minutes.
const SKIPPED: [&str; 6] = [
    "cargo test ",
    "cargo build ",
    "cargo install ",
    "apt install ",
    "cargo run --release --features hwloc ",
    "numasim validate ",
];

/// Where the picture of the first command's output is.
const PICTURE: &str = "docs/explore.svg";

/// One fenced block.
struct Block {
    /// The line before it.
    before: String,
    language: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("there is a README")
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut before, mut open) = ("", false);
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                open = true;
                let (before, language) = (before.to_owned(), language.to_owned());
                blocks.push(Block { before, language, text: String::new() });
            }
            None if open => {
                let block = blocks.last_mut().expect("a block is open");
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => before = line,
        }
    }
    assert!(!open, "a fenced block is not closed");
    blocks
}

/// A folder like a fresh clone, with the files that the README shows.
fn clone(blocks: &[Block]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for part in ["configs", "tests/broken", "results/paper-table-iii"] {
        copy(&root().join(part), &folder.path().join(part));
    }
    for block in blocks {
        let name = block.before.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"));
        if let Some(name) = name {
            fs::write(folder.path().join(name), &block.text).expect("a file for the test");
        }
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the test");
    for entry in fs::read_dir(from).expect("a folder of the repository") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file for the test");
        }
    }
}

/// What a command prints, standard error first, and its exit code.
fn run(command: &str, folder: &Path) -> (String, Option<i32>) {
    let program = Path::new(env!("CARGO_BIN_EXE_numasim")).parent().expect("it lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &command.replace("cargo run --release --", "numasim")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("HOME", folder)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("there is a shell");
    let text = [output.stderr, output.stdout].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
    (text, output.status.code())
}

/// `(0.21 s)` becomes `(_ s)`: how long a search takes is not promised. Spaces at the end of lines do not show.
fn comparable(text: &str) -> Vec<String> {
    let without_time = |line: &str| match line.split_once(" s)") {
        Some((before, after)) => {
            format!("{}_ s){after}", before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
        }
        None => line.to_owned(),
    };
    text.lines().map(|line| without_time(line.trim_end())).collect()
}

/// Whether `shown`, in which `...` stands for any lines, is what `real` says.
fn shows(shown: &[String], real: &[String]) -> bool {
    let parts: Vec<&[String]> = shown.split(|line| line == "...").collect();
    let [first, between @ .., last] = parts.as_slice() else { return shown == real };
    let Some(mut rest) = real.strip_prefix(*first) else { return false };
    for part in between {
        let Some(at) = (0..=rest.len()).find(|&at| rest[at..].starts_with(part)) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The commands of the README with what they print and the block that shows it.
fn commands(blocks: &[Block]) -> Vec<(String, Option<&Block>)> {
    let mut commands: Vec<(String, Option<&Block>)> = Vec::new();
    for block in blocks {
        if block.language == "sh" {
            let lines = block.text.lines().filter(|line| !SKIPPED.iter().any(|skip| line.starts_with(skip)));
            commands.extend(lines.map(|line| (line.to_owned(), None)));
        } else if block.before.starts_with("<!-- output") {
            commands.last_mut().expect("a command before its output").1 = Some(block);
        }
    }
    commands
}

#[test]
fn every_command_runs_as_written() {
    let readme = readme();
    let blocks = blocks(&readme);
    let folder = clone(&blocks);
    let commands = commands(&blocks);
    assert!(commands.len() > 8, "only {} commands were found", commands.len());
    for (command, shown) in commands {
        assert!(
            ["numasim ", "cargo run --release -- ", "mkdir -p "]
                .iter()
                .any(|start| command.starts_with(start)),
            "neither run nor in the list of what is not run: {command}"
        );
        let (printed, code) = run(&command, folder.path());
        let fails = shown.is_some_and(|block| block.before == "<!-- output, exit code 1 -->");
        assert_eq!(code, Some(i32::from(fails)), "{command}\n{printed}");
        if let Some(block) = shown
            && !updating()
        {
            assert!(
                shows(&comparable(&block.text), &comparable(&printed)),
                "{command}\nprints\n{printed}\nbut the README shows\n{}\n`UPDATE_README=1 cargo test --release --test readme` \
                 writes the first output anew",
                block.text
            );
        }
    }
}

#[test]
fn the_picture_is_of_the_first_output() {
    let readme = readme();
    let blocks = blocks(&readme);
    let folder = clone(&blocks);
    let commands = commands(&blocks);
    let (command, shown) = commands.first().expect("a first command");
    let (coloured, _) = run(&format!("{command} --color always"), folder.path());
    let until_controllers: Vec<&str> = coloured.lines().take_while(|line| !line.contains("drawn")).collect();
    let drawn = picture::svg(until_controllers.join("\n").trim_end());
    if updating() {
        let (plain, _) = run(command, folder.path());
        let plain = plain.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n";
        let shown = shown.expect("the README shows its output");
        fs::write(root().join("README.md"), readme.replacen(&shown.text, &plain, 1)).expect("writable");
    }
    assert!(readme.contains(PICTURE), "the README does not show {PICTURE}");
    dark::keep("explore", &drawn, without_time, "readme");
}

/// The picture has each word in an element of its own; the seconds of the search are one that begins with a bracket.
fn without_time(svg: &str) -> Vec<&str> {
    let is_time = |line: &str| {
        let word = line.split_once(">(").and_then(|(_, rest)| rest.strip_suffix("</text>"));
        word.is_some_and(|word| word.contains('.') && word.parse::<f64>().is_ok())
    };
    svg.lines().filter(|line| !is_time(line)).collect()
}

fn updating() -> bool {
    std::env::var_os("UPDATE_README").is_some()
}

#[test]
fn left_out_lines_may_be_anything_and_shown_ones_must_follow() {
    let lines = |text: &str| comparable(text);
    let real = lines("a\nb\nc\n(0.21 s)\ne");
    for (shown, expected) in [
        ("a\nb\nc\n(9.00 s)\ne", true),
        ("a\n...\n(1.00 s)\ne", true),
        ("...\nc\n...", true),
        ("a\nb", false),
        ("b\n...", false),
        ("a\n...\nb\n(1.00 s)\n...", false),
        ("a\n...\nc", false),
        ("...\na\nb\nc\n(1.00 s)\ne", true),
        ("...\nx\n...", false),
    ] {
        assert_eq!(shows(&lines(shown), &real), expected, "{shown}");
    }
}
