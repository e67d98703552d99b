//! Constraints on single applications: `--threads`, `--threads-multiple`, `--max-nodes`, `--exclusive`, those on L3 domains, and
//! `--simple`.

use std::fmt::Write as _;

use serde_json::Value;

use super::{PAPER, config, json_of, json_of_text, run_text, stderr, stdout, threads};

/// `threads[app][node]` of the best.
fn best(args: &[&str]) -> Vec<Vec<u64>> {
    let answer = json_of_text(PAPER, args);
    assert_eq!(answer["status"], "optimal", "{args:?}");
    threads(&answer["best"])
}

#[test]
fn each_constraint_is_obeyed_and_named() {
    let rows = best(&["--threads", "mem=2", "--threads", "mem-3=6"]);
    let totals: Vec<u64> = rows.iter().map(|row| row.iter().sum()).collect();
    assert_eq!(totals[..3], [2, 2, 6], "an instance has its own number");

    let rows = best(&["--threads-multiple", "4"]);
    assert!(rows.iter().flatten().all(|threads| threads % 4 == 0), "{rows:?}");

    let rows = best(&["--max-nodes", "mem=2", "--threads", "mem=6"]);
    assert!(rows[..3].iter().all(|row| row.iter().filter(|&&threads| threads > 0).count() <= 2), "{rows:?}");

    let rows = best(&["--exclusive", "compute"]);
    let shared = |node: usize| rows[3][node] > 0 && (0..3).any(|app| rows[app][node] > 0);
    assert!(!(0..4).any(shared), "{rows:?}");

    let asked = ["--threads-multiple", "mem=2", "--max-nodes", "compute=3", "--exclusive", "mem-1"];
    let answer = json_of_text(PAPER, &asked);
    let named: Vec<&str> =
        answer["restrictions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    for words in ["--threads-multiple mem=2", "--max-nodes compute=3", "--exclusive mem-1"] {
        assert!(named.contains(&words), "{named:?}");
    }
    // 2 threads of each on every node.
    assert_eq!(answer["baselines"][0]["breaks"], "compute has threads on more than 3 nodes");
}

/// 2 nodes of 2 domains of 8 cores, which limit nothing: 200 GB/s for `mem` on each node, 7 threads of 30 GB/s.
const DOMAINS: &str = "[machine]\nname = \"domains\"\nnodes = 2\ncores_per_node = 16\ncores_per_l3 = 8\ngflops_per_core = 100\n\
    bandwidth_gbs = 200\ncore_bandwidth_gbs = 30\nlink_gbs = 20\n[[app]]\nname = \"mem\"\narithmetic_intensity = 0.5\n\
    [[app]]\nname = \"cpu\"\narithmetic_intensity = 1000\n";

/// Threads of each application in each domain of the best, one node after the other.
fn by_domain(answer: &Value) -> Vec<Vec<u64>> {
    let apps = answer["best"]["apps"].as_array().expect("applications");
    let domains = |app: &Value| -> Vec<u64> {
        let nodes = app["threads_per_l3"].as_array().expect("a list per node");
        nodes.iter().flat_map(|node| node.as_array().expect("domains")).filter_map(Value::as_u64).collect()
    };
    apps.iter().map(domains).collect()
}

