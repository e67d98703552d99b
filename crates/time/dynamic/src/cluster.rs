//! One machine stands for one of several equal nodes of a cluster (paper 002, section V).
//!
//! E is the makespan of a node on which threads are dealt evenly (`static-even`), M of one on which the policy decides. If every
//! iteration ends with a barrier, all nodes wait for the slowest: one even node is enough for E to hold. If nodes wait loosely,
//! the work is spread by speed: N - m nodes of speed 1 / E and m of speed 1 / M do together N pieces.
//!
//! With noise, an iteration of a node takes its part of E or M times 1 + noise x u, with u uniform on [0, 1). The draws are the same
//! for every policy and for both kinds of synchronisation: iteration after iteration, in it node after node; the policy is on the last m
//! nodes. The even cluster of the speedup has the same noise. The number of iterations is the largest of all applications.

use numasim_course::{Cluster, Synchronisation};
use numasim_model::units::Seconds;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What becomes of all nodes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterRun {
    /// When all nodes are done.
    pub makespan: Seconds,
    /// Makespan with every node even / this makespan.
    pub speedup: f64,
}

/// The makespans of single nodes without noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Makespans {
    /// Of a node under `static-even`.
    pub even: Seconds,
    /// Of a node under the policy.
    pub policy: Seconds,
}

