//! `numasim tasks` as a user and a script see it: durations by hand, schedulers side by side, traces, charts, graphs as CSV, and
//! refusals.

mod extremes;
mod real;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::{config_path, folder, run, stderr, stdout, study};

/// Two nodes with two cores of 10 GFLOPS and 20 GB/s, links of 5 GB/s; nothing of the runtime takes time.
const MACHINE: &str = "\
[machine]
name = \"M2\"
nodes = 2
cores_per_node = 2
gflops_per_core = 10.0
bandwidth_gbs = 20.0
link_gbs = 5.0
[runtime]
creation_us = 0.0
task_us = 0.0
steal_us = 0.0
ties = \"order\"
";

/// 1 GFLOP on 1 GB of data on node 1, for a worker of either node.
fn one_task(socket: u32) -> String {
    format!(
        "{MACHINE}[[block]]\nname = \"X\"\nmb = 1000.0\nhome = 1\n[[task]]\nname = \"t\"\ngflop = 1.0\nin = [\"X\"]\nsocket = {socket}\n"
    )
}

fn tasks(text: &str, more: &[&str]) -> Output {
    let (_folder, file) = study(text);
    let mut args = vec!["tasks", file.to_str().expect("UTF-8")];
    args.extend(more);
    run(&args)
}

fn json(text: &str, more: &[&str]) -> Value {
    let output = tasks(text, &[more, &["--format", "json"]].concat());
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

fn near(value: &Value, wanted: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - wanted).abs() <= 1e-9 * wanted)
}

#[test]
fn a_task_with_local_data_takes_half_as_long_as_across_the_link() {
    // 1 FLOP per byte: a core wants 10 GB/s, and has them at home: 0.1 s. The link brings 5: 0.2 s. The bound knows either.
    for (socket, seconds) in [(1, 0.1), (0, 0.2)] {
        let found = json(&one_task(socket), &["--scheduler", "sa"]);
        let one = &found["runs"][0];
        assert!(near(&one["makespan_s"], seconds), "{one}");
        let bytes = if socket == 1 { "dram_local" } else { "dram_remote" };
        assert!(near(&one["bytes"][bytes], 1e9), "{one}");
        assert!(one["bound_s"].as_f64().expect("a number") <= seconds, "{one}");
    }
}

#[test]
fn the_json_has_the_documented_keys_in_order() {
    let found = json(&one_task(1), &["--scheduler", "fifo,dep", "--runs", "2"]);
    let keys =
        |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&found), "schema command machine model graph runs schedulers");
    assert_eq!(keys(&found["graph"]), "name tasks edges blocks span");
    let runs = found["runs"].as_array().expect("a list");
    let of = |run: &Value| format!("{} {}", run["scheduler"].as_str().expect("a name"), run["seed"]);
    assert_eq!(runs.iter().map(of).collect::<Vec<_>>(), ["fifo 1", "fifo 2", "dep 1", "dep 2"]);
    let documented = "scheduler placement steal seed makespan_s bound_s bytes idle steals cut_edges cut_bytes partition_s \
         mailbox shared revokes remote_tasks migration_s scenario contender_tasks dealt fallbacks";
    assert!(keys(&runs[0]).starts_with(documented), "{}", keys(&runs[0]));
    assert_eq!((&runs[0]["cut_edges"], &runs[2]["cut_edges"]), (&Value::Null, &Value::from(0)));
}

