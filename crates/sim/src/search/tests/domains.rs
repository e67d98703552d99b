//! The search by L3 domain against all allocations of small questions.

use numasim_model::ModelKind;

use super::*;

/// One or two nodes of 1 to 4 domains of 1 to 3 cores; domains are limited, or nodes, or both, or nothing.
fn machine() -> impl Strategy<Value = Machine> {
    let limit = |weight| prop::option::weighted(weight, prop_oneof![Just(8.0), 1.0..30.0_f64]);
    let node = (1_u32..5, 1_u32..4, 1.0..20.0_f64, 1.0..60.0_f64, prop::option::of(0.5..12.0_f64));
    let limits = (limit(0.8), limit(0.2), prop::option::weighted(0.3, 4.0..40.0_f64));
    let kinds =
        prop::sample::select(&[ModelKind::BaselineProportional, ModelKind::MaxMin, ModelKind::Ecm][..]);
    (1_usize..3, any::<bool>(), prop::collection::vec((node, limits), 2), 0.5..30.0_f64, kinds).prop_map(
        |(nodes, equal, figures, link, kind)| {
            let own = |number: usize| {
                let ((domains, cores, peak, bandwidth, ceiling), (l3, read, memory)) =
                    figures[if equal { 0 } else { number }];
                Node {
                    cores: domains * cores,
                    cores_per_l3: Some(cores),
                    l3_bandwidth: l3.map(GigabytesPerSecond::new),
                    read_bandwidth: read.map(GigabytesPerSecond::new),
                    memory: memory.map(Gibibytes::new),
                    gflops_per_core: Gflops::new(peak),
                    bandwidth: GigabytesPerSecond::new(bandwidth),
                    core_bandwidth: ceiling.map(GigabytesPerSecond::new),
                    ..Node::default()
                }
            };
            let links = vec![GigabytesPerSecond::new(link); nodes * nodes];
            let machine = Machine::new("domains", (0..nodes).map(own).collect(), links).expect("a machine");
            machine.with_model(kind)
        },
    )
}

/// `--whole-l3`, and of each application what `--threads-per-l3` and `--max-l3` say.
type Asked = (bool, Vec<(Option<NonZeroU32>, Option<usize>)>);

fn asked() -> impl Strategy<Value = Asked> {
    let each =
        prop::option::weighted(0.25, (1_u32..4).prop_map(|each| NonZeroU32::new(each).expect("not 0")));
    let most = prop::option::weighted(0.25, 1_usize..4);
    (prop::bool::weighted(0.3), prop::collection::vec((each, most), 3))
}

fn by_domain() -> impl Strategy<Value = (Machine, Vec<App>, Objective, Restrictions)> {
    let restrictions =
        (prop::bool::weighted(0.15), prop::bool::weighted(0.1), 0_u32..10, prop::bool::weighted(0.15));
    (machine(), asked(), restrictions, prop::sample::select(&OBJECTIVES[..]))
        .prop_flat_map(|(machine, asked, restrictions, objective)| {
            let apps = apps(machine.node_count());
            (Just(machine), apps, Just(asked), Just(restrictions), Just(objective))
        })
        .prop_map(|(machine, mut apps, (whole_l3, asked), (same, whole, least, busy), objective)| {
            for (app, (per_l3, max_l3)) in apps.iter_mut().zip(asked) {
                (app.placing.per_l3, app.placing.max_l3) = (per_l3, max_l3);
            }
            let restrictions = Restrictions {
                same_on_every_node: same,
                whole_nodes: whole,
                min_threads_per_node: least.saturating_sub(8),
                no_idle_cores: busy,
                whole_l3,
            };
            (machine, apps, objective, restrictions)
        })
        .prop_filter("small enough for brute force", |(machine, apps, ..)| {
            let open = apps.iter().filter(|app| app.data.is_open()).count();
            let n = apps.len() as f64;
            let of_domain = |cores: u32| {
                (1..=apps.len()).fold(1.0, |c, k| c * (f64::from(cores) + n - k as f64 + 1.0) / k as f64)
            };
            let domains = |node: &Node| i32::try_from(node.domains()).expect("few");
            let all: f64 = machine
                .nodes()
                .iter()
                .map(|node| of_domain(node.domain_cores()).powi(domains(node)))
                .product();
            all * (machine.node_count() as f64).powi(i32::try_from(open).unwrap()) < 40_000.0
        })
}

