//! `numasim run` as a user sees it: applications as real processes, their exit, and refusals. Values that depend on the load of
//! this machine are ignored.

mod agents;
mod compared;
mod ending;
mod preloaded;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::common::{eventually, numasim, stderr, stdout, study};

/// A part of any host: one core.
const MACHINE: &str = "\
[machine]
name = \"a core\"
nodes = 1
cores_per_node = 1
gflops_per_core = 10.0
bandwidth_gbs = 10.0
";

/// Ten items of negligible work, at most two at a time.
const PRODUCER_CONSUMER: &str = "\
[[app]]
name = \"producer\"
arithmetic_intensity = 4.0
iterations = 10
tasks = 4
work_gflop = 0.04
[[app]]
name = \"consumer\"
arithmetic_intensity = 4.0
iterations = 10
tasks = 4
work_gflop = 0.08
[[channel]]
from = \"producer\"
to = \"consumer\"
item_mb = 0.5
capacity = 2
";

struct Ran {
    output: Output,
    folder: PathBuf,
    kept: (tempfile::TempDir, PathBuf),
}

impl Ran {
    #[track_caller]
    fn result(&self) -> Value {
        let text = fs::read_to_string(self.folder.join("result.json")).expect("a result");
        serde_json::from_str(&text).expect("JSON")
    }
}

fn ran(apps: &str, more: &[&str]) -> Ran {
    ran_on(MACHINE, apps, more)
}

fn ran_on(machine: &str, apps: &str, more: &[&str]) -> Ran {
    let kept = study(&format!("{machine}{apps}"));
    let folder = kept.0.path().join("run");
    let output = numasim()
        .args(["run", "--memory-per-thread", "1MiB"])
        .arg(&kept.1)
        .arg("-o")
        .arg(&folder)
        .args(more)
        .output()
        .expect("the program starts");
    Ran { output, folder, kept }
}

fn is_there(pid: &str) -> bool {
    // A terminated process that no parent has waited for counts as gone.
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    state.is_ok_and(|stat| {
        !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
    })
}