#[test]
fn an_empty_graph_is_refused_from_every_source() {
    refused(MACHINE, &[], &["there is no graph of tasks", "hint: list each `[[task]]`"]);
    let with = |tables: &str| format!("{MACHINE}{tables}\n");
    refused(&with("[[block]]\nname = \"X\"\nmb = 1"), &[], &["there are no tasks: the graph is empty"]);
    refused(
        &with("[graph]\ngenerator = \"jacobi\"\niterations = 0\ninit = false"),
        &[],
        &[
            "there are no tasks: the generator jacobi makes none with these parameters",
            "hint: give it more `iterations`",
        ],
    );
    refused(&with("[program]\nrepeat = 0"), &[], &["the loops of `[program]` make none"]);
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let write = |name: &str, text: &str| fs::write(path(name), text).expect("a file for the test");
    write("blocks.csv", "id,bytes\n0,100\n");
    write("tasks.csv", "id,gflop,accesses\n");
    refused(MACHINE, &["--graph", &path("")], &["there are no tasks: this graph is empty", "tasks.csv"]);
    // `plan` and `profile` read graphs as `tasks` does.
    write("machine.toml", MACHINE);
    for command in ["plan", "profile"] {
        let output = run(&[command, &path("machine.toml"), "-o", &path("out")]);
        assert_eq!(output.status.code(), Some(1), "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("there is no graph of tasks"), "{command}: {}", stderr(&output));
        assert!(!folder.path().join("out").exists(), "{command} wrote something");
    }
}

#[test]
fn amounts_unfit_for_computation_are_refused() {
    let folder = folder();
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file for the test");
    write("blocks.csv", "id,bytes\n0,1e300\n");
    write("tasks.csv", "id,gflop,accesses\n0,1e-320,\n1,\"0,5\",\n2,1,in:0\n");
    let words = [
        "`bytes` is 1e300, but at most 1e40 is read",
        "`gflop` is 1e-320, but at least 1e-40, or 0, is read",
        "`gflop` is '0,5', not a number",
    ];
    refused(MACHINE, &["--graph", folder.path().to_str().expect("UTF-8")], &words);
}

/// 4 triples of arrays of 2.5 MB: a triad reads and writes the first array, and reads two others: 10 MB.
#[test]
fn sizes_of_a_generator_may_have_a_fraction() {
    let text = format!(
        "{MACHINE}[graph]\ngenerator = \"nstream\"\narrays = 4\nmb = 2.5\niterations = 1\ninit = false\n"
    );
    let found = json(&text, &["--scheduler", "sa"]);
    assert!(near(&found["runs"][0]["bytes"]["dram_local"], 4.0 * 10e6), "{found}");
    let (_folder, file) = study(&text);
    let checked = stdout(&run(&["check", file.to_str().expect("UTF-8")]));
    assert!(checked.contains("arrays 4, mb 2.5, iterations 1"), "{checked}");
}

#[test]
fn a_trace_named_rec_is_read_back_as_the_same_graph() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let text = format!("{MACHINE}[graph]\ngenerator = \"cholesky\"\nn = 4\ntile = 8\n");
    let found = json(&text, &["--scheduler", "dep", "--trace", &path("tasks.rec")]);
    let records = fs::read_to_string(path("tasks.rec")).expect("records");
    assert_eq!(records.matches("JobId: ").count(), 30);
    stdout(&run(&["import", "starpu", &path("tasks.rec"), "-o", &path("graph")]));
    let read = json(MACHINE, &["--scheduler", "dep", "--graph", &path("graph")]);
    assert_eq!(read["graph"]["edges"], found["graph"]["edges"]);
    assert_eq!(read["runs"][0]["bound_s"], found["runs"][0]["bound_s"]);
    for (more, said) in [
        (["--scheduler", "fifo,dep", "--trace", "x.rec"], "a tasks.rec is of one run, and these are several"),
        (
            ["--scheduler", "fifo,dep", "--trace", "x.paje"],
            "a trace of Paje is of one run, and these are several",
        ),
        (["--scheduler", "dep", "--trace", "x.svg"], "x.svg has no ending of a trace"),
    ] {
        refused(&text, &more, &[said]);
    }
}

#[test]
fn a_trace_of_paje_has_every_task_and_the_partitions_of_the_master() {
    let folder = folder();
    let path = folder.path().join("run.paje");
    let text = format!("{MACHINE}[graph]\ngenerator = \"cholesky\"\nn = 4\ntile = 8\n");
    json(&text, &["--scheduler", "rip-dep", "--trace", path.to_str().expect("UTF-8")]);
    let trace = fs::read_to_string(&path).expect("a trace");
    assert!(trace.starts_with("%EventDef PajeDefineContainerType 0\n"), "{trace}");
    let lines = |beginning: &str| trace.lines().filter(|line| line.starts_with(beginning)).count();
    // 30 tasks and one window on 4 workers.
    assert_eq!((lines("5 "), lines("6 "), lines("3 0 w")), (31, 31, 4));
}

