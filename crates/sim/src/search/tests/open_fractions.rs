//! Fractions that explore chooses, against brute force over all of them.

use super::*;
use crate::open_data::each;
use crate::search::budget::Budget;
use crate::search::homes::HomeSets;

/// `nodes` unequal nodes of 1 to `cores` cores, `open` applications whose fractions are open, and one or two others.
fn question_of_fractions(
    nodes: usize,
    cores: u32,
    open: std::ops::Range<usize>,
) -> impl Strategy<Value = Problem> {
    let node = (1..=cores, 1.0..20.0_f64, 1.0..40.0_f64, prop::option::of(0.5..8.0_f64));
    let links = prop::collection::vec(0.5..30.0_f64, nodes * nodes);
    let equal = prop::bool::weighted(0.3);
    let machine = (prop::collection::vec(node, nodes), links, equal).prop_map(|(nodes, links, equal)| {
        let of = |at: usize| {
            let (cores, peak, bandwidth, ceiling) = nodes[if equal { 0 } else { at }];
            Node {
                cores,
                gflops_per_core: Gflops::new(peak),
                bandwidth: GigabytesPerSecond::new(bandwidth),
                core_bandwidth: ceiling.map(GigabytesPerSecond::new),
                ..Node::default()
            }
        };
        let link = |at: usize| GigabytesPerSecond::new(links[if equal { 0 } else { at }]);
        let links = (0..links.len()).map(link).collect();
        Machine::new("m", (0..nodes.len()).map(of).collect(), links).expect("a machine")
    });
    let memory = prop::option::weighted(0.3, 1.0..20.0_f64);
    let open = prop::collection::vec((0.05..5.0_f64, 0_u32..2, memory), open);
    sized(machine)
        .prop_flat_map(move |machine| {
            let others = apps(machine.node_count());
            (Just(machine), open.clone(), others, prop::sample::select(&OBJECTIVES[..]))
        })
        .prop_filter_map("a possible question", |(machine, open, others, objective)| {
            let open = open.into_iter().map(|(intensity, min_threads, memory)| {
                let memory = memory.map(Gibibytes::new);
                App { min_threads, memory, ..app("open", intensity, Data::OpenFractions) }
            });
            let others = others.into_iter().take(1);
            let apps = with_data_on_memories(&machine, open.chain(others).collect());
            Problem::new(&machine, &apps, objective, Restrictions::default()).ok()
        })
}

/// Every guarantee at once: the optimum with the usual budget, its proof with ten times as much (about a second), the bound and no false
/// proof with little.
fn keeps_its_promises(problem: &Problem) -> Result<(), TestCaseError> {
    let usual = Settings::default().effort;
    let truth = brute_force(problem);
    let least = problem.goal.objective() == Objective::Makespan;
    for effort in [0, 5_000, usual, 10 * usual] {
        let outcome = match explore(problem, &Settings { top: 1, effort, seed: 0 }, &Unattended) {
            Ok(outcome) => outcome,
            Err(ExploreError::NothingFound) if effort < 10_000 => continue,
            Err(error) => {
                let impossible = truth.is_none_or(|score| least && score <= 0.0);
                prop_assert!(impossible, "{error}, but brute force found {truth:?}");
                continue;
            }
        };
        let truth = truth.expect("an allocation is allowed");
        let value = problem.goal.value(truth);
        prop_assert!(problem.permits(&outcome.best));
        let holds =
            if least { outcome.bound <= value * (1.0 + 1e-9) } else { outcome.bound >= value * (1.0 - 1e-9) };
        prop_assert!(holds, "effort {effort}: bound {} of {value}", outcome.bound);
        let is_best = same_score(outcome.best.score, truth);
        prop_assert!(outcome.status != Status::Optimal || is_best, "{} of {truth}", outcome.best.score);
        if effort >= 10_000 {
            prop_assert!(is_best, "{} of {truth}", outcome.best.score);
            let proven = outcome.status == Status::Optimal || effort == usual || !problem.goal.is_exact();
            prop_assert!(proven, "{} of {} is not proven", outcome.value, outcome.bound);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::random::questions(60))]

    #[test]
    fn one_with_open_fractions_is_proven(problem in question_of_fractions(2, 3, 1..2)) {
        keeps_its_promises(&problem)?;
    }

    /// If choices are not listed, deciding them step by step leaves out only those that are not better.
    #[test]
    fn skipped_choices_are_not_better(problem in question_of_fractions(2, 2, 1..3), below in 0.0..0.3_f64) {
        let Some(truth) = brute_force(&problem).filter(|truth| truth.is_finite() && *truth != 0.0) else { return Ok(()) };
        let sets = HomeSets { listed: None, bound: f64::INFINITY, work: 0 };
        let cutoff = truth - below * truth.abs() - 1e-6 * truth.abs();
        let mut rest = sets.undecided(&problem);
        let found = rest.next_sets(cutoff, &mut Budget::new(150_000_000), &Unattended);
        let mut best = rest.bound();
        for set in &found {
            if let Some(score) = best_with(&problem, &set.homes) {
                prop_assert!(set.bound >= score - 1e-9 * score.abs(), "{:?}: {} of {score}", set.homes, set.bound);
                best = best.max(score);
            }
        }
        prop_assert!(best >= truth - 1e-9 * truth.abs(), "{best} of {truth}");
    }

    /// A scenario with given fractions is never better than the answer.
    #[test]
    fn an_answer_is_as_good_as_each_known_choice(problem in question_of_fractions(3, 2, 1..2)) {
        let choices = each(&Data::OpenFractions, &problem.machine);
        let little = Settings { top: 0, effort: 0, seed: 3 };
        let Ok(start) = explore(&problem, &little, &Unattended) else { return Ok(()) };
        let known = |choice| {
            let placements = problem.placements(std::slice::from_ref(choice));
            Evaluator::new(&problem, placements).candidate(start.best.allocation.clone())
        };
        let known: Vec<Candidate> = choices.iter().step_by(7).map(known).collect();
        let started = problem.clone().starting_from(known.clone());
        let Ok(found) = explore(&started, &Settings { top: 0, effort: 0, seed: 0 }, &Unattended) else { return Ok(()) };
        for one in known.iter().filter(|one| problem.permits(one)) {
            prop_assert!(found.best.score >= one.score - margin(one.score), "{} of {}", found.best.score, one.score);
        }
    }
}

