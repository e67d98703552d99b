//! Short real runs: rows, files next to them, interruption, resuming, refusals.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use serde_json::Value;

use super::fitting::larger;
use super::{Output, Path, bench, command, folder_with, fs, refusal, stderr};

/// One application with one thread on the first node that has cores, in two scenarios.
pub(super) fn small() -> String {
    let cores = super::fitting::cores();
    let threads: Vec<u64> = {
        let first = cores.iter().position(|&cores| cores > 0).expect("a core");
        (0..cores.len()).map(|node| u64::from(node == first)).collect()
    };
    let node = |cores: &u64| {
        let peak = if *cores > 0 { 10 } else { 0 };
        format!("[[machine.node]]\ncores = {cores}\ngflops_per_core = {peak}\n")
    };
    let nodes = cores.iter().map(node).collect::<Vec<_>>().concat();
    format!(
        "[machine]\nname = \"this\"\nbandwidth_gbs = 20\nlink_gbs = 10\n{nodes}\
         [[app]]\nname = \"mem\"\narithmetic_intensity = 0.03125\n\
         [[app]]\nname = \"triad\"\narithmetic_intensity = 0.5\nkernel = \"triad\"\n\
         [[scenario]]\nname = \"read, alone\"\nthreads = {{ mem = {threads:?} }}\n\
         [[scenario]]\nname = \"triad alone\"\nthreads = {{ triad = {threads:?} }}\n"
    )
}

const SHORT: [&str; 7] = ["study.toml", "--window", "0.05", "--warm-up", "0", "--memory-per-thread", "8MiB"];

pub(super) fn run(folder: &Path, args: &[&str]) -> Output {
    bench(folder, &[&SHORT[..], args].concat())
}

pub(super) fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read_to_string(path).expect("the result");
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(|row| row.expect("CSV")).collect()
}

