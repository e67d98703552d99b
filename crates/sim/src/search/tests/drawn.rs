//! Properties of parts of the space by the bandwidth that other nodes draw from a memory, for every allocation of small random questions.

use numasim_model::evaluation::evaluate;
use numasim_model::{AppId, ModelKind};

use super::*;
use crate::search::dual::{Class, Drawn, Effort, Ranges, Relaxation};
use crate::search::halves::{self, Halves};
use crate::search::pool::Canonical;
use crate::search::watch::watched;
use crate::symmetry::node_classes;

/// Machines with remote readers, and applications that read one memory each.
pub(super) fn one_memory_each() -> impl Strategy<Value = (Machine, Vec<App>, Objective)> {
    of_memories(|app, nodes| {
        let data = match &app.data {
            Data::OpenHome { .. }
            | Data::OpenFractions
            | Data::Placed(Placement::Home(_) | Placement::Local) => app.data.clone(),
            other @ Data::Placed(_) => {
                let node = match other {
                    Data::Placed(Placement::PartHome { home, .. }) => *home,
                    _ => NodeId(nodes - 1),
                };
                Data::Placed(Placement::Home(node))
            }
        };
        App { data, ..app }
    })
}

/// The same with applications that may read several.
pub(super) fn several_memories() -> impl Strategy<Value = (Machine, Vec<App>, Objective)> {
    of_memories(|app, _| app)
}

/// Machines without read limits of nodes, and applications without open homes, transformed by `changed` (of an application and the number
/// of nodes).
fn of_memories(
    changed: impl Fn(App, usize) -> App + Copy,
) -> impl Strategy<Value = (Machine, Vec<App>, Objective)> {
    let kind = prop::sample::select(
        &[
            ModelKind::BaselineProportional,
            ModelKind::BaselineProportional,
            ModelKind::RemoteFirst,
            ModelKind::MaxMin,
            ModelKind::Proportional,
        ][..],
    );
    let placed = |app: App| {
        let data = match app.data {
            Data::OpenHome { .. } | Data::OpenFractions => Data::Placed(Placement::Home(NodeId(0))),
            placed @ Data::Placed(_) => placed,
        };
        App { data, placing: Placing::default(), memory: None, ..app }
    };
    question()
        .prop_flat_map(move |(machine, apps, objective, _)| {
            (Just(machine), Just(apps), Just(objective), kind.clone())
        })
        .prop_map(move |(machine, apps, objective, kind)| {
            let nodes = machine.node_count();
            let machine = with_nodes(&machine, |_, node| Node { read_bandwidth: None, ..node });
            let apps = apps.into_iter().map(|app| placed(changed(app, nodes))).collect();
            let apps = with_data_on_memories(&machine, apps);
            (machine.with_sharing(kind.into()), apps, objective)
        })
}

/// The bandwidth that other nodes draw from a memory, GB/s of reads.
fn drawn(problem: &Problem, evaluator: &Evaluator<'_>, allocation: &Allocation, memory: NodeId) -> f64 {
    let Problem { machine, apps, .. } = problem;
    let evaluation = evaluate(machine, apps, &evaluator.placements, allocation).expect("it fits");
    let of = |a: usize| -> f64 {
        let group = |n: NodeId| {
            let moved =
                evaluation.apps[a].per_node[n.0].as_ref().map_or(0.0, |group| group.bandwidth.value());
            moved * evaluator.cost(a, n, memory)
        };
        machine.compute_nodes().filter(|&n| n != memory).map(group).sum()
    };
    (0..apps.len()).map(of).sum()
}

/// Checks every property that a part claims for an allocation in it.
pub(super) fn check(part: &Relaxation<'_>, evaluator: &Evaluator<'_>, allocation: &Allocation) {
    let problem = part.problem;
    let evaluation =
        evaluate(&problem.machine, &problem.apps, &evaluator.placements, allocation).expect("it fits");
    let apps = problem.apps.len();
    let mut reads = vec![0.0; part.watched.len()];
    for class in &part.classes {
        for &node in &class.nodes {
            let counts: Vec<u32> = (0..apps).map(|a| allocation.get(AppId(a), node)).collect();
            let Class { table, .. } = class;
            let option = (0..table.len()).find(|&option| table.counts(option) == counts);
            let option = option.unwrap_or_else(|| panic!("{counts:?} on {node:?} was left out"));
            for a in 0..apps {
                let group = evaluation.apps[a].per_node[node.0].as_ref();
                let gflops = group.map_or(0.0, |group| group.gflops.value());
                let most = table.potential(option)[a];
                // Before the loss of the application on several nodes.
                let nodes = evaluation.apps[a].per_node.iter().flatten().count().max(1);
                let gflops = gflops * (1.0 + problem.apps[a].node_overhead * libm::log2(nodes as f64));
                assert!(gflops <= most * (1.0 + 1e-9) + 1e-9, "{a} on {node:?}: {gflops} of {most}");
                let least = table.least(option).get(a).copied().unwrap_or(0.0);
                assert!(gflops >= least * (1.0 - 1e-9) - 1e-9, "{a} on {node:?}: {gflops}, least {least}");
            }
            reads.iter_mut().zip(table.reads(option)).for_each(|(sum, reads)| *sum += reads);
        }
    }
    for (watched, counted) in part.watched.iter().zip(reads) {
        assert!(counted <= watched.most * (1.0 + 1e-9) + 1e-9, "{counted} of {}", watched.most);
        assert!(counted >= watched.least * (1.0 - 1e-9) - 1e-9, "{counted}, least {}", watched.least);
        if let Some(Drawn { resource, .. }) = watched.drawn {
            let drawn = drawn(problem, evaluator, allocation, watched.memory);
            let most = part.shared_bandwidth[resource].expect("a limit");
            assert!(drawn <= most * (1.0 + 1e-9) + 1e-9, "{drawn} of {most}");
        }
    }
}

