//! The JSON Schemas of command output: they are stored in `schema/`, and accept the real output.

use std::fs;

use serde_json::Value;

use super::{ODD_NAMES, STENCIL, config_path, folder, printed, repository, run, stdout, table_iii, written};
use crate::check::schema::accepts;

/// Documents that have a schema: those of the files other than the schema of the input files.
fn documents() -> Vec<String> {
    let files = fs::read_dir(repository("schema")).expect("schema/").map(|file| file.expect("a file"));
    let names =
        files.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".schema.json")?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| name != "numasim").collect();
    names.sort();
    names
}

#[test]
fn every_document_of_the_program_has_a_file() {
    let refused = run(&["schema", "nothing"]);
    let words = String::from_utf8(refused.stderr).expect("UTF-8");
    let list =
        words.split_once("[possible values: ").and_then(|(_, rest)| rest.split_once(']')).expect("a list").0;
    let mut known: Vec<&str> = list.split(", ").collect();
    known.sort_unstable();
    assert_eq!(documents(), known);
}

fn schema(document: &str) -> Value {
    serde_json::from_str(&stdout(&run(&["schema", document]))).expect("valid JSON")
}

/// The schema of the command accepts its output.
#[track_caller]
fn accepted(args: &[&str]) -> Value {
    let other = [("--pareto", "pareto"), ("--machine", "machines")];
    let other = other.into_iter().find(|(switch, _)| args[0] == "explore" && args.contains(switch));
    let schema = schema(other.map_or(args[0], |(_, document)| document));
    let document: Value = serde_json::from_str(&printed(args, "json")).expect("valid JSON");
    assert!(accepts(&schema, &schema, &document), "the schema refuses {args:?}\n{document:#}");
    document
}

#[test]
fn the_schemas_in_the_repository_are_those_the_program_prints() {
    for document in documents() {
        let name = format!("schema/{document}.schema.json");
        let stored = fs::read_to_string(repository(&name)).unwrap_or_default();
        let printed = stdout(&run(&["schema", &document]));
        assert_eq!(stored, printed, "store it again: numasim schema {document} -o {name}");
    }
}

#[test]
fn schemas_accept_command_output() {
    let folder = folder();
    let odd = written(folder.path(), "odd.toml", ODD_NAMES);
    let stencil = written(folder.path(), "stencil.toml", STENCIL);
    let [study, option, measured] = table_iii();
    let opteron = config_path("machines/opteron-8n.toml");
    let workload = config_path("workloads/hpc-node.toml");
    let producer = config_path("dynamic/producer-consumer.toml");
    accepted(&["evaluate", &odd]);
    accepted(&["evaluate", &odd, "--explain", "--model", "max-min"]);
    accepted(&["evaluate", &odd, "--static-work"]);
    accepted(&["evaluate", &odd, "--model", "all"]);
    accepted(&["evaluate", &config_path("paper/numa-bad.toml")]);
    accepted(&["explore", &odd]);
    accepted(&["explore", &odd, "--objective", "fair", "--sensitivity"]);
    accepted(&["explore", &opteron, &workload, "--time-limit", "0.2", "--no-idle-cores"]);
    accepted(&["explore", &odd, "--pareto", "total-gflops,fair"]);
    let nehalem = config_path("machines/xeon-gold-6138-4s.toml");
    accepted(&["explore", "--machine", &opteron, "--machine", &nehalem, &workload, "--time-limit", "0.5"]);
    accepted(&["compare", &study, &option, &measured]);
    accepted(&["sweep", &odd, "--set", "machine.link_gbs=1..5:2"]);
    accepted(&["sweep", &odd, "--explore", "--set", "machine.link_gbs=1..5:2"]);
    accepted(&["sweep", &producer, "--simulate", "--set", "policy.period_ms=10,20"]);
    accepted(&["simulate", &producer, "--policy", "static-even", "--policy", "lead:2"]);
    let replayed = repository("tests/simulate/lead.jsonl").display().to_string();
    accepted(&["simulate", "--replay", &replayed]);
    accepted(&["tasks", &stencil, "--scheduler", "fifo,dep"]);
    accepted(&["explore", &odd, "--models", "all", "--simple"]);
    accepted(&["fit", &study, &option, &measured, "--free", "bandwidth_gbs"]);
    accepted(&["models"]);
    accepted(&["catalog"]);
    accepted(&["discriminate", &opteron]);
    if cfg!(feature = "hwloc") {
        accepted(&["detect"]);
        let one = written(folder.path(), "one.toml", FITS_EVERY_HOST);
        accepted(&["bench", &one, "--fit-host", "--dry-run"]);
        accepted(&["calibrate", "--dry-run"]);
    }
    for file in [&odd, &stencil, &producer, &study] {
        accepted(&["check", file]);
    }
}

const FITS_EVERY_HOST: &str = r#"
[machine]
name = "one core"
nodes = 1
cores_per_node = 1
gflops_per_core = 1.0
bandwidth_gbs = 1.0
link_gbs = 1.0
[[app]]
name = "a"
arithmetic_intensity = 0.5
[[scenario]]
name = "one thread"
threads = { a = 1 }
"#;

#[test]
fn schemas_refuse_impossible_output() {
    let folder = folder();
    let odd = written(folder.path(), "odd.toml", ODD_NAMES);
    let schema = schema("evaluate");
    let good = accepted(&["evaluate", &odd]);
    let mut cases = Vec::new();
    let mut unknown = good.clone();
    unknown["scenarios"][0]["apps"][0]["gflop"] = 1.into();
    cases.push(unknown);
    let mut missing = good.clone();
    missing["scenarios"][0].as_object_mut().expect("an object").remove("nodes");
    cases.push(missing);
    let mut null = good.clone();
    null["scenarios"][0]["total_gflops"] = Value::Null;
    cases.push(null);
    let mut word = good;
    word["scenarios"][0]["apps"][0]["bottleneck_per_node"][0] = "luck".into();
    cases.push(word);
    for (number, case) in cases.iter().enumerate() {
        assert!(!accepts(&schema, &schema, case), "case {number} is accepted");
    }
}

#[test]
fn every_value_of_a_schema_is_described() {
    for document in documents() {
        undescribed(&schema(&document), &document);
    }
}

/// Panics if a key of an object has no description.
fn undescribed(schema: &Value, path: &str) {
    if let Some(keys) = schema.get("properties").and_then(Value::as_object) {
        for (key, about) in keys {
            assert!(about["description"].is_string(), "{path}: {key} has no description");
        }
    }
    match schema {
        Value::Object(parts) => {
            parts.iter().for_each(|(key, part)| undescribed(part, &format!("{path}/{key}")));
        }
        Value::Array(parts) => parts.iter().for_each(|part| undescribed(part, path)),
        _ => {}
    }
}
