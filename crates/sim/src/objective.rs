//! What "best" means: the four objectives, as scores to be made as large as possible.
//!
//! Inside the search every objective is a **score**: larger is better, and concave in the GFLOPS of the applications,
//! which is what the bounds need. Outside it is a **value** in the unit that people know.
//!
//! | objective | score | value |
//! |---|---|---|
//! | total-gflops | sum of weight x G | the same, GFLOPS |
//! | fair | min of p = G / G alone | the same, a fraction |
//! | geomean | sum weight x ln p / sum weight | exp(score), a fraction |
//! | makespan | min of G / work | 1 / score, seconds |

use numasim_model::ids::{AppId, NodeId};
use numasim_model::sharing::Solver;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Allocation, App, Data, Machine, Placement, Smt};

use crate::symmetry::node_classes;

numasim_model::words! {
    /// An objective of `explore`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Objective {
        /// The largest sum of weight x GFLOPS.
        TotalGflops = "total-gflops",
        /// The largest minimum of GFLOPS / GFLOPS alone with every core of the machine.
        Fair = "fair",
        /// The largest weighted geometric mean of GFLOPS / GFLOPS alone.
        Geomean = "geomean",
        /// The smallest time until every application has done its work.
        Makespan = "makespan",
    }
}

impl Objective {
    /// The unit of its value; empty for a fraction.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::TotalGflops => "GFLOPS",
            Self::Fair | Self::Geomean => "",
            Self::Makespan => "s",
        }
    }
}

/// An objective made ready for a machine and applications.
#[derive(Clone, Debug)]
pub struct Goal {
    objective: Objective,
    /// Per application: its weight; for geomean divided by the sum of weights.
    weights: Vec<f64>,
    /// Per application: what its GFLOPS are divided by (alone, work or 1).
    unit_gflops: Vec<f64>,
    /// Per application: GFLOPS alone with every core.
    alone: Vec<f64>,
}

/// Why an objective does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// The makespan needs to know how much there is to do.
    #[error("the makespan objective needs `work_gflop` for every application; missing for: {}", .0.join(", "))]
    MissingWork(Vec<String>),
    /// A sum or a time of FLOP has no place for what counts something else.
    #[error("the {} objective adds up FLOP, but these applications count something else (`rate`): {}", .0.as_str(), .1.join(", "))]
    NoFlop(Objective, Vec<String>),
    /// A mean with no weight at all.
    #[error("the geomean objective needs at least one application with a weight above 0")]
    NoWeight,
}

impl Goal {
    /// Computes what the objective compares with.
    ///
    /// # Errors
    /// [`GoalError`] if work or weights are missing, or FLOP are to be added up and an application counts something else.
    pub fn new(objective: Objective, machine: &Machine, apps: &[App]) -> Result<Self, GoalError> {
        if matches!(objective, Objective::TotalGflops | Objective::Makespan) {
            let rates = apps.iter().filter(|app| app.rate_unit.is_some());
            let names: Vec<String> = rates.map(|app| app.name.clone()).collect();
            if !names.is_empty() {
                return Err(GoalError::NoFlop(objective, names));
            }
        }
        Self::of_any_work(objective, machine, apps)
    }

    /// The same, whatever the applications count.
    pub(crate) fn of_any_work(
        objective: Objective,
        machine: &Machine,
        apps: &[App],
    ) -> Result<Self, GoalError> {
        // With one thread on each core whatever they choose, so that choices are compared with the same speed.
        let one: Vec<App> = apps.iter().map(|app| app.clone().with_smt(Smt::One)).collect();
        let alone = alone(machine, &one);
        let mut weights: Vec<f64> = apps.iter().map(|app| app.weight).collect();
        let unit_gflops = match objective {
            Objective::TotalGflops => vec![1.0; apps.len()],
            Objective::Fair => alone.clone(),
            Objective::Geomean => {
                let sum: f64 = weights.iter().sum();
                if sum <= 0.0 {
                    return Err(GoalError::NoWeight);
                }
                for weight in &mut weights {
                    *weight /= sum;
                }
                alone.clone()
            }
            Objective::Makespan => {
                let missing: Vec<String> =
                    apps.iter().filter(|app| app.work.is_none()).map(|app| app.name.clone()).collect();
                if !missing.is_empty() {
                    return Err(GoalError::MissingWork(missing));
                }
                apps.iter().filter_map(|app| app.work).map(numasim_model::units::Gflop::value).collect()
            }
        };
        Ok(Self { objective, weights, unit_gflops, alone })
    }

