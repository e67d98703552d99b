//! A process in the memory of the test.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rustix::io::Errno;

use numasim_host::system::{Allowed, Identity, Listed};

use super::super::binding::Binding;
use super::super::ledger::Ledger;
use super::super::process::Threads;

/// A change of the threads before the next call of a kind.
type Event = Box<dyn FnOnce(&mut BTreeMap<u32, Vec<u32>>)>;

/// Threads and their logical CPUs, of which `allowed` exist.
#[derive(Default)]
struct Made {
    threads: RefCell<BTreeMap<u32, Vec<u32>>>,
    /// Start times of threads that did not start at 0.
    started: RefCell<BTreeMap<u32, u64>>,
    /// Processes of threads that are not processes themselves.
    processes: BTreeMap<u32, u32>,
    /// Threads that are not in the list, because they are in another group.
    elsewhere: RefCell<BTreeSet<u32>>,
    /// Processes and their parents.
    parents: RefCell<BTreeMap<u32, u32>>,
    allowed: Vec<u32>,
    before_bind: RefCell<Vec<Event>>,
    binds: RefCell<usize>,
    refuses: RefCell<bool>,
}

impl Made {
    fn new(threads: &[(u32, &[u32])]) -> Self {
        Self {
            threads: RefCell::new(threads.iter().map(|(thread, cpus)| (*thread, cpus.to_vec())).collect()),
            allowed: (0..8).collect(),
            ..Self::default()
        }
    }

    fn now(&self) -> Vec<(u32, Vec<u32>)> {
        self.threads.borrow().iter().map(|(thread, cpus)| (*thread, cpus.clone())).collect()
    }

    fn set(&self, thread: u32, cpus: &[u32]) {
        self.threads.borrow_mut().insert(thread, cpus.to_vec());
    }

    fn end(&self, thread: u32) {
        self.threads.borrow_mut().remove(&thread);
        // The next thread with this number is another one.
        *self.started.borrow_mut().entry(thread).or_default() += 1;
    }

    /// The thread is in another control group from now on.
    fn leave(&self, thread: u32) {
        self.elsewhere.borrow_mut().insert(thread);
    }

    fn has(&self, thread: u32) -> Vec<u32> {
        self.threads.borrow()[&thread].clone()
    }
}

fn errno<T>(why: Errno) -> io::Result<T> {
    Err(why.into())
}

impl Threads for Made {
    fn list(&self) -> io::Result<Vec<u32>> {
        let elsewhere = self.elsewhere.borrow();
        Ok(self.threads.borrow().keys().copied().filter(|thread| !elsewhere.contains(thread)).collect())
    }

    fn identity(&self, thread: u32) -> io::Result<Identity> {
        self.affinity(thread)?;
        let started = self.started.borrow().get(&thread).copied().unwrap_or(0);
        Ok(Identity { number: thread, started })
    }

    fn allowed(&self, thread: u32) -> io::Result<Allowed> {
        let process = self.processes.get(&thread).copied().unwrap_or(thread);
        Ok(Allowed { process, cpus: self.affinity(thread)? })
    }

    fn table(&self) -> Vec<Listed> {
        let listed = |(&pid, &parent): (&u32, &u32)| {
            let identity = self.identity(pid).ok()?;
            Some(Listed {
                identity,
                name: String::new(),
                has_ended: false,
                parent,
                group: pid,
                of_kernel: false,
            })
        };
        self.parents.borrow().iter().filter_map(listed).collect()
    }

    fn of_process(&self, pid: u32) -> Vec<u32> {
        vec![pid]
    }

    fn affinity(&self, thread: u32) -> io::Result<Vec<u32>> {
        self.threads.borrow().get(&thread).cloned().map_or_else(|| errno(Errno::SRCH), Ok)
    }

    fn bind(&self, thread: u32, cpus: &[u32]) -> io::Result<()> {
        if let Some(event) = self.before_bind.borrow_mut().pop() {
            event(&mut self.threads.borrow_mut());
        }
        *self.binds.borrow_mut() += 1;
        if *self.refuses.borrow() {
            return errno(Errno::PERM);
        }
        let cpus: Vec<u32> = cpus.iter().copied().filter(|cpu| self.allowed.contains(cpu)).collect();
        match self.threads.borrow_mut().get_mut(&thread) {
            None => errno(Errno::SRCH),
            Some(_) if cpus.is_empty() => errno(Errno::INVAL),
            Some(has) => {
                *has = cpus;
                Ok(())
            }
        }
    }
}

