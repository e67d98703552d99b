//! Which options are kept: those that may lead above a score.

use std::collections::BTreeSet;

use numasim_model::{NodeId, Placement};

use super::question::Halves;
use super::round::{Kept, Place, Round};
use super::sums::{SINGLE, Sums};
use super::windows::Windows;
use crate::memory::Limits;
use crate::objective::Objective;
use crate::search::dual::{Class, Improved, best_option};
use crate::search::pace::Pace;

/// Most pairs of sums looked at below one first choice in a sample.
const SAMPLE_PAIRS: u64 = 20_000;

/// Windows that are wider than this many units have no upper end: sums in single precision would be too coarse there.
const WIDEST: f64 = 15.0;

impl Halves<'_> {
    /// The options that may lead above `target`; of those that give and take the same only the first. `None`
    /// where a node has no option, or at a stop. With `sample` only
    /// so many that each half has at most that many sums.
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

    /// Whether an option alone leaves room for the rest: reads within their range, and GFLOPS within the window where
    /// those of all other nodes together are known.
    fn fits(&self, class: usize, option: usize, unit: &[f64], windows: &[f64]) -> bool {
        let Class { nodes, table, .. } = &self.relaxation.classes[class];
        self.relaxation.watched.iter().zip(table.reads(option)).all(|(watched, &reads)| {
            let tolerance = 1e-9 * watched.bandwidth;
            if reads > watched.most + tolerance {
                return false;
            }
            let known = watched.most - watched.least <= tolerance && *nodes == [watched.memory];
            let Some(reader) = self.only_reader(watched.memory).filter(|_| known) else { return true };
            // All that other nodes read is for this application.
            let app = &self.problem.apps[reader];
            let moved = watched.least / self.problem.machine.node(watched.memory).occupied_by(app.kernel);
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

    /// What an option gives and takes: GFLOPS, reads, and threads where their total is limited, data moves with them
    /// that may not fit, or potentials are not what is got.
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
