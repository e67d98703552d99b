//! Cells: parts of the space by the remote demand on each home memory.
//!
//! With data at home, nodes depend on each other through one number per home: the part of its bandwidth that the links take, if they get
//! everything they ask for. In a cell this number is between two values. Threads on the home node get at most the remainder of the smaller
//! one, and threads elsewhere ask for at most the larger one. In a cell with one value the nodes are independent, and the bound is as good
//! as with local data only.
//!
//! The demand of a node is a sum over whole threads, cut off at the link, so there are few values, and each of them is enumerated. If nodes
//! may get less than they ask, the bandwidth that they draw can be anything between nothing and all: [`super::boxes`] handles that.

use super::dual::{Effort, Improved, Relaxation, Watched};
use super::watch::reads_one_memory;
use crate::problem::{Evaluator, Problem};
use numasim_model::Placement;

/// Maximum number of values of one memory; beyond that, adjacent values are merged.
const MAX_VALUES: usize = 256;
/// Maximum number of values of one node that are added to those of the others one by one.
const MOST_SINGLE: usize = 4096;
/// Work on the bound of a cell that will be cut again.
const PASSING: Effort = Effort { steps: 5, cuts: 10 };
/// Work on the bound of a single cell, on top of that of the cell it was cut from.
const SINGLE: Effort = Effort { steps: 10, cuts: 60 };

/// The possible demand of all other nodes together on a memory: a range of values, GB/s.
type Value = (f64, f64);

/// One set of decided homes, or the part of it with reads in certain ranges, with its bound.
pub(super) struct Cell<'a> {
    pub(super) placements: Vec<Placement>,
    pub(super) relaxation: Relaxation<'a>,
    pub(super) improved: Improved,
    /// Per watched memory: all possible values.
    values: Vec<Vec<Value>>,
    /// Per watched memory: the first and last of the values in this cell.
    ranges: Vec<(usize, usize)>,
}

impl<'a> Cell<'a> {
    /// The cell of everything for these placements; `None` if stopped.
    pub(super) fn whole(
        placements: Vec<Placement>,
        relaxation: Relaxation<'a>,
        improved: Improved,
    ) -> Option<Self> {
        let values = (0..relaxation.watched.len()).map(|w| possible_values(&relaxation, w));
        let values: Vec<Vec<Value>> = values.collect::<Option<_>>()?;
        let ranges = values.iter().map(|values| (0, values.len() - 1)).collect();
        Some(Self { placements, relaxation, improved, values, ranges })
    }

    /// The same cell with a bound that uses the minimum of remote reads.
    pub(super) fn knowing_the_least(self, problem: &'a Problem, target: f64) -> Self {
        if self.values.iter().all(|values| values[0].0 <= 0.0) {
            return self;
        }
        self.part(problem, self.ranges.clone(), target).unwrap_or(self)
    }

    /// Spends more work on the bound, and returns its cost: first at the prices that would be right if these GFLOPS were the best, then by
    /// `effort`.
    pub(super) fn improve_more(&mut self, gflops: &[f64], target: f64, effort: Effort) -> u64 {
        let relaxation = &self.relaxation;
        let everything = relaxation.everything();
        if let Some(better) = relaxation.at_gradient(&self.improved, &self.placements, gflops, &everything)
            && better.bound < self.improved.bound
        {
            self.improved = better;
        }
        if self.improved.bound <= target {
            return 0;
        }
        let better = relaxation.improve(&self.improved, &everything, target, effort);
        let work = better.work;
        if better.bound < self.improved.bound {
            self.improved = better;
        }
        work
    }

    /// Whether the reads of every watched memory are known: nodes then do not depend on each other.
    pub(super) fn knows_all(&self) -> bool {
        self.is_single() && self.relaxation.watched.iter().all(|watched| watched.drawn.is_none())
    }

    /// Whether it cannot be cut: the demand on every watched memory is known.
    pub(super) fn is_single(&self) -> bool {
        self.ranges.iter().all(|(first, last)| first == last)
    }

    /// Whether it was cut from a larger one.
    pub(super) fn is_part(&self) -> bool {
        self.ranges.iter().zip(&self.values).any(|(range, values)| *range != (0, values.len() - 1))
    }

