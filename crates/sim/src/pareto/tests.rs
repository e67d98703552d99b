//! The front against brute force on random small questions, and on the paper's machine.

use std::collections::BTreeSet;

use numasim_model::units::Gibibytes;
use numasim_model::{AppId, Data, NodeId};
use proptest::prelude::*;

use super::archive::Archive;
use super::everything::Everything;
use super::nearby::Changes;
use super::nearby::Nearby;
use super::*;
use crate::parallel::on_threads;
use crate::search::{Unattended, generator};
use crate::testing::{app, every_set_of_homes, local_app, uniform_machine, with_memory};

const OBJECTIVES: [Objective; 4] =
    [Objective::TotalGflops, Objective::Fair, Objective::Geomean, Objective::Makespan];

/// Scores of every allowed allocation and every set of homes, without symmetry.
fn all_scores(question: &TradeOff) -> Vec<[f64; 2]> {
    let pair = question.pair();
    let problem = pair.problem;
    let (apps, nodes) = (problem.apps.len(), problem.machine.node_count());
    let mut found = Vec::new();
    for homes in every_set_of_homes(problem) {
        let mut rater = pair.rater(problem.placements(&homes));
        let mut allocation = Allocation::empty(apps, nodes);
        // Counts like an odometer; each wheel turns until its node is full.
        'next: loop {
            if rater.allows(&allocation) {
                let scores = rater.scores(&allocation);
                if pair.counts(scores) {
                    found.push(scores);
                }
            }
            for cell in 0..apps * nodes {
                let node = NodeId(cell % nodes);
                allocation.as_mut_slice()[cell] += 1;
                if allocation.on_node(node) <= u64::from(problem.machine.node(node).cores) {
                    continue 'next;
                }
                allocation.set(AppId(cell / nodes), node, 0);
            }
            break;
        }
    }
    found
}

fn question() -> impl Strategy<Value = (Machine, Vec<App>, [Objective; 2], Restrictions)> {
    let restrictions = (prop::bool::weighted(0.2), prop::bool::weighted(0.2), prop::bool::weighted(0.2))
        .prop_map(|(same, whole, busy)| Restrictions {
            same_on_every_node: same,
            whole_nodes: whole,
            min_threads_per_node: 0,
            no_idle_cores: busy,
            whole_l3: false,
        });
    let machine = (1_usize..4, 1_u32..4, 1.0..40.0_f64, 1.0..30.0_f64)
        .prop_map(|(nodes, cores, bandwidth, link)| uniform_machine(nodes, cores, 10.0, bandwidth, link));
    let machine = (machine, prop::option::of(4.0..20.0_f64))
        .prop_map(|(machine, gib)| with_memory(&machine, &vec![gib; machine.node_count()]));
    let app = (
        prop_oneof![Just(0.5), Just(10.0), 0.02..20.0_f64],
        prop_oneof![
            3 => Just(Data::Placed(Placement::Local)),
            1 => Just(Data::Placed(Placement::Home(NodeId(0)))),
            1 => prop_oneof![Just(1.0), Just(0.5)].prop_map(|share| Data::OpenHome { share }),
            1 => Just(Data::Placed(Placement::PartHome { home: NodeId(0), share: 0.5 })),
            1 => Just(Data::Placed(Placement::Interleave)),
            1 => Just(Data::Placed(Placement::Replicated)),
        ],
        0_u32..3,
        prop::option::of(2_u32..5),
        0.1..3.0_f64,
        prop::option::weighted(0.3, prop::sample::select(vec![vec![0], vec![1, 2], vec![0, 2]])),
        prop::option::weighted(0.5, 1.0..12.0_f64),
        prop_oneof![3 => Just(0.0), 1 => 0.05..1.0_f64],
    )
        .prop_map(|(intensity, data, min_threads, max_threads, weight, nodes, memory, write_share)| App {
            write_share,
            min_threads,
            max_threads,
            weight,
            nodes: nodes.map(|nodes: Vec<usize>| nodes.into_iter().map(NodeId).collect()),
            memory: memory.map(Gibibytes::new),
            ..app("app", intensity, data)
        });
    let apps = (prop::collection::vec(app, 1..3), any::<bool>()).prop_map(|(mut apps, twin)| {
        if twin {
            apps.push(apps[0].clone());
        }
        apps
    });
    let pair = prop::sample::subsequence(&OBJECTIVES[..], 2).prop_shuffle();
    (machine, apps, pair, restrictions)
        .prop_map(|(machine, apps, pair, restrictions)| (machine, apps, [pair[0], pair[1]], restrictions))
        .prop_filter("small enough for brute force", |(machine, apps, ..)| {
            let all = Problem::new(machine, apps, Objective::TotalGflops, Restrictions::default());
            all.is_ok_and(|all| all.size_log10() < 4.3)
        })
}

