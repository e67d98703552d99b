//! A graph that runs here is an application.

use super::*;

/// One node with a core, which every host has, and a graph.
const GRAPH: &str = "\
[machine]
name = \"here\"
nodes = 1
cores_per_node = 1
gflops_per_core = 10.0
bandwidth_gbs = 10.0
[graph]
generator = \"cholesky\"
n = 6
tile = 32
";

#[test]
fn a_graph_runs_as_the_agent_allows_and_says_goodbye() {
    let agent = Agent::with(
        GRAPH.split("[graph]").next().expect("a machine"),
        &["--policy", "fair-share", "--period-ms", "20", "--record", "r.jsonl"],
    );
    let file = agent.folder.path().join("graph.toml");
    std::fs::write(&file, GRAPH).expect("a file");
    let output = program()
        .args(["tasks", file.to_str().expect("UTF-8"), "--real", "--runs", "3", "--format", "json"])
        .env("NUMASIM_AGENT", agent.path())
        .env("NUMASIM_APP", "graph")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert!(json["runs"].as_array().expect("runs").iter().all(|run| run["same_as_serial"] == true), "{json}");
    eventually("it has said goodbye", || agent.status()["closed"]["bye"] == 1);
    let record = agent.folder.path().join("r.jsonl");
    let decided = || std::fs::read_to_string(&record).expect("a record");
    // It waits for the first order: nothing runs before that.
    eventually("it was dealt the core", || {
        decided().lines().any(|line| line.contains("\"app\":\"graph\"") && line.contains("\"per_node\":[1]"))
    });
}