#[test]
fn applications_do_their_work_and_a_channel_keeps_its_capacity() {
    let ran = ran(PRODUCER_CONSUMER, &["--no-agent", "--real-items", "--format", "json"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let result = ran.result();
    assert_eq!(serde_json::from_str::<Value>(&stdout(&ran.output)).expect("JSON"), result);
    assert_eq!((&result["command"], &result["ended"]), (&"run".into(), &"finished".into()));
    for (app, gflop) in [(0, 0.04), (1, 0.08)] {
        let app = &result["apps"][app];
        assert_eq!(app["iterations"], 10);
        // Whole blocks of the kernel: within a block of 2048 FLOP for each of 40 tasks.
        let done = app["gflop"].as_f64().expect("a number");
        assert!((done - gflop).abs() <= 40.0 * 2048e-9, "{done}");
        // 1 MiB for its one thread on its one node; null if page queries are forbidden.
        let pages = &app["pages"];
        assert!(pages.is_null() || (pages[0].as_u64() > Some(0) && app["misplaced_pages"] == 0), "{app}");
    }
    let channel = &result["channels"][0];
    assert!(channel["max_items"].as_u64().is_some_and(|items| (1..=2).contains(&items)), "{channel}");
    let timeline = fs::read_to_string(ran.folder.join("timeline.csv")).expect("a timeline");
    assert!(timeline.starts_with("time_s,app,node,running,busy,idle,blocked,gflops,gbs,items\n"));
    assert!(timeline.lines().all(|line| line.split(',').count() == 10), "{timeline}");
    let provenance = fs::read_to_string(ran.folder.join("provenance.json")).expect("a provenance");
    let provenance: Value = serde_json::from_str(&provenance).expect("JSON");
    assert_eq!(provenance["tool"]["name"], "numasim");
    assert!(provenance["inputs"][0]["text"].as_str().is_some_and(|text| text.ends_with(PRODUCER_CONSUMER)));
}

#[test]
fn kernels_use_the_memory_streams_of_the_machine_file() {
    // With any setting, the same work is done, and its iterations are counted.
    let way = "[machine.kernels]\nread = { isa = \"portable\", streams = 1, prefetch_bytes = [0, 0] }\n";
    let ran =
        ran(&format!("{way}[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\nwork_gflop = 0.01\n"), &[]);
    assert_eq!(ran.output.status.code(), Some(0), "{}", stderr(&ran.output));
}

#[test]
fn a_library_works_once_for_each_call() {
    let apps = "\
[[app]]
name = \"main\"
arithmetic_intensity = 4.0
iterations = 6
tasks = 2
work_gflop = 0.006
[[app]]
name = \"solver\"
arithmetic_intensity = 4.0
iterations = 3
work_gflop = 0.003
[[call]]
from = \"main\"
to = \"solver\"
every = 2
";
    let ran = ran(apps, &["--no-agent"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let result = ran.result();
    assert_eq!((&result["apps"][0]["iterations"], &result["apps"][1]["iterations"]), (&6.into(), &3.into()));
}

#[test]
fn external_programs_print_into_files_and_know_their_names() {
    let apps = "\
[[app]]
name = \"own\"
command = [\"sh\", \"-c\", \"echo $NUMASIM_APP $NUMASIM_AGENT $OMP_NUM_THREADS; echo oops >&2\"]
";
    let ran = ran(apps, &["--no-agent"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let read = |name: &str| fs::read_to_string(ran.folder.join(name)).expect("a file");
    assert_eq!((read("app-0.out"), read("app-0.err")), ("own off 1\n".into(), "oops\n".into()));
    let own = &ran.result()["apps"][0];
    assert!(own["finished_s"].is_number());
    assert_eq!((&own["gflop"], &own["iterations"]), (&Value::Null, &Value::Null), "nobody knows");
}

#[test]
fn if_one_fails_all_stop_with_their_children() {
    let apps = "\
[[app]]
name = \"parent\"
arithmetic_intensity = 1.0
command = [\"sh\", \"-c\", \"sleep 1000 & echo $!; echo $$; wait\"]
[[app]]
name = \"wrong\"
arithmetic_intensity = 1.0
arrives_s = 0.5
command = [\"sh\", \"-c\", \"echo no such matrix >&2; exit 3\"]
";
    let ran = ran(apps, &["--no-agent"]);
    assert_eq!(ran.output.status.code(), Some(1));
    let told = stderr(&ran.output);
    assert!(told.contains("application 'wrong' ended with exit code 3"), "{told}");
    assert_eq!(ran.result()["ended"], "failed");
    let pids = fs::read_to_string(ran.folder.join("app-0.out")).expect("a file");
    assert_eq!(pids.lines().count(), 2);
    eventually("a process is left", || !pids.lines().any(is_there));
}

#[test]
fn a_missing_program_is_named() {
    let apps = "[[app]]\nname = \"own\"\narithmetic_intensity = 1.0\ncommand = [\"/no/such/program\"]\n";
    let ran = ran(apps, &["--no-agent"]);
    assert_eq!(ran.output.status.code(), Some(1));
    let errors = fs::read_to_string(ran.folder.join("app-0.err")).expect("a file");
    assert!(errors.starts_with("cannot start /no/such/program: "), "{errors}");
}

#[test]
fn impossible_runs_are_refused_before_anything_starts() {
    let own = "[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\ncommand = [\"true\"]\n";
    let channel = "[[app]]\nname = \"b\"\narithmetic_intensity = 1.0\nwork_gflop = 1\n[[channel]]\nfrom = \"a\"\nto = \"b\"\nitem_mb = 1\n";
    let script = &["--policy", "script"][..];
    for (apps, more, expected) in [
        (
            format!("{own}{channel}"),
            &[][..],
            "`a` is a separate program, and its iterations are not visible from outside",
        ),
        (
            "[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\n".to_owned(),
            &[],
            "the work of `a` is unknown, and run needs it",
        ),
        (
            "[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\nwork_gflop = 1\n[machine.kernels]\n\
             read = { isa = \"portable\", streams = 3, prefetch_bytes = [0, 0] }\n"
                .to_owned(),
            &[],
            "the kernel of 'a' cannot run",
        ),
        (own.to_owned(), script, "policy script is for `numasim simulate`"),
        (
            own.replace("arithmetic_intensity = 1.0\n", ""),
            &["--policy", "marginal"],
            "`a` has no `arithmetic_intensity`, and the policy marginal computes its speed",
        ),
        (String::new(), &[], "there is no [[app]] in the files"),
    ] {
        let ran = ran(&apps, more);
        assert_eq!(ran.output.status.code(), Some(1), "{apps}");
        let told = stderr(&ran.output);
        assert!(told.contains(expected), "{told}");
        assert!(!ran.folder.exists(), "{apps}");
    }
}

#[test]
fn a_program_needs_an_intensity_only_where_its_speed_is_computed() {
    let (_kept, file) = study(&(MACHINE.to_owned() + "[[app]]\nname = \"own\"\ncommand = [\"true\"]\n"));
    let checked = numasim().arg("check").arg(&file).output().expect("it starts");
    assert!(checked.status.success(), "{}", stderr(&checked));
    let shown = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(shown.contains("arithmetic_intensity  not given (default)"), "{shown}");
    for command in [&["explore", "--objective", "geomean"][..], &["simulate"]] {
        let output = numasim().args(command).arg(&file).output().expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let told = stderr(&output);
        assert!(
            told.contains("`own` has no `arithmetic_intensity`, and this command computes its speed"),
            "{told}"
        );
        assert!(told.contains("name = \"own\""), "the place is shown: {told}");
    }
}

#[test]
fn a_machine_larger_than_this_host_is_refused() {
    let (kept, file) = study(
        &(MACHINE.replace("cores_per_node = 1", "cores_per_node = 65536")
            + "[[app]]\nname = \"a\"\narithmetic_intensity = 1\nwork_gflop = 1\n"),
    );
    let output =
        numasim().arg("run").arg(&file).arg("-o").arg(kept.path().join("run")).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("has 65536 cores: this host has "), "{told}");
}

#[test]
fn results_are_never_overwritten() {
    let first =
        ran("[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\ncommand = [\"true\"]\n", &["--no-agent"]);
    let again =
        numasim().arg("run").arg(&first.kept.1).arg("-o").arg(&first.folder).output().expect("it starts");
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("already exists"), "{}", stderr(&again));
}
