//! A question that can be answered by hand, for the tests of the modules of the search.
//!
//! Equal nodes with 2 cores of 10 GFLOPS and 32 GB/s. `mem` has intensity 0.5: a thread wants 20 GB/s, so one thread gets 10 GFLOPS and two
//! share 32 GB/s for 16. `cpu` has intensity 100: 10 GFLOPS for each thread, and almost no GB/s. The options of a node are (mem, cpu) =
//! (0,0), (0,1), (0,2), (1,0), (1,1), (2,0) with 0, 10, 20, 10, 20, 16 GFLOPS.

use std::sync::atomic::{AtomicU64, Ordering};

use numasim_model::Placement;

use super::Progress;
use super::dual::Relaxation;
use super::pool::{Canonical, Pool};
use crate::monitor::{Monitor, Unattended};
use crate::objective::Objective;
use crate::problem::{Evaluator, Problem};
use crate::restrictions::Restrictions;
use crate::symmetry::node_classes;
use crate::testing::{local_app, uniform_machine};

pub(super) const LOCAL: [Placement; 2] = [Placement::Local, Placement::Local];

/// `mem` and `cpu` on `nodes` equal nodes.
pub(super) fn question(nodes: usize, objective: Objective) -> Problem {
    let machine = uniform_machine(nodes, 2, 10.0, 32.0, 10.0);
    let apps = [local_app("mem", 0.5), local_app("cpu", 100.0)];
    Problem::new(&machine, &apps, objective, Restrictions::default()).expect("a possible question")
}

/// Its relaxation, with all data local.
pub(super) fn relaxation(problem: &Problem) -> Relaxation<'_> {
    watched_by(problem, &Unattended).expect("few options")
}

/// The same with a monitor; `None` if it stops the work.
pub(super) fn watched_by<'a>(problem: &'a Problem, monitor: &'a dyn Monitor) -> Option<Relaxation<'a>> {
    let evaluator = Evaluator::new(problem, LOCAL.to_vec());
    let classes = node_classes(&problem.machine, &problem.apps, &LOCAL, false);
    Relaxation::new(problem, &evaluator, &classes, &[], 1000, 1, monitor)
}

/// A pool with one answer: thread counts per application and node.
pub(super) fn pool_with(problem: &Problem, rows: &[Vec<u32>]) -> (Canonical, Pool) {
    let canonical = Canonical::new(problem);
    let mut pool = Pool::new(1);
    let allocation = numasim_model::Allocation::from_rows(rows).expect("equal rows");
    pool.add(&canonical, Evaluator::new(problem, LOCAL.to_vec()).candidate(allocation));
    (canonical, pool)
}

/// Stops at call `at`, and counts its calls.
pub(super) struct StopAt {
    at: u64,
    asked: AtomicU64,
}

impl StopAt {
    pub(super) const fn new(at: u64) -> Self {
        Self { at, asked: AtomicU64::new(0) }
    }

    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Monitor for StopAt {
    fn stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 >= self.at
    }
    fn progress(&self, _: &Progress) {}
}