proptest! {
    #![proptest_config(crate::random::questions(12))]

    #[test]
    fn two_with_open_fractions_are_proven(problem in question_of_fractions(2, 2, 2..3)) {
        keeps_its_promises(&problem)?;
    }

    #[test]
    fn three_nodes_are_proven(problem in question_of_fractions(3, 1, 1..2)) {
        keeps_its_promises(&problem)?;
    }
}

#[test]
fn fractions_follow_the_memories() {
    // Memories of 30 and 10 GB/s, and a core that wants 40 over an equally fast link: 3/4 and 1/4 of the data reach the speed of both
    // together.
    let node = uniform_machine(1, 1, 40.0, 30.0, 40.0).nodes()[0];
    let memory = Node { cores: 0, bandwidth: GigabytesPerSecond::new(10.0), ..node };
    let links = vec![GigabytesPerSecond::new(40.0); 4];
    let machine = Machine::new("expander", vec![node, memory], links).expect("a machine");
    let apps = [app("a", 1.0, Data::OpenFractions)];
    for objective in OBJECTIVES {
        let problem = Problem::new(&machine, &apps, objective, Restrictions::default()).expect("a question");
        let found = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
        assert_eq!(found.best.placements, [Placement::Fractions(vec![0.75, 0.25])], "{objective:?}");
        assert_eq!(found.status, Status::Optimal, "{objective:?}");
    }
}

#[test]
fn four_unequal_memories_are_proven() {
    // 969 choices. 2 cores on each node; memories of 40, 30, 20 and 10 GB/s, links of 50. All 8 cores want 160 GB/s.
    let node = uniform_machine(1, 2, 20.0, 40.0, 50.0).nodes()[0];
    let of = |gbs| Node { bandwidth: GigabytesPerSecond::new(gbs), ..node };
    let links = vec![GigabytesPerSecond::new(50.0); 16];
    let nodes = vec![of(40.0), of(30.0), of(20.0), of(10.0)];
    let machine = Machine::new("four", nodes, links).expect("a machine");
    let apps = [app("a", 1.0, Data::OpenFractions)];
    let problem =
        Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).expect("a question");
    let found =
        explore(&problem, &Settings { top: 0, ..Settings::default() }, &Unattended).expect("an answer");
    assert_eq!(found.status, Status::Optimal);
    // 6, 5, 3 and 2 sixteenths: 40 / 6, 30 / 5, 20 / 3 and 10 / 2 GB/s for each, 16 x 5 = 80 in all; 7, 5, 3 and 1: 16 x 40 / 7 = 91.4.
    assert_eq!(found.best.placements, [Data::OpenFractions.placement_of(&[7, 5, 3, 1])]);
}