/// The best score over every number of threads of every application in every domain, and every set of homes.
fn best_of_all(problem: &Problem) -> Option<f64> {
    let machine = &problem.machine;
    let places: Vec<(usize, usize)> = machine
        .compute_nodes()
        .flat_map(|node| (0..machine.node(node).domains()).map(move |domain| (node.0, domain)))
        .collect();
    let empty = || machine.nodes().iter().map(|node| vec![0; node.domains()]).collect();
    let mut best: Option<f64> = None;
    for homes in every_set_of_homes(problem) {
        let mut evaluator = Evaluator::new(problem, problem.placements(&homes));
        let mut threads: Vec<Vec<Vec<u32>>> = problem.apps.iter().map(|_| empty()).collect();
        let cells: Vec<(usize, usize, usize)> =
            (0..problem.apps.len()).flat_map(|app| places.iter().map(move |&(n, d)| (app, n, d))).collect();
        loop {
            let allocation = Allocation::from_domains(threads.clone()).expect("equal rows");
            if problem.allows(&allocation, &evaluator.placements) {
                let score = evaluator.candidate(allocation).score;
                best = Some(best.map_or(score, |best| best.max(score)));
            }
            // The next one: like counting, with what fits into a domain as digits.
            let next = cells.iter().find(|&&(app, n, d)| {
                let used: u32 = threads.iter().map(|own| own[n][d]).sum();
                if used < machine.node(NodeId(n)).domain_cores() {
                    threads[app][n][d] += 1;
                    return true;
                }
                threads[app][n][d] = 0;
                false
            });
            if next.is_none() {
                break;
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(crate::random::questions(300))]

    #[test]
    fn the_best_by_domain_is_that_of_all_allocations((machine, apps, objective, restrictions) in by_domain()) {
        let Ok(problem) = Problem::by_domain(&machine, &apps, objective, restrictions) else { return Ok(()) };
        let truth = best_of_all(&problem);
        let outcome = match explore_by_domain(&problem, &Settings::default(), &[], false, &Unattended) {
            Ok(outcome) => outcome,
            Err(error) => {
                let impossible = truth.is_none_or(|score| objective == Objective::Makespan && score <= 0.0);
                prop_assert!(impossible, "{error}, but brute force found {truth:?}");
                return Ok(());
            }
        };
        let truth = truth.expect("an answer exists");
        prop_assert!(problem.allows(&outcome.best.allocation, &outcome.best.placements));
        prop_assert!(same_score(outcome.best.score, truth), "found {} of {truth}", outcome.best.score);
        prop_assert_eq!(outcome.status, Status::Optimal);
        // With little effort the bound must still hold, and nothing wrong may be called optimal.
        for effort in [0, 5_000] {
            let lazy = Settings { effort, top: 0, seed: 1 };
            let Ok(quick) = explore_by_domain(&problem, &lazy, &[], false, &Unattended) else { continue };
            let value = problem.goal.value(truth);
            let holds = match objective {
                Objective::Makespan => quick.bound <= value * (1.0 + 1e-9),
                _ => quick.bound >= value * (1.0 - 1e-9),
            };
            prop_assert!(holds, "bound {} of {value}", quick.bound);
            let right = quick.status != Status::Optimal || same_score(quick.best.score, truth);
            prop_assert!(right, "effort {effort}: {} of {truth} called optimal", quick.best.score);
        }
    }
}
