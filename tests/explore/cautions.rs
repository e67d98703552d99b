//! Cautions in the verdict, in addition to value and proof, in every output.

use super::{PAPER, json_of_text, run_text, stdout, study};
use crate::common;

/// Links as wide as controllers: under remote-first the interleaved `spread` starves its own node's threads, also alone.
/// `far` reads node 0 from any node.
const WIDE: &str = "\
[machine]
name = \"wide links\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10
bandwidth_gbs = 32
link_gbs = 32
cpus = [\"0-3\", \"4-7\"]
[[app]]
name = \"near\"
arithmetic_intensity = 0.5
[[app]]
name = \"far\"
arithmetic_intensity = 0.5
data = { home = 0 }
";

const COMPUTE: &str = "[[app]]\nname = \"compute\"\narithmetic_intensity = 10\n";
const SPREAD: &str = "[[app]]\nname = \"spread\"\narithmetic_intensity = 0.5\ndata = \"interleave\"\n";
/// 4 threads of `far` on node 1 want 80 GB/s of node 0 and take all 32 of it: nothing is left for `near` there.
const STARVED: &str = "[[scenario]]\nname = \"starved\"\nthreads = { near = [1, 0], far = [0, 4] }\n";

/// The text in one line: line breaks do not matter here.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An application that gets nothing under remote-first, even alone: it must use all cores, and each node reads half of its 80 GB/s from the
/// other one, which leaves its own threads nothing. The other applications may go without threads.
fn stuck() -> String {
    let intensity = "arithmetic_intensity = 0.5\n";
    WIDE.replace(intensity, &format!("{intensity}min_threads = 0\n")) + SPREAD + "min_threads = 8\n"
}

#[test]
fn a_proven_zero_reports_that_nothing_was_decided() {
    let text = stuck();
    let asked = ["--objective", "geomean", "--model", "remote-first"];
    let table = unwrapped(&stdout(&run_text(&text, &asked)));
    let verdict = "Best: 0.0 % of stand-alone speed. Proven (no placement is better), but geomean does not distinguish placements here: spread gets 0 GFLOPS \
                   even alone on the machine, so the mean p is 0 in every placement";
    assert!(table.contains(verdict), "{table}");

    let answer = json_of_text(&text, &asked);
    let codes: Vec<&str> = answer["cautions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["code"].as_str())
        .collect();
    assert_eq!((codes[0], &answer["cautions"][0]["apps"]), ("nothing-decided", &vec!["spread"].into()));
    assert!(codes.contains(&"starved-by-remote"), "{codes:?}");
    assert_eq!(answer["status"], "optimal");

    let csv = stdout(&run_text(&text, &[&asked[..], &["--format", "csv"]].concat()));
    assert!(csv.lines().next().is_some_and(|header| header.ends_with(",cautions")), "{csv}");
    let all = format!(",{}", codes.join(";"));
    assert!(csv.lines().skip(1).all(|row| row.ends_with(&all)), "{csv}");
}

#[test]
fn the_default_model_decides_questions_that_remote_first_cannot() {
    let text = format!("{WIDE}{SPREAD}");
    let answer = json_of_text(&text, &["--objective", "geomean"]);
    let codes: Vec<&serde_json::Value> =
        answer["cautions"].as_array().expect("a list").iter().map(|one| &one["code"]).collect();
    assert_eq!(codes[0], "no-core-bandwidth", "what every answer on such a machine has");
    assert!(codes[1..].iter().all(|code| *code == "depends-on-model"), "{codes:?}");
    assert!(answer["value"].as_f64() > Some(0.0));
    let answer = json_of_text(&stuck(), &["--objective", "fair", "--model", "remote-first"]);
    assert_eq!((&answer["cautions"][0]["code"], &answer["value"]), (&"nothing-decided".into(), &0.0.into()));
}

#[test]
fn total_gflops_suggests_an_objective_that_counts_losses_of_others() {
    // 4 nodes x 8 cores: a thread of mem at full speed earns the same as one of compute, a second one on a node does
    // not.
    let text = unwrapped(&stdout(&run_text(PAPER, &["--objective", "total-gflops"])));
    let verdict = "Best: 320.0 GFLOPS. Proven (no placement is better), but total-gflops leaves mem-1 and mem-2 at their \
                   minimum number of threads (--objective geomean counts the loss of each of them); nothing limits";
    assert!(text.contains(verdict), "{text}");
    let text = unwrapped(&stdout(&run_text(PAPER, &["--objective", "geomean"])));
    assert!(text.contains(". Proven (no placement is better), but nothing limits"), "{text}");
}

#[test]
fn an_application_without_a_thread_is_named() {
    let text = PAPER.replace("name = \"mem\"\n", "name = \"mem\"\nmin_threads = 0\n");
    let answer = json_of_text(&text, &["--objective", "total-gflops", "--whole-nodes"]);
    let apps = &answer["cautions"][0]["apps"];
    assert_eq!(
        (&answer["cautions"][0]["code"], apps),
        (&"no-threads".into(), &vec!["mem-1", "mem-2", "mem-3"].into())
    );
}

#[test]
fn scripts_start_with_the_caution() {
    let (folder, file) = study(&format!("{WIDE}{COMPUTE}{STARVED}"));
    let script = |args: &[&str]| {
        let mut command = common::numasim();
        let output = command.arg(args[0]).arg(&file).args(&args[1..]).current_dir(folder.path()).output();
        let text = stdout(&output.expect("the program starts"));
        let comments: Vec<&str> = text.lines().skip(1).map_while(|line| line.strip_prefix("# ")).collect();
        unwrapped(&comments.join(" "))
    };
    let evaluated = script(&["evaluate", "--model", "remote-first", "--emit", "numactl"]);
    assert!(
        evaluated.contains("Caution near gets nothing Caution remote reads starve the threads of node 0"),
        "{evaluated}"
    );
    let explored = script(&["explore", "--objective", "total-gflops", "--emit", "omp"]);
    let clause = "Status optimal: proven, no placement is better Caution total-gflops leaves ";
    assert!(explored.contains(clause), "{explored}");
    let explored = script(&["explore", "--objective", "geomean", "--emit", "omp"]);
    assert!(
        explored.matches("Caution").count() == 1 && explored.contains("no core_bandwidth_gbs"),
        "{explored}"
    );
}

#[test]
fn evaluate_and_report_show_it_with_the_scenario() {
    let (_folder, file) = study(&format!("{WIDE}{STARVED}"));
    let name = file.to_str().expect("UTF-8");
    let table = unwrapped(&stdout(&common::run(&["evaluate", name, "--model", "remote-first"])));
    assert!(table.contains("Caution: near gets nothing; remote reads starve"), "{table}");
    let served = stdout(&common::run(&["evaluate", name]));
    assert!(
        !served.contains("gets nothing") && !served.contains("remote reads starve"),
        "the default serves both"
    );
    let page = stdout(&common::run(&["report", name, "--model", "remote-first"]));
    assert!(page.contains(" GFLOPS, but near gets nothing; remote reads starve"), "{page}");
    assert!(page.contains("Caution: near gets nothing."), "{page}");
}

#[test]
fn a_front_shows_it_for_its_ends() {
    let text = stuck();
    let args = ["--pareto", "total-gflops,geomean", "--model", "remote-first"];
    let table = unwrapped(&stdout(&run_text(&text, &args)));
    let words = "Caution, the best geomean: geomean does not distinguish placements here: spread gets 0 GFLOPS even alone";
    assert!(table.contains(words), "{table}");
    let front = json_of_text(&text, &args);
    assert_eq!(front["pareto"]["ends"][1]["cautions"][0]["code"], "nothing-decided");
}
