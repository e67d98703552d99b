//! Warnings from the facts of a host before any measurement.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use numasim_host::system::{Facts, HugePages};
use numasim_model::cpus::{CpuList, ranges};

use crate::doubt::Doubt;
use crate::plan::Plan;

/// A logical CPU that was busy for a larger fraction of the sample runs other processes: more than two ticks of 10 ms in
/// [`numasim_host::system::SAMPLE`]. The timer of the kernel and this program alone do not cause that.
const BUSY: f64 = 0.05;

/// If individual logical CPUs are not visible, this mean number of runnable threads indicates other processes. Half a thread: a person's
/// shell and processes that ended most of a minute ago stay below.
const LOAD: f64 = 0.5;

/// Clock sources that are read without a system call and do not drift, by architecture.
const STEADY_CLOCKS: [&str; 5] = ["tsc", "arch_sys_counter", "timebase", "tod", "riscv_clocksource"];

/// Warnings about measuring on the `used` logical CPUs of a host, in a fixed order, without duplicates.
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
    // A limit equal to the number of used logical CPUs is also too low: the program needs some time in addition.
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

/// Other processes on the used logical CPUs.
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

/// Cores with more than one active hardware thread: used by this run, or busy with other processes.
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
                // With four hardware threads, two used ones may share a core: report it once.
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

/// Missing facts that change results.
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

/// Warnings about a plan with this data size for each thread of a synthetic kernel, in the order of its scenarios. `cache_bytes` returns
/// the combined size of the last-level caches of some threads; `processor` is the model of this host's processor, if known.
pub fn planned(
    plan: &Plan,
    bytes_per_thread: u64,
    processor: Option<&str>,
    cache_bytes: impl Fn(&[&CpuList]) -> Option<u64>,
) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let all = plan.scenarios.iter().flat_map(|scenario| &scenario.apps).flat_map(|app| &app.threads);
    if let Some(cpus) = all.map(|thread| thread.cpus.as_slice().len()).max().filter(|&cpus| cpus > 1) {
        doubts.push(Doubt::NotPinned { cpus });
    }
    if !plan.unavailable.is_empty() {
        doubts.push(Doubt::TunedElsewhere { kernels: plan.unavailable.clone() });
    }
    if let Some((processor, here)) =
        plan.tried_on.as_deref().zip(processor).filter(|(tried, here)| tried != here)
    {
        doubts.push(Doubt::TriedElsewhere { processor: processor.to_owned(), here: here.to_owned() });
    }
    for scenario in &plan.scenarios {
        for app in &scenario.apps {
            let threads: Vec<&CpuList> = app.threads.iter().map(|thread| &thread.cpus).collect();
            let both = app.data_bytes(bytes_per_thread).zip(cache_bytes(&threads));
            if let Some((bytes, cache_bytes)) = both.filter(|(bytes, cache)| bytes <= cache) {
                let (scenario, app) = (scenario.name.clone(), app.name.clone());
                doubts.push(Doubt::FitsCache { scenario, app, bytes, cache_bytes });
            }
        }
    }
    doubts
}

#[cfg(test)]
mod planned_tests {
    use numasim_model::{Access, Scenario};

    use super::*;
    use crate::plan::tests::{PAPER, host, study};
    use crate::plan::{self, Unavailable};
    use numasim_kernels::loops::Isa;

    #[test]
    fn variants_for_another_processor_raise_a_warning() {
        let study =
            study(&format!("{PAPER}[[scenario]]\nname = \"lone\"\nthreads = {{ \"mem-1\" = [1,0,0,0] }}\n"));
        let scenarios: Vec<&Scenario> = study.scenarios.iter().filter(|s| s.name == "lone").collect();
        let options = plan::Options::default();
        let mut plan = plan::make(&study, &scenarios, &host(&[4]), &options).expect("a plan");
        let tuned = |doubts: Vec<Doubt>| doubts.into_iter().find(|doubt| doubt.code() == "tuned-elsewhere");
        assert_eq!(tuned(planned(&plan, 1 << 30, Some("here"), |_| None)), None);
        let lacking = |access| Unavailable { access, isa: Isa::Avx512 };
        plan.unavailable = vec![lacking(Access::Read), lacking(Access::Triad)];
        let doubt = tuned(planned(&plan, 1 << 30, Some("here"), |_| None)).expect("a doubt");
        assert_eq!(
            doubt.to_string(),
            "the machine file's ways of kernels through memory were chosen on another processor: read with avx512, \
             triad with avx512, which this one lacks; they go the usual way"
        );
        assert!(doubt.holds_for("any", "any") && doubt.advice().contains("numasim calibrate"));
    }

    #[test]
    fn variants_tuned_on_another_processor_model_raise_a_warning() {
        let study =
            study(&format!("{PAPER}[[scenario]]\nname = \"lone\"\nthreads = {{ \"mem-1\" = [1,0,0,0] }}\n"));
        let scenarios: Vec<&Scenario> = study.scenarios.iter().filter(|s| s.name == "lone").collect();
        let mut plan =
            plan::make(&study, &scenarios, &host(&[4]), &plan::Options::default()).expect("a plan");
        // No variant of the file is used, so nothing was tuned.
        assert_eq!(plan.tried_on, None);
        plan.tried_on = Some("Xeon 6138".to_owned());
        let of = |here: Option<&str>| {
            planned(&plan, 1 << 30, here, |_| None).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(of(None).is_empty() && of(Some("Xeon 6138")).is_empty());
        assert_eq!(
            of(Some("EPYC 9654")),
            [
                "the machine file's ways of kernels through memory were tried on another processor (Xeon 6138; here: EPYC 9654): others \
              may be faster here"
            ]
        );
    }
}
