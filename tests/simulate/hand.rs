//! Simulations that can be followed by hand.

use super::{NODE, PRODUCER_CONSUMER, close, one, shipped};
use crate::common::{folder, stdout};

#[test]
fn memory_becomes_free_when_another_application_ends() {
    // Together: baseline 32 / 8 = 4 GB/s; compute takes 1 each (40 GFLOPS), mem 4 each and 12 / 4 more: 7 x 0.5 x 4 = 14 GFLOPS.
    // compute ends at 400 / 40 = 10 s, mem has 60 of 200 left at 8 x 0.5 x 4 = 16 GFLOPS: 3.75 s more.
    let text = format!(
        "{NODE}\
[[app]]
name = \"mem\"
arithmetic_intensity = 0.5
threads = 4
work_gflop = 200.0
[[app]]
name = \"compute\"
arithmetic_intensity = 10.0
threads = 4
work_gflop = 400.0
"
    );
    let run = one(&text, &[]);
    close(&run["apps"][1]["finished_s"], 10.0);
    close(&run["apps"][0]["finished_s"], 13.75);
    close(&run["makespan_s"], 13.75);
    assert_eq!(run["policy"], "none");
}

#[test]
fn an_agent_that_limits_the_producer_is_as_fast_as_none_and_stores_little() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}");
    // Without decisions: 0.125 s the producer alone, then 40 GFLOPS each; all is done after 3000 / 80 s, and 51 items were
    // stored.
    let none = one(&text, &["--policy", "none"]);
    close(&none["apps"][0]["finished_s"], 24.875);
    close(&none["makespan_s"], 37.5);
    assert_eq!(none["channels"][0]["max_items"], 51);
    close(&none["channels"][0]["max_mb"], 5100.0);
    // 2 items in 0.25 s, then 2 items in 0.5 s, 50 times.
    let lead = one(&text, &["--policy", "lead:2"]);
    close(&lead["makespan_s"], 37.5);
    assert_eq!(lead["channels"][0]["max_items"], 2);
    // 4 cores each and a channel of 2: the consumer takes 0.5 s an item from 0.25 s on; at 49.5 s it gets all cores.
    let bounded = text.replace("item_mb", "capacity = 2\nitem_mb");
    let even = one(&bounded, &["--policy", "static-even"]);
    close(&even["makespan_s"], 49.875);
    assert_eq!(even["channels"][0]["max_items"], 2);
}

#[test]
fn sharing_cores_costs_a_few_percent() {
    // 3 / (3 + 0.005 + 0.1) = 0.966184: 24.75 / 0.966184 = 25.616, the producer ends at 25.741, then 12.625 s.
    let none = shipped("producer-consumer.toml", &["--policy", "none"]);
    close(&none["makespan_s"], 0.125 + 24.75 * 3.105 / 3.0 + 12.625);
    let lead = shipped("producer-consumer.toml", &["--policy", "lead:2"]);
    close(&lead["makespan_s"], 37.5);
    let gain = none["makespan_s"].as_f64().expect("finished") / 37.5 - 1.0;
    assert!((gain - 0.0231).abs() < 1e-4, "{gain}");
}

#[test]
fn cores_of_a_sublinear_application_gain_more_elsewhere() {
    let gflops = |policy: &str| {
        let run = shipped("sublinear.toml", &["--policy", policy, "--until", "10"]);
        let of = |app: usize| run["apps"][app]["gflop"].as_f64().expect("a number") / 10.0;
        of(0) + of(1)
    };
    // S(4) = 1 / (0.1 + 0.9 / 4) = 3.0769: 30.769 + 40; one core and seven: 10 + 70.
    assert!((gflops("static-even") - 70.769).abs() < 1e-3);
    assert!((gflops("marginal") - 80.0).abs() < 1e-6);
}

