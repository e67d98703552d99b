//! `numasim run` in the guest: the nodes of each application's threads under an agent, and of the pages of its data.

use std::panic::catch_unwind;

use serde_json::{Value, json};

use super::results::Guest;
use super::threads::{Thread, app, bound_pages, counted, numbers, threads};

/// Threads of an application on each node.
type PerNode = [u64; 4];

/// `[[scenario]]` of `split.toml`.
const SPLIT: [(&str, PerNode); 2] = [("left", [2, 1, 0, 1]), ("right", [0, 1, 2, 1])];
/// Distributed to `shared.toml`: node 0 to a and b, node 1 to c and a, node 2 to b and c, node 3 to a and b.
const SHARED: [(&str, PerNode); 3] = [("a", [1, 1, 0, 1]), ("b", [1, 0, 1, 1]), ("c", [0, 1, 1, 0])];

/// The steps about an application have its process number in their names.
fn step_of(guest: &Guest, run: &str, what: &str, name: &str) -> String {
    let status = guest.json(&format!("{run}-status"));
    format!("{run}-{what}-{}", app(&status, name)["pid"])
}

fn workers(guest: &Guest, run: &str, what: &str, name: &str) -> Vec<Thread> {
    let all = threads(guest, &step_of(guest, run, what, name));
    let (workers, others): (Vec<_>, Vec<_>) = all.into_iter().partition(Thread::is_worker);
    assert_eq!(workers.len(), 8, "{name}: {workers:?}");
    for other in others {
        assert_eq!(other.cpus, (0..8).collect::<Vec<_>>(), "{name}: nobody binds {other:?}");
    }
    workers
}

fn binding(guest: &Guest) {
    for (run, name) in [("split", "left"), ("shared", "a"), ("shared", "b"), ("shared", "c")] {
        let found = counted(workers(guest, run, "threads", name).into_iter().map(|worker| worker.cpus));
        let nodes = (0..4).map(|node| (vec![2 * node, 2 * node + 1], 2)).collect();
        assert_eq!(found, nodes, "workers of '{name}'");
    }
    let found = counted(workers(guest, "split", "threads", "right").into_iter().map(|worker| worker.cpus));
    assert_eq!(found, (0..8).map(|cpu| (vec![cpu], 1)).collect(), "workers of 'right'");
}

fn orders(guest: &Guest) {
    for (run, apps) in [("split", &SPLIT[..]), ("shared", &SHARED[..])] {
        let status = guest.json(&format!("{run}-status"));
        assert_eq!(status["apps"].as_array().map(Vec::len), Some(apps.len()), "{status}");
        for (name, ordered) in apps {
            let entry = app(&status, name);
            assert_eq!(entry["target"]["per_node"], json!(ordered), "{run}: order of '{name}'");
            assert_eq!((&entry["acked"], &entry["state"]), (&entry["seq"], &json!("ok")), "{entry}");
            let (running, blocked) = (numbers(&entry["running"]), numbers(&entry["blocked"]));
            for node in 0..4 {
                assert!(running[node] <= ordered[node], "{run}: '{name}' runs more on node {node}: {entry}");
                assert_eq!(blocked[node], 2 - ordered[node], "{run}: blocked of '{name}' on node {node}");
            }
        }
    }
}

/// By node, the run time of workers until a look.
fn ticks(guest: &Guest, look: &str, name: &str) -> PerNode {
    let mut ticks = [0; 4];
    for worker in workers(guest, "split", look, name) {
        ticks[worker.node()] += worker.ticks;
    }
    ticks
}

fn kernel(guest: &Guest) {
    for (name, ordered) in SPLIT {
        let (before, after) = (ticks(guest, "threads", name), ticks(guest, "later", name));
        for node in 0..4 {
            let ran = after[node] - before[node];
            // A tick may be counted for a thread that only wakes.
            assert!(ordered[node] > 0 || ran <= 1, "'{name}' ran {ran} ticks on node {node}");
            assert!(ordered[node] == 0 || ran > 1, "'{name}' did not run on node {node}");
        }
    }
}

