//! Questions without an answer: exit code 1, nothing on standard output, and a hint.

use std::fmt::Write as _;

use super::{PAPER, run_text, stderr};

/// Nodes of these cores, 10 GB/s each, and these applications.
fn text(cores: &[u32], apps: &[&str]) -> String {
    let row = vec!["10"; cores.len()].join(", ");
    let mut text = format!(
        "[machine]\nname = \"m\"\nbandwidth_matrix_gbs = [{}]\n",
        vec![format!("[{row}]"); cores.len()].join(", ")
    );
    for cores in cores {
        let _ = writeln!(text, "[[machine.node]]\ncores = {cores}\ngflops_per_core = 1");
    }
    for (a, more) in apps.iter().enumerate() {
        let _ = writeln!(text, "[[app]]\nname = \"a{a}\"\narithmetic_intensity = 1\n{more}");
    }
    text
}

#[test]
fn each_contradiction_is_reported() {
    let two = text(&[2, 2], &["", ""]);
    let unequal = text(&[2, 4], &["", ""]);
    let greedy = text(&[2, 2], &["min_threads = 3", "min_threads = 2"]);
    let limited = text(&[2, 2], &["max_threads = 1", "max_threads = 2"]);
    let narrow = text(&[2, 2], &["min_threads = 1\nmax_threads = 1", ""]);
    let unfillable = text(&[2, 2], &["max_threads = 1", ""]);
    // remote first, each node's link carries all that the other has: its threads get nothing of the half that lies there
    let starving = text(&[40, 40], &["data = \"interleave\"\nwork_gflop = 1\nmin_threads = 80"]);
    let machine_only = text(&[2, 2], &[]);
    let cases: [(&str, &str, &[&str]); 15] = [
        ("more min_threads than cores", &greedy, &[]),
        ("too many threads per node", &two, &["--min-threads-per-node", "2"]),
        ("per node above max_threads", &limited, &["--min-threads-per-node", "1"]),
        ("whole nodes, yet everybody everywhere", &two, &["--whole-nodes", "--min-threads-per-node", "1"]),
        ("whole nodes, the same everywhere", &two, &["--whole-nodes", "--same-on-every-node"]),
        ("more applications than nodes", &text(&[2, 2], &["", "", ""]), &["--whole-nodes"]),
        ("no idle cores, few threads", &limited, &["--no-idle-cores"]),
        ("no idle cores, the same everywhere", &unequal, &["--no-idle-cores", "--same-on-every-node"]),
        ("the same everywhere, one thread", &narrow, &["--same-on-every-node"]),
        ("only together", &unfillable, &["--whole-nodes", "--no-idle-cores"]),
        ("makespan without work", &two, &["--objective", "makespan"]),
        ("makespan without end", &starving, &["--objective", "makespan", "--model", "remote-first"]),
        ("geomean without weight", &text(&[2], &["weight = 0"]), &["--objective", "geomean"]),
        ("no application", &machine_only, &[]),
        ("no application in the makespan", &machine_only, &["--objective", "makespan"]),
    ];
    let mut message = String::new();
    for (name, text, args) in cases {
        let output = run_text(text, args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{name}");
        let _ = writeln!(message, "## {name}: {}\n{}", args.join(" "), stderr(&output));
    }
    insta::assert_snapshot!(message);
}

#[test]
fn an_unknown_model_or_objective_is_a_wrong_command_line() {
    for args in [["--model", "wishful"], ["--objective", "speed"], ["--top", "-1"], ["--seed", "x"]] {
        let output = run_text(PAPER, &args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    }
}
