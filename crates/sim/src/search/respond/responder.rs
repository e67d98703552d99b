//! The options of each node, ranked, and how an allocation of them is judged.

use numasim_model::{NodeId, Placement};

use super::merit::{Merit, Rise, Sums};
use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::search::dual::{Prices, Relaxation, Watched};
use crate::search::options::OptionTable;
use crate::search::watch::reads_one_memory;

/// Options per node that are tried in pairs, and that starts are drawn from.
pub(super) const TOP: usize = 48;
/// Options per node that are tried alone where nodes depend on each other: each costs an evaluation.
const TOP_COUPLED: usize = 400;
/// The search for one set of placements.
pub(in crate::search) struct Responder<'a> {
    pub(super) problem: &'a Problem,
    pub(super) relaxation: &'a Relaxation<'a>,
    pub(super) placements: &'a [Placement],
    /// Node in the order of the search: its class.
    pub(super) class_of: Vec<usize>,
    pub(super) nodes: Vec<NodeId>,
    /// Per class: options by what they earn, most first.
    pub(super) ranked: Vec<Vec<usize>>,
    /// A value of G / unit that the guide of the max-min objectives is measured in.
    pub(super) target: f64,
    /// Nodes do not depend on each other: sums of potentials are right (all data local), or nearly right (a single
    /// cell).
    pub(super) decoupled: bool,
    pub(super) monitor: &'a dyn Monitor,
}

impl<'a> Responder<'a> {
    /// Ranks the options at `prices`; `bound` is the bound on the score. `None` at a stop.
    pub(in crate::search) fn new(
        problem: &'a Problem,
        relaxation: &'a Relaxation<'a>,
        placements: &'a [Placement],
        prices: &Prices,
        bound: f64,
        single_cell: bool,
        monitor: &'a dyn Monitor,
    ) -> Option<Self> {
        let decoupled = relaxation.exact && single_cell && placements.iter().all(reads_one_memory);
        let keep = if decoupled { TOP } else { TOP_COUPLED };
        let everything = relaxation.everything();
        let ranked = relaxation
            .classes
            .iter()
            .enumerate()
            .map(|(c, class)| {
                if monitor.stop() {
                    return None;
                }
                let earnings = relaxation.earnings(c, prices, &everything);
                let mut all: Vec<(f64, usize)> =
                    (0..class.table.len()).map(|o| (earnings.of(&class.table, o), o)).collect();
                all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                all.truncate(keep);
                Some(all.into_iter().map(|(_, option)| option).collect())
            })
            .collect::<Option<_>>()?;
        let (nodes, class_of) = relaxation
            .classes
            .iter()
            .enumerate()
            .flat_map(|(c, class)| class.nodes.iter().map(move |&node| (node, c)))
            .unzip();
        Some(Self {
            problem,
            relaxation,
            placements,
            class_of,
            nodes,
            ranked,
            target: bound,
            decoupled,
            monitor,
        })
    }

    /// The tangent at `others` plus `option`, where all threads are right (else a worse score may be better); logarithms
    /// of every option would take most of the time.
    pub(super) fn rise(&self, others: &Sums, options: &[(&OptionTable, usize)]) -> Option<Rise> {
        let goal = &self.problem.goal;
        let mut sums = others.clone();
        sums.set(others, options);
        let merit = self.merit(&sums.gflops, &sums.threads, &sums.reads);
        if goal.objective() != Objective::Geomean || merit.wrong_threads > 0 || !merit.guide.is_finite() {
            return None;
        }
        let slope = |(w, g): (&f64, &f64)| if *w > 0.0 { w / g } else { 0.0 };
        let per_gflops: Vec<f64> = goal.weights().iter().zip(&sums.gflops).map(slope).collect();
        // Rounding must not hide an option that is a little better.
        let mut rise = Rise { base: merit.guide + 1e-9, per_gflops };
        rise.base -= options.iter().map(|&(table, option)| rise.gain(table, option)).sum::<f64>();
        Some(rise)
    }

    pub(super) fn merit(&self, gflops: &[f64], threads: &[u32], reads: &[f64]) -> Merit {
        let wrong_threads: u64 = self
            .problem
            .apps
            .iter()
            .zip(threads)
            .map(|(app, &threads)| {
                let over = app.max_threads.map_or(0, |max| threads.saturating_sub(max));
                u64::from(app.min_threads.saturating_sub(threads) + over)
            })
            .sum();
        let over = |(watched, reads): (&Watched, &f64)| {
            let over = (reads - watched.most) / watched.bandwidth;
            // In thousandths of the controller; any excess counts.
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number"
            )]
            let thousandths = if over > 1e-9 { 1 + (over * 1e3) as u64 } else { 0 };
            thousandths
        };
        let wrong_threads = wrong_threads + self.relaxation.watched.iter().zip(reads).map(over).sum::<u64>();
        let goal = &self.problem.goal;
        let guide = match goal.objective() {
            // The minimum alone has plateaus: who is second worst counts a little, too.
            Objective::Fair | Objective::Makespan => {
                let parts = gflops.iter().zip(goal.unit_gflops());
                -parts.map(|(g, unit)| (self.target * unit / g).powi(32)).sum::<f64>()
            }
            Objective::TotalGflops | Objective::Geomean => goal.score(gflops),
        };
        Merit { wrong_threads, guide: if guide.is_nan() { f64::NEG_INFINITY } else { guide } }
    }
}
