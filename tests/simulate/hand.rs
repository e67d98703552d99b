//! Simulations that can be followed by hand.

use super::{NODE, PRODUCER_CONSUMER, close, one, shipped};

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
fn an_agent_that_holds_the_producer_back_is_as_fast_and_stores_little() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}");
    // Nobody decides: 0.125 s the producer alone, then 40 GFLOPS each; all is done after 3000 / 80 s, and 51 items lay there.
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
fn cores_of_a_sublinear_application_are_worth_more_elsewhere() {
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
fn a_total_is_bad_where_all_runtimes_pick_the_same_node() {
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
