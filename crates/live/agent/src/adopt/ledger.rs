//! What every thread had before this agent bound it, for all that it adopts together: a thread may leave one control group for another one.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use numasim_host::system::Identity;

/// The processors of a thread, ascending; many threads have the same.
pub(super) type Cpus = Rc<[u32]>;

/// One of those that are adopted.
pub(super) type Owner = u64;

/// Threads whose owner gave them up are looked at again when there are so many more of them.
const MORE: usize = 64;

/// See the module. Clones are the same ledger.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Rc<RefCell<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    owners: Owner,
    threads: HashMap<Identity, Entry>,
    /// Every list of processors that was ordered; a new thread or process has that of the one that made it.
    orders: HashSet<Cpus>,
    masks: BTreeSet<Cpus>,
    /// How many threads there may be before those that have ended are looked for.
    room: usize,
}

#[derive(Debug)]
struct Entry {
    had: Cpus,
    /// Whose orders it follows; `None` since it left.
    owner: Option<Owner>,
}

impl Ledger {
    /// A number for one more that is adopted.
    pub(super) fn owner(&self) -> Owner {
        let mut inner = self.0.borrow_mut();
        inner.owners += 1;
        inner.owners
    }

    /// What a thread had, if it was ever bound.
    pub(super) fn had(&self, thread: Identity) -> Option<Cpus> {
        self.0.borrow().threads.get(&thread).map(|entry| entry.had.clone())
    }

    /// Whose orders a thread follows now.
    pub(super) fn owner_of(&self, thread: Identity) -> Option<Owner> {
        self.0.borrow().threads.get(&thread)?.owner
    }

    /// From now on the thread follows the orders of `owner`. What it had stays what it was when it was bound first.
    pub(super) fn take(&self, thread: Identity, owner: Owner, had: impl FnOnce() -> Cpus) -> Cpus {
        if let Some(entry) = self.0.borrow_mut().threads.get_mut(&thread) {
            entry.owner = Some(owner);
            return entry.had.clone();
        }
        let had = had();
        let entry = Entry { had: had.clone(), owner: Some(owner) };
        self.0.borrow_mut().threads.insert(thread, entry);
        had
    }

    /// The thread is as it was before any order, which is noted when it is bound again.
    pub(super) fn forget(&self, thread: Identity) {
        self.0.borrow_mut().threads.remove(&thread);
    }

    /// The thread follows no order any more. What it had is remembered: another one may take it.
    pub(super) fn give_up(&self, thread: Identity, is_alive: impl Fn(Identity) -> bool) {
        let mut inner = self.0.borrow_mut();
        if let Some(entry) = inner.threads.get_mut(&thread) {
            entry.owner = None;
        }
        if inner.threads.len() > inner.room {
            inner.threads.retain(|&thread, entry| entry.owner.is_some() || is_alive(thread));
            inner.room = 2 * inner.threads.len() + MORE;
        }
    }

    /// These processors are ordered.
    pub(super) fn ordered(&self, cpus: &[u32]) {
        let cpus = self.shared(cpus);
        self.0.borrow_mut().orders.insert(cpus);
    }

    /// Whether these processors were ordered before.
    pub(super) fn is_order(&self, cpus: &[u32]) -> bool {
        self.0.borrow().orders.contains(cpus)
    }

    /// Whether these are processors of an order, or what a control group left of it.
    pub(super) fn is_of_order(&self, cpus: &[u32]) -> bool {
        self.is_order(cpus)
            || self.0.borrow().orders.iter().any(|order| cpus.iter().all(|cpu| order.contains(cpu)))
    }

    /// The same list for all that have it.
    pub(super) fn shared(&self, cpus: &[u32]) -> Cpus {
        let mut inner = self.0.borrow_mut();
        if let Some(known) = inner.masks.get(cpus) {
            return known.clone();
        }
        let new: Cpus = cpus.into();
        inner.masks.insert(new.clone());
        new
    }
}