    /// Two cells that cover this one, each with a separate bound; `None` if it is single, or if stopped.
    pub(super) fn split(&self, problem: &'a Problem, target: f64) -> Option<[Self; 2]> {
        let relaxation = &self.relaxation;
        let width = |w: usize| {
            let (first, last) = self.ranges[w];
            (self.values[w][last].1 - self.values[w][first].0) / relaxation.watched[w].bandwidth
        };
        let open = (0..self.ranges.len()).filter(|&w| self.ranges[w].0 < self.ranges[w].1);
        let widest = open.max_by(|&v, &w| width(v).total_cmp(&width(w)))?;
        let (first, last) = self.ranges[widest];
        let values = &self.values[widest];
        let middle = f64::midpoint(values[first].0, values[last].0);
        let cut = (first..last).rfind(|&i| values[i].0 <= middle).unwrap_or(first);
        let part = |range: (usize, usize)| {
            let mut ranges = self.ranges.clone();
            ranges[widest] = range;
            self.part(problem, ranges, target)
        };
        Some([part((first, cut))?, part((cut + 1, last))?])
    }

    /// The part with these values, with a separate bound; `None` if stopped.
    fn part(&self, problem: &'a Problem, ranges: Vec<(usize, usize)>, target: f64) -> Option<Self> {
        let relaxation = &self.relaxation;
        let evaluator = Evaluator::new(problem, self.placements.clone());
        let least: Vec<f64> = ranges.iter().zip(&self.values).map(|(r, values)| values[r.0].0).collect();
        let most = ranges.iter().zip(&self.values).map(|(r, values)| {
            let unlimited = r.1 + 1 == values.len();
            if unlimited { f64::INFINITY } else { values[r.1].1 }
        });
        let mut relaxation = relaxation.where_others_read(&evaluator, &least, &most.collect::<Vec<_>>())?;
        // If reads are known and served in full, potentials describe the memories completely.
        let served = |(w, r): (usize, &(usize, usize))| {
            relaxation.watched[w].drawn.is_none()
                && r.0 == r.1
                && self.values[w][r.1].1 <= relaxation.watched[w].bandwidth
        };
        if self.placements.iter().all(reads_one_memory) && ranges.iter().enumerate().all(served) {
            relaxation.shared_bandwidth.fill(None);
        }
        let effort = if ranges.iter().all(|(first, last)| first == last) { SINGLE } else { PASSING };
        let mut improved = relaxation.improve(&self.improved, &relaxation.everything(), target, effort);
        improved.bound = improved.bound.min(self.improved.bound);
        Some(Self {
            placements: self.placements.clone(),
            relaxation,
            improved,
            values: self.values.clone(),
            ranges,
        })
    }
}

/// The possible demands of all nodes together on watched memory `w`, in ascending order. All demands that its controller cannot serve are
/// one value. `None` if stopped.
fn possible_values(relaxation: &Relaxation<'_>, w: usize) -> Option<Vec<Value>> {
    let Watched { bandwidth, drawn, .. } = relaxation.watched[w];
    if drawn.is_some() {
        return Some(vec![(0.0, f64::INFINITY)]);
    }
    let tolerance = 1e-9 * bandwidth;
    let mut sums: Vec<Value> = vec![(0.0, 0.0)];
    for class in &relaxation.classes {
        let mut single: Vec<f64> = (0..class.table.len()).map(|o| class.table.reads(o)[w]).collect();
        single.sort_unstable_by(f64::total_cmp);
        single.dedup_by(|a, b| *a - *b <= tolerance);
        let mut single: Vec<Value> = single.into_iter().map(|reads| (reads, reads)).collect();
        if single.len() > MOST_SINGLE {
            single = merged(single, tolerance, bandwidth);
        }
        for _ in &class.nodes {
            if relaxation.monitor.stop() {
                return None;
            }
            let longer = sums.iter().flat_map(|sum| single.iter().map(|add| (sum.0 + add.0, sum.1 + add.1)));
            sums = merged(longer.collect(), tolerance, bandwidth);
        }
    }
    // A node without any option: there is no allocation, and nothing to split.
    Some(if sums.is_empty() { vec![(0.0, 0.0)] } else { sums })
}

