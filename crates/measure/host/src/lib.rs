//! Describes this host: its NUMA nodes, cores and caches, the facts that change a measurement, threads on logical CPUs and memory on nodes.
//!
//! hwloc, which reads the topology of this host, is optional (feature `hwloc`), and only the folder `hwloc` uses it. `os` contains the
//! system calls. Everything except topologies is for Linux. This crate does not measure, print or choose anything.

pub mod affinity;
pub mod agent_path;
pub mod controllers;
#[cfg(feature = "hwloc")]
mod hwloc;
pub mod looking;
pub mod memory;
#[cfg(target_os = "linux")]
pub mod os;
pub mod system;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use affinity::Misplaced;
use numasim_study::topology::{Counting, HostTopology};

/// The source of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// The machine on which this program runs.
    ThisHost,
    /// A description such as `node:4 core:20 pu:1`, in hwloc's language.
    Synthetic(&'a str),
}

/// The reason why a topology cannot be read.
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
    /// hwloc writes, or its environment variables name, XML that is not a topology.
    #[cfg(feature = "hwloc")]
    #[error(transparent)]
    Xml(#[from] numasim_evidence::formats::hwloc::XmlError),
    /// A host with cores on a node without memory, which cannot be measured.
    #[error(
        "NUMA node {0} of this host has cores and no memory, which cannot be measured: leave its cores out \
         (numactl --cpunodebind=NODES numasim ..., with the nodes that have memory); numasim detect writes all nodes"
    )]
    WithoutMemory(u32),
    /// A synthetic description with a mistake.
    #[error("the synthetic topology \"{text}\" is wrong: {why}")]
    Synthetic {
        /// The description.
        text: String,
        /// The mistake.
        why: String,
    },
}

impl DetectError {
    /// The alternative, with an example.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "hwloc")]
            Self::Xml(error) => Some(error.hint()),
            Self::Synthetic { .. } => Some(
                "write TYPE:NUMBER from the outside to the inside, the hardware threads (pu) last: \"node:4 core:20 pu:1\", \
                 or with packages \"pack:2 [numa] core:16 pu:2\"",
            ),
            Self::NeedsHwloc(_) | Self::Unreadable(..) | Self::WithoutMemory(_) => None,
        }
    }
}

/// Reads a topology. `purpose` is the caller's purpose, for the message.
///
/// For this host, only resources that this process may use are counted: cgroups, the CPU mask and offline logical CPUs are respected and
/// listed in [`HostTopology::unusable`].
///
/// # Errors
/// [`DetectError::NeedsHwloc`] without the feature `hwloc`; the others if the source cannot be read.
pub fn detect(
    source: Source<'_>,
    counting: Counting,
    purpose: &'static str,
) -> Result<HostTopology, DetectError> {
    #[cfg(feature = "hwloc")]
    {
        let _ = purpose;
        hwloc::read(source, counting)
    }
    #[cfg(not(feature = "hwloc"))]
    {
        let _ = (source, counting);
        Err(DetectError::NeedsHwloc(purpose))
    }
}

/// [`detect`] for this host, with physical cores.
///
/// # Errors
/// As [`detect`].
pub fn host_topology(purpose: &'static str) -> Result<HostTopology, DetectError> {
    detect(Source::ThisHost, Counting::Cores, purpose)
}

/// [`host_topology`] for commands that measure: every node with cores has memory.
///
/// # Errors
/// As [`detect`], and [`DetectError::WithoutMemory`].
pub fn host_to_measure(purpose: &'static str) -> Result<HostTopology, DetectError> {
    all_with_memory(host_topology(purpose)?)
}

fn all_with_memory(host: HostTopology) -> Result<HostTopology, DetectError> {
    match host.nodes.iter().find(|node| node.without_memory()) {
        Some(node) => Err(DetectError::WithoutMemory(node.os_index)),
        None => Ok(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(feature = "hwloc"))]
    #[test]
    fn without_hwloc_one_line_explains_how_to_get_it() {
        let message = host_topology("detect").expect_err("built without hwloc").to_string();
        assert_eq!(message.lines().count(), 1);
        assert!(message.ends_with("cargo build --release --features hwloc"), "{message}");
    }

    #[test]
    fn cores_without_memory_cannot_be_measured() {
        let mut host = HostTopology::from_cores("box", &[2, 2]);
        assert_eq!(all_with_memory(host.clone()), Ok(host.clone()));
        host.nodes[1].memory_bytes = Some(0);
        assert_eq!(all_with_memory(host), Err(DetectError::WithoutMemory(1)));
    }
}
