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
                inner.idle -= 1; // without a moment as awake: it looks at its state without the lock
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

    /// Who has a task must tell it where workers are idle, and where none is awake, because then even a task that has to
    /// wait is news.
    fn set_tell(&self, inner: &Inner) {
        let awake = inner.open.iter().sum::<usize>() - inner.idle;
        self.tell.store(inner.idle + usize::from(awake == 0), Ordering::Relaxed);
    }

    /// From awake.
    pub(super) fn set_idle(&self, inner: &mut Inner, worker: usize) {
        inner.idle += 1;
        self.members[worker].state.store(IDLE, Ordering::Release);
        self.set_tell(inner);
    }

    /// From idle.
    pub(super) fn set_awake(&self, inner: &mut Inner, worker: usize) {
        inner.idle -= 1;
        self.members[worker].state.store(AWAKE, Ordering::Release);
        self.set_tell(inner);
    }

    /// From awake; who is idle stops to count as such first.
    pub(super) fn set_blocked(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] -= 1;
        self.members[worker].state.store(BLOCKED, Ordering::Release);
        self.set_tell(inner);
    }

    /// From blocked: it looks for a task itself.
    pub(super) fn set_open(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] += 1;
        self.members[worker].state.store(AWAKE, Ordering::Release);
        self.set_tell(inner);
    }
}
