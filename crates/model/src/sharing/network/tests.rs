//! Flows that come, go and change, compared with the solver, which knows all flows from the start.

use std::collections::HashMap;

use super::*;
use crate::allocation::Allocation;
use crate::app::{Access, Placement};
use crate::ids::AppId;
use crate::machine::{KernelBandwidths, Node, SharedLink};
use crate::sharing::{Model, ModelKind, Parameter, Solver};
use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

const NODES: usize = 4;

fn machine(common_limits: bool) -> Machine {
    slower_machine(common_limits, [1.0; NODES])
}

/// The same machine with the cores of each node at this fraction of their speed.
fn slower_machine(common_limits: bool, speeds: [f64; NODES]) -> Machine {
    let node = |(&(gbs, reads), speed): (&(f64, Option<f64>), f64)| Node {
        cores: 8,
        gflops_per_core: Gflops::new(10.0 * speed),
        bandwidth: GigabytesPerSecond::new(gbs),
        core_bandwidth: Some(GigabytesPerSecond::new(12.0 * speed)),
        read_bandwidth: reads.filter(|_| common_limits).map(GigabytesPerSecond::new),
        kernels: KernelBandwidths {
            triad: Some(GigabytesPerSecond::new(0.7 * gbs)),
            copy: reads.map(|_| GigabytesPerSecond::new(22.0)),
            ..KernelBandwidths::NONE
        },
        ..Node::default()
    };
    let nodes = [(32.0, None), (40.0, Some(30.0)), (25.0, None), (32.0, Some(20.0))];
    let nodes = nodes.iter().zip(speeds).map(node).collect();
    let links = (0..NODES * NODES).map(|pair| GigabytesPerSecond::new(6.0 + pair as f64)).collect();
    let machine = Machine::new("four", nodes, links).expect("a sound machine");
    if !common_limits {
        return machine;
    }
    let shared = SharedLink {
        name: "xGMI".to_owned(),
        bandwidth: GigabytesPerSecond::new(15.0),
        from: vec![NodeId(0), NodeId(1)],
        to: vec![NodeId(2), NodeId(3)],
        both_ways: true,
    };
    machine.with_shared_links(vec![shared]).expect("two groups")
}

/// Twelve applications, a third of them copy kernels, a third triads; `spread`: some with data on several
/// memories.
fn demands(spread: bool) -> Vec<Demand> {
    let placement = |a: usize| match a % 6 {
        0 | 3 => Placement::Local,
        1 => Placement::Home(NodeId(a % NODES)),
        2 if spread => Placement::Interleave,
        4 if spread => Placement::at_home(NodeId(a % NODES), 0.3),
        5 if spread => Placement::Fractions(vec![0.5, 0.25, 0.0, 0.25]),
        _ => Placement::Home(NodeId(0)),
    };
    let demand =
        |a: usize| Demand::new(FlopPerByte::new(0.25 * (1 + a % 5) as f64), Access::ALL[a % 3], placement(a));
    (0..12).map(demand).collect()
}

/// A small deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

/// The solver's answer for these counts, GB/s of one thread for each application and node.
fn solved(machine: &Machine, demands: &[Demand], counts: &[f64]) -> Table<f64> {
    let solver = Solver::new(machine, demands);
    let mut workspace = solver.workspace();
    solver.solve_fractional(counts, &mut workspace);
    workspace.bandwidth_per_thread().clone()
}

/// Makes random changes; after each, every flow has the rate of the solver: to the bit, except under max-min.
fn equals_the_solver(model: Model, spread: bool, common_limits: bool) {
    let apart = if model.kind == ModelKind::MaxMin { 1e-9 } else { 0.0 };
    stays_close_to_the_solver(model, spread, common_limits, apart, false);
}

