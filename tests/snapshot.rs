//! `numasim snapshot`, `advise` and `top` on recorded hosts: right answers, hostile processes, and commands that a shell can run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use numasim_model::{AppId, Data, NodeId, Placement};
use numasim_study::SourceFile;
use serde_json::Value;

use crate::common::{PROGRAM, folder, numasim, repository, stderr, stdout};

fn recorded() -> String {
    repository("tests/snapshot").display().to_string()
}

fn machine() -> String {
    repository("tests/snapshot/machine.toml").display().to_string()
}

fn run(args: &[&str]) -> Output {
    numasim().args(args).output().expect("the program starts")
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(&run(&[args, &["--format", "json"]].concat()))).expect("JSON")
}

fn study(text: &str) -> numasim_course::Study {
    let source = SourceFile { name: "study.toml".to_owned(), text: text.to_owned() };
    numasim_ask::reading::read_study(&[source])
        .unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
        .study
}

#[test]
fn a_recorded_host_is_a_study_with_threads_data_and_bandwidth() {
    let found = json(&["snapshot", "--root", &recorded()]);
    let names: Vec<&str> =
        found["apps"].as_array().expect("a list").iter().filter_map(|app| app["name"].as_str()).collect();
    assert_eq!(names, ["train", "redis", "backup"]);
    let redis = &found["apps"][1];
    assert_eq!((redis["kind"].as_str(), redis["id"].as_str()), (Some("service"), Some("redis.service")));
    assert_eq!(redis["threads"], serde_json::json!([3, 0]));
    assert_eq!(redis["data_gib"], serde_json::json!([0.0, 6.0]));
    assert_eq!(redis["data"], serde_json::json!({ "home": 1 }));
    // 19.2 GB in 2 s, none of them local
    assert_eq!((redis["local_gbs"].as_f64(), redis["total_gbs"].as_f64()), (Some(0.0), Some(9.6)));
    assert_eq!((found["host"]["sockets"].as_u64(), found["seconds"].as_f64()), (Some(2), Some(2.0)));
    assert_eq!(found["nodes"][0]["cores_used"].as_f64().map(|cores| (cores * 100.0).round()), Some(368.0));
    let study = study(found["study"].as_str().expect("text"));
    assert_eq!(study.apps[1].data, Data::Placed(Placement::Home(NodeId(1))));
    assert_eq!(study.scenarios[0].allocation.row(AppId(1)), [3, 0]);
}

#[test]
fn two_folders_and_their_parent_are_the_same_host_and_the_result_is_repeatable() {
    let parent = stdout(&run(&["snapshot", "--root", &recorded()]));
    let parts = ["at-0", "at-1"].map(|part| repository("tests/snapshot").join(part).display().to_string());
    assert_eq!(stdout(&run(&["snapshot", "--root", &parts[0], "--root", &parts[1]])), parent);
    let one = json(&["snapshot", "--root", &parts[0], "--select", "redis"]);
    assert_eq!(
        (&one["seconds"], &one["apps"][0]["threads"], &one["has_now"]),
        (&Value::Null, &Value::Null, &Value::Bool(false))
    );
    assert!(one["study"].as_str().is_some_and(|text| text.contains("# Not seen: threads are unknown")));
}

