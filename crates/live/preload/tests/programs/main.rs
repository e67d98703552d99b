//! Programs of OpenMP and oneTBB with the library; the test acts as the agent.
#![cfg(target_os = "linux")]

mod built;
#[allow(dead_code, reason = "the tests of the runtime need more of it")]
#[path = "../../../runtime/tests/agent/fake.rs"]
mod fake;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use built::{GNU_ENTRIES, GNU_REGIONS, LLVM_ENTRIES, LLVM_REGIONS, Source, TBB_LOOPS, library};
use fake::{Agents, Connection};
use numasim_host::os::thread::now_ns;
use numasim_protocol::{Control, FromAgent, FromApp, Order};

/// The program with the library; of the relevant variables it has only these.
fn with_library(program: &Path, arguments: &[&str], agent: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "NUMASIM_CONTROL", "NUMASIM_NODES"] {
        command.env_remove(name);
    }
    // Two threads, regardless of the cores of this host.
    command.env("LD_PRELOAD", library()).env("NUMASIM_AGENT", agent).env("NUMASIM_APP", "test");
    command.env("OMP_NUM_THREADS", "2").env("NUMASIM_THREADS", two_on_the_first_node());
    command.env_remove("NUMASIM_RECORD").envs(variables.iter().copied());
    command
}

fn two_on_the_first_node() -> String {
    let nodes = numasim_host::system::System::host().node_cores(&[]).len();
    let threads = (0..nodes).map(|node| if node == 0 { "2" } else { "0" });
    threads.collect::<Vec<_>>().join(",")
}

fn started(program: &Path, arguments: &[&str], agents: &Agents) -> (Child, Connection) {
    let child = with_library(program, arguments, &agents.path(), &[]).spawn().expect("it starts");
    let mut agent = agents.accept();
    let FromApp::Hello(hello) = agent.hear() else { panic!("no hello") };
    assert_eq!((hello.name.as_str(), hello.control), ("test", Control::Total));
    assert_eq!(hello.threads.iter().sum::<u32>(), 2);
    (child, agent)
}

fn order(agent: &mut Connection, seq: u64, threads: u32) -> u64 {
    agent.say(&FromAgent::Set { seq, order: Order::Total(threads) });
    assert_eq!(agent.answer(), FromApp::Ack { seq });
    now_ns()
}

/// The output of a program: for each region when it began, in ns, and its threads. Checks that all its sums were right.
fn regions(output: &Output) -> Vec<(u64, u32)> {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.lines().last(), Some("wrong 0"));
    let read = |line: &str| {
        let (began, threads) = line.split_once(' ')?;
        Some((began.parse().ok()?, threads.parse().ok()?))
    };
    text.lines().filter_map(read).collect()
}

/// The program obeys orders of 2, 1, 2, 1 threads: none of its regions has more threads if it begins `late` or more after the order.
fn obeys(source: Source, arguments: &[&str], late: Duration, exactly: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = source.built(folder.path()) else { return };
    let agents = Agents::listen();
    let (child, mut agent) = started(&program, arguments, &agents);
    agent.welcome(true, 1000.0);
    let mut orders = Vec::new();
    for (seq, threads) in (1..).zip([2, 1, 2, 1]) {
        let before = now_ns();
        orders.push((before, order(&mut agent, seq, threads), threads));
        std::thread::sleep(Duration::from_millis(250));
    }
    orders.push((now_ns(), u64::MAX, 0));
    let output = child.wait_with_output().expect("an end");
    let regions = regions(&output);
    let late = u64::try_from(late.as_nanos()).expect("a short time");
    for pair in orders.windows(2) {
        let ((_, since, ordered), (until, ..)) = (pair[0], pair[1]);
        let mut under: Vec<_> = regions.iter().filter(|(at, _)| (since + late..until).contains(at)).collect();
        under.pop(); // a loop of oneTBB may continue under the next order, with its threads
        let beyond = regions.iter().filter(|(at, had)| (since..until).contains(at) && *had > ordered);
        let last = beyond.map(|(at, _)| (at - since) / 1000).max();
        println!(
            "{} under {ordered}: {} regions, last beyond it after {last:?} µs",
            source.name,
            under.len()
        );
        assert!(!under.is_empty(), "no region under an order in a quarter of a second");
        assert!(under.iter().all(|(_, had)| *had <= ordered), "{ordered} ordered: {under:?}");
        assert!(!exactly || under.iter().all(|(_, had)| *had == ordered), "{ordered} ordered: {under:?}");
    }
    assert_eq!(agent.answer(), FromApp::Bye);
}

#[test]
fn a_region_of_openmp_that_begins_after_an_order_has_its_threads() {
    obeys(GNU_REGIONS, &["1.2"], Duration::ZERO, true);
    obeys(LLVM_REGIONS, &["1.2"], Duration::ZERO, true);
}

/// Workers of oneTBB leave when they look for a task. On a busy machine a worker may need long for its last one: the limit is generous.
#[test]
fn workers_of_onetbb_leave_after_an_order() {
    obeys(TBB_LOOPS, &["1.2"], Duration::from_millis(100), false);
    obeys(TBB_LOOPS, &["1.2", "arena"], Duration::from_millis(100), false);
}

