//! The search against brute force on thousands of small random questions, and on the paper's machine.

use numasim_model::machine::SharedLink;
use numasim_model::units::{FlopPerByte, Gflop, Gflops, Gibibytes, GigabytesPerSecond};
use numasim_model::{
    Access, Allocation, App, AppId, Data, KernelBandwidths, Machine, Node, NodeId, Placement, Placing,
};
use proptest::prelude::*;
use std::num::NonZeroU32;

mod alone;
mod domains;
mod drawn;
mod effort;
mod equals;
mod fair;
mod fewest;
mod forbidden;
mod four_nodes;
mod loose;
mod models;
mod open_fractions;
mod open_homes;
mod open_smt;
mod ranges;
mod robust;
mod simple;
mod starts;
mod waited;

use super::*;
use crate::objective::{Objective, margin};
use crate::problem::{Candidate, Evaluator};
use crate::restrictions::Restrictions;
use crate::testing::{
    app, every_set_of_homes, local_app, uniform_machine, with_data_on_memories, with_memory, with_nodes,
};

const OBJECTIVES: [Objective; 4] =
    [Objective::TotalGflops, Objective::Fair, Objective::Geomean, Objective::Makespan];

/// The best score over every allocation and every set of homes, by trying all; `None` if nothing is allowed.
fn brute_force(problem: &Problem) -> Option<f64> {
    every_set_of_homes(problem).iter().filter_map(|homes| best_with(problem, homes)).reduce(f64::max)
}

/// The best score over every allocation with these homes.
fn best_with(problem: &Problem, homes: &[Placement]) -> Option<f64> {
    let mut evaluator = Evaluator::new(problem, problem.placements(homes));
    let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
    let mut best: Option<f64> = None;
    every_allocation(problem, &mut allocation, 0, &mut |allocation| {
        if problem.allows(allocation, &evaluator.placements) {
            let (score, _) = evaluator.rate(allocation.as_slice());
            best = Some(best.map_or(score, |best| best.max(score)));
        }
    });
    best
}

fn every_allocation(
    problem: &Problem,
    allocation: &mut Allocation,
    cell: usize,
    visit: &mut impl FnMut(&Allocation),
) {
    if cell == allocation.as_slice().len() {
        visit(allocation);
        return;
    }
    let node = NodeId(cell % allocation.nodes());
    let cores = problem.machine.node(node).cores;
    while allocation.on_node(node) <= u64::from(cores) {
        every_allocation(problem, allocation, cell + 1, visit);
        allocation.as_mut_slice()[cell] += 1;
    }
    allocation.as_mut_slice()[cell] = 0;
}

fn data(nodes: usize) -> impl Strategy<Value = Data> {
    prop_oneof![
        3 => Just(Data::Placed(Placement::Local)),
        2 => (0..nodes).prop_map(|n| Data::Placed(Placement::Home(NodeId(n)))),
        2 => prop_oneof![2 => Just(1.0), 1 => 0.1..0.9].prop_map(|share| Data::OpenHome { share }),
        1 => Just(Data::Placed(Placement::Interleave)),
        2 => Just(Data::Placed(Placement::Replicated)),
        1 => (0.1..0.9).prop_map(|share| Data::Placed(Placement::PartInterleave { share })),
        1 => (0..nodes, 0.1..0.9)
            .prop_map(|(home, share)| Data::Placed(Placement::PartHome { home: NodeId(home), share })),
        1 => prop::collection::vec(0_u32..4, nodes).prop_filter_map("some data", |parts| {
            let sum: u32 = parts.iter().sum();
            (sum > 0).then(|| {
                let fractions = parts.iter().map(|&p| f64::from(p) / f64::from(sum)).collect();
                Data::Placed(Placement::Fractions(fractions))
            })
        }),
    ]
}

fn machine() -> impl Strategy<Value = Machine> {
    let uniform = (1_usize..4, 1_u32..4, 1.0..40.0_f64, 1.0..30.0_f64)
        .prop_map(|(nodes, cores, bandwidth, link)| uniform_machine(nodes, cores, 10.0, bandwidth, link));
    let mixed = (1_usize..4).prop_flat_map(|nodes| {
        let node = (0_u32..4, 1.0..20.0_f64, 1.0..40.0_f64, prop::option::of(0.5..8.0_f64));
        (prop::collection::vec(node, nodes), prop::collection::vec(0.5..30.0_f64, nodes * nodes))
            .prop_filter_map("a core somewhere", |(nodes, links)| {
                let nodes = nodes
                    .into_iter()
                    .map(|(cores, peak, bandwidth, ceiling)| Node {
                        cores,
                        gflops_per_core: Gflops::new(peak),
                        bandwidth: GigabytesPerSecond::new(bandwidth),
                        core_bandwidth: ceiling.map(GigabytesPerSecond::new),
                        ..Node::default()
                    })
                    .collect();
                let links = links.into_iter().map(GigabytesPerSecond::new).collect();
                Machine::new("random", nodes, links).ok()
            })
    });
    sized(prop_oneof![uniform, mixed])
}

