//! Facts from trees of files as hosts have them, and from this host.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::testing::{Tree, cpus};

#[test]
fn an_empty_tree_has_no_facts() {
    let facts = Tree::new(&[]).facts();
    assert_eq!(facts, Facts { architecture: std::env::consts::ARCH.into(), ..Facts::default() });
}

#[test]
fn the_facts_of_a_server_are_read() {
    let facts = Tree::new(&[
        ("proc/sys/kernel/hostname", "node17\n"),
        ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
        ("proc/sys/kernel/version", "#1 SMP\n"),
        ("proc/sys/kernel/numa_balancing", "1\n"),
        (
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Xeon Gold 6138\nmicrocode\t: 0x2007006\nflags\t\t: fpu tsc\n\n\
             processor\t: 1\nmodel name\t: other\n",
        ),
        ("proc/loadavg", "1.25 0.61 1.24 1/96 31708\n"),
        ("sys/devices/system/cpu/online", "0-3\n"),
        ("sys/devices/system/cpu/offline", "4-7\n"),
        ("sys/devices/system/cpu/smt/active", "1\n"),
        ("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n"),
        ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "ondemand\n"),
        ("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n"),
        ("sys/devices/system/cpu/vulnerabilities/tsx", "Not affected\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
        ("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm \n"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"),
    ])
    .facts();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(facts.host_name, text("node17"));
    assert_eq!(facts.kernel_release, text("6.1.0-18-amd64"));
    assert_eq!(facts.cpu_model, text("Xeon Gold 6138"));
    assert_eq!(facts.microcode, text("0x2007006"));
    assert_eq!(facts.numa_balancing, Some(true));
    assert_eq!(facts.load_average, Some(1.25));
    assert_eq!(facts.offline_cpus, text("4-7"));
    assert_eq!(facts.smt_active, Some(true));
    assert_eq!(facts.siblings, BTreeMap::from([(0, vec![0, 2])]));
    // Logical CPU 2 is not used.
    let governors = [("performance", "1"), ("powersave", "0")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(facts.governors, BTreeMap::from(governors));
    assert_eq!(facts.mitigations, BTreeMap::from([("meltdown".to_owned(), "Mitigation: PTI".to_owned())]));
    assert_eq!((facts.clock_source, facts.clock_sources.len()), (text("hpet"), 2));
    assert_eq!(facts.huge_pages, Some(HugePages::Never));
    // The flags exist, and hypervisor is not among them.
    assert_eq!(facts.virtual_machine, text(""));
}

#[test]
fn either_switch_reports_turbo() {
    let turbo = |path: &str, text: &str| Tree::new(&[(path, text)]).facts().turbo;
    let (intel, others) =
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "sys/devices/system/cpu/cpufreq/boost");
    assert_eq!([turbo(intel, "0\n"), turbo(intel, "1\n")], [Some(true), Some(false)]);
    assert_eq!([turbo(others, "0\n"), turbo(others, "1\n")], [Some(false), Some(true)]);
    assert_eq!(turbo(others, "what\n"), None);
}

#[test]
fn virtual_machines_are_detected_in_several_ways() {
    let shown = |files: &[(&str, &str)]| Tree::new(files).facts().virtual_machine;
    let vendor = "sys/class/dmi/id/sys_vendor";
    let product = "sys/class/dmi/id/product_name";
    let flag = ("proc/cpuinfo", "flags\t: fpu hypervisor\n");
    let described = |text: &str| Some(text.to_owned());
    assert_eq!(shown(&[flag]), described("the processor has the flag hypervisor"));
    assert_eq!(
        shown(&[flag, (vendor, "QEMU\n"), (product, "Standard PC\n")]),
        described("the processor has the flag hypervisor, QEMU Standard PC")
    );
    assert_eq!(shown(&[("sys/hypervisor/type", "xen\n")]), described("hypervisor xen"));
    assert_eq!(
        shown(&[("proc/device-tree/hypervisor/compatible", "linux,kvm\0")]),
        described("hypervisor linux,kvm")
    );
    assert_eq!(shown(&[(vendor, "Microsoft"), (product, "Virtual Machine")]), described("Virtual Machine"));
    // The metal machine of a vendor that also offers virtual ones.
    let metal = [("proc/cpuinfo", "flags\t: fpu\n"), (vendor, "Amazon EC2"), (product, "c5.metal")];
    assert_eq!(shown(&metal), described(""));
}

#[test]
fn memory_is_read_node_by_node_in_order_of_their_numbers() {
    let meminfo =
        |node: u32, free: u32| format!("\nNode {node} MemTotal: 2000 kB\nNode {node} MemFree:  {free} kB\n");
    let tree = Tree::new(&[
        ("sys/devices/system/node/node10/meminfo", &meminfo(10, 7)),
        ("sys/devices/system/node/node2/meminfo", &meminfo(2, 5)),
        ("sys/devices/system/node/possible", "0-10\n"),
    ]);
    // kB are 1024 bytes: 2000 kB = 2,048,000 bytes.
    let node = |os_node, free_bytes| NodeMemory { os_node, total_bytes: 2_048_000, free_bytes };
    assert_eq!(tree.system().node_memory(), [node(2, 5120), node(10, 7168)]);
}

#[test]
fn load_is_measured_between_two_readings() {
    // cpu user nice system idle iowait irq softirq steal guest guest_nice
    let tree =
        Tree::new(&[("proc/stat", "cpu  9 9 9 9\ncpu0 100 0 0 100 0 0 0 0 0 0\ncpu1 5 0 0 5\nintr 7\n")]);
    let before = tree.system().cpu_times();
    // Of 100 ticks logical CPU 0 was busy 20 + 5 + 5, idled 40 + 20 and lost 10; logical CPU 1 had none.
    tree.write("proc/stat", "cpu0 120 0 5 140 20 0 5 10 99 0\ncpu1 5 0 0 5\n");
    let shares = tree.system().cpu_times().since(&before);
    assert_eq!(shares.len(), 1);
    assert!((shares[&0].busy - 0.30).abs() < 1e-12 && (shares[&0].stolen - 0.10).abs() < 1e-12, "{shares:?}");
}

const V2: &str = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const V1: &str = "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
                  33 31 0:30 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

#[test]
fn the_tightest_limit_of_the_unified_hierarchy_applies() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/user.slice/job\n"),
        ("proc/self/mountinfo", V2),
        ("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"),
        (
            "sys/fs/cgroup/user.slice/cpu.stat",
            "usage_usec 5\nnr_periods 10\nnr_throttled 3\nthrottled_usec 2000\n",
        ),
        ("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n"),
        ("sys/fs/cgroup/user.slice/job/cpu.stat", "nr_periods 0\nnr_throttled 1\nthrottled_usec 500\n"),
        // The group of another process.
        ("sys/fs/cgroup/other/cpu.max", "1000 100000\n"),
    ]);
    let file = "/sys/fs/cgroup/user.slice/cpu.max".to_owned();
    assert_eq!(tree.facts().cpu_limit, Some(CpuLimit { cpus: 1.5, file }));
    let held = Throttled { periods: 4, waited: Duration::from_micros(2500) };
    assert_eq!(tree.system().throttled(), Some(held));
    let since = held.since(Throttled { periods: 3, waited: Duration::from_millis(2) });
    assert_eq!(since, Throttled { periods: 1, waited: Duration::from_micros(500) });
}

