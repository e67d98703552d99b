//! Four to six nodes, where the search in halves decides, against brute force.
//!
//! The usual run has a few questions; `.ci/run` and `.ci/full` run many more.

use super::*;

/// Nodes with one or two cores; equal ones often.
fn small_machine() -> impl Strategy<Value = Machine> {
    let uniform = (4_usize..7, 1_u32..3, 1.0..40.0_f64, 1.0..30.0_f64)
        .prop_map(|(nodes, cores, bandwidth, link)| uniform_machine(nodes, cores, 10.0, bandwidth, link));
    let mixed = (4_usize..6).prop_flat_map(|nodes| {
        let node = (1_u32..4, prop_oneof![Just(10.0), 1.0..20.0_f64], prop_oneof![Just(20.0), 1.0..40.0_f64]);
        (prop::collection::vec(node, nodes), prop::collection::vec(0.5..30.0_f64, nodes * nodes))
            .prop_filter_map("a machine", |(nodes, links)| {
                let node = |(cores, peak, bandwidth)| Node {
                    cores,
                    gflops_per_core: Gflops::new(peak),
                    bandwidth: GigabytesPerSecond::new(bandwidth),
                    ..Node::default()
                };
                let links = links.into_iter().map(GigabytesPerSecond::new).collect();
                Machine::new("random", nodes.into_iter().map(node).collect(), links).ok()
            })
    });
    sized(prop_oneof![uniform, mixed])
}

fn small_question() -> impl Strategy<Value = (Machine, Vec<App>, Restrictions)> {
    let restrictions = (prop::bool::weighted(0.1), prop::bool::weighted(0.2), prop::bool::weighted(0.2))
        .prop_map(|(whole_nodes, minimum, no_idle_cores)| Restrictions {
            whole_nodes,
            no_idle_cores,
            whole_l3: false,
            min_threads_per_node: u32::from(minimum),
            ..Restrictions::default()
        });
    small_machine()
        .prop_flat_map(move |machine| {
            let apps = apps(machine.node_count());
            (Just(machine), apps, restrictions.clone())
        })
        .prop_filter("small enough for brute force", |(machine, apps, _)| {
            let open = apps.iter().filter(|app| app.data.is_open()).count();
            let per_node = |cores: u32| {
                // C(cores + apps, apps)
                (1..=apps.len()).fold(1.0, |c, k| c * (f64::from(cores) + k as f64) / k as f64)
            };
            let all: f64 = machine.nodes().iter().map(|node| per_node(node.cores)).product();
            all * (machine.node_count() as f64).powi(i32::try_from(open).expect("few")) < 30_000.0
        })
}

proptest! {
    #![proptest_config(crate::random::questions(8))]

    #[test]
    fn every_objective_is_solved_on_four_to_six_nodes((machine, apps, restrictions) in small_question()) {
        for objective in OBJECTIVES {
            let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { continue };
            let truth = brute_force(&problem);
            match explore(&problem, &Settings { top: 1, ..Settings::default() }, &Unattended) {
                Ok(outcome) => {
                    let truth = truth.expect("what was found is allowed");
                    prop_assert!(same_score(outcome.best.score, truth), "{objective:?}: {} of {truth}", outcome.best.score);
                    prop_assert_eq!(outcome.status, Status::Optimal);
                }
                Err(error) => {
                    let impossible = truth.is_none_or(|score| objective == Objective::Makespan && score <= 0.0);
                    prop_assert!(impossible, "{error}, but brute force found {truth:?}");
                }
            }
        }
    }
}