/// The same machines. Half of them have memory that often has no room for the data of [`apps`]. Some have a shared link or read limits of
/// nodes, some have nodes with cores and without memory, some have separate values for triads and copies. Equal nodes are frequent.
fn sized(machines: impl Strategy<Value = Machine>) -> impl Strategy<Value = Machine> {
    let memory = prop::option::weighted(0.9, prop_oneof![Just(8.0), Just(16.0), 2.0..30.0_f64]);
    let read = prop::option::weighted(0.5, prop_oneof![Just(10.0), 1.0..40.0_f64]);
    let kernel = || prop::option::weighted(0.8, prop_oneof![Just(0.75), 0.3..1.2_f64]);
    let nodes = (any::<bool>(), prop::bool::weighted(0.2), prop::bool::weighted(0.4), any::<bool>());
    let nodes = (nodes, prop::collection::vec((memory, read, kernel(), kernel()), 6));
    let shared = prop::option::weighted(0.3, (1.0..20.0_f64, 1_u32..63, any::<bool>()));
    let without = prop_oneof![3 => Just(0_usize), 1 => 1..64_usize];
    (machines, nodes, shared, without).prop_map(|(machine, (kinds, figures), shared, without)| {
        let (sized, reads, writes, equal) = kinds;
        let keeps = without % machine.node_count();
        let machine = with_nodes(&machine, |number, node| {
            let (memory, read, triad, copy) = figures[if equal { 0 } else { number }];
            let of_reads = |part: Option<f64>| part.filter(|_| writes).map(|part| node.bandwidth * part);
            let has_none = node.cores > 0 && number != keeps && without >> number & 1 > 0;
            Node {
                memory: if has_none { Some(0.0) } else { memory.filter(|_| sized) }.map(Gibibytes::new),
                read_bandwidth: read.filter(|_| reads).map(GigabytesPerSecond::new),
                kernels: KernelBandwidths {
                    triad: of_reads(triad),
                    copy: of_reads(copy),
                    ..KernelBandwidths::NONE
                },
                ..node
            }
        });
        let Some((gbs, mask, both_ways)) = shared else { return machine };
        let (from, to) = machine.node_ids().partition(|node| mask >> node.0 & 1 > 0);
        let bandwidth = GigabytesPerSecond::new(gbs);
        let link = SharedLink { name: "shared".to_owned(), bandwidth, from, to, both_ways };
        machine.clone().with_shared_links(vec![link]).unwrap_or(machine)
    })
}

/// Placement requirements of applications, beyond numbers and nodes: mostly none.
fn placing() -> impl Strategy<Value = Placing> {
    let ranges = prop_oneof![Just(vec![(2, 2)]), Just(vec![(1, 1), (3, 4)]), Just(vec![(2, 4)])];
    (
        prop::option::weighted(0.15, (1_u32..4).prop_map(|step| NonZeroU32::new(step).expect("not 0"))),
        prop::option::weighted(0.2, 1_usize..3),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.1, ranges),
    )
        .prop_map(|(multiple_of, max_nodes, exclusive, per_node)| Placing {
            multiple_of,
            max_nodes,
            exclusive,
            per_node,
            ..Placing::default()
        })
}

/// Measured values for a thread and for several nodes: often none.
fn measured() -> impl Strategy<Value = (Option<f64>, Option<f64>, f64, f64)> {
    let limit = |most| prop::option::weighted(0.2, 0.5..most);
    let share = prop_oneof![5 => Just(0.0), 1 => Just(0.25), 1 => 0.01..1.0_f64];
    let overhead = prop_oneof![5 => Just(0.0), 1 => Just(0.12), 1 => 0.01..1.0_f64];
    (limit(12.0), limit(20.0), share, overhead)
}

fn apps(nodes: usize) -> impl Strategy<Value = Vec<App>> {
    let one = (
        prop_oneof![Just(0.5), Just(10.0), 0.02..20.0_f64],
        data(nodes),
        0_u32..3,
        prop::option::of(1_u32..5),
        prop_oneof![3 => Just(1.0), 1 => 0.0..3.0_f64],
        1.0..100.0_f64,
        prop::option::weighted(0.3, prop::collection::btree_set((0..nodes).prop_map(NodeId), 1..=nodes)),
        prop::option::weighted(0.7, prop_oneof![Just(8.0), 1.0..20.0_f64]),
        placing(),
    )
        .prop_map(|(intensity, data, min, max, weight, work, nodes, memory, placing)| App {
            placing,
            min_threads: min.min(max.unwrap_or(min)),
            max_threads: max,
            weight,
            work: Some(Gflop::new(work)),
            nodes: nodes.map(|nodes| nodes.into_iter().collect()),
            memory: memory.map(Gibibytes::new),
            arithmetic_intensity: FlopPerByte::new(intensity),
            ..app("app", intensity, data)
        });
    // Equal instances exercise the symmetry, as do those that differ by their kernel.
    let kernel = || prop::sample::select(&[Access::Read, Access::Triad, Access::Triad, Access::Copy][..]);
    let twin = prop::option::of(prop::option::of(kernel()));
    (prop::collection::vec((one, kernel(), measured()), 1..3), twin).prop_map(|(apps, twin)| {
        let measured = apps.into_iter().map(|(app, kernel, (gflops, gbs, write_share, node_overhead))| App {
            kernel,
            thread_gflops: gflops.map(Gflops::new),
            thread_gbs: gbs.map(GigabytesPerSecond::new),
            write_share,
            node_overhead,
            ..app
        });
        let mut apps: Vec<App> = measured.collect();
        if let Some(kernel) = twin {
            apps.push(App { kernel: kernel.unwrap_or(apps[0].kernel), ..apps[0].clone() });
        }
        apps
    })
}

