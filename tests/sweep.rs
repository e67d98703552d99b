//! `numasim sweep` as a user or a script sees it.

mod bounds;
mod cluster;
mod mistakes;
mod plots;
mod resuming;
mod simulate;
mod slurm;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::common::{config_path as config, folder, numasim, repository, run, stderr, stdout, study};

fn root() -> PathBuf {
    repository("")
}

fn command(args: &[&str]) -> Command {
    let mut command = numasim();
    command.args(args);
    command
}

/// The output of a successful run.
#[track_caller]
fn written(args: &[&str]) -> String {
    stdout(&run(args))
}

/// `sweep FILE --set ... --set ...`, as CSV.
fn sweep(file: &str, settings: &[&str], more: &[&str]) -> String {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let args: Vec<&str> = ["sweep", file].into_iter().chain(settings).chain(more.iter().copied()).collect();
    written(&args)
}

/// The rows as cells by name.
fn rows(csv: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader.deserialize().map(|row| row.expect("CSV")).collect()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&written(args)).expect("JSON alone on standard output")
}

#[test]
fn every_row_equals_evaluate_on_a_file_with_these_values() {
    let folder = folder();
    for (file, key, line) in [
        ("paper/numa-bad.toml", "machine.link_gbs", "link_gbs = "),
        ("paper/table-iii.toml", "machine.gflops_per_core", "gflops_per_core = "),
        ("paper/uneven-even-nodes.toml", "machine.bandwidth_gbs", "bandwidth_gbs = "),
        ("paper/table-iii-numa-bad.toml", "app.mem.arithmetic_intensity", "arithmetic_intensity = "),
    ] {
        let text = fs::read_to_string(config(file)).expect("a file of the repository");
        let csv = sweep(&config(file), &[&format!("{key}=0.3..1.7:0.2")], &[]);
        let mut checked = 0;
        for row in rows(&csv) {
            let changed = folder.path().join("changed.toml");
            let mut seen = false;
            // Only the first such line: that of the machine, or of the first application.
            let lines = text.lines().map(|old| {
                if old.starts_with(line) && !std::mem::replace(&mut seen, true) {
                    format!("{line}{}", row[key])
                } else {
                    old.to_owned()
                }
            });
            fs::write(&changed, lines.collect::<Vec<_>>().join("\n")).expect("a file for the test");
            let name = &row["scenario"];
            let path = changed.display().to_string();
            let found = &json(&["evaluate", &path, "--scenario", name, "--format", "json"])["scenarios"][0];
            let same = |cell: &str, value: &Value| cell.parse::<f64>().ok() == value.as_f64();
            assert!(same(&row["total_gflops"], &found["total_gflops"]), "{file} {key}\n{row:?}\n{found}");
            for app in found["apps"].as_array().expect("applications") {
                let column = format!("gflops:{}", app["name"].as_str().expect("a name"));
                assert!(same(&row[&column], &app["gflops"]), "{file} {key} {column}\n{row:?}\n{found}");
            }
            checked += 1;
        }
        assert!(checked >= 16, "{checked} rows");
    }
}

#[test]
fn the_figures_of_the_paper_are_points_of_a_sweep() {
    let settings =
        ["scenario.\"even 5,5,5,5\".threads.mem=1,5", "scenario.\"even 5,5,5,5\".threads.compute=17,5"];
    let csv = sweep(&config("paper/table-iii.toml"), &settings, &["--scenario", "even 5,5,5,5"]);
    let totals: Vec<String> = rows(&csv).iter().map(|row| row["total_gflops"].clone()).collect();
    // 1,1,1,17 is the published 23.20, 5,5,5,5 the published 18.12; 5,5,5,17 does not fit 20 cores.
    assert_eq!(totals[0], "23.2");
    assert!((totals[3].parse::<f64>().expect("a number") - 18.118_75).abs() < 1e-12, "{totals:?}");
    assert_eq!(totals[2], "");
    assert_eq!(rows(&csv)[2]["status"], "infeasible");
    assert_eq!(rows(&csv)[2]["reason"], "node 0 gets 32 threads but has 20 cores");
}

#[test]
fn an_explored_row_equals_explore() {
    let file = config("paper/uneven-even-nodes.toml");
    let more = ["--explore", "--objective", "total-gflops", "--min-threads-per-node", "1", "--no-idle-cores"];
    let found = rows(&sweep(&file, &["machine.bandwidth_gbs=32,64", "app.mem.min_threads=1,4"], &more));
    assert_eq!(found.len(), 4);
    // 254 GFLOPS, the paper's best.
    assert_eq!((found[0]["value"].as_str(), found[0]["status"].as_str()), ("254", "optimal"));
    let one = json(&[&["explore", &file, "--format", "json"], &more[1..]].concat());
    for app in one["best"]["apps"].as_array().expect("applications") {
        let name = app["name"].as_str().expect("a name");
        let threads: Vec<String> =
            app["threads"].as_array().expect("a list").iter().map(ToString::to_string).collect();
        assert_eq!(found[0][&format!("threads:{name}")], threads.join(" "));
    }
    let wider: f64 = found[2]["value"].parse().expect("a number");
    assert!(wider > 254.0, "{wider}");
}

#[test]
fn an_explored_point_without_an_answer_has_a_reason() {
    let csv = sweep(&config("paper/uneven-even-nodes.toml"), &["app.mem.min_threads=1,11"], &["--explore"]);
    let found = rows(&csv);
    assert_eq!(found[0]["status"], "optimal");
    // 3 x 11 + 1 threads on 32 cores
    assert_eq!(found[1]["status"], "infeasible");
    assert!(found[1]["reason"].contains("add up to 34"), "{:?}", found[1]);
}

