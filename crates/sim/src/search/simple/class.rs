//! All allocations of one degree of simplicity, or a lower one, as a space that is searched part by part.
//!
//! A part says, for each application, in which ranges its numbers of threads on a node lie; there are no more ranges than there
//! may be different numbers. Where the best of a part has several numbers in a range, the range is cut between them: the numbers
//! lie below the cut, or above it, or, where another range is allowed, in both.

use std::cmp::Reverse;

use numasim_model::{AppId, NodeId};

use super::measure::{Simplicity, numbers, simplicity};
use crate::problem::{Candidate, Problem};
use crate::search::parts::Division;

/// Per application: ranges of numbers of threads on a node, both ends included, ascending.
pub(super) type Ranges = Vec<Vec<(u32, u32)>>;

/// Most ways to leave applications without threads that are looked at.
const MOST_ROOTS: usize = 256;

/// A degree of simplicity.
pub(super) struct Class<'a> {
    pub(super) problem: &'a Problem,
    pub(super) most: Simplicity,
}

impl Class<'_> {
    /// The parts that together are the whole class: where it has fewer numbers than there are applications, some of those that
    /// may go without threads do. `None` where there are too many.
    pub(super) fn roots(&self) -> Option<Vec<Ranges>> {
        let Problem { machine, apps, restrictions, .. } = self.problem;
        let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(0).max(1);
        let without = apps.len().saturating_sub(self.most.numbers);
        let optional: Vec<usize> = (0..apps.len())
            .filter(|&a| apps[a].min_threads == 0 && restrictions.min_threads_per_node == 0)
            .collect();
        let mut left_out: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..without {
            let longer = |chosen: Vec<usize>| {
                let next = chosen.last().map_or(0, |last| last + 1);
                let more: Vec<usize> = optional.iter().copied().filter(|&a| a >= next).collect();
                more.into_iter().map(move |a| [&chosen[..], &[a]].concat())
            };
            left_out = left_out.into_iter().flat_map(longer).take(MOST_ROOTS + 1).collect();
        }
        let of = |out: &Vec<usize>| -> Ranges {
            (0..apps.len()).map(|a| if out.contains(&a) { vec![] } else { vec![(1, largest)] }).collect()
        };
        (left_out.len() <= MOST_ROOTS).then(|| left_out.iter().map(of).collect())
    }
}

impl Division for Class<'_> {
    type Part = Ranges;

    fn problem(&self, ranges: &Ranges) -> Option<Problem> {
        let mut problem = self.problem.clone();
        for (app, own) in problem.apps.iter_mut().zip(ranges) {
            let asked = app.placing.per_node.take();
            app.placing.per_node = Some(asked.map_or_else(|| own.clone(), |asked| in_both(&asked, own)));
        }
        problem.restrictions.whole_nodes |= !self.most.mixed;
        problem.restrictions.check(&problem.machine, &problem.apps).is_ok().then_some(problem)
    }

    fn holds(&self, candidate: &Candidate) -> bool {
        simplicity(&candidate.allocation) <= self.most
    }

    fn split(&self, ranges: &Ranges, around: Option<&Candidate>) -> Vec<Ranges> {
        let used = |a: usize, (least, most): (u32, u32)| -> Vec<u32> {
            match around {
                Some(candidate) => {
                    numbers(&candidate.allocation, AppId(a)).range(least..=most).copied().collect()
                }
                None if least < most => vec![least, most],
                None => vec![least],
            }
        };
        let all = (0..ranges.len()).flat_map(|a| (0..ranges[a].len()).map(move |i| (a, i)));
        let several = all.map(|(a, i)| (used(a, ranges[a][i]), a, i)).filter(|(used, ..)| used.len() > 1);
        let width = |a: usize, i: usize| ranges[a][i].1 - ranges[a][i].0;
        let widest = several.max_by_key(|(used, a, i)| (used.len(), width(*a, *i), Reverse((*a, *i))));
        let Some((used, a, i)) = widest else { return Vec::new() };
        // Between the two that are farthest apart.
        let pair = used.windows(2).max_by_key(|pair| (pair[1] - pair[0], Reverse(pair[0])));
        let Some(&[below, above]) = pair else { return Vec::new() };
        let cut = below + (above - below) / 2;
        let cut = if cut == above { below } else { cut };
        let (least, most) = ranges[a][i];
        let (low, high) = ((least, cut), (cut + 1, most));
        let with = |pieces: &[(u32, u32)]| {
            let mut ranges = ranges.clone();
            ranges[a].splice(i..=i, pieces.iter().copied());
            ranges
        };
        let count: usize = ranges.iter().map(Vec::len).sum();
        let both = (count < self.most.numbers).then(|| with(&[low, high]));
        [with(&[low]), with(&[high])].into_iter().chain(both).collect()
    }

    /// The numbers that most nodes have, one of each application first.
    fn rounded(&self, ranges: &Ranges, near: &Candidate) -> Option<Ranges> {
        let nodes = |a: usize, threads: u32| {
            let all = 0..near.allocation.nodes();
            all.filter(|&node| near.allocation.get(AppId(a), NodeId(node)) == threads).count()
        };
        let mut rounded: Ranges = vec![Vec::new(); ranges.len()];
        let mut others = Vec::new();
        for a in (0..ranges.len()).filter(|&a| !ranges[a].is_empty()) {
            let mut used: Vec<u32> = numbers(&near.allocation, AppId(a)).into_iter().collect();
            used.sort_by_key(|&threads| Reverse((nodes(a, threads), threads)));
            let mut used = used.into_iter();
            rounded[a].extend(used.next().map(|threads| (threads, threads)));
            others.extend(used.map(|threads| (Reverse(nodes(a, threads)), a, threads)));
        }
        others.sort_unstable();
        let given = rounded.iter().map(Vec::len).sum();
        for (_, a, threads) in others.into_iter().take(self.most.numbers.saturating_sub(given)) {
            rounded[a].push((threads, threads));
            rounded[a].sort_unstable();
        }
        (given <= self.most.numbers).then_some(rounded)
    }
}

/// What lies in ranges of both lists.
fn in_both(a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(least, most)| least <= most).collect()
}
