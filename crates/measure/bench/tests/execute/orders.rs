//! Commands while a graph runs: parked workers start nothing, others run all remaining tasks, and results stay those of a serial run.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use numasim_bench::execute::{execute, serial};
use numasim_graph::values::{BlockId, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskGraph, TaskId};
use numasim_kernels::{Code, Fault, Part, Store, Verdict, Workspace};
use numasim_runtime::Order;

use crate::common::{cores, machine, programs, question, workers};

/// Waits for a required event with a generous limit: a slow machine is no failure.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_micros(200));
    }
}

/// A code whose tasks wait, all but the first `free`, until they may continue; it records the workers that have started a task since then.
struct Watched {
    code: Box<dyn Code>,
    free: usize,
    begun: AtomicUsize,
    inside: AtomicUsize,
    go: AtomicBool,
    /// Names of threads that started a task after `go`.
    later: Mutex<BTreeSet<String>>,
}

impl Watched {
    fn new(code: Box<dyn Code>, free: usize) -> Self {
        Self {
            code,
            free,
            begun: AtomicUsize::new(0),
            inside: AtomicUsize::new(0),
            go: AtomicBool::new(false),
            later: Mutex::default(),
        }
    }

    fn later(&self) -> Vec<String> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Code for Watched {
    fn fresh(&self, block: BlockId) -> Vec<f64> {
        self.code.fresh(block)
    }
    fn run(
        &self,
        graph: &TaskGraph,
        task: TaskId,
        parts: &mut [Part<'_>],
        work: &mut Workspace,
    ) -> Result<(), Fault> {
        if self.go.load(Ordering::Acquire) {
            let name = thread::current().name().unwrap_or_default().to_owned();
            self.later.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
        } else if self.begun.fetch_add(1, Ordering::AcqRel) >= self.free {
            self.inside.fetch_add(1, Ordering::AcqRel);
            until("they may go on", || self.go.load(Ordering::Acquire));
        }
        self.code.run(graph, task, parts, work)
    }
    fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64 {
        self.code.flop(graph, task)
    }
    fn check(&self, store: &Store) -> Verdict {
        self.code.check(store)
    }
}

/// All of them have tasks for both nodes at the start.
const KINDS: [SchedulerKind; 5] = [
    SchedulerKind::Fifo,
    SchedulerKind::Dep,
    SchedulerKind::RipDep,
    SchedulerKind::Tbb,
    SchedulerKind::Static,
];

fn settings(kind: SchedulerKind) -> SchedulerSettings {
    SchedulerSettings { kind, window: 20, stride: 1, ..SchedulerSettings::default() }
}

/// Gives `orders` while four workers are inside a task of a Cholesky factorisation, of whose 50 tasks the first two or more are over.
/// Returns the workers that start a task after that.
fn begun_later(kind: SchedulerKind, orders: impl Fn(&numasim_runtime::Pool, &Watched) + Sync) -> Vec<String> {
    let (machine, runtime, scheduler) = (machine(2, 2), RuntimeSettings::default(), settings(kind));
    let workers = workers(2, 2);
    let (graph, code) = programs(2).remove(0);
    let reference = serial(&graph, &*code, cores(1, 1).0[0][0]).expect("a serial run");
    let watched = Watched::new(code, 2);
    let question =
        numasim_tasks::Question { steal: false, ..question(&machine, &graph, &scheduler, &runtime) };
    let run = thread::scope(|scope| {
        scope.spawn(|| {
            until(&format!("{kind:?}: all are inside a task"), || {
                watched.inside.load(Ordering::Acquire) == 4
            });
            orders(workers.pool(), &watched);
        });
        execute(&question, &watched, &workers).expect("a run")
    });
    assert_eq!(run.store.difference(&reference.store), None, "{kind:?}");
    assert_eq!(run.records.len(), graph.task_count());
    assert!(run.held > 0, "{kind:?}");
    watched.later()
}

#[test]
fn a_command_during_a_graph_leaves_one_worker_for_the_rest() {
    for kind in KINDS {
        let later = begun_later(kind, |pool, watched| {
            pool.order(&Order::Total(1)).expect("an order");
            watched.go.store(true, Ordering::Release);
        });
        assert_eq!(later.len(), 1, "{kind:?}: {later:?}");
    }
}

#[test]
fn a_graph_waits_without_workers_and_continues_on_the_raised_node() {
    for kind in KINDS {
        let later = begun_later(kind, |pool, watched| {
            pool.order(&Order::Total(0)).expect("an order");
            watched.go.store(true, Ordering::Release);
            until("all are parked", || pool.status().blocked == [2, 2]);
            assert_eq!(watched.later(), [""; 0]);
            assert!(pool.status().queued > 0);
            pool.order(&Order::PerNode(vec![0, 2])).expect("an order");
        });
        // Numbered round-robin over the nodes: 1 and 3 are those of node 1. One of them may have been fast enough for all.
        let of_node_1 = |name: &String| name == "worker 1" || name == "worker 3";
        assert!(!later.is_empty() && later.iter().all(of_node_1), "{kind:?}: {later:?}");
    }
}

#[test]
fn commands_during_graphs_do_not_change_results() {
    let (machine, runtime) = (machine(2, 2), RuntimeSettings::default());
    let workers = workers(2, 2);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let orders = [
                Some(Order::Total(1)),
                Some(Order::PerNode(vec![2, 0])),
                Some(Order::Total(0)),
                None,
                Some(Order::Cores(vec![1, 2])),
                Some(Order::PerNode(vec![0, 1])),
                Some(Order::Cores(vec![])),
                Some(Order::Total(3)),
            ];
            for order in orders.iter().cycle().take_while(|_| !over.load(Ordering::Acquire)) {
                workers.pool().order(order.as_ref()).expect("an order");
                thread::sleep(Duration::from_micros(100));
            }
            workers.pool().order(None).expect("an order");
        });
        let done = catch_unwind(AssertUnwindSafe(|| {
            for (graph, code) in programs(2) {
                let reference = serial(&graph, &*code, cores(1, 1).0[0][0]).expect("a serial run");
                for kind in KINDS.into_iter().filter(|kind| !graph.is_tree() || !kind.partitions()) {
                    let scheduler = settings(kind);
                    let question = question(&machine, &graph, &scheduler, &runtime);
                    for _ in 0..5 {
                        let run = execute(&question, &*code, &workers).expect("a run");
                        assert_eq!(run.store.difference(&reference.store), None, "{kind:?}");
                        assert_eq!(run.records.len(), graph.task_count());
                    }
                }
            }
        }));
        over.store(true, Ordering::Release);
        done.expect("all runs are right");
    });
}

