//! Facts from the operating system about the host that change a measurement: frequency governor, turbo, other load, huge pages, limits of a
//! container, clock source.
//!
//! [`System`] reads a tree of files like that of Linux: `/proc`, `/sys` and `/etc` below a root. Tests provide their own tree. Nothing here
//! fails: facts that the system does not report are absent from [`Facts`], and `numasim-bench` (`doubt::before`) reports that if it
//! matters. Nothing here changes the host or needs root.

mod cgroup;
mod facts;
mod nodes;
mod process;
mod running;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, thread};

use numasim_model::cpus::CpuList;

pub use cgroup::Throttled;
pub use facts::{CpuLimit, CpuTimes, Facts, HugePages, NodeMemory, Share};
pub use nodes::NodeCores;
pub use process::{Allowed, Identity, Listed, Process, ProcessError, Thread, descendants};

/// Long enough to detect other load: the kernel counts in ticks of 10 ms, so one tick is 2 % of it.
pub const SAMPLE: Duration = Duration::from_millis(500);

/// The files with which a system describes itself.
#[derive(Clone, Debug)]
pub struct System {
    root: PathBuf,
    /// The root for files that are missing below `root`: an earlier recording of the same host.
    earlier: Option<PathBuf>,
}

impl System {
    /// The host this program runs on.
    pub fn host() -> Self {
        Self::at("/")
    }

    /// A tree with `proc`, `sys` and `etc` like those of a host.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), earlier: None }
    }

    /// A later recording of a host: missing files have not changed since the `earlier` one.
    pub fn after(root: impl Into<PathBuf>, earlier: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), earlier: Some(earlier.into()) }
    }

    /// All [`Facts`], with the load of the logical CPUs over `sample` (see [`SAMPLE`]; zero: not sampled). Call it before threads of the
    /// benchmark run: all load is then from other processes.
    ///
    /// `used` are the logical CPUs to be measured: governor, limits and siblings are read for them.
    pub fn facts(&self, used: &CpuList, sample: Duration) -> Facts {
        let busy = if sample.is_zero() {
            BTreeMap::new()
        } else {
            let before = self.cpu_times();
            thread::sleep(sample);
            self.cpu_times().since(&before).into_iter().map(|(cpu, share)| (cpu, share.busy)).collect()
        };
        let info = self.cpu_info();
        Facts {
            host_name: self.line("proc/sys/kernel/hostname"),
            kernel_release: self.line("proc/sys/kernel/osrelease"),
            kernel_version: self.line("proc/sys/kernel/version"),
            architecture: std::env::consts::ARCH.to_owned(),
            cpu_model: info.model,
            microcode: info.microcode,
            online_cpus: self.line("sys/devices/system/cpu/online").filter(|list| !list.is_empty()),
            offline_cpus: self.line("sys/devices/system/cpu/offline").filter(|list| !list.is_empty()),
            smt_active: self.flag("sys/devices/system/cpu/smt/active"),
            siblings: self.siblings(used),
            governors: self.governors(used),
            turbo: self.turbo(),
            virtual_machine: self.virtual_machine(info.hypervisor),
            clock_source: self.line(&clock("current")),
            clock_sources: self.words(&clock("available")),
            numa_balancing: self.number("proc/sys/kernel/numa_balancing").map(|mode| mode > 0),
            huge_pages: self.huge_pages(),
            memory: self.node_memory(),
            cpu_limit: self.cpu_limit(),
            load_average: self.load_average(),
            busy,
            mitigations: self.mitigations(),
        }
    }

    /// The text of a file of the tree; `None` if there is none or it may not be read.
    fn text(&self, path: &str) -> Option<String> {
        self.bytes(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
    }

    /// The bytes of a file of the tree.
    fn bytes(&self, path: &str) -> io::Result<Vec<u8>> {
        match (fs::read(self.path(path)), &self.earlier) {
            (Err(error), Some(earlier)) if error.kind() == io::ErrorKind::NotFound => {
                fs::read(below(earlier, path))
            }
            (read, _) => read,
        }
    }

    /// A file of one line, without its end.
    fn line(&self, path: &str) -> Option<String> {
        self.text(path).map(|text| text.trim().to_owned())
    }

    fn words(&self, path: &str) -> Vec<String> {
        self.text(path).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    }

    fn number(&self, path: &str) -> Option<u64> {
        self.line(path)?.parse().ok()
    }

    fn flag(&self, path: &str) -> Option<bool> {
        match self.line(path)?.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }

    /// The location of a path of the host below the root.
    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        below(&self.root, path)
    }

    /// The names in a folder, ascending; empty if it cannot be read.
    fn names(&self, folder: &str) -> Vec<String> {
        let roots = std::iter::once(&self.root).chain(&self.earlier);
        let entries =
            roots.flat_map(|root| fs::read_dir(below(root, folder)).into_iter().flatten().flatten());
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().to_str().map(str::to_owned)).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// A path of the host below a root.
fn below(root: &Path, path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn clock(which: &str) -> String {
    format!("sys/devices/system/clocksource/clocksource0/{which}_clocksource")
}
