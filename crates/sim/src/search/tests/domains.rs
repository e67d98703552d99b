//! The search by L3 domain against all allocations of small questions.

use numasim_model::ModelKind;

use super::*;
use crate::pareto::{self, TradeOff, front};

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

/// `--whole-l3`, and the values of `--threads-per-l3` and `--max-l3` for each application.
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

/// Every allowed number of threads of every application in every domain, with the data at `placements`.
fn every_by_domain(problem: &Problem, placements: &[Placement], visit: &mut dyn FnMut(&Allocation)) {
    let machine = &problem.machine;
    let empty = || machine.nodes().iter().map(|node| vec![0; node.domains()]).collect();
    let mut threads: Vec<Vec<Vec<u32>>> = problem.apps.iter().map(|_| empty()).collect();
    let domains = |node: NodeId| (0..machine.node(node).domains()).map(move |domain| (node.0, domain));
    let places: Vec<(usize, usize)> = machine.compute_nodes().flat_map(domains).collect();
    let cells: Vec<(usize, usize, usize)> =
        (0..problem.apps.len()).flat_map(|app| places.iter().map(move |&(n, d)| (app, n, d))).collect();
    loop {
        let allocation = Allocation::from_domains(threads.clone()).expect("equal rows");
        if problem.allows(&allocation, placements) {
            visit(&allocation);
        }
        // The next one, as in counting, with the possible contents of a domain as digits.
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

/// The scores of all of these under each problem, with every set of homes, and the simplicity of each.
fn all_by_domain(problems: &[Problem]) -> Vec<(Simplicity, Vec<f64>)> {
    let question = &problems[0];
    let mut found = Vec::new();
    for homes in every_set_of_homes(question) {
        let placements = question.placements(&homes);
        let evaluator = |problem| Evaluator::new(problem, placements.clone());
        let mut evaluators: Vec<Evaluator<'_>> = problems.iter().map(evaluator).collect();
        every_by_domain(question, &placements, &mut |allocation| {
            let scores = evaluators.iter_mut().map(|evaluator| evaluator.rate_of(allocation).0).collect();
            found.push((simplicity(allocation), scores));
        });
    }
    found
}

/// The best score of all.
fn best_of_all(problem: &Problem) -> Option<f64> {
    let all = all_by_domain(std::slice::from_ref(problem)).into_iter();
    all.map(|(_, scores)| scores[0]).reduce(f64::max)
}

proptest! {
    #![proptest_config(crate::random::questions(300))]

    #[test]
    fn the_best_by_domain_equals_brute_force((machine, apps, objective, restrictions) in by_domain()) {
        let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { return Ok(()) };
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
        // The performance of an application alone may be unproven; then no value relative to it is proven.
        prop_assert!(outcome.status == Status::Optimal || !problem.goal.is_exact());
        // With little budget the bound must still hold, and no wrong answer may be called optimal.
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

proptest! {
    #![proptest_config(crate::random::questions(60))]

    /// The questions in addition to the best: the simplest, the robust one, a front.
    #[test]
    fn other_questions_by_domain_are_consistent(
        (machine, apps, objective, restrictions) in by_domain(),
        within in 0.0..0.3_f64,
    ) {
        let of = |kind: ModelKind| Problem::new(&machine.clone().with_model(kind), &apps, objective, restrictions);
        let kinds = [ModelKind::BaselineProportional, ModelKind::MaxMin, ModelKind::Ecm];
        let mut problems: Vec<Problem> = kinds.into_iter().filter_map(|kind| of(kind).ok()).collect();
        let Some(problem) = problems.first().filter(|problem| problem.is_by_domain()).cloned() else { return Ok(()) };
        let all = all_by_domain(&problems);
        let settings = Settings { effort: 200_000, top: 2, seed: 0 };
        let Ok(Outcome { best, alternatives, .. }) = explore(&problem, &settings, &Unattended) else { return Ok(()) };
        if problem.goal.is_hopeless() || !best.score.is_finite() || problems.len() < kinds.len() {
            return Ok(());
        }

        let found = simplest(&problem, &best, &alternatives, within, &settings, &Unattended).expect("allowed");
        prop_assert!(found.loss <= within + 1e-8, "{} of {within}", found.loss);
        let floor = problem.goal.least_score(best.score, within);
        let good = all.iter().filter(|(_, scores)| scores[0] >= floor + 10.0 * margin(floor));
        let truth = good.map(|(simplicity, _)| *simplicity).min().unwrap_or(found.simplicity);
        prop_assert!(!found.proven || found.simplicity <= truth, "{found:?}, not {truth:?}");

        if let Some(robust) = robust::answered(&mut problems, &settings)
            && problems.len() == kinds.len()
        {
            let values: Vec<Vec<f64>> = all
                .iter()
                .map(|(_, scores)| problems.iter().zip(scores).map(|(problem, &score)| problem.goal.value(score)).collect())
                .collect();
            let bests = robust::bests(objective, &values);
            let truth = values.iter().map(|values| robust::worst(objective, values, &bests)).fold(f64::INFINITY, f64::min);
            let own = robust.regrets_of(&problems, &robust.best.allocation, &robust.best.placements);
            let own = own.into_iter().fold(0.0, f64::max);
            prop_assert!(problem.allows(&robust.best.allocation, &robust.best.placements));
            prop_assert!(robust.bound <= truth + 1e-7, "bound {} of {truth}", robust.bound);
            prop_assert!((own - robust.worst_regret).abs() < 1e-9);
            prop_assert!(robust.status != Status::Optimal || own <= truth + 1e-7);
        }

        let other = if objective == Objective::Fair { Objective::TotalGflops } else { Objective::Fair };
        if let Ok(question) = TradeOff::new(problem.machine(), &apps, [objective, other], restrictions) {
            let quick = pareto::Settings { effort: 200_000, most_compared: 2_000, work: 100_000, seed: 0 };
            let Ok(front) = front(&question, &[], &quick, &Unattended) else { return Ok(()) };
            prop_assert!(!front.complete || front.points.len() == 1);
            let truth = all.iter().map(|(_, scores)| scores[0]).fold(f64::NEG_INFINITY, f64::max);
            let end = front.ends[0];
            let best = problem.goal.value(truth);
            let equal = (end.value - best).abs() <= 1e-8 * best.abs();
            prop_assert!(!end.proven || equal, "{} of {best} called the best", end.value);
        }
    }
}
