//! The gate determines which workers may fetch a task, and parks the others.
//!
//! A worker is *awake*, *idle* (parked, because there is no task) or *blocked* (parked, because fewer workers are wanted). These three
//! states change only under one lock. A worker that runs task after task never takes the lock, but checks its private flag before each
//! fetch ([`Gate::open`]). An order turns idle workers into blocked ones immediately, without waking them, and raises the flag of the
//! awake ones while there are too many; the first worker that sees its flag blocks. Unblocking selects certain workers. So no more than
//! wanted can slip through, however many wake.

use crossbeam_utils::CachePadded;

use crate::barrier;
use crate::sync::{
    AtomicBool, AtomicU8, AtomicUsize, Mutex, MutexGuard, Ordering, Thread, current, lock, park,
};

/// It runs tasks or looks for one.
const AWAKE: u8 = 0;
/// It is parked until there are tasks.
const IDLE: u8 = 1;
/// It is parked until it is wanted.
const BLOCKED: u8 = 2;

/// State that a worker reads without the lock, on a separate cache line.
struct Member {
    node: usize,
    /// Written under the lock only.
    state: AtomicU8,
    /// Too many workers are awake: the worker must ask before the next fetch.
    ask: AtomicBool,
}

/// The state that the lock guards.
struct Inner {
    rule: Rule,
    /// Workers that are not blocked, per node.
    open: Vec<usize>,
    /// Workers that are idle.
    idle: usize,
    /// Threads to unpark; `None` until a worker has started. A worker does not park before that.
    threads: Vec<Option<Thread>>,
}

/// See the module.
pub(crate) struct Gate {
    members: Vec<CachePadded<Member>>,
    /// Not 0 if a new task must be announced: workers are idle, or none is awake. Written under the lock only.
    tell: CachePadded<AtomicUsize>,
    inner: Mutex<Inner>,
}

impl Gate {
    /// For workers on these nodes, numbered as in `node_of`. They begin awake, except those that `rule` excludes.
    pub(crate) fn new(node_of: &[usize], nodes: usize, rule: Rule) -> Self {
        let member = |&node| {
            CachePadded::new(Member { node, state: AtomicU8::new(AWAKE), ask: AtomicBool::new(false) })
        };
        let mut open = vec![0; nodes];
        for &node in node_of {
            open[node] += 1;
        }
        let threads = node_of.iter().map(|_| None).collect();
        let gate = Self {
            members: node_of.iter().map(member).collect(),
            tell: CachePadded::new(AtomicUsize::new(0)),
            inner: Mutex::new(Inner { rule, open, idle: 0, threads }),
        };
        gate.balance(&mut lock(&gate.inner));
        gate
    }

    /// Registers a worker: from now on it can be unparked.
    pub(crate) fn enter(&self, worker: usize) {
        lock(&self.inner).threads[worker] = Some(current());
    }

    /// May this worker fetch a task? One read of its private cache line.
    #[inline]
    pub(crate) fn open(&self, worker: usize) -> bool {
        !self.members[worker].ask.load(Ordering::Acquire)
    }

    /// Parks the worker if there are too many, until it is wanted again or `done`. Returns whether it was parked.
    ///
    /// `done` is called once, after other threads can see the worker as blocked: a thread that makes it true later must call
    /// [`Gate::resume`]. `leave` is called before parking: a task for which this worker was woken needs another worker.
    pub(crate) fn block(&self, worker: usize, done: impl Fn() -> bool, leave: impl FnOnce()) -> bool {
        let member = &self.members[worker];
        {
            let mut inner = lock(&self.inner);
            if !self.too_many(&inner, worker) {
                self.balance(&mut inner);
                return false;
            }
            self.set_blocked(&mut inner, worker);
            self.balance(&mut inner);
        }
        leave();
        if done() {
            self.resume(worker);
        }
        while member.state.load(Ordering::Acquire) != AWAKE {
            park();
        }
        true
    }

    /// Parks the worker until another thread [wakes](Gate::wake) or [resumes](Gate::resume) it, unless it is `done`, or there is `any`
    /// task and it may run. Both are called after other threads can see the worker as idle. `leave` is called, as by [`Gate::block`], if
    /// there is a task and an order came first: the thread that offered the task may have found this worker awake.
    pub(crate) fn sleep(
        &self,
        worker: usize,
        done: impl Fn() -> bool,
        any: impl Fn() -> bool,
        leave: impl FnOnce(),
    ) {
        let member = &self.members[worker];
        {
            let mut inner = lock(&self.inner);
            self.set_idle(&mut inner, worker);
            if self.too_many(&inner, worker) {
                self.balance(&mut inner); // this one is the first that can go
            }
        }
        barrier::heavy();
        if done() {
            // An order may have blocked it by now, and the thread that made `done` true may have found it awake.
            self.resume(worker);
        } else if any() && !self.stir(worker) {
            leave();
        }
        while member.state.load(Ordering::Acquire) != AWAKE {
            park();
        }
    }

    /// After a task was queued: must [`Gate::wake`] be called? Takes into account every worker that did not see the task.
    #[inline]
    pub(crate) fn must_tell(&self) -> bool {
        barrier::light();
        self.tell.load(Ordering::Relaxed) != 0
    }

    /// Is no worker awake?
    pub(crate) fn all_parked(&self) -> bool {
        self.members.iter().all(|member| member.state.load(Ordering::Relaxed) != AWAKE)
    }

    /// There is one more task: wakes an idle worker, on the first node in `order` that has one.
    pub(crate) fn wake(&self, order: &[usize]) {
        let mut inner = lock(&self.inner);
        let idle = |node: usize| {
            self.members
                .iter()
                .position(|member| member.node == node && member.state.load(Ordering::Relaxed) == IDLE)
        };
        if let Some(worker) = order.iter().find_map(|&node| idle(node)) {
            self.set_awake(&mut inner, worker);
            unpark(inner, worker);
        }
    }

