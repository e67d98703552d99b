//! A process in the memory of the test.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use rustix::io::Errno;

use super::super::binding::{Binding, Threads};

/// What happens to the threads before the next call of a kind.
type Event = Box<dyn FnOnce(&mut BTreeMap<u32, Vec<u32>>)>;

/// Threads and their processors, of which `allowed` exist.
struct Made {
    threads: RefCell<BTreeMap<u32, Vec<u32>>>,
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
            before_bind: RefCell::default(),
            binds: RefCell::default(),
            refuses: RefCell::default(),
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
    }
}

fn errno<T>(why: Errno) -> io::Result<T> {
    Err(why.into())
}

impl Threads for Made {
    fn list(&self) -> io::Result<Vec<u32>> {
        Ok(self.threads.borrow().keys().copied().collect())
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
    let mut binding = Binding::of_process(10, &made).expect("alive");
    assert_eq!(made.now(), threads(&[(10, ALL), (11, &[3]), (12, &[4, 5])]));
    binding.order(&made, &[1, 2]).expect("possible");
    assert_eq!(made.now(), threads(&[(10, &[1, 2]), (11, &[1, 2]), (12, &[1, 2])]));
    // A new one has what the one had that made it; one ends; one goes elsewhere.
    made.set(13, &[1, 2]);
    made.end(12);
    made.set(11, &[6]);
    binding.look(&made).expect("possible");
    assert_eq!(made.now(), threads(&[(10, &[1, 2]), (11, &[1, 2]), (13, &[1, 2])]));
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, ALL), (11, &[3]), (13, ALL)]));
    // Once: what it does from now on is its own affair.
    made.set(10, &[0]);
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0]), (11, &[3]), (13, ALL)]));
}

#[test]
fn in_a_group_a_new_thread_gets_what_all_had_together() {
    let made = Made::new(&[(10, &[0, 1]), (20, &[3])]);
    let mut binding = Binding::of_all(&made).expect("alive");
    binding.order(&made, &[2]).expect("possible");
    made.set(30, &[2]);
    binding.release(&made);
    assert_eq!(made.now(), threads(&[(10, &[0, 1]), (20, &[3]), (30, &[0, 1, 3])]));
}

#[test]
fn threads_that_come_before_the_first_order_have_something_of_their_own() {
    let made = Made::new(&[(10, ALL)]);
    let mut binding = Binding::of_process(10, &made).expect("alive");
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
    let mut binding = Binding::of_process(10, &made).expect("alive");
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
    let mut binding = Binding::of_process(10, &made).expect("alive");
    made.before_bind.borrow_mut().push(Box::new(|all| drop(all.remove(&10))));
    binding.order(&made, &[2]).expect("possible");
    assert_eq!(made.now(), threads(&[(11, &[2])]));
}

#[test]
fn a_number_that_comes_again_is_another_thread() {
    let made = Made::new(&[(10, ALL), (11, &[3])]);
    let mut binding = Binding::of_process(10, &made).expect("alive");
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
    let mut binding = Binding::of_process(10, &made).expect("alive");
    binding.order(&made, &[2]).expect("possible");
    binding.look(&made).expect("possible");
    binding.order(&made, &[2]).expect("possible");
    assert_eq!(*made.binds.borrow(), 2);
}

#[test]
fn after_an_order_that_fails_the_last_one_stays() {
    let mut made = Made::new(&[(10, ALL), (11, &[3])]);
    made.allowed = (0..4).collect();
    let mut binding = Binding::of_process(10, &made).expect("alive");
    // None of them, and one of them that the kernel leaves out without a word.
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
    let mut binding = Binding::of_process(10, &made).expect("alive");
    *made.refuses.borrow_mut() = true;
    assert_eq!(binding.order(&made, &[2]).expect_err("refused").kind(), io::ErrorKind::PermissionDenied);
}