/// The whole space, as at the start of a search.
pub(super) fn everything<'a>(problem: &'a Problem, evaluator: &Evaluator<'_>) -> Relaxation<'a> {
    let Evaluator { placements, solver, .. } = evaluator;
    let watches = watched(problem, placements, solver.threads_elsewhere_never_help());
    let classes = node_classes(&problem.machine, &problem.apps, placements, false);
    Relaxation::new(problem, evaluator, &classes, &watches, 10_000, 1, &Unattended).expect("few options")
}

/// The best score that halves find in a part, if they search it completely: nothing in it is better than that or than a poor start.
pub(super) fn found_in_halves(
    part: &Relaxation<'_>,
    ranges: &Ranges,
    placements: &[Placement],
    canonical: &Canonical,
) -> Option<f64> {
    let Problem { machine, apps, .. } = part.problem;
    let root = part.improve(&part.start(), ranges, f64::NEG_INFINITY, Effort { steps: 20, cuts: 20 });
    let mut pool = Pool::new(1);
    let first = machine.compute_nodes().next()?;
    let mut start = Allocation::empty(apps.len(), machine.node_count());
    let (free, asked) = (machine.node(first).cores, apps.len());
    (0..asked.min(free as usize)).for_each(|a| start.set(AppId(a), first, 1));
    let mut rated = Evaluator::new(part.problem, placements.to_vec());
    pool.add(canonical, rated.candidate(start));
    let halves = Halves {
        problem: part.problem,
        relaxation: part,
        placements,
        ranges,
        canonical,
        monitor: &Unattended,
    };
    let halved = halves.search(&root, &mut pool, halves::QUICK, u64::MAX);
    (halved.complete && root.bound.is_finite()).then(|| pool.cutoff())
}

proptest! {
    #![proptest_config(crate::random::questions(100))]

    #[test]
    fn claims_of_a_part_hold_for_all_its_allocations(
        (machine, apps, objective) in one_memory_each(),
        cuts in prop::collection::vec(0.02..0.98_f64, 4),
    ) {
        let Ok(problem) = Problem::new(&machine, &apps, objective, Restrictions::default()) else { return Ok(()) };
        let placements = problem.placements(&[]);
        let evaluator = Evaluator::new(&problem, placements.clone());
        let whole = everything(&problem, &evaluator);
        let mut parts = vec![whole.clone()];
        for (w, watched) in whole.watched.iter().enumerate() {
            let Some(Drawn { range: (least, most), .. }) = watched.drawn else { continue };
            let cut = least + (most - least) * cuts[w];
            parts = parts
                .iter()
                .flat_map(|part| {
                    [(least, cut), (cut, most)].map(|range| {
                        part.where_drawn(&part.start(), &evaluator, w, range).expect("watched").0
                    })
                })
                .collect();
        }
        // The results of halves in each part that they search completely.
        let canonical = Canonical::new(&problem);
        let found: Vec<Option<f64>> =
            parts.iter().map(|part| found_in_halves(part, &part.everything(), &placements, &canonical)).collect();
        let mut rated = Evaluator::new(&problem, placements.clone());
        let mut allocation = Allocation::empty(apps.len(), machine.node_count());
        every_allocation(&problem, &mut allocation, 0, &mut |allocation| {
            if !problem.allows(allocation, &placements) {
                return;
            }
            let (score, _) = rated.rate(allocation.as_slice());
            for (part, found) in parts.iter().zip(&found) {
                let inside = part.watched.iter().all(|watched| {
                    let Some(Drawn { range: (least, most), .. }) = watched.drawn else { return true };
                    (least..=most).contains(&drawn(&problem, &evaluator, allocation, watched.memory))
                });
                if inside {
                    check(part, &evaluator, allocation);
                    if let Some(found) = found {
                        assert!(score <= *found || same_score(score, *found), "{score} beats {found}: {allocation:?}");
                    }
                }
            }
        });
    }
}
