//! The allocations met so far that no other one beats in both objectives.

use crate::Objective;
use crate::contents::Sites;
use crate::objective::Goal;
use crate::open_data;
use crate::problem::{Evaluator, Problem};
use crate::symmetry::{app_classes, node_classes};
use numasim_model::{Allocation, AppId, NodeId, Placement};
use std::cmp::{Ordering, Reverse};

/// How thoroughly the surroundings of an entry were searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Searched {
    /// Not at all.
    No,
    /// Its neighbours.
    Neighbours,
    /// The neighbours of its best neighbours.
    TwoSteps,
}

/// An allocation with both scores; larger is better.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) scores: [f64; 2],
    pub(super) allocation: Allocation,
    pub(super) placements: Vec<Placement>,
    /// How far around it everything was searched.
    pub(super) searched: Searched,
}

impl Entry {
    /// An order of allocations with equal scores, so that the result does not depend on which is met first.
    fn order(&self, other: &Self) -> Ordering {
        let homes = || open_data::order_of_all(&self.placements, &other.placements);
        self.allocation.cmp(&other.allocation).then_with(homes)
    }
}

/// Mutually non-dominated entries: the first score falls strictly, the second rises strictly.
///
/// The result after a number of offers does not depend on their order, as long as it is not thinned out.
#[derive(Clone, Debug, Default)]
pub(super) struct Archive {
    entries: Vec<Entry>,
}

impl Archive {
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn entries_mut(&mut self) -> &mut [Entry] {
        &mut self.entries
    }

    pub(super) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Whether an entry is better in one score and not worse in the other.
    pub(super) fn beats(&self, scores: [f64; 2]) -> bool {
        // The last entry with at least the first score has the largest second one among these.
        let until = self.entries.partition_point(|entry| entry.scores[0] >= scores[0]);
        let covering = until.checked_sub(1).and_then(|last| self.entries.get(last));
        covering.is_some_and(|entry| entry.scores[1] >= scores[1] && entry.scores != scores)
    }

    /// Adds `entry` unless another beats it, and removes the entries that it beats. In a tie of both scores the smaller allocation stays.
    pub(super) fn add(&mut self, entry: Entry) {
        if entry.scores.iter().any(|score| score.is_nan()) || self.beats(entry.scores) {
            return;
        }
        let start = self.entries.partition_point(|other| other.scores[0] > entry.scores[0]);
        if let Some(twin) = self.entries.get_mut(start)
            && twin.scores == entry.scores
        {
            if entry.order(twin).is_lt() {
                *twin = entry;
            }
            return;
        }
        let beaten = self.entries.iter().skip(start).take_while(|other| other.scores[1] <= entry.scores[1]);
        let end = start + beaten.count();
        self.entries.splice(start..end, std::iter::once(entry));
    }

    pub(super) fn merge(&mut self, other: Self) {
        other.entries.into_iter().for_each(|entry| self.add(entry));
    }

    /// Smallest and largest value of each score; finite ones only.
    pub(super) fn ranges(&self) -> [(f64, f64); 2] {
        [0, 1].map(|i| {
            let finite = self.entries.iter().map(|entry| entry.scores[i]).filter(|score| score.is_finite());
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| (low.min(s), high.max(s)))
        })
    }

    /// Keeps at most `most` entries, evenly spread along the front, including both ends.
    pub(super) fn thin_out(&mut self, most: usize) {
        if self.entries.len() <= most.max(2) {
            return;
        }
        let points: Vec<[f64; 2]> = self.entries.iter().map(|entry| entry.scores).collect();
        let mut keep = spread(&points, most).into_iter().peekable();
        let mut index = 0;
        self.entries.retain(|_| {
            let kept = keep.next_if_eq(&index).is_some();
            index += 1;
            kept
        });
    }
}

/// Indices of at most `most` of `points`, ascending, evenly spread over the length of the line through them, ends included. Each axis is
/// scaled from the smallest to the largest of its finite values.
pub(super) fn spread(points: &[[f64; 2]], most: usize) -> Vec<usize> {
    if points.len() <= most.max(2) {
        return (0..points.len()).collect();
    }
    let widths = [0, 1].map(|i| {
        let finite = || points.iter().map(|point| point[i]).filter(|x| x.is_finite());
        finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min)
    });
    let mut length = 0.0;
    let mut lengths = vec![0.0];
    for pair in points.windows(2) {
        let steps = [0, 1].map(|i| {
            let step = (pair[1][i] - pair[0][i]).abs() / widths[i];
            if step.is_finite() { step } else { 0.0 }
        });
        length += libm::hypot(steps[0], steps[1]);
        lengths.push(length);
    }
    let last = points.len() - 1;
    let mut kept = vec![0];
    for target in 1..most.max(2) - 1 {
        let wanted = length * target as f64 / (most.max(2) - 1) as f64;
        let at = lengths.partition_point(|&reached| reached < wanted - 1e-9 * length);
        if at > kept.last().copied().unwrap_or(0) && at < last {
            kept.push(at);
        }
    }
    kept.push(last);
    kept
}