/// A chain of three tasks of 1 s is created behind two others on two cores: 4 s, or 3 s if it is more urgent.
#[test]
fn the_output_says_which_schedulers_follow_priorities() {
    let chain = |priority: &str| {
        let task = |name: &str, more: &str| format!("[[task]]\nname = \"{name}\"\ngflop = 10.0\n{more}\n");
        let link = format!("inout = [\"X\"]\n{priority}");
        let tasks = [task("a", ""), task("b", ""), task("c", &link), task("d", &link), task("e", &link)];
        let machine = MACHINE.replace("nodes = 2", "nodes = 1");
        format!("{machine}[[block]]\nname = \"X\"\nmb = 0.0\n{}", tasks.concat())
    };
    let found = json(&chain("priority = 2"), &["--scheduler", "fifo,tbb"]);
    assert_eq!(found["graph"]["priorities"], Value::Bool(true));
    let runs: Vec<&Value> = (0..2).map(|run| &found["runs"][run]).collect();
    assert_eq!([&runs[0]["priorities"], &runs[1]["priorities"]], ["followed", "ignored"]);
    assert!(near(&runs[0]["makespan_s"], 3.0), "{found}");
    let table = stdout(&tasks(&chain("priority = 2"), &["--scheduler", "fifo,dep,tbb"]));
    assert!(table.contains("Priorities: followed by fifo, dep; ignored by tbb\n"), "{table}");
    let without = json(&chain(""), &["--scheduler", "fifo"]);
    assert!(near(&without["runs"][0]["makespan_s"], 4.0), "{without}");
    assert_eq!(
        (&without["graph"]["priorities"], &without["runs"][0]["priorities"]),
        (&Value::Null, &Value::Null)
    );
    refused(
        &chain("priority = 1e12"),
        &["--scheduler", "fifo"],
        &["`priority` must be from -2147483648 to 2147483648"],
    );
}

#[test]
fn several_seeds_have_medians_and_intervals_in_every_format() {
    let text = format!("{MACHINE}task_spread = 0.3\n[graph]\ngenerator = \"cholesky\"\nn = 4\ntile = 64\n");
    let asked = |runs: &'static str| ["--scheduler", "fifo,dep", "--runs", runs];
    let found = json(&text, &asked("6"));
    let dep = &found["schedulers"][1];
    assert_eq!((&dep["scheduler"], &dep["seeds"]), (&"dep".into(), &6.into()));
    let mut makespans: Vec<f64> =
        (6..12).map(|run| found["runs"][run]["makespan_s"].as_f64().expect("a time")).collect();
    makespans.sort_by(f64::total_cmp);
    // 6 values hold the median between the least and the largest in 97 % of cases.
    assert!(near(&dep["makespan_s"]["median"], f64::midpoint(makespans[2], makespans[3])), "{dep}");
    assert!(
        near(&dep["makespan_s"]["low"], makespans[0]) && near(&dep["makespan_s"]["high"], makespans[5]),
        "{dep}"
    );
    assert!(dep["speedup"]["low"].as_f64() <= dep["speedup"]["median"].as_f64(), "{dep}");
    let table = stdout(&tasks(&text, &asked("6")));
    assert!(table.contains("Over 6 seeds:") && !table.contains("at least 6 seeds"), "{table}");
    let few = stdout(&tasks(&text, &asked("5")));
    assert!(few.contains("An interval needs at least 6 seeds."), "{few}");
    let csv = stdout(&tasks(&text, &[&asked("6")[..], &["--format", "csv"]].concat()));
    let header = csv.lines().next().expect("a header");
    assert!(
        header.ends_with(
            "makespan_median_s,makespan_low_s,makespan_high_s,speedup_median,speedup_low,speedup_high"
        ),
        "{header}"
    );
    let one = json(&text, &["--scheduler", "fifo,dep"]);
    assert_eq!(one["schedulers"], Value::Null);
}

#[test]
fn the_same_seed_gives_the_same_text_on_any_number_of_threads() {
    let file = config_path("tasks/gauss-seidel.toml");
    let with = |threads: &str| {
        let args =
            ["tasks", &file, "--scheduler", "fifo,dep,rip-mw", "--runs", "3", "--steal", "--format", "csv"];
        stdout(
            &crate::common::numasim()
                .args(args)
                .env("RAYON_NUM_THREADS", threads)
                .output()
                .expect("it starts"),
        )
    };
    assert_eq!(with("1"), with("2"));
}

#[test]
fn a_trace_has_a_line_for_each_task_and_run() {
    let folder = folder();
    let path = folder.path().join("trace.csv");
    let more = ["--scheduler", "fifo,sa", "--trace", path.to_str().expect("UTF-8")];
    stdout(&tasks(&one_task(1), &more));
    // Under fifo the first worker takes it: node 0, across the link.
    assert_eq!(
        fs::read_to_string(&path).expect("written"),
        "scheduler,seed,task,type,socket,node,worker,start_s,end_s,source\nfifo,1,0,task,,0,0,0,0.2,own\nsa,1,0,task,1,1,2,0,0.1,own\n"
    );
}

