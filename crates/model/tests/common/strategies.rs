//! Random machines, applications and allocations that fit, with emphasis on edge cases.

use numasim_model::machine::SharedLink;
use numasim_model::units::{FlopPerByte, Gflops, Gibibytes, GigabytesPerSecond};
use numasim_model::{
    Access, Allocation, AppId, Demand, KernelBandwidths, Machine, MixedBandwidths, Node, NodeId, OnNode,
    Placement, ThreadLimits, Traffic, deal,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Case, machine};

/// Log-uniform between two positive numbers: small and large ones are equally frequent.
pub(crate) fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..=high.ln()).prop_map(f64::exp)
}

/// A node with `cores` cores; one in four has a ceiling on the bandwidth of a core.
fn node(cores: impl Strategy<Value = u32>) -> impl Strategy<Value = Node> {
    let ceiling = prop::option::weighted(0.25, log_uniform(0.5, 50.0));
    // Two of three nodes have no kernel bandwidths; on the others each kernel may be faster or slower than
    // reads.
    let kernel = || prop::option::weighted(0.6, 0.3..1.25_f64);
    let kernels = prop::option::weighted(0.35, (kernel(), kernel(), kernel(), kernel()));
    (cores, log_uniform(0.1, 100.0), log_uniform(1.0, 200.0), ceiling, kernels).prop_map(
        |(cores, peak, bandwidth, ceiling, kernels)| Node {
            cores,
            gflops_per_core: Gflops::new(if cores > 0 { peak } else { 0.0 }),
            bandwidth: GigabytesPerSecond::new(bandwidth),
            core_bandwidth: ceiling.map(GigabytesPerSecond::new),
            kernels: kernels.map_or(KernelBandwidths::NONE, |(copy, triad, update, mixed)| {
                let gbs = |part: Option<f64>| part.map(|part| GigabytesPerSecond::new(part * bandwidth));
                let points = |part| MixedBandwidths::new(&[(0.0, 0.9 * bandwidth), (0.4, part * bandwidth)]);
                KernelBandwidths {
                    copy: gbs(copy),
                    triad: gbs(triad),
                    update: gbs(update),
                    mixed: mixed.and_then(points),
                }
            }),
            ..Node::default()
        },
    )
}

/// Links from much slower than a controller to faster than any.
fn link() -> impl Strategy<Value = f64> {
    log_uniform(0.2, 400.0)
}

fn uniform_machine(nodes: usize) -> impl Strategy<Value = Machine> {
    (node(1..=8_u32), link()).prop_map(move |(node, link)| {
        machine(vec![node; nodes], |from, memory| (from != memory).then_some(link))
    })
}

/// Different nodes, some of them memory-only, some without memory, and a full matrix of links.
fn matrix_machine(nodes: usize) -> impl Strategy<Value = Machine> {
    let cores = prop_oneof![1 => Just(0_u32), 1 => Just(1), 4 => 2..=8_u32];
    let without = prop_oneof![3 => Just(0_u32), 1 => 1..1024_u32];
    (vec(node(cores), nodes), node(1..=8_u32), 0..nodes, vec(link(), nodes * nodes), without).prop_map(
        move |(mut list, with_cores, i, links, without)| {
            if list.iter().all(|node| node.cores == 0) {
                list[i] = with_cores;
            }
            // Cores without memory, except on node i.
            for (n, node) in list.iter_mut().enumerate().filter(|(n, node)| *n != i && node.cores > 0) {
                node.memory = (without >> n & 1 > 0).then_some(Gibibytes::new(0.0));
            }
            machine(list, |from, memory| (from != memory).then(|| links[from.0 * nodes + memory.0]))
        },
    )
}

fn machine_of(nodes: usize) -> impl Strategy<Value = Machine> {
    prop_oneof![1 => uniform_machine(nodes), 2 => matrix_machine(nodes)]
}

/// Fractions from small whole weights: often 0, never so small that only rounding errors remain.
fn fractions(nodes: usize) -> impl Strategy<Value = Vec<f64>> {
    (vec(0..=4_u32, nodes), 0..nodes).prop_map(|(mut weights, i)| {
        if weights.iter().all(|&weight| weight == 0) {
            weights[i] = 1;
        }
        let sum: u32 = weights.iter().sum();
        weights.iter().map(|&weight| f64::from(weight) / f64::from(sum)).collect()
    })
}