#[test]
fn the_panic_of_a_kernel_propagates_and_workers_survive() {
    struct Panics(Box<dyn Code>);
    impl Code for Panics {
        fn fresh(&self, block: BlockId) -> Vec<f64> {
            self.0.fresh(block)
        }
        fn run(
            &self,
            _: &TaskGraph,
            task: TaskId,
            _: &mut [Part<'_>],
            _: &mut Workspace,
        ) -> Result<(), Fault> {
            assert_ne!(task.0, 3, "a kernel");
            Ok(())
        }
        fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64 {
            self.0.flop(graph, task)
        }
        fn check(&self, store: &Store) -> Verdict {
            self.0.check(store)
        }
    }
    let (machine, scheduler, runtime) =
        (machine(1, 2), settings(SchedulerKind::Fifo), RuntimeSettings::default());
    let workers = workers(1, 2);
    let (graph, code) = programs(1).remove(0);
    let panics = Panics(code);
    let question = question(&machine, &graph, &scheduler, &runtime);
    let payload =
        catch_unwind(AssertUnwindSafe(|| execute(&question, &panics, &workers))).expect_err("a panic");
    assert!(payload.downcast_ref::<String>().is_some_and(|text| text.contains("a kernel")));
    let (graph, code) = programs(1).remove(0);
    let again = numasim_tasks::Question { graph: &graph, ..question };
    assert!(code.check(&execute(&again, &*code, &workers).expect("a run").store).is_right());
}
