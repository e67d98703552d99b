//! Who gets what in one evaluation: what every model fills in.

use super::compiled::Compiled;
use crate::table::Table;

/// The result of one evaluation, in GB/s.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// Of one thread of each application on each node. Meaningless where there are no threads.
    pub(super) bandwidth: Table<f64>,
    /// Per flow: granted to one thread.
    pub(super) granted: Vec<f64>,
    /// Per pool: what its threads want together.
    pub(super) wanted: Vec<f64>,
    /// Per pool: what reaches the controller of what is wanted. A link lets through so much; a node's own threads ask for
    /// all they want.
    pub(super) offered: Vec<f64>,
    /// Per pool: what its threads have together, after link and controller. Where a model shares out pools, that is shared
    /// out; where it sets the rate of each thread, it is the sum.
    pub(super) available: Vec<f64>,
    /// Per memory: the factor that fits all links into the controller, 1 where they fit.
    pub(super) scale: Vec<f64>,
    /// Per memory: what the controller has for what is asked of it; empty where that is always its bandwidth.
    pub(super) controllers: Vec<f64>,
}

impl Shares {
    /// Room for the shares of `compiled`.
    pub(super) fn new(compiled: &Compiled) -> Self {
        let (pools, memories) = (compiled.pools.len(), compiled.memories.len());
        Self {
            bandwidth: Table::filled(compiled.demand_gbs.rows(), compiled.demand_gbs.nodes(), 0.0),
            granted: vec![0.0; compiled.flows.len()],
            wanted: vec![0.0; pools],
            offered: vec![0.0; pools],
            available: vec![0.0; pools],
            scale: vec![1.0; memories],
            controllers: if compiled.model.is_plain_default() { Vec::new() } else { vec![0.0; memories] },
        }
    }

    /// Grants one thread of a flow so much; step 5: each group keeps its scarcest memory.
    #[inline]
    pub(super) fn grant(&mut self, compiled: &Compiled, flow: usize, granted: f64) {
        let flows = &compiled.flows[flow];
        self.granted[flow] = granted;
        if granted < flows.demand_gbs {
            let bandwidth = &mut self.bandwidth[flows.group as usize];
            *bandwidth = bandwidth.min(granted * flows.inverse_cost);
        }
    }

    /// Grants every thread of a pool this part of what it wants.
    #[inline]
    pub(super) fn grant_part(&mut self, compiled: &Compiled, pool: usize, part: f64) {
        for f in compiled.pools[pool].flows.clone() {
            self.grant(compiled, f, compiled.flows[f].demand_gbs * part);
        }
    }
}
