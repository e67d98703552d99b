//! `numasim check` shows every value that it read, and the values that no file gives. The JSON Schema agrees with it.

pub(crate) mod schema;

use std::fs;

use serde_json::{Value, json};

use crate::common::{numasim, repository, stderr, stdout, study};

/// The output of the program in the root of the repository.
fn run(args: &[&str]) -> String {
    stdout(&numasim().args(args).current_dir(repository("")).output().expect("the program starts"))
}

fn checked(files: &[&str]) -> Value {
    let text = run(&[&["check", "--format", "json"], files].concat());
    serde_json::from_str(&text).expect("valid JSON")
}

#[test]
fn a_machine_of_eight_nodes_fits_into_a_hundred_columns() {
    let text = run(&["check", "configs/machines/opteron-8n.toml", "configs/workloads/hpc-node.toml"]);
    insta::assert_snapshot!("check_eight_nodes", text);
    // The first line names the files.
    assert!(text.lines().skip(1).all(|line| line.chars().count() <= 100));
}

#[test]
fn a_study_of_the_paper_is_shown_with_its_scenarios() {
    insta::assert_snapshot!("check_numa_bad", run(&["check", "configs/paper/numa-bad.toml"]));
}

#[test]
fn a_node_without_cores_is_reported_separately() {
    insta::assert_snapshot!(
        "check_memory_only",
        run(&["check", "configs/machines/epyc-9224-2s-nps2-cxl.toml"])
    );
}

#[test]
fn sockets_shared_links_memory_and_allowed_nodes_are_shown() {
    let text = run(&["check", "tests/check/sockets.toml"]);
    assert!(text.lines().all(|line| line.chars().count() <= 100));
    insta::assert_snapshot!("check_sockets", text);
    let read = checked(&["tests/check/sockets.toml"]);
    assert_eq!(read["machine"]["sockets"], json!(2));
    let first = json!({
        "name": "socket 0 - socket 1", "gbs": 90.0, "from": [0, 1, 2, 3], "to": [4, 5, 6, 7], "both_ways": true
    });
    assert_eq!(read["machine"]["shared_links"][0], first);
    assert_eq!(read["machine"]["nodes"][7]["read_gbs"], json!(100.0));
    assert_eq!(read["machine"]["nodes"][7]["memory_gib"], json!(64.0));
    assert_eq!(
        (&read["apps"][0]["nodes"], &read["apps"][1]["nodes"]),
        (&json!([0, 1, 2, 3, 6]), &Value::Null)
    );
    assert_eq!(read["apps"][0]["data"], json!({ "home": 0, "share": 0.25 }));
    assert_eq!(read["apps"][1]["data"], json!({ "interleave": 0.3 }));
    assert_eq!(read["apps"][0]["memory_gib"], json!(40.0));
}

#[test]
fn keys_about_time_are_shown_if_a_file_has_them() {
    let text = run(&["check", "tests/check/over-time.toml"]);
    assert!(text.lines().all(|line| line.chars().count() <= 100));
    insta::assert_snapshot!("check_over_time", text);
    let read = checked(&["tests/check/over-time.toml"]);
    let consumer = &read["apps"][2]["over_time"];
    assert_eq!((&consumer["threads"], &consumer["control"]), (&json!([6, 2]), &json!("total")));
    assert_eq!(consumer["phases"][0]["task_gflop"], json!([3.0, 4.0]));
    // 1000 GFLOP in 100 iterations of 64 tasks.
    assert_eq!(read["apps"][0]["over_time"]["phases"][0]["task_gflop"], json!([0.15625]));
    assert_eq!(read["channels"][0]["capacity"], json!(4));
    assert_eq!(read["calls"][0], json!({ "from": "producer", "to": "solver", "every": 2 }));
    assert_eq!(read["commands"][2], json!({ "at_s": 1.0, "app": "solver", "cores": [0, 5] }));
    assert_eq!(read["os"], json!({ "slice_ms": 4.0, "switch_us": 5.0, "refill_ms": 0.1 }));
    assert_eq!(read["cluster"], json!({ "nodes": 16, "sync": "barrier", "policy_on": 8, "noise": 0.0 }));
    let csv = run(&["check", "--format", "csv", "tests/check/over-time.toml"]);
    for line in [
        "app,consumer,threads,6 2,false",
        "app,producer,phase.0.scaling,linear,true",
        "app,solver,phase.1.gflop,2.0,false",
        "channel,producer -> consumer-2,capacity,,true",
        "command,consumer-2,total,2,false",
        "os,,switch_us,5.0,true",
    ] {
        assert!(csv.lines().any(|found| found == line), "{line} is missing in\n{csv}");
    }
    // A file without keys about time is shown as before.
    assert!(!run(&["check", "configs/paper/numa-bad.toml"]).contains("OVER TIME"));
}

