//! A finished result as a bundle, and its `report`, as the users at both ends see it.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use numasim_bench::provenance::{self, Input};
use serde_json::Value;

use crate::common::{self, repository, run, stderr, stdout};
use crate::report::html::{plain, script};

/// A host name that occurs nowhere else.
const HOST: &str = "node17.secret.example";
/// A folder name that occurs nowhere else.
const FOLDER: &str = "/data/secret/";

/// The recorded run of the two-core machine as if a host with a name had made it, and where its bundle goes.
struct Result {
    folder: tempfile::TempDir,
}

impl Result {
    fn new() -> Self {
        let folder = common::folder();
        let from = repository("results/2026-11-21-2-core-vm-model-versus-real");
        fs::create_dir(folder.path().join("result")).expect("a folder for the test");
        for entry in fs::read_dir(from).expect("the result") {
            let path = entry.expect("readable").path();
            let mut text = fs::read_to_string(&path).expect("text");
            let name = path.file_name().expect("a name");
            if name == "measured.provenance.json" {
                text = of_a_host(&text);
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                text = named(&text);
            }
            fs::write(folder.path().join("result").join(name), text).expect("a file for the test");
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn arg(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Packs it.
    fn pack(&self, name: &str) -> String {
        let bundle = self.arg(name);
        let output = run(&["validate", "-o", &self.arg("result"), "--resume", "--bundle", &bundle]);
        assert_eq!(stdout(&output), "", "nothing was compared anew");
        assert!(stderr(&output).starts_with("note: the bundle to send is "), "{}", stderr(&output));
        bundle
    }

    /// The contents of a bundle, in a new folder.
    fn unpacked(&self, bundle: &str) -> PathBuf {
        let folder = self.path("unpacked");
        fs::create_dir(&folder).expect("a folder for the test");
        for (name, text) in entries(Path::new(bundle)) {
            fs::write(folder.join(name), text).expect("a file for the test");
        }
        folder
    }
}

/// A machine file of the host.
fn named(text: &str) -> String {
    let limit = format!("# doubt: cpu-limit: a control group limits the run ({FOLDER}cpu.max)\n");
    limit + &text.replacen("name = \"vm\"", &format!("name = \"{HOST}\""), 1)
}

fn of_a_host(text: &str) -> String {
    let mut known = provenance::read(text).expect("a provenance");
    known.facts.host_name = Some(HOST.to_owned());
    known.command[0] = format!("{FOLDER}numasim");
    known.command[3] = format!("{FOLDER}validate");
    known.doubts[0].message = format!("limited ({FOLDER}cpu.max)");
    for input in &mut known.inputs {
        *input = Input::new(format!("{FOLDER}{}", input.name), named(&input.text));
    }
    known.to_json()
}

/// The names and texts of a bundle.
fn entries(bundle: &Path) -> Vec<(String, String)> {
    let bytes = fs::read(bundle).expect("a bundle");
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).expect("compressed");
    let mut archive = tar::Archive::new(decoder);
    let entries = archive.entries().expect("an archive");
    let entry = entries.map(|entry| {
        let mut entry = entry.expect("an entry");
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("text");
        (entry.path().expect("a name").display().to_string(), text)
    });
    entry.collect()
}

#[test]
fn a_finished_result_is_packed_whole_without_host_and_folders() {
    let result = Result::new();
    let bundle = result.pack("one.tar.zst");
    let entries = entries(Path::new(&bundle));
    let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "bundle.toml",
            "README.md",
            "calibration.csv",
            "comparison.json",
            "comparison.txt",
            "machine.toml",
            "measured.csv",
            "measured.provenance.json",
            "measured.study.toml",
            "report.html",
            "scenarios.toml",
        ]
    );
    for (name, text) in &entries {
        for private in [HOST, "secret", result.folder.path().to_str().expect("UTF-8")] {
            assert!(!text.contains(private), "{name} has {private}");
        }
        if name == "measured.csv" || name == "calibration.csv" {
            assert_eq!(
                *text,
                fs::read_to_string(result.path("result").join(name)).expect("a file"),
                "{name}"
            );
        }
    }
    let of = |name: &str| &entries.iter().find(|(known, _)| known == name).expect("listed").1;
    assert!(
        of("machine.toml").contains("(cpu.max)\n")
            && of("machine.toml").contains("name = \"Intel(R) Xeon(R) Processor\"")
    );
    assert!(of("README.md").contains("numasim validate -o validate --window 0.5\n"));
    assert!(provenance::read(of("measured.provenance.json")).is_ok(), "hashes are those of the texts");