fn question() -> impl Strategy<Value = (Machine, Vec<App>, Objective, Restrictions)> {
    let restrictions =
        (prop::bool::weighted(0.2), prop::bool::weighted(0.2), 0_u32..10, prop::bool::weighted(0.2))
            .prop_map(|(same, whole, minimum, no_idle)| Restrictions {
                same_on_every_node: same,
                whole_nodes: whole,
                min_threads_per_node: minimum.saturating_sub(8),
                no_idle_cores: no_idle,
                whole_l3: false,
            });
    machine()
        .prop_flat_map(move |machine| {
            let apps = apps(machine.node_count());
            (Just(machine), apps, prop::sample::select(&OBJECTIVES[..]), restrictions.clone())
        })
        .prop_map(|(machine, apps, objective, restrictions)| {
            let apps = with_data_on_memories(&machine, apps);
            (machine, apps, objective, restrictions)
        })
        .prop_filter("small enough for brute force", |(machine, apps, ..)| {
            let open = apps.iter().filter(|app| app.data.is_open()).count();
            let per_node = |cores: u32| {
                // C(cores + apps, apps)
                let n = apps.len() as f64;
                (1..=apps.len()).fold(1.0, |c, k| c * (f64::from(cores) + n - k as f64 + 1.0) / k as f64)
            };
            let all: f64 = machine.nodes().iter().map(|node| per_node(node.cores)).product();
            all * (machine.node_count() as f64).powi(i32::try_from(open).unwrap()) < 60_000.0
        })
}

proptest! {
    #![proptest_config(crate::random::questions(500))]

    /// Every guarantee of the search at once, so that each random question is used fully: the optimum, the bound, the status, the
    /// alternatives, and the same answer with a bound that is not allowed to search.
    #[test]
    fn explore_equals_brute_force((machine, apps, objective, restrictions) in question()) {
        let Ok(problem) = Problem::new(&machine, &apps, objective, restrictions) else { return Ok(()) };
        let truth = brute_force(&problem);
        let outcome = match explore(&problem, &Settings::default(), &Unattended) {
            Ok(outcome) => outcome,
            Err(error) => {
                let impossible = truth.is_none_or(|score| objective == Objective::Makespan && score <= 0.0);
                prop_assert!(impossible, "{error}, but brute force found {truth:?}");
                return Ok(());
            }
        };
        let truth = truth.unwrap();
        prop_assert!(problem.allows(&outcome.best.allocation, &outcome.best.placements));
        prop_assert!(same_score(outcome.best.score, truth), "found {} of {truth}", outcome.best.score);
        prop_assert_eq!(outcome.status, Status::Optimal);
        prop_assert_eq!(outcome.gap, 0.0);
        for alternative in &outcome.alternatives {
            prop_assert!(problem.allows(&alternative.allocation, &alternative.placements));
            let (best, other) = (outcome.best.score, alternative.score);
            prop_assert!(other <= best + margin(best) || same_score(other, best), "{other} beats {best}");
        }
        // With little or no budget the bound must still hold, and no wrong answer may be called optimal.
        for effort in [0, 300, 5_000] {
            let lazy = Settings { effort, top: 0, seed: 1 };
            let Ok(quick) = explore(&problem, &lazy, &Unattended) else { continue };
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

/// Equal up to rounding; the score of geomean is a logarithm, which may be 0 or 2e-16 for the same p.
fn same_score(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-8 * a.abs().max(b.abs()) || (a - b).abs() <= 1e-12
}

fn paper() -> (Machine, Vec<App>) {
    let machine = uniform_machine(4, 8, 10.0, 32.0, 10.0);
    let apps = vec![
        local_app("mem-1", 0.5),
        local_app("mem-2", 0.5),
        local_app("mem-3", 0.5),
        local_app("compute", 10.0),
    ];
    (machine, apps)
}

#[test]
fn paper_machine_is_solved_for_every_objective() {
    let (machine, apps) = paper();
    for objective in OBJECTIVES {
        let problem = Problem::new(&machine, &apps, objective, Restrictions::default()).unwrap();
        let outcome = explore(&problem, &Settings::default(), &Unattended).unwrap();
        assert_eq!(outcome.status, Status::Optimal, "{objective:?}");
    }
}
