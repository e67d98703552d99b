//! What only the machine itself can tell: its NUMA nodes now, measured bandwidths and peaks later.
//!
//! The library that reads the host, hwloc, is optional (feature `hwloc`): everything that computes from files
//! builds and runs without it. Only `host` names it.

#[cfg(feature = "hwloc")]
mod host;
pub mod machine_file;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostNode {
    /// The operating system's number of the node (`numactl --membind`), which may leave gaps.
    pub os_index: usize,
    /// Physical cores that this process may use; 0 for a memory-only node.
    pub cores: u32,
    /// Memory of the node in bytes; `None` if the system does not tell.
    pub memory_bytes: Option<u64>,
}

/// Why the host cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectError {
    /// Built without hwloc.
    #[error(
        "detect needs hwloc: install libhwloc-dev libudev-dev pkg-config (Debian/Ubuntu), \
         then rebuild with: cargo build --release --features hwloc"
    )]
    NeedsHwloc,
    /// hwloc found nothing usable.
    #[error("hwloc cannot read this host: {0}")]
    Unreadable(String),
}

/// Reads the NUMA nodes and cores of the host.
///
/// # Errors
/// [`DetectError::NeedsHwloc`] without the feature `hwloc`; [`DetectError::Unreadable`] if hwloc fails.
pub fn host_topology() -> Result<HostTopology, DetectError> {
    #[cfg(feature = "hwloc")]
    return host::read();
    #[cfg(not(feature = "hwloc"))]
    Err(DetectError::NeedsHwloc)
}

#[cfg(all(test, not(feature = "hwloc")))]
mod tests {
    #[test]
    fn without_hwloc_one_line_says_how_to_get_it() {
        let told = super::host_topology().expect_err("built without hwloc").to_string();
        assert_eq!(told.lines().count(), 1);
        assert!(told.ends_with("cargo build --release --features hwloc"), "{told}");
    }
}
