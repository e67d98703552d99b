//! Output of given values for people and programs.

use numasim_kernels::Verdict;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond};

use super::*;
use crate::view::Style;

#[test]
fn pages_are_counted_by_node_of_the_machine_and_those_elsewhere_are_misplaced() {
    // Nodes 0 and 1 of the machine are 0 and 3 of the system. Workers of node 0 created 6 pages, of which 1 is on 3 and 1 on a node that
    // is not in the machine. Workers of node 1 created 5, of which 1 is on no node.
    let made = |on_node: &[(u32, u64)], absent| Pages { on_node: on_node.iter().copied().collect(), absent };
    let pages = BlockPages(vec![made(&[(0, 4), (3, 1), (7, 1)], 0), made(&[(3, 4)], 1)]);
    let seen = DataPages::of(&pages, &[Some(0), Some(3)]);
    assert_eq!(seen, DataPages { on_node: vec![4, 5], misplaced: 3 });
}

fn machine() -> Machine {
    let node = Node {
        cores: 2,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(20.0),
        ..Node::default()
    };
    Machine::uniform("here", 1, node, GigabytesPerSecond::new(1.0)).expect("a machine")
}

fn run(simulated_s: f64, measured_s: f64, is_equal: bool) -> Executed {
    Executed { seed: 1, simulated_s, measured_s, partition_s: 0.0, steals: 3, is_equal, pages: None }
}

/// Three repetitions of two schedulers; the second one has a different result once.
fn repetitions() -> Vec<Repetition> {
    let one = |serial_s: f64, equal| Repetition {
        serial_s,
        kinds: vec![(0.0, 3), (0.5, 2)],
        runs: vec![run(0.55, 0.5, true), run(0.6, 0.8, equal)],
    };
    vec![one(0.9, true), one(1.0, false), one(1.1, true)]
}

fn shown(show: impl Fn(&ExecutedView<'_>) -> String) -> String {
    let (machine, repetitions) = (machine(), repetitions());
    let graph =
        GraphFacts { name: "graph".to_owned(), tasks: 5, edges: 4, blocks: 3, span: 2, priorities: false };
    let kinds = [
        Kind { name: "init".to_owned(), tasks: 3, seconds: vec![0.0; 3], flop: 0.0 },
        Kind { name: "work".to_owned(), tasks: 2, seconds: vec![0.4, 0.5, 0.6], flop: 5e9 },
    ];
    show(&ExecutedView {
        machine: &machine,
        graph: &graph,
        labels: vec!["fifo", "tbb"],
        kinds: &kinds,
        verdict: Verdict { what: "||A - Q R|| / ||A||", value: 2e-16, limit: 1e-13 },
        bytes: 24_000_000,
        repetitions: &repetitions,
    })
}

#[test]
fn measured_and_simulated_stand_side_by_side() {
    // fifo: 0.55 / 0.5 = +10 %, 0.5 / 0.5 = 0 %, 1 / 0.5 = 2; tbb: 0.6 / 0.8 = -25 %, 0.5 / 0.8 = -37.5 %, 1 / 0.8 = 1.25.
    insta::assert_snapshot!(shown(|view| table(view, &Style { width: Some(120), ..Style::default() })));
}

#[test]
fn csv_has_a_row_for_each_run() {
    let csv = shown(csv);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[4], "1,tbb,1,1,2,0.8,0.6,0,3,false");
}

#[test]
fn json_has_the_check_the_kinds_and_the_runs() {
    let json: serde_json::Value =
        serde_json::from_str(&shown(|view| numasim_ask::document::text(&json(view)))).expect("JSON");
    assert_eq!(json["check"]["right"], true);
    assert_eq!(json["kinds"][1]["mean_s"], serde_json::json!([0.4, 0.5, 0.6]));
    assert_eq!(json["runs"][3]["same_as_serial"], false);
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(6));
}