#[test]
fn an_open_home_is_chosen_at_every_point() {
    let csv = sweep(&config("paper/numa-bad.toml"), &["app.bad.data=home:any,home:2"], &["--explore"]);
    let homes: Vec<String> = rows(&csv).iter().map(|row| row["home:bad"].clone()).collect();
    assert!(homes[0].parse::<u32>().is_ok() && homes[1] == "2", "{homes:?}");
}

#[test]
fn an_explored_row_includes_cautions() {
    // Links first, and wider into a node than its controller: the interleaved application alone gets 0 GFLOPS with threads on all nodes.
    let text = r#"
        [machine]
        name = "wide links"
        nodes = 3
        cores_per_node = 2
        gflops_per_core = 10
        bandwidth_gbs = 20
        link_gbs = 5
        [[app]]
        name = "spread"
        arithmetic_intensity = 0.1
        data = "interleave"
        min_threads = 5
        [[app]]
        name = "cpu"
        arithmetic_intensity = 10
    "#;
    let (_folder, file) = study(text);
    let file = file.to_str().expect("a plain path");
    let args = ["--explore", "--objective", "geomean", "--model", "remote-first"];
    let csv = sweep(file, &["machine.link_gbs=5,40", "app.cpu.min_threads=1,99"], &args);
    let header = csv.lines().next().expect("a header");
    assert!(header.ends_with(",starved_nodes,reason,cautions"), "{header}");
    let found = rows(&csv);
    let cautions: Vec<&str> = found.iter().map(|row| row["cautions"].as_str()).collect();
    assert_eq!(cautions[0], "no-core-bandwidth");
    assert!(cautions[2].split(';').any(|word| word == "nothing-decided"), "{cautions:?}");
    // No answer: a reason and no cautions.
    assert!(!found[1]["reason"].is_empty() && cautions[1].is_empty(), "{:?}", found[1]);
    let sets = ["--set", "machine.link_gbs=40"];
    let json = json(&[&["sweep", file], &sets[..], &args, &["--format", "json"]].concat());
    let words = json["rows"][0]["cautions"].as_array().expect("a list");
    assert!(words.contains(&"nothing-decided".into()), "{words:?}");
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let file = config("paper/table-iii-numa-bad.toml");
    let settings = ["machine.link_gbs=1..100:1", "app.mem.arithmetic_intensity=0.001..0.1:0.001"];
    let one = sweep(&file, &settings, &["--threads", "1"]);
    assert_eq!(one.lines().count(), 1 + 100 * 100 * 2);
    assert!(one == sweep(&file, &settings, &["--threads", "3"]), "evaluating");
    let explored = |threads| {
        sweep(
            &file,
            &["machine.link_gbs=5..20:5"],
            &["--explore", "--same-on-every-node", "--threads", threads],
        )
    };
    assert_eq!(explored("1"), explored("3"));
}

#[test]
fn shards_together_are_one_run() {
    let file = config("paper/numa-bad.toml");
    for more in [&[][..], &["--explore", "--same-on-every-node"]] {
        let settings = ["machine.link_gbs=1..7:1"];
        let parts: Vec<String> = (1..=3)
            .map(|part| sweep(&file, &settings, &[more, &["--shard", &format!("{part}/3")]].concat()))
            .collect();
        assert!(parts.iter().all(|part| !part.is_empty()), "{parts:?}");
        assert_eq!(parts.concat(), sweep(&file, &settings, more));
    }
}

#[test]
fn starved_nodes_are_reported_and_listed() {
    let output = run(&[
        "sweep",
        &config("paper/numa-bad.toml"),
        "--set",
        "app.bad.data=local,home:0",
        "--set",
        "machine.link_gbs=20,60",
        "--model",
        "remote-first",
    ]);
    let csv = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    let starved: Vec<String> = rows(&csv).iter().map(|row| row["starved_nodes"].clone()).collect();
    assert!(starved.iter().any(|nodes| nodes == "0"), "{starved:?}");
    assert!(starved.iter().any(String::is_empty), "{starved:?}");
    assert!(stderr(&output).starts_with("warning: remote reads starve"), "{}", stderr(&output));
}

#[test]
fn json_and_table_equal_the_csv() {
    let args = ["sweep", &config("paper/numa-bad.toml"), "--set", "machine.link_gbs=5,10"];
    let found = json(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(found["command"], "sweep");
    let row = &found["rows"][2];
    assert_eq!(row["point"]["machine.link_gbs"], 10.0);
    assert_eq!(row["scenario"], "even 2,2,2,2");
    assert_eq!(row["total_gflops"], 138.75);
    assert_eq!(row["apps"][3]["name"], "bad");
    insta::assert_snapshot!("sweep_table", written(&[&args[..], &["--format", "table"]].concat()));
}

#[test]
fn a_long_table_shows_its_ends_and_the_best_point() {
    let args = ["sweep", &config("paper/uneven-even-nodes.toml"), "--scenario", "even 2,2,2,2"];
    let table =
        written(&[&args[..], &["--set", "machine.bandwidth_gbs=1..500:1", "--format", "table"]].concat());
    assert!(table.contains("460 rows between are not shown; --format csv has all of them."), "{table}");
    // The memory-bound applications want 2 x 3 x 20 + 2 x 1 = 122 GB/s on each node: from there on every core is at its
    // peak, 320 GFLOPS.
    assert!(
        table.contains("Most GFLOPS: 320.0 from machine.bandwidth_gbs = 122 on, scenario = even 2,2,2,2"),
        "{table}"
    );
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_a_sweep_quietly() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let settings = ["--set", "machine.link_gbs=1..100000:1"];
    let output = command(&[&["sweep", &config("paper/numa-bad.toml")][..], &settings].concat())
        .stdout(writer)
        .output()
        .expect("the program starts");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}
