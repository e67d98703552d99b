//! The agent's control over this process: regions and workers report here, and orders arrive here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use numasim_client::{Bell, Follower};
use numasim_host::os::thread::bind_thread;
use numasim_protocol::{AppStatus, LARGEST, Order, Waiting};

use crate::environment::Node;
use crate::limits::Limits;

/// A program that begins no region for this long has no parallel work left to start.
const SERIAL: Duration = Duration::from_millis(20);

/// See the module.
pub(crate) struct Steering {
    nodes: Vec<Node>,
    inner: Mutex<Inner>,
    /// Counts orders, so that a thread can detect whether it was bound under the present one.
    turn: AtomicU64,
    /// The order allows threads again.
    open: Condvar,
    bell: Bell,
    /// Called after each order: oneTBB's part, once the program uses it.
    also: OnceLock<fn(&Steering)>,
}

struct Inner {
    limits: Limits,
    /// Whether threads are bound to the nodes on which they are counted.
    bound: bool,
    /// Threads that wait for an order before a region.
    waiting: u32,
    /// Regions that are running.
    regions: u32,
    /// Number of completed regions.
    done: u64,
    /// The value of `done` at the last look, and when it was first seen: regions do not read the clock.
    seen: (u64, Instant),
    /// The last status reported that there is nothing to start.
    told_idle: bool,
    /// Workers of oneTBB.
    workers: Vec<Worker>,
}

impl Inner {
    /// Whether the program has no parallel work: no region is running or waiting, and none has run since [`SERIAL`].
    fn is_idle(&mut self) -> bool {
        if self.regions > 0 || self.waiting > 0 || self.seen.0 != self.done {
            self.seen = (self.done, Instant::now());
        }
        self.regions == 0 && self.waiting == 0 && self.seen.1.elapsed() >= SERIAL
    }
}

/// A worker inside an arena.
struct Worker {
    thread: u32,
    node: usize,
}

/// The threads of a region.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Threads of the region, at least 1.
    pub(crate) threads: u32,
    /// Counted threads on each node.
    pub(crate) on_node: Vec<u32>,
    /// Whether they are bound to these nodes.
    pub(crate) bound: bool,
}

impl Taken {
    /// The node of a thread of the region; threads that are not counted are with the last one.
    pub(crate) fn node_of(&self, thread: u32) -> Option<usize> {
        let mut first = 0;
        let ends = self.on_node.iter().map(|threads| {
            first += threads;
            first
        });
        let mut last = None;
        for (node, end) in ends.enumerate() {
            if self.on_node[node] > 0 {
                last = Some(node);
            }
            if thread < end {
                break;
            }
        }
        last
    }
}

