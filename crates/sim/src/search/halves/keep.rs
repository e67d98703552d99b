//! Selects the options to keep: those that may lead above a score.

use std::collections::BTreeSet;

use numasim_model::{NodeId, Placement};

use super::{Halves, Kept, Place, Round, SINGLE, Sums};
use crate::memory::Limits;
use crate::objective::{Goal, Objective};
use crate::search::budget::Pace;
use crate::search::dual::{Class, Drawn, Improved, Prices, Watched, best_option};

/// Maximum number of pairs of sums that are compared below one first choice in a sample.
const SAMPLE_PAIRS: u64 = 20_000;

/// Windows that are wider than this number of units have no upper end: sums in single precision would be too coarse there.
const WIDEST: f64 = 15.0;

impl Halves<'_> {
    /// The options that may lead above `target`; of options with the same effect only the first. `None` if a node has no option, or if
    /// stopped. With `sample`, the lists are shortened until each half has at most that number of sums.
    pub(super) fn round(
        &self,
        root: &Improved,
        target: f64,
        (left, right): (Vec<Place>, Vec<Place>),
        sample: Option<f64>,
    ) -> Option<Round> {
        let prices = &root.prices;
        let mut bound = self.relaxation.constant(prices, self.ranges);
        let earnings: Vec<_> = (0..self.relaxation.classes.len())
            .map(|c| self.relaxation.earnings(c, prices, self.ranges))
            .collect();
        let mut tops = Vec::new();
        for (class, earnings) in self.relaxation.classes.iter().zip(&earnings) {
            let top = best_option(&class.table, earnings)?.1;
            bound += class.nodes.len() as f64 * top;
            tops.push(top);
        }
        let goal = &self.problem.goal;
        // Rounding of the sums must not close a window; those of logarithms have terms around 1.
        let size = if goal.objective() == Objective::Geomean { bound.abs().max(1.0) } else { bound.abs() };
        let gap = (bound - target).max(0.0) + 1e-12 * size;
        let Windows { least: unit, width: mut windows } =
            Windows::new(goal, &prices.y, target, gap, &self.beyond(prices));
        for window in windows.iter_mut().filter(|window| **window > WIDEST) {
            *window = f64::INFINITY;
        }
        let limits = Limits::new(&self.problem.machine, &self.problem.apps, self.placements);
        let mut pace = Pace::new(self.monitor);
        let mut kept = Vec::with_capacity(self.relaxation.classes.len());
        let mut work = self.relaxation.pricing();
        for (c, class) in self.relaxation.classes.iter().enumerate() {
            let slack = |option: usize| (tops[c] - earnings[c].of(&class.table, option)).max(0.0);
            let mut of_class: Vec<Kept> = (0..class.table.len())
                .map(|option| Kept {
                    slack: slack(option),
                    option: u32::try_from(option).unwrap_or(u32::MAX),
                })
                .take_while(|_| !pace.stops_after(8 * unit.len() as u64))
                .filter(|kept| kept.slack <= gap && self.fits(c, kept.option as usize, &unit, &windows))
                .collect();
            let mut seen = BTreeSet::new();
            work += (of_class.len() * unit.len()) as u64;
            of_class.retain(|kept| {
                let effort = 40 * unit.len() as u64;
                !pace.stops_after(effort)
                    && seen.insert(self.effect(c, kept.option as usize, limits.as_ref()))
            });
            kept.push(of_class);
            if pace.stopped() {
                return None;
            }
        }
        let forced = self.forced();
        let mut base = Sums::zero(unit.len(), self.relaxation.watched.len());
        for &(_, class) in &forced {
            base.set(&base.clone(), &self.relaxation.classes[class].table, 0, &unit);
        }
        let mut round = Round {
            forced,
            base,
            left,
            right,
            kept,
            target,
            bound,
            gap,
            unit,
            windows,
            reach: Vec::new(),
            reads: Vec::new(),
            pairs: if sample.is_some() { SAMPLE_PAIRS } else { u64::MAX },
            work,
        };
        if let Some(most) = sample {
            round.thin_out(most);
        }
        round.measure(self.relaxation);
        Some(round)
    }

    /// Whether an option alone leaves room for the rest: reads within their range, and GFLOPS within the window if those of all other nodes
    /// together are known.
    fn fits(&self, class: usize, option: usize, unit: &[f64], windows: &[f64]) -> bool {
        let Class { nodes, table, .. } = &self.relaxation.classes[class];
        self.relaxation.watched.iter().zip(table.reads(option)).all(|(watched, &reads)| {
            let tolerance = 1e-9 * watched.bandwidth;
            if reads > watched.most + tolerance {
                return false;
            }
            let known = watched.most - watched.least <= tolerance && *nodes == [watched.memory];
            let Some(reader) = self.only_reader(watched.memory).filter(|_| known) else { return true };
            // All reads of other nodes are for this application.
            let app = &self.problem.apps[reader];
            let moved = watched.least / self.problem.machine.node(watched.memory).occupied_by(app.traffic());
            let elsewhere = moved * app.arithmetic_intensity.value();
            let p = (elsewhere + table.potential(option)[reader]) / unit[reader];
            (1.0 - SINGLE..=1.0 + windows[reader] + SINGLE).contains(&p)
        })
    }

    /// The application that alone reads `memory` over links, if there is exactly one and it reads nothing else.
    fn only_reader(&self, memory: NodeId) -> Option<usize> {
        let machine = &self.problem.machine;
        let reads = |placement: &Placement| {
            machine
                .compute_nodes()
                .any(|node| node != memory && placement.fraction(machine, node, memory) > 0.0)
        };
        let mut readers = (0..self.placements.len()).filter(|&a| reads(&self.placements[a]));
        let reader = readers.next().filter(|&a| self.placements[a] == Placement::Home(memory))?;
        readers.next().is_none().then_some(reader)
    }

    /// The effect of an option: GFLOPS, reads, and its threads if their total is limited, if data that may not fit moves with them, or if
    /// potentials are not exact.
    fn effect(&self, class: usize, option: usize, limits: Option<&Limits>) -> Vec<u64> {
        let table = &self.relaxation.classes[class].table;
        let apps = self.problem.apps.len();
        let limited = |a: usize| {
            let unlimited_below =
                self.ranges.lowest[a] <= 1 && self.ranges.lowest[apps * (1 + class) + a] == 0;
            let unlimited_above =
                [a, apps * (1 + class) + a].iter().all(|&k| !self.ranges.prices_with_meaning(k).1);
            !(unlimited_below && unlimited_above)
                || limits.is_some_and(|limits| limits.moves_with(a))
                || self.is_shared()
        };
        // Without the last 12 bits, in which 100 x 1/2 and 100 x 2/4 may differ.
        let rounded = |value: &f64| value.to_bits().saturating_add(1 << 11) >> 12;
        let threads = table.counts(option).iter().enumerate().map(|(a, &n)| if limited(a) { n } else { 0 });
        let figures = table.potential(option).iter().chain(table.reads(option)).map(rounded);
        figures.chain(threads.map(u64::from)).collect()
    }
}

