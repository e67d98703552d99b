//! The processes of this host as values for [`numasim_evidence::running`]: their threads at an instant, and the files of those that count.
//! A process that exits while it is read is left out; a file that may not be read is marked as denied.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};

use numasim_evidence::formats::cgroup::path_of;
use numasim_evidence::formats::perf::device::{TrafficEvent, of_one_kind, traffic_events};
use numasim_evidence::formats::resctrl::{self, Counters, Group};
use numasim_evidence::running::{Details, GroupDetails, Moment, Places, Process, Task, Unseen};
use numasim_model::Machine;
use numasim_study::topology::{Counting, HostTopology};

use super::process::OF_KERNEL;
use crate::system::System;

/// The part of a command line that is read: a program may write megabytes into it.
const COMMAND: u64 = 64 << 10;
/// The mount point of resctrl.
const RESCTRL: &str = "sys/fs/resctrl";
/// Folders of the devices whose counters perf reads.
const DEVICES: &str = "sys/bus/event_source/devices";

impl System {
    /// All processes and the counters of the monitoring groups now; counters of memory controllers are those of [`crate::controllers`].
    pub fn moment(&self) -> Moment {
        let mut pids: Vec<u32> = self.names("proc").iter().filter_map(|name| name.parse().ok()).collect();
        pids.sort_unstable();
        Moment {
            uptime_s: self.text("proc/uptime").and_then(|text| text.split_whitespace().next()?.parse().ok()),
            processes: pids.into_iter().filter_map(|pid| self.one_process(pid)).collect(),
            resctrl: self.monitoring_groups(),
            controllers: Vec::new(),
        }
    }

    /// `None` for a kernel process, and for one that has exited.
    fn one_process(&self, pid: u32) -> Option<Process> {
        let (name, whole) = read_stat(&self.bytes(&format!("proc/{pid}/stat")).ok()?)?;
        if whole.flags & OF_KERNEL != 0 || whole.has_ended {
            return None;
        }
        let tasks = format!("proc/{pid}/task");
        let mut tids: Vec<u32> = self.names(&tasks).iter().filter_map(|name| name.parse().ok()).collect();
        tids.sort_unstable();
        let task = |tid: u32| {
            let (name, stat) = read_stat(&self.bytes(&format!("{tasks}/{tid}/stat")).ok()?)?;
            Some(Task { tid, started: stat.started, cpu: stat.cpu, ticks: stat.ticks, vcpu: vcpu(&name) })
        };
        let tasks: Vec<Task> = tids.into_iter().filter_map(task).collect();
        let group = self.bytes(&format!("proc/{pid}/cgroup")).ok();
        let group = group.and_then(|text| path_of(&String::from_utf8_lossy(&text)));
        (!tasks.is_empty()).then_some(Process { pid, name, group, tasks })
    }

