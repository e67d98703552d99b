//! The sharing models as users see them: chosen on the command line or in a file, side by side, explained, varied.

use std::process::Output;

use serde_json::Value;

use crate::common::{self, stderr, stdout, study};

/// One node of 8 cores; a thread of `heavy` wants 40 GB/s, one of `light` 6 GB/s.
const STUDY: &str = "\
[machine]
name = \"one node\"
nodes = 1
cores_per_node = 8
gflops_per_core = 60.0
bandwidth_gbs = 32.0
SHARING
[[app]]
name = \"heavy\"
arithmetic_intensity = 1.5
max_threads = 1
[[app]]
name = \"light\"
arithmetic_intensity = 10.0
max_threads = 2
[[scenario]]
name = \"three\"
threads = { heavy = 1, light = 2 }
";

const MODELS: [&str; 6] =
    ["baseline-proportional", "remote-first", "max-min", "proportional", "request-fraction", "ecm"];

fn numasim(sharing: &str, command: &str, more: &[&str]) -> Output {
    let (_folder, file) = study(&STUDY.replace("SHARING", sharing));
    common::numasim().arg(command).arg(&file).args(more).output().expect("the program starts")
}

fn models(args: &[&str]) -> Output {
    common::run(&[&["models"], args].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).expect("valid JSON")
}

/// GB/s of the one thread of `heavy`.
fn heavy(document: &Value) -> f64 {
    document["scenarios"][0]["apps"][0]["bandwidth_gbs"].as_f64().expect("a number")
}

#[test]
fn a_model_is_chosen_on_the_command_line_or_in_the_file_and_the_command_line_wins() {
    // 22 GB/s under the default, 20 under max-min, 24.6 proportionally (crates/model/tests/models.rs)
    let file = "[machine.sharing]\nmodel = \"max-min\"";
    for (sharing, more, model, gbs) in [
        ("", &[][..], "baseline-proportional", 22.0),
        ("", &["--model", "max-min"][..], "max-min", 20.0),
        (file, &[][..], "max-min", 20.0),
        (file, &["--model", "proportional"][..], "proportional", 32.0 * 40.0 / 52.0),
    ] {
        let document = json(&numasim(sharing, "evaluate", &[&["--format", "json"][..], more].concat()));
        assert_eq!(document["model"], model);
        assert!((heavy(&document) - gbs).abs() < 1e-9, "{document}");
    }
}

#[test]
fn corrections_in_the_file_are_named_with_the_result() {
    let sharing = "[machine.sharing]\nmodel = \"max-min\"\ncore_local_gbs = 12.0";
    let document = json(&numasim(sharing, "evaluate", &["--format", "json"]));
    assert_eq!(document["model_parameters"]["core_local_gbs"], 12.0);
    assert!((heavy(&document) - 12.0).abs() < 1e-9);
    let table = stdout(&numasim(sharing, "evaluate", &[]));
    assert!(table.contains("Model:   max-min (core_local_gbs 12)"), "{table}");
}

#[test]
fn a_correction_that_the_model_ignores_is_reported() {
    let sharing = "[machine.sharing]\necm_penalty = 0.5";
    let output = numasim(sharing, "evaluate", &["--model", "max-min"]);
    stdout(&output);
    assert_eq!(
        stderr(&output),
        "warning: the model max-min does not look at ecm_penalty of [machine.sharing]\n"
    );
}

#[test]
fn all_models_side_by_side() {
    let table = stdout(&numasim("", "evaluate", &["--model", "all"]));
    assert!(MODELS.iter().all(|name| table.contains(name)), "{table}");
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("models_side_by_side", table);
    });
    let document = json(&numasim("", "evaluate", &["--model", "all", "--format", "json"]));
    assert_eq!(document["model"], "all");
    for (entry, name) in document["models"].as_array().expect("a list").iter().zip(MODELS) {
        let alone = json(&numasim("", "evaluate", &["--model", name, "--format", "json"]));
        assert_eq!((&entry["model"], &entry["scenarios"]), (&alone["model"], &alone["scenarios"]));
    }
    let csv = stdout(&numasim("", "evaluate", &["--model", "all", "--format", "csv"]));
    assert!(csv.starts_with("model,scenario,app,node,"), "{csv}");
    // a header, and two applications on one node for each model
    assert_eq!(csv.lines().count(), 1 + 2 * MODELS.len());
}

#[test]
fn all_models_cannot_be_explained_or_written_as_commands_at_once() {
    for more in [&["--explain"][..], &["--emit", "omp"]] {
        let output = numasim("", "evaluate", &[&["--model", "all"][..], more].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("name the model with --model"), "{}", stderr(&output));
    }
}

