//! The logical CPUs that each thread of a process or control group had, and those that it must have.
//!
//! Threads come and go during a look, and a new one has the CPUs of the thread that made it. So every look goes through the list until it
//! contains only threads that were seen already.
//!
//! A thread is identified by its number and its start time. A bound thread that is no longer in the list has left for another control
//! group: it gets its former CPUs back immediately, and from then on follows the orders of the owner that has adopted its new group, if
//! any.

use super::ledger::{Cpus, Ledger, Owner};
use super::process::Children;
use super::process::{Threads, is_gone};
use numasim_host::os::thread::{now_ns, thread_cpu_ns};
use numasim_host::system::Identity;
use rustix::io::Errno;
use std::collections::{BTreeSet, HashMap};
use std::io;

/// If threads are made faster than they can be listed, the next look finds the rest.
const PASSES: usize = 32;
/// If the number of threads is unchanged, looking through them takes at most this part of a logical CPU.
const PART: u64 = 100;
/// More logical CPUs than any Linux has: a control group restricts them to those that it allows.
const ALL: std::ops::Range<u32> = 0..65_536;

/// See the module.
#[derive(Debug)]
pub(super) struct Binding {
    ledger: Ledger,
    owner: Owner,
    /// The process that is adopted; `None` for a control group.
    main: Option<u32>,
    /// CPUs that a new thread gets at the end if those of its main thread before the first order are not known.
    others_had: Cpus,
    /// Bound threads, by their numbers.
    bound: HashMap<u32, Bound>,
    /// Number of threads at the last look, if that can be determined without a list.
    count: Option<u64>,
    /// When they are looked through again although their number is unchanged, by the system clock.
    next_ns: u64,
    /// Counts the looks, so that threads that no longer exist can be distinguished from the others.
    turn: u64,
    /// The order in force.
    order: Option<Vec<u32>>,
    children: Children,
}

/// A thread that follows the order.
#[derive(Debug)]
struct Bound {
    identity: Identity,
    /// The number of its process.
    process: u32,
    had: Cpus,
    /// The look in which it was last seen.
    turn: u64,
}

impl Binding {
    /// For a process: at the end new threads get the CPUs that its first one, `main`, had.
    pub(super) fn of_process(main: u32, threads: &impl Threads, ledger: &Ledger) -> io::Result<Self> {
        let others_had = ledger.shared(&threads.affinity(main)?);
        Self { main: Some(main), ..Self::new(ledger, others_had) }.readable(threads)
    }

    /// For several processes: at the end new threads get the CPUs that the main thread of their process had. Those of new processes get
    /// the CPUs that all threads at the first order had together.
    pub(super) fn of_all(threads: &impl Threads, ledger: &Ledger) -> io::Result<Self> {
        Self::new(ledger, ledger.shared(&[])).readable(threads)
    }

    fn new(ledger: &Ledger, others_had: Cpus) -> Self {
        Self {
            ledger: ledger.clone(),
            owner: ledger.owner(),
            main: None,
            others_had,
            bound: HashMap::new(),
            count: None,
            next_ns: 0,
            turn: 0,
            order: None,
            children: Children::default(),
        }
    }

    fn readable(self, threads: &impl Threads) -> io::Result<Self> {
        threads.list().map(|_| self)
    }

    /// Puts all threads on `cpus` (ascending); on failure, the last order is in force again.
    pub(super) fn order(&mut self, threads: &impl Threads, cpus: &[u32]) -> io::Result<()> {
        let is_first = self.order.is_none();
        if is_first {
            self.note(threads)?;
        }
        self.ledger.ordered(cpus);
        let before = self.order.replace(cpus.to_vec());
        let outcome = self.look_through(threads);
        if outcome.is_err() {
            match before {
                Some(before) => {
                    self.order = Some(before);
                    // If a thread cannot be put back now, the next look does it.
                    let _ = self.look_through(threads);
                }
                None => drop(self.release(threads)),
            }
        }
        outcome
    }