    /// The objective.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// GFLOPS of each application alone with every core of the machine, or of the best nodes if several cost it something
    /// ([`App::node_overhead`]), an open home at its best node, with one thread on each core; `max_threads` and
    /// `nodes` are ignored, and so is memory.
    pub fn alone(&self) -> &[f64] {
        &self.alone
    }

    /// Weight of each application in the score (normalised for geomean).
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What the GFLOPS of each application are divided by.
    pub(crate) fn unit_gflops(&self) -> &[f64] {
        &self.unit_gflops
    }

    /// Whether every allocation has the same, worst score: an application that counts gets nothing even with the
    /// whole machine to itself.
    pub(crate) fn is_hopeless(&self) -> bool {
        match self.objective {
            Objective::TotalGflops | Objective::Makespan => false,
            Objective::Fair => self.alone.contains(&0.0),
            Objective::Geomean => self.alone.iter().zip(&self.weights).any(|(a, w)| *a == 0.0 && *w > 0.0),
        }
    }

    /// The score of these GFLOPS per application; larger is better, -infinity for a geomean with a 0 in it.
    #[inline]
    pub fn score(&self, gflops: &[f64]) -> f64 {
        match self.objective {
            Objective::TotalGflops => gflops.iter().zip(&self.weights).map(|(g, w)| g * w).sum(),
            Objective::Fair | Objective::Makespan => gflops
                .iter()
                .zip(&self.unit_gflops)
                .map(|(g, unit)| if *unit > 0.0 { g / unit } else { 0.0 })
                .fold(f64::INFINITY, f64::min),
            Objective::Geomean => gflops
                .iter()
                .zip(&self.unit_gflops)
                .zip(&self.weights)
                .filter(|(_, weight)| **weight > 0.0)
                .map(
                    |((g, unit), weight)| {
                        if *unit > 0.0 { weight * libm::log(g / unit) } else { f64::NEG_INFINITY }
                    },
                )
                .sum(),
        }
    }

    /// The value people read, from the score. The makespan of an allocation in which somebody never ends is infinite.
    pub fn value(&self, score: f64) -> f64 {
        match self.objective {
            Objective::TotalGflops | Objective::Fair => score,
            Objective::Geomean => libm::exp(score),
            Objective::Makespan => 1.0 / score,
        }
    }

    /// What breaks ties between equal scores: the smallest p for total-gflops, else the sum of p.
    pub(crate) fn tie_break(&self, gflops: &[f64]) -> f64 {
        let parts = gflops.iter().zip(&self.alone).filter(|(_, alone)| **alone > 0.0).map(|(g, a)| g / a);
        match self.objective {
            Objective::TotalGflops => parts.fold(f64::INFINITY, f64::min),
            _ => parts.sum(),
        }
    }

    /// The least score of what loses at most the share `within` of what scores `best`. Of nothing everybody loses nothing.
    pub(crate) fn least_score(&self, best: f64, within: f64) -> f64 {
        if best <= 0.0 && self.objective != Objective::Geomean {
            return f64::NEG_INFINITY;
        }
        match self.objective {
            Objective::Geomean => best + libm::log(1.0 - within),
            Objective::TotalGflops | Objective::Fair | Objective::Makespan => best * (1.0 - within),
        }
    }

    /// What `value` loses of `best`, as a share, never below 0.
    pub fn loss(&self, best: f64, value: f64) -> f64 {
        self.regret(best, value).max(0.0)
    }

    /// The part of `best` that `value` misses: 1 - value / best, and 1 - best / value of a makespan. Below 0 where `value` is
    /// better; 0 where both are as good, even if both are nothing.
    pub fn regret(&self, best: f64, value: f64) -> f64 {
        let part = match self.objective {
            Objective::Makespan => best / value,
            _ => value / best,
        };
        if part.is_nan() { 0.0 } else { 1.0 - part }
    }