fn threads(all: &[(u32, &[u32])]) -> Vec<(u32, Vec<u32>)> {
    all.iter().map(|(thread, cpus)| (*thread, cpus.to_vec())).collect()
}

const ALL: &[u32] = &[0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn each_thread_gets_back_what_it_had_and_a_new_one_what_the_main_thread_had() {
    let made = Made::new(&[(10, ALL), (11, &[3]), (12, &[4, 5])]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    assert_eq!(made.now(), threads(&[(10, ALL), (11, &[3]), (12, &[4, 5])]));
    binding.order(&made, &[1, 2]).expect("possible");
    assert_eq!(made.now(), threads(&[(10, &[1, 2]), (11, &[1, 2]), (12, &[1, 2])]));
    // A new one has the CPUs of the thread that made it; one ends; one goes elsewhere.
    made.set(13, &[1, 2]);
    made.end(12);
    made.set(11, &[6]);
    binding.look(&made).expect("possible");
    assert_eq!(made.now(), threads(&[(10, &[1, 2]), (11, &[1, 2]), (13, &[1, 2])]));
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, ALL), (11, &[3]), (13, ALL)]));
    // Once: later changes are not ours.
    made.set(10, &[0]);
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0]), (11, &[3]), (13, ALL)]));
}

#[test]
fn in_a_group_a_new_thread_gets_what_all_had_together() {
    let made = Made::new(&[(10, &[0, 1]), (20, &[3])]);
    let mut binding = Binding::of_all(&made, &Ledger::default()).expect("alive");
    binding.order(&made, &[2]).expect("possible");
    made.set(30, &[2]);
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0, 1]), (20, &[3]), (30, &[0, 1, 3])]));
}

#[test]
fn threads_that_come_before_the_first_order_have_something_of_their_own() {
    let made = Made::new(&[(10, ALL)]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    made.set(11, &[7]);
    binding.look(&made).expect("possible");
    made.set(12, &[6]);
    binding.order(&made, &[0]).expect("possible");
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, ALL), (11, &[7]), (12, &[6])]));
}

#[test]
fn a_thread_that_comes_while_others_are_bound_is_found() {
    let made = Made::new(&[(10, ALL), (11, ALL)]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    // Made by a thread that is not bound yet, after the list was read, twice.
    for thread in [9, 5] {
        let come: Event = Box::new(move |all| drop(all.insert(thread, ALL.to_vec())));
        made.before_bind.borrow_mut().push(come);
    }
    binding.order(&made, &[2]).expect("possible");
    assert_eq!(made.now(), threads(&[(5, &[2]), (9, &[2]), (10, &[2]), (11, &[2])]));
    made.before_bind.borrow_mut().push(Box::new(|all| drop(all.insert(6, vec![2]))));
    binding.release(&made);
    assert!(made.now().iter().all(|(_, cpus)| cpus == ALL), "{:?}", made.now());
}

#[test]
fn a_thread_that_ends_meanwhile_is_no_failure() {
    let made = Made::new(&[(10, ALL), (11, ALL)]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    made.before_bind.borrow_mut().push(Box::new(|all| drop(all.remove(&10))));
    binding.order(&made, &[2]).expect("possible");
    assert_eq!(made.now(), threads(&[(11, &[2])]));
}

#[test]
fn a_number_that_comes_again_is_another_thread() {
    let made = Made::new(&[(10, ALL), (11, &[3])]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    binding.order(&made, &[2]).expect("possible");
    made.end(11);
    binding.look(&made).expect("possible");
    made.set(11, &[2]);
    binding.look(&made).expect("possible");
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, ALL), (11, ALL)]));
}