    /// The files of a process that counts.
    pub fn details(&self, pid: u32) -> Details {
        let status = self.bytes(&format!("proc/{pid}/status")).unwrap_or_default();
        let status = String::from_utf8_lossy(&status);
        let value = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?.trim();
            (!line.is_empty()).then(|| line.to_owned())
        };
        let numa_maps = self.bytes(&format!("proc/{pid}/numa_maps"));
        Details {
            command: self.beginning(&format!("proc/{pid}/cmdline")),
            numa_maps: numa_maps.map(|text| String::from_utf8_lossy(&text).into_owned()).map_err(|error| {
                if error.kind() == ErrorKind::PermissionDenied { Unseen::Denied } else { Unseen::Absent }
            }),
            allowed_cpus: value("Cpus_allowed_list:"),
            allowed_mems: value("Mems_allowed_list:"),
        }
    }

    /// At most [`COMMAND`] bytes of a file.
    fn beginning(&self, path: &str) -> Vec<u8> {
        let earlier = self.earlier.as_ref().map(|earlier| super::below(earlier, path));
        let file = File::open(self.path(path)).or_else(|error| earlier.map_or(Err(error), File::open));
        let mut bytes = Vec::new();
        if let Ok(file) = file {
            // A file that cannot be read counts as absent.
            let _ = file.take(COMMAND).read_to_end(&mut bytes);
        }
        bytes
    }

    /// The files of a control group.
    pub fn group_details(&self, path: &str, unified: bool) -> GroupDetails {
        let folder = if unified { "sys/fs/cgroup".to_owned() } else { "sys/fs/cgroup/memory".to_owned() };
        GroupDetails { numa_stat: self.text(&format!("{folder}{path}/memory.numa_stat")), unified }
    }

    /// The groups of resctrl; `None` if it is not mounted.
    fn monitoring_groups(&self) -> Option<Vec<Group>> {
        const OTHERS: [&str; 3] = ["info", "mon_groups", "mon_data"];
        self.text(&format!("{RESCTRL}/tasks"))?;
        let mut groups = Vec::new();
        let controls = self.names(RESCTRL).into_iter().filter(|name| !OTHERS.contains(&name.as_str()));
        for control in std::iter::once(String::new()).chain(controls) {
            let folder = if control.is_empty() { RESCTRL.to_owned() } else { format!("{RESCTRL}/{control}") };
            let Some(tasks) = self.text(&format!("{folder}/tasks")) else { continue };
            groups.push(self.monitoring_group(&folder, &control, None, &tasks));
            for monitor in self.names(&format!("{folder}/mon_groups")) {
                let own = format!("{folder}/mon_groups/{monitor}");
                if let Some(tasks) = self.text(&format!("{own}/tasks")) {
                    groups.push(self.monitoring_group(&own, &control, Some(monitor), &tasks));
                }
            }
        }
        Some(groups)
    }

    fn monitoring_group(&self, folder: &str, control: &str, monitor: Option<String>, tasks: &str) -> Group {
        let mut counters = BTreeMap::new();
        for name in self.names(&format!("{folder}/mon_data")) {
            let Some(cache) = resctrl::cache_of(&name) else { continue };
            let own = format!("{folder}/mon_data/{name}");
            let counter = |which: &str| self.counter(&own, which);
            counters.insert(
                cache,
                Counters { local: counter("mbm_local_bytes"), total: counter("mbm_total_bytes") },
            );
        }
        Group { control: control.to_owned(), monitor, tasks: resctrl::tasks(tasks), counters }
    }

    /// A counter of an L3 cache. With sub-NUMA clustering it is the sum of its nodes, which are listed below it: only one of both counts.
    fn counter(&self, folder: &str, which: &str) -> Option<u64> {
        if let Some(text) = self.text(&format!("{folder}/{which}")) {
            return resctrl::counter(&text);
        }
        let parts: Vec<Option<u64>> = self
            .names(folder)
            .iter()
            .filter(|name| name.starts_with("mon_sub_L3_"))
            .map(|name| resctrl::counter(&self.text(&format!("{folder}/{name}/{which}"))?))
            .collect();
        if parts.is_empty() {
            return None;
        }
        parts.into_iter().try_fold(0_u64, |sum, part| Some(sum.saturating_add(part?)))
    }
}

// The logical CPUs of the host as the nodes of a machine.

impl System {
    /// Online logical CPUs, ascending; those of the nodes if the kernel does not report them.
    pub fn online_cpus(&self) -> Vec<u32> {
        let parse = |list: &str| numasim_model::cpus::CpuList::parse(list).ok();
        let mut cpus = match self.line("sys/devices/system/cpu/online").as_deref().and_then(parse) {
            Some(list) => list.as_slice().to_vec(),
            None => self.node_cpus().into_iter().flat_map(|(_, cpus)| cpus).collect(),
        };
        cpus.sort_unstable();
        cpus
    }

    /// Offline logical CPUs, in the syntax of Linux; `None` if there are none.
    pub fn offline_cpus(&self) -> Option<String> {
        if let Some(list) = self.line("sys/devices/system/cpu/offline") {
            return (!list.is_empty()).then_some(list);
        }
        let parse = |list: String| numasim_model::cpus::CpuList::parse(&list).ok();
        let present = parse(self.line("sys/devices/system/cpu/present")?)?;
        let online = self.online_cpus();
        let off: Vec<u32> =
            present.as_slice().iter().copied().filter(|cpu| online.binary_search(cpu).is_err()).collect();
        (!off.is_empty()).then(|| numasim_model::cpus::ranges(&off))
    }

