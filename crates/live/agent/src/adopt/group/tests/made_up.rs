//! A control group in the memory of the test. Its threads, if there are any, are real.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::rc::Rc;

use numasim_host::affinity::allowed;
use numasim_host::os::thread::affinity_of;
use numasim_model::cpus::{CpuList, ranges};
use rustix::io::Errno;

use super::super::*;

/// The files by their paths, and every text that was written.
#[derive(Clone, Debug, Default)]
struct Made {
    files: Rc<RefCell<BTreeMap<PathBuf, String>>>,
    written: Rc<RefCell<Vec<String>>>,
    /// Logical CPUs of the parent group.
    above: Vec<u32>,
    read_only: bool,
}

impl Made {
    fn new(files: &[(&str, &str)]) -> Self {
        let made = Self { above: (0..8).collect(), ..Self::default() };
        for (file, text) in files {
            made.set(file, text);
        }
        made
    }

    /// Delegated, with logical CPUs 0 to 7 in the parent group.
    fn delegated(cpus: &str) -> Self {
        Self::new(&[
            ("cgroup.events", "populated 1\nfrozen 0\n"),
            ("cgroup.threads", ""),
            ("cpuset.cpus", cpus),
            ("cpuset.cpus.effective", "0-7\n"),
        ])
    }

    fn set(&self, file: &str, text: &str) {
        self.files.borrow_mut().insert(file.into(), text.into());
    }

    fn text(&self, file: &str) -> String {
        self.files.borrow()[Path::new(file)].clone()
    }
}

impl Files for Made {
    fn read(&self, file: &Path) -> io::Result<String> {
        self.files.borrow().get(file).cloned().ok_or_else(|| Errno::NOENT.into())
    }

    fn may_write(&self, file: &Path) -> io::Result<()> {
        self.read(file)?;
        if self.read_only { Err(Errno::ACCESS.into()) } else { Ok(()) }
    }

    /// Like the kernel: takes a list of logical CPUs and leaves out those that the parent group does not have; if none is left, the group
    /// gets all. As long as processes are in the group, a list is not removed.
    fn write(&self, file: &Path, text: &str) -> io::Result<()> {
        self.may_write(file)?;
        assert_eq!(file, Path::new("cpuset.cpus"));
        if text.trim().is_empty()
            && self.events()?.contains("populated 1")
            && self.text("cpuset.cpus").len() > 1
        {
            return Err(Errno::NOSPC.into());
        }
        self.written.borrow_mut().push(text.to_owned());
        let cpus = match text.trim() {
            "" => Vec::new(),
            list => {
                let list = CpuList::parse(list).map_err(|_| io::Error::from(Errno::INVAL))?;
                list.as_slice().to_vec()
            }
        };
        if cpus.iter().any(|&cpu| cpu >= 64) {
            return Err(Errno::RANGE.into());
        }
        let mut effective: Vec<u32> = cpus.iter().copied().filter(|cpu| self.above.contains(cpu)).collect();
        if effective.is_empty() {
            effective = self.above.clone();
        }
        self.set("cpuset.cpus", &format!("{}\n", ranges(&cpus)));
        self.set("cpuset.cpus.effective", &format!("{}\n", ranges(&effective)));
        Ok(())
    }

    fn below(&self, group: &Path) -> io::Result<Vec<PathBuf>> {
        let files = self.files.borrow();
        let inside = files.keys().filter_map(|file| file.parent()?.strip_prefix(group).ok());
        let names: BTreeSet<PathBuf> = inside.filter_map(|path| Some(path.iter().next()?.into())).collect();
        Ok(names.into_iter().collect())
    }

    fn events(&self) -> io::Result<String> {
        self.read(Path::new("cgroup.events"))
    }

