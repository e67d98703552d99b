//! One test for each warning that a host raises, with the tree of files that raises it.

use std::collections::BTreeMap;

use numasim_host::system::{CpuLimit, System};
use numasim_host::testing::{Tree, cpus};

use super::*;
use crate::doubt::codes;

/// A host for logical CPUs 0 and 1 that raises no warning.
fn quiet() -> Tree {
    Tree::new(&[
        ("proc/sys/kernel/numa_balancing", "0\n"),
        ("proc/cpuinfo", "model name\t: Xeon\nflags\t: fpu\n"),
        ("proc/loadavg", "0.10 0.1 0.1 1/9 9\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
        ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet\n"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ])
}

/// The only warning about logical CPUs 0 and 1 of a quiet host with one changed file.
fn doubt(path: &str, text: &str) -> Doubt {
    let tree = quiet();
    tree.write(path, text);
    let doubts = before(&tree.facts(), &cpus("0-1"));
    assert_eq!(doubts.len(), 1, "{doubts:?}");
    doubts.into_iter().next().expect("one")
}

#[test]
fn a_quiet_host_raises_no_warning() {
    assert_eq!(before(&quiet().facts(), &cpus("0-1")), []);
}

#[test]
fn numa_balancing() {
    let doubt = doubt("proc/sys/kernel/numa_balancing", "1\n");
    assert_eq!(doubt, Doubt::NumaBalancing);
    assert_eq!(doubt.advice(), "sudo sysctl kernel.numa_balancing=0");
}

#[test]
fn governor() {
    let doubt = doubt("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    assert_eq!(doubt.to_string(), "the frequency governor of processors 1 is powersave, not performance");
    assert!(
        doubt.advice().starts_with("sudo cpupower -c 1 frequency-set -g performance"),
        "{}",
        doubt.advice()
    );
}

#[test]
fn turbo() {
    assert_eq!(doubt("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"), Doubt::Turbo);
}

#[test]
fn virtual_machine() {
    let doubt = doubt("proc/cpuinfo", "flags\t: fpu hypervisor\n");
    assert_eq!(doubt.code(), "virtual-machine");
    assert!(doubt.to_string().contains("the flag hypervisor"), "{doubt}");
}

#[test]
fn huge_pages_off() {
    let doubt = doubt("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    assert_eq!(doubt, Doubt::HugePagesOff);
}

#[test]
fn clock_source() {
    let path = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    assert_eq!(doubt(path, "hpet\n"), Doubt::ClockSource { source: "hpet".into(), unstable_tsc: false });
    let tree = quiet();
    tree.write(path, "hpet\n");
    tree.write("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm\n");
    let doubts = before(&tree.facts(), &cpus("0-1"));
    assert_eq!(doubts, [Doubt::ClockSource { source: "hpet".into(), unstable_tsc: true }]);
}

#[test]
fn a_limit_counts_unless_it_exceeds_the_used_cpus() {
    let doubts = |cpu_limit| {
        let limit = CpuLimit { cpus: cpu_limit, file: "/cpu.max".into() };
        before(&Facts { cpu_limit: Some(limit), ..quiet().facts() }, &cpus("0-1"))
    };
    for cpus in [0.5, 2.0] {
        assert_eq!(doubts(cpus), [Doubt::CpuLimit { cpus, used: 2, file: "/cpu.max".into() }]);
    }
    assert_eq!(doubts(2.5), []);
}

#[test]
fn load_counts_only_on_used_cpus() {
    let doubts = |busy: &[(u32, f64)]| {
        let busy = busy.iter().copied().collect();
        before(&Facts { busy, load_average: Some(9.0), ..quiet().facts() }, &cpus("0-1"))
    };
    // One tick of 10 ms in half a second is 2 %.
    assert_eq!(doubts(&[(0, 0.02), (1, 0.0), (2, 1.0)]), []);
    let [doubt] = &doubts(&[(0, 0.02), (1, 0.5)])[..] else { panic!("one doubt") };
    assert_eq!(
        doubt.to_string(),
        "other processes were active on the used processors before the run: 1 was busy 50 % of the time"
    );
    assert!(doubt.advice().contains("here 1)"), "{}", doubt.advice());
}

#[test]
fn without_a_sample_the_load_average_is_used() {
    let messages = doubt("proc/loadavg", "2.50 0.1 0.1 1/9 9\n");
    assert_eq!(messages, Doubt::LoadAverage { load: 2.5 });
    assert_eq!(messages.code(), "other-load");
}

#[test]
fn hardware_threads_of_one_core() {
    let siblings = "sys/devices/system/cpu/cpu0/topology/thread_siblings_list";
    // Both are used: reported once, not for each of them.
    let tree = quiet();
    tree.write(siblings, "0-1\n");
    tree.write("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
    assert_eq!(before(&tree.facts(), &cpus("0-1")), [Doubt::SharedCore { cpus: "0-1".into() }]);
    // The other one is idle, then busy with other work.
    let tree = quiet();
    tree.write(siblings, "0,4\n");
    assert_eq!(before(&tree.facts(), &cpus("0-1")), []);
    let busy = BTreeMap::from([(0, 0.0), (1, 0.0), (4, 0.75)]);
    let doubts = before(&Facts { busy, ..tree.facts() }, &cpus("0-1"));
    assert_eq!(doubts, [Doubt::BusySibling { busy: vec![(4, 0, 0.75)] }]);
    assert_eq!(doubts[0].code(), "smt");
}

#[test]
fn missing_facts_are_named() {
    let doubts = before(&Tree::new(&[]).facts(), &cpus("0-1"));
    let names = "frequency governor, turbo, clock source, transparent huge pages, whether this is a virtual \
                 machine, load by others";
    let messages: Vec<String> = doubts.iter().map(ToString::to_string).collect();
    assert_eq!(messages, [format!("the system does not report: {names}")]);
}

#[test]
fn the_order_is_fixed_and_codes_are_unique_per_reason() {
    let tree = quiet();
    tree.write("proc/sys/kernel/numa_balancing", "1\n");
    tree.write("proc/cpuinfo", "flags\t: hypervisor\n");
    tree.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    tree.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "ondemand\n");
    // The list of used logical CPUs may be in any order.
    for list in ["0-1", "1,0"] {
        let doubts = before(&tree.facts(), &cpus(list));
        assert_eq!(doubts.len(), 5);
        assert_eq!(codes(&doubts), ["numa-balancing", "governor", "turbo", "virtual-machine"]);
        assert!(doubts[1].to_string().contains("ondemand") && doubts[2].to_string().contains("powersave"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn this_host_can_be_judged() {
    let used = cpus("0");
    for doubt in before(&System::host().facts(&used, std::time::Duration::ZERO), &used) {
        assert!(!doubt.to_string().is_empty() && !doubt.advice().is_empty(), "{doubt:?}");
        assert!(!doubt.to_string().ends_with('.'), "{doubt}");
    }
}
