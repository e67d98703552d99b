//! The part of the space that is searched, and whether and how it can be cut into halves.

use super::round::Place;
use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::search::dual::{Ranges, Relaxation};
use crate::search::pool::{Canonical, Pool};
use crate::symmetry::app_classes;
use numasim_model::{NodeId, Placement};

/// The search in one cell or one set of placements.
pub(in crate::search) struct Halves<'a> {
    pub(in crate::search) problem: &'a Problem,
    pub(in crate::search) relaxation: &'a Relaxation<'a>,
    pub(in crate::search) placements: &'a [Placement],
    pub(in crate::search) ranges: &'a Ranges,
    pub(in crate::search) canonical: &'a Canonical,
    pub(in crate::search) monitor: &'a dyn Monitor,
}

impl Halves<'_> {
    /// Whether there are windows above the cutoff of `pool`, where nothing is above `bound`.
    pub(super) fn applies(&self, pool: &Pool, bound: f64) -> bool {
        /// Far above the cutoff there are too many sums, and in units of it they would be too coarse in single precision.
        const MOST_UNITS: f64 = 16.0;
        let goal = &self.problem.goal;
        let cutoff = pool.cutoff();
        let has_windows = match goal.objective() {
            Objective::TotalGflops => false,
            Objective::Fair | Objective::Makespan => MOST_UNITS * cutoff > bound && cutoff > 0.0,
            Objective::Geomean => goal.weights().iter().all(|weight| *weight > 0.0),
        };
        has_windows && cutoff.is_finite() && !goal.unit_gflops().contains(&0.0)
    }

    /// Whether nodes share something that may be scarce: then potentials need not be what is got.
    pub(super) fn is_shared(&self) -> bool {
        self.relaxation.shared_bandwidth.iter().any(Option::is_some)
    }

    /// The nodes with a choice in two halves, equal nodes next to each other.
    pub(super) fn halves(&self, nodes: std::ops::RangeInclusive<usize>) -> Option<(Vec<Place>, Vec<Place>)> {
        let mut classes: Vec<usize> = (0..self.relaxation.classes.len())
            .filter(|&c| self.relaxation.classes[c].table.len() > 1)
            .collect();
        classes.sort_by_key(|&c| (std::cmp::Reverse(self.relaxation.classes[c].nodes.len()), c));
        let all: Vec<(NodeId, usize)> = classes
            .iter()
            .flat_map(|&class| self.relaxation.classes[class].nodes.iter().map(move |&node| (node, class)))
            .collect();
        if !nodes.contains(&all.len()) {
            return None;
        }
        let places = |part: &[(NodeId, usize)]| {
            let before = |i: usize| i.checked_sub(1).is_some_and(|before| part[before].1 == part[i].1);
            let place = |(i, &(node, class)): (usize, &(NodeId, usize))| Place {
                node,
                class,
                same_as_before: before(i),
            };
            part.iter().enumerate().map(place).collect::<Vec<_>>()
        };
        let (left, right) = all.split_at(all.len() / 2);
        Some((places(left), places(right)))
    }

    /// The nodes without a choice, each with its class.
    pub(super) fn forced(&self) -> Vec<(NodeId, usize)> {
        let classes = self.relaxation.classes.iter().enumerate().filter(|(_, class)| class.table.len() == 1);
        classes.flat_map(|(c, class)| class.nodes.iter().map(move |&node| (node, c))).collect()
    }

    /// Whether an application can be exchanged with the one before it, its ranges included.
    pub(super) fn twins(&self) -> Vec<bool> {
        let of_app = app_classes(&self.problem.machine, &self.problem.apps);
        let Ranges { lowest, highest, .. } = self.ranges;
        let same_ranges = |a: usize| {
            (0..lowest.len())
                .skip(a)
                .step_by(of_app.len())
                .all(|k| lowest[k] == lowest[k - 1] && highest[k] == highest[k - 1])
        };
        let twin = |a: usize| {
            a > 0
                && of_app[a] == of_app[a - 1]
                && self.placements[a] == self.placements[a - 1]
                && same_ranges(a)
        };
        (0..of_app.len()).map(twin).collect()
    }
}