#[test]
fn a_trace_for_perfetto_is_json_with_an_event_for_each_task() {
    let folder = folder();
    let path = folder.path().join("trace.json");
    stdout(&tasks(&one_task(1), &["--scheduler", "sa", "--trace", path.to_str().expect("UTF-8")]));
    let trace: Value = serde_json::from_str(&fs::read_to_string(&path).expect("written")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let tasks: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(tasks.len(), 1);
    assert_eq!((&tasks[0]["name"], &tasks[0]["pid"], &tasks[0]["tid"]), (&"t".into(), &1.into(), &2.into()));
    assert!(near(&tasks[0]["dur"], 1e5), "{}", tasks[0]);
    assert_eq!(events.iter().filter(|event| event["ph"] == "M").count(), 3, "two nodes and the master");
}

#[test]
fn a_chart_has_a_band_for_each_node() {
    let folder = folder();
    let path = folder.path().join("chart.svg");
    let file = config_path("tasks/gauss-seidel.toml");
    stdout(&run(&["tasks", &file, "--scheduler", "dep", "--gantt", path.to_str().expect("UTF-8")]));
    let svg = fs::read_to_string(&path).expect("written");
    for word in ["node 0", "node 1", "idle", "gauss-seidel", "time ("] {
        assert!(svg.contains(word), "{word}");
    }
}

#[test]
fn a_written_graph_reads_back_unchanged() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file = config_path("tasks/cholesky.toml");
    stdout(&run(&["tasks", &file, "--emit-graph", &path("first"), "-o", &path("first.txt")]));
    let machine = folder.path().join("machine.toml");
    fs::write(&machine, MACHINE).expect("a file for the test");
    let machine = machine.display().to_string();
    stdout(&run(&["tasks", &machine, "--graph", &path("first"), "--emit-graph", &path("second")]));
    for name in ["blocks.csv", "tasks.csv", "edges.csv"] {
        let text = |of: &str| fs::read_to_string(Path::new(&path(of)).join(name)).expect("written");
        assert!(text("first").lines().count() > 1);
        assert_eq!(text("first"), text("second"), "{name}");
    }
}

#[test]
fn a_broken_graph_is_shown_with_file_and_line() {
    let folder = folder();
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file for the test");
    write("blocks.csv", "id,bytes\n0,100\n");
    write("tasks.csv", "id,gflop,accesses\n0,1,in:0\n1,1,in:7\n");
    let output = tasks(MACHINE, &["--graph", folder.path().to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("tasks.csv:3:"), "{}", stderr(&output));
}

#[track_caller]
fn refused(text: &str, more: &[&str], words: &[&str]) {
    let output = tasks(text, more);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{}", stderr(&output));
    for word in words {
        assert!(stderr(&output).contains(word), "{word}: {}", stderr(&output));
    }
}

#[test]
fn sa_names_a_task_without_a_socket() {
    let text = one_task(0).replace("socket = 0\n", "");
    refused(&text, &["--scheduler", "sa"], &["task `t` has no `socket`", "hint:"]);
}

#[test]
fn two_graphs_and_a_chart_of_two_simulations_are_refused() {
    let folder = folder();
    refused(&one_task(0), &["--graph", folder.path().to_str().expect("UTF-8")], &["there are two graphs"]);
    refused(
        &one_task(0),
        &["--scheduler", "fifo,dep", "--gantt", "x.svg"],
        &["--gantt is of one simulation"],
    );
    refused(&one_task(0), &["--trace", "-"], &["more than one result would go to standard output"]);
}

#[test]
fn a_generator_that_would_make_too_many_tasks_is_refused_before_work_begins() {
    let text = format!("{MACHINE}[graph]\ngenerator = \"nstream\"\narrays = 1000000\niterations = 1000000\n");
    refused(&text, &[], &["nstream", "10000000"]);
}

#[test]
fn idle_reasons_share_the_idle_time() {
    // Four tasks of 0.1 s for the two cores of node 0; those of node 1 see two of them wait, then none are left.
    let text = (0..4).fold(MACHINE.to_owned(), |text, t| {
        format!("{text}[[task]]\nname = \"t{t}\"\ngflop = 1.0\nsocket = 0\n")
    });
    let found = json(&text, &["--scheduler", "sa"]);
    let run = &found["runs"][0];
    let reasons = &run["idle_reasons"];
    assert!(
        near(&run["idle"], 0.5) && near(&reasons["elsewhere"], 0.25) && near(&reasons["end"], 0.25),
        "{run}"
    );
    let sum: f64 = reasons.as_object().expect("an object").values().filter_map(Value::as_f64).sum();
    assert!(near(&run["idle"], sum), "{run}");
    assert!(near(&run["per_node"][1]["idle_s"]["elsewhere"], 0.2), "{run}");
    let table = stdout(&tasks(&text, &["--scheduler", "sa"]));
    assert!(table.contains("Why workers are idle, of all worker-seconds:"), "{table}");
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("tasks none scheduler elsewhere left") && words.contains("sa 25.0 % 25.0 %"),
        "{table}"
    );
}

