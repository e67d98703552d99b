//! Properties of parts of the space by ranges of threads, for every allocation of small random questions and any placement of data.

use numasim_model::AppId;

use super::drawn::{check, everything, found_in_halves};
use super::*;
use crate::search::dual::{Effort, Ranges, Relaxation};
use crate::search::pool::Canonical;

/// Whether an allocation is in these ranges.
fn lies_in(part: &Relaxation<'_>, ranges: &Ranges, allocation: &Allocation) -> bool {
    let apps = part.problem.apps.len();
    let within = |counter: usize, threads: u64| {
        (u64::from(ranges.lowest[counter])..=u64::from(ranges.highest[counter])).contains(&threads)
    };
    let on_class = |c: usize, a: usize| -> u64 {
        part.classes[c].nodes.iter().map(|&node| u64::from(allocation.get(AppId(a), node))).sum()
    };
    (0..apps).all(|a| {
        let total = |c: usize| within(apps * (1 + c) + a, on_class(c, a));
        within(a, allocation.total(AppId(a))) && (0..part.classes.len()).all(total)
    })
}

proptest! {
    #![proptest_config(crate::random::questions(60))]

    #[test]
    fn claims_of_a_part_hold_for_all_its_allocations(
        (machine, apps, objective, _) in question(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 0..6),
    ) {
        let at_a_node = |app: App| match app.data {
            Data::OpenHome { share } => App {
                data: Data::Placed(Placement::PartHome { home: machine.local_memory(NodeId(0)), share }),
                ..app
            },
            Data::Placed(_) | Data::OpenFractions => app,
        };
        let apps: Vec<App> = apps.into_iter().map(at_a_node).collect();
        let Ok(problem) = Problem::new(&machine, &apps, objective, Restrictions::default()) else { return Ok(()) };
        let placements = problem.placements(&[]);
        let evaluator = Evaluator::new(&problem, placements.clone());
        let whole = everything(&problem, &evaluator);
        // One side of each cut after the other, in the order of the search.
        let (mut ranges, mut part) = (whole.everything(), whole);
        for (counter, cut, above) in cuts {
            let counter = counter.index(ranges.lowest.len());
            let (low, high) = (ranges.lowest[counter], ranges.highest[counter]);
            if low < high {
                let cut = (low..high).nth(cut.index((high - low) as usize)).expect("one of them");
                let [below, beyond] = ranges.split(counter, cut);
                ranges = if above { beyond } else { below };
                part = part.within(&part.start(), &ranges).map_or(part, |(less, _)| less);
                part = part.with_least(&ranges).expect("not stopped");
            }
        }
        let found = found_in_halves(&part, &ranges, &placements, &Canonical::new(&problem));
        let root = part.improve(&part.start(), &ranges, f64::NEG_INFINITY, Effort { steps: 20, cuts: 20 });
        let mut rated = Evaluator::new(&problem, placements.clone());
        let mut allocation = Allocation::empty(apps.len(), machine.node_count());
        every_allocation(&problem, &mut allocation, 0, &mut |allocation| {
            if problem.allows(allocation, &placements) && lies_in(&part, &ranges, allocation) {
                check(&part, &evaluator, allocation);
                let (score, _) = rated.rate(allocation.as_slice());
                // The logarithm of a mean near 1 is near 0: rounding of the bound's terms may exceed that.
                let reaches = |bound: f64| score <= bound + 1e-9 || same_score(score, bound);
                assert!(reaches(root.bound), "{score} beyond {}", root.bound);
                if let Some(found) = found {
                    assert!(reaches(found), "{score} beats {found}: {allocation:?}");
                }
            }
        });
    }
}