pub(crate) fn placement(nodes: usize) -> impl Strategy<Value = Placement> {
    prop_oneof![
        Just(Placement::Local),
        (0..nodes).prop_map(|home| Placement::Home(NodeId(home))),
        Just(Placement::Interleave),
        fractions(nodes).prop_map(Placement::Fractions),
        (0..nodes, 0.05..0.95_f64).prop_map(|(home, share)| Placement::at_home(NodeId(home), share)),
        (0.05..0.95_f64).prop_map(Placement::interleaved),
        Just(Placement::Replicated),
    ]
}

/// The demands with their data on nodes of `machine` with memory: data on a node without memory moves to the
/// nearest one.
fn on_memories(machine: &Machine, mut demands: Vec<Demand>) -> Vec<Demand> {
    for demand in &mut demands {
        match &mut demand.placement {
            Placement::Home(home) | Placement::PartHome { home, .. } => *home = machine.local_memory(*home),
            Placement::Fractions(parts) => {
                for node in machine.node_ids() {
                    let part = std::mem::take(&mut parts[node.0]);
                    let memory = &mut parts[machine.local_memory(node).0];
                    // Sums of thirds and tenths may exceed 1 by rounding, which no fraction may.
                    *memory = (*memory + part).min(1.0);
                }
            }
            Placement::Local
            | Placement::Interleave
            | Placement::PartInterleave { .. }
            | Placement::Replicated => {}
        }
    }
    demands
}

fn demand(nodes: usize) -> impl Strategy<Value = Demand> {
    let kernel = prop::sample::select(&Access::ALL[..]).prop_map(Traffic::Kernel);
    let traffic = prop_oneof![3 => kernel, 1 => (0.01..=1.0_f64).prop_map(Traffic::Mixed)];
    let overhead = prop_oneof![4 => Just(0.0), 1 => 0.01..1.0_f64];
    (log_uniform(1.0 / 64.0, 64.0), traffic, placement(nodes), limits(), overhead).prop_map(
        |(intensity, traffic, placement, limits, node_overhead)| Demand {
            limits,
            node_overhead,
            ..Demand::new(FlopPerByte::new(intensity), traffic, placement)
        },
    )
}

/// Half of all threads have their own limits; some do not count FLOP.
fn limits() -> impl Strategy<Value = ThreadLimits> {
    let gflops = prop::option::weighted(0.5, log_uniform(0.1, 100.0));
    let speedup = prop::option::weighted(0.2, 1.0..2.0);
    let limits = (gflops, log_uniform(0.1, 50.0), any::<bool>(), prop::bool::weighted(0.2), speedup);
    prop::option::weighted(0.5, limits).prop_map(|limits| {
        let Some((gflops, gbs, is_limited, no_flop, speedup)) = limits else {
            return ThreadLimits::default();
        };
        ThreadLimits {
            gflops: gflops.filter(|_| !no_flop).map(Gflops::new),
            bandwidth: (is_limited || no_flop).then_some(GigabytesPerSecond::new(gbs)),
            no_flop,
            speedup,
        }
    })
}

/// The application of each thread on one node: no threads, a single thread, some, all cores, all cores of one
/// application.
fn residents(apps: usize, cores: usize) -> BoxedStrategy<Vec<usize>> {
    if cores == 0 {
        return Just(Vec::new()).boxed();
    }
    prop_oneof![
        1 => Just(Vec::new()),
        1 => vec(0..apps, 1),
        3 => vec(0..apps, 0..=cores),
        3 => vec(0..apps, cores),
        1 => (0..apps).prop_map(move |app| vec![app; cores]),
    ]
    .boxed()
}

fn allocation(apps: usize, machine: &Machine) -> impl Strategy<Value = Allocation> + use<> {
    let nodes: Vec<_> = machine.nodes().iter().map(|node| residents(apps, node.cores as usize)).collect();
    nodes.prop_map(move |residents| {
        let mut allocation = Allocation::empty(apps, residents.len());
        for (n, residents) in residents.iter().enumerate() {
            for &app in residents {
                let threads = allocation.get(AppId(app), NodeId(n));
                allocation.set(AppId(app), NodeId(n), threads + 1);
            }
        }
        allocation
    })
}

/// A case on a machine with that many nodes.
pub(crate) fn case_of(nodes: impl Strategy<Value = usize>) -> impl Strategy<Value = Case> {
    (nodes, 1..=5_usize)
        .prop_flat_map(|(nodes, apps)| (machine_of(nodes), vec(demand(nodes), apps)))
        .prop_flat_map(|(machine, demands)| {
            let demands = on_memories(&machine, demands);
            let allocation = allocation(demands.len(), &machine);
            (Just(machine), Just(demands), allocation)
        })
        .prop_map(|(machine, demands, allocation)| Case { machine, demands, allocation })
}

