//! The loop, the gate and the latch under all interleavings that loom finds, for a few threads with a few preemptions.
//!
//! `.ci/loom` runs them. A worker that sleeps forever is a deadlock, which loom reports; the queue is a row of flags with relaxed reads
//! and writes, the weakest guarantee that a deque may have.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use loom::thread;

mod handed;

use super::{Source, serve};
use crate::gate::{Gate, Rule};
use crate::latch::{Latch, WorkerLatch};

/// Tasks that exist or do not.
struct Tasks {
    gate: Gate,
    there: Vec<AtomicBool>,
    /// Number of tasks taken and run.
    done: AtomicUsize,
    stop: AtomicBool,
}

impl Tasks {
    fn new(node_of: &[usize], rule: Rule, tasks: usize) -> Arc<Self> {
        let nodes = node_of.iter().max().map_or(0, |node| node + 1);
        let there = (0..tasks).map(|_| AtomicBool::new(false)).collect();
        let gate = Gate::new(node_of, nodes, rule);
        Arc::new(Self { gate, there, done: AtomicUsize::new(0), stop: AtomicBool::new(false) })
    }

    fn spawn(&self, task: usize) {
        self.there[task].store(true, Ordering::Relaxed);
        if self.gate.must_tell() {
            self.gate.wake(&[0, 1]);
        }
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.gate.release();
    }
}

impl Source for (Arc<Tasks>, usize) {
    fn work(&self) -> bool {
        let tasks = &self.0;
        let took = tasks.there.iter().any(|there| {
            there.load(Ordering::Relaxed)
                && there.compare_exchange(true, false, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        });
        if took && tasks.done.fetch_add(1, Ordering::AcqRel) + 1 == tasks.there.len() {
            tasks.stop();
        }
        took
    }

    fn any(&self) -> bool {
        self.0.there.iter().any(|there| there.load(Ordering::Relaxed))
    }

    fn over(&self) -> bool {
        self.0.stop.load(Ordering::Acquire)
    }

    fn pass_on(&self) {
        if self.any() {
            self.0.gate.wake(&[0, 1]);
        }
    }
}

fn worker(tasks: &Arc<Tasks>, number: usize) -> thread::JoinHandle<()> {
    let tasks = tasks.clone();
    thread::spawn(move || {
        tasks.gate.enter(number);
        serve(&tasks.gate, number, &(tasks.clone(), number));
    })
}

fn explore(preemptions: usize, test: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(test);
}

#[test]
fn no_task_is_left_to_a_worker_that_falls_asleep() {
    explore(4, || {
        let tasks = Tasks::new(&[0], Rule::All, 2);
        let worker = worker(&tasks, 0);
        tasks.spawn(0);
        tasks.spawn(1);
        worker.join().expect("it ends");
        assert_eq!(tasks.done.load(Ordering::Acquire), 2);
    });
}

#[test]
fn a_task_is_passed_on_by_a_worker_that_is_blocked_when_it_wakes() {
    // Whichever worker is woken for the task: it runs, because the order leaves one of the two.
    explore(2, || {
        let tasks = Tasks::new(&[0, 1], Rule::All, 1);
        let workers = [worker(&tasks, 0), worker(&tasks, 1)];
        tasks.spawn(0);
        tasks.gate.set(Rule::PerNode(vec![0, 1]));
        for worker in workers {
            worker.join().expect("it ends");
        }
        assert_eq!(tasks.done.load(Ordering::Acquire), 1);
    });
}

#[test]
fn a_pool_of_which_nobody_may_run_can_always_be_raised() {
    explore(3, || {
        let tasks = Tasks::new(&[0], Rule::Total(0), 1);
        let worker = worker(&tasks, 0);
        let raising = tasks.clone();
        let raiser = thread::spawn(move || raising.gate.set(Rule::Total(1)));
        tasks.spawn(0);
        worker.join().expect("it ends");
        raiser.join().expect("it ends");
    });
}

/// Endless tasks: a worker that begins one after an order was given, and before the next one, is counted.
struct Endless {
    gate: Gate,
    /// The order is in force.
    ordered: AtomicBool,
    /// Workers inside a task that they fetched meanwhile.
    inside: AtomicUsize,
    rounds: usize,
}

#[test]
fn after_an_order_no_more_begin_a_task_than_it_says() {
    explore(2, || {
        let (ordered, inside) = (AtomicBool::new(false), AtomicUsize::new(0));
        let endless =
            Arc::new(Endless { gate: Gate::new(&[0, 0], 1, Rule::All), ordered, inside, rounds: 2 });
        let worker = |number: usize| {
            let endless = endless.clone();
            thread::spawn(move || {
                endless.gate.enter(number);
                for _ in 0..endless.rounds {
                    let before = endless.ordered.load(Ordering::Acquire);
                    while !endless.gate.open(number) {
                        endless.gate.block(number, || false, || ());
                    }
                    // After the next order it is no longer true.
                    if before && endless.ordered.load(Ordering::Acquire) {
                        assert_eq!(endless.inside.fetch_add(1, Ordering::AcqRel), 0, "two run, one may");
                        endless.inside.fetch_sub(1, Ordering::AcqRel);
                    }
                }
            })
        };
        let workers = [worker(0), worker(1)];
        endless.gate.set(Rule::Total(1));
        endless.ordered.store(true, Ordering::Release);
        thread::yield_now();
        endless.ordered.store(false, Ordering::Release);
        fence(Ordering::SeqCst);
        endless.gate.set(Rule::All);
        for worker in workers {
            worker.join().expect("it ends");
        }
    });
}

/// A worker that waits for another thread inside a task, with no other task to run.
struct Waiting<'a>(&'a WorkerLatch<'a>);

impl Source for Waiting<'_> {
    fn work(&self) -> bool {
        false
    }
    fn any(&self) -> bool {
        false
    }
    fn over(&self) -> bool {
        self.0.is_set()
    }
    fn pass_on(&self) {}
    fn before_parking(&self) {
        self.0.before_parking();
    }
    fn after_parking(&self) {
        self.0.after_parking();
    }
}

#[test]
fn what_a_worker_waits_for_wakes_it_whatever_is_ordered_meanwhile() {
    explore(3, || {
        let gate: &'static Gate = Box::leak(Box::new(Gate::new(&[0], 1, Rule::All)));
        let latch: &'static WorkerLatch<'static> = Box::leak(Box::new(WorkerLatch::new(gate, 0)));
        let worker = thread::spawn(move || {
            gate.enter(0);
            serve(gate, 0, &Waiting(latch));
        });
        #[allow(unsafe_code)]
        // SAFETY: the latch is never freed.
        let setter = thread::spawn(move || unsafe { Latch::set(std::ptr::from_ref(latch)) });
        gate.set(Rule::Total(0));
        worker.join().expect("it ends");
        setter.join().expect("it ends");
    });
}
