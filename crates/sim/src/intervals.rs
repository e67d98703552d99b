//! The uncertainty of a prediction because values of the machine are uncertain.
//!
//! # Method
//! Values with `interval95_percent` in `[machine.provenance]` are drawn [`Draws::COUNT`] times, all of them at once. Everything is
//! evaluated again on each of these machines (a parametric bootstrap: Efron and Tibshirani, An Introduction to the Bootstrap, 6.5). An
//! interval goes from the 2.5 % to the 97.5 % quantile of the results.
//!
//! The delta method (slopes at the point) would be cheaper, but the model is a minimum of limits: at the corner between two of them it has
//! two slopes, and the machines of interest are those near a corner.
//!
//! # Assumptions
//! - Each value is lognormal around the one in the file: a GB/s is a ratio of work to time, and never negative.
//! - Values are independent of each other, because their correlation is unknown. Equal values under one key are one value, which the file
//!   gives once or a fit found once (`uncertain`).
//! - The model itself is right. Its own error is not in these intervals; measurements show it (`compare`).
//!
//! # Draws
//! A Latin hypercube (McKay, Beckman and Conover 1979): the draws of each value are the quantiles at (i + 1/2) / n in random order. So the
//! interval of a result that follows a single value is the interval of that value, to rounding.

use numasim_model::demand::{demands, with_smt};
use numasim_model::evaluation::{EvaluateError, MOST_NODES_WITH_ALL_LINKS, Options};
use numasim_model::sharing::Solver;
use numasim_model::{Allocation, App, Machine, Placement, evaluate_with};
use numasim_study::figure::{Figure, Figures, of_nodes};
use numasim_study::keys::Key;
use rand::RngExt as _;

use crate::objective::SCORE_TOLERANCE;
use crate::problem::{Candidate, Problem};
use crate::search::generator;

#[cfg(test)]
mod tests;

// The intervals of a scenario.

/// The intervals of one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// GFLOPS of all applications together.
    pub total_gflops: Interval,
    /// GFLOPS of each application.
    pub gflops: Vec<Interval>,
    /// GB/s of each application.
    pub bandwidth_gbs: Vec<Interval>,
}

impl Draws {
    /// Evaluates a scenario on every machine drawn. `None` if an interval has no number.
    ///
    /// # Errors
    /// Those of [`evaluate_with`] on the machine itself: the number of threads, or a rejection by the sharing model.
    pub fn predict(
        &self,
        apps: &[App],
        placements: &[Placement],
        allocation: &Allocation,
        options: Options,
    ) -> Result<Option<Prediction>, EvaluateError> {
        let mut total = Vec::with_capacity(Self::COUNT);
        let mut gflops = vec![Vec::with_capacity(Self::COUNT); apps.len()];
        let mut bandwidth = gflops.clone();
        for machine in self.machines() {
            let found = evaluate_with(&machine, apps, placements, allocation, options)?;
            total.push(found.total.value());
            for ((app, gflops), bandwidth) in found.apps.iter().zip(&mut gflops).zip(&mut bandwidth) {
                gflops.push(app.gflops.value());
                bandwidth.push(app.bandwidth.value());
            }
        }
        let of_apps =
            |values: &[Vec<f64>]| values.iter().map(|one| Interval::of(one)).collect::<Option<Vec<_>>>();
        Ok(Interval::of(&total).zip(of_apps(&gflops)).zip(of_apps(&bandwidth)).map(
            |((total_gflops, gflops), bandwidth_gbs)| Prediction { total_gflops, gflops, bandwidth_gbs },
        ))
    }
}

// The allocations that cannot be distinguished from the best, given the uncertainty of the machine.

/// The best allocation and others under the same draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Rivals {
    /// The value of the best, in the unit of the objective.
    pub best: Interval,
    /// The others, in the order in which they were given.
    pub others: Vec<Rival>,
}

/// An allocation to compare with the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rival {
    /// Its value, in the unit of the objective.
    pub value: Interval,
    /// Its value minus that of the best on the same machine, draw by draw: effects common to both cancel.
    pub difference: Interval,
    /// Whether the difference is not 0 and has one sign in more than 95 % of the draws.
    pub distinguishable: bool,
}