#[test]
fn l3_domains_are_kept_whole_if_they_limit_nothing() {
    let asked = ["--whole-l3", "--threads-per-l3", "mem=4", "--max-l3", "cpu=2"];
    let sum = ["--objective", "total-gflops"];
    let answer = json_of_text(DOMAINS, &[&asked[..], &sum].concat());
    let found = by_domain(&answer);
    assert_eq!(answer["status"], "optimal");
    assert!(found[0].iter().all(|&mem| mem == 0 || mem == 4), "{found:?}");
    assert!(found[0].iter().zip(&found[1]).all(|(&mem, &cpu)| mem == 0 || cpu == 0), "{found:?}");
    // Two domains full of `cpu`, 1600 GFLOPS; two with 4 threads of `mem`, 15 GFLOPS each.
    let value = answer["value"].as_f64().expect("a value");
    assert!((value - 1720.0).abs() < 1e-6, "{value}");
    let named: Vec<&str> =
        answer["restrictions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(named, ["--whole-l3", "min_threads", "--threads-per-l3 mem=4", "--max-l3 cpu=2"]);
    assert_eq!(answer["baselines"][0]["breaks"], "several applications share L3 domain 0 of node 0");
    // If each node is one domain.
    let flat = DOMAINS.replace("cores_per_l3 = 8\n", "");
    let answer = json_of_text(&flat, &[&sum[..], &["--whole-l3", "--threads-per-l3", "mem=7"]].concat());
    let rows = threads(&answer["best"]);
    assert_eq!((answer["status"].as_str(), rows), (Some("optimal"), vec![vec![7, 0], vec![0, 16]]));
    // The same placement ends a front.
    let front = json_of_text(DOMAINS, &[&asked[..], &["--pareto", "total-gflops,fair"]].concat());
    let end = front["pareto"]["ends"][0]["value"].as_f64().expect("a value");
    assert!((end - 1720.0).abs() < 1e-6, "{end}");
}

#[test]
fn what_contradicts_itself_or_the_files_is_told() {
    let cases: [(&str, &[&str]); 12] = [
        ("nobody has this name", &["--exclusive", "comptue"]),
        ("nor this", &["--max-nodes", "zzz=2"]),
        ("twice", &["--threads", "mem=2", "--threads", "mem=3"]),
        ("below min_threads", &["--threads", "compute=0"]),
        ("no multiple", &["--threads", "compute=6", "--threads-multiple", "4"]),
        ("too few cores on few nodes", &["--threads", "compute=18", "--max-nodes", "compute=2"]),
        ("few nodes, the same on every node", &["--max-nodes", "compute=2", "--same-on-every-node"]),
        ("alone, the same on every node", &["--exclusive", "compute", "--same-on-every-node"]),
        ("too many that are alone", &["--exclusive", "mem", "--threads", "mem=9"]),
        ("too few domains", &["--threads", "compute=18", "--max-l3", "compute=2"]),
        ("no multiple of a domain", &["--threads", "compute=6", "--threads-per-l3", "4"]),
        ("too many whole domains", &["--whole-l3", "--threads", "mem=9"]),
    ];
    let mut message = String::new();
    for (name, args) in cases {
        let output = run_text(PAPER, args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{name}");
        let _ = writeln!(message, "## {name}: {}\n{}", args.join(" "), stderr(&output));
    }
    for args in [
        ["--threads", "mem"],
        ["--max-nodes", "mem=0"],
        ["--threads-multiple", "x"],
        ["--within", "1"],
        ["--max-l3", "mem=0"],
    ] {
        let output = run_text(PAPER, &args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    }
    insta::assert_snapshot!(message);
}

#[test]
fn the_simplest_is_nearly_as_good_and_described_in_words() {
    let files = [config("machines/xeon-8360y-2s.toml"), config("workloads/paper-mem-compute.toml")];
    let answer = json_of(&files, &["--simple", "--within", "0.05", "--objective", "fair"]);
    let simple = &answer["simple"];
    let (loss, value) = (simple["loss"].as_f64().expect("a share"), simple["best"]["value"].as_f64());
    let best = answer["value"].as_f64().expect("a value");
    assert!((0.0..=0.05 + 1e-9).contains(&loss), "{loss}");
    assert!((1.0 - value.expect("a value") / best - loss).abs() < 1e-9, "{loss}");
    let different = |row: &Vec<u64>| {
        let mut numbers: Vec<u64> = row.iter().copied().filter(|&threads| threads > 0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len() as u64
    };
    let numbers: u64 = threads(&simple["best"]).iter().map(different).sum();
    assert_eq!(simple["different_numbers"], numbers);
    assert!(json_of_text(PAPER, &[]).get("simple").is_none(), "only on request");
}

#[test]
fn a_person_reads_what_to_set_up() {
    // 14 cores in 2 nodes, 3 for each of 3 applications, and 5 more for any of them: odd numbers are the best.
    let text = "[machine]\nname = \"two\"\nnodes = 2\ncores_per_node = 7\ngflops_per_core = 10\nbandwidth_gbs = 41\n\
                link_gbs = 10\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.9\n[[app]]\nname = \"b\"\n\
                arithmetic_intensity = 2.5\n[[app]]\nname = \"c\"\narithmetic_intensity = 40\n";
    let output = run_text(text, &["--simple", "--objective", "fair", "--within", "0.1", "--top", "0"]);
    let text = stdout(&output);
    let from = text.find("Simple:").expect("a line");
    let end = text[from..].find("\n\n").map_or(text.len(), |end| from + end);
    insta::assert_snapshot!(&text[from..end]);
}
