//! Known answers: the figures of the paper, every constraint, weights, thread limits, homes, and repeatability.

use serde_json::Value;

use super::{PAPER, assert_close, config, json_of, json_of_text, run_text, stderr, threads};

const SAME: &str = "--same-on-every-node";
const WHOLE: &str = "--whole-nodes";
const BUSY: &str = "--no-idle-cores";

/// With the counting rule of the paper.
const SUM: [&str; 2] = ["--objective", "total-gflops"];

fn value(text: &str, args: &[&str]) -> f64 {
    json_of_text(text, &[&SUM, args].concat())["value"].as_f64().expect("a number")
}

#[test]
fn the_paper_s_best_allocations_are_found() {
    let uneven = [config("paper/uneven-even-nodes.toml")];
    let best =
        |files: &[std::path::PathBuf], args: &[&str]| json_of(files, &[&SUM, args].concat())["value"].clone();
    assert_close(&best(&uneven, &[SAME, "--min-threads-per-node", "1"]), 254.0);
    assert_close(&best(&uneven, &[WHOLE]), 128.0);
    // 20 threads of 0.29 GFLOPS on each node; the memory carries them
    let table = [config("paper/table-iii.toml")];
    assert_close(&best(&table, &[SAME, "--min-threads-per-node", "1"]), 23.2);
    // 3 x 100 GB/s / 32 + 20 x 0.29
    assert_close(&best(&table, &[WHOLE]), 15.175);
    assert_close(&best(&[config("paper/numa-bad.toml")], &[WHOLE]), 150.0);
}

/// Every combination of the constraints that is possible on the paper's machine.
#[test]
fn the_best_meets_every_combination_of_constraints() {
    for bits in 0..8 {
        for per_node in ["0", "1", "2"] {
            let switches = [SAME, WHOLE, BUSY];
            let mut args: Vec<&str> =
                (0..3).filter(|bit| bits >> bit & 1 == 1).map(|bit| switches[bit]).collect();
            args.extend(["--min-threads-per-node", per_node, "--top", "4"]);
            let (same, whole, busy) = (bits & 1 > 0, bits & 2 > 0, bits & 4 > 0);
            if whole && (same || per_node != "0") {
                assert_eq!(run_text(PAPER, &args).status.code(), Some(1), "{args:?}");
                continue;
            }
            let answer = json_of_text(PAPER, &args);
            assert_eq!(answer["status"], "optimal", "{args:?}");
            let alternatives = answer["alternatives"].as_array().expect("a list");
            for allocation in alternatives.iter().chain([&answer["best"]]) {
                let rows = threads(allocation);
                let on_node = |n: usize| rows.iter().map(move |row| row[n]);
                assert!(!same || rows.iter().all(|row| row.iter().all(|t| *t == row[0])), "{args:?}");
                assert!(rows.iter().all(|row| row.iter().sum::<u64>() >= 1), "min_threads, {args:?}");
                for n in 0..4 {
                    let total: u64 = on_node(n).sum();
                    assert!(total <= 8 && (!busy || total == 8), "{args:?}");
                    assert!(!whole || on_node(n).filter(|&t| t > 0).count() <= 1, "{args:?}");
                    assert!(on_node(n).all(|t| t >= per_node.parse().expect("a number")), "{args:?}");
                }
            }
        }
    }
}

#[test]
fn constraints_only_lower_the_value() {
    let free = value(PAPER, &[]);
    // one mem thread per application on any node, 29 compute threads: no bottleneck
    assert!((free - 320.0).abs() < 1e-6);
    for args in [&[SAME][..], &[WHOLE], &[BUSY], &["--min-threads-per-node", "1"]] {
        assert!(value(PAPER, args) <= free + 1e-6, "{args:?}");
    }
}

/// One node, 4 cores of 10 GFLOPS, memory for all of them.
fn one_node(apps: &[&str]) -> String {
    let machine = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 1000\n";
    let apps = apps.iter().enumerate();
    apps.fold(machine.to_owned(), |text, (a, more)| {
        format!("{text}[[app]]\nname = \"a{a}\"\narithmetic_intensity = 1\n{more}\n")
    })
}

#[test]
fn weights_decide_who_gets_the_cores_and_the_total_stays_plain() {
    let answer = json_of_text(&one_node(&["weight = 2", "weight = 1"]), &SUM);
    assert_eq!(threads(&answer["best"]), [[3], [1]]);
    assert_close(&answer["value"], 70.0); // 2 x 30 + 10
    assert_close(&answer["best"]["total_gflops"], 40.0);
}

#[test]
fn minimum_and_maximum_threads_are_respected() {
    let answer = json_of_text(&one_node(&["max_threads = 1\nweight = 9", "min_threads = 2"]), &SUM);
    assert_eq!(threads(&answer["best"])[0], [1]);
    let answer = json_of_text(&one_node(&["min_threads = 0\nweight = 0.5", "min_threads = 0"]), &SUM);
    assert_eq!(threads(&answer["best"]), [[0], [4]]);
}