// The range of the GFLOPS of a better answer.

/// The GFLOPS of each application in any answer above a score.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Windows {
    /// The least, GFLOPS.
    pub(super) least: Vec<f64>,
    /// The largest possible excess, as a fraction of the least; infinite if prices give no limit.
    pub(super) width: Vec<f64>,
}

impl Windows {
    /// The ranges for answers that score more than `target`, at prices `y` of GFLOPS per unit whose bound is `gap` above it. The upper ends
    /// are higher by `beyond` of each application; see the module text.
    pub(super) fn new(goal: &Goal, y: &[f64], target: f64, gap: f64, beyond: &[f64]) -> Self {
        let unit = goal.unit_gflops().iter();
        if goal.objective() != Objective::Geomean {
            let least: Vec<f64> = (0..y.len()).map(|a| goal.least_gflops(a, target)).collect();
            let width = |a: usize| {
                let most = target + (gap + beyond[a]) / y[a] - goal.offset(a);
                if y[a] > 1e-9 {
                    (goal.unit_gflops()[a] * most / least[a] - 1.0).max(0.0)
                } else {
                    f64::INFINITY
                }
            };
            let width = (0..y.len()).map(width).collect();
            return Self { least, width };
        }
        let ends = goal.weights().iter().zip(beyond).map(|(weight, beyond)| {
            let (low, _) = around_one(gap / weight);
            let farther = |beyond: f64| around_one((gap + beyond) / weight).1;
            (low, if beyond.is_finite() { farther(*beyond) } else { f64::INFINITY })
        });
        let ends: Vec<(f64, f64)> = ends.collect();
        let least = unit.zip(goal.weights()).zip(y).zip(&ends);
        Self {
            least: least.map(|(((unit, weight), y), (low, _))| unit * weight / y * low).collect(),
            width: ends.iter().map(|(low, high)| high / low - 1.0).collect(),
        }
    }
}

