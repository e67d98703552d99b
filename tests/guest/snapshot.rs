//! `numasim snapshot` and `advise` in the guest: six processes that the job bound, compared with taskset, numastat and the lists of their
//! pages, and with `explore` on the same study written by hand.

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use serde_json::{Value, json};

use super::results::Guest;
use crate::common::{folder, numasim, repository, stdout};

/// A process with the node of each of its bound threads, and the placement of its data.
struct Process {
    name: &'static str,
    threads: [u32; 4],
    data: fn() -> Value,
    /// The nodes of its data.
    on: &'static [usize],
}

/// Processors 2n and 2n + 1 are those of node n. `pair` has a list of 16 MiB for each thread, the others one.
const SIX: [Process; 6] = [
    Process { name: "near", threads: [1, 0, 0, 0], data: || json!("local"), on: &[0] },
    Process { name: "far", threads: [0, 1, 0, 0], data: || json!({ "home": 3 }), on: &[3] },
    Process { name: "spread", threads: [0, 0, 0, 1], data: || json!("interleave"), on: &[0, 1, 2, 3] },
    Process { name: "heavy-a", threads: [0, 0, 1, 0], data: || json!("local"), on: &[2] },
    Process { name: "heavy-b", threads: [0, 0, 1, 0], data: || json!("local"), on: &[2] },
    Process { name: "pair", threads: [1, 1, 0, 0], data: || json!("local"), on: &[0, 1] },
];

/// The application with the process of this name.
fn app(guest: &Guest, step: &str, name: &str) -> Value {
    let pid: u64 = guest.done(&format!("six-{name}-pid")).trim().parse().expect("a number");
    let found = guest.json(step);
    let apps = found["apps"].as_array().expect("a list");
    apps.iter()
        .find(|app| app["pids"] == json!([pid]))
        .unwrap_or_else(|| panic!("{step} lacks {name}"))
        .clone()
}

/// Bound threads on each node, by `taskset`: `pid 81's current affinity mask: 8`. A thread with more processors than those of a node is not
/// bound and does not work.
fn bound(guest: &Guest, step: &str) -> [u32; 4] {
    let mut threads = [0; 4];
    for line in guest.done(step).lines() {
        let mask =
            line.rsplit_once(": ").and_then(|(_, mask)| u32::from_str_radix(mask, 16).ok()).expect("a mask");
        if let Some(node) = (0..4).find(|node| mask & !(3 << (2 * node)) == 0) {
            threads[node] += 1;
        }
    }
    threads
}

/// MiB on each node by `numastat -p`, whose last row is the total: `Total   16.04  0.50  0.00  0.00  16.54`.
fn by_numastat(guest: &Guest, step: &str) -> Vec<f64> {
    let table = guest.done(step);
    let total = table.lines().rfind(|line| line.starts_with("Total")).expect("a total");
    total.split_whitespace().skip(1).take(4).map(|cell| cell.parse().expect("a number")).collect()
}

/// MiB of program files on each node: numastat counts them, but they are not data.
fn of_files(guest: &Guest, step: &str) -> [f64; 4] {
    let mut mib = [0.0; 4];
    for line in guest.done(step).lines().filter(|line| line.contains(" file=") && !line.contains("/dev/")) {
        for word in line.split_whitespace() {
            let page = word.strip_prefix('N').and_then(|word| word.split_once('='));
            if let Some((node, pages)) =
                page.and_then(|(node, pages)| Some((node.parse::<usize>().ok()?, pages.parse::<f64>().ok()?)))
            {
                mib[node] += pages * 4096.0 / f64::from(1 << 20);
            }
        }
    }
    mib
}

/// Compares a snapshot with other tools; `when` is part of the names of their steps.
fn as_others_say(guest: &Guest, step: &str, when: &str) {
    for Process { name, .. } in SIX {
        let app = app(guest, step, name);
        assert_eq!(app["threads"], json!(bound(guest, &format!("{when}-{name}-taskset"))), "{name}: threads");
        let seen = by_numastat(guest, &format!("{when}-{name}-numastat"));
        let files = of_files(guest, &format!("{when}-{name}-maps"));
        for node in 0..4 {
            let data = app["data_gib"][node].as_f64().expect("known") * 1024.0;
            // numastat rounds to hundredths of a MiB.
            let others = seen[node] - files[node];
            assert!((data - others).abs() <= 0.011, "{name}: data on node {node}: {data} and {others} MiB");
        }
    }
}

