//! The few options of a looser table: the corners of a node.

use numasim_model::NodeId;
use numasim_model::sharing::Solver;

use crate::problem::Problem;
use crate::restrictions::may_hold;

/// The corners of a node: every application has its minimum; option 0 leaves all other cores idle, option a + 1 gives
/// them to application a.
#[derive(Clone, Debug)]
pub(in crate::search) struct Corners {
    /// Per application: the fewest threads; `None` if it may not use the node.
    minimum: Vec<Option<u32>>,
    has_minimum: bool,
    free: u32,
    /// GFLOPS of one thread of each application at full demand.
    pub(in crate::search) per_thread: Vec<f64>,
}

impl Corners {
    /// The corners of `node`.
    pub(in crate::search) fn new(problem: &Problem, solver: &Solver, node: NodeId) -> Self {
        let apps = problem.apps.len();
        let cores = problem.machine.node(node).cores;
        let least = |app| if cores == 0 { 0 } else { problem.restrictions.least_on_node(app) };
        let minimum: Vec<Option<u32>> =
            problem.apps.iter().map(|app| may_hold(app, node).then(|| least(app))).collect();
        let given = minimum.iter().flatten().fold(0, |sum: u32, least| sum.saturating_add(*least));
        let free = cores.saturating_sub(given);
        let gets = |a: usize| {
            let demand_gbs = solver.demand_per_thread()[a * solver.nodes() + node.0];
            demand_gbs * problem.apps[a].arithmetic_intensity.value()
        };
        let per_thread = (0..apps).map(gets).collect();
        Self {
            minimum,
            has_minimum: cores > 0 && problem.restrictions.min_threads_per_node > 0,
            free,
            per_thread,
        }
    }

    /// The earnings of an option at these prices of GFLOPS and threads; an empty list of thread prices means 0.
    pub(in crate::search) fn earned(&self, option: usize, of_gflops: &[f64], of_thread: &[f64]) -> f64 {
        let thread = |a: usize| self.per_thread[a] * of_gflops[a] + of_thread.get(a).copied().unwrap_or(0.0);
        let all = if self.has_minimum {
            let own = |(a, minimum): (usize, &Option<u32>)| f64::from(minimum.unwrap_or(0)) * thread(a);
            self.minimum.iter().enumerate().map(own).sum()
        } else {
            0.0
        };
        let more = self.receiver(option).map_or(0.0, |a| f64::from(self.free) * thread(a));
        all + more
    }

    /// The application that gets the free cores. There is none for an application that may not use the node.
    fn receiver(&self, option: usize) -> Option<usize> {
        option.checked_sub(1).filter(|&a| self.minimum[a].is_some())
    }

    /// GFLOPS and threads of each application.
    pub(in crate::search) fn row(&self, option: usize) -> (Vec<f64>, Vec<u32>) {
        let mut counts: Vec<u32> = self.minimum.iter().map(|minimum| minimum.unwrap_or(0)).collect();
        if let Some(a) = self.receiver(option) {
            counts[a] += self.free;
        }
        let potential = counts.iter().zip(&self.per_thread).map(|(&n, each)| f64::from(n) * each).collect();
        (potential, counts)
    }
}
