//! Searches that stop early.

use std::fmt::Write as _;

use super::{config, json_of, parsed, run, stderr, study, threads};

/// 16 different nodes of 64 cores, 8 applications, one of them with an open home: the search for the largest
/// geometric mean takes minutes.
fn large() -> String {
    let mut text = "[machine]\nname = \"large\"\nbandwidth_matrix_gbs = [\n".to_owned();
    for n in 0..16 {
        let row: Vec<String> = (0..16)
            .map(|m| if n == m { (90 + 3 * n).to_string() } else { (9 + (n * 7 + m) % 5).to_string() })
            .collect();
        let _ = writeln!(text, "[{}],", row.join(", "));
    }
    text += "]\n";
    for n in 0..16 {
        let _ = writeln!(text, "[[machine.node]]\ncores = 64\ngflops_per_core = {}", 4 + n % 3);
    }
    for a in 0..8 {
        let data = if a == 0 { "{ home = \"any\" }" } else { "\"local\"" };
        let intensity = 0.25 * f64::from(a + 1);
        let _ = writeln!(text, "[[app]]\nname = \"a{a}\"\narithmetic_intensity = {intensity}\ndata = {data}");
    }
    text
}

#[test]
fn zero_time_gives_some_allocation_or_reports_that_none_was_found() {
    for objective in ["total-gflops", "fair", "geomean"] {
        let files = [config("machines/epyc-9224-2s-nps2-cxl.toml"), config("workloads/hpc-node.toml")];
        let output = run(
            &files,
            &["--time-limit", "0", "--no-idle-cores", "--objective", objective, "--format", "json"],
        );
        if output.status.code() == Some(1) {
            assert!(output.stdout.is_empty());
            assert!(stderr(&output).contains("before the search was stopped"), "{}", stderr(&output));
            continue;
        }
        let answer = parsed(&output);
        if answer["status"] == "feasible" {
            assert_eq!(answer["unproven"], "time-limit");
        }
    }
}

#[test]
fn an_unproven_answer_reports_its_budget_and_how_to_continue() {
    // More than 200,000 contents of a node: none is listed, and the search ends with the result of its bounds.
    let files = [config("scale/8x64.toml")];
    let restriction = ["--min-threads-per-node", "1", "--top", "0"];
    let answer = json_of(&files, &restriction);
    assert_eq!(answer["unproven"], "too-large");
    let effort = &answer["effort"];
    let spent = effort["spent"].as_f64().expect("a part");
    assert!((0.0..=1.0).contains(&spent), "{effort}");
    let gap = answer["gap"].as_f64().expect("a gap");
    for mark in effort["history"].as_array().expect("a list") {
        assert!(mark["gap"].as_f64().is_some_and(|before| before >= gap), "{mark} {gap}");
    }
    let table = run(&files, &restriction);
    let text = String::from_utf8_lossy(&table.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Not proven, the search space is too large"), "{text}");
    assert!(text.contains("of the search budget. To continue: --time-limit 60."), "{text}");
    let timed = json_of(&files, &[&restriction[..], &["--time-limit", "1"]].concat());
    assert!(timed.get("effort").is_none(), "a limit in seconds is no effort: {timed}");
}

#[test]
fn a_time_limit_ends_the_search_on_a_large_machine() {
    let (_folder, file) = study(&large());
    let answer = json_of(&[file], &["--objective", "geomean", "--time-limit", "0.5", "--top", "0"]);
    assert_eq!((&answer["status"], &answer["unproven"]), (&"feasible".into(), &"time-limit".into()));
}

#[cfg(unix)]
#[test]
fn an_interrupt_gives_the_best_so_far() {
    use std::process::{Command, Stdio};
    let (_folder, file) = study(&large());
    let mut command = super::command(&[file], &["--objective", "geomean", "--format", "json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success(), "the search was over before it was interrupted");
    let answer = parsed(&child.wait_with_output().expect("an end"));
    assert_eq!((&answer["status"], &answer["unproven"]), (&"feasible".into(), &"interrupted".into()));
    for n in 0..16 {
        assert!(threads(&answer["best"]).iter().map(|row| row[n]).sum::<u64>() <= 64);
    }
}