/// Sorted, with equal values merged, values above `bandwidth` merged, and at most [`MAX_VALUES`].
fn merged(mut values: Vec<Value>, tolerance: f64, bandwidth: f64) -> Vec<Value> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let join = |values: Vec<Value>, apart: &dyn Fn(Value, Value) -> bool| {
        let mut joined: Vec<Value> = Vec::new();
        for value in values {
            match joined.last_mut() {
                Some(last) if !apart(*last, value) => last.1 = last.1.max(value.1),
                _ => joined.push(value),
            }
        }
        joined
    };
    let mut joined = join(values, &|last, next| next.0 > last.0 + tolerance && last.0 < bandwidth);
    if joined.len() > MAX_VALUES {
        let reach = joined.last().map_or(0.0, |last| last.0.min(bandwidth));
        let step = reach / MAX_VALUES as f64;
        joined = join(joined, &|last, next| next.0 > last.0 + step && last.0 < bandwidth);
    }
    joined
}

#[cfg(test)]
mod tests {
    use numasim_model::NodeId;

    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::search::watch::watched;
    use crate::symmetry::node_classes;
    use crate::testing::{app, local_app, uniform_machine};

    #[test]
    fn splitting_ends_with_one_cell_per_possible_demand() {
        // `far` has its data on node 0. From node 1, with 2 cores, it asks 0, 20 or, cut off by the link, 30 GB/s. The controller has two
        // ports, and the bandwidth of a link, 30, is no more than half of 62.
        let machine = uniform_machine(2, 2, 10.0, 62.0, 30.0);
        let far = app("far", 0.5, numasim_model::Data::Placed(Placement::Home(NodeId(0))));
        let problem = Problem::new(
            &machine,
            &[far, local_app("near", 0.5)],
            Objective::TotalGflops,
            Restrictions::default(),
        )
        .expect("a possible question");
        let placements = vec![Placement::Home(NodeId(0)), Placement::Local];
        let evaluator = Evaluator::new(&problem, placements.clone());
        let classes = node_classes(&machine, &problem.apps, &placements, false);
        let watched = watched(&problem, &placements, true);
        assert_eq!(watched.iter().map(|watch| watch.memory).collect::<Vec<_>>(), [NodeId(0)]);
        let relaxation = Relaxation::new(&problem, &evaluator, &classes, &watched, 100, 1, &Unattended)
            .expect("few options");
        let start = relaxation.start();
        let whole = Cell::whole(placements, relaxation, start).expect("no stop");
        let mut open = vec![whole];
        let mut single = Vec::new();
        while let Some(cell) = open.pop() {
            if cell.is_single() {
                single.push(cell.values[0][cell.ranges[0].0].0);
                assert!(cell.split(&problem, 0.0).is_none());
            } else {
                open.extend(cell.split(&problem, 0.0).expect("two parts"));
            }
        }
        single.sort_by(f64::total_cmp);
        assert_eq!(single, [0.0, 20.0, 30.0]);
    }

    #[test]
    fn equal_values_and_values_above_the_controller_are_merged() {
        // 0.1 + 0.2 and 0.3 differ by rounding; 30 and 40 both exceed the available 25
        let values = [0.3, 0.0, 0.1 + 0.2, 30.0, 40.0, 10.0].map(|v| (v, v)).to_vec();
        let joined = merged(values, 1e-9, 25.0);
        let firsts: Vec<f64> = joined.iter().map(|value| value.0).collect();
        assert_eq!(firsts, [0.0, 0.3, 10.0, 30.0]);
        assert_eq!(joined[3], (30.0, 40.0));
    }

    #[test]
    fn too_many_values_are_merged() {
        let values = (0..10_000).map(|v| (f64::from(v), f64::from(v))).collect();
        let joined = merged(values, 1e-9, 1e6);
        assert!(joined.len() <= MAX_VALUES + 1, "{}", joined.len());
        assert!(joined.windows(2).all(|pair| pair[0].1 < pair[1].0), "every value is in one");
        assert_eq!(joined.last().map(|last| last.1), Some(9999.0));
    }
}
