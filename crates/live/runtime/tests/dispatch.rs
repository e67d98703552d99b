//! The guarantees of a dispatch: tasks run only on the workers that the dispatcher selects, orders hold, and it ends.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use numasim_runtime::{Dispatcher, Order, Pool, WorkerId};

use common::{fib, message, pool, until};

/// The task that runs until the test releases it, and the one that panics.
const HELD: u64 = 900;
const PANICS: u64 = 1000;

/// Hands tasks, which are numbers, to certain workers.
#[derive(Default)]
struct Handing {
    /// For each worker: tasks that were set aside for it.
    aside: Vec<Mutex<Vec<u64>>>,
    /// The workers that ran tasks.
    ran: Mutex<Vec<(WorkerId, String, u64)>>,
    /// Held tasks may continue.
    go: AtomicBool,
    /// Tasks that came back from workers that an order parked.
    back: Mutex<Vec<u64>>,
    panics: AtomicUsize,
}

impl Handing {
    fn to(workers: usize) -> Self {
        Self { aside: (0..workers).map(|_| Mutex::default()).collect(), ..Self::default() }
    }

    /// Whether the worker may run it.
    fn hand(&self, pool: &Pool, worker: usize, task: u64) -> bool {
        self.aside[worker].lock().expect("a lock").push(task);
        pool.wake(WorkerId(worker))
    }

    fn done(&self) -> usize {
        self.ran.lock().expect("a lock").len()
    }
}

impl Dispatcher for Handing {
    type Task = u64;
    fn next(&self, worker: WorkerId) -> Option<u64> {
        self.aside[worker.0].lock().expect("a lock").pop()
    }
    fn is_waiting(&self, worker: WorkerId) -> bool {
        !self.aside[worker.0].lock().expect("a lock").is_empty()
    }
    fn run(&self, worker: WorkerId, task: u64) {
        assert_ne!(task, PANICS, "a task");
        while task == HELD && !self.go.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_micros(100));
        }
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        self.ran.lock().expect("a lock").push((worker, name, task));
    }
    fn blocked(&self, worker: WorkerId) {
        self.back.lock().expect("a lock").append(&mut self.aside[worker.0].lock().expect("a lock"));
    }
    fn panicked(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_dispatched_task_is_run_by_its_worker_whoever_else_is_idle() {
    let pool = pool(&[2, 0, 2]);
    let handing = Handing::to(4);
    let before = pool.status().tasks;
    let led = pool.dispatch(&handing, || {
        for task in 0..200 {
            assert!(handing.hand(&pool, task % 3, 0));
            if task % 40 == 0 {
                std::thread::sleep(Duration::from_millis(1)); // all park meanwhile, most likely
            }
        }
        until("all ran", || handing.done() == 200);
        "led"
    });
    assert_eq!(led, "led");
    let ran = handing.ran.lock().expect("a lock");
    for number in 0..4 {
        let own = ran.iter().filter(|(worker, ..)| worker.0 == number);
        assert!(own.clone().all(|(_, name, _)| *name == format!("worker {number}")));
        // 0 to 199 by the remainder of a division by 3: 67, 67 and 66.
        assert_eq!(own.count(), [67, 67, 66, 0][number]);
    }
    assert_eq!(pool.status().tasks - before, 200);
}

#[test]
fn a_parked_worker_asks_for_nothing_before_it_is_wanted_again() {
    let pool = pool(&[1, 1]);
    let handing = Handing::to(2);
    pool.dispatch(&handing, || {
        // Worker 0 runs a task when the order comes, with another one set aside.
        handing.hand(&pool, 0, HELD);
        until("it runs", || pool.status().running == [1, 0]);
        handing.hand(&pool, 0, 1);
        pool.order(&Order::PerNode(vec![0, 1])).expect("an order");
        handing.go.store(true, Ordering::Release);
        until("parked behind its task", || pool.status().blocked == [1, 0]);
        until("the other one came back", || *handing.back.lock().expect("a lock") == [1]);
        assert!(!pool.wake(WorkerId(0)) && pool.wake(WorkerId(1)) && !pool.wake(WorkerId(2)));
        assert!(!handing.hand(&pool, 0, 2));
        handing.hand(&pool, 1, 3);
        until("the wanted one runs", || handing.done() == 2);
        pool.order(None).expect("an order");
        until("the parked one asks again", || handing.done() == 3);
    });
    let ran: Vec<_> =
        handing.ran.lock().expect("a lock").iter().map(|(worker, _, task)| (worker.0, *task)).collect();
    assert_eq!(ran, [(0, HELD), (1, 3), (0, 2)]);
}

#[test]
fn a_dispatch_ends_although_nobody_may_run() {
    let pool = pool(&[1, 1]);
    pool.order(&Order::PerNode(vec![0, 1])).expect("an order");
    let handing = Handing::to(2);
    pool.dispatch(&handing, || {
        handing.hand(&pool, 1, 0);
        until("the wanted one runs", || handing.done() == 1);
        pool.order(&Order::Total(0)).expect("an order");
    });
    until("both blocked again", || pool.status().blocked == [1, 1]);
    pool.order(None).expect("an order");
    assert_eq!(pool.install(|| 7), 7);
}

#[test]
fn a_panic_of_a_dispatched_task_is_told_and_goes_on_where_the_dispatch_was_called() {
    let pool = pool(&[2]);
    let handing = Handing::to(2);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        pool.dispatch(&handing, || {
            handing.hand(&pool, 0, PANICS);
            until("it is told", || handing.panics.load(Ordering::Relaxed) == 1);
            handing.hand(&pool, 0, 0);
            until("its worker lives on", || handing.done() == 1);
        });
    }));
    let payload = panicked.expect_err("a panic");
    assert!(payload.downcast_ref::<String>().is_some_and(|text| text.contains("a task")));
    let of_lead = catch_unwind(AssertUnwindSafe(|| pool.dispatch(&handing, || panic!("the lead"))));
    assert_eq!(message(&*of_lead.expect_err("a panic")), "the lead");
    assert_eq!(pool.install(|| 1), 1);
}

#[test]
fn dispatched_tasks_are_as_many_as_was_told_and_may_use_the_pool() {
    struct Nested<'a>(&'a Pool, AtomicUsize, Mutex<Vec<u64>>);
    impl Dispatcher for Nested<'_> {
        type Task = u32;
        fn next(&self, worker: WorkerId) -> Option<u32> {
            (worker.0 == 0 && self.1.swap(0, Ordering::Relaxed) > 0).then_some(12)
        }
        fn is_waiting(&self, worker: WorkerId) -> bool {
            worker.0 == 0 && self.1.load(Ordering::Relaxed) > 0
        }
        fn run(&self, _: WorkerId, task: u32) {
            self.0.queued(0);
            self.0.scope(|scope| scope.spawn(|_| self.2.lock().expect("a lock").push(fib(task))));
        }
    }
    let pool = pool(&[2]);
    let nested = Nested(&pool, AtomicUsize::new(0), Mutex::default());
    pool.dispatch(&nested, || {
        pool.queued(1);
        assert_eq!(pool.status().queued, 1);
        nested.1.store(1, Ordering::Relaxed);
        pool.wake(WorkerId(0));
        // fib(12) = 144.
        until("it ran", || *nested.2.lock().expect("a lock") == [144]);
    });
    assert_eq!(pool.status().queued, 0);
}
