//! `--adopt`: processes unaware of the agent, on the processors of this host.

use std::collections::BTreeMap;

use numasim_host::affinity::allowed;
use numasim_host::os::thread::affinity_of;
use numasim_host::system::System;
use serde_json::json;

use super::*;

/// Files without a machine: it is this host.
const HOST: &str = "[policy]\nname = \"fair-share\"\n";

/// The processors of each thread of a process.
fn threads(pid: u32) -> BTreeMap<u32, Vec<u32>> {
    let names = std::fs::read_dir(format!("/proc/{pid}/task")).expect("alive").flatten();
    let numbers = names.filter_map(|name| name.file_name().to_str()?.parse().ok());
    numbers.filter_map(|thread| Some((thread, affinity_of(thread).ok()?))).collect()
}

/// An agent that computes in a separate thread: a program with several threads to adopt.
fn program_with_threads() -> Agent {
    let text = format!("{MACHINE}[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\n");
    let agent = Agent::with(&text, &["--policy", "marginal"]);
    assert!(threads(agent.child.id()).len() > 1);
    agent
}

/// The processors of each core of this host, as orders number them.
fn cores() -> Vec<Vec<u32>> {
    let nodes = System::host().node_cores(&allowed().expect("Linux tells"));
    nodes.into_iter().flat_map(|node| node.cores).collect()
}

/// The processors of the cores of a target.
fn processors(target: &Value, cores: &[Vec<u32>]) -> Vec<u32> {
    let numbers = target["cores"].as_array().expect("cores");
    let place = |number: &Value| usize::try_from(number.as_u64().expect("a core")).expect("small");
    let mut cpus: Vec<u32> = numbers.iter().flat_map(|number| cores[place(number)].clone()).collect();
    cpus.sort_unstable();
    cpus
}

#[test]
fn two_programs_share_the_cores_and_get_back_their_processors() {
    let cores = cores();
    let (one, mut two) = (program_with_threads(), program_with_threads());
    let before = (threads(one.child.id()), threads(two.child.id()));
    let adopt = [format!("one={}", one.child.id()), format!("two={}", two.child.id())];
    let agent = Agent::with(HOST, &["--period-ms", "20", "--adopt", &adopt[0], "--adopt", &adopt[1]]);
    let shown = || agent.status()["apps"].clone();
    eventually("both are told", || shown()[0]["seq"] == 1 && shown()[1]["seq"] == 1);
    let apps = shown();
    for (app, (name, process)) in [("one", &one), ("two", &two)].into_iter().enumerate() {
        let app = &apps[app];
        assert_eq!(
            (&app["name"], &app["control"], &app["state"]),
            (&json!(name), &json!("cores"), &json!("adopted"))
        );
        assert_eq!(app["pid"], process.child.id());
        let wanted = processors(&app["target"], &cores);
        if wanted.is_empty() {
            // On a host with a single core.
            assert!(app["refused"].as_str().is_some_and(|why| why.contains("core")), "{app}");
        } else {
            assert_eq!((&app["acked"], &app["refused"]), (&json!(1), &Value::Null), "{app}");
            let now = threads(process.child.id());
            assert!(now.values().all(|cpus| *cpus == wanted), "{name}: {now:?}, not {wanted:?}");
        }
    }
    let both: usize =
        apps.as_array().expect("apps").iter().map(|app| processors(&app["target"], &cores).len()).sum();
    assert_eq!(both, cores.concat().len(), "every core belongs to an application: {apps}");
    // One exits: the other one has all cores.
    two.child.kill().expect("a child");
    eventually("it is gone", || shown().as_array().map(Vec::len) == Some(1));
    eventually("the other one has all", || {
        threads(one.child.id()).values().all(|cpus| *cpus == cores.concat())
    });
    agent.stop();
    assert_eq!(threads(one.child.id()), before.0);
    drop(before.1);
    one.stop();
}

