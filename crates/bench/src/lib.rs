//! What only the machine itself can tell: its NUMA nodes now, measured bandwidths and peaks later.
//!
//! The library that reads the host, hwloc, is optional (feature `hwloc`): everything that computes from files
//! builds and runs without it. Only `host` names it.

pub mod calibrate;
pub mod doubt;
#[cfg(feature = "hwloc")]
mod host;
pub mod kernel;
pub mod machine_file;
pub mod measured;
pub mod plan;
pub mod runner;

use numasim_model::cpus::{CpuList, OsNode};

/// The NUMA nodes of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTopology {
    /// Name of the host.
    pub name: String,
    /// What read it.
    pub source: String,
    /// Its NUMA nodes; the entry's place is the number of the node in a machine file.
    pub nodes: Vec<HostNode>,
}

/// One NUMA node of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostNode {
    /// The operating system's number of the node (`numactl --membind`), which may leave gaps.
    pub os_index: u32,
    /// Physical cores that this process may use; 0 for a memory-only node.
    pub cores: u32,
    /// One processor of each core: the first hardware thread. `None` without cores.
    pub cpus: Option<CpuList>,
    /// Memory of the node in bytes; `None` if the system does not tell.
    pub memory_bytes: Option<u64>,
}

/// Why the host cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectError {
    /// Built without hwloc.
    #[error(
        "{0} needs hwloc: install libhwloc-dev libudev-dev pkg-config (Debian/Ubuntu), \
         then rebuild with: cargo build --release --features hwloc"
    )]
    NeedsHwloc(&'static str),
    /// hwloc found nothing usable.
    #[error("hwloc cannot read {0}: {1}")]
    Unreadable(&'static str, String),
}

impl HostTopology {
    /// Numbers of nodes and processors, as a machine takes them.
    pub fn os_nodes(&self) -> Vec<OsNode> {
        let node = |node: &HostNode| OsNode { number: node.os_index, cpus: node.cpus.clone() };
        self.nodes.iter().map(node).collect()
    }
}

/// Reads the NUMA nodes and cores of the host. `purpose` is what needs them, for the message.
///
/// # Errors
/// [`DetectError::NeedsHwloc`] without the feature `hwloc`; [`DetectError::Unreadable`] if hwloc fails.
pub fn host_topology(purpose: &'static str) -> Result<HostTopology, DetectError> {
    #[cfg(feature = "hwloc")]
    {
        let _ = purpose;
        host::read().map_err(|why| DetectError::Unreadable("this host", why))
    }
    #[cfg(not(feature = "hwloc"))]
    Err(DetectError::NeedsHwloc(purpose))
}

/// Reads the NUMA nodes and cores of another machine from the XML that `lstopo --of xml` writes there.
///
/// # Errors
/// As [`host_topology`].
pub fn topology_of_xml(xml: &str, purpose: &'static str) -> Result<HostTopology, DetectError> {
    #[cfg(feature = "hwloc")]
    {
        let _ = purpose;
        host::read_xml(xml).map_err(|why| DetectError::Unreadable("this XML", why))
    }
    #[cfg(not(feature = "hwloc"))]
    {
        let _ = xml;
        Err(DetectError::NeedsHwloc(purpose))
    }
}

#[cfg(all(test, not(feature = "hwloc")))]
mod tests {
    #[test]
    fn without_hwloc_one_line_says_how_to_get_it() {
        let told = super::host_topology("detect").expect_err("built without hwloc").to_string();
        assert_eq!(told.lines().count(), 1);
        assert!(told.ends_with("cargo build --release --features hwloc"), "{told}");
    }
}