#[test]
fn while_no_thread_is_allowed_no_region_begins_and_the_end_of_the_agent_releases_it() {
    for source in [GNU_REGIONS, LLVM_REGIONS, TBB_LOOPS] {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(program) = source.built(folder.path()) else { continue };
        let agents = Agents::listen();
        let (child, mut agent) = started(&program, &["1.0"], &agents);
        agent.welcome(true, 20.0);
        order(&mut agent, 1, 2);
        std::thread::sleep(Duration::from_millis(200));
        let since = order(&mut agent, 2, 0);
        // Until the running region is over.
        while agent.status().blocked.iter().sum::<u32>() < 2 {}
        std::thread::sleep(Duration::from_millis(100));
        let until = now_ns();
        drop(agent);
        let regions = regions(&child.wait_with_output().expect("an end"));
        // The time is taken before the region is entered: one region waits.
        let begun = regions.iter().filter(|(at, _)| (since..until).contains(at)).count();
        assert!(begun <= 1, "{}: {begun} regions began", source.name);
        assert!(regions.iter().any(|(at, _)| *at > until), "{}: it never went on", source.name);
    }
}

#[test]
fn every_entry_of_a_region_obeys_and_a_child_of_fork_works() {
    for (source, threads) in [(GNU_ENTRIES, 1), (GNU_ENTRIES, 2), (LLVM_ENTRIES, 1), (LLVM_ENTRIES, 2)] {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(program) = source.built(folder.path()) else { continue };
        let agents = Agents::listen();
        let (child, mut agent) = started(&program, &[], &agents);
        agent.welcome(true, 1000.0);
        order(&mut agent, 1, threads);
        let output = child.wait_with_output().expect("an end");
        let old = if source == GNU_ENTRIES { format!("old {threads} {threads}\n") } else { String::new() };
        let expected = format!(
            "plain {threads} {threads}\none 1 1\nif 1 1\nafter-if {threads} {threads}\n\
             loop {threads} 1001 20000\nsections {threads} 7\nnested {threads}\n{old}child 1 1\n"
        );
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", source.name);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}

/// Two programs without an agent: the first one serves. The test kills it, and the other one serves itself, with all threads of the host.
#[test]
fn programs_take_turns_as_the_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = GNU_REGIONS.built(folder.path()) else { return };
    let nodes = numasim_host::system::System::host().node_cores(&[]).len();
    let cores: Vec<&str> = (0..nodes).map(|node| if node == 0 { "2" } else { "0" }).collect();
    let record = folder.path().join("agent.jsonl");
    let start = format!(
        r#"{{"type":"start","schema":1,"program":"numasim","policy":"fair-share","period_ms":20.0,"cores":[{}],"files":[]}}"#,
        cores.join(",")
    );
    std::fs::write(&record, start + "\n").expect("a record");
    let socket = folder.path().join("own/agent.sock");
    let path = |path: &Path| path.to_str().expect("a path of letters").to_owned();
    let start = |name: &str, seconds: &str| {
        let variables = [("NUMASIM_RECORD", path(&record)), ("NUMASIM_APP", name.to_owned())];
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        with_library(&program, &[seconds], &path(&socket), &variables).spawn().expect("it starts")
    };
    let mut first = start("first", "60");
    while !socket.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = start("second", "2");
    std::thread::sleep(Duration::from_secs(1));
    first.kill().expect("it is there");
    let killed = now_ns();
    first.wait().expect("it ends");
    let process = second.id();
    let regions = regions(&second.wait_with_output().expect("an end"));
    let threads = |from: u64, until: u64| {
        let within = |&&(at, _): &&(u64, u32)| (from..until).contains(&at);
        regions.iter().filter(within).map(|(_, threads)| *threads).collect::<Vec<_>>()
    };
    // While both are running, each has one of the two cores; the time for a connection is generous for a busy machine.
    let shared = threads(killed - 300_000_000, killed);
    assert!(!shared.is_empty() && shared.iter().all(|&threads| threads == 1), "{shared:?}");
    let alone = threads(killed + 500_000_000, u64::MAX);
    assert!(!alone.is_empty() && alone.iter().all(|&threads| threads == 2), "{alone:?}");
    let record = std::fs::read_to_string(&record).expect("a record");
    let turns: Vec<&str> = record.lines().filter(|line| line.contains(r#""type":"turn""#)).collect();
    assert_eq!(turns.len(), 2, "{turns:?}");
    assert!(turns[1].contains(&format!("\"pid\":{process},")), "{turns:?}");
}

#[test]
fn a_program_without_regions_never_connects() {
    let agents = Agents::listen();
    let output = with_library(Path::new("true"), &[], &agents.path(), &[]).output().expect("it starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(agents.nobody_for(Duration::from_millis(100)));
}

#[test]
fn a_wrong_variable_is_named_once_and_the_program_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = GNU_REGIONS.built(folder.path()) else { return };
    let wrong = [("NUMASIM_CONTROL", "cores")];
    let output = with_library(&program, &["0.1"], "off", &wrong).output().expect("it starts");
    assert!(regions(&output).iter().all(|(_, threads)| *threads == 2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "numasim: NUMASIM_CONTROL is \"cores\": write total, per-node or none; the program runs without an agent\n"
    );
}

#[test]
fn orders_for_nodes_hold_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = GNU_REGIONS.built(folder.path()) else { return };
    let agents = Agents::listen();
    let variables = [("NUMASIM_CONTROL", "per-node")];
    let child = with_library(&program, &["0.6"], &agents.path(), &variables).spawn().expect("it starts");
    let mut agent = agents.accept();
    let FromApp::Hello(hello) = agent.hear() else { panic!("no hello") };
    assert_eq!(hello.control, Control::PerNode);
    agent.welcome(true, 1000.0);
    let mut nodes = vec![0; hello.threads.len()];
    nodes[0] = 1;
    agent.say(&FromAgent::Set { seq: 1, order: Order::PerNode(nodes) });
    assert_eq!(agent.answer(), FromApp::Ack { seq: 1 });
    let output = child.wait_with_output().expect("an end");
    assert!(regions(&output).iter().all(|(_, threads)| *threads == 1));
}
