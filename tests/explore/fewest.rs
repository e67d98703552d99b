//! Minimal thread counts: ties, `--fewest-threads`, and the point at which more threads gain nothing.

use serde_json::json;

use super::{assert_close, json_of_text, run_text, stderr, stdout, threads};

/// Hand test H: a thread of intensity 0.5 wants 20 of 32 GB/s.
const ONE: &str = "\
[machine]
name = \"one node\"
nodes = 1
cores_per_node = 8
gflops_per_core = 10
bandwidth_gbs = 32
core_bandwidth_gbs = 20
[[app]]
name = \"omp\"
arithmetic_intensity = 0.5
";

#[test]
fn one_program_has_no_more_threads_than_fill_its_memory() {
    // 2 to 8 threads have 32 GB/s x 0.5 = 16 GFLOPS.
    let answer = json_of_text(ONE, &[]);
    assert_eq!((threads(&answer["best"]), &answer["status"]), (vec![vec![2]], &json!("optimal")));
    assert_close(&answer["best"]["total_gflops"], 16.0);
    let full = json!([{ "node": 0, "by": "local-controller", "apps": [{ "name": "omp", "threads": 2 }], "least": true }]);
    assert_eq!(answer["saturated"], full);
    assert!(answer["fewest"].is_null());
    let text = stdout(&run_text(ONE, &[]));
    assert!(
        text.contains("More threads gain nothing: memory of node 0 is saturated by 2 threads of omp."),
        "{text}"
    );
}

#[test]
fn fewer_threads_lose_at_most_the_given_share() {
    let answer = json_of_text(ONE, &["--fewest-threads", "--within", "0.4"]);
    let fewest = &answer["fewest"];
    assert_eq!((&fewest["threads"], &fewest["proven"]), (&json!(1), &json!(true)));
    // 1 - 10 / 16
    assert_close(&fewest["loss"], 0.375);
    assert_close(&fewest["best"]["total_gflops"], 10.0);
    let none = json_of_text(ONE, &["--fewest-threads"]);
    assert_eq!((&none["fewest"]["threads"], &none["fewest"]["loss"]), (&json!(2), &json!(0.0)));
    let text = stdout(&run_text(ONE, &["--fewest-threads", "--within", "0.4"]));
    let words = "Fewest threads: 1 thread instead of 2 loses 37.5 % of the best (proven: no placement";
    assert!(text.contains(words) && text.contains("\n  omp: 1 thread on node 0\n"), "{text}");
    for objective in ["total-gflops", "fair"] {
        let found = json_of_text(ONE, &["--objective", objective, "--fewest-threads", "--within", "0.4"]);
        assert_eq!(found["fewest"]["threads"], 1, "{objective}");
    }
}

#[test]
fn both_hardware_threads_of_a_core_count() {
    let text = ONE.replace("gflops_per_core = 10", "gflops_per_core = 10\nthreads_per_core = 2")
        + "smt = \"any\"\nsmt_speedup = 1.25\n";
    // One core with both threads wants 25 of 32 GB/s, but one core draws 20: two cores with one thread each have equally many threads, and
    // are better.
    let found = json_of_text(&text, &["--fewest-threads"]);
    assert_eq!(
        (&found["fewest"]["threads"], &found["best"]["apps"][0]["smt"]),
        (&json!(2), &json!("one")),
        "{found}"
    );
}

#[test]
fn a_share_requires_an_answer_that_may_lose_it() {
    let output = run_text(ONE, &["--within", "0.1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--simple") && stderr(&output).contains("--fewest-threads"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_answer_in_words_comes_last() {
    let text = stdout(&run_text(ONE, &["--simple", "--sensitivity"]));
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    let order = [
        "━━ best",
        "best is",
        "Gain from more of each resource",
        "Simple:",
        "More threads",
        "Best: 100.0 %",
        "Next: ",
    ];
    assert!(order.windows(2).all(|two| at(two[0]) < at(two[1])), "{text}");
    let document = stdout(&run_text(ONE, &["--format", "markdown"]));
    assert!(document.find("Best: 100") < document.find("best is"), "{document}");
}

#[test]
fn a_model_under_which_the_loss_is_large_is_named() {
    // Under ecm with soft corners three threads that want 36 of 32 GB/s draw less than 32 together; more of them draw more.
    let twelve = ONE.replace("core_bandwidth_gbs = 20", "core_bandwidth_gbs = 12");
    let answer = json_of_text(&twelve, &[]);
    let codes: Vec<_> =
        answer["cautions"].as_array().expect("a list").iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["depends-on-model"]);
    let text = stdout(&run_text(&twelve, &[]));
    assert!(text.contains("but under ecm it is at least") && text.contains("--models all"), "{text}");
    // Its limit is two threads: they are the best under every model.
    let two = json_of_text(&format!("{twelve}max_threads = 2\n"), &[]);
    assert_eq!(two["cautions"], json!([]));
    // With --models the table shows it.
    let asked = json_of_text(&twelve, &["--models", "all"]);
    assert_eq!(asked["cautions"], json!([]));
}

#[test]
fn indecisive_models_and_invalid_baselines_are_marked() {
    let text = format!("{ONE}max_threads = 2\n[[scenario]]\nname = \"eight\"\nthreads = {{ omp = 8 }}\n");
    let text = stdout(&run_text(&text, &["--models", "all"])).replace('\n', " ");
    assert!(text.contains("eight (not allowed)"), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Below 0: better than the best, but breaks a constraint."), "{words}");
    assert!(words.contains("do not distinguish the placements of the table."), "{words}");
}