impl Draws {
    /// Compares `others` with `best`. `None` if the objective has no value on a machine drawn.
    pub fn rivals(&self, problem: &Problem, best: &Candidate, others: &[&Candidate]) -> Option<Rivals> {
        let mut values = vec![Vec::with_capacity(Self::COUNT); others.len() + 1];
        for machine in self.machines() {
            let goal = problem.goal().on_machine(&machine, problem.asked()).ok()?;
            for (candidate, values) in std::iter::once(&best).chain(others).zip(&mut values) {
                let value = |allocation: &Allocation, placements: &[Placement]| {
                    let solver = Solver::new(
                        &machine,
                        &demands(&with_smt(problem.asked(), &candidate.smt), placements),
                    );
                    let mut workspace = solver.workspace();
                    solver.solve(allocation.rows(&machine).as_slice(), &mut workspace);
                    goal.value(goal.score(workspace.gflops()))
                };
                values.push(value(&candidate.allocation, &candidate.placements));
            }
        }
        let (of_best, of_others) = values.split_first()?;
        let best = Interval::of(of_best)?;
        let rival = |values: &Vec<f64>| {
            let difference = |(own, best): (&f64, &f64)| if own == best { 0.0 } else { own - best };
            let differences: Vec<f64> = values.iter().zip(of_best).map(difference).collect();
            let difference = Interval::of(&differences)?;
            let rounding = SCORE_TOLERANCE * best.low.abs().max(best.high.abs());
            let distinguishable = !difference.holds(0.0, if rounding.is_finite() { rounding } else { 0.0 });
            Some(Rival { value: Interval::of(values)?, difference, distinguishable })
        };
        let others = of_others.iter().map(rival).collect::<Option<Vec<_>>>()?;
        Some(Rivals { best, others })
    }
}

// The interval of 95 % of some values.

/// From the 2.5 % to the 97.5 % quantile, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The interval of these values. The quantile p is at position n p + 1/2 of the n ascending values, interpolated linearly between two
    /// of them (Hazen; of 400 values the lower end is between the tenth and the eleventh). `None` without values, or if one is not a
    /// number.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self { low: at(&sorted, 0.025)?, high: at(&sorted, 0.975)? })
    }

    /// The larger distance from `figure` to an end.
    pub fn reach(self, figure: f64) -> f64 {
        (figure - self.low).max(self.high - figure).max(0.0)
    }

    /// Whether it contains `value`, up to `tolerance`.
    fn holds(self, value: f64, tolerance: f64) -> bool {
        self.low - tolerance <= value && value <= self.high + tolerance
    }
}

fn at(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = (sorted.len() as f64 * p - 0.5).clamp(0.0, last as f64);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the number of values")]
    let lower = place.floor() as usize;
    let (low, high) = (*sorted.get(lower)?, *sorted.get(lower + 1).or(sorted.last())?);
    let part = place - lower as f64;
    // Between equal infinities there is no difference to interpolate.
    Some(if low == high || part == 0.0 { low } else { low + (high - low) * part })
}

// Machines whose uncertain values are drawn.

/// Streams of random numbers from here on are for uncertain values; restarts of the search count from 0.
const FIRST_STREAM: u64 = 1 << 40;

/// A machine, and the factors of its uncertain values in each draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    base: Machine,
    uncertain: Vec<Uncertain>,
    /// For each of `uncertain`, one factor per draw.
    factors: Vec<Vec<f64>>,
}

impl Draws {
    /// Number of machines drawn. The ends of an interval are then off by some 5 % of its half-width if several values matter, and exact if
    /// only one does.
    pub const COUNT: usize = 400;

    /// The draws for a machine and seed; the same input gives the same draws. `None` if no value of the machine has an interval above 0,
    /// and beyond 64 nodes, whose links would take too long to draw.
    pub fn of(machine: &Machine, seed: u64) -> Option<Self> {
        if machine.node_count() > MOST_NODES_WITH_ALL_LINKS {
            return None;
        }
        let uncertain = uncertain(machine);
        if uncertain.is_empty() {
            return None;
        }
        let factors = (FIRST_STREAM..).zip(&uncertain).map(|(stream, figure)| {
            // ln(1 + p) is 1.96 standard deviations.
            let deviation = libm::log1p(figure.percent / 100.0) / quantile(0.975);
            let mut factors: Vec<f64> = (0..Self::COUNT)
                .map(|draw| libm::exp(deviation * quantile((draw as f64 + 0.5) / Self::COUNT as f64)))
                .collect();
            let mut random = generator(seed, stream);
            for last in (1..factors.len()).rev() {
                factors.swap(last, random.random_range(0..=last));
            }
            factors
        });
        let factors = factors.collect();
        Some(Self { base: machine.clone(), uncertain, factors })
    }

    /// The values that are drawn.
    pub fn uncertain(&self) -> &[Uncertain] {
        &self.uncertain
    }

    /// The machines, one after the other: all of them at once would need too much memory.
    pub fn machines(&self) -> impl Iterator<Item = Machine> + '_ {
        let plain = Figures::of(&self.base, &[]);
        (0..Self::COUNT).filter_map(move |draw| {
            let mut figures = plain.clone();
            for (uncertain, factors) in self.uncertain.iter().zip(&self.factors) {
                let factor = factors.get(draw).copied().unwrap_or(1.0);
                for figure in &uncertain.figures {
                    figures.change(figure, |value| value * factor);
                }
            }
            // All values stay positive and finite, so the machine is valid.
            figures.machine(&self.base).ok()
        })
    }
}

// Quantiles of the normal distribution.

/// Below this probability, and above 1 minus it, the tails have a separate formula.
const TAIL: f64 = 0.024_25;

