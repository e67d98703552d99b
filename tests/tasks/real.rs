//! `numasim tasks --real`: graphs that run on this host.

use std::fs;

use serde_json::Value;

use crate::common::{folder, numasim, run, stderr, stdout};

/// One node with a core, which every host has.
const HERE: &str = "[machine]\nname = \"here\"\nnodes = 1\ncores_per_node = 1\ngflops_per_core = 10.0\nbandwidth_gbs = 10.0\n";

fn real(graph: &str, more: &[&str]) -> std::process::Output {
    let folder = folder();
    let file = folder.path().join("here.toml");
    fs::write(&file, format!("{HERE}{graph}")).expect("written");
    let mut args = vec!["tasks", file.to_str().expect("UTF-8"), "--real"];
    args.extend(more);
    // These tests also run for a user who runs an agent.
    numasim().env("NUMASIM_AGENT", "off").args(args).output().expect("the program starts")
}

#[track_caller]
fn refused(graph: &str, more: &[&str], words: &[&str]) {
    let output = real(graph, more);
    let said = stderr(&output);
    assert_ne!(output.status.code(), Some(0), "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn every_code_runs_and_is_right() {
    for (graph, schedulers) in [
        ("generator = \"cholesky\"\nn = 3\ntile = 16\n", "fifo,dep,rip-dep,tbb"),
        ("generator = \"qr\"\nn = 3\ntile = 16\n", "fifo,dep,rip-dep,tbb"),
        ("generator = \"gauss-seidel\"\ngrid = 3\ntile = 8\niterations = 2\n", "fifo,dep,rip-dep,tbb"),
        (
            "generator = \"jacobi\"\nblocks = 3\nrows = 6\ncolumns = 8\niterations = 2\n",
            "fifo,dep,rip-dep,tbb",
        ),
        ("generator = \"stencil2d\"\nn = 12\nrows = 2\ncolumns = 2\niterations = 3\n", "fifo,dep,tbb"),
    ] {
        let graph = format!("[graph]\n{graph}");
        let output = real(&graph, &["--scheduler", schedulers, "--runs", "2", "--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{graph}: {}", stderr(&output));
        let json: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(json["check"]["right"], true, "{graph}");
        let runs = json["runs"].as_array().expect("runs");
        assert_eq!(runs.len(), 2 * schedulers.split(',').count());
        for run in runs {
            assert_eq!(run["same_as_serial"], true, "{graph}: {run}");
            // If page queries are forbidden, the report omits pages.
            assert!(run["pages"].is_null() || run["pages"].as_array().map(Vec::len) == Some(1), "{run}");
            assert!(
                run["measured_s"].as_f64() > Some(0.0) && run["simulated_s"].as_f64() > Some(0.0),
                "{run}"
            );
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_is_a_trace_of_starpu_that_is_imported_and_simulated() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let graph = "[graph]\ngenerator = \"cholesky\"\nn = 4\ntile = 8\n";
    let output = real(graph, &["--scheduler", "dep", "--trace", &path("tasks.rec")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // 10 first tasks and 20 others; the last one waits for one.
    let records = fs::read_to_string(path("tasks.rec")).expect("records");
    assert_eq!(records.matches("JobId: ").count(), 30);
    assert_eq!(records.matches("WorkerId: 0\n").count(), 30);
    let output = run(&["import", "starpu", &path("tasks.rec"), "-o", &path("graph")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    fs::write(path("here.toml"), HERE).expect("written");
    let output = run(&["tasks", &path("here.toml"), "--graph", &path("graph"), "--format", "json"]);
    let json: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    // As `numasim tasks` reports for the generator: 20 tasks and 30 edges, and each first task is followed by the first task that changes its
    // block.
    assert_eq!((json["graph"]["tasks"].as_u64(), json["graph"]["edges"].as_u64()), (Some(30), Some(40)));
}

#[test]
#[cfg(target_os = "linux")]
fn a_trace_as_csv_has_the_columns_of_simulations() {
    let folder = folder();
    let file = folder.path().join("trace.csv");
    let graph = "[graph]\ngenerator = \"stencil2d\"\nn = 4\nrows = 2\ncolumns = 2\niterations = 2\n";
    let output = real(graph, &["--trace", file.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = fs::read_to_string(file).expect("a trace");
    assert!(text.starts_with("scheduler,seed,task,type,socket,node,worker,start_s,end_s,source\n"), "{text}");
    assert_eq!(text.lines().count(), 1 + 9);
}

#[test]
fn graphs_that_cannot_run_here_are_refused() {
    refused("[[task]]\nname = \"t\"\n", &[], &["--real needs a graph whose tasks have kernels"]);
    refused(
        "[graph]\ngenerator = \"nstream\"\n",
        &[],
        &["the tasks of generator nstream have no kernels: those of cholesky, qr"],
    );
}

#[test]
#[cfg(target_os = "linux")]
fn the_measured_run_is_drawn_with_a_bar_for_each_kind_of_task() {
    let folder = folder();
    let file = folder.path().join("run.svg");
    let path = file.to_str().expect("UTF-8");
    let graph = "[graph]\ngenerator = \"cholesky\"\nn = 4\ntile = 32\n";
    let output = real(graph, &["--scheduler", "dep", "--gantt", path]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let svg = fs::read_to_string(&file).expect("a chart");
    for word in ["on here", "dep: ", " s, measured; ", "potrf", "gemm", "node 0"] {
        assert!(svg.contains(word), "{word} is missing: {svg}");
    }
    refused(graph, &["--runs", "2", "--gantt", path], &["--gantt is of one run, and these are 2"]);
    for second in ["--gantt", "--trace"] {
        refused(graph, &[second, "-"], &["more than one result would go to standard output"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn graphs_too_large_for_this_host_are_refused() {
    let graph = "[graph]\ngenerator = \"qr\"\nn = 2\ntile = 8\n";
    refused(
        graph,
        &["--runs", "2", "--trace", "tasks.rec"],
        &["a tasks.rec is of one run, and these are several"],
    );
    refused(
        "[graph]\ngenerator = \"stencil2d\"\nn = 4\nrows = 2\ncolumns = 2\niterations = 2\n",
        &["--scheduler", "rip-dep"],
        &["is created by a task, but the scheduler rip-dep"],
    );
    let folder = folder();
    let file = folder.path().join("large.toml");
    fs::write(&file, format!("{}{graph}", HERE.replace("cores_per_node = 1", "cores_per_node = 60000")))
        .expect("written");
    let output = run(&["tasks", file.to_str().expect("UTF-8"), "--real"]);
    assert!(
        stderr(&output).contains("node 0 of the machine has 60000 cores, and this process may use"),
        "{}",
        stderr(&output)
    );
}
