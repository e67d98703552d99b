//! The README and the guide are tested: their commands run as written, and the shown output is the real output.
//!
//! Rules, so that nothing is skipped silently:
//! - every file of `docs/guide/` and its `tutorials/` is tested, and linked from the index there, which the README names;
//! - each line of a fenced `sh` block is a command. `cargo run --release --` and `numasim` stand for the program that is
//!   tested; how the program is built and what a system must install is not run. After `<!-- needs: hwloc -->` a
//!   block runs only in a build with hwloc, after `<!-- not run: REASON -->` never: of such lines the command line is tested;
//! - a `toml` block after `<!-- file: NAME -->` is written to NAME before any command runs; those of the README are there
//!   also for the guide;
//! - a `text` block after `<!-- output -->` is what the last command that is run printed; `...` stands for left-out lines, and
//!   seconds of a search may differ; after `<!-- output, exit code 1 -->` the command fails with it;
//! - a `bash` block after `<!-- run by: FILE -->` is run by the test in FILE. There are no other fenced blocks.
//!
//! `UPDATE_README=1 cargo test --release --test program readme` rewrites the shown outputs without `...`, and the picture of
//! the README's first one.

#![cfg(unix)]

mod document;
mod equal_parts;
mod picture;
mod trust;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

use document::{Block, Fate, blocks, commands, comparable, shows};

/// Path of the picture of the first command's output.
const PICTURE: &str = "docs/explore.svg";

/// The index of the guide.
const INDEX: &str = "docs/guide/README.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).expect("a document of the repository")
}

/// The files of the guide, including tutorials, as found on disk.
fn guide() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["docs/guide", "docs/guide/tutorials"] {
        for entry in fs::read_dir(root().join(folder)).expect("the guide") {
            let entry = entry.expect("readable");
            if !entry.path().ends_with("docs/guide/tutorials") {
                found.push(format!("{folder}/{}", entry.file_name().display()));
            }
        }
    }
    found.sort();
    found
}