fn timeline(guest: &Guest) {
    let (text, result) = (guest.done("split-timeline"), guest.step("split").out);
    let result: Value = serde_json::from_str(&result).expect("JSON");
    let mut worked = [[false; 4]; 2];
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row.expect("a row");
        let number = |column: usize| row[column].parse::<f64>().expect("a number");
        // On a slow host connections break at first, and threads without an order run.
        if number(0) < result["time_s"].as_f64().expect("a number") / 2.0 {
            continue;
        }
        let at = SPLIT.iter().position(|(name, _)| *name == &row[1]).expect("an application");
        let node: usize = row[2].parse().expect("a node");
        let ordered = SPLIT[at].1[node] as f64;
        assert!(number(3) <= ordered, "more threads in a task than ordered: {row:?}");
        assert!(ordered > 0.0 || number(7) == 0.0, "work on a node without an order: {row:?}");
        worked[at][node] |= number(7) > 0.0;
    }
    for (at, (name, ordered)) in SPLIT.iter().enumerate() {
        assert_eq!(worked[at], ordered.map(|threads| threads > 0), "where '{name}' worked: {text}");
    }
}

fn lead(guest: &Guest) {
    let (led, unled) = (guest.json("lead"), guest.json("unled"));
    let most = |result: &Value| result["channels"][0]["max_items"].as_u64().expect("a number");
    for result in [&led, &unled] {
        assert_eq!(result["ended"], "finished", "{result}");
        assert!(["producer", "consumer"].iter().all(|name| app(result, name)["iterations"] == 6), "{result}");
    }
    assert!(most(&led) <= 2, "more than k + 1 items: {led}");
    assert!(most(&unled) > 2, "nobody would have needed an agent: {unled}");
    let text = guest.done("lead-timeline");
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row.expect("a row");
        assert!(row[9].parse::<u64>().is_ok_and(|items| items <= 2), "items in the timeline: {row:?}");
    }
    let record = guest.done("lead-record");
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let actions = || lines.iter().filter_map(|line| line["actions"].as_array()).flatten();
    let was_told =
        |per_node: Value| actions().any(|one| one["app"] == "producer" && one["per_node"] == per_node);
    assert!(
        was_told(json!([0, 0, 0, 0])) && was_told(json!([2, 2, 2, 2])),
        "the producer was not held and released"
    );
}

fn pages(guest: &Guest) {
    // 4 MiB for each of 8 threads: 1024 pages each, 2 threads on each node.
    let (local, one) = ([2048; 4], 8192);
    let runs: [(&str, &str, PerNode); 5] = [
        ("split", "left", local),
        ("split", "right", [0, 0, 0, one]),
        ("shared", "a", local),
        ("shared", "b", [0, one, 0, 0]),
        // A quarter of each thread's data on each node.
        ("shared", "c", local),
    ];
    for (run, name, expected) in runs {
        let result: Value = serde_json::from_str(&guest.step(run).out).expect("JSON");
        let entry = app(&result, name);
        assert_eq!(entry["pages"], json!(expected), "{run}: pages of '{name}' as the program says");
        assert_eq!(entry["misplaced_pages"], 0, "{run}: '{name}'");
        let seen = bound_pages(guest, &step_of(guest, run, "memory", name));
        assert_eq!(seen, expected, "{run}: pages of '{name}' as the kernel says");
    }
}

