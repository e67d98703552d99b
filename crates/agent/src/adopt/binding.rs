//! Which processors each thread of a process or control group had, and has to have.
//!
//! Threads come and go while they are looked at, and a new one has what the thread had that made it. So every look goes
//! through the list until it has no thread that was not seen yet.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rustix::io::Errno;

/// Whoever makes threads faster than they can be listed is looked at again in the next period.
const PASSES: usize = 32;

/// The threads of a process or control group, and their processors (ascending).
pub(super) trait Threads {
    fn list(&self) -> io::Result<Vec<u32>>;
    fn affinity(&self, thread: u32) -> io::Result<Vec<u32>>;
    fn bind(&self, thread: u32, cpus: &[u32]) -> io::Result<()>;
}

/// See the module.
#[derive(Debug)]
pub(super) struct Binding {
    /// What threads had that were there before the first order.
    had: BTreeMap<u32, Vec<u32>>,
    /// What all others get at the end.
    others_had: Vec<u32>,
    /// The order in force.
    order: Option<Vec<u32>>,
}

impl Binding {
    /// Of a process: new threads get at the end what its first one had, which is `main`.
    pub(super) fn of_process(main: u32, threads: &impl Threads) -> io::Result<Self> {
        let mut binding = Self { had: BTreeMap::new(), others_had: threads.affinity(main)?, order: None };
        binding.note(threads)?;
        Ok(binding)
    }

    /// Of several processes: new threads get at the end what all that are there now had together.
    pub(super) fn of_all(threads: &impl Threads) -> io::Result<Self> {
        let mut binding = Self { had: BTreeMap::new(), others_had: Vec::new(), order: None };
        binding.note(threads)?;
        let together: BTreeSet<u32> = binding.had.values().flatten().copied().collect();
        binding.others_had = together.into_iter().collect();
        Ok(binding)
    }

    /// Puts all threads on `cpus` (ascending); on failure, the last order is in force again.
    pub(super) fn order(&mut self, threads: &impl Threads, cpus: &[u32]) -> io::Result<()> {
        if self.order.is_none() {
            self.note(threads)?;
        }
        let before = self.order.replace(cpus.to_vec());
        let outcome = self.look(threads);
        if outcome.is_err() {
            match before {
                Some(before) => {
                    self.order = Some(before);
                    // Whoever cannot be put back now is the next look's.
                    let _ = self.look(threads);
                }
                None => self.release(threads),
            }
        }
        outcome
    }

    /// Puts threads that are not where the order says there; without one, notes what new threads have.
    pub(super) fn look(&mut self, threads: &impl Threads) -> io::Result<()> {
        let Some(order) = &self.order else { return self.note(threads) };
        let alive = each(threads, |thread| {
            if threads.affinity(thread)? != *order {
                threads.bind(thread, order)?;
                // The kernel leaves out without a word what a control group forbids.
                let found = threads.affinity(thread)?;
                if found != *order {
                    return Err(less(&found));
                }
            }
            Ok(())
        })?;
        // A number that comes again later is another thread's.
        self.had.retain(|thread, _| alive.contains(thread));
        Ok(())
    }

    /// Gives every thread back what it had.
    pub(super) fn release(&mut self, threads: &impl Threads) {
        if self.order.take().is_some() {
            let (had, others_had) = (&self.had, &self.others_had);
            let _ = each(threads, |thread| {
                // What one thread does not get back is no reason against the others.
                let _ = threads.bind(thread, had.get(&thread).unwrap_or(others_had));
                Ok(())
            });
        }
    }

    /// What the threads have now, before any order.
    fn note(&mut self, threads: &impl Threads) -> io::Result<()> {
        let mut now = BTreeMap::new();
        each(threads, |thread| {
            now.insert(thread, threads.affinity(thread)?);
            Ok(())
        })?;
        self.had = now;
        Ok(())
    }
}

/// Does something once with every thread, also with those that come meanwhile; returns those that were there. Threads
/// that end are left out.
fn each(threads: &impl Threads, mut act: impl FnMut(u32) -> io::Result<()>) -> io::Result<BTreeSet<u32>> {
    let mut seen = BTreeSet::new();
    for _ in 0..PASSES {
        let list = match threads.list() {
            Err(why) if is_gone(&why) => return Ok(seen),
            list => list?,
        };
        let new: Vec<u32> = list.into_iter().filter(|thread| !seen.contains(thread)).collect();
        if new.is_empty() {
            break;
        }
        for thread in new {
            seen.insert(thread);
            match act(thread) {
                Err(why) if is_gone(&why) => {}
                outcome => outcome?,
            }
        }
    }
    Ok(seen)
}

/// Not all that was ordered is to be had.
pub(super) fn less(found: &[u32]) -> io::Error {
    let found = numasim_model::cpus::ranges(found);
    io::Error::other(format!("the system allows processors {found} only"))
}

/// Whether a thread, process or control group is not there any more.
pub(super) fn is_gone(why: &io::Error) -> bool {
    [Errno::SRCH, Errno::NOENT, Errno::NODEV]
        .iter()
        .any(|gone| why.raw_os_error() == Some(gone.raw_os_error()))
}
