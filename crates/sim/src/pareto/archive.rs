//! The allocations that no other one met so far beats in both objectives.

use std::cmp::Ordering;

use numasim_model::{Allocation, Placement};

/// How well the surroundings of an entry are known.
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
    /// How far around it everything was looked at.
    pub(super) searched: Searched,
}

impl Entry {
    /// An order of allocations with equal scores, so that it does not matter which is met first.
    fn order(&self, other: &Self) -> Ordering {
        let homes = |entry: &Self| -> Vec<_> { entry.placements.iter().map(Placement::home).collect() };
        self.allocation.cmp(&other.allocation).then_with(|| homes(self).cmp(&homes(other)))
    }
}

/// Mutually non-dominated entries: the first score falls, the second rises strictly.
///
/// What it holds after a number of offers does not depend on their order, as long as it is not thinned out.
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

    /// Keeps `entry` unless another beats it; what it beats leaves. Of equal scores the smaller allocation stays.
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

    /// Leaves at most `most` entries, evenly spread along the front, both ends among them.
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

/// Indices of at most `most` of `points`, ascending, evenly spread over the length of the line through them, ends
/// included. Each axis counts from the smallest to the largest of its finite figures.
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
    fn what_is_beaten_leaves_and_what_beats_nothing_stays_out() {
        let mut archive = Archive::default();
        for scores in [[3.0, 1.0], [1.0, 3.0], [2.0, 2.0], [2.0, 1.5], [3.0, 0.5]] {
            archive.add(entry(scores, 1));
        }
        assert_eq!(scores(&archive), [[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]]);
        archive.add(entry([2.5, 3.0], 1)); // beats both of the lower ones
        assert_eq!(scores(&archive), [[3.0, 1.0], [2.5, 3.0]]);
    }

    #[test]
    fn of_equal_scores_the_smaller_allocation_stays_whichever_comes_first() {
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