#[test]
fn requested_but_missing_things_are_refused() {
    let refused = |args: &[&str]| {
        let output = run(args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
        stderr(&output)
    };
    let said = refused(&["snapshot", "--root", &recorded(), "--select", "nothing"]);
    assert!(said.contains("no application matches --select nothing"), "{said}");
    let empty = folder();
    let said = refused(&["snapshot", "--root", &empty.path().display().to_string()]);
    assert!(said.contains("is no recorded host: it has no folder `proc`"), "{said}");
}

#[test]
fn the_advice_moves_the_data_to_the_threads_and_states_its_certainty() {
    let found = json(&["advise", "--root", &recorded(), "--machine", &machine(), "--objective", "geomean"]);
    assert_eq!(found["advised"], true, "{found}");
    let moves = found["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 1, "{found}");
    assert_eq!(moves[0]["text"], "move the data of `redis` from node 1 to node 0");
    let interval: Vec<f64> =
        found["gain_interval_percent"].as_array().expect("two").iter().filter_map(Value::as_f64).collect();
    let gain = found["gain_percent"].as_f64().expect("a number");
    assert!(interval[0] > 0.0 && interval[0] < gain && gain < interval[1], "{found}");
}

#[test]
fn without_measured_values_there_is_no_advice() {
    let found = json(&["advise", "--root", &recorded(), "--objective", "geomean"]);
    assert_eq!((&found["advised"], found["moves"].as_array().map(Vec::len)), (&Value::Bool(false), Some(0)));
    assert!(found["reasons"][0].as_str().is_some_and(|why| why.contains("assumed, not measured")), "{found}");
    let script = stdout(&run(&["advise", "--root", &recorded(), "--objective", "geomean", "--emit"]));
    assert!(script.lines().all(|line| line.starts_with('#')), "{script}");
}

#[test]
fn top_shows_nodes_and_applications_of_a_recorded_host() {
    let frame = stdout(&run(&["top", "--once", "--root", &recorded()]));
    for part in ["Machine: box", "redis", "3 0", "9.60", "train"] {
        assert!(frame.contains(part), "{part}: {frame}");
    }
}

// Hostile processes.

/// A copy of the recorded host with more processes.
fn with_hostile() -> (tempfile::TempDir, PathBuf) {
    let folder = folder();
    let root = folder.path().join("host");
    copy(&repository("tests/snapshot"), &root);
    let write = |path: &str, text: &[u8]| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for (pid, name) in [(7001, "a\nb'\"$(id)`"), (7002, ") R 1 1"), (7003, "ended")] {
        for (at, ticks) in [(0, 0), (1, 150)] {
            if pid == 7003 && at == 1 {
                continue;
            }
            let stat = stat(pid, name, ticks);
            write(&format!("at-{at}/proc/{pid}/stat"), stat.as_bytes());
            write(&format!("at-{at}/proc/{pid}/task/{pid}/stat"), stat.as_bytes());
        }
        write(&format!("at-0/proc/{pid}/cgroup"), b"0::/x/$(touch pwned)\n");
        write(&format!("at-0/proc/{pid}/cmdline"), &vec![b'$'; 1 << 20]);
        write(
            &format!("at-0/proc/{pid}/numa_maps"),
            b"55d0 default heap anon=9 N0=9 kernelpagesize_kB=4\nnonsense \xff\n",
        );
        write(&format!("at-0/proc/{pid}/status"), b"Name:\tx\n");
    }
    (folder, root)
}

fn stat(pid: u32, name: &str, ticks: u32) -> String {
    let zeros = |count: usize| vec!["0"; count].join(" ");
    format!(
        "{pid} ({name}) S {} 0 {} {ticks} 0 {} 5000 {} 3 {}\n",
        zeros(5),
        zeros(4),
        zeros(6),
        zeros(16),
        zeros(13)
    )
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder of the repository") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}

#[test]
fn a_hostile_process_changes_only_its_row() {
    let (_folder, root) = with_hostile();
    let (plain, hostile) = (
        json(&["snapshot", "--root", &recorded()]),
        json(&["snapshot", "--root", &root.display().to_string()]),
    );
    let rows = |found: &Value| found["apps"].as_array().expect("a list").clone();
    let others: Vec<Value> = rows(&hostile)
        .into_iter()
        .filter(|app| !app["cgroup"].as_str().is_some_and(|group| group.starts_with("/x")))
        .collect();
    assert_eq!(others, rows(&plain));
    let names: Vec<String> =
        rows(&hostile).iter().filter_map(|app| app["name"].as_str().map(str::to_owned)).collect();
    assert!(
        names.contains(&"a\\nb'\"$(id)`".to_owned()) && names.contains(&") R 1 1".to_owned()),
        "{names:?}"
    );
    let text = hostile["study"].as_str().expect("text");
    assert_eq!(study(text).apps.len(), 5, "{text}");
}

#[test]
fn moves_of_a_hostile_process_are_quoted_for_the_shell() {
    let (folder, root) = with_hostile();
    // Its data is on the other node, over the link that redis fills.
    let maps = "55d0 default heap anon=262144 N1=262144 kernelpagesize_kB=4\n";
    fs::write(root.join("at-0/proc/4100/numa_maps"), maps).expect("a file");
    fs::write(root.join("at-0/proc/4100/cgroup"), "0::/system.slice/$(touch pwned) 'x'.service\n")
        .expect("a file");
    let select = ["--select", "$(touch pwned) 'x'", "--select", "train", "--select", "backup"];
    let root = root.display().to_string();
    let machine = machine();
    let args = [
        &["advise", "--root", &root, "--machine", &machine, "--objective", "geomean", "--emit"][..],
        &select,
    ]
    .concat();
    let script = stdout(&run(&args));
    assert!(
        script.contains("systemctl set-property --runtime -- '$(touch pwned) '\\''x'\\''.service' "),
        "{script}"
    );
    let file = folder.path().join("moves.sh");
    // Programs of the script are replaced by empty functions.
    let harmless = format!(
        "systemctl() {{ :; }}\ntaskset() {{ :; }}\nmigratepages() {{ :; }}\ndocker() {{ :; }}\n{script}"
    );
    fs::write(&file, harmless).expect("a file");
    let ran = Command::new("sh").arg(&file).current_dir(folder.path()).output().expect("there is a shell");
    assert!(ran.status.success(), "{ran:?}\n{script}");
    assert!(!folder.path().join("pwned").exists(), "{script}");
}

/// 50 processes of 100 threads, all of them busy, twice: less than 1 s of processor time, however busy the host of the test is.
#[test]
fn five_thousand_threads_take_less_than_a_second() {
    let folder = folder();
    let root = folder.path().join("host");
    copy(&repository("tests/snapshot"), &root);
    for (at, ticks) in [(0, 0), (1, 100)] {
        let proc = root.join(format!("at-{at}/proc"));
        for pid in 20_000..20_050 {
            let tasks = proc.join(format!("{pid}/task"));
            for thread in 0..100 {
                let tid = pid + 1000 * thread;
                let task = tasks.join(tid.to_string());
                fs::create_dir_all(&task).expect("a folder");
                fs::write(task.join("stat"), stat(tid, "many", ticks)).expect("a file");
            }
            fs::write(proc.join(format!("{pid}/stat")), stat(pid, "many", 100 * ticks)).expect("a file");
            fs::write(proc.join(format!("{pid}/cmdline")), "many").expect("a file");
        }
    }
    // `times` prints two lines: the shell's own times, then those of its children, user and system.
    let script = "\"$0\" snapshot --root \"$1\" --format json >\"$2\" 2>&1; times";
    let shown = folder.path().join("shown.json");
    let ran = Command::new("sh")
        .args(["-c", script, PROGRAM])
        .args([&root, &shown])
        .output()
        .expect("there is a shell");
    let found = fs::read_to_string(shown).expect("written");
    assert!(found.contains("\"apps\"") && found.matches("\"many").count() >= 50, "{found}");
    let times = stdout(&ran);
    let seconds: f64 = times.lines().last().expect("two lines").split_whitespace().map(seconds).sum();
    assert!(seconds < 1.0, "{times}");
}

/// `0m1.25s`.
fn seconds(time: &str) -> f64 {
    let (minutes, seconds) = time.trim_end_matches('s').split_once('m').expect("minutes and seconds");
    60.0 * minutes.parse::<f64>().expect("a number") + seconds.parse::<f64>().expect("a number")
}

// The host of the test.

/// A process that ends with the test.
#[cfg(target_os = "linux")]
struct Started(std::process::Child);

#[cfg(target_os = "linux")]
impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_running_process_with_a_hostile_name_and_a_long_command_line_is_one_row() {
    let folder = folder();
    // At most 15 bytes are the name of a process.
    let program = folder.path().join("a\nb'\"$(id)`;");
    fs::copy("/bin/sh", &program).expect("a shell");
    // 9 words of 120 KiB: an argument has at most 128 KiB.
    let long = "$(touch pwned)\n".repeat(8 << 10);
    let child = Command::new(&program)
        .args(["-c", "while :; do :; done", "x"])
        .args(vec![&long; 9])
        .current_dir(folder.path())
        .spawn()
        .expect("it starts");
    let pid = child.id().to_string();
    let _started = Started(child);
    let found = json(&["snapshot", "--seconds", "0.3", "--select", &pid]);
    let apps = found["apps"].as_array().expect("a list");
    assert_eq!(apps.len(), 1, "{found}");
    assert_eq!(apps[0]["name"].as_str(), Some("a\\nb'\"$(id)`;"));
    let text = found["study"].as_str().expect("text");
    assert_eq!(study(text).apps.len(), 1, "{text}");
    assert!(!folder.path().join("pwned").exists());
}

/// Processes come and go while they are read: the snapshot lacks them and is right otherwise.
#[cfg(target_os = "linux")]
#[test]
fn processes_that_end_while_they_are_read_are_left_out() {
    let spawning = "while :; do /bin/true & /bin/true & /bin/true & wait; done";
    let _started = Started(Command::new("sh").args(["-c", spawning]).spawn().expect("there is a shell"));
    for _ in 0..5 {
        let found = json(&["snapshot", "--seconds", "0.2"]);
        study(found["study"].as_str().expect("text"));
    }
}