#[test]
fn the_table_explains_the_lower_bound_in_words() {
    // 10 GB of blocks at 40 GB/s of both memories; a chain of two tasks of 1 s.
    let memories = format!(
        "{MACHINE}[[block]]\nname = \"X\"\nmb = 10000.0\nhome = \"interleave\"\n[[task]]\nname = \"t\"\nin = [\"X\"]\n"
    );
    let chain = format!(
        "{MACHINE}[[block]]\nname = \"X\"\nbytes = 0.0\n[[task]]\nname = \"a\"\ngflop = 10.0\nout = [\"X\"]\n\
         [[task]]\nname = \"b\"\ngflop = 10.0\nin = [\"X\"]\n"
    );
    for (text, words) in
        [(memories, "lower bound: the "), (chain, "the longest chain of tasks, which ends with task 1.")]
    {
        let table = stdout(&tasks(&text, &[])).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            table.contains("No schedule is shorter than the lower bound: ") && table.contains(words),
            "{table}"
        );
    }
}

/// Task Bench without data or edges.
fn bench(runtime: &str, width: u32, steps: u32) -> String {
    let machine = MACHINE.split_once("[runtime]").expect("a table").0;
    format!(
        "{machine}[runtime]\n{runtime}steal_us = 0.0\n[graph]\ngenerator = \"task-bench\"\npattern = \"trivial\"\n\
         width = {width}\nsteps = {steps}\nbytes = 0\nflop = 7\n"
    )
}

#[test]
fn the_smallest_effective_granularity_depends_on_the_overhead() {
    // 40 tasks on 4 workers, 1 us each to fetch: work / (work + 1 us) is 1/2 at 1 us of 10 GFLOPS: 10^4 FLOP, one task each 2 us. 3/4 at 3 us.
    let fetched = bench("creation_us = 0.0\ntask_us = 1.0\n", 4, 10);
    // The master creates 42 tasks, one each 1 us, and the last one begins then: 42 w = 1/2 x 4 x (42 + w), w = 84 / 40 = 2.1 us.
    let created = bench("creation_us = 1.0\ntask_us = 0.0\n", 7, 6);
    for (text, share, flop, us) in
        [(&fetched, "0.5", 10_000, 2.0), (&fetched, "0.75", 30_000, 4.0), (&created, "0.5", 21_000, 4.2)]
    {
        let found = json(text, &["--metg", share]);
        let metg = &found["runs"][0]["metg"];
        assert_eq!(metg["flop"], flop, "{metg}");
        assert!(
            near(&metg["metg_us"], us) && near(&metg["efficiency"], share.parse().expect("a number")),
            "{metg}"
        );
    }
    let table = stdout(&tasks(&fetched, &["--metg"]));
    assert!(table.contains("the smallest tasks that keep 50.0 % of the peak"), "{table}");
    let csv = stdout(&tasks(&fetched, &["--metg", "--format", "csv"]));
    assert!(
        csv.lines().next().expect("a header").ends_with("metg_share,metg_us,metg_flop,metg_efficiency"),
        "{csv}"
    );
}

