//! What one thread wants of which nothing but its data is known: tasks, whose data lie differently each time.

use super::Network;
use crate::ids::NodeId;
use crate::units::FlopPerByte;

impl Network {
    /// GB/s that one thread on `node` wants that reads and computes `flop_per_byte` with `fraction` of its data on each memory: what its
    /// core can digest, under every ceiling on one thread, the machine's (`core_bandwidth_gbs`) and the model's
    /// (`outstanding_lines`, ...). `None` where there is nothing of these: it computes nothing.
    pub fn want_gbs(
        &self,
        node: NodeId,
        flop_per_byte: f64,
        fraction: impl Fn(NodeId) -> f64,
    ) -> Option<f64> {
        let cores = self.machine.nodes().get(node.0)?;
        let drawn = cores.demand_of_thread(FlopPerByte::new(flop_per_byte)).value();
        let parameters = &self.compiled.model.parameters;
        let ceiling = parameters.reader_ceiling(&self.machine, node, fraction);
        Some(ceiling.map_or(drawn, |ceiling| drawn.min(ceiling))).filter(|want| want.is_finite())
    }

    /// GB/s that one thread on `node` with `fraction` of its data on each memory has with the machine to itself if nothing in its core
    /// holds it back: the least of what a memory and the link to it have / the fraction there.
    pub fn alone_gbs(&self, node: NodeId, fraction: impl Fn(NodeId) -> f64) -> f64 {
        let of = |m: NodeId| {
            let memory = self.compiled.memories[m.0].bandwidth;
            let link = self.pools[(node, m)].filter(|_| m != node);
            link.map_or(memory, |pool| self.compiled.pools[pool as usize].capacity.min(memory)) / fraction(m)
        };
        let memories = self.machine.node_ids().filter(|&m| fraction(m) > 0.0);
        memories.map(of).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{KernelBandwidths, Machine, Node};
    use crate::sharing_model::{Model, Parameters};
    use crate::units::{Gflops, GigabytesPerSecond};

    /// Two nodes of 20 GB/s, 10 GFLOPS per core, a link of 5 GB/s, 100 and 200 ns.
    fn machine(core_gbs: Option<f64>, outstanding_lines: Option<f64>) -> Machine {
        let node = Node {
            cores: 2,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(20.0),
            core_bandwidth: core_gbs.map(GigabytesPerSecond::new),
            read_bandwidth: None,
            memory: None,
            kernels: KernelBandwidths::NONE,
        };
        let parameters = Parameters { outstanding_lines, ..Parameters::default() };
        Machine::uniform("two", 2, node, GigabytesPerSecond::new(5.0))
            .and_then(|machine| machine.with_latencies_ns(vec![100.0, 200.0, 200.0, 100.0]))
            .expect("a machine")
            .with_sharing(Model { parameters, ..Model::default() })
    }

    fn half(_: NodeId) -> f64 {
        0.5
    }

    #[test]
    fn a_reader_wants_the_least_that_its_core_and_its_lines_allow() {
        let want =
            |machine: &Machine, flop_per_byte| Network::new(machine).want_gbs(NodeId(0), flop_per_byte, half);
        // 10 GFLOPS at 4 FLOP per byte: 2.5. At 0.5 it is 20, the core draws 8. 6 lines of 64 B in the mean of 100 and 200 ns: 2.56.
        assert_eq!(want(&machine(None, None), 4.0), Some(2.5));
        assert_eq!(want(&machine(Some(8.0), None), 0.5), Some(8.0));
        assert_eq!(want(&machine(Some(8.0), Some(6.0)), 0.5), Some(2.56));
        assert_eq!(want(&machine(None, None), 0.0), None);
    }

    #[test]
    fn alone_it_has_the_least_of_memories_and_links() {
        // Half over the link of 5: 10 in all. All of the own memory: 20.
        let machine = machine(None, None);
        let network = Network::new(&machine);
        assert_eq!(network.alone_gbs(NodeId(0), half), 10.0);
        assert_eq!(network.alone_gbs(NodeId(0), |memory| if memory == NodeId(0) { 1.0 } else { 0.0 }), 20.0);
    }
}