/// Whether `a` has at least the values of `b`, to a relative 1e-8.
fn covers(a: [f64; 2], b: [f64; 2]) -> bool {
    (0..2).all(|i| a[i] >= b[i] || (a[i] - b[i]).abs() <= 1e-8 * b[i].abs())
}

fn scores(question: &TradeOff, point: &Point) -> [f64; 2] {
    question.pair().rater(point.placements.clone()).scores(&point.allocation)
}

proptest! {
    #![proptest_config(crate::random::questions(400))]

    #[test]
    fn the_complete_front_matches_brute_force((machine, apps, pair, restrictions) in question()) {
        let Ok(question) = TradeOff::new(&machine, &apps, pair, restrictions) else { return Ok(()) };
        let truth = all_scores(&question);
        let front = match front(&question, &[], &Settings::default(), &Unattended) {
            Ok(front) => front,
            Err(error) => {
                prop_assert!(truth.is_empty(), "{error}, but there are {} allocations", truth.len());
                return Ok(());
            }
        };
        prop_assert!(front.complete && !front.stopped);
        let found: Vec<[f64; 2]> = front.points.iter().map(|point| scores(&question, point)).collect();
        for other in &truth {
            prop_assert!(found.iter().any(|point| covers(*point, *other)), "{other:?} is beyond {found:?}");
        }
        for point in &found {
            let beaten = truth.iter().find(|other| covers(**other, *point) && !covers(*point, **other));
            prop_assert!(beaten.is_none(), "{point:?} is beaten by {beaten:?}");
        }
        for point in &front.points {
            prop_assert!(question.problems[0].allows(&point.allocation, &point.placements));
        }
    }

    #[test]
    fn a_searched_front_is_ordered_and_valid_with_both_ends((machine, apps, pair, restrictions) in question()) {
        let Ok(question) = TradeOff::new(&machine, &apps, pair, restrictions) else { return Ok(()) };
        let settings = Settings { most_compared: 0, work: 200_000, ..Settings::default() };
        let Ok(front) = front(&question, &[], &settings, &Unattended) else {
            prop_assert!(all_scores(&question).is_empty());
            return Ok(());
        };
        for pair in front.points.windows(2) {
            let better = |i: usize, a: &Point, b: &Point| {
                let sign = if question.problems[i].goal.objective() == Objective::Makespan { -1.0 } else { 1.0 };
                sign * a.values[i] > sign * b.values[i]
            };
            prop_assert!(better(0, &pair[0], &pair[1]) && better(1, &pair[1], &pair[0]));
        }
        prop_assert!(front.ends.iter().all(|end| end.proven && end.gap() == Some(0.0)));
        for point in &front.points {
            prop_assert!(question.problems[0].allows(&point.allocation, &point.placements));
            let values = question.values(&point.allocation, &point.placements);
            prop_assert_eq!(values, point.values);
        }
        // A searched front may miss points, but never the best values.
        let truth = all_scores(&question);
        for i in 0..2 {
            let best = truth.iter().map(|scores| scores[i]).fold(f64::NEG_INFINITY, f64::max);
            let end = if i == 0 { front.points.first() } else { front.points.last() };
            let found = scores(&question, end.unwrap())[i];
            prop_assert!(found == best || (found - best).abs() <= 1e-8 * best.abs(), "{found} of {best}");
        }
    }
}