#[test]
fn implausible_values_cause_warnings() {
    let wrong = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 100000\n";
    let app =
        "[[app]]\nname = \"a\"\narithmetic_intensity = 1\n[[scenario]]\nname = \"s\"\nthreads = { a = 1 }\n";
    let (_folder, file) = study(&format!("{wrong}{app}"));
    for command in ["check", "evaluate", "explore"] {
        let output = numasim().arg(command).arg(&file).output().expect("the program starts");
        let said = stderr(&output);
        let words =
            "warning: machine 'm': the link on which node 0 reads node 1 has 100000 GB/s (and 1 more link)";
        assert!(output.status.success() && said.contains(words), "{command}: {said}");
    }
}

#[test]
fn values_of_kernels_are_shown_and_missing_ones_listed() {
    let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 8\n\
                triad_gbs = 24\n[[app]]\nname = \"t\"\narithmetic_intensity = 1\nkernel = \"triad\"\n\
                [[app]]\nname = \"c\"\narithmetic_intensity = 1\nkernel = \"copy\"\n";
    let (_folder, file) = study(text);
    let path = file.display().to_string();
    let read = checked(&[&path]);
    assert_eq!(read["machine"]["nodes"][1]["triad_gbs"], json!(24.0));
    assert_eq!(read["machine"]["nodes"][1]["copy_gbs"], Value::Null);
    let defaults = read["defaults"].as_array().expect("a list");
    let of = |key: &str| defaults.iter().filter(|default| default["key"] == key).collect::<Vec<_>>();
    // Copies are used but not measured; no application uses updates.
    let missed =
        json!({ "table": "machine", "name": "m", "key": "copy_gbs", "value": "the bandwidth of reads" });
    assert_eq!((of("copy_gbs"), of("triad_gbs").len(), of("update_gbs").len()), (vec![&missed], 0, 0));
    let table = run(&["check", &path]);
    assert!(table.contains("triad GB/s") && table.contains("as reads (default)"), "{table}");
    let lines = run(&["check", &path, "--format", "csv"]);
    assert!(
        lines.contains("node,1,triad_gbs,24,false\n") && lines.contains("node,1,copy_gbs,,true\n"),
        "{lines}"
    );
}

#[test]
fn shipped_machines_cause_no_warnings() {
    for entry in fs::read_dir(repository("configs/machines")).expect("the machines") {
        let path = entry.expect("an entry").path();
        let read = checked(&[&path.display().to_string()]);
        assert_eq!(read["machine"]["doubts"], json!([]), "{}", path.display());
    }
}

#[test]
fn json_has_every_value_and_lists_the_defaults() {
    let read = checked(&["configs/paper/numa-bad.toml"]);
    assert_eq!((&read["schema"], &read["command"]), (&json!(1), &json!("check")));
    assert_eq!(read["machine"]["nodes"][3]["bandwidth_gbs"], json!(60.0));
    assert_eq!(read["machine"]["links"].as_array().map(Vec::len), Some(12));
    assert_eq!(read["machine"]["provenance"]["link_gbs"]["kind"], json!("estimated"));
    assert_eq!(read["apps"][3]["data"], json!({ "home": 0 }));
    assert_eq!(read["apps"][0]["max_threads"], Value::Null);
    assert_eq!(read["scenarios"][1]["threads"]["mem-2"], json!([0, 8, 0, 0]));
    assert_eq!(read["scenarios"][1]["data"]["bad"], json!({ "home": 3 }));
    let defaults = read["defaults"].as_array().expect("a list");
    let weight = json!({ "table": "app", "name": "mem", "key": "weight", "value": "1" });
    assert!(defaults.contains(&weight), "{defaults:?}");
}

#[test]
fn csv_has_one_line_for_each_value() {
    let text = run(&["check", "--format", "csv", "configs/paper/numa-bad.toml"]);
    for line in [
        "table,name,key,value,default",
        "machine.node,0,cores,8,false",
        "machine.node,0,core_bandwidth_gbs,,true",
        "app,mem,instances,3,false",
        "app,mem,max_threads,,true",
        "app,bad,data,\"{\"\"home\"\":0}\",false",
        "scenario,\"one app per node, data local\",threads.mem-2,0 8 0 0,false",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
    }
}