    // The folder is unchanged, and another bundle has the same bytes.
    assert!(fs::read_to_string(result.path("result/machine.toml")).expect("a file").contains(HOST));
    let again = result.pack("two.tar.zst");
    assert_eq!(fs::read(bundle).expect("written"), fs::read(again).expect("written"));
}

#[test]
fn a_report_of_a_bundle_equals_that_of_its_files() {
    let result = Result::new();
    let bundle = result.pack("sent.tar.zst");
    let unpacked = result.unpacked(&bundle);
    let page = stdout(&run(&["report", &bundle]));
    let in_folder = |args: &[&str]| {
        let output =
            common::numasim().args(args).current_dir(&unpacked).output().expect("the program starts");
        stdout(&output)
    };
    let of_files = in_folder(&["report", "measured.study.toml", "--measured", "measured.csv"]);
    let packed = fs::read_to_string(unpacked.join("report.html")).expect("packed");
    // The command to recreate the page differs, and only bundles and folders list unread files.
    let same = |page: &str| {
        let (before, _) = page.split_once("<section id=\"repeat\"").expect("a section");
        let (before, aside) =
            before.split_once("<p class=\"faint\">Also in the folder").unwrap_or((before, "</p>"));
        before.to_owned() + aside.split_once("</p>").expect("a paragraph").1
    };
    assert_eq!(same(&page), same(&of_files));
    assert_eq!(same(&page), same(&packed));
    assert_eq!(script(&page, "comparison"), script(&of_files, "comparison"));
    assert!(plain(&page).contains("tar --zstd -xf"), "how to get at the files");

    let compared: Value = serde_json::from_str(&in_folder(&[
        "compare",
        "measured.study.toml",
        "--measured",
        "measured.csv",
        "--format",
        "json",
    ]))
    .expect("JSON");
    let json = fs::read_to_string(unpacked.join("comparison.json")).expect("packed");
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON"), compared);
}

#[test]
fn a_damaged_bundle_is_reported_with_its_name() {
    let result = Result::new();
    let bundle = result.pack("sent.tar.zst");
    let bytes = fs::read(&bundle).expect("written");
    fs::write(&bundle, &bytes[..bytes.len() / 2]).expect("a file");
    let output = run(&["report", &bundle]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(
        said.contains("sent.tar.zst cannot be decompressed") && said.contains("validate --bundle"),
        "{said}"
    );
    assert!(output.stdout.is_empty());
    let missing = run(&["report", "nowhere.tar.zst"]);
    assert!(stderr(&missing).contains("nowhere.tar.zst does not exist"), "{}", stderr(&missing));
}

#[test]
fn switches_that_conflict_with_a_bundle_are_refused() {
    let result = Result::new();
    let bundle = result.pack("sent.tar.zst");
    let study = result.arg("result/measured.study.toml");
    let beside = run(&["report", &study, &bundle]);
    assert_eq!(beside.status.code(), Some(1));
    assert!(stderr(&beside).contains("has everything that a page is made from"), "{}", stderr(&beside));
    let over = run(&["report", &bundle, "-o", &bundle]);
    assert!(stderr(&over).contains("is also an input file"), "{}", stderr(&over));
    let ending = run(&["validate", "-o", &result.arg("result"), "--bundle", "result.zip"]);
    assert_eq!(ending.status.code(), Some(2));
    assert!(stderr(&ending).contains("the name of a bundle ends with .tar.zst"), "{}", stderr(&ending));
    let nowhere =
        run(&["validate", "-o", &result.arg("result"), "--resume", "--bundle", &result.arg("no/b.tar.zst")]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(stderr(&nowhere).contains("there is no directory"), "{}", stderr(&nowhere));
}