/// The makespan of a cluster, from those of its nodes and from the number of their `iterations`. `stop` is asked in each iteration with
/// noise; `None` if it ended the computation.
///
/// A policy on more nodes than there are is on all of them. If nothing takes any time, the speedup is 1.
pub fn cluster(
    cluster: &Cluster,
    nodes: Makespans,
    iterations: u64,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Option<ClusterRun> {
    let [even, makespan] = if cluster.noise > 0.0 && iterations > 0 {
        noisy(cluster, nodes, iterations, seed, stop)?
    } else {
        [nodes.even, quiet(cluster, nodes)]
    };
    let speedup = if makespan.value() > 0.0 { even.value() / makespan.value() } else { 1.0 };
    Some(ClusterRun { makespan, speedup })
}

/// The makespan without noise.
fn quiet(cluster: &Cluster, Makespans { even, policy }: Makespans) -> Seconds {
    let (nodes, with_policy) = (cluster.nodes as f64, cluster.policy_on as f64);
    if cluster.policy_on == 0 {
        return even;
    }
    if cluster.policy_on >= cluster.nodes {
        return policy;
    }
    match cluster.sync {
        Synchronisation::Barrier if even > policy => even,
        Synchronisation::Barrier => policy,
        Synchronisation::Loose => {
            Seconds::new(nodes / ((nodes - with_policy) / even.value() + with_policy / policy.value()))
        }
    }
}

/// The makespans with noise: of the even cluster, and with the policy.
fn noisy(
    cluster: &Cluster,
    Makespans { even, policy }: Makespans,
    iterations: u64,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Option<[Seconds; 2]> {
    let nodes = usize::try_from(cluster.nodes).ok()?;
    let first = cluster.nodes.saturating_sub(cluster.policy_on);
    let time_of = |node: usize| if (node as u64) < first { even.value() } else { policy.value() };
    let mut draws = ChaCha8Rng::seed_from_u64(seed);
    // 53 bits are as many as a number has.
    let mut factor = || 1.0 + cluster.noise * ((draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64);
    let of_iteration = 1.0 / iterations as f64;
    let (mut slowest, mut own) = ([0.0; 2], vec![0.0; nodes]);
    for _ in 0..iterations {
        if stop() {
            return None;
        }
        let mut longest = [0.0_f64; 2];
        for (node, own) in own.iter_mut().enumerate() {
            let factor = factor();
            *own += factor * of_iteration;
            longest = [longest[0].max(even.value() * factor), longest[1].max(time_of(node) * factor)];
        }
        slowest = [slowest[0] + longest[0] * of_iteration, slowest[1] + longest[1] * of_iteration];
    }
    let makespans = match cluster.sync {
        Synchronisation::Barrier => slowest,
        Synchronisation::Loose => {
            let all = |time: &dyn Fn(usize) -> f64| {
                let speeds = own.iter().enumerate().map(|(node, own)| 1.0 / (time(node) * own));
                nodes as f64 / speeds.sum::<f64>()
            };
            [all(&|_| even.value()), all(&time_of)]
        }
    };
    Some(makespans.map(Seconds::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(of: &Cluster, policy_s: f64, iterations: u64) -> ClusterRun {
        let nodes = Makespans { even: Seconds::new(1.0), policy: Seconds::new(policy_s) };
        cluster(of, nodes, iterations, 1, &|| false).expect("not stopped")
    }

    fn speedup(policy_on: u64, sync: Synchronisation) -> f64 {
        // Iterations of 1 s, a local speedup of 1.25.
        run(&Cluster { nodes: 16, sync, policy_on, noise: 0.0 }, 0.8, 1).speedup
    }

    #[test]
    fn a_barrier_leaves_nothing_of_a_speedup_that_not_all_nodes_have() {
        assert_eq!(speedup(0, Synchronisation::Barrier), 1.0);
        assert_eq!(speedup(15, Synchronisation::Barrier), 1.0);
        assert_eq!(speedup(16, Synchronisation::Barrier), 1.25);
    }

    #[test]
    fn loose_nodes_share_the_gain() {
        // (8 + 8 x 1.25) / 16
        assert!((speedup(8, Synchronisation::Loose) - 1.125).abs() < 1e-12);
        assert_eq!(speedup(0, Synchronisation::Loose), 1.0);
        assert_eq!(speedup(16, Synchronisation::Loose), 1.25);
    }

    #[test]
    fn a_policy_that_slows_its_node_down_slows_all_down_at_a_barrier() {
        let of = Cluster { nodes: 4, sync: Synchronisation::Barrier, policy_on: 1, noise: 0.0 };
        let run = run(&of, 2.0, 1);
        assert_eq!((run.makespan, run.speedup), (Seconds::new(2.0), 0.5));
    }

    #[test]
    fn at_a_barrier_noise_costs_what_the_slowest_of_all_nodes_costs() {
        // The mean of the largest of N numbers that are uniform on [0, 1) is N / (N + 1): 1 + 0.2 x 1/2 and 1 + 0.2 x 16/17.
        for (nodes, expected) in [(1, 1.1), (16, 1.188_235)] {
            let of = Cluster { nodes, sync: Synchronisation::Barrier, policy_on: 0, noise: 0.2 };
            let makespan = run(&of, 1.0, 100_000).makespan.value();
            assert!((makespan / expected - 1.0).abs() < 1e-3, "{nodes} nodes: {makespan}");
        }
    }

    #[test]
    fn loose_nodes_pay_for_the_mean_of_noise_and_keep_more_of_a_gain() {
        let of = |sync, policy_on| Cluster { nodes: 16, sync, policy_on, noise: 0.2 };
        let loose = run(&of(Synchronisation::Loose, 0), 1.0, 100_000);
        assert!((loose.makespan.value() - 1.1).abs() < 1e-3, "{loose:?}");
        assert_eq!(loose.speedup, 1.0, "the even cluster has the same noise");
        // As without noise: all nodes lose the same.
        let half = run(&of(Synchronisation::Loose, 8), 0.8, 100_000);
        assert!((half.speedup - 1.125).abs() < 1e-3, "{half:?}");
        // At a barrier the 8 even nodes decide, and the largest of 8 draws is smaller than that of 16: 1 + 0.2 x 8/9 for 1 + 0.2 x 16/17.
        // A node under the policy takes at most 0.8 x 1.2 = 0.96.
        let barrier = run(&of(Synchronisation::Barrier, 8), 0.8, 100_000);
        assert!((barrier.speedup - 1.188_235 / 1.177_778).abs() < 1e-3, "{barrier:?}");
    }

    #[test]
    fn a_cluster_with_noise_stops_when_it_is_told() {
        let of = Cluster { nodes: 2, sync: Synchronisation::Barrier, policy_on: 1, noise: 0.2 };
        let nodes = Makespans { even: Seconds::new(1.0), policy: Seconds::new(1.0) };
        assert_eq!(cluster(&of, nodes, u64::MAX, 1, &|| true), None);
    }
}
