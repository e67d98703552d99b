//! Doubts that the facts of a host raise before anything is measured.

use std::collections::BTreeSet;

use numasim_host::system::{Facts, HugePages};
use numasim_model::cpus::{CpuList, ranges};

use super::Doubt;

/// A processor that worked a larger share of the sample has others on it: more than two ticks of 10 ms in
/// [`numasim_host::system::SAMPLE`], which the timer of the kernel and this program alone do not make.
const BUSY: f64 = 0.05;

/// Where the processors cannot be seen one by one, this mean number of runnable threads is a stranger at work. Half a
/// thread: a person's shell and what ended most of a minute ago stay below.
const LOAD: f64 = 0.5;

/// Clock sources that are read without a system call and do not drift, by architecture.
const STEADY_CLOCKS: [&str; 5] = ["tsc", "arch_sys_counter", "timebase", "tod", "riscv_clocksource"];

/// What is doubtful about measuring on the `used` processors of a host, in a fixed order, nothing twice.
pub fn before(facts: &Facts, used: &CpuList) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if facts.numa_balancing == Some(true) {
        doubts.push(Doubt::NumaBalancing);
    }
    let other = facts.governors.iter().filter(|(governor, _)| *governor != "performance");
    doubts.extend(
        other.map(|(governor, cpus)| Doubt::Governor { governor: governor.clone(), cpus: cpus.clone() }),
    );
    if facts.turbo == Some(true) {
        doubts.push(Doubt::Turbo);
    }
    doubts.extend(load(facts, used));
    doubts.extend(cores(facts, used));
    if let Some(evidence) = facts.virtual_machine.clone().filter(|evidence| !evidence.is_empty()) {
        doubts.push(Doubt::VirtualMachine { evidence });
    }
    if facts.huge_pages == Some(HugePages::Never) {
        doubts.push(Doubt::HugePagesOff);
    }
    let used_cpus = used.as_slice().len();
    // A limit of exactly the used processors is too low, too: what else the program does comes on top.
    if let Some(limit) = facts.cpu_limit.as_ref().filter(|limit| limit.cpus <= used_cpus as f64) {
        doubts.push(Doubt::CpuLimit { cpus: limit.cpus, used: used_cpus, file: limit.file.clone() });
    }
    if let Some(source) = facts.clock_source.as_ref().filter(|name| !STEADY_CLOCKS.contains(&name.as_str())) {
        let offered = facts.clock_sources.iter().any(|name| name == "tsc");
        doubts.push(Doubt::ClockSource { source: source.clone(), unstable_tsc: !offered });
    }
    let what = unknown(facts, used);
    if !what.is_empty() {
        doubts.push(Doubt::UnknownHardware { what });
    }
    doubts
}

/// Others on the used processors.
fn load(facts: &Facts, used: &CpuList) -> Option<Doubt> {
    if facts.busy.is_empty() {
        return facts.load_average.filter(|&load| load >= LOAD).map(|load| Doubt::LoadAverage { load });
    }
    let mut cpus = used.as_slice().to_vec();
    cpus.sort_unstable();
    let busy: Vec<(u32, f64)> = cpus
        .into_iter()
        .filter_map(|cpu| Some((cpu, *facts.busy.get(&cpu)?)))
        .filter(|&(_, share)| share > BUSY)
        .collect();
    (!busy.is_empty()).then_some(Doubt::OtherLoad { busy })
}

/// Cores of which more than one hardware thread works: by this run, or by others.
fn cores(facts: &Facts, used: &CpuList) -> Vec<Doubt> {
    let used: BTreeSet<u32> = used.as_slice().iter().copied().collect();
    let mut shared = BTreeSet::new();
    let mut busy = Vec::new();
    for (&cpu, siblings) in facts.siblings.iter().filter(|(cpu, _)| used.contains(cpu)) {
        let ours: Vec<u32> = siblings.iter().copied().filter(|sibling| used.contains(sibling)).collect();
        if ours.len() > 1 {
            shared.insert(ours);
        }
        for &sibling in siblings.iter().filter(|sibling| !used.contains(sibling)) {
            if let Some(&share) = facts.busy.get(&sibling).filter(|&&share| share > BUSY) {
                // With four hardware threads two used ones may share a core: once is enough.
                if !busy.iter().any(|&(known, _, _)| known == sibling) {
                    busy.push((sibling, cpu, share));
                }
            }
        }
    }
    let mut doubts: Vec<Doubt> =
        shared.into_iter().map(|cpus| Doubt::SharedCore { cpus: ranges(&cpus) }).collect();
    if !busy.is_empty() {
        doubts.push(Doubt::BusySibling { busy });
    }
    doubts
}

/// What changes results and is not told.
fn unknown(facts: &Facts, used: &CpuList) -> Vec<&'static str> {
    let mut what = Vec::new();
    let mut note = |missing: bool, name| {
        if missing {
            what.push(name);
        }
    };
    note(facts.governors.is_empty(), "frequency governor");
    note(facts.turbo.is_none(), "turbo");
    note(facts.clock_source.is_none(), "clock source");
    note(facts.huge_pages.is_none(), "transparent huge pages");
    note(facts.virtual_machine.is_none(), "whether this is a virtual machine");
    let sampled = used.as_slice().iter().all(|cpu| facts.busy.contains_key(cpu));
    note(!sampled && facts.load_average.is_none(), "load by others");
    what
}

#[cfg(test)]
mod tests;