/// The value below which a standard normal number falls with this probability, 0 < p < 1.
///
/// Uses the rational approximation of P. J. Acklam (2003), correct to a relative 1.2e-9.
fn quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
        1.0,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let polynomial = |factors: &[f64], x: f64| factors.iter().fold(0.0, |sum, factor| sum * x + factor);
    let tail = |p: f64| {
        let q = (-2.0 * libm::log(p)).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if p < TAIL {
        return tail(p);
    }
    if p > 1.0 - TAIL {
        return -tail(1.0 - p);
    }
    let q = p - 0.5;
    q * polynomial(&A, q * q) / polynomial(&B, q * q)
}

// The uncertain values of a machine, grouped by those that vary together.

/// Values of a machine that vary together: they are equal and have the same key.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertain {
    /// Their key in `[machine.provenance]`.
    pub key: &'static str,
    /// Half-width of the interval of 95 %, in percent of the value.
    pub percent: f64,
    /// The values themselves.
    figures: Vec<Figure>,
}

/// All values of the machine that have an interval above 0.
///
/// A controller uses the interval of `bandwidth_gbs`, else of `bandwidth_matrix_gbs`. A link uses the wider interval of `link_gbs` and
/// `socket_link_gbs`, else that of the matrix. Latencies, caches and parameters of the sharing model are not drawn.
fn uncertain(machine: &Machine) -> Vec<Uncertain> {
    let percent = |key: &str| machine.provenance().get(key).and_then(|origin| origin.interval95_percent);
    let first = |keys: &[&'static str]| -> Option<(&'static str, f64)> {
        keys.iter().find_map(|&key| Some((key, percent(key)?)))
    };
    let of_node = |figure: &'static Key, keys: &[&'static str]| {
        let figures: Vec<Figure> = machine.node_ids().map(|node| Figure::Node(figure, Some(node))).collect();
        (first(keys), figures)
    };
    let links = match (percent("link_gbs"), percent("socket_link_gbs")) {
        (Some(within), Some(between)) if between > within => Some(("socket_link_gbs", between)),
        _ => first(&["link_gbs", "socket_link_gbs", "bandwidth_matrix_gbs"]),
    };
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let shared = (0..machine.shared_links().len()).map(Figure::SharedLink).collect();
    // Cores are counted, so they are exact.
    let drawn = of_nodes().filter(|key| key.changed_in != Some(""));
    let mut kinds: Vec<_> = drawn
        .map(|key| match key.name {
            "bandwidth_gbs" => of_node(key, &["bandwidth_gbs", "bandwidth_matrix_gbs"]),
            own => of_node(key, &[own]),
        })
        .collect();
    kinds.push((links, pairs.map(|pair| Figure::Link(Some(pair))).collect()));
    kinds.push((first(&["shared_link"]), shared));
    kinds.into_iter().flat_map(|(known, figures)| together(machine, known, figures)).collect()
}

/// Groups the values of one key by size, in the order of the machine; empty without an interval.
fn together(machine: &Machine, known: Option<(&'static str, f64)>, figures: Vec<Figure>) -> Vec<Uncertain> {
    let Some((key, percent)) = known.filter(|(_, percent)| *percent > 0.0) else { return Vec::new() };
    let mut groups: Vec<(f64, Uncertain)> = Vec::new();
    for figure in figures {
        let Some(&value) = figure.values(machine, &[]).first() else { continue };
        if value <= 0.0 {
            continue;
        }
        match groups.iter_mut().find(|(other, _)| other.to_bits() == value.to_bits()) {
            Some((_, group)) => group.figures.push(figure),
            None => groups.push((value, Uncertain { key, percent, figures: vec![figure] })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod predict_tests {
    use super::Interval;

    #[test]
    fn ends_are_between_the_tenth_and_eleventh_of_400_values() {
        let values: Vec<f64> = (1..=400).map(f64::from).collect();
        assert_eq!(Interval::of(&values), Some(Interval { low: 10.5, high: 390.5 }));
        assert_eq!(Interval::of(&[3.0]), Some(Interval { low: 3.0, high: 3.0 }));
        assert_eq!(Interval::of(&[f64::INFINITY; 4]).map(|interval| interval.low), Some(f64::INFINITY));
        assert_eq!((Interval::of(&[]), Interval::of(&[f64::NAN])), (None, None));
    }

    #[test]
    fn the_reach_is_the_distance_of_the_farther_end() {
        assert_eq!(Interval { low: 8.0, high: 10.5 }.reach(10.0), 2.0);
        assert_eq!(Interval { low: 10.0, high: 10.0 }.reach(10.0), 0.0);
    }
}

#[cfg(test)]
mod draws_tests {
    use super::quantile;

    #[test]
    fn quantiles_match_published_tables() {
        let tabled = [(0.5, 0.0), (0.841_344_746, 1.0), (0.975, 1.959_963_985), (0.999, 3.090_232_306)];
        for (p, value) in tabled {
            assert!((quantile(p) - value).abs() < 1e-7, "{p}: {}", quantile(p));
            assert!((quantile(1.0 - p) + value).abs() < 1e-7, "{p}");
        }
    }
}