/// The same up to a relative difference `apart`; `near`: each answer starts near the previous one.
fn stays_close_to_the_solver(model: Model, spread: bool, common_limits: bool, apart: f64, near: bool) {
    let machine = machine(common_limits).with_sharing(model);
    let demands = demands(spread);
    let network = Network::new(&machine);
    let load = network.load();
    let mut load = if near { load.beginning_near() } else { load };
    let mut dice = Dice(7);
    let mut flows: Table<Option<FlowId>> = Table::filled(demands.len(), NODES, None);
    let mut counts: Table<f64> = Table::filled(demands.len(), NODES, 0.0);
    // Powers of two, so that the demand of a slower core has the same bits. `told`: the last rate that the
    // load reported for each flow.
    let mut told = HashMap::new();
    let mut speeds = [1.0; NODES];
    let mut slower = machine.clone();
    for step in 0..400 {
        let (app, node) = (AppId(dice.below(12) as usize), NodeId(dice.below(4) as usize));
        let threads = f64::from(dice.below(5)) * if dice.below(3) == 0 { 0.375 } else { 0.5 };
        match flows[(app, node)] {
            None => {
                let key = FlowKey(app.0 as u64);
                let flow = load.add(key, &demands[app.0], node, threads);
                if let Some(flow) = flow {
                    load.set_efficiency(flow, speeds[node.0]);
                }
                flows[(app, node)] = flow;
                counts[(app, node)] = threads;
            }
            Some(flow) if dice.below(4) == 0 => {
                load.remove(flow);
                told.remove(&flow);
                flows[(app, node)] = None;
                counts[(app, node)] = 0.0;
            }
            Some(flow) => {
                load.set_threads(flow, threads);
                counts[(app, node)] = threads;
            }
        }
        if dice.below(8) == 0 {
            speeds[node.0] = 1.0 / f64::from(1 << dice.below(3));
            for flow in (0..demands.len()).filter_map(|app| flows[(AppId(app), node)]) {
                load.set_efficiency(flow, speeds[node.0]);
            }
            slower = slower_machine(common_limits, speeds).with_sharing(model);
        }
        load.solve_telling(|flow, rate| {
            told.insert(flow, rate);
        });
        for flow in flows.as_slice().iter().flatten() {
            assert_eq!(told.get(flow), Some(&load.bandwidth(*flow)), "step {step}");
        }
        let expected = solved(&slower, &demands, counts.as_slice());
        for (app, node, flow) in flows.iter() {
            let (Some(flow), true) = (flow, counts[(app, node)] > 0.0) else { continue };
            let (got, expected) = (load.bandwidth(*flow), expected[(app, node)]);
            let same = (got - expected).abs() <= apart * expected.abs();
            assert!(same, "step {step}, {}: {got} of {expected} for {app:?} on {node}", model.in_words());
        }
    }
    assert_eq!(load.len(), flows.iter().filter(|(_, _, flow)| flow.is_some()).count());
}

fn models() -> Vec<Model> {
    let plain = ModelKind::ALL.map(Model::from);
    let soft = ModelKind::ALL.map(|kind| {
        let model = Model::from(kind).with(Parameter::RemoteLoss, 0.2).expect("in range");
        let model = model.with(Parameter::EcmPenalty, 0.4).expect("in range");
        model.with(Parameter::SaturationKnee, 0.1).expect("in range")
    });
    [plain, soft].concat()
}

#[test]
fn flows_that_read_one_memory_have_the_rates_of_the_solver() {
    for model in models() {
        equals_the_solver(model, false, false);
    }
}

#[test]
fn flows_with_spread_data_have_the_rates_of_the_solver() {
    for model in models() {
        equals_the_solver(model, true, false);
    }
}

#[test]
fn answers_near_the_previous_one_are_close_to_the_solver() {
    for model in models().into_iter().filter(|model| model.kind == ModelKind::Ecm) {
        for (spread, common_limits) in [(false, false), (true, false), (true, true), (false, true)] {
            stays_close_to_the_solver(model, spread, common_limits, 1e-10, true);
        }
    }
}

#[test]
fn common_limits_give_the_rates_of_the_solver() {
    for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin] {
        equals_the_solver(kind.into(), true, true);
        equals_the_solver(kind.into(), false, true);
    }
}

#[test]
fn whole_fractional_counts_give_the_same_bits_as_threads() {
    let (machine, demands) = (machine(false), demands(true));
    let mut allocation = Allocation::empty(demands.len(), NODES);
    let mut counts: Table<f64> = Table::filled(demands.len(), NODES, 0.0);
    for (a, threads) in [1, 2, 3, 1, 2, 3, 1, 2].into_iter().enumerate() {
        allocation.set(AppId(a), NodeId(a % NODES), threads);
        counts[(AppId(a), NodeId(a % NODES))] = f64::from(threads);
    }
    let solver = Solver::new(&machine, &demands);
    let mut workspace = solver.workspace();
    solver.solve(allocation.as_slice(), &mut workspace);
    assert_eq!(*workspace.bandwidth_per_thread(), solved(&machine, &demands, counts.as_slice()));
}

#[test]
fn a_slower_core_requests_less_and_leaves_it_to_others() {
    // One node of 32 GB/s; two flows of two threads that request 12 each. One flow at 0.7: 2 x 12 + 2 x 8.4 =
    // 40.8 of 32. Baseline 4 each: 16. 16 are left for a remaining demand of 24.8: 4 + 8 x 16 / 24.8 and 4 +
    // 4.4 x 16 / 24.8. At 0.25 the flow requests 3, and 2 x 12 + 2 x 3 = 30 of 32 are available.
    let network_machine = machine(false);
    let network = Network::new(&network_machine);
    let mut load = network.load();
    let demand = Demand::new(FlopPerByte::new(0.5), Access::Read, Placement::Local);
    let flows = [0, 1].map(|key| load.add(FlowKey(key), &demand, NodeId(0), 2.0).expect("a node with cores"));
    load.solve();
    let before = flows.map(|flow| load.bandwidth(flow).to_bits());
    load.set_efficiency(flows[1], 0.7);
    load.solve();
    assert!((load.bandwidth(flows[0]) - (4.0 + 8.0 * 16.0 / 24.8)).abs() < 1e-12);
    assert!((load.bandwidth(flows[1]) - (4.0 + 4.4 * 16.0 / 24.8)).abs() < 1e-12);
    load.set_efficiency(flows[1], 0.25);
    load.solve();
    assert_eq!(flows.map(|flow| load.bandwidth(flow)), [12.0, 3.0]);
    load.set_efficiency(flows[1], 1.0);
    load.solve();
    assert_eq!(flows.map(|flow| load.bandwidth(flow).to_bits()), before);
}

