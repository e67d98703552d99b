//! One NUMA node, and how many a machine may have.

use super::kernels::KernelBandwidths;
use crate::access::Access;
use crate::units::{FlopPerByte, Gflops, Gibibytes, GigabytesPerSecond};

/// Most NUMA nodes a machine may have.
pub const MAX_NODES: usize = 1024;
/// Most cores a NUMA node may have.
pub const MAX_CORES_PER_NODE: u32 = 65_536;

/// One NUMA node: its cores and its memory controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    /// Cores; 0 for a memory-only node (CXL, HBM in flat mode).
    pub cores: u32,
    /// Peak of one core. Meaningless, and 0, on a memory-only node.
    pub gflops_per_core: Gflops,
    /// What the memory controller delivers to all readers together, to kernels that only read; 0 on a node without memory.
    pub bandwidth: GigabytesPerSecond,
    /// The most one thread can draw from all memories together; `None` is no limit.
    pub core_bandwidth: Option<GigabytesPerSecond>,
    /// The most that all threads of the node can read together, from its own memory and over all links; `None` is no limit.
    pub read_bandwidth: Option<GigabytesPerSecond>,
    /// How much memory it has; `None` where nobody said, and 0 for a node that has cores only (Threadripper 2990WX).
    pub memory: Option<Gibibytes>,
    /// What the memory delivers to kernels that write.
    pub kernels: KernelBandwidths,
}

impl Node {
    /// Whether it has memory, and with it a controller.
    pub fn has_memory(&self) -> bool {
        self.memory.is_none_or(|memory| memory.value() != 0.0)
    }

    /// What one thread of this intensity draws with the machine to itself: what its core can digest, at most what it can draw.
    pub fn demand_of_thread(&self, intensity: FlopPerByte) -> GigabytesPerSecond {
        let digestible = self.gflops_per_core / intensity;
        self.core_bandwidth.map_or(digestible, |ceiling| digestible.min(ceiling))
    }

    /// GB/s of reads that one GB/s of `kernel` on this memory stands for: [`Node::bandwidth`] / what it delivers to the kernel; 1
    /// for reads, and where nobody measured the kernel.
    pub fn occupied_by(&self, kernel: Access) -> f64 {
        self.kernels.get(kernel).map_or(1.0, |measured| self.bandwidth.value() / measured.value())
    }
}
