//! A process: where its pages lie and on which processors its threads run, from `/proc/PID`.

use std::fs;
use std::io::ErrorKind;

use super::System;

/// What the system tells of a process.
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
    /// Its number.
    pub tid: u32,
    /// The processor that it runs on, or ran on last.
    pub cpu: u32,
    /// Processor time that it has used, in ticks.
    pub ticks: u64,
}

/// Why a process cannot be looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// Nobody has this number.
    #[error("there is no process {0}")]
    None(u32),
    /// It belongs to somebody else.
    #[error("the pages of process {0} may not be looked at: it belongs to somebody else")]
    Denied(u32),
    /// The system has no such file: a kernel without NUMA, or no Linux.
    #[error("this system does not tell where pages lie: there is no /proc/{0}/numa_maps")]
    NoNuma(u32),
    /// Reading failed.
    #[error("process {0} cannot be read: {1}")]
    Unreadable(u32, String),
}

impl ProcessError {
    /// What to do instead.
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
    /// What there is to see of a process now.
    ///
    /// # Errors
    /// [`ProcessError`]: it does not exist or ended meanwhile, belongs to somebody else, or the system does not tell.
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
    fn threads_are_read_with_their_processors_and_times() {
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