#[test]
fn fair_compares_with_the_stand_alone_speed_under_the_same_constraints() {
    // a0 reaches its maximum with its one thread, 10 GFLOPS; a1 gets the other 30 of 40.
    let answer = json_of_text(&one_node(&["max_threads = 1", ""]), &["--objective", "fair"]);
    assert_close(&answer["value"], 0.75);
    assert_close(&answer["alone_gflops"]["a0"], 10.0);
    let levels = answer["levels"].as_array().expect("levels");
    let apps: Vec<_> = levels.iter().map(|level| (level["apps"].clone(), level["proven"].clone())).collect();
    let proven = |app: &str| (serde_json::json!([app]), serde_json::json!(true));
    assert_eq!(apps, [proven("a1"), proven("a0")]);
    assert_close(&levels[1]["p"], 1.0);
}

#[test]
fn geomean_is_weighted() {
    // p = 3/4 and 1/4 with weights 3 and 1
    let answer = json_of_text(&one_node(&["weight = 3", ""]), &[]);
    assert_eq!(answer["objective"], "geomean", "the default");
    assert_close(&answer["value"], (0.75_f64.powi(3) * 0.25).powf(0.25));
}

#[test]
fn makespan_is_in_seconds() {
    // 300 GFLOP on 3 cores of 10 GFLOPS take 10 s, 100 GFLOP on one core as well
    let text = one_node(&["work_gflop = 300", "work_gflop = 100"]);
    let answer = json_of_text(&text, &["--objective", "makespan"]);
    assert_eq!(threads(&answer["best"]), [[3], [1]]);
    assert_close(&answer["value"], 10.0);
}

/// Two nodes with thin links between them; each of two instances wants local data.
const TWO_HOMES: &str = "\
[machine]
name = \"thin links\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10
bandwidth_gbs = 40
link_gbs = 1
[[app]]
name = \"bad\"
instances = 2
arithmetic_intensity = 1
data = { home = \"any\" }
";

#[test]
fn each_instance_chooses_its_own_home() {
    let answer = json_of_text(TWO_HOMES, &SUM);
    // each instance has a node and its memory: 40 GB/s at 1 FLOP per byte, on both nodes
    assert_close(&answer["value"], 80.0);
    let apps = answer["best"]["apps"].as_array().expect("a list");
    let homes: Vec<u64> = apps.iter().map(|app| app["home"].as_u64().expect("chosen")).collect();
    assert_ne!(homes[0], homes[1]);
    for (home, row) in homes.iter().zip(threads(&answer["best"])) {
        assert_eq!(row[usize::try_from(*home).expect("a node")], 4);
    }
}

#[test]
fn the_open_home_of_the_paper_s_application_is_a_node_where_it_runs() {
    let files = [config("machines/xeon-gold-6138-4s.toml"), config("workloads/paper-numa-bad.toml")];
    let answer = json_of(&files, &[]);
    let bad = &answer["best"]["apps"][3];
    let home = usize::try_from(bad["home"].as_u64().expect("chosen")).expect("a node");
    assert_eq!(bad["name"], "bad");
    assert!(bad["threads"][home].as_u64() > Some(0), "{bad}");
    assert!(answer["best"]["apps"][0]["home"].is_null());
}

fn without_time(mut answer: Value) -> Value {
    answer.as_object_mut().expect("an object").remove("elapsed_s").expect("the time");
    answer
}

#[test]
fn the_answer_does_not_depend_on_worker_threads_or_repetition() {
    let opteron = [config("machines/opteron-8n.toml"), config("workloads/paper-numa-bad.toml")];
    let paper = [config("paper/uneven-even-nodes.toml")];
    for (files, args) in
        [(&opteron[..], &["--top", "5"][..]), (&paper, &["--objective", "geomean", "--no-idle-cores"])]
    {
        let with = |more: &[&str]| without_time(json_of(files, &[args, more].concat()));
        let first = with(&["--threads", "1"]);
        for more in [&["--threads", "1"][..], &["--threads", "2"], &["--threads", "7"], &[], &[]] {
            assert_eq!(with(more), first, "{more:?}");
        }
    }
}

#[test]
fn another_seed_finds_the_same_value() {
    let files = [config("paper/table-iii-numa-bad.toml")];
    let first = json_of(&files, &["--seed", "0"]);
    let second = json_of(&files, &["--seed", "18446744073709551615"]);
    assert_close(&second["value"], first["value"].as_f64().expect("a number"));
    assert_eq!(second["seed"], u64::MAX);
}

#[test]
fn an_application_that_gets_nothing_even_alone_causes_a_warning() {
    // Remote first, two nodes, links as wide as controllers: interleaved data leaves the threads of each node nothing if all cores must run.
    let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 20\n\
                link_gbs = 20\n[[app]]\nname = \"a\"\narithmetic_intensity = 1\ndata = \"interleave\"\nmin_threads = 8\n";
    let output = run_text(text, &["--objective", "fair", "--format", "json", "--model", "remote-first"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("'a' gets 0 GFLOPS even alone"), "{}", stderr(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_close(&answer["value"], 0.0);
}