#[test]
fn a_container_of_version_1_sees_its_own_group_at_the_mount() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/\n"),
        ("proc/self/mountinfo", V1),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 3000000\n"),
    ]);
    assert_eq!(tree.facts().cpu_limit.map(|limit| limit.cpus), Some(2.5));
    let held = Throttled { periods: 2, waited: Duration::from_millis(3) };
    assert_eq!(tree.system().throttled(), Some(held));
    tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    assert_eq!(tree.facts().cpu_limit, None);
}

#[test]
fn a_group_outside_its_mount_is_read_at_the_mount() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/../../elsewhere\n"),
        ("proc/self/mountinfo", V2),
        ("sys/fs/cgroup/cpu.max", "50000 100000\n"),
        ("elsewhere/cpu.max", "1 100000\n"),
    ]);
    assert_eq!(tree.facts().cpu_limit.map(|limit| limit.cpus), Some(0.5));
}

#[test]
fn nonsense_in_the_files_is_not_reported() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "\n0\nx:y\n0::/a\n"),
        ("proc/self/mountinfo", "- - -\n30 24 0:26 / /sys/fs/cgroup rw - cgroup2\n"),
        ("sys/fs/cgroup/cpu.max", "max"),
        ("proc/stat", "cpu0 1 2\ncpux 1 2 3 4\ncpu1 a b c d\n"),
        ("proc/loadavg", "inf"),
        ("proc/cpuinfo", ":::\nmodel name\n"),
        ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 99999999999999999999 kB\n"),
        ("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 18446744073709551615 kB\nMemFree: 1 kB"),
        ("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "9-1"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "[sometimes]"),
    ]);
    assert_eq!(tree.facts(), Facts { architecture: std::env::consts::ARCH.into(), ..Facts::default() });
    assert_eq!(tree.system().throttled(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn this_host_reports_its_kernel_and_memory() {
    let facts = System::host().facts(&cpus("0"), Duration::from_millis(50));
    assert!(facts.kernel_release.is_some_and(|release| release.contains('.')));
    assert!(facts.busy.values().all(|share| (0.0..=1.0).contains(share)), "{:?}", facts.busy);
    assert!(facts.memory.iter().all(|node| node.free_bytes <= node.total_bytes && node.total_bytes > 0));
    // The facts of this host can be written and read again.
    let facts = System::host().facts(&cpus("0"), Duration::ZERO);
    let json = serde_json::to_string(&facts).expect("plain values");
    assert_eq!(serde_json::from_str::<Facts>(&json).expect("just written"), facts);
}
