//! Flows that come, go and change, against the solver that knows them all from the beginning.

use super::*;
use crate::allocation::Allocation;
use crate::app::{Access, Placement};
use crate::ids::AppId;
use crate::machine::{KernelBandwidths, Node, SharedLink};
use crate::sharing::{Model, ModelKind, Parameter, Solver};
use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

const NODES: usize = 4;

fn machine(common_limits: bool) -> Machine {
    let node = |gbs: f64, reads: Option<f64>| Node {
        cores: 8,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(gbs),
        core_bandwidth: Some(GigabytesPerSecond::new(12.0)),
        read_bandwidth: reads.filter(|_| common_limits).map(GigabytesPerSecond::new),
        memory: None,
        kernels: KernelBandwidths {
            triad: Some(GigabytesPerSecond::new(0.7 * gbs)),
            copy: reads.map(|_| GigabytesPerSecond::new(22.0)),
            ..KernelBandwidths::NONE
        },
    };
    let nodes = vec![node(32.0, None), node(40.0, Some(30.0)), node(25.0, None), node(32.0, Some(20.0))];
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

/// Twelve applications, a third of them copies, a third triads; `spread`: some with data on several memories.
fn demands(spread: bool) -> Vec<Demand> {
    let placement = |a: usize| match a % 6 {
        0 | 3 => Placement::Local,
        1 => Placement::Home(NodeId(a % NODES)),
        2 if spread => Placement::Interleave,
        4 if spread => Placement::at_home(NodeId(a % NODES), 0.3),
        5 if spread => Placement::Fractions(vec![0.5, 0.25, 0.0, 0.25]),
        _ => Placement::Home(NodeId(0)),
    };
    let demand = |a: usize| Demand {
        arithmetic_intensity: FlopPerByte::new(0.25 * (1 + a % 5) as f64),
        kernel: Access::ALL[a % 3],
        placement: placement(a),
    };
    (0..12).map(demand).collect()
}

/// A small generator of numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

/// What the solver says of these counts, GB/s of one thread for each application and node.
fn solved(machine: &Machine, demands: &[Demand], counts: &[f64]) -> Table<f64> {
    let solver = Solver::new(machine, demands);
    let mut workspace = solver.workspace();
    solver.solve_fractional(counts, &mut workspace);
    workspace.bandwidth_per_thread().clone()
}

/// Random changes; after each, every flow has the rate that the solver gives it. `exact`: to the bit.
fn equals_the_solver(model: Model, spread: bool, common_limits: bool) {
    let machine = machine(common_limits).with_sharing(model);
    let demands = demands(spread);
    let exact = model.kind != ModelKind::MaxMin;
    let network = Network::new(&machine);
    let mut load = network.load();
    let mut dice = Dice(7);
    let mut flows: Table<Option<FlowId>> = Table::filled(demands.len(), NODES, None);
    let mut counts: Table<f64> = Table::filled(demands.len(), NODES, 0.0);
    for step in 0..400 {
        let (app, node) = (AppId(dice.below(12) as usize), NodeId(dice.below(4) as usize));
        let threads = f64::from(dice.below(5)) * if dice.below(3) == 0 { 0.375 } else { 0.5 };
        match flows[(app, node)] {
            None => {
                let key = FlowKey(app.0 as u64);
                flows[(app, node)] = load.add(key, &demands[app.0], node, threads);
                counts[(app, node)] = threads;
            }
            Some(flow) if dice.below(4) == 0 => {
                load.remove(flow);
                flows[(app, node)] = None;
                counts[(app, node)] = 0.0;
            }
            Some(flow) => {
                load.set_threads(flow, threads);
                counts[(app, node)] = threads;
            }
        }
        load.solve();
        let expected = solved(&machine, &demands, counts.as_slice());
        for (app, node, flow) in flows.iter() {
            let (Some(flow), true) = (flow, counts[(app, node)] > 0.0) else { continue };
            let (got, expected) = (load.bandwidth(*flow), expected[(app, node)]);
            let same = if exact { got == expected } else { (got - expected).abs() <= 1e-9 * expected.abs() };
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
fn common_limits_are_those_of_the_solver() {
    for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin] {
        equals_the_solver(kind.into(), true, true);
        equals_the_solver(kind.into(), false, true);
    }
}

#[test]
fn whole_counts_give_the_same_bits_as_threads() {
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
fn a_thread_for_half_of_the_time_takes_half_a_share() {
    // One node of 32 GB/s, two flows that want 12 for each thread: 2 and 1.5 threads want 42. Baseline 4 each: 14; 18 are left
    // for 28 still wanted: 4 + 8 x 18 / 28 = 9.142857 for each whole thread.
    let network_machine = machine(false);
    let network = Network::new(&network_machine);
    let mut load = network.load();
    let demand = Demand {
        arithmetic_intensity: FlopPerByte::new(0.5),
        kernel: Access::Read,
        placement: Placement::Local,
    };
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