#[test]
fn an_explanation_describes_the_sharing_of_the_model() {
    let text = stdout(&numasim("", "evaluate", &["--model", "max-min", "--explain"]));
    assert!(text.contains("How max-min shares"), "{text}");
    assert!(text.contains("its own controller"), "{text}");
}

#[test]
fn an_unknown_model_is_a_mistake_on_the_command_line() {
    let output = numasim("", "evaluate", &["--model", "maxmin"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("max-min"), "{}", stderr(&output));
    // Only evaluate shows all.
    assert_eq!(numasim("", "explore", &["--model", "all"]).status.code(), Some(2));
}

#[test]
fn explore_searches_under_every_model() {
    for name in MODELS {
        let document = json(&numasim("", "explore", &["--model", name, "--format", "json"]));
        assert_eq!((&document["model"], &document["status"]), (&name.into(), &"optimal".into()), "{name}");
    }
}

#[test]
fn a_sweep_varies_a_parameter_of_the_model() {
    let set = ["--model", "max-min", "--set", "machine.sharing.core_local_gbs=10,12,40"];
    let csv = stdout(&numasim("", "sweep", &[&set[..], &["--format", "csv"]].concat()));
    assert_eq!(csv.lines().count(), 4, "{csv}");
    // 10 GB/s x 1.5 FLOP/byte + 2 x 6 x 10 = 135; 12: 138; 40 leaves 20: 30 + 120 = 150
    for (line, total) in csv.lines().skip(1).zip(["135", "138", "150"]) {
        assert!(line.split(',').any(|cell| cell == total), "{line}");
    }
}

#[test]
fn a_sweep_refuses_parameters_without_influence_and_values_out_of_range() {
    for (set, message) in [
        ("machine.sharing.ecm_penalty=1,2", "machine.sharing.ecm_penalty has no influence on the model"),
        ("machine.sharing.link_efficiency=0.5,1.5", "must be a number from 0.001 to 1, not 1.5"),
        ("machine.sharing.outstanding_lines=5,10", "needs the latencies of the machine"),
        ("machine.sharing.knee=0.1", "machine.sharing has no key 'knee'"),
    ] {
        let output = numasim("", "sweep", &["--set", set]);
        assert_eq!(output.status.code(), Some(1), "{set}");
        assert!(stderr(&output).contains(message), "{set}: {}", stderr(&output));
    }
}

#[test]
fn every_model_is_explained() {
    let text = stdout(&models(&[]));
    assert!(MODELS.iter().all(|name| text.contains(name)));
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("models", text);
    });
    let document = json(&models(&["--format", "json"]));
    for (model, name) in document["models"].as_array().expect("a list").iter().zip(MODELS) {
        assert_eq!(model["name"], name);
        assert!(model["parameters"].as_array().is_some_and(|list| !list.is_empty()), "{name}");
    }
}

#[test]
fn one_model_is_explained_alone() {
    let text = stdout(&models(&["ecm"]));
    assert!(text.starts_with("ecm\n") && !text.contains("\nmax-min"), "{text}");
    assert!(text.contains("ecm_penalty"), "{text}");
    assert_eq!(models(&["nobody"]).status.code(), Some(2));
}

#[test]
fn check_shows_the_sharing_model_of_the_machine() {
    let sharing =
        "latency_matrix_ns = [[90]]\n[machine.sharing]\nmodel = \"max-min\"\noutstanding_lines = 12";
    let text = stdout(&numasim(sharing, "check", &[]));
    assert!(text.contains("max-min (outstanding_lines 12)"), "{text}");
    let document = json(&numasim(sharing, "check", &["--format", "json"]));
    assert_eq!(document["machine"]["sharing"]["model"], "max-min");
    assert_eq!(document["machine"]["sharing"]["parameters"]["outstanding_lines"], 12.0);
    assert_eq!(document["machine"]["latency_matrix_ns"][0][0], 90.0);
}

#[test]
fn the_first_question_of_the_readme_is_proven_under_the_model_of_its_machine() {
    // Four nodes of 20 cores, the data of one application at a home to be chosen: 5.1e16 allocations.
    let args = ["explore", "@xeon-gold-6138-4s", "@genomics", "--objective", "geomean", "--format", "json"];
    let document = json(&common::run(&args));
    assert_eq!(document["status"], "optimal", "{document}");
    assert_eq!((&document["model"], &document["penalties"]), (&"ecm".into(), &"usual".into()));
    let value = document["value"].as_f64().expect("a value");
    assert!((value - 0.4847).abs() < 5e-5, "{value}");
}
