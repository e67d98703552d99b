//! DOT.

use super::{refused, seen};
use crate::import::dot::{read, read_with};

const DIAMOND: &str = r#"// four tasks
strict digraph "my \"graph\"" {
    graph [rankdir=LR]; label = "diamond";
    node [flop=2e9, shape=box]
    end [type=sum]
    a -> {b c} [bytes=1e6]
    /* the edge default holds from here on */
    edge [size=500]
    b:out -> end:in:nw
    c -> end [bytes = 7, size = 7, color="red" + "dish"]
    a [flop=1.5e9];
}
"#;

#[test]
fn nodes_are_tasks_and_edges_blocks() {
    let text = &DIAMOND.replace("bytes = 7, size = 7", "size = 7");
    let imported = read(text, "file").expect("in order");
    insta::assert_snapshot!(seen(text, &imported));
}

#[test]
fn what_is_not_said_is_nothing_and_told() {
    let text = "digraph {\n a -> b -> c\n a -> c [bytes=8]\n a -> c [bytes=4]\n b [flop=1]\n}";
    let imported = read(text, "chain").expect("in order");
    insta::assert_snapshot!(seen(text, &imported));
}

#[test]
fn nodes_without_work_have_the_default_that_is_given() {
    let text = "digraph {\n a -> b -> c\n b [flop=1e9]\n}";
    let imported = read_with(text, "chain", Some(2.5)).expect("in order");
    let gflop: Vec<f64> = imported.graph.tasks().map(|task| imported.graph.gflop(task)).collect();
    assert_eq!(gflop, [2.5, 1.0, 2.5]);
    let warnings: Vec<&str> = imported.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(warnings.iter().any(|warning| warning.contains("2.5 GFLOP each, as given")), "{warnings:?}");
}

#[test]
fn a_subgraph_has_its_own_defaults_and_all_its_nodes_are_joined() {
    let text = "digraph { node [flop=1e9] subgraph cluster_1 { node [flop=3e9]; a; {b} } -> {c d}[bytes=1] e -> subgraph s {a} }";
    let imported = read(text, "sub").expect("in order");
    insta::assert_snapshot!(seen(text, &imported));
}

#[test]
fn a_circle_is_named() {
    let text = "digraph {\n z -> a\n a -> b -> c -> a\n c -> d\n}";
    insta::assert_snapshot!(refused(text, read(text, "g")));
    let itself = "digraph { a -> a }";
    insta::assert_snapshot!(refused(itself, read(itself, "g")));
    let long: Vec<String> = (0..20).map(|node| format!("n{node}")).collect();
    let text = format!("digraph {{ {} -> n0 }}", long.join(" -> "));
    insta::assert_snapshot!(refused(&text, read(&text, "g")));
}

#[test]
fn amounts_are_looked_at() {
    let text = "digraph {\n a [flop=-1]\n b [size=\"1e999\"]\n c [flop=2 size=2]\n a -> b [bytes=many]\n}";
    insta::assert_snapshot!(refused(text, read(text, "g")));
}

#[test]
fn what_is_no_digraph_is_shown_where_it_goes_wrong() {
    let all = [
        "",
        "graph { a -- b }",
        "digraph { a -- b }",
        "digraph { a -> }",
        "digraph { a -> b",
        "digraph { a [flop 1] }",
        "digraph { a [flop=] }",
        "digraph { \"a }",
        "digraph { a [label=<b> } ",
        "digraph { a } b",
        "digraph { 2a -> b }",
        "digraph { a - b }",
        "digraph { /* a }",
        "digraph { a; ? }",
        "tree { }",
    ];
    let shown: Vec<String> =
        all.iter().map(|text| format!("{text}\n  {}", refused(text, read(text, "g")))).collect();
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn deep_and_wide_texts_are_refused_before_they_take_all_memory() {
    let deep = format!("digraph {}", "{".repeat(1_000_000));
    assert!(refused(&deep, read(&deep, "g")).contains("subgraphs in more than 100 others"));
    // 4000 x 4000 edges.
    let some = |letter: &str| (0..4000).map(|node| format!("{letter}{node} ")).collect::<Vec<_>>().concat();
    let wide = format!("digraph {{ {{ {} }} -> {{ {} }} }}", some("a"), some("b"));
    assert!(read(&wide, "g").is_err_and(|all| all[0].message.contains("more than 10000000 edges")));
}

#[test]
fn a_wide_fan_is_read() {
    let text = format!(
        "digraph {{ root -> {{ {} }} [bytes=1] }}",
        (0..50_000).map(|n| format!("n{n} ")).collect::<Vec<_>>().concat()
    );
    let imported = read(&text, "fan").expect("in order");
    assert_eq!((imported.graph.task_count(), imported.graph.access_count()), (50_001, 100_000));
}
