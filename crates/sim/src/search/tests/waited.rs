//! Properties of parts of the space by the wait at a memory, under `ecm` with soft corners, for every allocation of small random questions.

use numasim_model::sharing::Workspace;
use numasim_model::{Model, ModelKind};

use super::drawn::{check, everything, found_in_halves, one_memory_each, several_memories};
use super::*;
use crate::search::dual::{Effort, MeanWait, Relaxation};
use crate::search::pool::Canonical;

/// The wait at the memory of each class.
fn waits(part: &Relaxation<'_>, evaluator: &Evaluator<'_>, workspace: &Workspace) -> Vec<f64> {
    let of = |c: usize| {
        part.classes[c].nodes.first().and_then(|&node| evaluator.solver.wait(node, workspace)).unwrap_or(0.0)
    };
    (0..part.classes.len()).map(of).collect()
}

/// The total wait of a GB over all memories, for data with fractions on all of them.
fn mean_wait(
    part: &Relaxation<'_>,
    mean: &MeanWait,
    evaluator: &Evaluator<'_>,
    workspace: &Workspace,
) -> f64 {
    let wait = |(class, node): (usize, NodeId)| {
        mean.of_node(class, evaluator.solver.wait(node, workspace).unwrap_or(0.0))
    };
    let nodes =
        part.classes.iter().enumerate().flat_map(|(c, class)| class.nodes.iter().map(move |&node| (c, node)));
    nodes.map(wait).sum()
}

proptest! {
    #![proptest_config(crate::random::questions(100))]

    #[test]
    fn claims_of_a_part_hold_for_all_its_allocations(
        (machine, apps, objective) in prop_oneof![one_memory_each(), several_memories()],
        penalty in prop_oneof![2 => (0.05..2.0_f64).prop_map(Some), 1 => Just(None)],
        cuts in prop::collection::vec(0.1..10.0_f64, 3),
        mean_cuts in prop::collection::vec(0.1..10.0_f64, 0..3),
    ) {
        let mut model = Model::from(ModelKind::Ecm);
        model.parameters.ecm_penalty = penalty;
        let machine = machine.with_sharing(model);
        let Ok(problem) = Problem::new(&machine, &apps, objective, Restrictions::default()) else { return Ok(()) };
        let placements = problem.placements(&[]);
        let evaluator = Evaluator::new(&problem, placements.clone());
        let whole = everything(&problem, &evaluator);
        // Parts with the ranges of their classes, cut at some transfer times of the memory.
        let mut parts = vec![(whole.clone(), vec![(0.0, f64::INFINITY); whole.classes.len()])];
        for cut in cuts {
            parts = parts
                .iter()
                .flat_map(|(part, ranges)| {
                    let on_curve = |class: &usize| {
                        let own = part.classes[*class].own.as_ref();
                        own.is_some_and(|own| own.queue.is_some()) && part.classes[*class].nodes.len() == 1
                    };
                    let Some(class) = (0..part.classes.len()).find(on_curve) else {
                        return vec![(part.clone(), ranges.clone())];
                    };
                    let node = part.classes[class].nodes[0];
                    let (low, high) = ranges[class];
                    let middle = (cut / machine.node(node).bandwidth.value()).clamp(low, high);
                    let side = |range| {
                        let (part, _) = part.where_waited(&part.start(), class, range).expect("on a curve");
                        let mut ranges = ranges.clone();
                        ranges[class] = range;
                        (part, ranges)
                    };
                    vec![side((low, middle)), side((middle, high))]
                })
                .collect();
        }
        // Each of them is also cut by the mean wait.
        for cut in mean_cuts {
            parts = parts
                .iter()
                .flat_map(|(part, ranges)| {
                    let Some(mean) = &part.mean_wait else { return vec![(part.clone(), ranges.clone())] };
                    let middle = (cut * mean.unit).clamp(mean.range.0, mean.range.1);
                    [(mean.range.0, middle), (middle, mean.range.1)].map(|range| {
                        let (part, _) = part.where_mean_waited(&part.start(), &evaluator, range).expect("a mean");
                        (part, ranges.clone())
                    }).into()
                })
                .collect();
        }
        let canonical = Canonical::new(&problem);
        let known: Vec<(f64, Option<f64>)> = parts
            .iter()
            .map(|(part, _)| {
                let everything = part.everything();
                let effort = Effort { steps: 20, cuts: 20 };
                let start = part.with_a_price_of_waits(part.start(), &everything);
                let root = part.improve(&start, &everything, f64::NEG_INFINITY, effort);
                (root.bound, found_in_halves(part, &everything, &placements, &canonical))
            })
            .collect();
        let mut rated = Evaluator::new(&problem, placements.clone());
        let mut workspace = evaluator.solver.workspace();
        let mut allocation = Allocation::empty(apps.len(), machine.node_count());
        every_allocation(&problem, &mut allocation, 0, &mut |allocation| {
            if !problem.allows(allocation, &placements) {
                return;
            }
            let (score, _) = rated.rate(allocation.as_slice());
            evaluator.solver.solve(allocation.as_slice(), &mut workspace);
            for ((part, ranges), (bound, found)) in parts.iter().zip(&known) {
                let waits = waits(part, &evaluator, &workspace);
                let is_in_mean = part.mean_wait.as_ref().is_none_or(|mean| {
                    let mean_wait = mean_wait(part, mean, &evaluator, &workspace);
                    (mean.range.0..=mean.range.1).contains(&mean_wait)
                });
                if is_in_mean && waits.iter().zip(ranges).all(|(wait, (low, high))| (*low..=*high).contains(wait)) {
                    check(part, &evaluator, allocation);
                    let reaches = |bound: f64| score <= bound + 1e-9 || same_score(score, bound);
                    assert!(reaches(*bound), "{score} beyond {bound}: {allocation:?} in {ranges:?}");
                    if let Some(found) = found {
                        assert!(reaches(*found), "{score} beats {found}: {allocation:?} in {ranges:?}");
                    }
                }
            }
        });
    }
}

#[test]
fn fewer_options_keep_their_curves_if_some_are_empty() {
    // Two nodes of 4 cores with 32 GB/s, links of 10 GB/s; a thread wants 20 GB/s. The waits are at most that of the median option: half of
    // the options are impossible, and stay in the list.
    let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0).with_sharing(ModelKind::Ecm.into());
    let apps = [local_app("near", 0.5), app("far", 0.5, Data::Placed(Placement::Home(NodeId(0))))];
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default());
    let problem = problem.expect("a possible question");
    let evaluator = Evaluator::new(&problem, problem.placements(&[]));
    let whole = everything(&problem, &evaluator);
    let class = whole.classes.iter().find(|class| class.own.is_some()).expect("it is read over a link");
    let on_curve = class.own.as_ref().and_then(|own| own.queue.as_ref()).expect("a soft corner");
    let least = |option: usize| class.table.waits(option).expect("a curve").least;
    let mut all: Vec<f64> = (0..class.table.len()).map(least).collect();
    all.sort_by(f64::total_cmp);
    let table = class.table.with_waits(&on_curve.own, (0.0, all[all.len() / 2]));
    let last: Vec<usize> = (1..table.len()).collect();
    let fewer = table.only(&last);
    let possible = (0..table.len()).filter(|&option| !table.curve(option).expect("a list").is_empty());
    assert!((1..table.len()).contains(&possible.count()));
    for (number, &option) in last.iter().enumerate() {
        assert_eq!(fewer.curve(number), table.curve(option), "{:?}", table.counts(option));
    }
}
