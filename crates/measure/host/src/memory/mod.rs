//! Memory of the benchmark's threads: how much, on which NUMA nodes, and where it really is.
//!
//! Nothing spills: pages are bound strictly (`MPOL_BIND`) before anything touches them, the free memory of every node
//! is looked at before, and afterwards each page is asked for its node.

#[cfg(target_os = "linux")]
mod buffer;
mod cache;
mod error;
#[cfg(target_os = "linux")]
mod free;
#[cfg(any(target_os = "linux", test))]
mod huge;
mod layout;
#[cfg(target_os = "linux")]
mod limit;
#[cfg(any(target_os = "linux", test))]
mod meminfo;
mod pages;
mod size;

#[cfg(target_os = "linux")]
pub use buffer::{Buffer, Placement, Stretch};
pub use cache::{SharedCache, bytes_per_thread, last_level_bytes, shared_last_level};
pub use error::MemoryError;
#[cfg(target_os = "linux")]
pub use free::refuse_if_short;
#[cfg(target_os = "linux")]
pub use huge::HugePages;
pub use layout::{Layout, Stripe};
pub use pages::Pages;
pub use size::size;
