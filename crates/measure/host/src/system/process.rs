//! A process: the location of its pages and the logical CPUs of its threads, from `/proc/PID`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::{fs, io};

use numasim_model::cpus::CpuList;

use crate::system::System;

/// The facts that the system reports about a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The name of its program, at most 15 characters.
    pub name: String,
    /// The text of `numa_maps`.
    pub numa_maps: String,
    /// Its threads, ascending by number.
    pub threads: Vec<Thread>,
}

/// A thread of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its ID.
    pub tid: u32,
    /// The logical CPU that it runs on, or ran on last.
    pub cpu: u32,
    /// CPU time that it has used, in ticks.
    pub ticks: u64,
}

/// The reason why a process cannot be observed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// No process has this ID.
    #[error("there is no process {0}")]
    None(u32),
    /// It belongs to another user.
    #[error("the pages of process {0} are not readable: it belongs to another user")]
    Denied(u32),
    /// The system has no such file: a kernel without NUMA, or not Linux.
    #[error("this system does not tell where pages lie: there is no /proc/{0}/numa_maps")]
    NoNuma(u32),
    /// Reading failed.
    #[error("process {0} cannot be read: {1}")]
    Unreadable(u32, String),
}

impl ProcessError {
    /// The alternative.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::None(_) | Self::Unreadable(..) => {
                "name a process that runs: its number is in the output of ps or pgrep"
            }
            Self::Denied(_) => "ask as its user, or as root",
            Self::NoNuma(_) => "copy numa_maps on a Linux with NUMA, and give it with --numa-maps",
        }
    }
}

impl System {
    /// The current state of a process.
    ///
    /// # Errors
    /// [`ProcessError`]: it does not exist or exited in the meantime, belongs to another user, or the system does not report it.
    pub fn process(&self, pid: u32) -> Result<Process, ProcessError> {
        let folder = format!("proc/{pid}");
        let Some(name) = self.line(&format!("{folder}/comm")) else { return Err(ProcessError::None(pid)) };
        let numa_maps = fs::read_to_string(self.path(format!("{folder}/numa_maps"))).map_err(|error| {
            match error.kind() {
                ErrorKind::NotFound => ProcessError::NoNuma(pid),
                ErrorKind::PermissionDenied => ProcessError::Denied(pid),
                _ => ProcessError::Unreadable(pid, error.to_string()),
            }
        })?;
        let tasks = format!("{folder}/task");
        let thread = |tid: u32| thread(tid, &self.line(&format!("{tasks}/{tid}/stat"))?);
        let mut threads: Vec<Thread> =
            self.names(&tasks).iter().filter_map(|name| name.parse().ok()).filter_map(thread).collect();
        threads.sort_unstable_by_key(|thread| thread.tid);
        Ok(Process { name, numa_maps, threads })
    }
}

/// `4711 (name) R 1 ... utime stime ... processor ...` (proc(5), fields 14, 15 and 39). A name may have spaces and brackets.
fn thread(tid: u32, stat: &str) -> Option<Thread> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3);
    let ticks = |number: usize| field(number)?.parse::<u64>().ok();
    Some(Thread { tid, cpu: field(39)?.parse().ok()?, ticks: ticks(14)?.saturating_add(ticks(15)?) })
}

/// `PF_KTHREAD` of linux/sched.h.
pub(super) const OF_KERNEL: u64 = 0x0020_0000;

/// A unique identity of a process or thread: the system later reuses its ID, but not with the same start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// Its ID.
    pub number: u32,
    /// Its start, in ticks since the start of the system.
    pub started: u64,
}

/// A process in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its identity.
    pub identity: Identity,
    /// The name of its program, at most 15 characters.
    pub name: String,
    /// Whether it has exited, and its parent has not waited for it.
    pub has_ended: bool,
    /// Its parent: the process that started it, or the one that adopted it.
    pub parent: u32,
    /// Its process group, with the ID of the process that leads it.
    pub group: u32,
    /// Whether it is a thread of the kernel.
    pub of_kernel: bool,
}

/// The facts in `/proc/TID/status` about a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The ID of its process.
    pub process: u32,
    /// The logical CPUs that it may use, ascending, including offline ones: they count again once they are back.
    pub cpus: Vec<u32>,
}