#[test]
fn a_machine_that_is_part_of_this_host_has_processors_and_load() {
    let machine =
        MACHINE.replace("nodes = 2", "nodes = 1").replace("cores_per_node = 4", "cores_per_node = 1");
    let one = program_with_threads();
    let before = threads(one.child.id());
    let adopt = format!("one={}", one.child.id());
    let agent = Agent::with(&machine, &["--this-host", "--period-ms", "20", "--adopt", &adopt]);
    eventually("it is told", || agent.status()["apps"][0]["acked"] == 1);
    let status = agent.status();
    assert_eq!((&status["machine"], &status["cores"]), (&json!("M"), &json!([1])));
    assert_eq!(status["load"].as_array().map(Vec::len), Some(1), "{status}");
    assert_eq!(status["apps"][0]["target"], json!({ "cores": [0] }));
    // The only core of the machine is the first one of the host, with all its processors.
    let first = &cores()[0];
    assert!(threads(one.child.id()).values().all(|cpus| cpus == first), "{:?}", threads(one.child.id()));
    agent.stop();
    assert_eq!(threads(one.child.id()), before);
    one.stop();
}

#[test]
fn the_exit_of_a_program_is_seen_at_once() {
    let mut one = program_with_threads();
    let adopt = format!("one={}", one.child.id());
    // Threads are scanned, and the policy is called, once a minute.
    let agent = Agent::with(HOST, &["--period-ms", "60000", "--adopt", &adopt]);
    assert_eq!(agent.status()["apps"][0]["state"], "adopted");
    one.child.kill().expect("a child");
    eventually("it is gone", || agent.status()["apps"] == json!([]));
    let uptime_s = agent.status()["uptime_s"].as_f64();
    assert!(uptime_s < Some(60.0), "seen by the next look only, after {uptime_s:?} s");
    agent.stop();
}

#[test]
fn a_folder_that_is_no_control_group_is_refused() {
    let folder = folder();
    let adopt = format!("x={}", folder.path().display());
    let output = program()
        .args(["agent", "--socket", "own/agent.sock", "--adopt", &adopt])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    let said = refusal(&output, 1);
    assert!(said.starts_with(&format!("error: --adopt {adopt}: ")), "{said}");
    assert!(said.contains("is no folder of cgroup v2"), "{said}");
    assert!(!folder.path().join("own").exists());
}

#[test]
fn without_a_machine_in_the_files_it_is_this_host_anyway() {
    let agent = Agent::with(HOST, &["--this-host"]);
    let all: u64 = agent.status()["cores"].as_array().expect("nodes").iter().filter_map(Value::as_u64).sum();
    assert_eq!(usize::try_from(all).ok(), Some(cores().len()));
    agent.stop();
}

#[test]
fn a_signal_restores_the_processors_of_threads() {
    let first = cores()[0].clone();
    let one = program_with_threads();
    let before = threads(one.child.id());
    // An application of the host takes part, so that the adopted program gets no more than a part.
    let adopt = format!("one={}", one.child.id());
    let mut agent = Agent::with(HOST, &["--period-ms", "20", "--policy", "static-even", "--adopt", &adopt]);
    eventually("it is told", || agent.status()["apps"][0]["seq"] != 0);
    let status = agent.status();
    let threads_of_all: Vec<u64> =
        status["cores"].as_array().expect("nodes").iter().filter_map(Value::as_u64).collect();
    let hello = json!({"type":"hello","version":1,"name":"other","control":"none","threads":threads_of_all});
    let idle = json!({"type":"status","running":vec![0; threads_of_all.len()],"blocked":vec![0; threads_of_all.len()],
        "progress":0,"waiting":"none"});
    let mut other = agent.connect();
    other.say(&hello.to_string());
    other.say(&idle.to_string());
    eventually("it has a part", || agent.status()["apps"][0]["seq"] == 2 || cores().len() == 1);
    if cores().len() > 1 {
        assert_ne!(threads(one.child.id()), before);
        assert!(threads(one.child.id()).values().all(|cpus| cpus.contains(&first[0])));
    }
    agent.signal("TERM");
    agent.end();
    assert_eq!(threads(one.child.id()), before);
    one.stop();
}