fn paper() -> (Machine, Vec<App>) {
    let mut apps = ["mem-1", "mem-2", "mem-3"].map(|name| local_app(name, 0.5)).to_vec();
    apps.push(local_app("compute", 10.0));
    (uniform_machine(4, 8, 10.0, 32.0, 10.0), apps)
}

#[test]
fn two_applications_on_one_node_by_hand() {
    let machine = uniform_machine(1, 4, 10.0, 20.0, 1.0);
    let apps = [local_app("mem", 0.5), local_app("compute", 10.0)];
    let pair = [Objective::TotalGflops, Objective::Fair];
    let question = TradeOff::new(&machine, &apps, pair, Restrictions::default()).unwrap();
    let front = front(&question, &[], &Settings::default(), &Unattended).unwrap();
    // Alone: mem 20 GB/s x 0.5 = 10 GFLOPS, compute 40. With 1 mem thread and 3 compute threads (1 GB/s each) mem has
    // 17 GB/s: 8.5 + 30 = 38.5, p = 0.85 and 0.75. With 2 + 2: 18 GB/s, 9 + 20, p = 0.9 and 0.5: worse in both.
    assert_eq!(front.points.len(), 1);
    assert!(
        (front.points[0].values[0] - 38.5).abs() < 1e-9 && (front.points[0].values[1] - 0.75).abs() < 1e-9
    );
    assert!(front.complete);
    assert_eq!(front.knee(), None);
}

#[test]
fn the_papers_machine_has_a_front_that_is_better_than_even_and_one_node_each() {
    let (machine, apps) = paper();
    let pair = [Objective::TotalGflops, Objective::Fair];
    let question = TradeOff::new(&machine, &apps, pair, Restrictions::default()).unwrap();
    let settings = Settings { work: 20_000_000, ..Settings::default() };
    let front = front(&question, &[], &settings, &Unattended).unwrap();
    assert!(!front.complete && front.ends.iter().all(|end| end.proven));
    for baseline in &front.baselines {
        let values = question.values(&baseline.candidate.allocation, &baseline.candidate.placements);
        assert!(front.points.iter().any(|point| question.beats(point.values, values)), "{}", baseline.name);
    }
    let knee = front.knee().unwrap();
    assert!(0 < knee && knee + 1 < front.points.len());
}

/// There is no guarantee, but here the search misses no point.
#[test]
fn a_searched_front_of_a_medium_machine_is_complete() {
    let machine = uniform_machine(3, 8, 10.0, 32.0, 6.0);
    let apps = [
        local_app("mem", 0.5),
        local_app("compute", 10.0),
        app("bad", 1.0, Data::Placed(Placement::Home(NodeId(1)))),
    ];
    let restrictions = Restrictions::default();
    let mut points = 0;
    for pair in [
        [Objective::TotalGflops, Objective::Fair],
        [Objective::Geomean, Objective::TotalGflops],
        [Objective::Fair, Objective::Makespan],
        [Objective::Makespan, Objective::TotalGflops],
    ] {
        let question = TradeOff::new(&machine, &apps, pair, restrictions).unwrap();
        // C(11, 3) = 165 contents; two equal nodes and the home node: 165 x 166 / 2 x 165 = 2.3e6
        let everything = front(&question, &[], &Settings::default(), &Unattended).unwrap();
        let settings = Settings { most_compared: 0, ..Settings::default() };
        let searched = front(&question, &[], &settings, &Unattended).unwrap();
        assert!(everything.complete && searched.compared < everything.compared / 2);
        assert_eq!(everything.points.len(), searched.points.len(), "{pair:?}");
        for (a, b) in everything.points.iter().zip(&searched.points) {
            assert!(!question.beats(a.values, b.values), "{:?} beats {:?}", a.values, b.values);
        }
        points += everything.points.len();
    }
    assert!(points > 20, "{points} points are no test");
}