    /// Puts threads on the CPUs of the order if they are elsewhere; before the first order, does nothing. A thread that cannot be put
    /// there does not prevent this for the others; the first reason is returned.
    ///
    /// If there are as many threads as before, they are not looked through each time, but only as often as uses 1 % of a logical CPU.
    pub(super) fn look(&mut self, threads: &impl Threads) -> io::Result<()> {
        let count = threads.count();
        if count.is_some() && count == self.count && now_ns() < self.next_ns {
            return Ok(());
        }
        let before = thread_cpu_ns();
        let outcome = self.look_through(threads);
        // A thread that came meanwhile may be missing from the list: it changes the number.
        self.count = count;
        let took = thread_cpu_ns().saturating_sub(before);
        self.next_ns = now_ns().saturating_add(took.saturating_mul(PART));
        outcome
    }

    fn look_through(&mut self, threads: &impl Threads) -> io::Result<()> {
        let Some(order) = self.order.clone() else { return Ok(()) };
        self.turn += 1;
        let mut first_failure = None;
        let listed = each(threads, |thread| match self.hold(threads, thread, &order) {
            Ok(moved) => moved,
            Err(why) => {
                if !is_gone(&why) {
                    first_failure.get_or_insert(why);
                }
                true
            }
        });
        self.let_go(threads);
        let (bound, main) = (&self.bound, self.main);
        let is_adopted = |pid: u32| main == Some(pid) || bound.contains_key(&pid);
        self.children.look(threads, is_adopted);
        listed?;
        first_failure.map_or(Ok(()), Err)
    }

    /// Restores the former CPUs of every thread. This includes threads that have left, and processes started by these that still have the
    /// CPUs of an order. Returns the reasons for threads for which it fails.
    pub(super) fn release(&mut self, threads: &impl Threads) -> Vec<io::Error> {
        if self.order.take().is_none() {
            return Vec::new();
        }
        self.turn += 1;
        let mut failures = Vec::new();
        let mut note = |outcome: io::Result<()>| match outcome {
            Err(why) if !is_gone(&why) => failures.push(why),
            _ => {}
        };
        // If the group no longer exists, neither do its threads; those that have left it follow below.
        let _ = each(threads, |thread| {
            if let Some(had) = self.had(threads, thread) {
                note(give_back(threads, thread, &had));
            }
            true
        });
        let mut processes: BTreeSet<u32> = self.main.into_iter().collect();
        for one in std::mem::take(&mut self.bound).into_values() {
            processes.insert(one.process);
            if one.turn == self.turn {
                self.ledger.forget(one.identity);
            } else {
                note(self.give_up(threads, &one));
            }
        }
        for process in self.children.find(threads, |pid| processes.contains(&pid)).clone() {
            for thread in threads.of_process(process.number) {
                let is_left = || {
                    let identity = threads.identity(thread).ok()?;
                    let is_other = self.ledger.had(identity).is_some();
                    let now = threads.affinity(thread).ok()?;
                    (!is_other && self.ledger.is_order(&now)).then_some(())
                };
                if is_left().is_some() {
                    note(give_back(threads, thread, &self.others_had));
                }
            }
        }
        self.children = Children::default();
        failures
    }

    /// The CPUs that a thread in the list gets back; `None`: it follows the orders of another owner.
    fn had(&mut self, threads: &impl Threads, thread: u32) -> Option<Cpus> {
        if let Some(bound) = self.bound.get_mut(&thread)
            && threads.is_alive(bound.identity)
        {
            bound.turn = self.turn;
            return Some(bound.had.clone());
        }
        self.take(threads, thread, true).ok().flatten()
    }

    /// Notes the present CPUs of the threads, before any order.
    fn note(&mut self, threads: &impl Threads) -> io::Result<()> {
        self.turn += 1;
        let mut first_failure = None;
        each(threads, |thread| {
            if let Err(why) = self.take(threads, thread, false)
                && !is_gone(&why)
            {
                first_failure.get_or_insert(why);
            }
            true
        })?;
        self.bound.retain(|_, one| one.turn == self.turn);
        if let Some(main) = self.main {
            if let Some(one) = self.bound.get(&main) {
                self.others_had = one.had.clone();
            }
        } else {
            let together: BTreeSet<u32> =
                self.bound.values().flat_map(|one| one.had.iter().copied()).collect();
            self.others_had = self.ledger.shared(&together.into_iter().collect::<Vec<_>>());
        }
        first_failure.map_or(Ok(()), Err)
    }

