//! The three questions, asked as the page asks them.

use std::sync::Mutex;

use serde_json::{Value, json};

use crate::{Outside, evaluate, explore, read, style, under_models};

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

/// A fixed clock that records its reports.
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
    question_of(STUDY, more)
}

fn question_of(text: &str, more: &Value) -> String {
    let mut question = json!({ "files": [{ "name": "study.toml", "text": text }] });
    for (key, value) in more.as_object().expect("an object") {
        question[key] = value.clone();
    }
    question.to_string()
}

fn answer(text: Result<String, String>) -> Value {
    serde_json::from_str(&text.expect("an answer")).expect("JSON")
}

#[test]
fn files_are_listed_with_initial_placements() {
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
fn a_placement_is_evaluated_with_its_map_and_written_as_a_scenario() {
    let placed = json!({ "name": "what-if", "threads": [[4, 0], [0, 2]], "homes": [null, 1] });
    let found = answer(evaluate(&question(&json!({ "placed": placed }))));
    let scenario = &found["document"]["scenarios"][0];
    // mem: 4 threads want 20 GB/s each and share 32 GB/s: 16 GFLOPS; bad: 2 threads at 10 GFLOPS and 10 GB/s each.
    assert_eq!(scenario["apps"][0]["gflops"], 16.0);
    assert_eq!(scenario["apps"][1]["gflops"], 20.0);
    assert_eq!(found["worth"], json!([[36.0, "GFLOPS"]]));
    assert!(found["maps"][0].as_str().expect("text").starts_with("<svg "));
    assert_eq!(found["held_back"][0][0], "local controller on node 0");
    assert_eq!(
        found["placed"],
        "[[scenario]]\nname = \"what-if\"\nthreads = { \"mem\" = [4, 0], \"bad\" = [0, 2] }\ndata = { \"bad\" = { home = 1 } }\n"
    );
}

#[test]
fn work_that_counts_other_units_is_valued_in_them() {
    let db = "[[app]]\nname = \"db\"\nrate = { unit = \"queries/s\", per_gb = 125.0 }\nthread_gbs = 10.0\n";
    let (machine, _) = STUDY.split_once("[[app]]").expect("applications");
    let files = json!([{ "name": "study.toml", "text": format!("{machine}{db}") }]);
    let placed = json!({ "name": "what-if", "threads": [[4, 0]], "homes": [null] });
    let found = answer(evaluate(&question(&json!({ "files": files, "placed": placed }))));
    // 4 threads want 40 GB/s and get all 32, with 125 queries in each GB.
    assert_eq!(found["worth"], json!([[4000.0, "queries/s"]]));
}

#[test]
fn changed_values_equal_those_of_a_sweep() {
    let placed = json!({ "name": "what-if", "threads": [[4, 0], [0, 2]], "homes": [null, 1] });
    let set = ["machine.node.0.bandwidth_gbs=20", "app.bad.arithmetic_intensity=2"];
    let found = answer(evaluate(&question(&json!({ "placed": placed, "set": set }))));
    let apps = &found["document"]["scenarios"][0]["apps"];
    assert_eq!((apps[0]["gflops"].as_f64(), apps[1]["bandwidth_gbs"].as_f64()), (Some(10.0), Some(10.0)));
    let wrong = evaluate(&question(&json!({ "placed": placed, "set": ["machine.link_gbs=0"] })));
    assert!(wrong.expect_err("no bandwidth").contains("must be a finite number above 0"));
}

#[test]
fn a_placement_is_evaluated_under_every_model() {
    let placed = json!({ "name": "what-if", "threads": [[4, 0], [0, 2]], "homes": [null, 1] });
    let found = answer(under_models(&question(&json!({ "placed": placed }))));
    // The link has no traffic, and 4 equal threads share 32 GB/s: 16 and 20 GFLOPS. Under ecm they wait for each other.
    let models = found["document"]["models"].as_array().expect("a list");
    let worth = found["worth"].as_array().expect("a list");
    assert_eq!(worth.len(), models.len());
    for (model, worth) in models.iter().zip(worth).filter(|(model, _)| model["model"] != "ecm") {
        assert_eq!(worth, &json!([36.0, "GFLOPS"]), "{}", model["model"]);
    }
    assert!(models.iter().any(|one| one["model"] == "ecm"), "{models:?}");
}

#[test]
fn the_style_sheet_contains_light_and_dark_paper() {
    let style = style();
    assert!(style.contains("--paper: #FFFFFF") && style.contains("prefers-color-scheme: dark"), "{style}");
}

#[test]
fn mistakes_name_their_place() {
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
fn a_robust_search_lists_its_placement_first_and_the_losses_of_all() {
    let search = json!({ "search": { "objective": "total-gflops", "robust": true } });
    let found = answer(explore(&question(&search), &Still::default()));
    assert_eq!(
        (&found["placed"][0]["name"], &found["placed"][1]["name"]),
        (&json!("robust"), &json!("best"))
    );
    let robust = &found["document"]["robust"];
    assert_eq!(found["placed"][0]["threads"][0], robust["best"]["apps"][0]["threads"]);
    let (models, rows) = (&found["losses"]["models"], &found["losses"]["rows"]);
    assert_eq!(models[0], "baseline-proportional", "the model of the machine is the first");
    assert_eq!(
        rows[0],
        json!(["robust", robust["regrets"].as_object().expect("losses").values().collect::<Vec<_>>()])
    );
    assert_eq!(rows[1][1][0], 0.0, "the best of a model loses nothing under it");
    let plain = answer(explore(&question(&json!({})), &Still::default()));
    assert_eq!((&plain["losses"], &plain["placed"][0]["name"]), (&Value::Null, &json!("best")));
}

#[test]
fn a_search_without_time_reports_that_it_was_stopped() {
    let objective = json!({ "search": { "objective": "fastest" } });
    let said = explore(&question(&objective), &Still::default()).expect_err("no such objective");
    assert!(said.contains("there is: total-gflops, fair, geomean, makespan"), "{said}");
    let search = json!({ "search": { "time_limit_s": -1.0 } });
    assert!(explore(&question(&search), &Still::default()).is_err());
}

// L3 domains.

const DOMAINS: &str = "\
[machine]
name = \"two chiplets\"
nodes = 1
cores_per_node = 16
cores_per_l3 = 8
l3_read_gbs = 50.0
gflops_per_core = 1000.0
bandwidth_gbs = 200.0
core_bandwidth_gbs = 30.0
[[app]]
name = \"a\"
arithmetic_intensity = 1.0
";

fn placed_on_domains(threads: &Value) -> Value {
    let placed = json!({ "name": "what-if", "threads": [threads] });
    answer(evaluate(&question_of(DOMAINS, &json!({ "placed": placed }))))
}

#[test]
fn threads_are_placed_by_l3_domain_or_distributed_over_them() {
    // Each thread asks for 30 GB/s, each domain reads 50.
    let cases = [
        (json!([[4, 0]]), 50.0, json!([[4, 0]]), "[[4, 0]]"),
        (json!([[2, 2]]), 100.0, json!([[2, 2]]), "[[2, 2]]"),
        (json!([3]), 80.0, json!([[2, 1]]), "[3]"),
    ];
    for (threads, gflops, per_l3, text) in cases {
        let found = placed_on_domains(&threads);
        let scenario = &found["document"]["scenarios"][0];
        let app = &scenario["apps"][0];
        assert_eq!((&app["gflops"], &app["threads_per_l3"]), (&json!(gflops), &per_l3));
        assert_eq!(scenario["l3"][0]["bandwidth_gbs"], 50.0);
        let written = format!("[[scenario]]\nname = \"what-if\"\nthreads = {{ \"a\" = {text} }}\n");
        assert_eq!(found["placed"], written);
    }
    let map = placed_on_domains(&json!([[4, 0]]))["maps"][0].to_string();
    // The borders of a domain that reads all it can and of an idle one.
    assert!(map.contains("#BE3C00") && map.contains("#A5A5A5"), "domains are drawn: {map}");
}

#[test]
fn plain_numbers_are_distributed_around_lists() {
    let text = DOMAINS.replace("= 16", "= 12").replace("_l3 = 8", "_l3 = 4").replace("200.0", "1000.0")
        + "[[app]]\nname = \"b\"\narithmetic_intensity = 1.0\n";
    let placed = json!({ "name": "what-if", "threads": [[5], [[2, 0, 0]]] });
    let found = answer(evaluate(&question_of(&text, &json!({ "placed": placed }))));
    // `b` is placed first: `a` gets 1, 2 and 2 threads. Domain 0: three threads share 50 GB/s; domains 1 and 2: 50 each.
    let apps = &found["document"]["scenarios"][0]["apps"];
    assert_eq!(apps[0]["threads_per_l3"], json!([[1, 2, 2]]));
    assert!((apps[0]["gflops"].as_f64().expect("a number") - (50.0 / 3.0 + 100.0)).abs() < 1e-9);
    let text = found["placed"].as_str().expect("text");
    assert!(text.contains("threads = { \"a\" = [5], \"b\" = [[2, 0, 0]] }"), "{text}");
}

#[test]
fn a_list_that_is_too_long_or_too_full_is_a_mistake_with_its_place() {
    for (threads, said) in
        [(json!([[4, 0, 0]]), "L3 domain"), (json!([[9, 0]]), "L3 domain 0 of node 0 gets 9")]
    {
        let placed = json!({ "name": "what-if", "threads": [threads] });
        let wrong = evaluate(&question_of(DOMAINS, &json!({ "placed": placed }))).expect_err("a mistake");
        assert!(wrong.contains("what-if.toml:3:") && wrong.contains(said), "{wrong}");
    }
}

#[test]
fn the_contents_of_files_include_l3_domains_and_their_bandwidth() {
    let contents = answer(read(&question_of(DOMAINS, &json!({}))));
    let node = &contents["nodes"][0];
    assert_eq!(
        (&node["domains"], &node["domain_cores"], &node["l3_read_gbs"]),
        (&json!(2), &json!(8), &json!(50.0))
    );
    assert_eq!(
        (&contents["has_domains"], &contents["apps"][0]["may_have_both"]),
        (&json!(true), &json!(false))
    );
    let contents = answer(read(&question(&json!({}))));
    assert_eq!((&contents["has_domains"], &contents["nodes"][0]["domains"]), (&json!(false), &json!(1)));
}

#[test]
fn a_search_places_threads_by_l3_domain() {
    let search = |search: &Value| {
        answer(explore(&question_of(DOMAINS, &json!({ "search": search })), &Still::default()))
    };
    let threads = |found: &Value| found["placed"][0]["threads"].clone();
    // Two threads fill the 50 GB/s of a domain.
    let found = search(&json!({ "objective": "total-gflops" }));
    assert_eq!((&found["document"]["value"], threads(&found)), (&json!(100.0), json!([[[2, 2]]])));
    assert_eq!(found["document"]["best"]["l3"].as_array().map(Vec::len), Some(2));
    let again = json!({ "placed": found["placed"][0] });
    let again = answer(evaluate(&question_of(DOMAINS, &again)));
    assert_eq!(again["document"]["scenarios"][0]["apps"], found["document"]["best"]["apps"]);
    // None or four in a domain.
    let found =
        search(&json!({ "objective": "total-gflops", "threads_per_l3": [{ "app": "a", "value": 4 }] }));
    assert_eq!((&found["document"]["value"], threads(&found)), (&json!(100.0), json!([[[4, 4]]])));
    // One domain for each application.
    let found = search(&json!({ "objective": "total-gflops", "max_l3": [{ "app": null, "value": 1 }] }));
    assert_eq!(found["document"]["value"], 50.0);
    let unknown = json!({ "search": { "max_l3": [{ "app": "b", "value": 1 }] } });
    let wrong = explore(&question_of(DOMAINS, &unknown), &Still::default()).expect_err("no such application");
    assert!(wrong.contains("--max-l3: there is no application 'b'"), "{wrong}");
}

// Hardware threads.

const SMT: &str = "\
[machine]
name = \"one node\"
nodes = 1
cores_per_node = 8
threads_per_core = 2
gflops_per_core = 10.0
bandwidth_gbs = 40.0
[[app]]
name = \"vm\"
arithmetic_intensity = 0.5
min_threads = 8
max_threads = 8
smt = \"any\"
smt_speedup = 1.25
[[app]]
name = \"hpc\"
arithmetic_intensity = 10.0
";

#[test]
fn a_placement_sets_the_hardware_threads_per_core() {
    let contents = answer(read(&question_of(SMT, &json!({}))));
    assert_eq!(
        (&contents["apps"][0]["may_have_both"], &contents["apps"][1]["may_have_both"]),
        (&json!(true), &json!(false))
    );
    let placed = json!({ "name": "what-if", "threads": [[8], [4]], "smt": ["both", "one"] });
    let found = answer(evaluate(&question_of(SMT, &json!({ "placed": placed }))));
    let vm = &found["document"]["scenarios"][0]["apps"][0];
    // 8 hardware threads on 4 cores; hpc reads 4 GB/s of 40, the other 36 are 18 GFLOPS.
    assert_eq!(
        (&vm["threads"], &vm["cores"], &vm["smt"], &vm["gflops"]),
        (&json!([8]), &json!([4]), &json!("both"), &json!(18.0))
    );
    let text = found["placed"].as_str().expect("text");
    assert!(
        text.contains("threads = { \"vm\" = [8], \"hpc\" = [4] }\nsmt = { \"vm\" = \"both\" }"),
        "{text}"
    );
}

#[test]
fn open_odd_or_missing_hardware_threads_are_mistakes() {
    let wrong = |threads: Value, smt: Value| {
        let placed = json!({ "name": "what-if", "threads": threads, "smt": smt });
        evaluate(&question_of(SMT, &json!({ "placed": placed }))).expect_err("a mistake")
    };
    for (threads, smt, said) in [
        (json!([[8], [0]]), json!([]), "any"),
        (json!([[7], [0]]), json!(["both", "one"]), "7 threads on node 0"),
        (json!([[0], [2]]), json!(["one", "both"]), "smt_speedup"),
        (json!([[8], [0]]), json!(["half", "one"]), "there is: one, both, any"),
        (json!([[8], [0]]), json!(["both"]), "not that of 2 applications"),
    ] {
        let wrong = wrong(threads, smt);
        assert!(wrong.contains(said), "{wrong}");
    }
}

#[test]
fn a_search_chooses_between_one_and_both_hardware_threads() {
    let still = Still::default();
    let sum = json!({ "search": { "objective": "total-gflops" } });
    let found = answer(explore(&question_of(SMT, &sum), &still));
    // Only 8 hardware threads on 4 cores leave room for 4 threads of hpc: 18 + 40 GFLOPS.
    let best = &found["placed"][0];
    assert_eq!(found["document"]["value"], 58.0);
    assert_eq!((&best["threads"], &best["smt"]), (&json!([[8], [4]]), &json!(["both", "one"])));
    let again = answer(evaluate(&question_of(SMT, &json!({ "placed": best }))));
    assert_eq!(again["document"]["scenarios"][0]["apps"], found["document"]["best"]["apps"]);
    // A cancelled search leaves the best that it has reported.
    let told = still.0.lock().expect("one thread");
    let report: Value = serde_json::from_str(told.last().expect("a report")).expect("JSON");
    assert_eq!(report["found"]["smt"][0].as_str().map(str::is_empty), Some(false), "{report}");
}