    /// There is work for this worker alone: wakes it if it is idle. Returns false if it is blocked; it may have been blocked for long,
    /// without having been awake since.
    ///
    /// A thread that hands it work does so before this call: a worker that is awake at that time looks once more before it parks, or its
    /// `leave` is called (see [`Gate::sleep`], [`Gate::block`]).
    pub(crate) fn rouse(&self, worker: usize) -> bool {
        let mut inner = lock(&self.inner);
        match self.members[worker].state.load(Ordering::Relaxed) {
            BLOCKED => false,
            IDLE => {
                self.set_awake(&mut inner, worker);
                unpark(inner, worker);
                true
            }
            _ => true,
        }
    }

    /// The worker waits inside a task for an event that has occurred: it continues, wanted or not. If there are too many now, another
    /// worker blocks after its task.
    pub(crate) fn resume(&self, worker: usize) {
        let mut inner = lock(&self.inner);
        match self.members[worker].state.load(Ordering::Relaxed) {
            AWAKE => return,
            IDLE => self.set_awake(&mut inner, worker),
            _ => {
                self.set_open(&mut inner, worker);
                self.balance(&mut inner);
            }
        }
        unpark(inner, worker);
    }

    /// The worker found a task while it fell asleep. Returns false if it was blocked meanwhile, and leaves the task to others.
    fn stir(&self, worker: usize) -> bool {
        let mut inner = lock(&self.inner);
        let state = self.members[worker].state.load(Ordering::Relaxed);
        if state == IDLE {
            self.set_awake(&mut inner, worker);
        }
        state != BLOCKED
    }

    /// The pool shuts down: no worker is blocked or idle any more.
    pub(crate) fn release(&self) {
        let mut inner = lock(&self.inner);
        inner.rule = Rule::All;
        self.balance(&mut inner);
        for (worker, member) in self.members.iter().enumerate() {
            if member.state.load(Ordering::Relaxed) == IDLE {
                self.set_awake(&mut inner, worker);
            }
            if let Some(thread) = &inner.threads[worker] {
                thread.unpark();
            }
        }
    }
}

/// Unparks after releasing the lock: the woken worker may need it immediately.
fn unpark(inner: MutexGuard<'_, Inner>, worker: usize) {
    let thread = inner.threads[worker].clone();
    drop(inner);
    if let Some(thread) = thread {
        thread.unpark();
    }
}

// Orders: the choice of the workers to block and unblock. Everything here runs under the lock.

/// An order in the numbers of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// All may run.
    All,
    /// This number in total.
    Total(usize),
    /// This number on each node.
    PerNode(Vec<usize>),
    /// The workers with `true`.
    Workers(Vec<bool>),
}

impl Gate {
    /// Puts an order in force. When it returns, idle workers obey, blocked workers that are wanted have been woken, and the surplus awake
    /// ones block before their next fetch.
    pub(crate) fn set(&self, rule: Rule) {
        let mut inner = lock(&self.inner);
        inner.rule = rule;
        self.balance(&mut inner);
    }

    /// Are there too many workers, and may this one block?
    fn too_many(&self, inner: &Inner, worker: usize) -> bool {
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

    /// Brings workers in line with the rule as far as that is possible now: blocked ones with the lowest numbers are unblocked, idle ones
    /// with the highest numbers are blocked, and awake ones have their flags raised while there are too many.
    fn balance(&self, inner: &mut Inner) {
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
                inner.idle -= 1; // without being awake for a moment: it checks its state without the lock
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

    /// A thread with a new task must announce it if workers are idle. It must also do so if no worker is awake, because then even a task
    /// that has to wait is news.
    fn set_tell(&self, inner: &Inner) {
        let awake = inner.open.iter().sum::<usize>() - inner.idle;
        self.tell.store(inner.idle + usize::from(awake == 0), Ordering::Relaxed);
    }

    /// From awake.
    fn set_idle(&self, inner: &mut Inner, worker: usize) {
        inner.idle += 1;
        self.members[worker].state.store(IDLE, Ordering::Release);
        self.set_tell(inner);
    }

    /// From idle.
    fn set_awake(&self, inner: &mut Inner, worker: usize) {
        inner.idle -= 1;
        self.members[worker].state.store(AWAKE, Ordering::Release);
        self.set_tell(inner);
    }

    /// From awake; an idle worker first stops to count as idle.
    fn set_blocked(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] -= 1;
        self.members[worker].state.store(BLOCKED, Ordering::Release);
        self.set_tell(inner);
    }

    /// From blocked: it looks for a task without being woken for one.
    fn set_open(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] += 1;
        self.members[worker].state.store(AWAKE, Ordering::Release);
        self.set_tell(inner);
    }
}

// Reports on the workers of the gate.

/// Workers of each node at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Awake and `busy`.
    pub(crate) running: Vec<usize>,
    /// Parked by an order.
    pub(crate) blocked: Vec<usize>,
}

impl Gate {
    /// Counts workers; `busy` is true for those that run a task. The other workers of each node idle or look for a task.
    pub(crate) fn counts(&self, busy: impl Fn(usize) -> bool) -> Counts {
        let inner = lock(&self.inner);
        let mut counts = Counts { running: vec![0; inner.open.len()], blocked: vec![0; inner.open.len()] };
        for (worker, member) in self.members.iter().enumerate() {
            match member.state.load(Ordering::Relaxed) {
                AWAKE if busy(worker) => counts.running[member.node] += 1,
                BLOCKED => counts.blocked[member.node] += 1,
                _ => {}
            }
        }
        counts
    }
}