    /// Takes a thread in the list that was not bound: the CPUs that it had; `None` if it follows the orders of another owner. `is_new`:
    /// it came after the first order.
    fn take(&mut self, threads: &impl Threads, thread: u32, is_new: bool) -> io::Result<Option<Cpus>> {
        let identity = threads.identity(thread)?;
        let owner = self.ledger.owner_of(identity);
        if owner.is_some_and(|owner| owner != self.owner) {
            return Ok(None);
        }
        let allowed = threads.allowed(thread)?;
        let had = self.ledger.take(identity, self.owner, || {
            if is_new && self.ledger.is_order(&allowed.cpus) {
                // It has the CPUs of the thread that made it.
                let main = self.bound.get(&allowed.process).map(|main| main.had.clone());
                main.unwrap_or_else(|| self.others_had.clone())
            } else {
                self.ledger.shared(&allowed.cpus)
            }
        });
        let bound = Bound { identity, process: allowed.process, had: had.clone(), turn: self.turn };
        let before = self.bound.insert(thread, bound);
        if let Some(before) = before.filter(|before| before.identity != identity) {
            self.ledger.forget(before.identity);
        }
        Ok(Some(had))
    }

    /// Puts a thread on the CPUs of the order. Returns whether it was elsewhere; then threads that it made meanwhile are also elsewhere.
    fn hold(&mut self, threads: &impl Threads, thread: u32, order: &[u32]) -> io::Result<bool> {
        // Reading its start each time would cost more than everything else. If its number belongs to another thread by now, that one also
        // has to be on the CPUs of the order, and `release` detects the difference.
        if let Some(bound) = self.bound.get_mut(&thread) {
            bound.turn = self.turn;
        } else if self.take(threads, thread, true)?.is_none() {
            return Ok(false);
        }
        if threads.affinity(thread)? == order {
            return Ok(false);
        }
        threads.bind(thread, order)?;
        // The kernel silently leaves out CPUs that a control group forbids.
        let found = threads.affinity(thread)?;
        if found == order { Ok(true) } else { Err(less(&found)) }
    }

    /// Removes threads that were not in the list: they have ended or left.
    fn let_go(&mut self, threads: &impl Threads) {
        let turn = self.turn;
        let gone: Vec<u32> =
            self.bound.iter().filter(|(_, one)| one.turn != turn).map(|(&thread, _)| thread).collect();
        for thread in gone {
            if let Some(one) = self.bound.remove(&thread) {
                // Even if restoring fails: the thread is not ours any more.
                let _ = self.give_up(threads, &one);
            }
        }
    }

    /// For a thread that was not in the list: restores its former CPUs if it is alive and was not put elsewhere since.
    fn give_up(&self, threads: &impl Threads, one: &Bound) -> io::Result<()> {
        if !threads.is_alive(one.identity) {
            self.ledger.forget(one.identity);
            return Ok(());
        }
        self.ledger.give_up(one.identity, |thread| threads.is_alive(thread));
        let number = one.identity.number;
        if self.ledger.is_of_order(&threads.affinity(number)?) {
            give_back(threads, number, &one.had)
        } else {
            Ok(())
        }
    }
}

/// Restores the former CPUs of a thread; if its control group no longer allows any of them, it gets all that the group allows.
fn give_back(threads: &impl Threads, thread: u32, had: &[u32]) -> io::Result<()> {
    match threads.bind(thread, had) {
        Err(why) if why.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
            threads.bind(thread, &ALL.collect::<Vec<_>>())
        }
        outcome => outcome,
    }
}

/// Calls `act` once with every thread. If it returns that new threads may need it, also with those that come meanwhile.
fn each(threads: &impl Threads, mut act: impl FnMut(u32) -> bool) -> io::Result<()> {
    // Ascending.
    let mut seen: Vec<u32> = Vec::new();
    for _ in 0..PASSES {
        let list = match threads.list() {
            Err(why) if is_gone(&why) => return Ok(()),
            list => list?,
        };
        let mut new: Vec<u32> =
            list.into_iter().filter(|thread| seen.binary_search(thread).is_err()).collect();
        new.sort_unstable();
        new.dedup();
        let mut again = false;
        for &thread in &new {
            again |= act(thread);
        }
        if !again {
            break;
        }
        seen.append(&mut new);
        seen.sort_unstable();
    }
    Ok(())
}

/// Not all CPUs of the order are available.
pub(super) fn less(found: &[u32]) -> io::Error {
    let found = numasim_model::cpus::ranges(found);
    io::Error::other(format!("the system allows processors {found} only"))
}