// Orders the names in the points of a front so that consecutive ones differ as little as exchanges of equals allow.

/// Allocations with more cells than this are not compared by eye.
const MOST_CELLS: usize = 1024;
/// Maximum number of thread counts that are compared in all: a fraction of a second for any front.
const MOST_STEPS: usize = 50_000_000;

/// An exchange of equals.
#[derive(Clone, Copy)]
enum Exchange {
    Nodes(NodeId, NodeId),
    Apps(AppId, AppId),
}

/// Renames equal nodes and equal instances of each entry so that it looks most like the one before it. Its values stay the same up to
/// rounding. An entry that would take too long keeps its names.
pub(super) fn align(problem: &Problem, entries: &mut [Entry]) {
    let (apps, nodes) = (problem.apps.len(), problem.machine.node_count());
    if apps * nodes > MOST_CELLS {
        return;
    }
    let fixed: Vec<Placement> = problem.apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
    let same_nodes = pairs(&node_classes(&problem.machine, &problem.apps, &fixed, fixed.len() < apps));
    let same_apps = pairs(&app_classes(&problem.machine, &problem.apps));
    let exchanges: Vec<Exchange> = same_nodes
        .into_iter()
        .map(|(a, b)| Exchange::Nodes(NodeId(a), NodeId(b)))
        .chain(same_apps.into_iter().map(|(a, b)| Exchange::Apps(AppId(a), AppId(b))))
        .collect();
    let mut steps = 0;
    for i in 1..entries.len() {
        let (before, rest) = entries.split_at_mut(i);
        let (Some(before), Some(entry)) = (before.last(), rest.first_mut()) else { return };
        loop {
            steps += exchanges.len() * apps.max(nodes);
            if steps > MOST_STEPS {
                return;
            }
            let best = exchanges.iter().map(|&exchange| (gain(before, entry, exchange), exchange));
            match best.min_by_key(|&(gain, _)| Reverse(gain)) {
                Some((gain, exchange)) if gain > 0 => make(entry, exchange),
                _ => break,
            }
        }
    }
}

fn pairs(classes: &[usize]) -> Vec<(usize, usize)> {
    let all = (0..classes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    all.filter(|&(a, b)| classes[a] == classes[b]).collect()
}

/// The reduction of threads and homes that are elsewhere than in `before`, if `exchange` is made.
fn gain(before: &Entry, entry: &Entry, exchange: Exchange) -> i64 {
    let threads = |a: (AppId, NodeId), b: (AppId, NodeId)| {
        let apart = |from: (AppId, NodeId), to: (AppId, NodeId)| {
            i64::from(before.allocation.get(from.0, from.1).abs_diff(entry.allocation.get(to.0, to.1)))
        };
        apart(a, a) + apart(b, b) - apart(a, b) - apart(b, a)
    };
    let homes = |app: usize, placement: &Placement| i64::from(before.placements[app] != *placement);
    match exchange {
        Exchange::Nodes(a, b) => (0..entry.placements.len())
            .map(|app| {
                let placement = &entry.placements[app];
                let moved = homes(app, placement) - homes(app, &with_home_exchanged(placement, a, b));
                threads((AppId(app), a), (AppId(app), b)) + moved
            })
            .sum(),
        Exchange::Apps(a, b) => {
            let nodes = (0..entry.allocation.nodes()).map(NodeId);
            let (of_a, of_b) = (&entry.placements[a.0], &entry.placements[b.0]);
            let moved = homes(a.0, of_a) + homes(b.0, of_b) - homes(a.0, of_b) - homes(b.0, of_a);
            nodes.map(|node| threads((a, node), (b, node))).sum::<i64>() + moved
        }
    }
}

fn make(entry: &mut Entry, exchange: Exchange) {
    let nodes = entry.allocation.nodes();
    let mut swap = |one: (AppId, NodeId), other: (AppId, NodeId)| {
        let (first, second) = (entry.allocation.get(one.0, one.1), entry.allocation.get(other.0, other.1));
        entry.allocation.set(one.0, one.1, second);
        entry.allocation.set(other.0, other.1, first);
    };
    match exchange {
        Exchange::Nodes(a, b) => {
            (0..entry.placements.len()).map(AppId).for_each(|app| swap((app, a), (app, b)));
            for placement in &mut entry.placements {
                *placement = with_home_exchanged(placement, a, b);
            }
        }
        Exchange::Apps(a, b) => {
            (0..nodes).map(NodeId).for_each(|node| swap((a, node), (b, node)));
            entry.placements.swap(a.0, b.0);
        }
    }
}

fn with_home_exchanged(placement: &Placement, a: NodeId, b: NodeId) -> Placement {
    match placement {
        Placement::Home(home) if *home == a => Placement::Home(b),
        Placement::Home(home) if *home == b => Placement::Home(a),
        Placement::PartHome { home, share } if *home == a => Placement::PartHome { home: b, share: *share },
        Placement::PartHome { home, share } if *home == b => Placement::PartHome { home: a, share: *share },
        Placement::Fractions(fractions) => {
            let mut exchanged = fractions.clone();
            exchanged.swap(a.0, b.0);
            Placement::Fractions(exchanged)
        }
        other => other.clone(),
    }
}

// From thread counts to both scores.

/// Thread counts that are evaluated between two checks of the clock.
const CLOCK_CELLS: u64 = 200_000;

/// Two objectives over the same machine, applications and constraints.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) problem: &'a Problem,
    pub(super) goals: [&'a Goal; 2],
}

impl<'a> Pair<'a> {
    /// Thread counts of an allocation: the measure for the cost of an evaluation and the memory of an allocation.
    pub(super) fn cells(&self) -> u64 {
        (self.problem.apps.len() * self.problem.machine.node_count()).max(1) as u64
    }

    /// Number of evaluations between two calls of the monitor: about a millisecond.
    pub(super) fn clock(&self) -> u64 {
        (CLOCK_CELLS / self.cells()).clamp(1, 1024)
    }

    /// A rater for these placements.
    pub(super) fn rater(&self, placements: Vec<Placement>) -> Rater<'a> {
        Rater { goals: self.goals, evaluator: Evaluator::new(self.problem, placements) }
    }

    /// Whether both values are usable: an infinite makespan is no answer.
    pub(super) fn counts(&self, scores: [f64; 2]) -> bool {
        self.goals.iter().zip(scores).all(|(goal, s)| goal.objective() != Objective::Makespan || s > 0.0)
    }

    /// Nodes whose threads change together.
    pub(super) fn sites(&self) -> Sites<'a> {
        Sites::new(self.problem)
    }
}