#[test]
fn cores_follow_a_call_as_fast_as_the_agent_decides() {
    close(&shipped("library-call.toml", &["--policy", "static-even"])["makespan_s"], 20.0);
    close(&shipped("library-call.toml", &["--policy", "lend"])["makespan_s"], 10.0);
    // Ticks of 80 ms: 0.5 -> 0.56, 1.06 -> 1.12; 10 x 1.12 - 0.06.
    close(&shipped("library-call-slow-agent.toml", &["--policy", "lend"])["makespan_s"], 11.14);
}

#[test]
fn a_total_is_bad_if_all_runtimes_pick_the_same_node() {
    let text = |pick: &str| {
        let app = |name: &str| {
            format!(
                "[[app]]\nname = \"{name}\"\narithmetic_intensity = 10.0\nwork_gflop = 1600.0\ncontrol = \"total\"\npick = \"{pick}\"\n\
[[command]]\nat_s = 0.0\napp = \"{name}\"\ntotal = 8\n"
            )
        };
        let machine = NODE.replace("nodes = 1", "nodes = 4\nlink_gbs = 10.0");
        format!("{machine}{}{}", app("a"), app("b"))
    };
    // 16 threads on node 0: 80 GFLOPS; two of each on every node: 160.
    close(&one(&text("pack"), &["--policy", "script"])["makespan_s"], 40.0);
    close(&one(&text("spread"), &["--policy", "script"])["makespan_s"], 20.0);
}

#[test]
fn a_command_moves_the_machine_of_the_paper_to_its_best_allocation() {
    // Figure 2: even 2,2,2,2 140 GFLOPS for a second, then 1,1,1,5 254 GFLOPS: 140 + 9 x 254 = 2426 GFLOP after 10 s.
    let text = "\
[machine]
name = \"4 nodes x 8 cores\"
nodes = 4
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
link_gbs = 10.0
[[app]]
name = \"mem\"
instances = 3
arithmetic_intensity = 0.5
work_gflop = 1e6
[[app]]
name = \"compute\"
arithmetic_intensity = 10.0
work_gflop = 1e6
[[command]]
at_s = 0.0
app = \"mem\"
per_node = [2, 2, 2, 2]
[[command]]
at_s = 0.0
app = \"compute\"
per_node = [2, 2, 2, 2]
[[command]]
at_s = 1.0
app = \"mem\"
per_node = [1, 1, 1, 1]
[[command]]
at_s = 1.0
app = \"compute\"
per_node = [5, 5, 5, 5]
";
    let work = |more: &[&str]| {
        let run = one(text, &[&["--until", "10"], more].concat());
        let apps = run["apps"].as_array().expect("a list").clone();
        apps.iter().map(|app| app["gflop"].as_f64().expect("a number")).sum::<f64>()
    };
    assert!((work(&["--policy", "script"]) - 2426.0).abs() < 1e-6);
    // Almost all cores to compute, one thread for each of the others.
    assert!(work(&["--policy", "reexplore"]) > 2900.0);
}

/// Two compute-bound applications on two cores of 60 GFLOPS, the first one calls the second one three times, 120 GFLOP in all each.
const CALLER: &str = "\
[machine]
name = \"two cores\"
nodes = 1
cores_per_node = 2
gflops_per_core = 60.0
bandwidth_gbs = 20.0
[[app]]
name = \"main\"
arithmetic_intensity = 10.0
iterations = 3
tasks = 40
work_gflop = 120.0
[[app]]
name = \"solver\"
arithmetic_intensity = 10.0
iterations = 3
tasks = 40
work_gflop = 120.0
[[call]]
from = \"main\"
to = \"solver\"
";