    /// Model name of the first processor.
    pub fn processor(&self) -> Option<String> {
        self.cpu_info().model
    }

    /// Whether the kernel moves pages and threads between nodes on its own.
    pub fn balances_nodes(&self) -> bool {
        self.number("proc/sys/kernel/numa_balancing").is_some_and(|mode| mode > 0)
    }

    /// Kinds of counters of memory controllers that the kernel offers to perf, ascending: `uncore_imc` of Intel, `amd_umc` and `amd_df` of AMD.
    pub fn memory_counters(&self) -> Vec<String> {
        const KINDS: [&str; 3] = ["amd_df", "amd_umc", "uncore_imc"];
        let devices = self.names(DEVICES);
        let has = |kind: &&str| devices.iter().any(|device| device.starts_with(*kind));
        KINDS.iter().filter(|kind| has(kind)).map(|kind| (*kind).to_owned()).collect()
    }

    /// The events that count reads and writes of memory controllers, as far as the kernel describes them.
    pub fn traffic_events(&self) -> Vec<TrafficEvent> {
        let of = |device: &String| {
            let folder = format!("{DEVICES}/{device}");
            let names = self.names(&format!("{folder}/events"));
            traffic_events(device, &names, &|path| self.text(&format!("{folder}/{path}")))
        };
        of_one_kind(self.names(DEVICES).iter().flat_map(of).collect())
    }

    /// The level up to which the system restricts counters (perf_event_paranoid); `None` if it is not reported.
    pub fn perf_paranoid(&self) -> Option<String> {
        self.line("proc/sys/kernel/perf_event_paranoid")
    }

    /// The socket of a processor.
    pub fn socket(&self, cpu: u32) -> Option<u32> {
        let id = self.number(&format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"))?;
        u32::try_from(id).ok()
    }

    /// The sockets of processors, ascending.
    fn sockets(&self, cpus: &[u32]) -> Vec<u32> {
        let mut sockets: Vec<u32> = cpus.iter().filter_map(|&cpu| self.socket(cpu)).collect();
        sockets.sort_unstable();
        sockets.dedup();
        sockets
    }

    /// The whole host: [`System::topology`] of all online logical CPUs, with the sockets of its nodes; `counting` defines a core.
    pub fn whole_topology(&self, counting: Counting) -> HostTopology {
        let mut host = self.topology_of(&self.online_cpus(), counting);
        if host.name.is_empty() || host.name == "this host" {
            host.name = self.processor().unwrap_or(host.name);
        }
        let cpus = self.node_cpus();
        for node in &mut host.nodes {
            let own = cpus.iter().find(|(number, _)| *number == node.os_index);
            node.sockets = own.map(|(_, cpus)| self.sockets(cpus)).unwrap_or_default();
        }
        host
    }

    /// The places of this host's logical CPUs in a machine, by the node number of the operating system.
    pub fn places(&self, machine: &Machine) -> Places {
        let named = machine.os_nodes();
        let os_nodes: Vec<u32> = if named.is_empty() {
            machine.node_ids().filter_map(|node| u32::try_from(node.0).ok()).collect()
        } else {
            named.iter().map(|node| node.number).collect()
        };
        let mut places = Places {
            domains: vec![0; os_nodes.len()],
            sockets: vec![Vec::new(); os_nodes.len()],
            os_nodes,
            ..Places::default()
        };
        let mut nodes = self.node_cpus();
        if nodes.is_empty() {
            // A system that does not report its nodes is one.
            nodes.push((places.os_nodes.first().copied().unwrap_or(0), self.online_cpus()));
        }
        for (number, cpus) in nodes {
            let Some(place) = places.os_nodes.iter().position(|node| *node == number) else { continue };
            for &cpu in &cpus {
                places.node_of.insert(cpu, place);
                if let Some(id) = self.cache_number(cpu) {
                    places.node_of_cache.entry(id).or_insert(place);
                }
            }
            if let Some(sockets) = places.sockets.get_mut(place) {
                *sockets = self.sockets(&cpus);
            }
            for core in self.cores(&cpus) {
                let Some(&first) = core.first() else { continue };
                places.core_of.extend(core.iter().map(|&cpu| (cpu, first)));
            }
            // L3 domains of a node in the order of their first logical CPUs, as in machine files.
            let caches: Vec<Option<u32>> = cpus.iter().map(|&cpu| self.l3(cpu)).collect();
            let mut known: Vec<u32> = caches.iter().flatten().copied().collect();
            known.sort_unstable();
            known.dedup();
            if let (Some(domains), false) = (places.domains.get_mut(place), caches.contains(&None)) {
                *domains = known.len();
                let of = |(cpu, cache): (&u32, Option<u32>)| Some((*cpu, known.binary_search(&cache?).ok()?));
                places.domain_of.extend(cpus.iter().zip(caches).filter_map(of));
            }
        }
        places
    }

    /// The kernel's number of the L3 cache of a logical CPU.
    fn cache_number(&self, cpu: u32) -> Option<u32> {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}/cache");
        let own =
            |name: &str| self.number(&format!("{folder}/{name}/id")).and_then(|id| u32::try_from(id).ok());
        if self.number(&format!("{folder}/index3/level")) == Some(3) {
            return own("index3");
        }
        let names = self.names(&folder);
        own(names.iter().find(|name| self.number(&format!("{folder}/{name}/level")) == Some(3))?)
    }
}