#[test]
fn a_result_goes_to_a_file_and_never_over_its_input() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let target = folder.path().join("read.json");
    let target = target.to_str().expect("a plain path");
    let printed = run(&["check", "configs/paper/numa-bad.toml", "--format", "json", "-o", target]);
    assert!(printed.is_empty());
    let written = fs::read_to_string(target).expect("written");
    assert_eq!(written, run(&["check", "configs/paper/numa-bad.toml", "--format", "json"]));
}

fn as_json(text: &str) -> Option<Value> {
    let table: toml::Table = text.parse().ok()?;
    serde_json::to_value(table).ok()
}

#[test]
fn the_schema_in_the_repository_is_the_one_the_program_prints() {
    let stored = fs::read_to_string(repository("schema/numasim.schema.json")).expect("the stored schema");
    assert_eq!(stored, run(&["schema"]), "store it again: numasim schema -o schema/numasim.schema.json");
}

/// The schema that the program prints.
fn printed_schema() -> Value {
    serde_json::from_str(&run(&["schema"])).expect("valid JSON")
}

#[test]
fn the_schema_accepts_every_file_of_configs() {
    let schema = printed_schema();
    let mut seen = 0;
    for folder in ["machines", "paper", "workloads", "applications", "dynamic", "tasks", "tasks/machines"] {
        let entries = fs::read_dir(repository("configs").join(folder)).expect("a folder of configs");
        for path in entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()) {
            let file = as_json(&fs::read_to_string(&path).expect("a text")).expect("TOML");
            assert!(schema::accepts(&schema, &schema, &file), "the schema refuses {}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 40, "only {seen} files");
}

#[test]
fn the_schema_refuses_mistakes_in_one_table() {
    let schema = printed_schema();
    for name in include_str!("check/refused-by-schema.txt").lines() {
        let text =
            fs::read_to_string(repository(&format!("tests/broken/{name}.toml"))).expect("a broken file");
        let file = as_json(&text).expect("TOML");
        assert!(!schema::accepts(&schema, &schema, &file), "the schema accepts {name}");
    }
}

#[test]
fn tasks_caches_and_distances_are_shown() {
    let file = "tests/check/tasks.toml";
    let text = run(&["check", file]);
    assert!(text.lines().all(|line| line.chars().count() <= 100));
    insta::assert_snapshot!("check_tasks", text);
    let read = checked(&[file]);
    let graph =
        json!({ "name": "two steps", "blocks": 2, "tasks": 2, "accesses": 3, "types": ["step", "task"] });
    assert_eq!(read["graph"], graph);
    assert_eq!((&read["scheduler"]["name"], &read["scheduler"]["window"]), (&json!("rip-mw"), &json!(64)));
    assert_eq!((&read["runtime"]["throttle"], &read["runtime"]["creation_us"]), (&Value::Null, &json!(0.25)));
    let machine = &read["machine"];
    assert_eq!(machine["distance_matrix"], json!([[10.0, 21.0], [21.0, 10.0]]));
    let caches: Vec<&Value> = (0..2).map(|node| &machine["nodes"][node]["llc_mb"]).collect();
    assert_eq!((caches, &machine["nodes"][0]["llc_gbs"]), (vec![&json!(20.0), &Value::Null], &json!(25.0)));
    let lines = run(&["check", "--format", "csv", file]);
    for line in [
        "machine.node,0,llc_mb,20,false",
        "machine,2 nodes x 2 cores,distance_matrix[0][1],21,false",
        "graph,,name,two steps,false",
        "scheduler,,window,64,false",
        "scheduler,,stride,2,true",
        "runtime,,ties,random,true",
    ] {
        assert!(lines.lines().any(|found| found == line), "{line}\n{lines}");
    }
}

#[test]
fn files_without_tasks_say_nothing_of_them() {
    let read = checked(&["configs/paper/numa-bad.toml"]);
    assert_eq!([&read["graph"], &read["scheduler"], &read["runtime"]], [&Value::Null; 3]);
}

#[test]
fn the_parameters_of_a_generator_are_shown() {
    let read = checked(&["configs/tasks/cholesky.toml"]);
    let graph = json!({ "name": "cholesky", "generator": "cholesky", "n": 4, "tile": 128, "init": true });
    assert_eq!(read["graph"], graph);
    let listed = json!({ "table": "graph", "name": "", "key": "init", "value": "true" });
    assert!(read["defaults"].as_array().is_some_and(|all| all.contains(&listed)), "{:#}", read["defaults"]);
}
