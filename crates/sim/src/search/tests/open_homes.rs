//! Bounds with open homes, on small unequal machines: before the search, after it, and wherever it was stopped.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::monitor::Progress;
use crate::search::homes::HomeSets;

/// Two or three unequal nodes with unequal links, an application or two with an open home, and one or two others.
fn question_of_homes() -> impl Strategy<Value = Problem> {
    let node = (1_u32..4, 1.0..20.0_f64, 1.0..40.0_f64, prop::option::of(0.5..8.0_f64));
    let machine = (2_usize..4).prop_flat_map(move |nodes| {
        let links = prop::collection::vec(0.5..30.0_f64, nodes * nodes);
        (prop::collection::vec(node.clone(), nodes), links).prop_map(|(nodes, links)| {
            let nodes = nodes.into_iter().map(|(cores, peak, bandwidth, ceiling)| Node {
                cores,
                gflops_per_core: Gflops::new(peak),
                bandwidth: GigabytesPerSecond::new(bandwidth),
                core_bandwidth: ceiling.map(GigabytesPerSecond::new),
                ..Node::default()
            });
            let links = links.into_iter().map(GigabytesPerSecond::new).collect();
            Machine::new("unequal", nodes.collect(), links).expect("a machine")
        })
    });
    let open = prop_oneof![2 => Just(1.0), 1 => 0.1..0.9].prop_map(|share| Data::OpenHome { share });
    let open = prop::collection::vec((0.05..5.0_f64, open, 0_u32..2), 1..3);
    let questions = sized(machine).prop_flat_map(move |machine| {
        let others = apps(machine.node_count());
        (Just(machine), open.clone(), others, prop::sample::select(&OBJECTIVES[..]))
    });
    questions.prop_filter_map("a possible question, small enough", |(machine, open, others, objective)| {
        let open = open
            .into_iter()
            .map(|(intensity, data, min_threads)| App { min_threads, ..app("open", intensity, data) });
        let apps = open.chain(others.into_iter().take(1)).collect();
        let apps = with_data_on_memories(&machine, apps);
        Problem::new(&machine, &apps, objective, Restrictions::default()).ok()
    })
}

/// Stops at a given call.
struct StopsAt {
    question: usize,
    asked: AtomicUsize,
}

impl Monitor for StopsAt {
    fn stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.question
    }
    fn progress(&self, _: &Progress) {}
}

/// Whether `bound` is one for `score`, up to rounding.
fn holds(bound: f64, score: f64) -> bool {
    bound >= score - 1e-9 * score.abs() || same_score(bound, score)
}

proptest! {
    #![proptest_config(crate::random::questions(200))]

    #[test]
    fn first_bounds_hold_for_each_set_of_homes(problem in question_of_homes()) {
        // No budget: only the bound for any places of the homes. Full budget: one for each set.
        for effort in [0, Settings::default().effort] {
            let sets = HomeSets::new(&problem, effort, &Unattended);
            for set in sets.listed.as_deref().expect("few sets") {
                if let Some(best) = best_with(&problem, &set.homes) {
                    prop_assert!(holds(set.bound, best), "{:?}: {} of {best}", set.homes, set.bound);
                }
            }
            if let Some(best) = brute_force(&problem) {
                prop_assert!(holds(sets.bound, best), "{} of {best}", sets.bound);
            }
        }
    }

    #[test]
    fn a_stopped_search_with_open_homes_has_a_valid_bound(
        problem in question_of_homes(),
        question in 0_usize..400,
    ) {
        let truth = brute_force(&problem);
        let stopped = StopsAt { question, asked: AtomicUsize::new(0) };
        for (monitor, ends) in [(&Unattended as &dyn Monitor, true), (&stopped, false)] {
            let Ok(outcome) = explore(&problem, &Settings { top: 1, ..Settings::default() }, monitor) else {
                continue;
            };
            let truth = truth.expect("an allocation is allowed");
            let value = problem.goal.value(truth);
            let bound_holds = match problem.goal.objective() {
                Objective::Makespan => outcome.bound <= value * (1.0 + 1e-9),
                _ => outcome.bound >= value * (1.0 - 1e-9),
            };
            prop_assert!(bound_holds, "bound {} of {value}", outcome.bound);
            let right = outcome.status != Status::Optimal || same_score(outcome.best.score, truth);
            prop_assert!(right, "{} of {truth} called optimal", outcome.best.score);
            // The performance of an application alone may be unproven; then no value relative to it is proven.
            let proven = outcome.status == Status::Optimal || !problem.goal.is_exact();
            prop_assert!(!ends || proven, "not proven");
        }
    }
}
