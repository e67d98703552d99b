//! Lower bounds and clusters.

use super::{NODE, PRODUCER_CONSUMER, close, one, shipped, simulate};
use crate::common::stdout;

#[test]
fn the_lower_bound_is_all_work_on_all_cores() {
    // 3000 GFLOP at 80 GFLOPS.
    let text = format!("{NODE}{PRODUCER_CONSUMER}");
    close(&one(&text, &["--policy", "static-even"])["lower_bound_s"], 37.5);
    let printed = stdout(&simulate(&text, &["--policy", "static-even"]));
    assert!(
        printed.contains("Lower bound: 37.50 s under any policy: the cores have that much to compute"),
        "{printed}"
    );
    assert!(printed.contains("the makespan is 0.3 % above it"), "{printed}");
}

#[test]
fn a_policy_on_half_of_a_cluster_brings_half_of_its_gain_or_none() {
    // E = 100 iterations of 1 s and the last item with 8 cores, 24 / 80 s; M = 6400 / 80.
    let (even, with) = (100.3, 80.0);
    let loose = shipped("mpi.toml", &["--policy", "fair-share"]);
    close(&loose["makespan_s"], with);
    let makespan = 16.0 / (8.0 / even + 8.0 / with);
    close(&loose["cluster"]["makespan_s"], makespan);
    close(&loose["cluster"]["speedup"], even / makespan);
    let barrier = shipped("mpi-barrier.toml", &["--policy", "fair-share"]);
    close(&barrier["cluster"]["makespan_s"], even);
    close(&barrier["cluster"]["speedup"], 1.0);
    let keys: Vec<&String> = barrier.as_object().expect("an object").keys().collect();
    assert_eq!(keys[9], "cluster", "after the reaction");
}

#[test]
fn noise_between_the_nodes_of_a_cluster_costs_more_at_a_barrier_than_loosely_and_is_the_same_for_a_seed() {
    let noisy = |sync: &str, seed: &str| {
        let cluster = format!("[cluster]\nnodes = 16\npolicy_on = 0\nsync = \"{sync}\"\nnoise = 0.2\n");
        let run =
            one(&format!("{NODE}{PRODUCER_CONSUMER}{cluster}"), &["--policy", "static-even", "--seed", seed]);
        let of = |key: &serde_json::Value| key.as_f64().expect("a number");
        of(&run["cluster"]["makespan_s"]) / of(&run["makespan_s"])
    };
    // 100 iterations: 1 + 0.2 x 16/17 at a barrier, 1 + 0.2 / 2 loosely.
    let (barrier, loose) = (noisy("barrier", "1"), noisy("loose", "1"));
    assert!((barrier - 1.188).abs() < 0.005, "{barrier}");
    assert!((loose - 1.1).abs() < 0.005, "{loose}");
    assert_eq!(barrier, noisy("barrier", "1"));
    assert_ne!(barrier, noisy("barrier", "2"));
}