/// The facts in `stat` about a process or thread.
struct Stat {
    has_ended: bool,
    flags: u64,
    started: u64,
    cpu: u32,
    ticks: u64,
}

/// `4711 (name) S ...` with the name separated (proc(5): fields 3, 9, 14, 15, 22 and 39). A name may have any bytes, including brackets and
/// line ends: the text after the last bracket counts.
fn read_stat(bytes: &[u8]) -> Option<(String, Stat)> {
    let open = bytes.iter().position(|&byte| byte == b'(')?;
    let close = bytes.iter().rposition(|&byte| byte == b')').filter(|&close| close > open)?;
    let name = String::from_utf8_lossy(bytes.get(open + 1..close)?).into_owned();
    let rest = std::str::from_utf8(bytes.get(close + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |place: usize| field(place)?.parse::<u64>().ok();
    let stat = Stat {
        has_ended: matches!(field(3)?, "Z" | "X" | "x"),
        flags: number(9)?,
        started: number(22)?,
        cpu: field(39)?.parse().ok()?,
        ticks: number(14)?.saturating_add(number(15)?),
    };
    Some((name, stat))
}

/// `CPU 3/KVM`: the thread of a virtual processor in QEMU.
fn vcpu(name: &str) -> Option<u32> {
    name.strip_prefix("CPU ")?.strip_suffix("/KVM")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tree;

    /// A line of `stat` with these fields 2, 3, 9, 14, 22 and 39.
    fn stat(name: &str, flags: u64, ticks: u64, started: u64, cpu: u32) -> String {
        let zeros = |count: usize| vec!["0"; count].join(" ");
        format!(
            "1 ({name}) S {} {flags} {} {ticks} 0 {} {started} {} {cpu} 0\n",
            zeros(5),
            zeros(4),
            zeros(6),
            zeros(16)
        )
    }

    #[test]
    fn processes_are_read_with_threads_and_kernel_ones_are_omitted() {
        let tree = Tree::new(&[
            ("proc/uptime", "100.50 7.0\n"),
            ("proc/7/stat", &stat("a) S (b\nc", 0, 9, 5, 3)),
            ("proc/7/task/7/stat", &stat("a) S (b\nc", 0, 4, 5, 3)),
            ("proc/7/task/8/stat", &stat("CPU 2/KVM", 0, 5, 6, 1)),
            ("proc/7/cgroup", "0::/system.slice/x.service\n"),
            ("proc/2/stat", &stat("kthreadd", OF_KERNEL, 0, 0, 0)),
            ("proc/9/stat", "9 (torn"),
            ("proc/10/stat", &stat("ends", 0, 0, 0, 0)),
        ]);
        let moment = tree.system().moment();
        assert_eq!((moment.uptime_s, moment.processes.len(), moment.resctrl), (Some(100.5), 1, None));
        let process = &moment.processes[0];
        assert_eq!((process.pid, process.name.as_str()), (7, "a) S (b\nc"));
        assert_eq!(process.group.as_ref().map(|group| group.path.as_str()), Some("/system.slice/x.service"));
        let tasks: Vec<_> =
            process.tasks.iter().map(|task| (task.tid, task.cpu, task.ticks, task.vcpu)).collect();
        assert_eq!(tasks, [(7, 3, 4, None), (8, 1, 5, Some(2))]);
    }

    #[test]
    fn a_later_recording_has_what_changed_and_the_earlier_one_the_rest() {
        let files: [(&str, &str); 3] = [
            ("proc/uptime", "1 1"),
            ("proc/7/stat", &stat("a", 0, 9, 5, 3)),
            ("proc/7/task/7/stat", &stat("a", 0, 4, 5, 3)),
        ];
        let (first, second) = (Tree::new(&files), Tree::new(&[("proc/uptime", "3 1")]));
        second.write("proc/7/task/7/stat", &stat("a", 0, 104, 5, 1));
        let later = System::after(second.system().root, first.system().root).moment();
        assert_eq!(later.uptime_s, Some(3.0));
        assert_eq!(later.processes[0].tasks.iter().map(|task| task.ticks).collect::<Vec<_>>(), [104]);
    }

    #[test]
    fn counters_of_a_cache_are_read_once_with_and_without_clusters() {
        let tree = Tree::new(&[
            ("sys/fs/resctrl/tasks", "1\n"),
            ("sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "10\n"),
            ("sys/fs/resctrl/mon_data/mon_L3_00/mon_sub_L3_00/mbm_total_bytes", "4\n"),
            ("sys/fs/resctrl/mon_data/mon_L3_01/mon_sub_L3_02/mbm_total_bytes", "4\n"),
            ("sys/fs/resctrl/mon_data/mon_L3_01/mon_sub_L3_03/mbm_total_bytes", "5\n"),
            ("sys/fs/resctrl/mon_data/mon_L3_01/mbm_local_bytes", "Unavailable\n"),
            ("sys/fs/resctrl/batch/tasks", "8\n"),
            ("sys/fs/resctrl/batch/mon_groups/x/tasks", "9\n"),
        ]);
        let groups = tree.system().moment().resctrl.expect("mounted");
        let names: Vec<(&str, bool)> = groups.iter().map(|group| (group.name(), group.is_root())).collect();
        assert_eq!(names, [("", true), ("batch", false), ("x", false)]);
        let totals: Vec<_> = groups[0].counters.values().map(|one| (one.local, one.total)).collect();
        assert_eq!(totals, [(None, Some(10)), (None, Some(9))]);
    }

    #[test]
    fn counters_of_memory_controllers_are_found_by_their_kind() {
        let tree = Tree::new(&[
            ("sys/bus/event_source/devices/uncore_imc_0/type", "15\n"),
            ("sys/bus/event_source/devices/uncore_imc_free_running_1/type", "16\n"),
            ("sys/bus/event_source/devices/cpu/type", "4\n"),
        ]);
        assert_eq!(tree.system().memory_counters(), ["uncore_imc"]);
        assert!(Tree::new(&[("proc/uptime", "1 1")]).system().memory_counters().is_empty());
    }

    #[test]
    fn long_command_lines_are_cut_and_missing_lists_are_absent() {
        let tree = Tree::new(&[
            ("proc/7/cmdline", &"x".repeat(1 << 20)),
            ("proc/7/status", "Mems_allowed_list:\t2\n"),
        ]);
        let details = tree.system().details(7);
        assert_eq!((details.command.len() as u64, details.numa_maps), (COMMAND, Err(Unseen::Absent)));
        assert_eq!(details.allowed_mems.as_deref(), Some("2"));
    }
}
