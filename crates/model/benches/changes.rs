//! Measures the time of a change of one flow on 4 x 20 cores with 80 flows (`Load`).
//!
//! Run with `cargo bench -p numasim-model --bench changes`. The target is 1 us with local data and 3 us with
//! spread data, without allocation.

use divan::{AllocProfiler, Bencher};
use numasim_model::machine::{Machine, Node};
use numasim_model::sharing::{FlowId, FlowKey, Load, Network};
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Access, Demand, NodeId, Placement};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// The paper's server (section III-B) with half of its bandwidth and links of the given bandwidth.
fn network(link: f64) -> Network {
    let node = Node {
        cores: 20,
        gflops_per_core: Gflops::new(0.29),
        // So that its 20 threads are hungry, like those of most nodes.
        bandwidth: GigabytesPerSecond::new(50.0),
        ..Node::default()
    };
    let machine =
        Machine::uniform("4 x 20", 4, node, GigabytesPerSecond::new(link)).expect("a valid machine");
    Network::new(&machine)
}

/// 20 flows of one thread on each of 4 nodes, with different intensities; one of them then alternates between
/// one thread and half a thread.
fn change(bencher: Bencher, link: f64, placement: impl Fn(usize) -> Placement) {
    let network = network(link);
    let mut load = network.load();
    let mut flows: Vec<FlowId> = Vec::new();
    for flow in 0..80 {
        let intensity = FlopPerByte::new(1.0 / 32.0 + flow as f64 / 640.0);
        let demand = Demand::new(intensity, Access::Read, placement(flow));
        flows.extend(load.add(FlowKey(flow as u64), &demand, NodeId(flow % 4), 1.0));
    }
    load.solve();
    let mut half = false;
    bencher.bench_local(|| {
        half = !half;
        load.set_threads(flows[17], if half { 0.5 } else { 1.0 });
        load.solve();
        load.bandwidth(flows[17])
    });
}

#[divan::bench]
fn local(bencher: Bencher) {
    change(bencher, 10.0, |_| Placement::Local);
}

#[divan::bench]
fn one_home(bencher: Bencher) {
    change(bencher, 10.0, |flow| if flow % 4 == 1 { Placement::Home(NodeId(0)) } else { Placement::Local });
}

#[divan::bench]
fn a_quarter_interleaved(bencher: Bencher) {
    change(bencher, 12.0, |flow| if flow % 16 < 4 { Placement::Interleave } else { Placement::Local });
}

#[divan::bench]
fn all_interleaved(bencher: Bencher) {
    change(bencher, 12.0, |_| Placement::Interleave);
}

/// Every flow with its own fractions, of five kinds.
#[divan::bench]
fn all_with_fractions(bencher: Bencher) {
    change(bencher, 12.0, |flow| fractions(flow, 5));
}

/// The same without two flows with equal data placement.
#[divan::bench]
fn all_with_different_fractions(bencher: Bencher) {
    change(bencher, 12.0, |flow| fractions(flow, 83));
}

fn fractions(flow: usize, kinds: usize) -> Placement {
    let parts: Vec<f64> = (0..4).map(|m| 1.0 + ((flow * 7 + m * 3) % kinds) as f64).collect();
    let sum: f64 = parts.iter().sum();
    Placement::Fractions(parts.into_iter().map(|part| part / sum).collect())
}

/// One flow leaves and another one arrives, with `count` flows in total.
#[divan::bench(args = [8, 80, 800])]
fn a_flow_for_another(bencher: Bencher, count: usize) {
    let network = network(12.0);
    let mut load = network.load();
    let demand = |flow: usize| {
        let placement = if flow % 16 < 4 { Placement::Interleave } else { Placement::Local };
        Demand::new(FlopPerByte::new(1.0 / 32.0 + flow as f64 / 640.0), Access::Read, placement)
    };
    let add = |load: &mut Load<'_>, flow: usize, key: u64| {
        load.add(FlowKey(key), &demand(flow), NodeId(flow % 4), 80.0 / count as f64)
    };
    let mut flows: Vec<Option<FlowId>> = (0..count).map(|flow| add(&mut load, flow, flow as u64)).collect();
    let mut key = count;
    bencher.bench_local(|| {
        let flow = key % count;
        if let Some(old) = flows[flow] {
            load.remove(old);
        }
        flows[flow] = add(&mut load, flow, key as u64);
        key += 1;
        load.solve();
        flows[flow].map(|flow| load.bandwidth(flow))
    });
}
