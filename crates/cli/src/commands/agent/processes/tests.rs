//! Real processes, on the logical CPUs of this host.

use std::io::Write as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use numasim_host::os::process::own_uid;
use numasim_host::os::thread::affinity_of;

use super::*;
use crate::commands::host_nodes::this_host;

/// A shell that waits for a line, and then becomes `sleep`.
struct Shell {
    child: Child,
    tell: Option<ChildStdin>,
}

impl Shell {
    fn new() -> Self {
        let mut child = Command::new("sh")
            .args(["-c", "read line; exec sleep 600"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let tell = child.stdin.take();
        Self { child, tell }
    }

    fn wanted(&self, name: &str) -> Wanted {
        Wanted { name: name.to_owned(), what: What::Process(self.child.id()) }
    }

    fn becomes_another(&mut self) {
        self.tell.take().expect("once").write_all(b"now\n").expect("it listens");
    }

    fn end(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("an end");
    }

    fn cpus(&self) -> Vec<u32> {
        affinity_of(self.child.id()).expect("alive")
    }

    fn came(&self, number: usize, name: &str) -> Change {
        let peer = Peer { pid: Some(self.child.id()), uid: own_uid() };
        Change::Came { number, name: name.to_owned(), peer }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn begin(adopt: &[Wanted], started: &[Wanted]) -> Result<Processes, Failure> {
    Processes::begin(adopt, started, Some(&this_host().expect("Linux tells")))
}

/// The first observed change.
fn next(processes: &mut Processes) -> Vec<Change> {
    let start = Instant::now();
    loop {
        let changes = processes.look();
        if !changes.is_empty() {
            return changes;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn message(outcome: Result<Processes, Failure>) -> String {
    outcome.err().expect("refused").message().to_owned()
}

#[test]
fn who_is_adopted_comes_at_the_first_look_is_moved_and_ends() {
    let (mut one, two) = (Shell::new(), Shell::new());
    let before = two.cpus();
    let mut processes = begin(&[one.wanted("one"), two.wanted("two")], &[]).expect("ours");
    assert!(!processes.is_empty() && processes.ways().is_empty());
    assert_eq!(processes.look(), [one.came(0, "one"), two.came(1, "two")]);
    assert!(processes.look().is_empty());
    assert_eq!(processes.watched().len(), 2);
    let first = processes.cores[0].clone();
    processes.bind(1, &[0]).expect("possible");
    assert_eq!(two.cpus(), first);
    one.end();
    assert_eq!(next(&mut processes), [Change::Ended { number: 0 }]);
    assert_eq!((processes.look(), processes.watched().len()), (Vec::new(), 1));
    assert_eq!(processes.bind(0, &[0]), Err("it has ended".to_owned()));
    processes.give_back();
    assert_eq!(two.cpus(), before);
}

#[test]
fn one_that_is_started_later_comes_when_it_is_another_program() {
    let mut one = Shell::new();
    let before = one.cpus();
    let mut processes = begin(&[], &[one.wanted("one")]).expect("ours");
    assert_eq!((processes.look(), processes.watched().len()), (Vec::new(), 1));
    assert_eq!(processes.bind(0, &[0]), Err("it has ended".to_owned()));
    one.becomes_another();
    assert_eq!(next(&mut processes), [one.came(0, "one")]);
    processes.bind(0, &[0]).expect("possible");
    assert_eq!(one.cpus(), processes.cores[0]);
    drop(processes);
    assert_eq!(one.cpus(), before);
}

#[test]
fn one_that_ends_before_it_is_another_program_was_never_there() {
    let (mut early, mut late) = (Shell::new(), Shell::new());
    early.end();
    let mut processes = begin(&[], &[early.wanted("early"), late.wanted("late")]).expect("no mistake");
    late.end();
    assert!(processes.look().is_empty());
    assert!(processes.watched().is_empty() && !processes.is_empty());
}

#[test]
fn one_that_has_ended_cannot_be_adopted_by_a_person() {
    let mut one = Shell::new();
    one.end();
    let pid = one.child.id();
    assert_eq!(
        message(begin(&[one.wanted("one")], &[])),
        format!("--adopt one={pid}: there is no process with pid {pid}")
    );
}

#[test]
fn a_machine_that_nobody_says_is_this_host_is_refused_where_somebody_is_to_be_adopted() {
    let one = Shell::new();
    let said = message(Processes::begin(&[one.wanted("one")], &[], None));
    assert!(said.starts_with("--adopt moves processes of this host"), "{said}");
    assert!(Processes::begin(&[], &[], None).expect("nobody").is_empty());
}

#[test]
fn nobody_is_there_twice() {
    let one = Shell::new();
    let pid = one.child.id();
    let said = message(begin(&[one.wanted("one")], &[one.wanted("two")]));
    assert_eq!(said, format!("--adopt: the process with pid {pid} is there twice"));
    let said = message(begin(&[one.wanted("one"), one.wanted("one")], &[]));
    assert_eq!(said, "--adopt: the name \"one\" is there twice");
}