#[test]
fn an_application_that_calls_another_waits_and_leaves_its_cores() {
    // 3 x (40 / 120 + 40 / 120) s; with one core each while the call lasts it would be 3 x (40 / 120 + 40 / 60).
    for policy in ["fair-share", "lead:2", "lend", "oversubscribe:1", "marginal", "reexplore", "replan"] {
        let run = one(CALLER, &["--policy", policy]);
        close(&run["makespan_s"], 2.0);
        close(&run["apps"][0]["wait_call_s"], 1.0);
        close(&run["apps"][1]["wait_call_s"], 1.0);
    }
    let folder = folder();
    let trace = folder.path().join("trace.jsonl").display().to_string();
    stdout(&super::simulate(CALLER, &["--policy", "fair-share", "--trace", &trace]));
    let trace = std::fs::read_to_string(trace).expect("written");
    let decisions: Vec<serde_json::Value> =
        trace.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // While main waits, the solver has both cores.
    let waits = |decision: &&serde_json::Value| decision["apps"][0]["waiting"] == "call";
    let during: Vec<_> = decisions.iter().filter(waits).collect();
    assert!(!during.is_empty() && during[0]["apps"][1]["waiting"] == "none", "{trace}");
    assert_eq!(
        during[0]["actions"].to_string(),
        "[{\"app\":\"main\",\"seq\":2,\"per_node\":[0]},{\"app\":\"solver\",\"seq\":2,\"per_node\":[2]}]"
    );
}

#[test]
fn cores_are_distributed_around_threads_of_others() {
    // Four cores each. The threads of a are bound to cores 0 to 3; b is given 4 to 7: 400 GFLOP at 40 GFLOPS.
    let app = |name: &str, how: &str| {
        format!("[[app]]\nname = \"{name}\"\narithmetic_intensity = 10.0\nwork_gflop = 400.0\n{how}\n")
    };
    let text = format!("{NODE}{}{}", app("a", "bind = \"core\""), app("b", "control = \"cores\""));
    close(&one(&text, &["--policy", "fair-share"])["makespan_s"], 10.0);
}

/// Three applications under `replan`, with values that are multiples of `unit` GFLOPS, GB/s and GFLOP.
fn replanned(unit: f64) -> String {
    let [links, cores] = [[1.0, 0.7], [100.0, 32.0]].map(|figures| figures.map(|figure| figure * unit));
    format!(
        "[machine]
name = \"M\"
bandwidth_matrix_gbs = [[{:?}, {:?}], [{:?}, {:?}]]
[[machine.node]]
cores = 4
gflops_per_core = {gflops:?}
[[machine.node]]
cores = 4
gflops_per_core = {gflops:?}
[[app]]
name = \"a0\"
arithmetic_intensity = 0.5
data = \"interleave\"
work_gflop = {unit:?}
iterations = 10
tasks = 8
[[app]]
name = \"a1\"
arithmetic_intensity = 64.0
data = \"interleave\"
weight = 2.5
work_gflop = {:?}
arrives_s = 0.1
scaling = {{ serial_fraction = 0.05 }}
iterations = 10
[[app]]
name = \"a2\"
arithmetic_intensity = 1.0
data = {{ home = 1, share = 0.25 }}
work_gflop = {unit:?}
arrives_s = 0.1
scaling = {{ serial_fraction = 0.05 }}
[[channel]]
from = \"a0\"
to = \"a1\"
item_mb = 1.0
[policy]
name = \"replan\"
",
        cores[0],
        links[0],
        links[1],
        cores[1],
        20.0 * unit,
        gflops = 10.0 * unit,
    )
}

#[test]
fn other_units_change_no_decision() {
    let of = |unit: f64| one(&replanned(unit), &[]);
    let one = of(1.0);
    for unit in [10.0, 3.0, 0.1, 1e3, 0.7] {
        let other = of(unit);
        let makespan = |run: &serde_json::Value| run["makespan_s"].as_f64().expect("a number");
        assert!((makespan(&other) / makespan(&one) - 1.0).abs() < 1e-9, "x {unit}: {other} {one}");
        assert_eq!(
            (&other["commands"], &other["core_moves"]),
            (&one["commands"], &one["core_moves"]),
            "x {unit}"
        );
    }
}
