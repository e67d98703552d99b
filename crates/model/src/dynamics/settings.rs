//! What surrounds the applications: the policy that gives commands, the operating system, the cluster.

use crate::units::Seconds;

/// `[policy]`: who decides, how often, and how long a decision takes to arrive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyChoice {
    /// As in a file: `lead:2`; `None` where no file says it.
    pub name: Option<String>,
    /// Time between two decisions; 0 is whenever something happens.
    pub period: Seconds,
    /// From a decision to the threads that see it.
    pub command_delay: Seconds,
}

/// `[os]`: what it costs that more threads run than there are cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Os {
    /// How long a thread keeps its core.
    pub slice: Seconds,
    /// The change to another thread.
    pub switch: Seconds,
    /// Filling the private caches again.
    pub refill: Seconds,
}

impl Os {
    /// The part of its speed that is left to a thread that shares its core: slice / (slice + switch + refill).
    pub fn efficiency(&self) -> f64 {
        let slice = self.slice.value();
        let all = slice + self.switch.value() + self.refill.value();
        if all > 0.0 { slice / all } else { 1.0 }
    }
}

impl Default for Os {
    /// Assumed, as the order of magnitude of Linux: slices of 3 ms (EEVDF, CFS), 5 us for a switch, and 0.1 ms to fill a
    /// private cache of 1 MB at 10 GB/s.
    fn default() -> Self {
        Self { slice: Seconds::new(3e-3), switch: Seconds::new(5e-6), refill: Seconds::new(1e-4) }
    }
}

/// `[cluster]`: the machine stands for one of several equal nodes of a cluster (paper 002, section V).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// How many nodes of the cluster; at least 1.
    pub nodes: u64,
    /// How they wait for each other.
    pub sync: Synchronisation,
    /// On how many of them the policy decides; on the others it is `static-even`.
    pub policy_on: u64,
}

crate::words! {
    /// How the nodes of a cluster wait for each other.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Synchronisation {
        /// After every iteration, for the slowest.
        #[default]
        Barrier = "barrier",
        /// Work is spread by speed.
        Loose = "loose",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assumed_price_of_sharing_a_core() {
        // 3 / (3 + 0.005 + 0.1) = 0.966184
        assert!((Os::default().efficiency() - 0.966_184).abs() < 1e-6);
    }
}