/// The interval around 1 outside of which u - 1 - ln u is more than `loss`, by halving; it errs on the outer side.
fn around_one(loss: f64) -> (f64, f64) {
    let is_outside = |u: f64| u - 1.0 - libm::log(u) > loss;
    // ln u < -1 - loss is outside below, u > 2 (2 + loss) above: there ln u < u / 2.
    let (mut low, mut high) = (libm::exp(-1.0 - loss), 2.0 * (2.0 + loss));
    let (mut inside_low, mut inside_high) = (1.0, 1.0);
    for _ in 0..60 {
        let (below, above) = (f64::midpoint(low, inside_low), f64::midpoint(inside_high, high));
        *if is_outside(below) { &mut low } else { &mut inside_low } = below;
        *if is_outside(above) { &mut high } else { &mut inside_high } = above;
    }
    (low, high)
}

// The largest possible excess of potentials over real GFLOPS, at the prices of resources that several nodes share.
//
// # Basis
// Take the GFLOPS of an answer, but replace those of some applications by their potentials. The result satisfies the bound at given prices,
// except for consumption beyond the capacity of a resource, at its price. Take a memory with B GB/s of which others draw `least` to `most`.
// The potentials of its own node take at most B - least ([`crate::search::cells`]), and others take at most `most`: together at most
// `most - least` above the capacity. The potentials of others take at most `most` if their whole possible consumption counts as read.

impl Halves<'_> {
    /// Per application, in units of the score: the largest value of potentials beyond the target, in addition to the gap. Infinite if
    /// unknown.
    pub(super) fn beyond(&self, prices: &Prices) -> Vec<f64> {
        let relaxation = self.relaxation;
        // Options distribute less than potentials at any price.
        let priced = |m: usize| {
            relaxation.shared_bandwidth[m].is_some() && (prices.lambda[m] > 0.0 || !relaxation.has_limit(m))
        };
        // Per class: the watched memory of its only node.
        let watched_own: Vec<Option<usize>> = relaxation
            .classes
            .iter()
            .map(|class| {
                relaxation.watched.iter().position(|w| w.drawn.is_some() && class.nodes == [w.memory])
            })
            .collect();
        let counts: Vec<bool> = (0..relaxation.watched.len()).map(|w| relaxation.counts_all(w)).collect();
        let too_much = |(class, own): (usize, &Option<usize>)| -> f64 {
            let Some(Watched { drawn: Some(Drawn { range: (least, most), .. }), bandwidth, .. }) =
                own.map(|w| relaxation.watched[w])
            else {
                return 0.0;
            };
            if priced(class) { prices.lambda[class] / bandwidth * (most - least) } else { 0.0 }
        };
        let together: f64 = watched_own.iter().enumerate().map(too_much).sum();
        let of_app = |a: usize| {
            let known = relaxation.classes.iter().enumerate().all(|(c, class)| {
                class.draw[a].iter().filter(|&&(m, draw)| draw > 0.0 && priced(m)).all(|&(m, _)| {
                    let of_outside = relaxation
                        .watched
                        .iter()
                        .position(|w| w.drawn.is_some_and(|drawn| drawn.resource == m));
                    match (of_outside, watched_own.get(m).copied().flatten()) {
                        (Some(w), _) => counts[w],
                        (None, Some(w)) => m == c || counts[w],
                        (None, None) => false,
                    }
                })
            });
            if known { together } else { f64::INFINITY }
        };
        (0..self.problem.apps.len()).map(of_app).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_at_the_ends_equals_the_limit() {
        // 2 - 1 - ln 2 = 0.3069 on the upper side, 0.5 - 1 - ln 0.5 = 0.1931 on the lower one.
        let (_, high) = around_one(1.0 - 2.0_f64.ln());
        assert!((high - 2.0).abs() < 1e-9, "{high}");
        let (low, _) = around_one(2.0_f64.ln() - 0.5);
        assert!((low - 0.5).abs() < 1e-9, "{low}");
        for loss in [1e-12, 1e-6, 1e-3, 1.0, 50.0] {
            let (low, high) = around_one(loss);
            assert!(low < 1.0 && high > 1.0, "{loss}: {low} to {high}");
            assert!(low - 1.0 - low.ln() >= loss * (1.0 - 1e-3) - 1e-15, "{loss}: {low}");
            assert!(high - 1.0 - high.ln() >= loss * (1.0 - 1e-3) - 1e-15, "{loss}: {high}");
        }
    }
}