#[test]
fn targets_that_cannot_be_adopted_are_refused_before_anything_changes() {
    let folder = folder();
    let refused = |adopt: &[&str]| {
        let mut command = program();
        command
            .args(["agent", "--socket", "own/agent.sock", "--record", "r.jsonl"])
            .current_dir(folder.path());
        let output = command.args(adopt.iter().flat_map(|one| ["--adopt", one])).output();
        let said = refusal(&output.expect("the program starts"), 1);
        assert!(!folder.path().join("own/agent.sock").exists() && !folder.path().join("r.jsonl").exists());
        said
    };
    assert!(refused(&["x=4194305"]).contains("there is no process with pid 4194305"));
    let own = std::process::id();
    let twice = refused(&[&format!("x={own}"), &format!("y={own}")]);
    assert!(twice.contains(&format!("the process with pid {own} is there twice")), "{twice}");
    let twice = refused(&[&format!("x={own}"), "x=1"]);
    assert!(twice.contains("the name \"x\" is there twice"), "{twice}");
}

/// Control groups of this test instead of cgroup v2 of this host, and processes that sleep.
struct Groups {
    root: std::path::PathBuf,
    folders: Vec<std::path::PathBuf>,
    sleeping: Vec<Child>,
}

impl Groups {
    /// The given number of groups with a process in each; `None`, with a printed reason, if no group can be made.
    fn new(name: &str, count: usize) -> Option<Self> {
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let mount = |line: &str| {
            let fields: Vec<&str> = line.split(' ').collect();
            (fields.get(2) == Some(&"cgroup2"))
                .then(|| fields.get(1).copied().map(std::path::PathBuf::from))?
        };
        let mut groups =
            Self { root: mounts.lines().find_map(mount)?, folders: Vec::new(), sleeping: Vec::new() };
        for number in 0..count {
            let folder = groups.root.join(format!("numasim-test-{name}-{}-{number}", std::process::id()));
            if std::fs::create_dir(&folder).is_err() {
                println!("skipped: no control group can be made in {}", groups.root.display());
                return None;
            }
            groups.folders.push(folder);
            groups.sleeping.push(Command::new("sleep").arg("600").spawn().expect("sleep"));
            groups.moves(number, Some(number));
        }
        Some(groups)
    }

    fn pid(&self, number: usize) -> u32 {
        self.sleeping[number].id()
    }

    /// Moves a process to a group, or out of all of them.
    fn moves(&self, number: usize, to: Option<usize>) {
        let folder = to.map_or(&self.root, |to| &self.folders[to]);
        std::fs::write(folder.join("cgroup.procs"), self.pid(number).to_string()).expect("a group of ours");
    }

    /// `NAME=/FOLDER`, with names `g0`, `g1`, ...
    fn adopt(&self, number: usize) -> String {
        format!("g{number}={}", self.folders[number].display())
    }

    fn cpus(&self, number: usize) -> Vec<u32> {
        affinity_of(self.pid(number)).expect("alive")
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for child in &mut self.sleeping {
            let _ = child.kill();
            let _ = child.wait();
        }
        for folder in &self.folders {
            // A process leaves its group a moment after its exit.
            eventually("the group is empty", || std::fs::remove_dir(folder).is_ok() || !folder.exists());
        }
    }
}

