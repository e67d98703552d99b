//! The known facts about a host, as a plain value for warnings and provenance.

use std::collections::BTreeMap;

use numasim_model::cpus::{CpuList, ranges};
use serde::{Deserialize, Serialize};

use crate::system::System;

/// Facts that the system reports; the others are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Name of the host.
    pub host_name: Option<String>,
    /// Release of the kernel: `6.1.0-18-amd64`.
    pub kernel_release: Option<String>,
    /// Time and options of the kernel build: `#1 SMP PREEMPT_DYNAMIC`.
    pub kernel_version: Option<String>,
    /// Architecture this program was built for: `x86_64`.
    pub architecture: String,
    /// Model name of the first processor.
    pub cpu_model: Option<String>,
    /// Microcode of the first processor.
    pub microcode: Option<String>,
    /// Online logical CPUs, in the syntax of Linux: `0-3,8`.
    pub online_cpus: Option<String>,
    /// Offline logical CPUs; absent if none.
    pub offline_cpus: Option<String>,
    /// Several hardware threads of a core are online.
    pub smt_active: Option<bool>,
    /// For each used logical CPU that shares its core: the hardware threads of that core, including itself.
    pub siblings: BTreeMap<u32, Vec<u32>>,
    /// Frequency governor: the used logical CPUs that have it, in the syntax of Linux. Empty if the system does not report it.
    pub governors: BTreeMap<String, String>,
    /// The clock may rise above its nominal frequency.
    pub turbo: Option<bool>,
    /// The evidence that this is a virtual machine, in words; empty text: no evidence; absent: unknown.
    pub virtual_machine: Option<String>,
    /// The clock source of the kernel: `tsc`.
    pub clock_source: Option<String>,
    /// The available clock sources. A TSC found to be unstable is missing here.
    pub clock_sources: Vec<String>,
    /// The kernel moves pages and threads between nodes on its own. Absent: a kernel that cannot.
    pub numa_balancing: Option<bool>,
    /// Setting of transparent huge pages.
    pub huge_pages: Option<HugePages>,
    /// Memory of each NUMA node of the operating system.
    pub memory: Vec<NodeMemory>,
    /// The tightest limit that a control group (container, batch system) puts on CPU time.
    pub cpu_limit: Option<CpuLimit>,
    /// Mean number of runnable threads over the last minute.
    pub load_average: Option<f64>,
    /// Fraction of the sample in which each logical CPU of the host was busy, 0 to 1. Empty if not sampled.
    pub busy: BTreeMap<u32, f64>,
    /// The kernel's mitigations of processor vulnerabilities, by vulnerability.
    pub mitigations: BTreeMap<String, String>,
}

/// The memory that gets transparent huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HugePages {
    /// All memory.
    Always,
    /// Memory for which the program requests them; the benchmark does.
    Madvise,
    /// No memory.
    Never,
}

/// Memory of one NUMA node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeMemory {
    /// The operating system's number of the node.
    pub os_node: u32,
    /// Total, in bytes.
    pub total_bytes: u64,
    /// Free before the run, in bytes; memory that caches files is not counted.
    pub free_bytes: u64,
}

/// A limit on CPU time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuLimit {
    /// Number of logical CPUs that may be busy all the time: quota / period.
    pub cpus: f64,
    /// The file that sets it.
    pub file: String,
}