#[test]
fn a_slower_core_has_a_lower_peak() {
    // 10 GFLOPS / 4 = 2.5 GB/s at full speed; at 0.3, 3 GFLOPS with 0.75 GB/s. The next flow has a whole
    // core.
    let network_machine = machine(false);
    let network = Network::new(&network_machine);
    let mut load = network.load();
    let demand = Demand::new(FlopPerByte::new(4.0), Access::Read, Placement::Interleave);
    let flow = load.add(FlowKey(0), &demand, NodeId(0), 1.0).expect("a node with cores");
    load.set_efficiency(flow, 0.3);
    load.solve();
    assert_eq!((load.bandwidth(flow), load.gflops(flow)), (0.75, 3.0));
    load.remove(flow);
    load.set_efficiency(flow, 0.5);
    let next = load.add(FlowKey(1), &demand, NodeId(0), 1.0).expect("a node with cores");
    load.solve();
    assert_eq!((load.bandwidth(next), load.gflops(next)), (2.5, 10.0));
}

#[test]
fn a_thread_for_half_of_the_time_gets_half_a_share() {
    // One node of 32 GB/s, two flows that request 12 per thread: 2 and 1.5 threads request 42. Baseline 4
    // each: 14. 18 are left for a remaining demand of 28: 4 + 8 x 18 / 28 = 9.142857 for each whole thread.
    let network_machine = machine(false);
    let network = Network::new(&network_machine);
    let mut load = network.load();
    let demand = Demand::new(FlopPerByte::new(0.5), Access::Read, Placement::Local);
    let whole = load.add(FlowKey(0), &demand, NodeId(0), 2.0).expect("a node with cores");
    let part = load.add(FlowKey(1), &demand, NodeId(0), 1.5).expect("a node with cores");
    load.solve();
    for flow in [whole, part] {
        assert!((load.bandwidth(flow) - (4.0 + 8.0 * 18.0 / 28.0)).abs() < 1e-12);
        assert!((load.gflops(flow) - 0.5 * load.bandwidth(flow)).abs() < 1e-12);
    }
    load.remove(part);
    load.solve();
    assert_eq!((load.bandwidth(whole), load.bandwidth(part), load.len()), (12.0, 0.0, 1));
    assert_eq!(load.add(FlowKey(2), &demand, NodeId(NODES), 1.0), None);
}

mod wants {
    use super::super::*;
    use crate::machine::{Machine, Node};
    use crate::sharing_model::{Model, Parameters};
    use crate::units::{Gflops, GigabytesPerSecond};

    /// Two nodes of 20 GB/s, 10 GFLOPS per core, a link of 5 GB/s, 100 and 200 ns.
    fn machine(core_gbs: Option<f64>, outstanding_lines: Option<f64>) -> Machine {
        let node = Node {
            cores: 2,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(20.0),
            core_bandwidth: core_gbs.map(GigabytesPerSecond::new),
            ..Node::default()
        };
        let parameters = Parameters { outstanding_lines, ..Parameters::default() };
        Machine::uniform("two", 2, node, GigabytesPerSecond::new(5.0))
            .and_then(|machine| machine.with_latencies_ns(vec![100.0, 200.0, 200.0, 100.0]))
            .expect("a machine")
            .with_sharing(Model { parameters, ..Model::default() })
    }

    fn half(_: NodeId) -> f64 {
        0.5
    }

    #[test]
    fn a_reader_requests_the_least_that_its_core_and_its_lines_allow() {
        let want =
            |machine: &Machine, flop_per_byte| Network::new(machine).want_gbs(NodeId(0), flop_per_byte, half);
        // 10 GFLOPS at 4 FLOP per byte: 2.5. At 0.5 it would be 20, but the core is limited to 8. 6 lines of
        // 64 B at the mean of 100 and 200 ns: 2.56.
        assert_eq!(want(&machine(None, None), 4.0), Some(2.5));
        assert_eq!(want(&machine(Some(8.0), None), 0.5), Some(8.0));
        assert_eq!(want(&machine(Some(8.0), Some(6.0)), 0.5), Some(2.56));
        assert_eq!(want(&machine(None, None), 0.0), None);
    }

    #[test]
    fn alone_a_thread_is_limited_by_the_slowest_memory_or_link() {
        // Half over the link of 5: 10 in total. All in local memory: 20.
        let machine = machine(None, None);
        let network = Network::new(&machine);
        assert_eq!(network.alone_gbs(NodeId(0), half), 10.0);
        assert_eq!(network.alone_gbs(NodeId(0), |memory| if memory == NodeId(0) { 1.0 } else { 0.0 }), 20.0);
    }
}
