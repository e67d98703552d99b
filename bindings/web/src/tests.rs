//! The three questions, asked as the page asks them.

use std::sync::Mutex;

use serde_json::{Value, json};

use crate::{Outside, evaluate, explore, read};

const STUDY: &str = "\
[machine]
name = \"two nodes\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 32.0
link_gbs = 10.0
[[app]]
name = \"mem\"
arithmetic_intensity = 0.5
[[app]]
name = \"bad\"
arithmetic_intensity = 1.0
data = { home = \"any\" }
";

/// A clock that stands still, and what it was told.
#[derive(Default)]
struct Still(Mutex<Vec<String>>);

impl Outside for Still {
    fn now_ms(&self) -> f64 {
        0.0
    }
    fn tell(&self, progress: &str) {
        self.0.lock().expect("one thread").push(progress.to_owned());
    }
}

fn question(more: &Value) -> String {
    let mut question = json!({ "files": [{ "name": "study.toml", "text": STUDY }] });
    for (key, value) in more.as_object().expect("an object") {
        question[key] = value.clone();
    }
    question.to_string()
}

fn answer(text: Result<String, String>) -> Value {
    serde_json::from_str(&text.expect("an answer")).expect("JSON")
}

#[test]
fn what_files_have_is_listed_with_placements_to_begin_with() {
    let contents = answer(read(&question(&json!({}))));
    assert_eq!(contents["machine"], "two nodes (2 NUMA nodes, 8 cores)");
    assert_eq!(contents["link_gbs"], json!([[null, 10.0], [10.0, null]]));
    assert_eq!(contents["apps"][1]["has_home"], true);
    assert_eq!(contents["apps"][1]["data"], Value::Null);
    // 4 cores / 2 applications; `bad` reads its home from both nodes.
    assert_eq!(contents["starts"][0]["name"], "even");
    assert_eq!(contents["starts"][0]["threads"], json!([[2, 2], [2, 2]]));
    assert_eq!(contents["starts"][1]["name"], "one app per node");
}

#[test]
fn a_placement_is_evaluated_with_its_map_and_as_a_scenario_of_a_file() {
    let placed = json!({ "name": "what-if", "threads": [[4, 0], [0, 2]], "homes": [null, 1] });
    let found = answer(evaluate(&question(&json!({ "placed": placed }))));
    let scenario = &found["document"]["scenarios"][0];
    // mem: 4 threads want 20 GB/s each and share 32 GB/s: 16 GFLOPS; bad: 2 threads at 10 GFLOPS and 10 GB/s each.
    assert_eq!(scenario["apps"][0]["gflops"], 16.0);
    assert_eq!(scenario["apps"][1]["gflops"], 20.0);
    assert_eq!(found["worth"], json!([[36.0, "GFLOPS"]]));
    assert!(found["maps"][0].as_str().expect("text").starts_with("<svg "));
    assert_eq!(found["held_back"][0][0], "own memory controller on node 0");
    assert_eq!(
        found["placed"],
        "[[scenario]]\nname = \"what-if\"\nthreads = { \"mem\" = [4, 0], \"bad\" = [0, 2] }\ndata = { \"bad\" = { home = 1 } }\n"
    );
}

#[test]
fn what_counts_something_else_is_worth_that() {
    let db = "[[app]]\nname = \"db\"\nrate = { unit = \"queries/s\", per_gb = 125.0 }\nthread_gbs = 10.0\n";
    let (machine, _) = STUDY.split_once("[[app]]").expect("applications");
    let files = json!([{ "name": "study.toml", "text": format!("{machine}{db}") }]);
    let placed = json!({ "name": "what-if", "threads": [[4, 0]], "homes": [null] });
    let found = answer(evaluate(&question(&json!({ "files": files, "placed": placed }))));
    // 4 threads want 40 GB/s and get all 32, with 125 queries in each GB.
    assert_eq!(found["worth"], json!([[4000.0, "queries/s"]]));
}

#[test]
fn changed_figures_are_those_of_a_sweep() {
    let placed = json!({ "name": "what-if", "threads": [[4, 0], [0, 2]], "homes": [null, 1] });
    let set = ["machine.node.0.bandwidth_gbs=20", "app.bad.arithmetic_intensity=2"];
    let found = answer(evaluate(&question(&json!({ "placed": placed, "set": set }))));
    let apps = &found["document"]["scenarios"][0]["apps"];
    assert_eq!((apps[0]["gflops"].as_f64(), apps[1]["bandwidth_gbs"].as_f64()), (Some(10.0), Some(10.0)));
    let wrong = evaluate(&question(&json!({ "placed": placed, "set": ["machine.link_gbs=0"] })));
    assert!(wrong.expect_err("no bandwidth").contains("must be a finite number above 0"));
}

#[test]
fn mistakes_have_their_place() {
    let too_many = json!({ "name": "what-if", "threads": [[4, 0], [1, 2]], "homes": [null, 0] });
    let said = evaluate(&question(&json!({ "placed": too_many }))).expect_err("five threads on four cores");
    assert!(said.contains("what-if.toml:3:"), "{said}");
    let text = STUDY.replace("cores_per_node", "cores_per_nod");
    let said = read(&json!({ "files": [{ "name": "study.toml", "text": text }] }).to_string());
    let said = said.expect_err("an unknown key");
    assert!(said.contains("study.toml:4:1") && said.contains("cores_per_node"), "{said}");
    let open = json!({ "name": "what-if", "threads": [[4, 0], [0, 2]] });
    let said = evaluate(&question(&json!({ "placed": open }))).expect_err("no home");
    assert_eq!(said, "error: the home of the data of 'bad' is open: choose a node\n");
    assert!(evaluate("{}").expect_err("no files").starts_with("error: this is no question: "));
}

#[test]
fn the_best_placement_is_proven_and_can_be_shown() {
    let found = answer(explore(&question(&json!({})), &Still::default()));
    assert_eq!(found["document"]["status"], "optimal");
    // Every core at its peak: mem takes at most 1.6 threads' bandwidth on each node, bad on its home the others.
    let (best, placed) = (&found["document"]["best"], &found["placed"][0]);
    assert_eq!((&placed["name"], &placed["threads"][0]), (&json!("best"), &best["apps"][0]["threads"]));
    let again = answer(evaluate(&question(&json!({ "placed": placed }))));
    assert_eq!(again["document"]["scenarios"][0]["total_gflops"], best["total_gflops"]);
}

#[test]
fn a_search_without_time_says_that_it_was_ended() {
    let objective = json!({ "search": { "objective": "fastest" } });
    let said = explore(&question(&objective), &Still::default()).expect_err("no such objective");
    assert!(said.contains("there is: total-gflops, fair, geomean, makespan"), "{said}");
    let search = json!({ "search": { "time_limit_s": -1.0 } });
    assert!(explore(&question(&search), &Still::default()).is_err());
}