    /// How many times better `value` is than `baseline`: above 1 means that it wins. `None` where that has no
    /// meaning (division by zero).
    pub fn factor(&self, value: f64, baseline: f64) -> Option<f64> {
        let factor = match self.objective {
            Objective::Makespan => baseline / value,
            _ => value / baseline,
        };
        factor.is_finite().then_some(factor)
    }
}

/// On a machine of more nodes, equal nodes are tried once as a home: there are a million pairs of 1024 nodes.
const MOST_NODES_ALL_TRIED: usize = 64;

/// GFLOPS of each application that has every core of the machine to itself, whatever its `max_threads` and `nodes`; an
/// open home takes its best node.
fn alone(machine: &Machine, apps: &[App]) -> Vec<f64> {
    let large = machine.node_count() > MOST_NODES_ALL_TRIED;
    let homes: Vec<NodeId> = if large {
        let classes = node_classes(machine, &[], &[], true);
        machine.memory_nodes().filter(|node| classes[node.0] == node.0).collect()
    } else {
        machine.memory_nodes().collect()
    };
    let everything: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
    let by_domain = machine.has_limited_domains();
    let with = |app: &App, placement: &Placement| {
        let solver = Solver::new(machine, &[app.demand(placement.clone())]);
        let mut workspace = solver.workspace();
        let mut on = |threads: &[u32]| {
            match Allocation::from_rows(&[threads.to_vec()]).filter(|_| by_domain) {
                Some(one) => solver.solve(one.rows(machine).as_slice(), &mut workspace),
                None => solver.solve(threads, &mut workspace),
            }
            workspace.gflops()[AppId(0).0]
        };
        if app.node_overhead > 0.0 { on_best_nodes(&everything, &mut on) } else { on(&everything) }
    };
    // The most promising home first: most others cannot be better, and need not be looked at.
    let at_best_home = |app: &App| {
        let at_home = |&home: &NodeId| app.data.placement_at(home);
        let mut by_roof: Vec<(f64, Placement)> =
            homes.iter().map(at_home).map(|data| (roof(machine, app, &data), data)).collect();
        by_roof.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best = 0.0_f64;
        for (roof, home) in by_roof {
            // On a large machine hundreds may have the same roof, which the first of them reaches.
            let reached = large && roof <= best * (1.0 + LAST_DIGITS);
            if reached || roof * (1.0 + ROUNDING) < best {
                break;
            }
            best = best.max(with(app, &home));
        }
        best
    };
    let of_one = |app: &App| match &app.data {
        Data::Placed(placement) => with(app, placement).max(0.0),
        Data::OpenHome { .. } => at_best_home(app),
    };
    // Instances of one application have the same GFLOPS alone.
    let mut alone: Vec<f64> = Vec::with_capacity(apps.len());
    for (a, app) in apps.iter().enumerate() {
        let twin = a.checked_sub(1).filter(|&before| {
            let other = &apps[before];
            other.asks_like(app, machine)
        });
        alone.push(twin.map_or_else(|| of_one(app), |twin| alone[twin]));
    }
    alone
}

/// The most that `on` has for all cores of some nodes: several may have less together than fewer. Nodes are added in the order of what they
/// have alone.
fn on_best_nodes(cores: &[u32], on: &mut impl FnMut(&[u32]) -> f64) -> f64 {
    let mut threads = vec![0; cores.len()];
    let mut nodes: Vec<(f64, usize)> = Vec::new();
    for node in (0..cores.len()).filter(|&node| cores[node] > 0) {
        threads[node] = cores[node];
        nodes.push((on(&threads), node));
        threads[node] = 0;
    }
    nodes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let with_one_more = nodes.into_iter().map(|(_, node)| {
        threads[node] = cores[node];
        on(&threads)
    });
    with_one_more.fold(0.0, f64::max)
}

/// What adding up in another order may change.
const ROUNDING: f64 = 1e-9;
/// What counts as the same on a large machine: far below what the search tells apart.
const LAST_DIGITS: f64 = 1e-12;

