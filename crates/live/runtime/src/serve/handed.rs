//! Tasks for certain workers only: none of them is lost to sleep or to an order.

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::explore;
use crate::gate::{Gate, Rule};
use crate::latch::WorkerLatch;
use crate::serve::{Source, serve};

/// Tasks for certain workers, which no other takes; only the gate orders.
struct Handed {
    gate: &'static Gate,
    ends: Vec<WorkerLatch<'static>>,
    /// For each worker.
    tasks: Vec<AtomicUsize>,
    /// Tasks done by all workers.
    done: AtomicUsize,
}

impl Handed {
    /// For one worker on each node.
    fn new(nodes: usize) -> &'static Self {
        let node_of: Vec<usize> = (0..nodes).collect();
        let gate: &'static Gate = Box::leak(Box::new(Gate::new(&node_of, nodes, Rule::All)));
        let ends = (0..nodes).map(|worker| WorkerLatch::new(gate, worker)).collect();
        let tasks = (0..nodes).map(|_| AtomicUsize::new(0)).collect();
        Box::leak(Box::new(Self { gate, ends, tasks, done: AtomicUsize::new(0) }))
    }

    /// If an order keeps a worker from running, the next one gets its tasks.
    fn hand(&self, worker: usize) {
        self.tasks[worker].fetch_add(1, Ordering::Relaxed);
        if !self.gate.rouse(worker) {
            self.hand_on(worker);
        }
    }

    fn hand_on(&self, worker: usize) {
        for _ in 0..self.tasks[worker].swap(0, Ordering::Relaxed) {
            self.hand((worker + 1) % self.tasks.len());
        }
    }

    fn start(&'static self, worker: usize) -> thread::JoinHandle<()> {
        thread::spawn(move || {
            self.gate.enter(worker);
            serve(self.gate, worker, &(self, worker));
        })
    }
}

impl Source for (&'static Handed, usize) {
    fn work(&self) -> bool {
        let (handed, worker) = *self;
        let took = handed.tasks[worker].swap(0, Ordering::Relaxed);
        if took > 0 {
            handed.done.fetch_add(took, Ordering::AcqRel);
            handed.ends.iter().for_each(WorkerLatch::set_here);
        }
        took > 0
    }
    fn any(&self) -> bool {
        self.0.tasks[self.1].load(Ordering::Relaxed) > 0
    }
    fn over(&self) -> bool {
        self.0.ends[self.1].is_set()
    }
    fn pass_on(&self) {
        if !self.over() {
            self.0.hand_on(self.1);
        }
    }
    fn before_parking(&self) {
        self.0.ends[self.1].before_parking();
    }
    fn after_parking(&self) {
        self.0.ends[self.1].after_parking();
    }
}

#[test]
fn what_is_handed_to_a_worker_that_falls_asleep_is_run() {
    explore(4, || {
        let handed = Handed::new(1);
        let worker = handed.start(0);
        handed.hand(0);
        worker.join().expect("it ends");
        assert_eq!(handed.done.load(Ordering::Acquire), 1);
    });
}

#[test]
fn what_is_handed_to_a_worker_that_an_order_parks_comes_back() {
    // The order leaves the second worker, which runs the task unless the first one was faster than the order.
    explore(2, || {
        let handed = Handed::new(2);
        let workers = [handed.start(0), handed.start(1)];
        let orderer = thread::spawn(move || handed.gate.set(Rule::PerNode(vec![0, 1])));
        handed.hand(0);
        for thread in workers.into_iter().chain([orderer]) {
            thread.join().expect("it ends");
        }
        assert_eq!(handed.done.load(Ordering::Acquire), 1);
    });
}
