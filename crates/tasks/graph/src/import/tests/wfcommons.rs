//! WfFormat.

use super::{refused, seen};
use crate::import::wfcommons::read;

/// One task splits a file, two work on the parts, one joins them; a last one only waits, and appends to the log of the first.
const WORKFLOW: &str = r#"{
  "name": "split-and-join",
  "schemaVersion": "1.5",
  "workflow": {
    "specification": {
      "tasks": [
        {"name": "join", "id": "join_4", "parents": ["work_2", "work_3"], "children": ["report_5"],
         "inputFiles": ["r2", "r3"], "outputFiles": ["out"]},
        {"name": "split", "id": "split_1", "parents": [], "children": ["work_2", "work_3"],
         "inputFiles": ["in"], "outputFiles": ["p2", "p3", "log"]},
        {"name": "work", "id": "work_2", "parents": ["split_1"], "children": ["join_4"], "inputFiles": ["p2"], "outputFiles": ["r2"]},
        {"name": "work", "id": "work_3", "parents": [], "children": ["join_4"], "inputFiles": ["p3"], "outputFiles": ["r3"]},
        {"name": "report", "id": "report_5", "parents": ["join_4"], "children": [], "inputFiles": ["log"], "outputFiles": ["log"]}
      ],
      "files": [
        {"id": "in", "sizeInBytes": 4000}, {"id": "p2", "sizeInBytes": 1000}, {"id": "p3", "sizeInBytes": 3000},
        {"id": "r2", "sizeInBytes": 10}, {"id": "r3", "sizeInBytes": 30}, {"id": "out", "sizeInBytes": 40}, {"id": "log", "sizeInBytes": 5}
      ]
    },
    "execution": {
      "makespanInSeconds": 12, "executedAt": "2024-01-01T00:00:00Z",
      "tasks": [
        {"id": "split_1", "runtimeInSeconds": 2.0, "avgCPU": 50.0},
        {"id": "work_2", "runtimeInSeconds": 3.0, "avgCPU": 100, "coreCount": 1},
        {"id": "work_3", "runtimeInSeconds": 3.0, "avgCPU": 390.0, "coreCount": 4},
        {"id": "join_4", "runtimeInSeconds": 1.5},
        {"id": "report_5", "runtimeInSeconds": 0, "avgCPU": null}
      ]
    }
  }
}
"#;

#[test]
fn files_are_blocks_and_parents_without_files_wait_for_nothing_but_order() {
    // 10 GFLOPS: 2 s x 50 % = 10 GFLOP, 3 s x 390 % = 117 GFLOP.
    let imported = read(WORKFLOW, "file", 10.0).expect("in order");
    insta::assert_snapshot!(seen(WORKFLOW, &imported));
    let newer = WORKFLOW.replace("\"1.5\"", "\"1.6\"");
    assert_eq!(read(&newer, "file", 10.0).expect("in order").graph, imported.graph);
}

#[test]
fn older_versions_are_refused_with_the_tool_that_migrates_them() {
    let shown: Vec<String> = ["1.3", "1.4", "2.0"]
        .iter()
        .map(|version| {
            let text = WORKFLOW.replace("\"1.5\"", &format!("\"{version}\""));
            refused(&text, read(&text, "file", 1.0))
        })
        .collect();
    insta::assert_snapshot!(shown.concat());
    let old = r#"{"schemaVersion": "1.5", "workflow": {"tasks": []}}"#;
    insta::assert_snapshot!(refused(old, read(old, "file", 1.0)));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let text = WORKFLOW
        .replace("\"parents\": [\"split_1\"]", "\"parents\": [\"split_9\"]")
        .replace("\"children\": [\"report_5\"]", "\"children\": [\"report\"]")
        .replace(
            "{\"id\": \"report_5\", \"runtimeInSeconds\": 0,",
            "{\"id\": \"report_5\", \"runtimeInSeconds\": 0}, {\"id\": \"other\", \"runtimeInSeconds\": 0,",
        );
    insta::assert_snapshot!(refused(&text, read(&text, "file", 1.0)));
    let text = WORKFLOW
        .replace("\"sizeInBytes\": 1000", "\"sizeInBytes\": -1000")
        .replace("\"sizeInBytes\": 10}", "\"sizeInBytes\": \"10\"}")
        .replace(
            "\"id\": \"work_3\", \"runtimeInSeconds\": 3.0",
            "\"id\": \"work_2\", \"runtimeInSeconds\": 3.0",
        )
        .replace("\"inputFiles\": [\"in\"]", "\"inputFiles\": [\"missing\"]")
        .replace(
            "\"id\": \"join_4\", \"runtimeInSeconds\": 1.5",
            "\"id\": \"join_4\", \"runtimeInSeconds\": -1.5",
        );
    insta::assert_snapshot!(refused(&text, read(&text, "file", 1.0)));
}