#[test]
fn threads_where_the_order_says_are_left_alone() {
    let made = Made::new(&[(10, ALL), (11, ALL)]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    binding.order(&made, &[2]).expect("possible");
    binding.look(&made).expect("possible");
    binding.order(&made, &[2]).expect("possible");
    assert_eq!(*made.binds.borrow(), 2);
}

#[test]
fn after_an_order_that_fails_the_last_one_stays() {
    let mut made = Made::new(&[(10, ALL), (11, &[3])]);
    made.allowed = (0..4).collect();
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    // None of them, and one of them that the kernel silently leaves out.
    assert_eq!(binding.order(&made, &[5]).expect_err("impossible").raw_os_error(), Some(22));
    made.set(10, &[0, 1, 2, 3]);
    let why = binding.order(&made, &[2, 5]).expect_err("impossible").to_string();
    assert_eq!(why, "the system allows processors 2 only");
    assert_eq!(made.now(), threads(&[(10, &[0, 1, 2, 3]), (11, &[3])]));
    binding.order(&made, &[1, 2]).expect("possible");
    binding.order(&made, &[2, 5]).expect_err("impossible");
    assert_eq!(made.now(), threads(&[(10, &[1, 2]), (11, &[1, 2])]));
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0, 1, 2, 3]), (11, &[3])]));
}

#[test]
fn a_process_that_becomes_somebody_elses_is_a_failure() {
    let made = Made::new(&[(10, ALL)]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    *made.refuses.borrow_mut() = true;
    assert_eq!(binding.order(&made, &[2]).expect_err("refused").kind(), io::ErrorKind::PermissionDenied);
}

#[test]
fn a_thread_that_leaves_gets_back_at_the_next_look_what_it_had() {
    let made = Made::new(&[(10, ALL), (20, &[3, 4]), (30, &[5])]);
    let mut binding = Binding::of_all(&made, &Ledger::default()).expect("alive");
    binding.order(&made, &[1, 2]).expect("possible");
    made.leave(20);
    binding.look(&made).expect("possible");
    assert_eq!(made.now(), threads(&[(10, &[1, 2]), (20, &[3, 4]), (30, &[1, 2])]));
    // From then on it is left alone.
    made.set(20, &[1]);
    binding.look(&made).expect("possible");
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, ALL), (20, &[1]), (30, &[5])]));
}

#[test]
fn all_that_leave_before_the_end_get_back_what_they_had() {
    // One leaves and its user puts it elsewhere; a control group permits only part of another's CPUs; the number of one is another
    // thread's now.
    let made = Made::new(&[(10, ALL), (20, &[3, 4]), (30, &[5]), (40, &[6]), (50, &[7])]);
    let mut binding = Binding::of_all(&made, &Ledger::default()).expect("alive");
    binding.order(&made, &[1, 2]).expect("possible");
    for thread in [20, 30, 40, 50] {
        made.leave(thread);
    }
    made.set(30, &[0]);
    made.set(40, &[2]);
    made.end(50);
    made.set(50, &[1, 2]);
    assert!(binding.release(&made).is_empty());
    assert_eq!(made.now(), threads(&[(10, ALL), (20, &[3, 4]), (30, &[0]), (40, &[6]), (50, &[1, 2])]));
}

#[test]
fn one_that_comes_from_elsewhere_gets_back_what_it_had_and_not_what_the_others_had() {
    let made = Made::new(&[(10, &[0, 1])]);
    let mut binding = Binding::of_all(&made, &Ledger::default()).expect("alive");
    binding.order(&made, &[2]).expect("possible");
    made.set(20, &[4, 5]);
    binding.look(&made).expect("possible");
    assert_eq!(made.has(20), [2]);
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0, 1]), (20, &[4, 5])]));
}

#[test]
fn in_a_group_a_new_thread_gets_what_the_main_thread_of_its_process_had() {
    let mut made = Made::new(&[(10, &[0, 1]), (20, &[3])]);
    made.processes = BTreeMap::from([(21, 20)]);
    let mut binding = Binding::of_all(&made, &Ledger::default()).expect("alive");
    binding.order(&made, &[2]).expect("possible");
    made.set(21, &[2]);
    binding.look(&made).expect("possible");
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0, 1]), (20, &[3]), (21, &[3])]));
}