/// A folder like a fresh clone, with the files that the README and this document show.
fn clone(blocks: &[Block]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for part in [
        "configs",
        "results",
        "tests/broken",
        "tests/hwloc_xml",
        "tests/import",
        "tests/profile_app",
        "tests/snapshot",
    ] {
        copy(&root().join(part), &folder.path().join(part));
    }
    let readme = document::blocks(&read("README.md"));
    for block in readme.iter().chain(blocks) {
        if let Some(name) = block.file() {
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

/// The output of a command, standard error first, and its exit code.
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

/// Runs the commands of a document; returns every difference. With `UPDATE_README` the document is rewritten first.
fn untrue(document: &str) -> Vec<String> {
    let mut text = read(document);
    let blocks = blocks(&text);
    let folder = clone(&blocks);
    let commands = match commands(&blocks) {
        Ok(commands) => commands,
        Err(wrong) => return vec![format!("{document}: {wrong}")],
    };
    let mut wrong = Vec::new();
    for command in &commands {
        let line = command.line;
        let (printed, code) = match command.fate {
            Fate::Skipped => continue,
            Fate::Run => run(line, folder.path()),
            Fate::Parsed => run(&format!("{line} --help"), folder.path()),
        };
        let expected = if command.fate == Fate::Run { command.exit_code() } else { 0 };
        if code != Some(expected) {
            wrong.push(format!("{document}: `{line}` ends with {code:?}, not {expected}:\n{printed}"));
        }
        let Some(block) = command.shown.filter(|_| command.fate == Fate::Run) else { continue };
        if updating() && !block.is_an_excerpt() {
            let printed = printed.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n";
            text = text.replacen(&block.text, &printed, 1);
        } else if !shows(&comparable(&block.text), &comparable(&printed)) {
            wrong.push(format!("{document}: `{line}` prints\n{printed}\nbut it shows\n{}", block.text));
        }
    }
    if updating() {
        fs::write(root().join(document), text).expect("writable");
    }
    wrong
}

fn updating() -> bool {
    std::env::var_os("UPDATE_README").is_some()
}

fn none(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{}\n`UPDATE_README=1 cargo test --release --test program readme` writes shown outputs without `...` anew",
        wrong.join("\n")
    );
}

#[test]
fn every_command_of_the_readme_runs_as_written() {
    none(&untrue("README.md"));
}

#[test]
fn every_command_of_the_guide_runs_as_written() {
    // Each page has a separate folder; in sequence they took a third of the time of all tests.
    none(&guide().par_iter().flat_map_iter(|page| untrue(page)).collect::<Vec<_>>());
}

/// A page that is not of this kind, not in the index, or not run would not be found or not stay true.
#[test]
fn every_page_of_the_guide_is_in_its_index_and_has_a_command() {
    let index = read(INDEX);
    assert!(read("README.md").contains(&format!("]({INDEX})")), "the README does not name the guide");
    let mut wrong = Vec::new();
    for page in guide() {
        let name = page.trim_start_matches("docs/guide/");
        if Path::new(name).extension().is_none_or(|extension| extension != "md") {
            wrong.push(format!("{page}: the guide has pages only, ending with .md"));
        } else if page != INDEX {
            let text = read(&page);
            if !index.contains(&format!("]({name})")) {
                wrong.push(format!("{page}: not in {INDEX}"));
            }
            if !text.starts_with("# ") {
                wrong.push(format!("{page}: begins without a title"));
            }
            if !text.contains("\n```sh\n") {
                wrong.push(format!("{page}: has no command"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `tests/tidy.rs` does not check links of this kind. The tests that draw the pictures check that `docs/` has the dark
/// variants.
#[test]
fn every_picture_exists_and_names_its_dark_variant() {
    let documents: Vec<String> = guide().into_iter().chain(["README.md".to_owned()]).collect();
    let mut shown = 0;
    for document in &documents {
        let text = read(document);
        let folder = root().join(document).parent().expect("a folder").to_path_buf();
        for picture in text.split(" src=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(folder.join(picture).is_file(), "{document}: {picture}");
            let dark = format!(" srcset=\"{}-dark.svg\"", picture.trim_end_matches(".svg"));
            assert!(text.contains(&dark), "{document}: no{dark}");
            shown += 1;
        }
        assert!(!text.contains("!["), "{document}: a picture without a dark variant");
    }
    assert_eq!(shown, 9, "the pictures of docs/");
}

#[test]
fn the_picture_is_of_the_first_output() {
    let readme = read("README.md");
    let blocks = blocks(&readme);
    let folder = clone(&blocks);
    let commands = commands(&blocks).expect("in order");
    let command = commands.first().expect("a first command").line;
    let (coloured, _) = run(&format!("{command} --color always"), folder.path());
    let until_controllers: Vec<&str> =
        coloured.lines().take_while(|line| !line.contains("consumed")).collect();
    let drawn = picture::svg(until_controllers.join("\n").trim_end());
    assert!(readme.contains(PICTURE), "the README does not show {PICTURE}");
    crate::dark::keep("explore", &drawn, without_time, "readme");
}

#[test]
fn the_thread_map_of_the_tutorial_on_virtual_machines_is_current() {
    let blocks = blocks(&read("docs/guide/tutorials/vms-on-epyc.md"));
    let folder = clone(&blocks);
    let commands = commands(&blocks).expect("in order");
    let command =
        commands.iter().find(|command| command.line.starts_with("numasim plot threads")).expect("a plot");
    run(command.line, folder.path());
    let drawn = fs::read_to_string(folder.path().join("vms.svg")).expect("the picture");
    crate::dark::keep("vms", &drawn, |svg| vec![svg], "readme");
}

/// `docs/concepts.svg` is drawn by hand; its dark variant follows from it.
#[test]
fn the_picture_of_the_concepts_has_a_dark_variant_of_the_same_drawing() {
    crate::dark::keep("concepts", &read("docs/concepts.svg"), |svg| vec![svg], "readme");
}

/// The picture has a separate element for each word; the seconds of the search are one that begins with a bracket.
fn without_time(svg: &str) -> Vec<&str> {
    let is_time = |line: &str| {
        let word = line.split_once(">(").and_then(|(_, rest)| rest.strip_suffix("</text>"));
        word.is_some_and(|word| word.contains('.') && word.parse::<f64>().is_ok())
    };
    svg.lines().filter(|line| !is_time(line)).collect()
}