fn as_bound(guest: &Guest, step: &str) {
    for Process { name, threads, data, on } in SIX {
        let app = app(guest, step, name);
        assert_eq!((&app["threads"], &app["data"]), (&json!(threads), &data()), "{name}");
        let gib: Vec<f64> = (0..4).map(|node| app["data_gib"][node].as_f64().expect("known")).collect();
        let on_its_nodes: f64 = on.iter().map(|&node| gib[node]).sum();
        // Lists of 16 MiB, and little else.
        assert!(on_its_nodes >= 0.95 * gib.iter().sum::<f64>() && on_its_nodes > 0.0155, "{name}: {gib:?}");
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_snapshot_of_six_processes_agrees_with_taskset_and_numastat() {
    let guest = Guest::read("snapshot");
    as_bound(&guest, "six-snapshot");
    as_others_say(&guest, "six-snapshot", "six");
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn the_guest_counts_no_bandwidth_so_there_is_no_advice() {
    let guest = Guest::read("snapshot");
    let advice = guest.json("six-unknown");
    assert_eq!(advice["advised"], json!(false));
    assert!(advice["reasons"].to_string().contains("is assumed, not counted"), "{advice}");
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn recorded_counters_are_the_bandwidth_of_each_process() {
    let guest = Guest::read("snapshot");
    as_bound(&guest, "six-recorded");
    for (name, local, total) in [
        ("near", 2.0, 2.0),
        ("far", 0.0, 4.0),
        ("spread", 1.0, 1.0),
        ("heavy-a", 5.0, 5.0),
        ("heavy-b", 5.0, 5.0),
        ("pair", 3.0, 3.0),
    ] {
        let app = app(&guest, "six-recorded", name);
        for (key, expected) in [("local_gbs", local), ("total_gbs", total)] {
            let found = app[key].as_f64().expect("known");
            assert!((found - expected).abs() <= 1e-9 * expected, "{name}, {key}: {found}");
        }
    }
}

/// Threads of each application after the moves, and the home of `far`.
fn after_moves(advice: &Value) -> (BTreeMap<&'static str, Value>, Value) {
    let mut threads: BTreeMap<&str, Value> = SIX.iter().map(|own| (own.name, json!(own.threads))).collect();
    let mut home = json!(3);
    for own in advice["moves"].as_array().expect("a list") {
        let name =
            SIX.iter().map(|process| process.name).find(|name| own["app"] == **name).expect("one of six");
        threads.insert(name, own["threads_then"].clone());
        if name == "far" {
            home = own["data_then"]["home"].clone();
        }
    }
    (threads, home)
}

fn as_explored(guest: &Guest) {
    let (advice, explored) = (guest.json("six-advice"), guest.json("six-explore"));
    assert_eq!((&advice["advised"], &explored["status"]), (&json!(true), &json!("optimal")));
    let value = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("a number: {value}"));
    let equal = |what: &str, a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs(), "{what}: {a} and {b}");
    equal("best", value(&advice["then"]), value(&explored["best"]["value"]));
    let now = explored["baselines"].as_array().expect("a list").iter().find(|own| own["name"] == "now");
    equal("now", value(&advice["now"]), value(&now.expect("a baseline")["value"]));
    // The moves on the true study reach the result of its best.
    let (threads, home) = after_moves(&advice);
    let rows: Vec<String> = threads.iter().map(|(name, row)| format!("{name} = {row}")).collect();
    let moved = format!(
        "[[scenario]]\nname = \"moved\"\nthreads = {{ {} }}\ndata = {{ far = {{ home = {home} }} }}\n",
        rows.join(", ")
    );
    let own = folder();
    let path = own.path().join("moved.toml");
    std::fs::write(&path, moved).expect("written");
    let output = numasim()
        .arg("evaluate")
        .args(["six-machine.toml", "six.toml"].map(|name| repository("tests/guest").join(name)))
        .arg(&path)
        .args(["--scenario", "moved", "--format", "json"])
        .output()
        .expect("the program starts");
    let evaluated: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    equal(
        "moved",
        value(&evaluated["scenarios"][0]["total_gflops"]),
        value(&explored["best"]["total_gflops"]),
    );
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn advice_is_worth_the_best_of_explore_for_the_true_study() {
    as_explored(&Guest::read("snapshot"));
}

/// The moved processes match the advice, according to `numasim snapshot` and other tools.
fn carried_out(guest: &Guest) {
    guest.done("six-carried-out");
    let (threads, home) = after_moves(&guest.json("six-advice"));
    for Process { name, .. } in SIX {
        let app = app(guest, "moved-snapshot", name);
        assert_eq!(app["threads"], threads[name], "{name}: threads after its move");
    }
    assert_eq!(
        app(guest, "moved-snapshot", "far")["data"],
        near_or_home(&threads["far"], &home),
        "data of far"
    );
    for name in ["heavy-a", "heavy-b"] {
        assert_eq!(
            app(guest, "moved-snapshot", name)["data"],
            json!("local"),
            "{name}: its data comes with it"
        );
    }
    as_others_say(guest, "moved-snapshot", "moved");
}

/// Data on the only node with threads is local.
fn near_or_home(threads: &Value, home: &Value) -> Value {
    let node = usize::try_from(home.as_u64().expect("a node")).expect("small");
    if threads[node] == json!(1) { json!("local") } else { json!({ "home": node }) }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn the_emitted_moves_put_threads_and_pages_in_place() {
    carried_out(&Guest::read("snapshot"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn numad_names_nodes_and_its_jobs_run_there() {
    let guest = Guest::read("numad");
    for (step, jobs) in [
        (
            "numad-six-snapshot",
            &["near-1", "far-1", "spread-1", "heavy-a-1", "heavy-b-1", "pair-1", "pair-2"][..],
        ),
        ("numad-eight-snapshot", &["heavy-1-1", "light-1-1", "heavy-4-1", "light-4-1"]),
    ] {
        let found = guest.json(step);
        for job in jobs {
            let app = found["apps"].as_array().expect("a list").iter().find(|app| app["name"] == *job);
            let threads = app.unwrap_or_else(|| panic!("{step} lacks {job}"))["threads"].clone();
            let name = job.rsplit_once('-').map_or(*job, |(name, _)| name);
            let answer = guest.done(&format!("numad-{name}"));
            let nodes = numasim_model::cpus::CpuList::parse(answer.trim()).expect("a list of nodes");
            let of = |node: &u32| threads[*node as usize].as_u64().unwrap_or(0);
            assert_eq!(nodes.as_slice().iter().map(of).sum::<u64>(), 1, "{job} on {answer}: {threads}");
        }
    }
}

type Judge = fn(&Guest);

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_wrong_snapshot_or_advice_is_detected() {
    let live: Judge = |guest| as_others_say(guest, "six-snapshot", "six");
    let wrong: [(Judge, &str, &str, &str, &str); 4] = [
        (live, "six-far-taskset", ": 8", ": 80", "far: threads"),
        (live, "six-far-maps", " file=", " anon=", "far: data on node"),
        (as_explored, "six-advice", "\"then\": ", "\"then\": 1", "best: "),
        (carried_out, "moved-heavy-a-numastat", "Total  ", "Total 9", "heavy-a: data on node 0"),
    ];
    for (judge, step, from, to, seen) in wrong {
        let mut guest = Guest::read("snapshot");
        guest.alter_all(step, from, to);
        let said = catch_unwind(|| judge(&guest)).expect_err(seen);
        let said = said.downcast_ref::<String>().map_or("", String::as_str);
        assert!(said.contains(seen), "{seen}: {said}");
    }
}
