//! The data placement of phases and of scenarios under `static:SCENARIO`.

use super::{NODE, close, one, simulate};
use crate::common::stderr;

/// One core on each of two nodes, 10 GFLOPS and 20 GB/s each, links of 5 GB/s; an application of intensity 1 with `of_app` and the
/// phases `phases`, each a table; and a scenario with its thread on node 0 and `of_scenario`.
fn two_nodes(of_app: &str, phases: &[&str], of_scenario: &str) -> String {
    let machine =
        NODE.replace("nodes = 1", "nodes = 2\nlink_gbs = 5.0").replace("= 8", "= 1").replace("32.0", "20.0");
    let phases: String = phases
        .iter()
        .map(|keys| format!("[[app.phase]]\nwork_gflop = 10.0\n{keys}\n"))
        .collect::<Vec<_>>()
        .concat();
    format!(
        "{machine}[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\n{of_app}\n{phases}\
[[scenario]]\nname = \"mine\"\nthreads = {{ a = [1, 0] }}\n{of_scenario}\n"
    )
}

#[test]
fn a_scenario_moves_the_data_of_an_application_and_not_that_of_its_phases() {
    // 10 GFLOP: 1 s with local data, 2 s at 5 GB/s over the link.
    let makespan = |text: &str| one(text, &["--policy", "static:mine"])["makespan_s"].clone();
    let (own, near, far) = ("data = { home = 1 }", "data = \"local\"", "data = { a = { home = 1 } }");
    close(&makespan(&two_nodes("", &[own], "")), 2.0);
    close(&makespan(&two_nodes("", &[own, "", near], "")), 4.0);
    close(&makespan(&two_nodes("data = { home = 1 }", &["", near], "")), 3.0);
    // The second of these phases has no separate data: 1 + 2 s.
    close(&makespan(&two_nodes("", &[near, ""], far)), 3.0);
    close(&makespan(&two_nodes("", &[near, near], far)), 2.0);
    // Without phases it moves the whole data, and so does a scenario if the application leaves its home open.
    let whole = two_nodes("work_gflop = 10.0", &[], far);
    close(&makespan(&whole), 2.0);
    close(&makespan(&two_nodes("data = { home = \"any\" }", &[near, ""], far)), 3.0);
    close(&makespan(&two_nodes("data = { home = \"any\" }", &[near, own], "")), 3.0);
}

#[test]
fn a_lower_bound_uses_the_data_of_phases_under_a_scenario() {
    let text = two_nodes("", &["data = { home = 1 }"], "data = { a = \"local\" }");
    // Two threads, one on each node: 5 and 10 GFLOPS, 10 / 15 s.
    close(&one(&text, &["--policy", "static:mine"])["lower_bound_s"], 10.0 / 15.0);
}

#[test]
fn data_of_a_scenario_that_phases_do_not_follow_is_reported() {
    let warned = |phases: &[&str], more: &[&str]| {
        let text = two_nodes("", phases, "data = { a = { home = 1 } }");
        stderr(&simulate(&text, more))
    };
    let (own, mine) = ("data = \"local\"", ["--policy", "static:mine"]);
    let said = warned(&[own, "", own], &mine);
    assert!(said.contains("scenario 'mine' moves the data of 'a' ("), "{said}");
    assert!(said.contains("but phases 0, 2 keep their own `data`"), "{said}");
    assert!(warned(&[own], &mine).contains("without effect: each phase has its own `data` and keeps it"));
    assert_eq!(warned(&[""], &mine), "");
    assert_eq!(warned(&[own], &["--policy", "fair-share"]), "");
}
