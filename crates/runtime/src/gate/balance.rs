//! Orders: who blocks, who is unblocked. Everything here runs under the lock.

use super::{AWAKE, BLOCKED, Gate, IDLE, Inner};
use crate::sync::{Ordering, lock};

/// An order in the numbers of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// All may run.
    All,
    /// So many in all.
    Total(usize),
    /// So many on each node.
    PerNode(Vec<usize>),
    /// Those that are true.
    Workers(Vec<bool>),
}

impl Gate {
    /// Puts an order in force. When it returns, idle workers obey, those that are wanted were woken, and the others
    /// that are too many block before their next fetch.
    pub(crate) fn set(&self, rule: Rule) {
        let mut inner = lock(&self.inner);
        inner.rule = rule;
        self.balance(&mut inner);
    }

    /// Is there a worker too many, and may it be this one?
    pub(super) fn too_many(&self, inner: &Inner, worker: usize) -> bool {
        let node = self.members[worker].node;
        match &inner.rule {
            Rule::All => false,
            Rule::Total(wanted) => inner.open.iter().sum::<usize>() > *wanted,
            Rule::PerNode(wanted) => inner.open[node] > wanted[node],
            Rule::Workers(wanted) => !wanted[worker],
        }
    }

    /// Is this blocked worker wanted?
    fn too_few(&self, inner: &Inner, worker: usize) -> bool {
        let node = self.members[worker].node;
        match &inner.rule {
            Rule::All => true,
            Rule::Total(wanted) => inner.open.iter().sum::<usize>() < *wanted,
            Rule::PerNode(wanted) => inner.open[node] < wanted[node],
            Rule::Workers(wanted) => wanted[worker],
        }
    }

    /// Brings workers in line with the rule as far as that is possible now: blocked ones with the lowest numbers are
    /// unblocked, idle ones with the highest numbers are blocked, and awake ones are asked while there are too many.
    pub(super) fn balance(&self, inner: &mut Inner) {
        for worker in 0..self.members.len() {
            if self.members[worker].state.load(Ordering::Relaxed) == BLOCKED && self.too_few(inner, worker) {
                self.set_open(inner, worker);
                if let Some(thread) = &inner.threads[worker] {
                    thread.unpark();
                }
            }
        }
        for worker in (0..self.members.len()).rev() {
            if self.members[worker].state.load(Ordering::Relaxed) == IDLE && self.too_many(inner, worker) {
                self.idle.fetch_sub(1, Ordering::Relaxed);
                self.set_blocked(inner, worker);
            }
        }
        for (worker, member) in self.members.iter().enumerate() {
            let ask = self.too_many(inner, worker);
            if member.ask.load(Ordering::Relaxed) != ask {
                member.ask.store(ask, Ordering::Release);
            }
        }
    }

    pub(super) fn set_idle(&self, worker: usize) {
        self.idle.fetch_add(1, Ordering::Relaxed);
        self.members[worker].state.store(IDLE, Ordering::Release);
    }

    /// From idle.
    pub(super) fn set_awake(&self, worker: usize) {
        self.idle.fetch_sub(1, Ordering::Relaxed);
        self.members[worker].state.store(AWAKE, Ordering::Release);
    }

    pub(super) fn set_blocked(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] -= 1;
        self.members[worker].state.store(BLOCKED, Ordering::Release);
    }

    /// From blocked: it looks for a task itself.
    pub(super) fn set_open(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] += 1;
        self.members[worker].state.store(AWAKE, Ordering::Release);
    }
}
