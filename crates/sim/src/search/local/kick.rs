//! Iterated local search: random changes to a good answer, then climbing again.

use numasim_model::{Allocation, AppId};
use rand::{Rng, RngExt as _};

use super::climb::climb;
use super::rates::Rates;
use crate::monitor::Monitor;
use crate::problem::{Candidate, Problem};
use crate::sites::Sites;

/// Iterated local search: `kicks` times a few random changes to the best so far, then climbing again. The homes stay
/// where they are for `evaluator`.
pub(in crate::search) fn iterate(
    problem: &Problem,
    evaluator: &mut impl Rates,
    start: &Candidate,
    kicks: u64,
    random: &mut impl Rng,
    monitor: &dyn Monitor,
) -> Candidate {
    let sites = Sites::new(problem);
    let mut best = start.clone();
    for _ in 0..kicks {
        if monitor.stop() {
            break;
        }
        if let Some(kicked) = kicked(problem, &sites, &best.allocation, random) {
            let climbed = climb(problem, evaluator, kicked, monitor);
            if climbed.beats(&best) {
                best = climbed;
            }
        }
    }
    best
}

/// One to three times: some threads of one application come to a site and displace others, which go where the first
/// came from if there is room. `None` if a few tries break a restriction.
fn kicked(
    problem: &Problem,
    sites: &Sites<'_>,
    allocation: &Allocation,
    random: &mut impl Rng,
) -> Option<Allocation> {
    let apps = problem.apps.len();
    (0..20).find_map(|_| {
        let mut changed = allocation.clone();
        for _ in 0..random.random_range(1..=3) {
            let (a, b) = (random.random_range(0..apps), random.random_range(0..apps));
            let (to, from) = (random.random_range(0..sites.len()), random.random_range(0..sites.len()));
            let threads = |x: usize, site: usize| sites.threads(allocation, x, site);
            let most = if a == b { 0 } else { threads(b, to) };
            let moved = random.random_range(0..=most.min(if to == from { most } else { threads(a, from) }));
            let mut shift = |x: usize, site: usize, by: i64| {
                for node in sites.nodes_of(x, site) {
                    let now = i64::from(changed.get(AppId(x), node)) + by;
                    changed.set(AppId(x), node, u32::try_from(now).unwrap_or(0));
                }
            };
            let moved = i64::from(moved);
            shift(a, to, moved);
            shift(b, to, -moved);
            if to != from {
                shift(a, from, -moved);
                shift(b, from, moved);
            }
        }
        let allowed = problem.restrictions.allow(&problem.machine, &problem.apps, &changed);
        (allowed && changed != *allocation).then_some(changed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::search::local::random::generator;
    use crate::search::testing::question;

    #[test]
    fn a_kick_changes_something_and_keeps_to_the_restrictions() {
        let problem = question(2, Objective::TotalGflops);
        let start = Allocation::from_rows(&[vec![1, 1], vec![1, 1]]).expect("equal rows");
        for stream in 0..20 {
            let mut random = generator(0, stream);
            if let Some(changed) = kicked(&problem, &Sites::new(&problem), &start, &mut random) {
                assert_ne!(changed, start);
                assert!(problem.restrictions.allow(&problem.machine, &problem.apps, &changed));
            }
        }
    }
}