#[test]
fn a_short_run_measures_every_scenario_and_records_how() {
    let folder = folder_with(&small());
    let output = run(folder.path(), &["--repeat", "2", "-o", "r.csv", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON alone on standard output");
    assert_eq!((answer["command"].as_str(), answer["status"].as_str()), (Some("bench"), Some("complete")));
    for scenario in answer["scenarios"].as_array().expect("scenarios") {
        assert!(scenario["total_gflops"]["median"].as_f64() > Some(0.0), "{scenario}");
        assert_eq!(scenario["repetitions"], 2);
    }
    let rows = rows(&folder.path().join("r.csv"));
    let order: Vec<&str> = rows.iter().map(|row| row["scenario"].as_str()).collect();
    assert_eq!(order, ["read, alone", "triad alone", "triad alone", "read, alone"]);
    for row in &rows {
        assert_eq!(
            (row["status"].as_str(), row["problem"].as_str(), row["threads"].as_str()),
            ("ok", "", "1")
        );
        assert_eq!(
            (row["run"].as_str(), row["fitted"].as_str()),
            (answer["run"].as_str().expect("an id"), "false")
        );
        assert!(row["cpus"].parse::<u32>().is_ok(), "one processor: {}", row["cpus"]);
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        assert!(
            (number("gflops") / number("bandwidth_gbs") - number("arithmetic_intensity_flop_per_byte")).abs()
                < 1e-9
        );
        assert!(
            (number("traffic_bytes") / number("window_s") / 1e9 / number("bandwidth_gbs") - 1.0).abs() < 1e-9
        );
    }
    let provenance: Value =
        serde_json::from_slice(&fs::read(folder.path().join("r.provenance.json")).expect("beside it"))
            .expect("JSON");
    assert_eq!(provenance["run"], answer["run"]);
    assert_eq!(provenance["command"][0], "numasim", "not where it lies");
    assert!(provenance["ended_utc"].is_string() && provenance["inputs"][0]["text"] == small());
    let few = provenance["doubts"]
        .as_array()
        .expect("doubts")
        .iter()
        .any(|doubt| doubt["code"] == "few-repetitions");
    assert!(few, "two repetitions are few: {}", provenance["doubts"]);
    // The measured study can be evaluated.
    let evaluated = std::process::Command::new(env!("CARGO_BIN_EXE_numasim"))
        .args(["evaluate", "r.study.toml", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(evaluated.status.success(), "{}", stderr(&evaluated));
}

#[test]
fn processes_and_threads_measure_the_same() {
    let folder = folder_with(&small());
    let output = run(folder.path(), &["--repeat", "1", "-o", "r.csv", "--processes", "--isa", "portable"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = rows(&folder.path().join("r.csv"));
    assert!(
        rows.len() == 2 && rows.iter().all(|row| row["status"] == "ok" && row["isa"] == "portable"),
        "{rows:?}"
    );
}

#[test]
fn a_scaled_scenario_is_marked_as_such() {
    let folder = folder_with(&larger());
    let args = [
        "study.toml",
        "--window",
        "0.02",
        "--memory-per-thread",
        "1MiB",
        "--repeat",
        "1",
        "-o",
        "r.csv",
        "--fit-host",
    ];
    let output = bench(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = rows(&folder.path().join("r.csv"));
    assert!(
        rows.iter().all(|row| row["fitted"] == "true" && row["doubts"].contains("fitted-to-host")),
        "{rows:?}"
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("everywhere (fitted)"));
}

#[test]
fn a_killed_run_resumes_at_its_last_row() {
    let folder = folder_with(&small());
    let path = folder.path().join("r.csv");
    let args = [&SHORT[..], &["--repeat", "15", "-o", "r.csv"]].concat();
    let mut child = command(folder.path(), &args).spawn().expect("the program starts");
    wait_for_rows(&path, 3);
    child.kill().and_then(|()| child.wait()).expect("killed");
    let before = fs::read_to_string(&path).expect("what was measured");
    // A half-written line, as after a power cut.
    fs::write(&path, format!("{before}{}", &before.lines().last().expect("a row")[..20]))
        .expect("a file for the test");
    let whole = before.trim_end_matches(|c| c != '\n').to_owned();
    let output = run(folder.path(), &["--repeat", "15", "-o", "r.csv", "--resume"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("of 30 measurements exist already"), "{}", stderr(&output));
    assert!(fs::read_to_string(&path).expect("the result").starts_with(&whole));
    let rows = rows(&path);
    let done: BTreeSet<_> =
        rows.iter().map(|row| (row["scenario"].clone(), row["repetition"].clone())).collect();
    let runs: BTreeSet<_> = rows.iter().map(|row| row["run"].clone()).collect();
    assert_eq!((rows.len(), done.len(), runs.len()), (30, 30, 1));
    // Everything is present: nothing is measured, the summary is printed again; more repetitions continue.
    assert_eq!(run(folder.path(), &["--repeat", "15", "-o", "r.csv", "--resume"]).status.code(), Some(0));
    assert_eq!(run(folder.path(), &["--repeat", "16", "-o", "r.csv", "--resume"]).status.code(), Some(0));
    assert_eq!(self::rows(&path).len(), 32);
}

pub(super) fn wait_for_rows(path: &Path, rows: usize) {
    for _ in 0..600 {
        std::thread::sleep(Duration::from_millis(50));
        if fs::read_to_string(path).is_ok_and(|text| text.lines().count() > rows) {
            return;
        }
    }
    panic!("no rows in half a minute");
}

#[test]
fn ctrl_c_keeps_the_measurements_and_explains_how_to_resume() {
    let folder = folder_with(&small());
    let args = [&SHORT[..], &["--repeat", "100000", "-o", "r.csv"]].concat();
    let mut command = command(folder.path(), &args);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let child = child.expect("the program starts");
    wait_for_rows(&folder.path().join("r.csv"), 3);
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("error: interrupted; ") && stderr(&output).contains("--resume"),
        "{}",
        stderr(&output)
    );
    assert!(rows(&folder.path().join("r.csv")).iter().all(|row| row["status"] == "ok"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Measurements  r.csv"));
}

#[test]
fn two_runs_never_mix_and_nothing_is_overwritten() {
    let folder = folder_with(&small());
    let path = folder.path().join("r.csv");
    assert_eq!(run(folder.path(), &["--repeat", "1", "-o", "r.csv"]).status.code(), Some(0));
    let before = fs::read_to_string(&path).expect("the result");
    let refused = |args: &[&str], why: &str| {
        let message = refusal(
            folder.path(),
            &[&["study.toml", "--memory-per-thread", "8MiB", "-o", "r.csv"], args].concat(),
            1,
        );
        assert!(message.contains(why), "{message}");
        assert_eq!(fs::read_to_string(&path).expect("the result"), before);
    };
    refused(&[], "error: r.csv already exists");
    refused(
        &["--resume", "--window", "0.03", "--warm-up", "0"],
        "r.csv belongs to another run: --window was 0.05 and is now 0.03",
    );
    refused(
        &["--resume", "--window", "0.05", "--warm-up", "0", "--bind", "node"],
        "--bind was core and is now node",
    );
    fs::write(folder.path().join("study.toml"), format!("{}# changed\n", small()))
        .expect("a file for the test");
    refused(&["--resume", "--window", "0.05", "--warm-up", "0"], "the input file study.toml has changed");
    fs::remove_file(folder.path().join("r.provenance.json")).expect("beside it");
    refused(&["--resume"], "cannot tell which run r.csv belongs to");
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_measuring() {
    let folder = folder_with(&small());
    for (file, why) in [
        ("nowhere/r.csv", "cannot write to nowhere/r.csv"),
        ("/proc/r.csv", "cannot write to /proc/r.csv"),
        ("study.toml", "is also an input file"),
        ("-", "the measurements need a separate file"),
    ] {
        // It would take hours if it measured.
        let message = refusal(folder.path(), &["study.toml", "--window", "100", "-o", file], 1);
        assert!(message.contains(why), "{message}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn too_little_memory_is_reported_with_the_node_and_leaves_no_file() {
    let folder = folder_with(&small());
    let message = refusal(folder.path(), &["study.toml", "--memory-per-thread", "32TiB", "-o", "r.csv"], 1);
    assert!(
        message.contains("cannot be measured (repetition 1)") && message.contains("--memory-per-thread"),
        "{message}"
    );
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn the_default_file_name_has_host_and_time() {
    let folder = folder_with(&small());
    let output = run(folder.path(), &["--repeat", "1", "--scenario", "triad alone"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let names: Vec<String> = fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let name = names.iter().find(|name| name.starts_with("bench-") && name.ends_with("Z.csv"));
    let name = name.unwrap_or_else(|| panic!("{names:?}"));
    assert!(stderr(&output).contains(&format!("measurements go to {name}")));
    assert_eq!(rows(&folder.path().join(name)).len(), 1);
}
