//! `numasim catalog`, and `@NAME` wherever a study is read.

use std::fs;

use serde_json::Value;

use crate::common::{config, folder, numasim, run, stderr, stdout};

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(&run(&[args, &["--format", "json"]].concat()))).expect("JSON")
}

#[test]
fn the_machines_as_a_table() {
    insta::assert_snapshot!("machines", stdout(&run(&["catalog", "machines"])));
}

#[test]
fn everything_else_as_a_table() {
    let all = stdout(&run(&["catalog"]));
    let (machines, others) = all.split_once("\nworkloads: ").expect("workloads follow the machines");
    assert!(machines.starts_with("machines: "), "{machines}");
    insta::assert_snapshot!("others", format!("workloads: {others}"));
}

#[test]
fn a_file_is_printed_unchanged() {
    let file = fs::read_to_string(config("machines/epyc-7501-2s.toml")).expect("a file of configs/");
    for name in ["@epyc-7501-2s", "epyc-7501-2s", "machines/epyc-7501-2s"] {
        assert_eq!(stdout(&run(&["catalog", name])), file, "{name}");
    }
}

#[test]
fn every_machine_states_origin_and_quality_of_each_value() {
    let catalog = json(&["catalog", "machines"]);
    let files = catalog["files"].as_array().expect("a list");
    assert!(files.len() >= 28, "{}", files.len());
    for file in files {
        let (name, machine) = (&file["name"], &file["machine"]);
        let figures = machine["figures"].as_object().expect("figures");
        assert!(machine["source"].is_string(), "{name} has no source");
        for key in ["cores", "gflops_per_core"] {
            assert!(figures.contains_key(key), "{name} does not say where {key} comes from");
        }
        assert!(figures.keys().any(|key| key.starts_with("bandwidth_")), "{name}");
        for (key, figure) in figures {
            assert!(figure["source"].is_string(), "{name} has no source for {key}");
        }
    }
}

#[test]
fn csv_has_a_row_for_each_value() {
    let csv = stdout(&run(&["catalog", "@graviton3", "--format", "csv"]));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "name,folder,nodes,cores,figure,kind,source");
    assert!(lines[1].starts_with("@graviton3,machines,1,64,bandwidth_gbs,theoretical,"), "{csv}");
    assert_eq!(lines.len(), 4, "{csv}");
}

#[test]
fn markdown_has_one_table_for_each_folder() {
    let text = stdout(&run(&["catalog", "--format", "markdown"]));
    assert!(text.contains("| @epyc-7501-2s |"), "{text}");
    assert!(text.contains("| @kernels/stencil2d |") && text.contains("| @tasks/stencil2d |"), "{text}");
}

#[test]
fn a_name_stands_for_the_file_wherever_a_study_is_read() {
    let from_disk = [config("machines/opteron-8n.toml"), config("workloads/hpc-node.toml")];
    let from_disk: Vec<&str> = from_disk.iter().map(|path| path.to_str().expect("UTF-8")).collect();
    for command in [&["check"][..], &["explore", "--time-limit", "0"], &["plot", "roofline"]] {
        // `plot` writes its picture to standard output.
        let answer = |files: &[&str]| run(&[command, files].concat()).stdout;
        let (named, read) = (answer(&["@opteron-8n", "@hpc-node"]), answer(&from_disk));
        assert!(!named.is_empty(), "{command:?}");
        if command[0] == "plot" {
            assert_eq!(named, read);
        }
    }
    let value = |file: &str| json(&["evaluate", file])["scenarios"].clone();
    assert_eq!(
        value("@uneven-even-nodes"),
        value(config("paper/uneven-even-nodes.toml").to_str().expect("UTF-8"))
    );
}

#[test]
fn a_problem_is_shown_with_name_and_place() {
    let folder = folder();
    let file = folder.path().join("more.toml");
    fs::write(&file, "[[app]]\nname = \"triad\"\narithmetic_intensity = 1\n").expect("a file for the test");
    let output = numasim()
        .args(["check", "@opteron-8n", "@hpc-node"])
        .arg(&file)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("@hpc-node:9:8"), "{text}");
}

#[test]
fn an_unknown_name_gets_a_suggestion_and_the_way_to_a_file_of_that_name() {
    let output = run(&["check", "@epyc-7501"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("unknown", stderr(&output));
    let folder = folder();
    fs::write(folder.path().join("@epyc-7501"), "[machine]\n").expect("a file for the test");
    let output = numasim()
        .args(["check", "./@epyc-7501"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(stderr(&output).contains("./@epyc-7501:1:"), "{}", stderr(&output));
}

#[test]
fn a_file_that_is_named_twice_is_refused() {
    let output = run(&["check", "@opteron-8n", "@machines/opteron-8n"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("@machines/opteron-8n is named twice"), "{}", stderr(&output));
}

#[test]
fn an_unfamiliar_name_gets_no_suggestion() {
    for name in ["foo", "xyz"] {
        let output = run(&["catalog", name]);
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(!text.contains("did you mean") && text.contains("lists all names"), "{text}");
    }
}
