//! The guarantees of a pool: every task runs once, panics reach the waiting thread, orders hold, and dropping shuts down everything.

mod common;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use numasim_model::ids::NodeId;
use numasim_runtime::{Order, OrderError, join};

use common::{fib, many, message, pool, until};

#[test]
fn every_task_of_a_scope_runs_once_wherever_it_is_spawned() {
    let pool = pool(&[2, 0, 1]);
    let ran: Vec<AtomicUsize> = (0..many(1000)).map(|_| AtomicUsize::new(0)).collect();
    pool.scope(|scope| {
        for (number, count) in ran.iter().enumerate() {
            // Node 1 has no worker, node 7 does not exist: other workers run these tasks.
            let node = [0, 1, 2, 7][number % 4];
            scope.spawn_on(NodeId(node), move |scope| {
                scope.spawn(move |_| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
            });
        }
    });
    assert!(ran.iter().all(|count| count.load(Ordering::Relaxed) == 1));
    until("all are counted", || pool.status().tasks == 2 * ran.len());
    assert_eq!(pool.status().queued, 0);
}

#[test]
fn joins_in_joins_return_what_their_halves_return() {
    // fib(20) = 6765, fib(10) = 55.
    let (n, value) = if cfg!(miri) { (10, 55) } else { (20, 6765) };
    assert_eq!(pool(&[1]).install(|| fib(n)), value);
    assert_eq!(pool(&[2, 2]).install(|| fib(n)), value);
    assert_eq!(fib(n), value, "outside a pool");
}

#[test]
fn a_scope_inside_a_task_waits_for_its_own_tasks_even_on_one_worker() {
    let pool = pool(&[1]);
    let sum = AtomicUsize::new(0);
    pool.install(|| {
        pool.scope(|scope| {
            for number in 1..=10 {
                let sum = &sum;
                scope.spawn(move |_| {
                    sum.fetch_add(number, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(sum.load(Ordering::Relaxed), 55);
    });
}

#[test]
fn a_loop_calls_each_number_once_in_blocks_of_the_grain() {
    let pool = pool(&[1, 2]);
    let seen = Mutex::new(vec![0; 1000]);
    pool.for_each(100..1100, 7, |block| {
        assert!(block.len() <= 7);
        let mut seen = seen.lock().unwrap();
        for number in block {
            seen[number - 100] += 1;
        }
    });
    assert_eq!(seen.into_inner().unwrap(), vec![1; 1000]);
    pool.for_each(5..5, 0, |_| panic!("an empty range has no block"));
}

#[test]
fn a_panic_goes_on_where_somebody_waits_and_the_pool_lives_on() {
    let pool = pool(&[2]);
    let ended = AtomicBool::new(false);
    let of_scope = catch_unwind(AssertUnwindSafe(|| {
        pool.scope(|scope| {
            scope.spawn(|_| panic!("a task"));
            scope.spawn(|_| {
                std::thread::sleep(Duration::from_millis(20));
                ended.store(true, Ordering::Relaxed);
            });
        });
    }));
    assert_eq!(message(&*of_scope.expect_err("a panic")), "a task");
    assert!(ended.load(Ordering::Relaxed), "the other task is over first");
    let of_body = catch_unwind(AssertUnwindSafe(|| pool.scope(|_| panic!("the body"))));
    assert_eq!(message(&*of_body.expect_err("a panic")), "the body");
    for (a, b, expected) in [(true, false, "a"), (false, true, "b"), (true, true, "a")] {
        let half = |fails: bool, name: &'static str| {
            move || {
                if fails {
                    std::panic::panic_any(name)
                }
            }
        };
        let of_join = catch_unwind(AssertUnwindSafe(|| pool.join(half(a, "a"), half(b, "b"))));
        assert_eq!(message(&*of_join.expect_err("a panic")), expected);
    }
    let of_install = catch_unwind(AssertUnwindSafe(|| pool.install(|| panic!("inside"))));
    assert_eq!(message(&*of_install.expect_err("a panic")), "inside");
    pool.spawn(|| panic!("nobody waits"));
    assert_eq!(pool.install(|| 1), 1);
}

#[test]
fn dropping_a_pool_runs_what_was_spawned_even_if_nobody_may_run() {
    let done = Arc::new(AtomicUsize::new(0));
    let pool = Arc::new(pool(&[1, 1]));
    pool.order(&Order::Total(0)).expect("an order");
    for _ in 0..many(100) {
        let done = done.clone();
        pool.spawn(move || {
            done.fetch_add(1, Ordering::Relaxed);
        });
    }
    drop(Arc::into_inner(pool));
    assert_eq!(done.load(Ordering::Relaxed), many(100));
}

#[test]
fn a_task_may_drop_its_own_pool() {
    let pool = Arc::new(pool(&[2]));
    let (say, hear) = mpsc::channel();
    let mine = pool.clone();
    pool.spawn(move || {
        while Arc::strong_count(&mine) > 1 {
            std::thread::yield_now();
        }
        drop(mine);
        say.send(()).unwrap();
    });
    drop(pool);
    hear.recv().expect("the task went on");
}

#[test]
fn at_nobody_tasks_wait_and_an_order_from_another_thread_wakes_the_workers() {
    let pool = pool(&[1, 1]);
    until("all workers idle", || pool.status().idle() == [1, 1]);
    pool.order(&Order::PerNode(vec![0, 0])).expect("an order");
    until("all blocked", || pool.status().blocked == [1, 1]);
    let (say, hear) = mpsc::channel();
    pool.spawn(move || say.send(()).unwrap());
    assert!(hear.recv_timeout(Duration::from_millis(30)).is_err());
    assert_eq!(pool.status().queued, 1);
    pool.order(&Order::PerNode(vec![0, 1])).expect("an order");
    hear.recv().expect("the task ran");
    assert_eq!(pool.status().blocked, [1, 0], "nobody but the one that was ordered");
}

#[test]
fn option_1_blocks_who_is_first_between_two_tasks() {
    // Four long tasks; the target is met as soon as any two of them end.
    let pool = pool(&[2, 2]);
    let go: Vec<AtomicBool> = (0..4).map(|_| AtomicBool::new(false)).collect();
    pool.scope(|scope| {
        for go in &go {
            scope.spawn(move |_| {
                while !go.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_micros(100));
                }
            });
        }
        until("all run", || pool.status().running.iter().sum::<usize>() == 4);
        pool.order(&Order::Total(2)).expect("an order");
        assert_eq!(pool.status().blocked, [0, 0]);
        go[1].store(true, Ordering::Release);
        go[3].store(true, Ordering::Release);
        until("two blocked", || pool.status().blocked.iter().sum::<usize>() == 2);
        assert_eq!(pool.status().running.iter().sum::<usize>(), 2);
        go[0].store(true, Ordering::Release);
        go[2].store(true, Ordering::Release);
    });
    assert_eq!(pool.status().blocked.iter().sum::<usize>(), 2);
}

#[test]
fn option_2_lets_the_workers_of_certain_cores_run() {
    let pool = pool(&[2, 1]);
    // Core 2 is the first of node 1.
    pool.order(&Order::Cores(vec![2])).expect("an order");
    until("two blocked", || pool.status().blocked == [2, 0]);
    let threads = Mutex::new(HashSet::new());
    pool.for_each(0..50, 1, |_| {
        threads.lock().unwrap().insert(std::thread::current().name().map(str::to_owned));
    });
    // Numbered across the nodes: worker 0 on node 0, 1 on node 1, 2 on node 0.
    assert_eq!(threads.into_inner().unwrap(), HashSet::from([Some("worker 1".to_owned())]));
}

#[test]
fn option_3_holds_on_each_node() {
    let pool = pool(&[3, 3]);
    pool.order(&Order::PerNode(vec![2, 1])).expect("an order");
    until("three blocked", || pool.status().blocked == [1, 2]);
    pool.order(None).expect("an order");
    until("none blocked", || pool.status().blocked == [0, 0]);
}

#[test]
fn orders_that_cannot_be_followed_leave_the_last_one() {
    let pool = pool(&[2, 1]);
    pool.order(&Order::Total(1)).expect("an order");
    let refused = |order| pool.order(&order).expect_err("refused");
    assert_eq!(refused(Order::Total(4)), OrderError::TooMany { ordered: 4, threads: 3 });
    let too_many = OrderError::TooManyOnNode { node: NodeId(1), ordered: 2, threads: 1 };
    assert_eq!(refused(Order::PerNode(vec![2, 2])), too_many);
    assert_eq!(refused(Order::PerNode(vec![2])), OrderError::NodeCount { ordered: 1, nodes: 2 });
    assert_eq!(refused(Order::Cores(vec![0, 3])), OrderError::UnknownCore { core: 3, cores: 3 });
    until("two blocked", || pool.status().blocked.iter().sum::<usize>() == 2);
}

#[test]
fn a_worker_that_waits_inside_a_task_goes_on_although_it_is_not_wanted() {
    // The waiting worker's child runs elsewhere; regardless of which worker is blocked meanwhile, the task ends.
    let pool = pool(&[2]);
    for _ in 0..many(200) {
        pool.install(|| {
            join(
                || pool.order(&Order::Total(1)).expect("an order"),
                || std::thread::sleep(Duration::from_micros(50)),
            );
        });
        pool.order(None).expect("an order");
    }
}
