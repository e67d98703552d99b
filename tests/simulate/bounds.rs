//! Lower bounds and clusters.

use super::{NODE, PRODUCER_CONSUMER, close, one, shipped, simulate};
use crate::common::stdout;

#[test]
fn the_lower_bound_is_what_all_cores_need_for_all_work() {
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
fn a_policy_on_half_of_a_cluster_is_worth_half_of_its_gain_or_nothing() {
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