/// Two groups in one agent, with thread 10 in the first and 20 in the second, each with an order.
fn two_groups() -> (Made, Made, Binding, Binding) {
    let (one, two) = (Made::new(&[(10, &[4, 5]), (11, ALL)]), Made::new(&[(20, ALL)]));
    let ledger = Ledger::default();
    let mut first = Binding::of_all(&one, &ledger).expect("alive");
    let mut second = Binding::of_all(&two, &ledger).expect("alive");
    first.order(&one, &[1]).expect("possible");
    second.order(&two, &[2]).expect("possible");
    (one, two, first, second)
}

#[test]
fn a_thread_that_moves_from_one_adopted_group_to_another_follows_it_and_gets_back_what_it_had_first() {
    for first_looks_first in [true, false] {
        let (one, two, mut first, mut second) = two_groups();
        one.leave(10);
        two.set(10, &[1]);
        for _ in 0..2 {
            if first_looks_first {
                first.look(&one).expect("possible");
                two.set(10, &one.has(10));
            }
            second.look(&two).expect("possible");
            if !first_looks_first {
                one.set(10, &two.has(10));
                first.look(&one).expect("possible");
                two.set(10, &one.has(10));
            }
        }
        assert_eq!(two.has(10), [2], "{first_looks_first}");
        second.release(&two);
        assert_eq!(two.now(), threads(&[(10, &[4, 5]), (20, ALL)]), "{first_looks_first}");
        first.release(&one);
        assert_eq!(one.has(11), ALL);
    }
}

#[test]
fn a_thread_that_two_of_them_list_follows_the_one_that_had_it_first() {
    let (one, two, mut first, mut second) = two_groups();
    two.set(10, &[1]);
    second.look(&two).expect("possible");
    assert_eq!(two.has(10), [1]);
    second.release(&two);
    assert_eq!(two.has(10), [1]);
    first.release(&one);
    assert_eq!(one.has(10), [4, 5]);
}

#[test]
fn a_thread_that_cannot_be_bound_does_not_keep_the_next_ones_from_it() {
    let mut made = Made::new(&[(10, ALL)]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    binding.order(&made, &[1, 2]).expect("possible");
    // Logical CPU 1 goes off-line: the kernel shows the rest.
    made.allowed = vec![0, 2, 3];
    made.set(10, &[2]);
    made.set(11, &[0, 2, 3]);
    made.set(12, &[0, 2, 3]);
    let why = binding.look(&made).expect_err("less than ordered").to_string();
    assert_eq!(why, "the system allows processors 2 only");
    assert_eq!(made.now(), threads(&[(10, &[2]), (11, &[2]), (12, &[2])]));
}

#[test]
fn where_nothing_is_left_of_what_a_thread_had_it_gets_all_that_there_is() {
    let mut made = Made::new(&[(10, &[6, 7])]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    binding.order(&made, &[1]).expect("possible");
    made.allowed = vec![1, 2];
    assert!(binding.release(&made).is_empty());
    assert_eq!(made.has(10), [1, 2]);
}

#[test]
fn a_process_that_an_adopted_one_started_gets_back_what_that_one_had() {
    // 20 and 30 begin with the order; 30 moves itself elsewhere; 40 is a child of 20, and 20 ends. 50 does not concern us.
    let made = Made::new(&[(10, &[0, 4])]);
    let mut binding = Binding::of_process(10, &made, &Ledger::default()).expect("alive");
    for (pid, parent, cpus) in [(20, 10, &[1, 2][..]), (30, 10, &[5]), (40, 20, &[1, 2]), (50, 1, &[1, 2])] {
        made.set(pid, cpus);
        made.leave(pid);
        made.parents.borrow_mut().insert(pid, parent);
    }
    made.parents.borrow_mut().insert(10, 1);
    binding.order(&made, &[1, 2]).expect("possible");
    binding.order(&made, &[3]).expect("possible");
    assert_eq!(made.has(20), [1, 2], "it follows no order");
    made.end(20);
    made.parents.borrow_mut().remove(&20);
    made.parents.borrow_mut().insert(40, 1);
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0, 4]), (30, &[5]), (40, &[0, 4]), (50, &[1, 2])]));
}
