//! What people ask of single applications: `--threads`, `--threads-multiple`, `--max-nodes`, `--exclusive`, and `--simple`.

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
fn each_restriction_is_obeyed_and_named() {
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

#[test]
fn what_contradicts_itself_or_the_files_is_told() {
    let cases: [(&str, &[&str]); 9] = [
        ("nobody has this name", &["--exclusive", "comptue"]),
        ("nor this", &["--max-nodes", "zzz=2"]),
        ("twice", &["--threads", "mem=2", "--threads", "mem=3"]),
        ("below min_threads", &["--threads", "compute=0"]),
        ("no multiple", &["--threads", "compute=6", "--threads-multiple", "4"]),
        ("too few cores on few nodes", &["--threads", "compute=18", "--max-nodes", "compute=2"]),
        ("few nodes, the same on every node", &["--max-nodes", "compute=2", "--same-on-every-node"]),
        ("alone, the same on every node", &["--exclusive", "compute", "--same-on-every-node"]),
        ("too many that are alone", &["--exclusive", "mem", "--threads", "mem=9"]),
    ];
    let mut message = String::new();
    for (name, args) in cases {
        let output = run_text(PAPER, args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{name}");
        let _ = writeln!(message, "## {name}: {}\n{}", args.join(" "), stderr(&output));
    }
    for args in
        [["--threads", "mem"], ["--max-nodes", "mem=0"], ["--threads-multiple", "x"], ["--within", "1"]]
    {
        let output = run_text(PAPER, &args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    }
    insta::assert_snapshot!(message);
}

#[test]
fn the_simplest_is_nearly_as_good_and_said_in_words() {
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
    assert!(json_of_text(PAPER, &[]).get("simple").is_none(), "only where it was asked for");
}

#[test]
fn a_person_reads_what_to_set_up() {
    // 14 cores in 2 nodes, 3 for each of 3 applications, and 5 more for anybody: odd numbers are the best.
    let text = "[machine]\nname = \"two\"\nnodes = 2\ncores_per_node = 7\ngflops_per_core = 10\nbandwidth_gbs = 41\n\
                link_gbs = 10\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.9\n[[app]]\nname = \"b\"\n\
                arithmetic_intensity = 2.5\n[[app]]\nname = \"c\"\narithmetic_intensity = 40\n";
    let output = run_text(text, &["--simple", "--objective", "fair", "--within", "0.1", "--top", "0"]);
    let text = stdout(&output);
    let from = text.find("Simple:").expect("a line");
    let end = text[from..].find("\n\n").map_or(text.len(), |end| from + end);
    insta::assert_snapshot!(&text[from..end]);
}