impl System {
    /// A process.
    ///
    /// # Errors
    /// The error of the system; [`io::ErrorKind::NotFound`]: there is none.
    pub fn listed(&self, pid: u32) -> io::Result<Listed> {
        let text = fs::read_to_string(self.path(format!("proc/{pid}/stat")))?;
        listed(pid, &text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// A thread of any process.
    ///
    /// # Errors
    /// As [`System::listed`].
    pub fn thread(&self, thread: u32) -> io::Result<Identity> {
        // Without the folder `task`, the kernel adds up the times of all threads of the process.
        let text = fs::read_to_string(self.path(format!("proc/{thread}/task/{thread}/stat")))?;
        listed(thread, &text).map(|listed| listed.identity).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// The logical CPUs that a thread of any process may use.
    ///
    /// # Errors
    /// As [`System::listed`].
    pub fn allowed(&self, thread: u32) -> io::Result<Allowed> {
        let text = fs::read_to_string(self.path(format!("proc/{thread}/status")))?;
        allowed(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// The threads of a process, ascending by ID; empty if it has exited.
    pub fn threads(&self, pid: u32) -> Vec<u32> {
        let mut threads = self.numbers(&format!("proc/{pid}/task"));
        threads.sort_unstable();
        threads
    }

    /// The environment with which a process was started, entries like `KEY=value`; empty if access is denied.
    pub fn environment(&self, pid: u32) -> Vec<Vec<u8>> {
        let bytes = fs::read(self.path(format!("proc/{pid}/environ"))).unwrap_or_default();
        bytes.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()).map(<[u8]>::to_vec).collect()
    }

    /// All processes, ascending by ID. Processes that exit in the meantime may be left out.
    pub fn table(&self) -> Vec<Listed> {
        let mut pids = self.numbers("proc");
        pids.sort_unstable();
        pids.into_iter().filter_map(|pid| self.listed(pid).ok()).collect()
    }

    fn numbers(&self, folder: &str) -> Vec<u32> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }
}

/// The processes of the table that descend from a process selected by `is_root`, without these themselves. Processes in `is_left_out` and
/// their descendants do not count.
pub fn descendants(
    table: &[Listed],
    is_root: impl Fn(&Identity) -> bool,
    is_left_out: impl Fn(&Identity) -> bool,
) -> Vec<&Listed> {
    let mut children: BTreeMap<u32, Vec<&Listed>> = BTreeMap::new();
    for one in table {
        children.entry(one.parent).or_default().push(one);
    }
    let mut found = Vec::new();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut open: Vec<u32> =
        table.iter().filter(|one| is_root(&one.identity)).map(|one| one.identity.number).collect();
    while let Some(parent) = open.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if !is_left_out(&child.identity) && seen.insert(child.identity.number) {
                open.push(child.identity.number);
                if !is_root(&child.identity) {
                    found.push(*child);
                }
            }
        }
    }
    found
}

/// `4711 (name) S parent group ... flags ... start ...` (proc(5): fields 3, 4, 5, 9 and 22). A name may have spaces and brackets.
fn listed(number: u32, stat: &str) -> Option<Listed> {
    let (before, rest) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    Some(Listed {
        identity: Identity { number, started: field(22)?.parse().ok()? },
        name: name.to_owned(),
        has_ended: matches!(field(3)?, "Z" | "X" | "x"),
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        of_kernel: field(9)?.parse::<u64>().ok()? & OF_KERNEL != 0,
    })
}

fn allowed(status: &str) -> Option<Allowed> {
    let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let cpus = CpuList::parse(value("Cpus_allowed_list:")?).ok()?;
    let mut cpus = cpus.as_slice().to_vec();
    cpus.sort_unstable();
    Some(Allowed { process: value("Tgid:")?.parse().ok()?, cpus })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tree;

    /// A line of `stat` with these fields 14, 15 and 39.
    fn stat(tid: u32, utime: u64, stime: u64, cpu: u32) -> String {
        let zeros = |count: usize| vec!["0"; count].join(" ");
        format!("{tid} (a) (b) R {} {utime} {stime} {} {cpu} 0 0\n", zeros(10), zeros(23))
    }

    #[test]
    fn threads_are_read_with_their_cpus_and_times() {
        let tree = Tree::new(&[
            ("proc/7/comm", "solver\n"),
            ("proc/7/numa_maps", "7f00 default anon=1 N0=1 kernelpagesize_kB=4\n"),
            ("proc/7/task/10/stat", &stat(10, 5, 1, 3)),
            ("proc/7/task/7/stat", &stat(7, 100, 20, 1)),
            ("proc/7/task/8/stat", "8 (ended) Z\n"),
        ]);
        let process = tree.system().process(7).expect("a process");
        assert_eq!(process.name, "solver");
        assert_eq!(
            process.threads,
            [Thread { tid: 7, cpu: 1, ticks: 120 }, Thread { tid: 10, cpu: 3, ticks: 6 }]
        );
        assert_eq!(tree.system().process(8), Err(ProcessError::None(8)));
        tree.write("proc/9/comm", "old");
        assert_eq!(tree.system().process(9), Err(ProcessError::NoNuma(9)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_threads() {
        match System::host().process(std::process::id()) {
            Ok(process) => assert!(!process.threads.is_empty()),
            Err(error) => assert!(matches!(error, ProcessError::NoNuma(_)), "{error}"),
        }
    }
}

#[cfg(test)]
mod table_tests {
    use super::*;
    use crate::testing::Tree;

    /// A line of `stat` with these fields 2, 3, 4, 9 and 22.
    fn stat(name: &str, state: &str, parent: u32, flags: u64, started: u64) -> String {
        format!("1 ({name}) {state} {parent} 0 0 0 0 {flags} {} {started} 0 0\n", ["0"; 12].join(" "))
    }

    #[test]
    fn processes_are_read_with_their_identity() {
        let tree = Tree::new(&[
            ("proc/7/stat", &stat("a) S (b", "S", 1, 4_194_560, 99)),
            ("proc/8/stat", &stat("ended", "Z", 7, 4_194_560, 100)),
            ("proc/2/stat", &stat("kthreadd", "S", 0, 2_129_984, 0)),
            ("proc/9/stat", "9 (torn) S"),
            ("proc/7/task/7/stat", &stat("a", "S", 1, 0, 99)),
            ("proc/10/task/10/stat", &stat("thread", "S", 1, 0, 101)),
            ("proc/7/environ", "A=1\0B=x=y\0"),
            ("proc/7/status", "Name:\ta\nTgid:\t7\nCpus_allowed:\tf0\nCpus_allowed_list:\t4-6,9\n"),
        ]);
        let system = tree.system();
        let table = system.table();
        let short: Vec<(u32, &str, bool, u32, bool)> = table
            .iter()
            .map(|one| (one.identity.number, one.name.as_str(), one.has_ended, one.parent, one.of_kernel))
            .collect();
        assert_eq!(
            short,
            [(2, "kthreadd", false, 0, true), (7, "a) S (b", false, 1, false), (8, "ended", true, 7, false)]
        );
        assert_eq!(system.thread(10).ok(), Some(Identity { number: 10, started: 101 }));
        assert_eq!(system.thread(11).expect_err("none").kind(), io::ErrorKind::NotFound);
        assert_eq!(system.environment(7), [b"A=1".to_vec(), b"B=x=y".to_vec()]);
        assert!(system.environment(8).is_empty());
        assert_eq!(system.threads(7), [7]);
        assert_eq!(system.allowed(7).ok(), Some(Allowed { process: 7, cpus: vec![4, 5, 6, 9] }));
    }

    #[test]
    fn descendants_are_found_except_below_excluded_processes() {
        // 1 started 2 and 5; 2 started 3, which started 4; 5 started 6. 9 is its own parent, which does not occur in reality.
        let one = |number, parent| Listed {
            identity: Identity { number, started: 0 },
            name: String::new(),
            has_ended: false,
            parent,
            group: 0,
            of_kernel: false,
        };
        let table = [one(1, 0), one(2, 1), one(3, 2), one(4, 3), one(5, 1), one(6, 5), one(9, 9)];
        let of = |roots: &[u32], without: &[u32]| {
            let is = |list: &[u32], one: &Identity| list.contains(&one.number);
            let mut found: Vec<u32> = descendants(&table, |one| is(roots, one), |one| is(without, one))
                .iter()
                .map(|one| one.identity.number)
                .collect();
            found.sort_unstable();
            found
        };
        assert_eq!(of(&[1], &[]), [2, 3, 4, 5, 6]);
        assert_eq!(of(&[2, 3], &[]), [4]);
        assert_eq!(of(&[1], &[2]), [5, 6]);
        assert_eq!(of(&[9], &[]), [0_u32; 0]);
        assert_eq!(of(&[7], &[]), [0_u32; 0]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_in_the_table() {
        let system = System::host();
        let own = std::process::id();
        let listed = system.listed(own).expect("alive");
        assert!(system.table().contains(&listed) && !listed.has_ended && !listed.of_kernel);
        assert_eq!(system.allowed(own).expect("alive").process, own);
        assert!(system.threads(own).contains(&own));
        assert_eq!(system.thread(own).expect("alive"), listed.identity);
    }
}