#[test]
fn a_process_that_left_an_adopted_group_gets_its_processors_back() {
    if cores().len() < 2 {
        println!("skipped: two cores are needed");
        return;
    }
    let Some(mut groups) = Groups::new("left", 2) else { return };
    // One more in the first group, which stays there.
    groups.sleeping.push(Command::new("sleep").arg("600").spawn().expect("sleep"));
    groups.moves(2, Some(0));
    let now = |groups: &Groups| [0, 1, 2].map(|number| groups.cpus(number));
    let before = now(&groups);
    let adopt = [groups.adopt(0), groups.adopt(1)];
    let agent = Agent::with(HOST, &["--period-ms", "20", "--adopt", &adopt[0], "--adopt", &adopt[1]]);
    eventually("both have a part", || now(&groups).iter().all(|cpus| *cpus != before[0]));
    let [first, second, _] = now(&groups);
    groups.moves(0, None);
    eventually("it has back what it had", || groups.cpus(0) == before[0]);
    groups.moves(0, Some(1));
    eventually("it follows the other order", || groups.cpus(0) == second);
    assert_eq!(groups.cpus(2), first);
    // The first group is empty now, and may be removed.
    groups.moves(2, None);
    std::fs::remove_dir(&groups.folders[0]).expect("it is empty");
    eventually("the first one is gone", || agent.status()["apps"].as_array().map(Vec::len) == Some(1));
    agent.stop();
    assert_eq!(now(&groups), before);
}

#[test]
fn a_process_that_leaves_right_before_the_end_gets_its_processors_back() {
    let Some(groups) = Groups::new("late", 2) else { return };
    let before = [groups.cpus(0), groups.cpus(1)];
    let adopt = [groups.adopt(0), groups.adopt(1)];
    // Threads are scanned once a minute.
    let agent = Agent::with(HOST, &["--period-ms", "60000", "--adopt", &adopt[0], "--adopt", &adopt[1]]);
    eventually("both are told", || agent.status()["apps"][1]["seq"] == 1);
    groups.moves(0, None);
    groups.moves(1, Some(0));
    agent.stop();
    assert_eq!([groups.cpus(0), groups.cpus(1)], before);
}

#[test]
fn a_child_of_an_adopted_process_gets_the_original_processors_back() {
    let mut shell = Command::new("sh")
        .args(["-c", "while read line; do setsid sleep 600 & echo $!; done"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let before = affinity_of(shell.id()).expect("alive");
    let mut other = Command::new("sleep").arg("600").spawn().expect("sleep");
    let adopt = [format!("one={}", shell.id()), format!("two={}", other.id())];
    let agent = Agent::with(HOST, &["--period-ms", "20", "--adopt", &adopt[0], "--adopt", &adopt[1]]);
    eventually("both are told", || agent.status()["apps"][1]["seq"] == 1);
    let mut tell = shell.stdin.take().expect("piped");
    let mut hear = BufReader::new(shell.stdout.take().expect("piped"));
    std::io::Write::write_all(&mut tell, b"now\n").expect("it listens");
    let mut line = String::new();
    hear.read_line(&mut line).expect("text");
    let child: u32 = line.trim().parse().expect("a number");
    agent.stop();
    let now = (affinity_of(shell.id()).expect("alive"), affinity_of(child).expect("alive"));
    for process in [&mut shell, &mut other] {
        process.kill().expect("a child");
        process.wait().expect("an end");
    }
    let _ = Command::new("sh").args(["-c", &format!("kill -KILL {child}")]).status();
    assert_eq!(now, (before.clone(), before));
}

#[test]
fn a_duplicate_key_is_a_refusal_in_a_hello_and_an_error_later() {
    let mut agent = Agent::new(&[]);
    let mut app = agent.connect();
    app.say(&HELLO.replace("\"name\":\"a\"", "\"name\":\"a\",\"na\\u006de\":\"b\""));
    let said = app.hears();
    let why = "the first line must be a hello: the key \"name\" appears twice";
    assert_eq!((&said["type"], &said["text"]), (&json!("refused"), &json!(why)));
    assert_eq!(app.hears(), Value::Null);
    assert!(agent.says().contains(why));
    let mut app = agent.application();
    app.say(&IDLE.replace("\"running\"", "\"running\":[1,1],\"running\""));
    let error = loop {
        let heard = app.hears();
        if heard["type"] == "error" {
            break heard;
        }
    };
    assert_eq!(error["text"], "the key \"running\" appears twice");
    agent.stop();
}
