//! Names of the texts beside a machine in XML of hwloc that numasim writes.

/// The name of the machine.
pub(crate) const NAME: &str = "numasimMachine";
/// Where its figures come from.
pub(crate) const SOURCE: &str = "numasimSource";
/// How its bandwidths are known: measured, theoretical, estimated or assumed.
pub(crate) const BANDWIDTH_KIND: &str = "numasimBandwidthKind";
/// Who measured or computed them.
pub(crate) const BANDWIDTH_SOURCE: &str = "numasimBandwidthSource";
/// Peak of a core in GFLOPS, node by node with spaces between them; 0 for a memory-only node.
pub(crate) const GFLOPS_PER_CORE: &str = "numasimGflopsPerCore";
