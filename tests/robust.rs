//! The program under adverse conditions of a machine: killed at any moment, a full disk, a read-only folder, limits of
//! memory and threads. It loses no safe data, leaves nothing behind, and never reports an internal fault.
//!
//! If a host does not support a check (a private file system, another user), the check is skipped with a message; with
//! `NUMASIM_REQUIRE_TOOLS=1`, as in `.ci/run`, that is a failure.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_numasim");
/// Ten thousand points of two rows.
const POINTS: [&str; 4] = ["--set", "machine.link_gbs=1..100:1", "--set", "machine.bandwidth_gbs=1..100:1"];

fn config(name: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("configs").join(name).canonicalize().expect("a file of the repository").display().to_string()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn command(program: &str, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C.UTF-8");
    command
}

fn numasim(folder: &Path, args: &[&str]) -> Output {
    command(PROGRAM, folder, args).output().expect("the program starts")
}

/// A script that has the program as `$0`.
fn script(folder: &Path, script: &str, args: &[&str]) -> Output {
    let all = [&["-c", script, PROGRAM], args].concat();
    command("sh", folder, &all).output().expect("there is a shell")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Moments that vary within a loop but not between runs of the test.
fn moments(most_us: u64) -> impl Iterator<Item = Duration> {
    (0_u64..).map(move |n| Duration::from_micros(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % most_us))
}

/// Skips a test because of the host; see the module.
fn skipped(why: &str) {
    let required = std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
    assert!(!required, "{why}");
    eprintln!("skipped: {why}");
}

/// The program succeeded or printed the reason of its failure: no signal, no fault.
#[track_caller]
fn message(output: &Output, case: &str) {
    let message = stderr(output);
    assert_eq!(output.status.signal(), None, "{case}: {message}");
    match output.status.code() {
        Some(0) => {}
        Some(1) => assert!(message.lines().any(|line| line.starts_with("error: ")), "{case}: {message}"),
        code => panic!("{case}: exit code {code:?}\n{message}"),
    }
}

#[test]
fn a_sweep_that_is_killed_again_and_again_loses_no_row() {
    let (file, folder) = (config("paper/numa-bad.toml"), folder());
    let sweep = [&["sweep", file.as_str()][..], &POINTS].concat();
    let whole = numasim(folder.path(), &sweep).stdout;
    let args = [&sweep[..], &["-o", "out.csv", "--resume"]].concat();
    let (out, partial) = (folder.path().join("out.csv"), folder.path().join("out.csv.partial"));
    let mut before = 0;
    for moment in moments(40_000).take(12) {
        let mut child =
            command(PROGRAM, folder.path(), &args).stderr(Stdio::null()).spawn().expect("the program starts");
        sleep(moment);
        child.kill().and_then(|()| child.wait()).expect("killed");
        if out.exists() {
            break;
        }
        let rows = fs::read(&partial).unwrap_or_default();
        assert!(whole.starts_with(&rows), "the rows are those of the sweep");
        // A torn point may be computed again: less than two rows.
        assert!(rows.len() + 200 > before, "{} bytes after {before}", rows.len());
        before = rows.len();
    }
    let output = numasim(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(fs::read(&out).expect("the result") == whole);
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[test]
fn whenever_the_program_is_killed_a_file_is_whole_and_alone() {
    let folder = folder();
    let out = folder.path().join("out");
    let args = ["completions", "bash", "-o", "out"];
    fs::write(&out, "old").expect("a file for the test");
    let new = numasim(folder.path(), &["completions", "bash"]).stdout;
    for moment in moments(15_000).take(40) {
        let mut child = command(PROGRAM, folder.path(), &args).spawn().expect("the program starts");
        sleep(moment);
        child.kill().and_then(|()| child.wait()).expect("killed");
        let found = fs::read(&out).expect("always there");
        assert!(found == b"old" || found == new);
    }
    // Between two system calls the new file has a temporary name; the next writer of this file removes it.
    assert_eq!(numasim(folder.path(), &args).status.code(), Some(0));
    assert_eq!(names(folder.path()), ["out"]);
}

#[cfg(feature = "hwloc")]
#[test]
fn a_benchmark_that_is_killed_again_and_again_loses_no_row() {
    let folder = folder();
    let study = "[machine]\nname = \"one core\"\nnodes = 1\ncores_per_node = 1\ngflops_per_core = 10\nbandwidth_gbs = 20\n\
                 [[app]]\nname = \"mem\"\narithmetic_intensity = 0.03125\n\
                 [[scenario]]\nname = \"one\"\nthreads = { mem = [1] }\n[[scenario]]\nname = \"two\"\nthreads = { mem = [1] }\n";
    fs::write(folder.path().join("study.toml"), study).expect("a file for the test");
    let measure = "bench study.toml --fit-host --window 0.2 --warm-up 0 --memory-per-thread 1MiB --isa portable \
                   --repeat 4 -o r.csv --resume";
    let args: Vec<&str> = measure.split(' ').collect();
    let path = folder.path().join("r.csv");
    let rows = || fs::read_to_string(&path).map_or(0, |text| text.matches('\n').count());
    let mut before = 0;
    for moment in moments(1_200_000).take(8) {
        let mut child = command(PROGRAM, folder.path(), &args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        sleep(moment);
        child.kill().and_then(|()| child.wait()).expect("killed");
        // A torn row is measured again.
        assert!(rows() + 1 >= before, "{} rows after {before}", rows());
        before = rows();
    }
    // On a busy host a thread may get no time in a window; the row measured in it is also kept.
    let output = (0..50).map(|_| numasim(folder.path(), &args)).find(|output| output.status.success());
    assert!(output.is_some(), "fifty runs did not finish");
    let text = fs::read_to_string(&path).expect("the result");
    let runs: std::collections::BTreeSet<&str> =
        text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(runs.len(), 1, "one run from the first row to the last");
    assert_eq!(names(folder.path()), ["r.csv", "r.provenance.json", "r.study.toml", "study.toml"]);
}

#[test]
fn too_little_memory_is_reported_at_every_limit() {
    let folder = folder();
    let args = ["explore", &config("paper/uneven-even-nodes.toml"), "--time-limit", "2", "--threads", "2"];
    let mut refused = 0;
    let limited = |kib: i32| format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    // Below that the system cannot even load the program, whose size depends on its features.
    let loads = |kib: &i32| script(folder.path(), &limited(*kib), &["--version"]).status.success();
    let least = (26_000..200_000).step_by(1_000).find(loads).expect("the program starts");
    for kib in (least..).step_by(1_000).take(20).chain([least + 60_000]) {
        if !loads(&kib) {
            continue; // Memory addresses vary from run to run.
        }
        let limited = limited(kib);
        let output = script(folder.path(), &limited, &args);
        if output.status.code() == Some(1) {
            refused += 1;
        }
        if gave_up_below(&output) {
            continue;
        }
        message(&output, &format!("{kib} KiB"));
    }
    assert!(refused > 0, "no limit was too low: the test tests nothing");
}

#[test]
fn running_out_of_memory_is_reported_with_a_remedy() {
    let folder = folder();
    // A table holds all its rows; a few hundred MiB are not enough for millions.
    let points = ["--set", "machine.link_gbs=1..3000:1", "--set", "machine.bandwidth_gbs=1..1000:1"];
    let file = config("paper/numa-bad.toml");
    let args = [&["sweep", file.as_str()][..], &points, &["--format", "json"]].concat();
    // One heap for all threads: those of glibc have 64 MiB of addresses each.
    let output = script(
        folder.path(),
        "MALLOC_ARENA_MAX=1; export MALLOC_ARENA_MAX; ulimit -v 80000; exec \"$0\" \"$@\"",
        &args,
    );
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("error: out of memory: the system refuses "), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
}

/// The C library, or Rust's standard library at the start of a thread, gave up before the program could react: rare, and it
/// depends by chance on which allocation reaches the limit of addresses.
fn gave_up_below(output: &Output) -> bool {
    let said = stderr(output);
    ["Fatal glibc error", "alternative stack"].iter().any(|words| said.contains(words))
}

/// Repeats a limited script until the program itself meets the limit.
fn script_of_the_program(folder: &Path, body: &str, args: &[&str]) -> Output {
    let tries = (0..10).map(|_| script(folder, body, args));
    tries.into_iter().find(|output| !gave_up_below(output)).expect("ten times by chance")
}

/// The limit of addresses may hit a small allocation of a running thread before the stack of a new one.
fn says_either(output: &Output, threads: &str) -> bool {
    [threads, "error: out of memory: the system refuses "].iter().any(|line| stderr(output).contains(line))
}

#[test]
fn too_few_threads_are_reported() {
    let folder = folder();
    let (explored, swept) = (config("paper/uneven-even-nodes.toml"), config("paper/numa-bad.toml"));
    let explore = ["explore", explored.as_str()];
    let sweep = ["sweep", swept.as_str(), "--set", "machine.link_gbs=1,2"];
    // The stacks of a thousand threads do not fit into 1 GiB of addresses.
    let limited = "ulimit -v 1000000; exec \"$0\" \"$@\"";
    let many = ["--threads", "1000"];
    for args in [[&explore[..], &many].concat(), [&sweep[..], &many].concat()] {
        let output = script_of_the_program(folder.path(), limited, &args);
        message(&output, &format!("{args:?}"));
        assert!(says_either(&output, "error: cannot start 1000 threads\n"), "{}", stderr(&output));
    }
    for args in [&explore[..], &sweep] {
        let output = script_of_the_program(
            folder.path(),
            &format!("RAYON_NUM_THREADS=1000; export RAYON_NUM_THREADS; {limited}"),
            args,
        );
        message(&output, &format!("{args:?}"));
        assert!(
            says_either(&output, "error: cannot start a thread for each processor\n"),
            "{}",
            stderr(&output)
        );
    }
}

/// Runs a script in a name space with a private small file system at `$D`; `None` if the host does not allow it.
fn with_disk(kib: u32, body: &str, args: &[&str]) -> Option<Output> {
    let folder = folder();
    let inside = format!(
        "D={}; mount -t tmpfs -o size={kib}k none \"$D\" || exit 99\n{body}",
        folder.path().display()
    );
    let all = [&["--user", "--map-root-user", "--mount", "sh", "-c", &inside, PROGRAM], args].concat();
    let output = command("unshare", folder.path(), &all).output().ok()?;
    let allowed = output.status.code() != Some(99) && !stderr(&output).starts_with("unshare:");
    allowed.then_some(output)
}

#[test]
fn a_full_disk_keeps_existing_files() {
    let file = config("paper/numa-bad.toml");
    let args = [&["sweep", file.as_str()][..], &POINTS].concat();
    let body = "echo old > \"$D/out\"
        \"$0\" \"$@\" --format json -o \"$D/out\"; echo \"code $?\"
        cat \"$D/out\"; ls -A \"$D\"
        \"$0\" \"$@\" -o \"$D/out\"; echo \"code $?\"
        ls -A \"$D\"
        mount -o remount,size=64m \"$D\"
        \"$0\" \"$@\" -o \"$D/out\" --resume; echo \"code $?\"
        ls -A \"$D\"
        \"$0\" \"$@\" | cmp - \"$D/out\" && echo same";
    let Some(output) = with_disk(100, body, &args) else {
        return skipped("the host allows no file system of a test's own");
    };
    let (text, message) = (String::from_utf8_lossy(&output.stdout), stderr(&output));
    let expected = "code 1\nold\nout\ncode 1\nout\nout.partial\nout.partial.json\ncode 0\nout\nsame\n";
    assert_eq!(text, expected, "{message}");
    assert_eq!(message.matches("error: cannot write to ").count(), 2, "{message}");
    assert!(message.contains("the same command with --resume"), "{message}");
}

#[test]
fn a_read_only_folder_is_reported_before_anything_is_computed() {
    let file = config("paper/numa-bad.toml");
    let args = [&["sweep", file.as_str()][..], &POINTS].concat();
    let body = "echo old > \"$D/old\"; mount -o remount,ro \"$D\"
        for name in old new; do \"$0\" \"$@\" -o \"$D/$name\"; echo \"code $?\"; done
        \"$0\" completions bash -o \"$D/new\"; echo \"code $?\"; ls -A \"$D\"; cat \"$D/old\"";
    let Some(output) = with_disk(100, body, &args) else {
        return skipped("the host allows no file system of a test's own");
    };
    let (text, message) = (String::from_utf8_lossy(&output.stdout), stderr(&output));
    assert_eq!(text, "code 1\ncode 1\ncode 1\nold\nold\n", "{message}");
    assert_eq!(message.matches("error: cannot write to ").count(), 3, "{message}");
    assert_eq!(message.matches("caused by: Read-only file system").count(), 3, "{message}");
}

#[test]
fn a_user_without_room_for_processes_is_reported() {
    // Limits of processes bind users, not root: another user starts the program, from a folder accessible to him.
    let folder = folder();
    let program = folder.path().join("numasim");
    let reachable = fs::copy(PROGRAM, &program).and_then(|_| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))
    });
    reachable.expect("copied");
    let study = folder.path().join("study.toml");
    fs::copy(config("paper/uneven-even-nodes.toml"), &study).expect("copied");
    // A user number that no host uses.
    let user = "--reuid=3141592 --regid=3141592 --clear-groups";
    let limited = "prlimit --nproc=1 ./numasim explore study.toml";
    let script = format!(
        "setpriv {user} prlimit --nproc=9 true 2>/dev/null || exit 99; exec setpriv {user} sh -c '{limited}'"
    );
    let output = command("sh", folder.path(), &["-c", &script]).output().expect("there is a shell");
    if output.status.code() == Some(99) || stderr(&output).contains("ermission denied") {
        return skipped("the host allows no other user");
    }
    message(&output, "one process");
    assert!(
        stderr(&output).contains("error: cannot start a thread for each processor\n"),
        "{}",
        stderr(&output)
    );
}