fn first_touch(guest: &Guest) {
    let graph = guest.json("graph");
    let runs = graph["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2, "{graph}");
    for run in runs {
        assert_eq!(run["same_as_serial"], true, "{run}");
        assert_eq!(run["misplaced_pages"], 0, "pages that are not where their worker is: {run}");
        let pages = numbers(&run["pages"]);
        // 32 blocks of 512 KiB, each with the allocator's 16 bytes before it: 127 whole pages, and 128 of one that it has put where
        // a page begins.
        assert!((32 * 127..=32 * 128).contains(&pages.iter().sum::<u64>()), "{run}");
        assert!(
            pages.iter().filter(|&&pages| pages > 0).count() > 1,
            "all blocks were made on one node: {run}"
        );
    }
}

fn ending(guest: &Guest) {
    for run in ["split", "shared"] {
        assert_eq!(guest.step(run).code, 130, "{run}: {}", guest.step(run).err);
        guest.done(&format!("{run}-stop"));
        guest.done(&format!("{run}-agent"));
        guest.done(&format!("{run}-replay"));
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn workers_of_every_application_are_bound_to_their_nodes_or_cores() {
    binding(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn orders_per_node_are_in_force() {
    orders(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn threads_without_an_order_do_not_run() {
    kernel(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn the_timeline_shows_no_thread_without_an_order() {
    timeline(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_producer_is_at_most_one_item_ahead() {
    lead(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn every_page_is_on_the_node_of_its_data() {
    pages(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn every_block_is_on_the_node_of_the_worker_that_touched_it_first() {
    first_touch(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn runs_and_agents_exit_on_request() {
    ending(&Guest::read("agent"));
}

/// A check, a change of the guest's output, and the verdict of the check on it.
type Wrong = (fn(&Guest), Box<dyn Fn(&mut Guest)>, &'static str);

/// Other text in the report of a step about an application.
fn other(
    run: &'static str,
    what: &'static str,
    name: &'static str,
    from: &'static str,
    to: &'static str,
) -> Box<dyn Fn(&mut Guest)> {
    Box::new(move |guest| {
        let step = step_of(guest, run, what, name);
        guest.alter(&step, from, to);
    })
}

/// A thread of `left` on node 2, at the end of the timeline.
fn ran_more() -> Box<dyn Fn(&mut Guest)> {
    Box::new(|guest| guest.alter("split-timeline", ",items\n", ",items\n1e9,left,2,1,0,0,1,0,0,0\n"))
}

/// Another value in JSON.
fn value(step: &'static str, place: &'static str, value: u64) -> Box<dyn Fn(&mut Guest)> {
    Box::new(move |guest| guest.alter_json(step, place, value.into()))
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn wrong_results_are_detected() {
    let wrong: [Wrong; 13] = [
        (binding, other("split", "threads", "left", "\t2-3\t", "\t4-5\t"), "workers of 'left'"),
        (binding, other("split", "threads", "right", "\t5\t", "\t4-5\t"), "workers of 'right'"),
        (orders, value("split-status", "/apps/0/blocked/1", 0), "blocked of 'left' on node 1"),
        (orders, value("shared-status", "/apps/2/target/per_node/0", 1), "order of 'c'"),
        (orders, value("shared-status", "/apps/2/running/0", 1), "runs more on node 0"),
        (kernel, other("split", "later", "left", "\t4-5\t", "\t4-5\t1000"), "ticks on node 2"),
        (timeline, ran_more(), "more threads in a task"),
        (lead, value("lead", "/channels/0/max_items", 3), "more than k + 1 items"),
        (lead, value("unled", "/channels/0/max_items", 2), "nobody would have needed"),
        (pages, value("split", "/apps/0/pages/2", 2047), "pages of 'left' as the program says"),
        (pages, other("split", "memory", "left", " N1=", " N2="), "not where they are bound to"),
        (pages, other("split", "memory", "right", "bind:3", "local"), "the lines with it"),
        (first_touch, value("graph", "/runs/1/misplaced_pages", 127), "where their worker is"),
    ];
    for (judge, alter, seen) in wrong {
        judge(&Guest::read("agent"));
        let mut guest = Guest::read("agent");
        alter(&mut guest);
        let said = catch_unwind(|| judge(&guest)).expect_err(seen);
        let said = said.downcast_ref::<String>().map_or("", String::as_str);
        assert!(said.contains(seen), "{seen}: {said}");
    }
}