impl Steering {
    pub(crate) fn new(nodes: Vec<Node>) -> Self {
        let limits = Limits::new(nodes.iter().map(|node| node.threads).collect());
        let inner = Inner {
            limits,
            bound: false,
            waiting: 0,
            regions: 0,
            done: 0,
            seen: (0, Instant::now()),
            told_idle: false,
            workers: Vec::new(),
        };
        Self {
            nodes,
            inner: Mutex::new(inner),
            turn: AtomicU64::new(1),
            open: Condvar::new(),
            bell: Bell::default(),
            also: OnceLock::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts orders.
    pub(crate) fn turn(&self) -> u64 {
        self.turn.load(Ordering::Acquire)
    }

    /// A region of at most `wanted` threads begins. For a region that is `inside` another one, the first thread is already counted, and
    /// the region does not wait if the order allows none.
    pub(crate) fn begin(&self, wanted: u32, inside: bool) -> Taken {
        let wanted = wanted.max(1);
        let mut inner = self.lock();
        if !inside && inner.limits.allowed() == Some(0) {
            inner.waiting += 1;
            self.bell.ring();
            while inner.limits.allowed() == Some(0) {
                inner = self.open.wait(inner).unwrap_or_else(PoisonError::into_inner);
            }
            inner.waiting -= 1;
        }
        let free = inner.limits.allowed().is_none();
        let own = u32::from(inside);
        let mut on_node = inner.limits.take(wanted - own);
        let mut threads = own + on_node.iter().sum::<u32>();
        if threads == 0 {
            // Other threads of this process use up the order: this one continues alone.
            if let Some(node) = inner.limits.force() {
                on_node[node] = 1;
            }
            threads = 1;
        }
        if free {
            threads = wanted;
        }
        inner.regions += 1;
        if inner.told_idle {
            inner.told_idle = false;
            self.bell.ring();
        }
        Taken { threads, on_node, bound: inner.bound && !inside }
    }

    /// The region is over.
    pub(crate) fn end(&self, taken: &Taken) {
        let mut inner = self.lock();
        inner.limits.give_back(&taken.on_node);
        inner.regions -= 1;
        inner.done += 1;
    }

    /// Binds a thread, 0 for the calling one, to a node; `None` is all logical CPUs of the process. If the system refuses, the binding
    /// stays as it is.
    pub(crate) fn bind(&self, thread: u32, node: Option<usize>) {
        let cpus = match node {
            Some(node) => self.nodes[node].cpus.clone(),
            None => self.nodes.iter().flat_map(|node| node.cpus.iter().copied()).collect(),
        };
        if !cpus.is_empty() {
            let _ = bind_thread(thread, &cpus);
        }
    }

    /// A worker of oneTBB enters an arena.
    pub(crate) fn enter(&self, thread: u32) {
        let mut inner = self.lock();
        let nodes = 0..self.nodes.len();
        let room = nodes.clone().find(|&node| inner.limits.has_room(node));
        // A worker will leave soon: oneTBB was informed of the order, and the worker has not checked yet.
        let node = room.or_else(|| nodes.clone().find(|&node| self.nodes[node].threads > 0)).unwrap_or(0);
        inner.limits.add(node);
        inner.workers.push(Worker { thread, node });
        if inner.bound {
            drop(inner);
            self.bind(thread, Some(node));
        }
    }

    /// A worker of oneTBB leaves an arena.
    pub(crate) fn leave(&self, thread: u32) {
        let mut inner = self.lock();
        if let Some(place) = inner.workers.iter().position(|worker| worker.thread == thread) {
            let worker = inner.workers.swap_remove(place);
            let mut one = vec![0; self.nodes.len()];
            one[worker.node] = 1;
            inner.limits.give_back(&one);
        }
    }

    /// Moves workers of oneTBB from nodes with too many threads to those with free capacity, and binds all of them according to the
    /// order.
    fn move_workers(&self, inner: &mut Inner) {
        for place in 0..inner.workers.len() {
            let from = inner.workers[place].node;
            let to = (0..self.nodes.len()).find(|&node| inner.limits.has_room(node));
            let node = to.filter(|_| inner.limits.is_over(from)).unwrap_or(from);
            if node != from {
                let mut one = vec![0; self.nodes.len()];
                one[from] = 1;
                inner.limits.give_back(&one);
                inner.limits.add(node);
                inner.workers[place].node = node;
            }
            self.bind(inner.workers[place].thread, inner.bound.then_some(node));
        }
    }

    /// Calls a function now and after each order.
    pub(crate) fn also(&self, function: fn(&Steering)) {
        let _ = self.also.set(function); // there is only one such function
        function(self);
    }

    /// The threads that may run in this process; `None`: there is no order.
    pub(crate) fn allowed(&self) -> Option<u32> {
        self.lock().limits.allowed()
    }
}

impl Follower for Steering {
    fn threads(&self) -> Vec<u32> {
        self.lock().limits.threads().to_vec()
    }

    fn obey(&self, order: Option<&Order>, _: &[u32]) -> Result<(), String> {
        let mut inner = self.lock();
        inner.limits.order(order)?;
        let bound = matches!(order, Some(Order::PerNode(_)));
        let change = bound || inner.bound;
        inner.bound = bound;
        self.turn.fetch_add(1, Ordering::AcqRel);
        if change {
            self.move_workers(&mut inner);
        }
        drop(inner);
        self.open.notify_all();
        if let Some(also) = self.also.get() {
            also(self);
        }
        Ok(())
    }

    fn status(&self) -> AppStatus {
        let mut inner = self.lock();
        let idle = inner.is_idle();
        inner.told_idle = idle;
        let limits = &inner.limits;
        let most = |(used, threads): (&u32, &u32)| *used.min(threads);
        let mut running: Vec<u32> = limits.used().iter().zip(limits.threads()).map(most).collect();
        let mut blocked = limits.blocked();
        let serial = inner.regions == 0 && inner.waiting == 0;
        // Outside of regions only one thread of the program runs.
        if serial && running.iter().all(|&threads| threads == 0) {
            let first = limits.threads().iter().position(|&threads| threads > 0);
            if let Some(node) = first {
                running[node] = 1;
                blocked[node] = blocked[node].min(limits.threads()[node] - 1);
            }
        }
        AppStatus {
            running,
            blocked,
            progress: 0,
            waiting: Waiting::None,
            // A region does not report how much of it is left.
            queued: idle.then_some(0),
            phase: 0,
            tasks: Some(inner.done.min(LARGEST)),
        }
    }

    fn is_news(&self, last: &AppStatus) -> bool {
        self.lock().is_idle() != (last.queued == Some(0))
    }

    /// The absence of new regions rings no bell.
    fn rings(&self) -> bool {
        false
    }

    fn bell(&self) -> &Bell {
        &self.bell
    }
}

#[cfg(test)]
mod tests {
    use numasim_host::affinity::allowed;

    use super::*;

    fn steering(threads: &[u32]) -> Steering {
        Steering::new(threads.iter().map(|&threads| Node { threads, cpus: Vec::new() }).collect())
    }

    #[test]
    fn a_region_has_the_threads_that_it_wants_until_there_is_an_order() {
        let steering = steering(&[2, 2]);
        let taken = steering.begin(6, false);
        assert_eq!((taken.threads, &taken.on_node[..]), (6, &[2, 2][..]));
        steering.obey(Some(&Order::Total(3)), &[]).expect("an order");
        steering.end(&taken);
        let taken = steering.begin(6, false);
        assert_eq!((taken.threads, &taken.on_node[..]), (3, &[2, 1][..]));
        // All three are used: an inner region has only the thread that enters it.
        assert_eq!(steering.begin(2, true).threads, 1);
    }

    #[test]
    fn threads_of_a_region_fill_one_node_after_the_other() {
        let taken = Taken { threads: 4, on_node: vec![1, 0, 2], bound: true };
        let nodes: Vec<Option<usize>> = (0..4).map(|thread| taken.node_of(thread)).collect();
        // The fourth is not counted.
        assert_eq!(nodes, [Some(0), Some(2), Some(2), Some(2)]);
    }

    #[test]
    fn a_region_waits_while_no_thread_is_allowed() {
        let steering = steering(&[2]);
        steering.obey(Some(&Order::Total(0)), &[]).expect("an order");
        std::thread::scope(|threads| {
            let region = threads.spawn(|| steering.begin(2, false).threads);
            while steering.lock().waiting == 0 {
                std::thread::yield_now();
            }
            let status = steering.status();
            assert_eq!((&status.running[..], &status.blocked[..], status.queued), (&[0][..], &[2][..], None));
            steering.obey(Some(&Order::Total(1)), &[]).expect("an order");
            assert_eq!(region.join().expect("it does not panic"), 1);
        });
    }

    #[test]
    fn a_status_of_any_moment_fits_the_threads() {
        let steering = steering(&[1, 2]);
        let check = || steering.status().check(&[1, 2]).expect("running and blocked fit");
        check();
        let taken = steering.begin(3, false);
        steering.obey(Some(&Order::PerNode(vec![0, 0])), &[]).expect("an order");
        check();
        steering.enter(7);
        check();
        steering.end(&taken);
        check();
        steering.leave(7);
        check();
    }

    #[test]
    fn a_worker_is_bound_to_its_node_and_moved_from_outside() {
        let all = allowed().expect("Linux tells");
        let [first, second, ..] = all[..] else {
            println!("skipped: two processors are needed");
            return;
        };
        // Two nodes of one logical CPU each.
        let node = |cpu| Node { threads: 1, cpus: vec![cpu] };
        let steering = Steering::new(vec![node(first), node(second)]);
        let now = || allowed().expect("Linux tells");
        let order =
            |nodes: &[u32]| steering.obey(Some(&Order::PerNode(nodes.to_vec())), &[]).expect("an order");
        // SAFETY: no arguments.
        let this = u32::try_from(unsafe { libc::gettid() }).expect("a thread");
        order(&[1, 0]);
        steering.enter(this);
        assert_eq!(now(), [first]);
        order(&[0, 1]);
        assert_eq!(now(), [second]);
        // A process with an order for a number only, or with no order, is bound to nothing.
        steering.obey(Some(&Order::Total(1)), &[]).expect("an order");
        assert_eq!(now(), [first, second]);
        order(&[1, 0]);
        assert_eq!(now(), [first]);
        steering.obey(None, &[]).expect("no order");
        assert_eq!(now(), [first, second]);
    }

    #[test]
    fn a_program_without_regions_for_a_while_has_nothing_to_start() {
        let steering = steering(&[2]);
        steering.end(&steering.begin(2, false));
        assert_eq!(steering.status().queued, None);
        std::thread::sleep(SERIAL);
        let status = steering.status();
        // Its own thread runs.
        assert_eq!((status.queued, &status.running[..]), (Some(0), &[1][..]));
        let taken = steering.begin(2, false);
        assert!(steering.bell.listen(Instant::now()) && steering.is_news(&status));
        assert_eq!((steering.status().queued, taken.threads), (None, 2));
    }

    #[test]
    fn workers_move_when_their_node_is_taken() {
        let steering = steering(&[2, 2]);
        steering.obey(Some(&Order::PerNode(vec![2, 0])), &[]).expect("an order");
        steering.enter(1_000_000_000); // no existing thread
        assert_eq!(steering.status().running, [1, 0]);
        steering.obey(Some(&Order::PerNode(vec![0, 2])), &[]).expect("an order");
        assert_eq!(steering.status().running, [0, 1]);
    }
}