/// Many applications with few placements on nodes with many cores, so that several have equal data placement
/// on each node.
pub(crate) fn case_with_data_alike() -> impl Strategy<Value = Case> {
    let alike = |nodes: usize| {
        let intensity = || log_uniform(1.0 / 64.0, 8.0);
        let apps = (vec(placement(nodes), 1..=3), vec((intensity(), any::<prop::sample::Index>()), 4..=12));
        let demands = apps.prop_map(|(placements, apps)| {
            let demand = |(intensity, which): &(f64, prop::sample::Index)| {
                Demand::new(
                    FlopPerByte::new(*intensity),
                    Access::ALL[which.index(3)],
                    which.get(&placements).clone(),
                )
            };
            apps.iter().map(demand).collect::<Vec<_>>()
        });
        let machine = vec(node(4..=24_u32), nodes).prop_flat_map(move |list| {
            let links = vec(link(), nodes * nodes);
            (Just(list), links).prop_map(move |(list, links)| {
                machine(list, |from, memory| (from != memory).then(|| links[from.0 * nodes + memory.0]))
            })
        });
        (machine, demands)
    };
    (2..=6_usize).prop_flat_map(alike).prop_flat_map(|(machine, demands)| {
        let allocation = allocation(demands.len(), &machine);
        (Just(machine), Just(demands), allocation).prop_map(|(machine, demands, allocation)| Case {
            machine,
            demands,
            allocation,
        })
    })
}

/// One or two shared links between random groups of nodes, and read limits of some nodes.
pub(crate) fn case_with_common_limits() -> impl Strategy<Value = Case> {
    case_of(2..=5_usize).prop_flat_map(|case| {
        let nodes = case.machine.node_count();
        // Each node is in the first group, in the second one, or in none.
        let groups = vec(0..3_usize, nodes).prop_map(|sides| {
            let side = |s: usize| (0..sides.len()).filter(|&n| sides[n] == s).map(NodeId).collect::<Vec<_>>();
            (side(0), side(1))
        });
        let link = (groups, log_uniform(0.5, 200.0), any::<bool>());
        let reads = vec(prop::option::weighted(0.4, log_uniform(0.5, 200.0)), nodes);
        (Just(case), vec(link, 0..=2), reads).prop_map(|(case, shared, reads)| {
            let mut list = case.machine.nodes().to_vec();
            for (node, limit) in list.iter_mut().zip(reads) {
                node.read_bandwidth = limit.map(GigabytesPerSecond::new);
            }
            let shared = shared
                .into_iter()
                .enumerate()
                .filter(|(_, ((from, to), ..))| !from.is_empty() && !to.is_empty());
            let shared = shared.map(|(i, ((from, to), gbs, both_ways))| SharedLink {
                name: format!("shared {i}"),
                bandwidth: GigabytesPerSecond::new(gbs),
                from,
                to,
                both_ways,
            });
            let limited = case.on(list, super::links(&case.machine));
            limited.sharing(limited.machine.clone(), shared.collect())
        })
    })
}

/// A case on a machine with 1 to 5 nodes.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    case_of(1..=5_usize)
}

/// 0 to `count` - 1 in any order.
pub(crate) fn order(count: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..count).collect::<Vec<_>>()).prop_shuffle()
}

/// The same with threads that the read limit of their L3 domain may slow down.
pub(crate) fn case_with_domains() -> impl Strategy<Value = Case> {
    case_with_common_limits().prop_flat_map(|case| {
        let nodes = case.machine.node_count();
        let domain = (any::<prop::sample::Index>(), prop::option::weighted(0.7, log_uniform(0.5, 100.0)));
        (Just(case), vec(domain, nodes), any::<bool>()).prop_map(|(case, domains, pack)| {
            let mut list = case.machine.nodes().to_vec();
            for (node, (which, limit)) in list.iter_mut().zip(domains) {
                let divisors: Vec<u32> = (1..=node.cores).filter(|l3| node.cores % l3 == 0).collect();
                node.cores_per_l3 = (!divisors.is_empty()).then(|| divisors[which.index(divisors.len())]);
                node.l3_bandwidth = limit.map(GigabytesPerSecond::new);
            }
            let case = case.on(list, super::links(&case.machine));
            let on_nodes = |app| case.allocation.row(app).iter().copied().map(OnNode::Threads).collect();
            let numbers: Vec<Vec<OnNode>> = case.apps().map(on_nodes).collect();
            let dealt = deal(&case.machine, &numbers, pack);
            let allocation = Allocation::from_domains(dealt).expect("as many nodes");
            Case { allocation, ..case }
        })
    })
}