    fn changes(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

fn begin(made: &Made) -> Group<Made> {
    Group::begin(made.clone(), "/made/up", &Ledger::default()).expect("a group")
}

#[test]
fn an_order_is_written_as_a_list_and_undone_as_it_was() {
    for (had, undone) in [("1,3-4\n", "1,3-4\n"), ("\n", "0-7\n"), ("", "0-7\n")] {
        let made = Made::delegated(had);
        let mut group = begin(&made);
        assert_eq!(group.way(), "its processors are set in cpuset.cpus of its control group");
        assert_eq!(*made.written.borrow(), [""; 0], "nothing changes before the first order");
        group.order(&[0, 1, 2, 5]).expect("possible");
        assert_eq!(made.text("cpuset.cpus.effective"), "0-2,5\n");
        group.order(&[7]).expect("possible");
        group.look().expect("possible");
        group.release();
        assert_eq!(*made.written.borrow(), ["0-2,5\n", "7\n", undone]);
        // Once: later changes of the file are not ours.
        group.release();
        assert_eq!(made.written.borrow().len(), 3);
    }
}

#[test]
fn a_group_that_its_processes_have_left_has_no_list_again() {
    let made = Made::delegated("\n");
    let mut group = begin(&made);
    group.order(&[0, 1]).expect("possible");
    made.set("cgroup.events", "populated 0\n");
    group.release();
    assert_eq!(*made.written.borrow(), ["0-1\n", "\n"]);
}

#[test]
fn what_was_written_before_the_first_order_is_what_comes_back() {
    let made = Made::delegated("\n");
    let mut group = begin(&made);
    made.set("cpuset.cpus", "2-3\n");
    group.order(&[0]).expect("possible");
    group.release();
    assert_eq!(*made.written.borrow(), ["0\n", "2-3\n"]);
}

#[test]
fn what_somebody_else_writes_is_written_over_at_the_next_look() {
    let made = Made::delegated("\n");
    let mut group = begin(&made);
    group.order(&[0, 1]).expect("possible");
    made.set("cpuset.cpus", "5\n");
    group.look().expect("possible");
    assert_eq!(made.text("cpuset.cpus"), "0-1\n");
    assert_eq!(made.written.borrow().len(), 2);
}

#[test]
fn less_than_ordered_is_a_failure_and_the_last_order_stays() {
    let mut made = Made::delegated("\n");
    made.above = (0..4).collect();
    made.set("cpuset.cpus.effective", "0-3\n");
    let mut group = begin(&made);
    let why = |outcome: io::Result<()>| outcome.expect_err("refused").to_string();
    // The parent group does not have logical CPUs 4 and 5: the kernel reports no error and grants 3.
    assert_eq!(why(group.order(&[3, 4, 5])), "the system allows processors 3 only");
    assert_eq!(made.text("cpuset.cpus"), "0-3\n", "without an order before it has what it had in effect");
    group.order(&[1, 2]).expect("possible");
    // None of them is available: the kernel grants all.
    assert_eq!(why(group.order(&[6])), "the system allows processors 0-3 only");
    assert_eq!(made.text("cpuset.cpus"), "1-2\n");
    // A number that does not exist.
    assert_eq!(group.order(&[64]).expect_err("refused").raw_os_error(), Some(Errno::RANGE.raw_os_error()));
    assert_eq!(made.text("cpuset.cpus"), "1-2\n");
    group.release();
    assert_eq!(made.text("cpuset.cpus"), "0-3\n");
}

#[test]
fn it_has_ended_when_nobody_is_in_it_or_it_was_removed() {
    let made = Made::delegated("\n");
    let mut group = begin(&made);
    group.order(&[1]).expect("possible");
    assert!(!group.has_ended());
    made.set("cgroup.events", "populated 0\nfrozen 0\n");
    assert!(group.has_ended());
    made.files.borrow_mut().clear();
    assert!(group.has_ended());
    group.look().expect("nobody to be bound");
    group.order(&[2]).expect("nobody to be bound");
}

#[test]
fn a_cpuset_that_is_taken_away_while_processes_run_is_a_failure() {
    let made = Made::delegated("\n");
    let mut group = begin(&made);
    made.files.borrow_mut().remove(Path::new("cpuset.cpus"));
    assert_eq!(group.order(&[1]).expect_err("refused").kind(), io::ErrorKind::NotFound);
}

#[test]
fn an_empty_group_and_that_of_the_agent_are_refused() {
    let made = Made::delegated("\n");
    let why = |made: &Made| {
        Group::begin(made.clone(), "/made/up", &Ledger::default()).expect_err("refused").to_string()
    };
    made.set("job/cgroup.threads", &format!("1\n{}\n", std::process::id()));
    assert_eq!(why(&made), "this agent itself is in the control group /made/up: start it outside");
    made.set("cgroup.events", "populated 0\n");
    assert_eq!(why(&made), "no process is in the control group /made/up: start the program in it first");
}

/// A process that sleeps until it is dropped.
struct Sleeping(Child);

impl Sleeping {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").spawn().expect("sleep"))
    }

    fn cpus(&self) -> Vec<u32> {
        affinity_of(self.0.id()).expect("alive")
    }

    fn line(&self) -> String {
        format!("{}\n", self.0.id())
    }
}

impl Drop for Sleeping {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn without_a_cpuset_every_thread_of_the_group_and_of_those_below_is_bound() {
    let (here, below, later) = (Sleeping::new(), Sleeping::new(), Sleeping::new());
    let cpus = allowed().expect("Linux tells");
    let last = [*cpus.last().expect("a processor")];
    let made = Made::new(&[("cgroup.events", "populated 1\n"), ("cgroup.threads", &here.line())]);
    // 0 is a thread that this namespace does not show.
    made.set("a/b/cgroup.threads", &format!("0\n{}", below.line()));
    made.set("a/cgroup.threads", "");
    let mut group = begin(&made);
    assert_eq!(
        group.way(),
        "its threads are bound one by one, as cpuset.cpus of its control group cannot be written: No such file or directory (os error 2)"
    );
    let mut threads = group.threads().expect("readable");
    threads.sort_unstable();
    let mut expected = [here.0.id(), below.0.id()];
    expected.sort_unstable();
    assert_eq!(threads, expected);
    group.order(&last).expect("possible");
    assert_eq!((here.cpus(), below.cpus()), (last.to_vec(), last.to_vec()));
    assert_eq!(later.cpus(), cpus);
    made.set("a/cgroup.threads", &later.line());
    group.look().expect("possible");
    assert_eq!(later.cpus(), last);
    group.release();
    assert_eq!([here.cpus(), below.cpus(), later.cpus()], [cpus.clone(), cpus.clone(), cpus]);
}

#[test]
fn a_cpuset_that_is_not_ours_is_left_alone() {
    let process = Sleeping::new();
    let mut made = Made::delegated("\n");
    made.read_only = true;
    made.set("cgroup.threads", &process.line());
    let first = [allowed().expect("Linux tells")[0]];
    let mut group = begin(&made);
    assert!(group.way().ends_with("cannot be written: Permission denied (os error 13)"), "{}", group.way());
    group.order(&first).expect("possible");
    assert_eq!((process.cpus(), made.written.borrow().len()), (first.to_vec(), 0));
}