#[test]
fn tasks_that_cannot_keep_the_cores_busy_have_no_such_granularity() {
    // In sequence on four workers: at most 1/4.
    let chain = bench("creation_us = 0.0\ntask_us = 1.0\n", 1, 5).replace("trivial", "no_comm");
    let found = json(&chain, &["--metg"]);
    assert_eq!(found["runs"][0]["metg"]["metg_us"], Value::Null, "{found}");
    let output = tasks(&one_task(1), &["--metg"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--metg is of Task Bench"), "{}", stderr(&output));
}

#[test]
fn tasks_that_wait_for_each_other_s_memories_never_end_and_the_message_says_why() {
    // 8 cores on each node ask for all of both memories; with wide links remote reads take both completely, and local reads make no
    // progress.
    let machine = MACHINE
        .replace("cores_per_node = 2", "cores_per_node = 8")
        .replace("link_gbs = 5.0", "link_gbs = 40.0");
    let blocks =
        "[[block]]\nname = \"X\"\nmb = 1000.0\nhome = 0\n[[block]]\nname = \"Y\"\nmb = 1000.0\nhome = 1\n";
    let text = (0..16).fold(machine + blocks, |text, t| {
        let socket = t % 2;
        format!("{text}[[task]]\nname = \"t{t}\"\ngflop = 0.01\nin = [\"X\", \"Y\"]\nsocket = {socket}\n")
    });
    let output = tasks(&text, &["--scheduler", "sa", "--model", "remote-first"]);
    assert_eq!(output.status.code(), Some(1));
    let words = stderr(&output);
    assert!(
        words.contains("task `t0` never ends") && words.contains("sharing model remote-first"),
        "{words}"
    );
    assert!(words.contains("take another --model"), "{words}");
}

/// Hand test F of the specification: 20 cores that each sweep a block of 10.5 MB 20 times, with `inout` once its bytes. 14 and 110 MB of cache
/// have no hits, as 210 MB come between: 4.2 GB at 100 GB/s; 200 MB serve 0.45 of 19 sweeps.
#[test]
fn a_cache_serves_data_that_returns_soon_enough() {
    let block = |block: u32| format!("[[block]]\nname = \"b{block}\"\nmb = 10.5\n");
    let task = |block: u32| format!("[[task]]\ninout = [\"b{block}\"]\n");
    let parts: Vec<String> = (0..20).map(block).chain((0..400).map(|number| task(number % 20))).collect();
    let graph = parts.concat();
    for (llc_mb, hits, seconds) in [(14, 0.0, 0.042), (110, 0.0, 0.042), (200, 1795.5e6, 0.024_045)] {
        let machine = format!(
            "[machine]\nname = \"one\"\nnodes = 1\ncores_per_node = 20\ngflops_per_core = 10\nbandwidth_gbs = 100\nllc_mb = {llc_mb}\n\
             [runtime]\ncreation_us = 0\ntask_us = 0\nties = \"order\"\n"
        );
        let found = json(&(machine + &graph), &["--scheduler", "fifo"]);
        let one = &found["runs"][0];
        let local = one["bytes"]["llc_local"].as_f64().expect("bytes");
        assert!((local - hits).abs() <= 1e-9 * 4.2e9, "{llc_mb} MB: {one}");
        assert!(near(&one["bytes"]["dram_local"], 4.2e9 - hits), "{llc_mb} MB: {one}");
        assert!(near(&one["makespan_s"], seconds), "{llc_mb} MB: {one}");
        // Each block comes from memory once: 210 MB at 100 GB/s.
        assert!(near(&one["bound_s"], 0.0021), "{llc_mb} MB: {one}");
    }
}

#[test]
fn the_placement_numa_is_first_touch_under_schedulers_without_placement() {
    let more = ["--scheduler", "dep,tbb", "--placement", "numa"];
    let found = json(&one_task(0), &more);
    let placements: Vec<&Value> = (0..2).map(|run| &found["runs"][run]["placement"]).collect();
    assert_eq!(placements, ["numa", "first-touch"]);
    let table = stdout(&tasks(&one_task(0), &more));
    assert!(table.contains("Pages:   numa (dep); first-touch (tbb)\n"), "{table}");
    let table = stdout(&tasks(&one_task(0), &["--scheduler", "tbb", "--placement", "numa"]));
    assert!(table.contains("Pages:   first-touch\n"), "{table}");
}

#[test]
fn windows_are_counted_in_iterations_of_a_generator() {
    let graph = |scheduler: &str| {
        format!(
            "{MACHINE}[graph]\ngenerator = \"jacobi\"\nblocks = 4\nrows = 8\ncolumns = 8\niterations = 3\n[scheduler]\n{scheduler}\n"
        )
    };
    let runs = |scheduler: &str| json(&graph(scheduler), &["--scheduler", "rip-mw"])["runs"].clone();
    let by_time = "vertex_weight = \"time\"\n";
    // 4 blocks and 2 borders before the first iteration, one of which remains.
    for weight in ["", by_time] {
        let units = runs(&format!("{weight}window_units = 2"));
        assert_eq!(units, runs(&format!("{weight}window = 8\ninitial_extra = 6\nintersection = 4")));
    }
    let error = stderr(&tasks(&graph("window_units = 2\nwindow = 8"), &[]));
    assert!(error.contains("the window is given in two ways"), "{error}");
}
