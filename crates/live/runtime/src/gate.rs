//! The gate: which workers may fetch a task, and where the others sleep.
//!
//! A worker is *awake*, *idle* (parked, because there is no task) or *blocked* (parked, because fewer are wanted). The
//! three change under one lock only; a worker that runs task after task never takes it, but looks at a flag of its own
//! before each fetch ([`Gate::open`]). An order makes idle workers blocked on the spot, without waking them, and raises
//! the flag of the awake ones while there are too many; whoever sees its flag first blocks. To unblock is to pick
//! certain workers, so no more than wanted can slip through, however many wake.

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

/// What a worker reads without the lock: on a cache line of its own.
struct Member {
    node: usize,
    /// Written under the lock only.
    state: AtomicU8,
    /// There are too many awake: ask before the next fetch.
    ask: AtomicBool,
}

/// What the lock guards.
struct Inner {
    rule: Rule,
    /// Workers that are not blocked, per node.
    open: Vec<usize>,
    /// Workers that are idle.
    idle: usize,
    /// Whom to unpark; none until a worker has started, and it does not park before.
    threads: Vec<Option<Thread>>,
}

/// See the module.
pub(crate) struct Gate {
    members: Vec<CachePadded<Member>>,
    /// Not 0 if a task must be told: workers are idle, or none is awake. Written under the lock only.
    tell: CachePadded<AtomicUsize>,
    inner: Mutex<Inner>,
}

impl Gate {
    /// For workers on these nodes, numbered as they are here. They begin awake, but for those that `rule` keeps out.
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

    /// A worker's first word: from now on it can be unparked.
    pub(crate) fn enter(&self, worker: usize) {
        lock(&self.inner).threads[worker] = Some(current());
    }

    /// May this worker fetch a task? One read of its own cache line.
    #[inline]
    pub(crate) fn open(&self, worker: usize) -> bool {
        !self.members[worker].ask.load(Ordering::Acquire)
    }

    /// Parks the worker if there are too many, until it is wanted again or `done`; whether it was parked.
    ///
    /// `done` is asked once, after the worker can be seen as blocked: who makes it true later must call
    /// [`Gate::resume`]. `leave` is called before parking: a task for which this worker was woken needs another one.
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

    /// Parks the worker until somebody [wakes](Gate::wake) or [resumes](Gate::resume) it, unless it is `done`, or there is
    /// `any` task and it may run. Both are asked after the worker can be seen as idle. `leave` is called, as by [`Gate::block`], if
    /// there is a task and an order came first: who offered it may have found this worker awake.
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
            // An order may have made it blocked by now, and whoever made `done` true may have found it awake.
            self.resume(worker);
        } else if any() && !self.stir(worker) {
            leave();
        }
        while member.state.load(Ordering::Acquire) != AWAKE {
            park();
        }
    }

    /// After a task was queued: must [`Gate::wake`] be called? Sees every worker that did not see the task.
    #[inline]
    pub(crate) fn must_tell(&self) -> bool {
        barrier::light();
        self.tell.load(Ordering::Relaxed) != 0
    }

    /// Is no worker awake?
    pub(crate) fn all_parked(&self) -> bool {
        self.members.iter().all(|member| member.state.load(Ordering::Relaxed) != AWAKE)
    }

    /// There is one more task: wakes an idle worker, of the first node in `order` that has one.
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

    /// There is something for this worker alone: wakes it if it is idle. False if it is blocked; it may have been so for
    /// long, without having been awake since.
    ///
    /// Who hands it something does that before: a worker that is awake then looks once more before it parks, or is told
    /// to `leave` it (see [`Gate::sleep`], [`Gate::block`]).
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

    /// What the worker waits for inside a task is there: it goes on, wanted or not; if there are too many now, another
    /// one blocks after its task.
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

    /// The worker found a task while it fell asleep; false if it was blocked meanwhile, and leaves the task to others.
    fn stir(&self, worker: usize) -> bool {
        let mut inner = lock(&self.inner);
        let state = self.members[worker].state.load(Ordering::Relaxed);
        if state == IDLE {
            self.set_awake(&mut inner, worker);
        }
        state != BLOCKED
    }

    /// The pool ends: nobody is blocked or idle any more.
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

/// Unparks after the lock is free: the woken one may need it at once.
fn unpark(inner: MutexGuard<'_, Inner>, worker: usize) {
    let thread = inner.threads[worker].clone();
    drop(inner);
    if let Some(thread) = thread {
        thread.unpark();
    }
}

// Orders: who blocks, who is unblocked. Everything here runs under the lock.

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

    /// Brings workers in line with the rule as far as that is possible now: blocked ones with the lowest numbers are
    /// unblocked, idle ones with the highest numbers are blocked, and awake ones are asked while there are too many.
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

    /// From awake; who is idle stops to count as such first.
    fn set_blocked(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] -= 1;
        self.members[worker].state.store(BLOCKED, Ordering::Release);
        self.set_tell(inner);
    }

    /// From blocked: it looks for a task itself.
    fn set_open(&self, inner: &mut Inner, worker: usize) {
        inner.open[self.members[worker].node] += 1;
        self.members[worker].state.store(AWAKE, Ordering::Release);
        self.set_tell(inner);
    }
}

// What the gate tells about its workers.

/// Workers of each node at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Awake and `busy`.
    pub(crate) running: Vec<usize>,
    /// Parked by an order.
    pub(crate) blocked: Vec<usize>,
}

impl Gate {
    /// Counts workers; `busy` says which are inside a task. The rest of each node idles or looks for a task.
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