#[test]
fn the_front_does_not_depend_on_the_number_of_threads() {
    let (machine, apps) = paper();
    let pair = [Objective::Geomean, Objective::TotalGflops];
    let question = TradeOff::new(&machine, &apps, pair, Restrictions::default()).unwrap();
    let settings = Settings { work: 5_000_000, ..Settings::default() };
    let on = |threads: usize| on_threads(threads, || front(&question, &[], &settings, &Unattended)).unwrap();
    assert_eq!(on(1), on(3));
}

#[test]
fn the_same_objective_twice_is_rejected() {
    let (machine, apps) = paper();
    let twice = TradeOff::new(&machine, &apps, [Objective::Fair; 2], Restrictions::default());
    assert_eq!(twice.unwrap_err(), TradeOffError::SameObjective(Objective::Fair));
}

#[test]
fn equal_instances_on_equal_nodes_are_compared_once() {
    let machine = uniform_machine(2, 1, 10.0, 20.0, 1.0);
    let apps = vec![App { min_threads: 0, ..local_app("a", 1.0) }; 2];
    let pair = [Objective::TotalGflops, Objective::Geomean];
    let question = TradeOff::new(&machine, &apps, pair, Restrictions::default()).unwrap();
    // 3 contents on 2 equal nodes: C(4, 2) = 6
    assert!(Everything::new(question.pair(), 5).is_none());
    let everything = Everything::new(question.pair(), 6).unwrap();
    let (mut archive, mut compared) = (Archive::default(), 0);
    assert!(everything.offer(&mut archive, &mut compared, &Unattended));
    // Nothing, one thread, two threads of one, one thread of each.
    assert_eq!(compared, 4);
    let totals: BTreeSet<u64> =
        archive.entries().iter().map(|entry| entry.allocation.total(AppId(0))).collect();
    assert_eq!(totals, BTreeSet::from([1]));
}

#[test]
fn a_sample_contains_only_neighbours() {
    let (machine, apps) = paper();
    let pair = [Objective::Geomean, Objective::TotalGflops];
    let question = TradeOff::new(&machine, &apps, pair, Restrictions::default()).unwrap();
    let changes = Changes::new(question.pair());
    let even = crate::baselines::even(&machine, &apps);
    let mut all = BTreeSet::new();
    changes.all(&even, &mut |change| {
        all.insert(change.to_vec());
        true
    });
    let mut drawn = Vec::new();
    changes.some(&even, 500, &mut generator(0, 0), &mut |change| {
        drawn.push(change.to_vec());
        true
    });
    assert!(drawn.len() > 250 && drawn.len() <= 500, "{}", drawn.len());
    // A change of two nodes is the same in either order of these.
    let ordered = |change: &Vec<(AppId, usize, u32)>| {
        let mut ordered = change.clone();
        ordered.sort_unstable();
        ordered
    };
    let all: BTreeSet<_> = all.iter().map(ordered).collect();
    assert!(drawn.iter().all(|change| all.contains(&ordered(change))));
}

#[test]
fn a_machine_with_many_nodes_is_searched_within_the_work() {
    let machine = uniform_machine(256, 8, 10.0, 32.0, 10.0);
    let (_, apps) = paper();
    let pair = [Objective::TotalGflops, Objective::Fair];
    let question = TradeOff::new(&machine, &apps, pair, Restrictions::default()).unwrap();
    let pair = question.pair();
    let mut rater = pair.rater(vec![Placement::Local; 4]);
    let even = crate::baselines::even(&machine, &apps);
    let scores = rater.scores(&even);
    let mut archive = Archive::default();
    archive.add(rater.entry(&even, scores));
    // An allocation has 256 x 255 / 2 pairs of nodes with some 40 changes each: over a million neighbours.
    let compared = Nearby::new(pair, &Unattended, 2000, 0).search(&mut archive, &|_| {});
    // 25 climbs of at most a quarter and a last sample of 20, then the rest in batches of 32 with three samples each.
    assert!(compared <= 25 * 520 + 2000 + 32 * 60, "{compared}");
    assert!(compared > 100 && !archive.entries().is_empty());
}