impl System {
    /// The chosen word is in brackets: `always [madvise] never`.
    pub(super) fn huge_pages(&self) -> Option<HugePages> {
        let words = self.words("sys/kernel/mm/transparent_hugepage/enabled");
        match words.iter().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))? {
            "always" => Some(HugePages::Always),
            "madvise" => Some(HugePages::Madvise),
            "never" => Some(HugePages::Never),
            _ => None,
        }
    }

    /// Total and free memory of each NUMA node now, ascending by number.
    pub fn node_memory(&self) -> Vec<NodeMemory> {
        const FOLDER: &str = "sys/devices/system/node";
        let number = |name: String| name.strip_prefix("node")?.parse::<u32>().ok();
        let read = |os_node: u32| {
            let text = self.text(&format!("{FOLDER}/node{os_node}/meminfo"))?;
            Some(NodeMemory {
                os_node,
                total_bytes: field(&text, "MemTotal:")?,
                free_bytes: field(&text, "MemFree:")?,
            })
        };
        let mut nodes: Vec<NodeMemory> =
            self.names(FOLDER).into_iter().filter_map(number).filter_map(read).collect();
        nodes.sort_by_key(|node| node.os_node);
        nodes
    }
}

/// The bytes after a key: `Node 0 MemTotal:       24684096 kB`, where kB are 1024 bytes.
fn field(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().any(|word| word == key))?;
    let number: u64 = line.split(key).nth(1)?.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// The facts in `/proc/cpuinfo` about its first logical CPU.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CpuInfo {
    pub(super) model: Option<String>,
    pub(super) microcode: Option<String>,
    /// Runs under a hypervisor; `None` on architectures without such a flag.
    pub(super) hypervisor: Option<bool>,
}

impl System {
    pub(super) fn cpu_info(&self) -> CpuInfo {
        let text = self.text("proc/cpuinfo").unwrap_or_default();
        let value = |key: &str| {
            text.lines()
                .filter_map(|line| line.split_once(':'))
                .find(|(name, _)| name.trim() == key)
                .map(|(_, value)| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        CpuInfo {
            // Power calls the model `cpu`; Arm has no name here, only numbers.
            model: value("model name").or_else(|| value("cpu")).or_else(|| {
                Some(format!("implementer {} part {}", value("CPU implementer")?, value("CPU part")?))
            }),
            microcode: value("microcode"),
            hypervisor: value("flags").map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")),
        }
    }

    /// Governor to the used logical CPUs that have it.
    pub(super) fn governors(&self, used: &CpuList) -> BTreeMap<String, String> {
        let mut found: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for &cpu in used.as_slice() {
            if let Some(governor) =
                self.line(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
            {
                found.entry(governor).or_default().push(cpu);
            }
        }
        found.into_iter().map(|(governor, cpus)| (governor, ranges(&cpus))).collect()
    }

    /// Whether the clock may rise above its nominal frequency. `no_turbo` wins: with `intel_pstate` in passive mode both files exist, and
    /// `boost` is the one that does not work.
    pub(super) fn turbo(&self) -> Option<bool> {
        self.flag("sys/devices/system/cpu/intel_pstate/no_turbo")
            .map(|off| !off)
            .or_else(|| self.flag("sys/devices/system/cpu/cpufreq/boost"))
    }

    /// The hardware threads of the core of each used logical CPU that shares its core.
    pub(super) fn siblings(&self, used: &CpuList) -> BTreeMap<u32, Vec<u32>> {
        let of = |cpu: u32| {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            let list = CpuList::parse(&self.line(&path)?).ok()?;
            (list.as_slice().len() > 1).then(|| (cpu, list.as_slice().to_vec()))
        };
        used.as_slice().iter().filter_map(|&cpu| of(cpu)).collect()
    }

    pub(super) fn mitigations(&self) -> BTreeMap<String, String> {
        const FOLDER: &str = "sys/devices/system/cpu/vulnerabilities";
        let described = |name: String| Some((name.clone(), self.line(&format!("{FOLDER}/{name}"))?));
        let all = self.names(FOLDER).into_iter().filter_map(described);
        all.filter(|(_, state)| state != "Not affected").collect()
    }
}

/// Ticks that each logical CPU has spent since the start of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes(BTreeMap<u32, Ticks>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ticks {
    idle: u64,
    stolen: u64,
    all: u64,
}

/// The activity of a logical CPU over a time, as fractions of it, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Busy, with any work.
    pub busy: f64,
    /// Runnable while the hypervisor ran other work (steal).
    pub stolen: f64,
}

impl CpuTimes {
    /// The fractions between an earlier reading and this one; logical CPUs without a tick in between are left out.
    pub fn since(&self, earlier: &Self) -> BTreeMap<u32, Share> {
        let share = |(cpu, now): (&u32, &Ticks)| {
            let then = earlier.0.get(cpu)?;
            let all = now.all.checked_sub(then.all).filter(|&ticks| ticks > 0)? as f64;
            let part = |now: u64, then: u64| (now.saturating_sub(then) as f64 / all).min(1.0);
            let stolen = part(now.stolen, then.stolen);
            Some((*cpu, Share { busy: (1.0 - part(now.idle, then.idle) - stolen).max(0.0), stolen }))
        };
        self.0.iter().filter_map(share).collect()
    }
}

impl System {
    /// The ticks of every logical CPU now; empty if the system does not report them.
    pub fn cpu_times(&self) -> CpuTimes {
        let text = self.text("proc/stat").unwrap_or_default();
        CpuTimes(text.lines().filter_map(ticks).collect())
    }

