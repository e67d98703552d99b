//! The contents of a node: counted without a list, and listed if the number is small enough.

use std::collections::BTreeMap;

use numasim_model::{App, NodeId};

use crate::contents;
use crate::problem::Problem;
use crate::restrictions::may_hold;

/// Maximum number of thread counts in one list: 400 MB.
const MOST_COUNTS: u64 = 100_000_000;

/// All contents of a site in lexicographic order, each with one thread count per application.
#[derive(Debug, Default)]
pub(super) struct Contents {
    apps: usize,
    counts: Vec<u32>,
}

/// Determines the contents of a site: sites of equal shape have equal contents. For each part of the site whose nodes may hold threads of
/// the same applications, it gives the cores of its smallest node, and whether it may hold each application.
pub(super) type Shape = Vec<(u32, Vec<bool>)>;

/// The shape of a site of these nodes.
pub(super) fn shape(problem: &Problem, nodes: &[NodeId]) -> Shape {
    let mut parts: BTreeMap<Vec<bool>, u32> = BTreeMap::new();
    for &node in nodes {
        let cores = problem.machine.node(node).cores;
        let pattern = problem.apps.iter().map(|app| may_hold(app, node)).collect();
        parts.entry(pattern).and_modify(|least| *least = cores.min(*least)).or_insert(cores);
    }
    parts.into_iter().map(|(pattern, cores)| (cores, pattern)).collect()
}

/// The number of contents of a site. `None` if these, or their beginnings for the first applications, are more than `most` or too many to
/// be listed.
pub(super) fn number(problem: &Problem, nodes: &[NodeId], most: u64) -> Option<u64> {
    let most = most.min(MOST_COUNTS / problem.apps.len().max(1) as u64);
    let parts = shape(problem, nodes);
    let plain = |app: &App| app.placing.takes_any_number() && !app.placing.exclusive;
    if let [(cores, holds)] = &parts[..]
        && problem.apps.iter().all(plain)
    {
        return number_in_one(problem, *cores, holds, most);
    }
    let mut number = 0;
    let Problem { machine, apps, restrictions, .. } = problem;
    let mut all = contents::Contents::new(machine, apps, restrictions, nodes);
    while all.next().is_some() {
        number += 1;
        if number > most {
            return None;
        }
    }
    Some(number)
}

/// The same if all nodes of the site may hold threads of the same applications.
fn number_in_one(problem: &Problem, cores: u32, holds: &[bool], most: u64) -> Option<u64> {
    let restrictions = &problem.restrictions;
    // Number of ways in which the applications so far leave each number of free cores.
    let mut ways = BTreeMap::from([(cores, 1_u64)]);
    for app in (0..problem.apps.len()).filter(|&app| holds[app]) {
        let mut next: BTreeMap<u32, u64> = BTreeMap::new();
        let mut total = 0_u64;
        for (&free, &number) in &ways {
            let taken = restrictions.whole_nodes && free < cores;
            let largest = problem.apps[app].max_threads.map_or(free, |max| free.min(max));
            for threads in restrictions.least_on_node(&problem.apps[app])..=if taken { 0 } else { largest } {
                *next.entry(free - threads).or_default() += number;
                total = total.checked_add(number).filter(|&total| total <= most)?;
            }
        }
        ways = next;
    }
    let kept = ways.iter().filter(|&(&free, _)| !restrictions.no_idle_cores || free == 0);
    Some(kept.map(|(_, &number)| number).sum())
}

impl Contents {
    /// Lists the contents of a site; [`number`] counts them.
    pub(super) fn list(problem: &Problem, nodes: &[NodeId]) -> Self {
        let Problem { machine, apps, restrictions, .. } = problem;
        let mut all = contents::Contents::new(machine, apps, restrictions, nodes);
        let mut counts = Vec::new();
        while let Some(content) = all.next() {
            counts.extend_from_slice(content);
        }
        Self { apps: apps.len(), counts }
    }

    /// Number of contents.
    pub(super) fn len(&self) -> usize {
        self.counts.len() / self.apps.max(1)
    }

    /// The threads of each application.
    pub(super) fn get(&self, content: usize) -> &[u32] {
        &self.counts[content * self.apps..(content + 1) * self.apps]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};
    use crate::{Objective, Restrictions};

    fn problem(cores: u32, apps: usize, max_threads: Option<u32>, restrictions: Restrictions) -> Problem {
        let machine = uniform_machine(1, cores, 10.0, 32.0, 10.0);
        let app = numasim_model::App { max_threads, min_threads: 0, ..local_app("a", 1.0) };
        Problem::new(&machine, &vec![app; apps], Objective::TotalGflops, restrictions).expect("a question")
    }

    #[test]
    fn listed_contents_are_ordered_and_match_the_count() {
        let none = Restrictions::default();
        let list = |problem: &Problem| -> Vec<Vec<u32>> {
            let contents = Contents::list(problem, &[NodeId(0)]);
            (0..contents.len()).map(|i| contents.get(i).to_vec()).collect()
        };
        let free = problem(2, 2, None, none);
        assert_eq!(list(&free), [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]);
        let busy = problem(2, 2, Some(1), Restrictions { no_idle_cores: true, ..none });
        assert_eq!(list(&busy), [[1, 1]]);
        let whole = problem(2, 2, None, Restrictions { whole_nodes: true, ..none });
        assert_eq!(list(&whole), [[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]);
        for problem in [free, busy, whole] {
            assert_eq!(number(&problem, &[NodeId(0)], 6), Some(list(&problem).len() as u64));
        }
    }

    #[test]
    fn too_many_contents_are_counted_without_a_list() {
        let four = problem(64, 4, None, Restrictions::default());
        // C(68, 4) = 814385
        assert_eq!(number(&four, &[NodeId(0)], 814_385), Some(814_385));
        assert_eq!(number(&four, &[NodeId(0)], 814_384), None);
        // 200 applications of one thread at most: C(200, k) of k of them; the count ends at the first million.
        let many = problem(64, 200, Some(1), Restrictions::default());
        assert_eq!(number(&many, &[NodeId(0)], u64::MAX), None);
    }
}