/// Computes both scores for fixed placements.
pub(super) struct Rater<'a> {
    goals: [&'a Goal; 2],
    evaluator: Evaluator<'a>,
}

impl Rater<'_> {
    /// Whether the constraints and the memory of the nodes allow it.
    pub(super) fn allows(&self, allocation: &Allocation) -> bool {
        self.evaluator.allows(allocation)
    }

    pub(super) fn scores(&mut self, allocation: &Allocation) -> [f64; 2] {
        let gflops = self.evaluator.gflops_of(allocation);
        self.goals.map(|goal| goal.score(gflops))
    }

    pub(super) fn entry(&self, allocation: &Allocation, scores: [f64; 2]) -> Entry {
        let placements = self.evaluator.placements.clone();
        Entry { scores, allocation: allocation.clone(), placements, searched: Searched::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(scores: [f64; 2], threads: u32) -> Entry {
        let allocation = Allocation::from_rows(&[vec![threads]]).unwrap();
        Entry { scores, allocation, placements: vec![Placement::Local], searched: Searched::No }
    }

    fn scores(archive: &Archive) -> Vec<[f64; 2]> {
        archive.entries().iter().map(|entry| entry.scores).collect()
    }

    #[test]
    fn dominated_entries_are_removed_and_rejected() {
        let mut archive = Archive::default();
        for scores in [[3.0, 1.0], [1.0, 3.0], [2.0, 2.0], [2.0, 1.5], [3.0, 0.5]] {
            archive.add(entry(scores, 1));
        }
        assert_eq!(scores(&archive), [[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]]);
        archive.add(entry([2.5, 3.0], 1)); // beats both of the lower ones
        assert_eq!(scores(&archive), [[3.0, 1.0], [2.5, 3.0]]);
    }

    #[test]
    fn ties_keep_the_smaller_allocation_in_any_order() {
        for order in [[1, 2], [2, 1]] {
            let mut archive = Archive::default();
            for threads in order {
                archive.add(entry([1.0, 1.0], threads));
            }
            assert_eq!(archive.entries(), [entry([1.0, 1.0], 1)]);
        }
    }

    #[test]
    fn thinning_keeps_the_ends_and_spreads_the_rest() {
        let points: Vec<[f64; 2]> = (0..=100).map(|i| [f64::from(100 - i), f64::from(i)]).collect();
        assert_eq!(spread(&points, 5), [0, 25, 50, 75, 100]);
        assert_eq!(spread(&points[..3], 5), [0, 1, 2]);
    }
}
