//! `numasim calibrate` and `validate` as a user starts them; real measurements, short ones.
#![cfg(feature = "hwloc")]

use std::fs;
use std::path::Path;

use crate::alone;
use crate::common::{run, stderr, stdout};

fn numasim(args: &[&str]) -> String {
    stdout(&run(args))
}

#[test]
fn the_machine_file_of_this_host_is_complete() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let machine = folder.path().join("machine.toml");
    let path = machine.to_str().expect("UTF-8");
    let quick = ["calibrate", "--rounds", "2", "--window", "0.1", "--warm-up", "0.01"];
    numasim(&[&quick[..], &["--memory-per-thread", "8MiB", "-o", path]].concat());
    // No value is missing: checking finds nothing to complain about.
    numasim(&["check", path]);
    let text = fs::read_to_string(&machine).expect("written");
    let figures =
        ["gflops_per_core", "core_bandwidth_gbs", "uncertainty_percent", "# doubt: few-repetitions"];
    for part in figures.into_iter().chain(["[machine.sharing]", "model = \"ecm\"", "lines under way"]) {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    // Its model answers.
    let apps = folder.path().join("apps.toml");
    fs::write(&apps, "[[app]]\nname = \"mem\"\narithmetic_intensity = 0.1\n").expect("a file");
    let answer = numasim(&["explore", path, apps.to_str().expect("UTF-8"), "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["model"], "ecm", "{answer}");
    assert!(answer["best"]["total_gflops"].as_f64() > Some(0.0), "{answer}");
}

#[test]
fn every_round_is_kept() {
    let _alone = alone();
    let args =
        ["calibrate", "--rounds", "3", "--window", "0.1", "--warm-up", "0", "--memory-per-thread", "4MiB"];
    let csv = numasim(&[&args[..], &["--format", "csv"]].concat());
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("measures,from_node,to_node,threads,round,gflops,bandwidth_gbs,flows"));
    let peaks = lines.filter(|line| line.starts_with("peak,0,0,1,")).count();
    assert_eq!(peaks, 3);
}

#[test]
fn a_dry_run_estimates_the_time_and_measures_nothing() {
    let table = numasim(&["calibrate", "--dry-run", "--quick"]);
    assert!(table.contains("links between sockets, all nodes at once") && table.contains("measurements, "));
    let plan: serde_json::Value =
        serde_json::from_str(&numasim(&["calibrate", "--dry-run", "--format", "json"])).expect("JSON");
    let of_parts: u64 = plan["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .filter_map(|part| part["measurements"].as_u64())
        .sum();
    assert_eq!(plan["measurements"], of_parts);
    // 5 rounds of 1 s with 0.3 s before; ways of kernels through memory are tried for 0.065 s each.
    let seconds = plan["seconds"].as_f64().expect("a number");
    let tries = plan["parts"][0]["measurements"].as_u64().expect("a number");
    let expected = (of_parts - tries) as f64 * 1.3 + tries as f64 * 0.065;
    assert!((seconds - expected).abs() < 1e-6, "{plan}");
}

#[test]
fn a_missing_instruction_set_is_refused() {
    let output = run(&["calibrate", "--isa", "neon"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("portable"), "{}", stderr(&output));
}

/// Applications and scenarios for any host with two cores.
fn study(folder: &Path) -> String {
    let path = folder.join("study.toml");
    let text = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 1.0\nbandwidth_gbs = 1.0\n\
                [[app]]\nname = \"mem\"\narithmetic_intensity = 0.03125\n[[app]]\nname = \"compute\"\narithmetic_intensity = 16.0\n\
                [[scenario]]\nname = \"both\"\nthreads = { mem = 1, compute = 1 }\n";
    fs::write(&path, text).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn the_whole_loop_ends_with_a_report() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let result = folder.path().join("result");
    let study = study(folder.path());
    let path = result.to_str().expect("UTF-8");
    let short = ["--repeat", "2", "--window", "0.1", "--memory-per-thread", "8MiB"];
    let bundle = folder.path().join("sent.tar.zst");
    let sent = bundle.to_str().expect("UTF-8");
    let shown = numasim(&[&["validate", &study, "-o", path, "--bundle", sent][..], &short].concat());
    assert!(shown.contains("both"), "{shown}");
    let names = ["README.md", "machine.toml", "calibration.csv", "measured.csv", "measured.provenance.json"];
    for name in names.into_iter().chain(["measured.study.toml", "comparison.json", "comparison.txt"]) {
        assert!(result.join(name).is_file(), "{name}");
    }
    let page = fs::read_to_string(result.join("report.html")).expect("a page");
    assert!(page.contains("both"));
    // The values of the prediction are those of this host, not the 1 GFLOPS of the file.
    let predicted = fs::read_to_string(result.join("comparison.json")).expect("a comparison");
    let predicted: serde_json::Value = serde_json::from_str(&predicted).expect("JSON");
    assert!(predicted["scenarios"][0]["predicted_gflops"].as_f64() > Some(1.5), "{predicted}");

    // Another user sees the same page.
    let received = folder.path().join("received.html");
    numasim(&["report", sent, "-o", received.to_str().expect("UTF-8")]);
    assert!(fs::read_to_string(&received).expect("a page").contains("both"));

    let again = run(&[&["validate", &study, "-o", path][..], &short].concat());
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("--resume"), "{}", stderr(&again));
    numasim(&[&["validate", &study, "-o", path, "--resume"][..], &short].concat());

    // The built-in scenarios, on a calibrated machine: each application is a process, the cache apart.
    let own = folder.path().join("own");
    fs::create_dir(&own).expect("a folder");
    fs::copy(result.join("machine.toml"), own.join("machine.toml")).expect("the machine");
    let path = own.to_str().expect("UTF-8");
    let shortest = ["--resume", "--repeat", "1", "--window", "0.05", "--memory-per-thread", "8MiB"];
    let shown = numasim(&[&["validate", "-o", path][..], &shortest].concat());
    assert!(shown.contains("last-level cache"), "{shown}");
    let read = |name: &str| fs::read_to_string(own.join(name)).expect(name);
    let [provenance, cache] = ["measured.provenance.json", "cache.json"]
        .map(|name| serde_json::from_str::<serde_json::Value>(&read(name)).expect("JSON"));
    assert_eq!(provenance["settings"]["processes"], true, "{provenance}");
    // Either there is a reason, or both sizes were measured and every row states whether its data fit a cache.
    if cache["not_measured"].is_null() {
        assert!(read("cache-inside.csv").contains("fits-cache"));
        assert!(cache["apps"].as_array().is_some_and(|apps| apps.len() == 16), "{cache}");
    }
    let page = read("report.html");
    assert!(page.contains("Last-level cache") && page.contains("each application in a separate process"));
    assert!(read("README.md").contains("Each application was a separate process"));
}