#[test]
fn files_and_figures_that_are_not_there_are_named() {
    let text = WORKFLOW
        .replace("\"inputFiles\": [\"in\"]", "\"inputFiles\": [\"missing\"]")
        .replace("{\"id\": \"join_4\", \"runtimeInSeconds\": 1.5},", "");
    assert_eq!(
        refused(&text, read(&text, "file", 1.0)),
        "file:7:32 [\"join_4\"] the task `join_4` is not in `workflow.execution.tasks`\n\
         file:10:25 [\"missing\"] `inputFiles` names `missing`, which is not in `workflow.specification.files`\n"
    );
}

#[test]
fn what_is_no_instance_is_shown_where_it_goes_wrong() {
    let cut = &WORKFLOW[..WORKFLOW.find("\"files\"").expect("files") - 20];
    let all = [
        "",
        "[1, 2]",
        "{\"name\": \"x\",\n \"workflow\" {}}",
        "{\"schemaVersion\": \"1.5\"}",
        "{\"workflow\": {}}",
        "{\"workflow\": {\"specification\": 7}, \"schemaVersion\": \"1.5\"}",
        "{\"workflow\": {\"specification\": {\"tasks\": []}}, \"schemaVersion\": \"1.5\"}",
        "{\"workflow\": {\"specification\": {}, \"execution\": {\"tasks\": {}}}, \"schemaVersion\": \"1.5\"}",
        "{\"workflow\": \"\u{fc}\u{fc}\u{fc}",
    ];
    let mut shown: Vec<String> =
        all.iter().map(|text| format!("{text}\n  {}", refused(text, read(text, "g", 1.0)))).collect();
    shown.push(refused(cut, read(cut, "g", 1.0)));
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn a_circle_is_named() {
    let text = WORKFLOW
        .replace("\"id\": \"split_1\", \"parents\": []", "\"id\": \"split_1\", \"parents\": [\"report_5\"]");
    insta::assert_snapshot!(refused(&text, read(&text, "file", 1.0)));
}

#[test]
fn nesting_without_end_is_no_instance() {
    let deep = format!("{{\"workflow\": {}", "[".repeat(1_000_000));
    assert!(refused(&deep, read(&deep, "g", 1.0)).contains("this is not JSON"));
}

#[test]
fn what_would_be_read_wrongly_without_a_word_is_said() {
    // The last one of two equal keys would count; a file without tasks is no workflow.
    let twice =
        WORKFLOW.replace("\"runtimeInSeconds\": 1.5", "\"runtimeInSeconds\": 1.5, \"runtimeInSeconds\": 15");
    assert_eq!(
        refused(&twice, read(&twice, "file", 1.0)),
        "file:26:71 [15] this object has `runtimeInSeconds` twice\n"
    );
    let none = "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": []}, \"execution\": {\"tasks\": []}}}";
    assert_eq!(
        refused(none, read(none, "file", 1.0)),
        "file:1:1 [] there are no tasks: this graph is empty\n"
    );
    // 3 s at 0 % of a core.
    let idle = WORKFLOW.replace("\"avgCPU\": 100,", "\"avgCPU\": 0,");
    let warnings = read(&idle, "file", 1.0).expect("in order").warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.message
                == "the task `work_2` with `avgCPU` 0: no work, whatever their time"),
        "{warnings:?}"
    );
    // 1e39 s x 10 GFLOPS exceed the largest usable amount.
    let long = WORKFLOW.replace(
        "\"runtimeInSeconds\": 2.0, \"avgCPU\": 50.0",
        "\"runtimeInSeconds\": 1e39, \"avgCPU\": 5000",
    );
    assert!(refused(&long, read(&long, "file", 10.0)).contains(" GFLOP, but at most 1e40 is read"));
}
