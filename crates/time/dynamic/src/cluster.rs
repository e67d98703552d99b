//! One machine stands for one of several equal nodes of a cluster (paper 002, section V).
//!
//! E is the makespan of a node on which threads are dealt evenly (`static-even`), M of one on which the policy decides. Where every
//! iteration ends with a barrier, all wait for the slowest: one even node is enough for E to hold. Where nodes wait loosely,
//! the work is spread by speed: N - m nodes of speed 1 / E and m of speed 1 / M do together N pieces.

use numasim_course::{Cluster, Synchronisation};
use numasim_model::units::Seconds;

/// What becomes of all nodes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterRun {
    /// When all nodes are done.
    pub makespan: Seconds,
    /// Makespan with every node even / this makespan.
    pub speedup: f64,
}

/// The makespan of a cluster, from those of an `even` node and of one under the `policy`.
///
/// A policy on more nodes than there are is on all of them. Where nothing takes any time, the speedup is 1.
pub fn cluster(cluster: &Cluster, even: Seconds, policy: Seconds) -> ClusterRun {
    let (nodes, with_policy) = (cluster.nodes as f64, cluster.policy_on as f64);
    let makespan = if cluster.policy_on == 0 {
        even
    } else if cluster.policy_on >= cluster.nodes {
        policy
    } else {
        match cluster.sync {
            Synchronisation::Barrier if even > policy => even,
            Synchronisation::Barrier => policy,
            Synchronisation::Loose => {
                Seconds::new(nodes / ((nodes - with_policy) / even.value() + with_policy / policy.value()))
            }
        }
    };
    let speedup = if makespan.value() > 0.0 { even.value() / makespan.value() } else { 1.0 };
    ClusterRun { makespan, speedup }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speedup(policy_on: u64, sync: Synchronisation) -> f64 {
        // Iterations of 1 s, a local speedup of 1.25.
        let of = Cluster { nodes: 16, sync, policy_on };
        cluster(&of, Seconds::new(1.0), Seconds::new(0.8)).speedup
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
        let of = Cluster { nodes: 4, sync: Synchronisation::Barrier, policy_on: 1 };
        let run = cluster(&of, Seconds::new(1.0), Seconds::new(2.0));
        assert_eq!((run.makespan, run.speedup), (Seconds::new(2.0), 0.5));
    }
}
