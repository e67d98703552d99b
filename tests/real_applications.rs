//! Applications described by measurements, as users ask about them: rates, threads with limits, shares of writes, overheads.

use serde_json::Value;

use crate::common::{numasim, stderr, stdout, study};

const ONE_NODE: &str = "\
[machine]
name = \"1 node x 8 cores\"
nodes = 1
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
";

const SHARED: &str = "\
[[app]]
name = \"db\"
thread_gbs = 3.0
rate = { unit = \"queries/s\", per_gb = 100.0 }
[[app]]
name = \"reader\"
arithmetic_intensity = 0.5
[[scenario]]
name = \"half each\"
threads = { db = 4, reader = 4 }
";

/// Four nodes without a limit of memory, and an application that loses something on several of them.
fn overhead(keys: &str) -> String {
    format!(
        "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 8\ngflops_per_core = 10.0\nbandwidth_gbs = 1000.0\nlink_gbs = 1000.0\n\
         [[app]]\nname = \"a\"\narithmetic_intensity = 10.0\n{keys}\n"
    )
}

fn asked(command: &str, text: &str, more: &[&str]) -> Value {
    let (_folder, file) = study(text);
    let output = numasim().arg(command).arg(&file).args(more).args(["--format", "json"]).output();
    let output = output.expect("the program starts");
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((value - expected).abs() <= 1e-4, "{value} is not {expected}");
}

#[test]
fn a_rate_replaces_gflops() {
    // 4 + 4 of 32 GB/s: `db` has its 12 GB/s, 1200 queries/s, the reader the other 20, 10 GFLOPS.
    let document = asked("evaluate", &format!("{ONE_NODE}{SHARED}"), &[]);
    let scenario = &document["scenarios"][0];
    let (db, reader) = (&scenario["apps"][0], &scenario["apps"][1]);
    near(&db["rate"], 1200.0);
    near(&db["rate_per_node"][0], 1200.0);
    near(&db["bandwidth_gbs"], 12.0);
    assert_eq!((&db["rate_unit"], &db["gflops"]), (&Value::from("queries/s"), &Value::Null));
    assert_eq!(db["gflops_per_node"], Value::Null);
    near(&reader["gflops"], 10.0);
    assert_eq!(reader.get("rate"), None);
    near(&scenario["total_gflops"], 10.0);
    near(&scenario["total_rates"][0]["rate"], 1200.0);
    assert_eq!(scenario["total_rates"][0]["rate_unit"], "queries/s");
}

#[test]
fn tables_and_csv_name_the_unit() {
    let (_folder, file) = study(&format!("{ONE_NODE}{SHARED}"));
    let text = |more: &[&str]| {
        stdout(&numasim().arg("evaluate").arg(&file).args(more).output().expect("the program starts"))
    };
    assert!(text(&[]).contains("10.00 GFLOPS, 1200.0 queries/s"), "{}", text(&[]));
    let csv = text(&["--format", "csv"]);
    let header = csv.lines().next().expect("a header");
    assert!(header.ends_with("scenario_total_gflops,rate,rate_unit,scenario_total_rate"), "{header}");
    assert!(csv.lines().any(|line| line.ends_with(",10,1200,queries/s,1200")), "{csv}");
}

#[test]
fn only_rates_of_one_unit_have_a_total() {
    // 2 x 2 threads of `db` draw 12 GB/s, 1 of `web` one.
    let web = "name = \"web\"\nthread_gbs = 1.0\nrate = { unit = \"pages/s\", per_gb = 10.0 }\n[[app]]\nname = \"reader\"";
    let shared = SHARED.replace("\"db\"", "\"db\"\ninstances = 2").replace("name = \"reader\"", web);
    let shared = shared.replace("{ db = 4, reader = 4 }", "{ db = 2, web = 1, reader = 3 }");
    let document = asked("evaluate", &format!("{ONE_NODE}{shared}"), &[]);
    let totals = &document["scenarios"][0]["total_rates"];
    near(&totals[0]["rate"], 1200.0);
    near(&totals[1]["rate"], 10.0);
    assert_eq!((&totals[0]["rate_unit"], &totals[1]["rate_unit"]), (&"queries/s".into(), &"pages/s".into()));
}

#[test]
fn objectives_that_sum_flop_name_applications_without_them() {
    let (_folder, file) = study(&format!("{ONE_NODE}{SHARED}"));
    for objective in ["total-gflops", "makespan"] {
        let output = numasim().arg("explore").arg(&file).args(["--objective", objective]).output();
        let output = output.expect("the program starts");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        let said = stderr(&output);
        assert!(said.contains("db") && said.contains("--objective geomean"), "{said}");
    }
    let document = asked("explore", &format!("{ONE_NODE}{SHARED}"), &["--objective", "geomean"]);
    assert_eq!(document["status"], "optimal");
    near(&document["alone_gflops"]["db"], 2400.0);
}

#[test]
fn simulations_count_rates_in_their_unit() {
    let text = |work: &str| {
        format!(
            "{ONE_NODE}[[app]]\nname = \"db\"\nthread_gbs = 3.0\n\
             rate = {{ unit = \"queries/s\", per_gb = 100.0{work} }}\nthreads = 4\n\
             [[app]]\nname = \"reader\"\narithmetic_intensity = 0.5\nthreads = 4\nwork_gflop = 20.0\n"
        )
    };
    // 4 + 4 of 32 GB/s: 1200 queries/s beside 10 GFLOPS for 2 s, and the same 12 GB/s alone.
    let document = asked("simulate", &text(", work = 6000"), &[]);
    let run = &document["runs"][0];
    let (db, reader) = (&run["apps"][0], &run["apps"][1]);
    near(&run["makespan_s"], 5.0);
    near(&reader["finished_s"], 2.0);
    near(&reader["mean_gflops"], 10.0);
    near(&db["work"], 6000.0);
    near(&db["mean_rate"], 1200.0);
    assert_eq!((&db["rate_unit"], &db["mean_gflops"]), (&Value::from("queries/s"), &Value::Null));
    let refused = |text: &str, more: &[&str]| {
        let (_folder, file) = study(text);
        let output = numasim().arg("simulate").arg(&file).args(more).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    let said = refused(&text(""), &[]);
    assert!(said.contains("the work of `db` is unknown") && said.contains("`work = 1e6`"), "{said}");
    let said = refused(&text(", work = 6000"), &["--policy", "marginal"]);
    assert!(said.contains("`db` has a `rate`, and the policy marginal counts in GFLOPS"), "{said}");
    let (folder, file) = study(&text(", work = 6000"));
    let timeline = folder.path().join("timeline.csv");
    let output = numasim().arg("simulate").arg(&file).arg("--timeline").arg(&timeline).output();
    assert!(output.expect("the program starts").status.success());
    let rows = std::fs::read_to_string(&timeline).expect("a timeline");
    assert!(
        rows.starts_with("time_s,app,node,running,busy,idle,blocked,gflops,gbs,items,rate,rate_unit\n"),
        "{rows}"
    );
    assert!(rows.contains("\n0,db,0,4,4,0,0,,12,0,1200,queries/s\n"), "{rows}");
    assert!(rows.contains("\n0,reader,0,4,4,0,0,10,20,0,,\n"), "{rows}");
    let echo = numasim().arg("check").arg(&file).output().expect("the program starts");
    assert!(stdout(&echo).contains("6000"), "{}", stdout(&echo));
}

#[test]
fn simulations_include_the_cost_of_several_nodes() {
    // On k of 4 nodes 80 k / (1 + 0.12 log2 k) GFLOPS: 1000 GFLOP take 12.5, 7, 4.9588 (of three) and 3.875 s.
    for (threads, seconds) in [
        ("[8, 0, 0, 0]", 12.5),
        ("[8, 8, 0, 0]", 7.0),
        ("[8, 8, 8, 0]", 1000.0 * (1.0 + 0.12 * 3_f64.log2()) / 240.0),
        ("[8, 8, 8, 8]", 3.875),
    ] {
        let keys = format!("node_overhead = 0.12\nwork_gflop = 1000.0\nthreads = {threads}");
        near(&asked("simulate", &overhead(&keys), &[])["runs"][0]["makespan_s"], seconds);
    }
}

#[test]
fn explore_stays_on_one_node_if_several_cost_something() {
    let of = |keys: &str| asked("explore", &overhead(keys), &["--objective", "geomean"]);
    // All nodes: 320 / 1.24, which is also its stand-alone speed.
    let all = of("node_overhead = 0.12");
    near(&all["best"]["total_gflops"], 258.0645);
    near(&all["alone_gflops"]["a"], 258.0645);
    let threads = &of("node_overhead = 0.12\nmax_threads = 8")["best"]["apps"][0]["threads"];
    let used = threads.as_array().expect("a list").iter().filter(|one| **one != 0).count();
    assert_eq!(used, 1, "{threads}");
    // At 2.0 two nodes have 160 / 3.
    let alone = of("node_overhead = 2.0");
    near(&alone["alone_gflops"]["a"], 80.0);
    near(&alone["best"]["total_gflops"], 80.0);
}

#[test]
fn a_thread_that_draws_more_than_a_memory_causes_a_warning() {
    let fast = format!("{ONE_NODE}[[app]]\nname = \"a\"\narithmetic_intensity = 1\nthread_gbs = 300\n");
    let (_folder, file) = study(&fast);
    let output = numasim().arg("check").arg(&file).output().expect("the program starts");
    assert!(stderr(&output).contains("`thread_gbs` is 300 GB/s"), "{}", stderr(&output));
}

/// One application on two nodes with latencies; its data local.
fn on_two_nodes(machine: &str, app: &str) -> String {
    format!(
        "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 8\ngflops_per_core = 10.0\nbandwidth_gbs = 1000.0\nlink_gbs = 1000.0\n\
         latency_matrix_ns = [[80.0, 160.0], [160.0, 80.0]]\n{machine}\n[[app]]\nname = \"a\"\n{app}\n\
         [[scenario]]\nname = \"s\"\nthreads = {{ a = [2, 2] }}\n"
    )
}

#[test]
fn the_limit_of_a_thread_is_named_as_its_bottleneck() {
    for (machine, app, kind, words) in [
        ("", "arithmetic_intensity = 1.0", "core-peak", "core peak on all nodes"),
        ("", "arithmetic_intensity = 1.0\nthread_gflops = 5.0", "thread-peak", "thread peak on all nodes"),
        (
            "core_bandwidth_gbs = 6.0",
            "arithmetic_intensity = 1.0",
            "core-bandwidth",
            "core bandwidth on all nodes",
        ),
        (
            "core_bandwidth_gbs = 6.0",
            "arithmetic_intensity = 1.0\nthread_gbs = 3.0",
            "thread-bandwidth",
            "thread bandwidth on all nodes",
        ),
        (
            "",
            "arithmetic_intensity = 1.0\noutstanding_lines = 1",
            "memory-latency",
            "memory latency on all nodes",
        ),
    ] {
        let text = on_two_nodes(machine, app);
        let document = asked("evaluate", &text, &[]);
        assert_eq!(document["scenarios"][0]["apps"][0]["bottleneck_per_node"][0], kind, "{app}");
        let (_folder, file) = study(&text);
        let output = numasim().arg("evaluate").arg(&file).output().expect("the program starts");
        assert!(stdout(&output).contains(words), "{}", stdout(&output));
    }
}

#[test]
fn explanations_name_the_limits_of_threads_and_the_cost_of_several_nodes() {
    let explained = |machine: &str, app: &str| {
        let (_folder, file) = study(&on_two_nodes(machine, app));
        let output = numasim().arg("evaluate").arg(&file).arg("--explain").output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let limits = "thread_gflops = 5.0\nthread_gbs = 10.0\noutstanding_lines = 1\nnode_overhead = 0.5";
    let text = explained("", limits);
    for part in [
        "min(peak GFLOPS / AI, thread_gflops / AI, thread_gbs, lines * 64 byte / latency)",
        "min(10/0.5, 5/0.5, 10, 0.8) = 0.8",
        "1/(1 + 0.5 * log2 2) = 0.666667",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Other models than the default have a table of limits.
    let text = explained("core_bandwidth_gbs = 16.0\n[machine.sharing]\nmodel = \"ecm\"", limits);
    for part in ["thread peak 10, core bandwidth 16", "latency", "1/(1 + 0.5 * log2 2) = 0.666667"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Rates are added up in their own unit, and never as GFLOPS.
    let text = explained("", "thread_gbs = 3.0\nrate = { unit = \"queries/s\", per_gb = 100.0 }");
    assert!(text.contains("total queries/s") && !text.contains("GFLOPS per"), "{text}");
}

#[test]
fn documents_list_the_penalties_of_ecm() {
    for (lines, word) in [
        ("model = \"ecm\"", "usual"),
        ("model = \"ecm\"\necm_penalty = 0.2", "given"),
        ("model = \"ecm\"\necm_penalty = 0", "hard-corner"),
    ] {
        let text = on_two_nodes(&format!("[machine.sharing]\n{lines}"), "arithmetic_intensity = 1.0");
        assert_eq!(asked("evaluate", &text, &[])["penalties"], word, "{lines}");
    }
    let text = on_two_nodes("", "arithmetic_intensity = 1.0");
    assert_eq!(asked("evaluate", &text, &[]).get("penalties"), None);
    assert_eq!(asked("evaluate", &text, &["--model", "ecm"])["penalties"], "usual");
}

#[test]
fn sweeps_plots_and_pages_count_rates_in_their_unit() {
    let rated = "[[app]]\nname = \"db\"\nthread_gbs = 3.0\nrate = { unit = \"queries/s\", per_gb = 100.0 }\n\
                 [[scenario]]\nname = \"two\"\nthreads = { db = 2 }\n[[scenario]]\nname = \"four\"\nthreads = { db = 4 }\n";
    let (folder, file) = study(&format!("{ONE_NODE}{rated}"));
    let text = |args: &[&str]| {
        let output = numasim().args(args).arg(&file).output().expect("the program starts");
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        stdout(&output)
    };
    let tables = text(&["evaluate"]);
    assert!(tables.contains("1200.0 queries/s") && !tables.contains("0.0 GFLOPS"), "{tables}");
    let models = text(&["evaluate", "--model", "all"]);
    assert!(models.contains("total queries/s") && models.contains("queries/s under each"), "{models}");
    let plot = folder.path().join("sweep.svg");
    let set = "app.db.thread_gbs=1,2,3";
    let swept = text(&[
        "sweep",
        "--set",
        set,
        "--scenario",
        "four",
        "--plot",
        plot.to_str().expect("UTF-8"),
        "--format",
        "csv",
    ]);
    let header = swept.lines().next().expect("a header");
    assert!(header.contains("rate:db") && !header.contains("gflops:db"), "{header}");
    let svg = std::fs::read_to_string(&plot).expect("the plot");
    assert!(svg.contains("queries/s") && !svg.contains("GFLOPS"), "{svg}");
    let best = text(&["sweep", "--set", set, "--scenario", "four", "--format", "table"]);
    assert!(best.contains("Most queries/s: 1200.0"), "{best}");
    let rows = asked("sweep", &format!("{ONE_NODE}{rated}"), &["--set", set, "--scenario", "four"]);
    near(&rows["rows"][2]["apps"][0]["rate"], 1200.0);
    assert_eq!(rows["rows"][2]["apps"][0]["rate_unit"], "queries/s");
    let map = text(&["plot", "threads", "--scenario", "four"]);
    assert!(map.contains("1200.0 queries/s") && !map.contains("GFLOPS"), "{map}");
    let found = text(&["explore", "--objective", "fair"]);
    assert!(found.contains("p = queries/s / stand-alone queries/s") && !found.contains("GFLOPS"), "{found}");
    let front = text(&["explore", "--pareto", "fair,geomean"]);
    assert!(!front.contains("GFLOPS"), "{front}");
}
