//! Nodes with cores and without memory: `memory_gib = 0`.

use super::*;

const HEAD: &str = "[machine]\nname = \"m\"\n";
const TWO: &str = "[[machine.node]]\ncores = 4\ngflops_per_core = 10\n[[machine.node]]\ncores = 4\ngflops_per_core = 10\nmemory_gib = 0\n";
const FLAT: &str = "bandwidth_gbs = 64\nlink_gbs = 16\n";

fn with_data(data: &str) -> String {
    format!("{HEAD}{FLAT}{TWO}[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n{data}\n")
}

#[test]
fn one_bandwidth_for_all_nodes_does_not_apply_to_a_node_without_memory() {
    let machine = read(&format!("{HEAD}{FLAT}triad_gbs = 48\nmemory_gib = 32\n{TWO}")).study.machine;
    let node = machine.node(NodeId(1));
    assert_eq!(
        (node.bandwidth.value(), node.kernels.triad, node.memory),
        (0.0, None, Some(Gibibytes::new(0.0)))
    );
    assert_eq!(machine.link(NodeId(0), NodeId(1)), None);
    assert_eq!(machine.link(NodeId(1), NodeId(0)).map(GigabytesPerSecond::value), Some(16.0));
    assert_eq!(machine.local_memory(NodeId(1)), NodeId(0));
}

#[test]
fn the_column_of_a_node_without_memory_is_0_in_matrices() {
    let matrix = |matrix: &str| format!("{HEAD}bandwidth_matrix_gbs = {matrix}\n{TWO}");
    let machine = read(&matrix("[[64, 0], [16, 0]]")).study.machine;
    assert_eq!(machine.link(NodeId(1), NodeId(0)).map(GigabytesPerSecond::value), Some(16.0));
    assert_eq!(problem(&matrix("[[64, 8], [16, 0]]")), (ProblemKind::Conflict, "8".to_owned()));
    assert_eq!(problem(&matrix("[[64, 0], [16, 9]]")), (ProblemKind::Conflict, "9".to_owned()));
    assert_eq!(problem(&matrix("[[64, 0], [0, 0]]")).0, ProblemKind::BadValue);
    let latencies = "latency_matrix_ns = [[90, 0], [140, 0]]\ndistance_matrix = [[10, 16], [16, 10]]\n";
    let machine = read(&format!("{HEAD}{FLAT}{latencies}{TWO}")).study.machine;
    assert_eq!(machine.latency_ns(NodeId(1), NodeId(0)), Some(140.0));
}

#[test]
fn a_node_needs_cores_or_memory_and_a_machine_some_memory() {
    let nodes = |nodes: &[&str]| {
        let nodes = nodes.join("\n[[machine.node]]\n");
        problem(&format!("{HEAD}{FLAT}[[machine.node]]\n{nodes}\n"))
    };
    let (cores, full) =
        ("cores = 4\ngflops_per_core = 10\nmemory_gib = 0", "cores = 4\ngflops_per_core = 10");
    assert_eq!(nodes(&[full, "cores = 0\nmemory_gib = 0"]), (ProblemKind::BadValue, "0".to_owned()));
    assert_eq!(nodes(&[cores, cores]).0, ProblemKind::BadValue);
    assert_eq!(nodes(&[full, &format!("{cores}\ntriad_gbs = 5")]), (ProblemKind::Conflict, "5".to_owned()));
    let all = format!("{MACHINE}memory_gib = 0\n");
    assert_eq!(problem(&all), (ProblemKind::BadValue, "0".to_owned()));
}

#[test]
fn data_cannot_be_on_a_node_without_memory() {
    for (data, marked) in [
        ("data = { home = 1 }", "1"),
        ("data = { home = 1, share = 0.5 }", "1"),
        ("data = { fractions = [0.5, 0.5] }", "0.5"),
        ("[[scenario]]\nname = \"s\"\nthreads = { a = 1 }\ndata = { a = { home = 1 } }", "1"),
    ] {
        let text = with_data(data);
        let found = problems(&[&text]);
        assert!(found.contains(&(ProblemKind::BadValue, marked.to_owned())), "{data}: {found:?}");
    }
    for data in ["data = { fractions = [1.0, 0.0] }", "data = \"interleave\"", "data = { home = \"any\" }"] {
        assert_eq!(problems(&[&with_data(data)]), [], "{data}");
    }
}
