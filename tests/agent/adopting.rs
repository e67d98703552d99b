//! `--adopt`: processes that know nothing of the agent, on the processors of this host.

use std::collections::BTreeMap;

use numasim_host::affinity::allowed;
use numasim_host::os::cpu::of_thread;
use numasim_host::system::System;
use serde_json::json;

use super::*;

/// Files without a machine: it is this host.
const HOST: &str = "[policy]\nname = \"fair-share\"\n";

/// The processors of each thread of a process.
fn threads(pid: u32) -> BTreeMap<u32, Vec<u32>> {
    let names = std::fs::read_dir(format!("/proc/{pid}/task")).expect("alive").flatten();
    let numbers = names.filter_map(|name| name.file_name().to_str()?.parse().ok());
    numbers.filter_map(|thread| Some((thread, of_thread(thread).ok()?))).collect()
}

/// An agent that computes in a thread of its own: a program with several threads, for whoever adopts it.
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
fn two_programs_share_the_cores_and_get_back_what_they_had() {
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
    assert_eq!(both, cores.concat().len(), "every core is somebody's: {apps}");
    // One ends: the other one has all cores.
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
fn a_machine_that_is_a_part_of_this_host_has_processors_and_load() {
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
fn the_end_of_a_program_is_seen_at_once() {
    let mut one = program_with_threads();
    let adopt = format!("one={}", one.child.id());
    // Threads are looked at, and the policy is asked, once a minute.
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
fn a_signal_gives_back_what_threads_had() {
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
fn what_cannot_be_adopted_is_refused_before_anything_is_made() {
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
