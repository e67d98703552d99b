//! The work of a task at the time when it is taken: the source of every byte, and the resulting demand of one thread.

use numasim_graph::values::{Access, BlockHome, TaskGraph, TaskId};
use numasim_model::sharing::Network;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};

use crate::engine::caches::Shares;
use crate::result::Traffic;
use crate::sockets::{Homes, interleave};

const BYTES_PER_GB: f64 = 1e9;

/// The work, and its progress over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// This number of seconds, regardless of other tasks.
    Seconds(f64),
    /// `gb` GB, at the rate that the sharing model gives to a thread that demands `want_gbs` GB/s.
    Shared { gb: f64, want_gbs: f64 },
}

/// Determines the work of tasks; the fractions of the last one stay here.
#[derive(Clone, Debug)]
pub(super) struct Assay<'a> {
    graph: &'a TaskGraph,
    network: &'a Network,
    /// Per memory: bytes that come from it, then their fraction of all bytes.
    memories: Vec<f64>,
}

impl<'a> Assay<'a> {
    pub(super) fn new(graph: &'a TaskGraph, network: &'a Network) -> Self {
        Self { graph, network, memories: vec![0.0; network.machine().node_count()] }
    }

    /// Per memory: its fraction of the last task's reads from memories, in the order of the nodes.
    pub(super) fn fractions(&self) -> &Vec<f64> {
        &self.memories
    }

    /// A worker of `node` takes `task`, which has `factor` times its work: open blocks get their home, `touch`, and the source of every
    /// byte is decided. `shares`: the caches and memories that serve the bytes of an access, called once for each in order.
    pub(super) fn of(
        &mut self,
        task: TaskId,
        factor: f64,
        (node, touch): (NodeId, NodeId),
        homes: &mut Homes,
        shares: impl FnMut(&Access) -> Shares,
    ) -> (Traffic, Pace) {
        let traffic = self.source(task, (node, touch), homes, shares);
        let (network, gflop) = (self.network, self.graph.gflop(task));
        let bytes: f64 = self.memories.iter().sum();
        if bytes > 0.0 {
            self.memories.iter_mut().for_each(|part| *part /= bytes);
        }
        let gb = bytes / BYTES_PER_GB;
        let cached_gb = traffic.llc_local / BYTES_PER_GB;
        let flop_per_byte = gflop / gb;
        let by_cache = core_bandwidth(network.machine(), node).filter(|_| cached_gb > 0.0);
        // Bytes that are negligible compared with the work, so that no number distinguishes them from none, count as none.
        if gb > 0.0 && flop_per_byte.is_finite() {
            let fraction = |memory: NodeId| self.memories.get(memory.0).copied().unwrap_or(0.0);
            let by_cache = by_cache.map(|gbs| gbs * gb / cached_gb);
            let want = network.want_gbs(node, flop_per_byte, fraction).into_iter().chain(by_cache);
            let want = want.fold(f64::INFINITY, f64::min);
            let want_gbs = if want.is_finite() { want } else { network.alone_gbs(node, fraction) };
            // The factor changes neither fractions nor demand: equal tasks stay alike.
            return (traffic.times(factor), Pace::Shared { gb: gb * factor, want_gbs });
        }
        let peak = network.machine().node(node).gflops_per_core.value();
        let computing = if gflop > 0.0 { gflop / peak } else { 0.0 };
        let reading = by_cache.map_or(0.0, |gbs| cached_gb / gbs);
        (traffic.times(factor), Pace::Seconds(computing.max(reading) * factor))
    }

    /// Bytes by the cache or memory that serves them; leaves bytes by memory in `memories`.
    fn source(
        &mut self,
        task: TaskId,
        (node, touch): (NodeId, NodeId),
        homes: &mut Homes,
        mut shares: impl FnMut(&Access) -> Shares,
    ) -> Traffic {
        let (machine, memories) = (self.network.machine(), &mut self.memories);
        memories.fill(0.0);
        let mut traffic = Traffic::default();
        for access in self.graph.accesses(task) {
            let moved = access.moved_bytes;
            let home = homes.touch(access.block, touch);
            let Shares { own, memory, other, holder } = shares(&access);
            traffic.llc_local += moved * own;
            if other > 0.0 {
                traffic.llc_remote += moved * other;
                // The bytes of a cache without local memory come through the nearest memory.
                let holder = machine.local_memory(holder);
                memories.get_mut(holder.0).into_iter().for_each(|memory| *memory += moved * other);
            }
            let bytes = moved * memory;
            match home {
                BlockHome::Interleaved => {
                    let part = interleave(machine, bytes, memories);
                    let local = if machine.has_memory(node) { part } else { 0.0 };
                    traffic.dram_local += local;
                    traffic.dram_remote += bytes - local;
                }
                // A block that was touched is not open.
                BlockHome::Open => {}
                BlockHome::Node(home) => {
                    memories.get_mut(home.0).into_iter().for_each(|memory| *memory += bytes);
                    if home == node {
                        traffic.dram_local += bytes;
                    } else {
                        traffic.dram_remote += bytes;
                    }
                }
            }
        }
        traffic
    }
}

/// The most that a core of `node` can read from its last-level cache, if there is a limit.
fn core_bandwidth(machine: &Machine, node: NodeId) -> Option<f64> {
    machine.cache(node)?.core_bandwidth.map(GigabytesPerSecond::value)
}
