//! What a node may hold: counted without a list, and listed where the number is small enough.

use std::collections::BTreeMap;

use crate::problem::Problem;

/// Most thread counts in one list: 400 MB.
const MOST_COUNTS: u64 = 100_000_000;

/// All contents of a node in lexicographic order, each with one thread count per application.
#[derive(Debug, Default)]
pub(super) struct Contents {
    apps: usize,
    counts: Vec<u32>,
}

/// How many threads an application may get on a node with `cores` cores, of which `free` are left.
fn largest(problem: &Problem, app: usize, cores: u32, free: u32) -> u32 {
    if problem.restrictions.whole_nodes && free < cores {
        return 0;
    }
    problem.apps[app].max_threads.map_or(free, |max| free.min(max))
}

/// How many contents a node with this many cores has; `None` if these, or their beginnings for the first applications,
/// are more than `most` or too many to be listed.
pub(super) fn number(problem: &Problem, cores: u32, most: u64) -> Option<u64> {
    let least = problem.restrictions.min_threads_per_node;
    let most = most.min(MOST_COUNTS / problem.apps.len().max(1) as u64);
    // In how many ways the applications so far leave so many cores free.
    let mut ways = BTreeMap::from([(cores, 1_u64)]);
    for app in 0..problem.apps.len() {
        let mut next: BTreeMap<u32, u64> = BTreeMap::new();
        let mut total = 0_u64;
        for (&free, &number) in &ways {
            for threads in least..=largest(problem, app, cores, free) {
                *next.entry(free - threads).or_default() += number;
                total = total.checked_add(number).filter(|&total| total <= most)?;
            }
        }
        ways = next;
    }
    let kept = ways.iter().filter(|&(&free, _)| !problem.restrictions.no_idle_cores || free == 0);
    Some(kept.map(|(_, &number)| number).sum())
}

impl Contents {
    /// Lists the contents of a node with this many cores; see [`number`] for how many these are.
    pub(super) fn list(problem: &Problem, cores: u32) -> Self {
        let (apps, least) = (problem.apps.len(), problem.restrictions.min_threads_per_node);
        let mut counts = Vec::new();
        let mut content: Vec<u32> = Vec::with_capacity(apps);
        let mut free = cores;
        // What the application behind `content` is tried with next.
        let mut threads = least;
        loop {
            if content.len() < apps && threads <= largest(problem, content.len(), cores, free) {
                content.push(threads);
                free -= threads;
                threads = least;
                continue;
            }
            if content.len() == apps && (!problem.restrictions.no_idle_cores || free == 0) {
                counts.extend_from_slice(&content);
            }
            // Back to the application before, with one thread more.
            let Some(last) = content.pop() else { break };
            free += last;
            threads = last + 1;
        }
        Self { apps, counts }
    }

    /// How many.
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
    fn contents_are_listed_in_order_and_as_many_as_counted() {
        let none = Restrictions::default();
        let list = |problem: &Problem| -> Vec<Vec<u32>> {
            let contents = Contents::list(problem, 2);
            (0..contents.len()).map(|i| contents.get(i).to_vec()).collect()
        };
        let free = problem(2, 2, None, none);
        assert_eq!(list(&free), [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]);
        let busy = problem(2, 2, Some(1), Restrictions { no_idle_cores: true, ..none });
        assert_eq!(list(&busy), [[1, 1]]);
        let whole = problem(2, 2, None, Restrictions { whole_nodes: true, ..none });
        assert_eq!(list(&whole), [[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]);
        for problem in [free, busy, whole] {
            assert_eq!(number(&problem, 2, 6), Some(list(&problem).len() as u64));
        }
    }

    #[test]
    fn too_many_contents_are_counted_without_a_list() {
        let four = problem(64, 4, None, Restrictions::default());
        // C(68, 4) = 814385
        assert_eq!(number(&four, 64, 814_385), Some(814_385));
        assert_eq!(number(&four, 64, 814_384), None);
        // 200 applications of one thread at most: C(200, k) of k of them; the count ends at the first million.
        let many = problem(64, 200, Some(1), Restrictions::default());
        assert_eq!(number(&many, 64, u64::MAX), None);
    }
}
