//! What is known about a host, as a plain value for doubts and provenance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What the system tells; absent is what it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Name of the host.
    pub host_name: Option<String>,
    /// Release of the kernel: `6.1.0-18-amd64`.
    pub kernel_release: Option<String>,
    /// When and how the kernel was built: `#1 SMP PREEMPT_DYNAMIC`.
    pub kernel_version: Option<String>,
    /// Architecture this program was built for: `x86_64`.
    pub architecture: String,
    /// Model name of the first processor.
    pub cpu_model: Option<String>,
    /// Microcode of the first processor.
    pub microcode: Option<String>,
    /// Processors in use by the kernel, in the syntax of Linux: `0-3,8`.
    pub online_cpus: Option<String>,
    /// Processors that are there and switched off; absent if none.
    pub offline_cpus: Option<String>,
    /// Several hardware threads of a core are in use by the kernel.
    pub smt_active: Option<bool>,
    /// For each used processor that shares its core: the hardware threads of that core, itself among them.
    pub siblings: BTreeMap<u32, Vec<u32>>,
    /// Frequency governor: the used processors that have it, in the syntax of Linux. Empty if the system does not tell.
    pub governors: BTreeMap<String, String>,
    /// The clock may rise above its nominal frequency.
    pub turbo: Option<bool>,
    /// What shows that this is a virtual machine, in words; empty text: nothing shows it; absent: not to be told.
    pub virtual_machine: Option<String>,
    /// What the kernel takes the time from: `tsc`.
    pub clock_source: Option<String>,
    /// What it could take the time from. A TSC found to be unstable is missing here.
    pub clock_sources: Vec<String>,
    /// The kernel moves pages and threads between nodes on its own. Absent: a kernel that cannot.
    pub numa_balancing: Option<bool>,
    /// Setting of transparent huge pages.
    pub huge_pages: Option<HugePages>,
    /// Memory of each NUMA node of the operating system.
    pub memory: Vec<NodeMemory>,
    /// The tightest limit that a control group (container, batch system) puts on processor time.
    pub cpu_limit: Option<CpuLimit>,
    /// Mean number of runnable threads over the last minute.
    pub load_average: Option<f64>,
    /// Share of the sample in which each processor of the host worked, 0 to 1. Empty if not sampled.
    pub busy: BTreeMap<u32, f64>,
    /// What the kernel does about weaknesses of the processor, by weakness.
    pub mitigations: BTreeMap<String, String>,
}

/// Who gets transparent huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HugePages {
    /// All memory.
    Always,
    /// Memory for which the program asks; the benchmark asks.
    Madvise,
    /// Nobody.
    Never,
}

/// Memory of one NUMA node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeMemory {
    /// The operating system's number of the node.
    pub os_node: u32,
    /// All of it, in bytes.
    pub total_bytes: u64,
    /// Free before the run, in bytes; memory that caches files is not counted.
    pub free_bytes: u64,
}

/// A limit on processor time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuLimit {
    /// How many processors may work all the time: quota / period.
    pub cpus: f64,
    /// The file that sets it.
    pub file: String,
}
