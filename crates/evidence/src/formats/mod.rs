//! Reads the output of other tools: matrices of Intel MLC, runs of likwid-bench, STREAM and BabelStream,
//! topologies of hwloc, numactl, lscpu and likwid-topology, counters of perf and likwid-perfctr,
//! `/proc/PID/numa_maps`, the files of control groups and resctrl, and the placements of libvirt, Docker,
//! Kubernetes and Open MPI.
//!
//! The input is text; the output is values, or problems with their places. Text that is not output of the
//! tool is rejected with the line of the error. Each reader also accepts the CSV tables in which such values
//! are published: comment lines, then a header.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

pub mod cgroup;
pub mod counted;
pub mod hwloc;
pub mod likwid_perfctr;
pub(crate) mod lines;
pub mod matrix;
pub mod numa_maps;
pub mod perf;
pub mod placed;
pub mod resctrl;
pub mod runs;
pub mod stream;
#[cfg(test)]
mod tests;
pub mod topology;