/// No model gives `app` more GFLOPS with its data on one node: what controller, links and cores allow.
fn roof(machine: &Machine, app: &App, placement: &Placement) -> f64 {
    let (home, share) = match placement {
        Placement::Home(home) => (*home, 1.0),
        Placement::PartHome { home, share } => (*home, *share),
        _ => return f64::INFINITY,
    };
    // GFLOPS for each GB/s that is occupied at the home.
    let intensity =
        app.arithmetic_intensity.value() / (share * machine.node(home).occupied_by(app.traffic()));
    let controller = machine.node(home).bandwidth.value();
    let of_node = |from: NodeId| {
        let node = machine.node(from);
        let peak = f64::from(node.cores) * app.limits().peak(node).value();
        let reached = machine.link(from, home).map_or(f64::INFINITY, GigabytesPerSecond::value);
        peak.min(reached * intensity)
    };
    machine.compute_nodes().map(of_node).sum::<f64>().min(controller * intensity)
}

#[cfg(test)]
mod tests {
    use numasim_model::Access;
    use numasim_model::sharing::ModelKind;
    use numasim_model::units::Gflops;

    use super::*;
    use crate::testing::{app, uniform_machine};

    /// Five nodes whose cores, memories and links all differ; triads have 12 to 20 GB/s.
    fn unequal(kind: ModelKind) -> Machine {
        let mut nodes = uniform_machine(5, 4, 10.0, 32.0, 10.0).nodes().to_vec();
        for (n, node) in nodes.iter_mut().enumerate() {
            let n = u32::try_from(n).expect("five");
            node.cores = 1 + (3 * n) % 5;
            node.gflops_per_core = Gflops::new(f64::from(7 + (2 * n) % 5));
            node.bandwidth = GigabytesPerSecond::new(f64::from(20 + (20 * n) % 7));
            node.kernels.set(Access::Triad, GigabytesPerSecond::new(f64::from(12 + (11 * n) % 9)));
        }
        let links = (0..25).map(|pair| GigabytesPerSecond::new(f64::from(2 + (pair * 7) % 11)));
        Machine::new("unequal", nodes, links.collect()).expect("a machine").with_sharing(kind.into())
    }

    #[test]
    fn an_open_home_alone_is_as_good_as_its_best_home_under_every_model() {
        for kind in ModelKind::ALL {
            let machine = unequal(kind);
            for intensity in [0.1, 0.5, 1.0, 3.0, 50.0] {
                for kernel in [Access::Read, Access::Triad] {
                    let app = |data: Data| App { kernel, ..app("a", intensity, data) };
                    let homes = machine
                        .node_ids()
                        .map(|home| alone(&machine, &[app(Data::Placed(Placement::Home(home)))])[0]);
                    let best = homes.fold(0.0, f64::max);
                    let open = alone(&machine, &[app(Data::OpenHome { share: 1.0 })]);
                    assert_eq!(open, [best], "{} {intensity} {kernel:?}", kind.as_str());
                }
            }
        }
    }

    #[test]
    fn instances_that_use_memory_in_other_ways_are_not_the_same_alone() {
        // Four cores want 80 GB/s. Reads have 20 on the first node, triads 12; copies, which nobody measured, as much as reads.
        let machine = unequal(ModelKind::default());
        let on = |kernel| App { kernel, ..app("a", 0.1, Data::Placed(Placement::Home(NodeId(0)))) };
        let gflops = alone(&machine, &[on(Access::Read), on(Access::Triad), on(Access::Copy)]);
        assert!((gflops[1] / gflops[0] - 12.0 / 20.0).abs() < 1e-12 && gflops[2] == gflops[0], "{gflops:?}");
    }

    #[test]
    fn nothing_is_above_its_roof_under_any_model() {
        for kind in ModelKind::ALL {
            let machine = unequal(kind);
            for home in machine.node_ids().map(Placement::Home) {
                for intensity in [0.1, 0.5, 1.0, 3.0, 50.0] {
                    for kernel in [Access::Read, Access::Triad] {
                        let app = App { kernel, ..app("a", intensity, Data::Placed(home.clone())) };
                        let (reached, roof) =
                            (alone(&machine, std::slice::from_ref(&app))[0], roof(&machine, &app, &home));
                        assert!(reached <= roof * (1.0 + ROUNDING), "{}: {reached} of {roof}", kind.as_str());
                    }
                }
            }
        }
    }
}
