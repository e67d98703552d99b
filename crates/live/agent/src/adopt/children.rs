//! Processes that adopted ones started. They follow no order, but begin with that of the thread that started them.

use super::threads::Threads;
use numasim_host::os::thread::{now_ns, thread_cpu_ns};
use numasim_host::system::{Identity, descendants};
use std::collections::BTreeSet;
use std::time::Duration;

/// How often they are looked for: one whose parents end sooner is not known to descend from them.
const EVERY: Duration = Duration::from_secs(1);
/// Looking for them takes at most this part of a processor.
const PART: u32 = 200;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Children {
    known: BTreeSet<Identity>,
    /// By the clock of the system.
    next_ns: u64,
}

impl Children {
    /// Looks for them, if it is time; `is_adopted` names the processes that are adopted.
    pub(super) fn look(&mut self, threads: &impl Threads, is_adopted: impl Fn(u32) -> bool) {
        if now_ns() < self.next_ns {
            return;
        }
        let before = thread_cpu_ns();
        self.find(threads, is_adopted);
        let took = Duration::from_nanos(thread_cpu_ns().saturating_sub(before));
        let pause = EVERY.max(took * PART);
        self.next_ns = now_ns().saturating_add(u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Looks for them now; those that live.
    pub(super) fn find(
        &mut self,
        threads: &impl Threads,
        is_adopted: impl Fn(u32) -> bool,
    ) -> &BTreeSet<Identity> {
        let table = threads.table();
        let is_root = |one: &Identity| is_adopted(one.number) || self.known.contains(one);
        let mut now: BTreeSet<Identity> =
            descendants(&table, is_root, |_| false).iter().map(|one| one.identity).collect();
        now.extend(table.iter().map(|one| one.identity).filter(|one| self.known.contains(one)));
        self.known = now;
        &self.known
    }
}