    pub(super) fn load_average(&self) -> Option<f64> {
        self.line("proc/loadavg")?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
            .filter(|load: &f64| load.is_finite())
    }
}

/// `cpu0 user nice system idle iowait irq softirq steal guest guest_nice` (proc(5)). Time of guests is already included in user.
fn ticks(line: &str) -> Option<(u32, Ticks)> {
    let mut words = line.split_whitespace();
    let cpu = words.next()?.strip_prefix("cpu")?.parse().ok()?;
    let values: Vec<u64> = words.take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
    let at = |place: usize| values.get(place).copied().unwrap_or_default();
    (values.len() >= 4).then(|| (cpu, Ticks { idle: at(3) + at(4), stolen: at(7), all: values.iter().sum() }))
}

/// Vendors and products of firmware that only virtual machines have. Amazon's metal machines have the vendor of its virtual ones, so the
/// name of the product decides.
const PRODUCTS: [&str; 9] = [
    "kvm",
    "qemu",
    "vmware",
    "virtualbox",
    "bochs",
    "xen",
    "parallels",
    "google compute engine",
    "virtual machine",
];

impl System {
    /// The evidence that this is a virtual machine; empty if there is none; `None` if unknown. `flag`: the processor reports a hypervisor;
    /// a dedicated host does not set it, so it decides.
    pub(super) fn virtual_machine(&self, flag: Option<bool>) -> Option<String> {
        let dmi = |name: &str| self.line(&format!("sys/class/dmi/id/{name}")).filter(|text| !text.is_empty());
        let product = dmi("product_name");
        if flag == Some(true) {
            let kind = self.line("sys/hypervisor/type").or_else(|| match (dmi("sys_vendor"), &product) {
                (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
                (vendor, product) => vendor.or_else(|| product.clone()),
            });
            let flag = "the processor has the flag hypervisor".to_owned();
            return Some(kind.map_or(flag.clone(), |kind| format!("{flag}, {kind}")));
        }
        if let Some(kind) = self.line("sys/hypervisor/type") {
            return Some(format!("hypervisor {kind}"));
        }
        if let Some(kind) = self.line("proc/device-tree/hypervisor/compatible") {
            return Some(format!("hypervisor {}", kind.trim_matches('\0')));
        }
        let vendor = dmi("sys_vendor");
        let names = [vendor.clone(), product.clone()].into_iter().flatten();
        let virtual_name = names.into_iter().find(|name| {
            let name = name.to_lowercase();
            PRODUCTS.iter().any(|product| name.contains(product))
        });
        match (virtual_name, flag, product) {
            (Some(name), _, _) => Some(name),
            (None, Some(false), _) | (None, None, Some(_)) => Some(String::new()),
            (None, _, None) | (None, Some(true), _) => None,
        }
    }
}
