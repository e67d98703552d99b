//! Processors: model, governor, turbo, siblings, mitigations.

use std::collections::BTreeMap;

use numasim_model::cpus::{CpuList, ranges};

use super::System;

/// What `/proc/cpuinfo` says about its first processor.
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

    /// Governor to the used processors that have it.
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

    /// Whether the clock may rise above its nominal frequency. `no_turbo` wins: with `intel_pstate` in passive mode
    /// both files are there, and `boost` is the one that does not work.
    pub(super) fn turbo(&self) -> Option<bool> {
        self.flag("sys/devices/system/cpu/intel_pstate/no_turbo")
            .map(|off| !off)
            .or_else(|| self.flag("sys/devices/system/cpu/cpufreq/boost"))
    }

    /// The hardware threads of the core of each used processor that shares its core.
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
