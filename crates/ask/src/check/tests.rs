//! Every key is echoed, and links of a large machine once.

use numasim_model::Node;
use numasim_model::units::Gflops;
use serde_json::{Value, json};

use super::*;

/// A key without its value in the model would not be echoed. Each key is declared with its value, or is one of few that are echoed in
/// another way.
#[test]
fn every_declared_key_is_echoed() {
    let input = "[[channel]]\nfrom = \"stream\"\nto = \"solver\"\n[[app]]\nname = \"library\"\n\
                 arithmetic_intensity = 1\n[[call]]\nfrom = \"stream\"\nto = \"library\"\n\
                 [[command]]\nat_s = 1\napp = \"stream\"\nper_node = [1, 0]\n[cluster]\nnodes = 2\n[contender]\ngflop = 1\n\
                 [graph]\ngenerator = \"cholesky\"\n\
                 [[app]]\nname = \"measured\"\nthread_gflops = 1\nthread_gbs = 2\nwrite_share = 0.3\nnode_overhead = 0.1\nranks = 2\n\
                 smt = \"any\"\nsmt_speedup = 1.25\n\
                 [[app]]\nname = \"rated\"\nthread_gbs = 2\nrate = { unit = \"queries/s\", per_gb = 100 }\n\
                 [[app]]\nname = \"varied\"\narithmetic_intensity = 1\ntasks = 4\ntask_gflop = 1\ntask_jitter = 0.3\nwake = \"random\"\n";
    let example = crate::EXAMPLE.replacen(
        "gflops_per_core",
        "cores_per_l3 = 1\nl3_read_gbs = 20\nthreads_per_core = 2\ngflops_per_core",
        1,
    );
    let text = example + input;
    let source = numasim_study::SourceFile { name: "all.toml".to_owned(), text };
    let reading = crate::reading::read_study(&[source]).expect("in order");
    let document = crate::document::value(&check(&reading));
    for (table, echo, other) in [
        // For keys that are rare in files, the pointers where they are given.
        (&keys::app::TABLE, vec!["/apps/0", "/apps/3", "/apps/4"], &["instances", "outstanding_lines"][..]), // lines need a machine with latencies
        (
            &keys_over_time::app::TABLE,
            vec!["/apps/0/over_time", "/apps/0/over_time/phases/0", "/apps/5/over_time"],
            &["task_gflop", "tasks", "phase"],
        ),
        (&phase::TABLE, vec!["/apps/0/over_time/phases/0"], &["work_gflop", "task_gflop", "tasks"]),
        (&channel::TABLE, vec!["/channels/0"], &[]),
        (&call::TABLE, vec!["/calls/0"], &[]),
        (&command::TABLE, vec!["/commands/0"], &["total", "cores"]),
        (&policy::TABLE, vec!["/policy"], &[]),
        (&os::TABLE, vec!["/os"], &[]),
        (&cluster::TABLE, vec!["/cluster"], &[]),
        (&scheduler::TABLE, vec!["/scheduler"], &[]),
        (&runtime::TABLE, vec!["/runtime"], &[]),
        (&contender::TABLE, vec!["/contender"], &[]),
        // `mixed_gbs` of a machine is that of its nodes, if one is given.
        (&keys::node::TABLE, vec!["/machine/nodes/0"], &["mixed_gbs"]),
    ] {
        let is_echoed =
            |key: &str| echo.iter().any(|at| document.pointer(at).is_some_and(|of| of.get(key).is_some()));
        let missing: Vec<&str> = table
            .keys
            .iter()
            .map(|key| key.name)
            .filter(|key| !is_echoed(key) && !other.contains(key))
            .collect();
        assert!(missing.is_empty(), "{}: {missing:?}", table.title);
    }
}

#[test]
fn links_of_a_large_machine_are_said_once() {
    let node = Node {
        cores: 1,
        gflops_per_core: Gflops::new(1.0),
        bandwidth: GigabytesPerSecond::new(8.0),
        ..Node::default()
    };
    let echo = |of: &Machine| crate::document::value(&machine(of, None));
    let of = |nodes| {
        let link = GigabytesPerSecond::new(2.0);
        echo(&Machine::uniform("m", nodes, node, link).expect("a machine"))
    };
    assert_eq!(of(64)["links"].as_array().map(Vec::len), Some(64 * 63));
    assert_eq!(of(64).get("link_gbs"), None);
    assert_eq!((&of(65)["links"], &of(65)["link_gbs"]), (&json!([]), &json!(2.0)));
    let figure = |pair: usize| GigabytesPerSecond::new(if pair == 1 { 5.0 } else { 2.0 });
    let unequal = Machine::new("m", vec![node; 65], (0..65 * 65).map(figure).collect()).expect("a machine");
    let document = echo(&unequal);
    assert_eq!(document["link_matrix_gbs"][0][1], json!(5.0));
    assert_eq!(document["link_matrix_gbs"][0][0], Value::Null);
}
