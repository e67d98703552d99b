//! Rates of tasks that come and go, compared with a new load.

use super::*;
use numasim_model::machine::{Machine, Node};
use numasim_model::sharing::{FlowId, FlowKey};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use std::collections::BTreeMap;

/// Three nodes with 8 cores of 10 GB/s each at most, 40 GB/s, links of 9.
fn machine() -> Machine {
    let node = Node {
        cores: 8,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(40.0),
        ..Node::default()
    };
    Machine::uniform("three", 3, node, GigabytesPerSecond::new(9.0)).expect("a machine")
}

/// A reader on one of 3 nodes: its demand and its fractions.
type Reading = (usize, f64, [f64; 3]);

/// The rates of a new load for each of these readings.
fn afresh(network: &Network, readings: &BTreeMap<u32, Reading>) -> BTreeMap<u32, f64> {
    let mut load = network.load();
    let add = |(&worker, &(node, want, fractions)): (&u32, &Reading)| {
        let flow = load.add_reader(FlowKey(u64::from(worker)), NodeId(node), 1.0, want, |m| fractions[m.0]);
        (worker, flow.expect("a node with cores"))
    };
    let flows: Vec<(u32, FlowId)> = readings.iter().map(add).collect();
    load.solve();
    flows.into_iter().map(|(worker, flow)| (worker, load.bandwidth(flow))).collect()
}

/// Tasks come and go for so long that classes and sets are kept, used again, forgotten, and not kept any more. `kinds`: number of
/// different tasks.
fn rates_are_those_of_the_model(kinds: u64) {
    let machine = machine();
    let network = Network::new(&machine);
    let mut flows = Flows::new(&network);
    let mut readings: BTreeMap<u32, Reading> = BTreeMap::new();
    let mut number = 5_u64;
    let mut below = |limit: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % limit
    };
    let mut now = SimTime::START;
    for step in 0..6000 {
        let idle = (0..24).find(|worker| !readings.contains_key(worker));
        if let Some(worker) = idle.filter(|_| below(2) == 0) {
            let kind = below(kinds);
            let third = kind % 7;
            let most = 1.0 - third as f64 / 16.0;
            let mut fractions = [0.0; 3];
            fractions[(kind % 3) as usize] = most;
            fractions[((kind + 1) % 3) as usize] += 1.0 - most;
            let reading = (worker as usize / 8, 2.0 + kind as f64 / 100.0, fractions);
            readings.insert(worker, reading);
            let gb = 1.0 + below(5) as f64;
            flows.join(now, WorkerId(worker), NodeId(reading.0), &fractions, (gb, reading.1));
        } else if flows.next_end() < SimTime::NEVER {
            now = flows.next_end();
            while let Some(WorkerId(worker)) = flows.pop_ended(now, now) {
                assert!(readings.remove(&worker).is_some());
            }
        }
        flows.solve(now);
        let members = |&class: &usize| flows.classes.get(class).map_or(0, |class| class.members.len());
        assert_eq!(flows.live.iter().map(members).sum::<usize>(), readings.len());
        if step % 7 > 0 {
            continue;
        }
        for (worker, rate) in afresh(&network, &readings) {
            let (node, want, fractions) = readings[&worker];
            let mut bits = vec![node as u64, want.to_bits()];
            bits.extend(fractions.iter().map(|fraction| fraction.to_bits()));
            let (number, is_known) = flows.classes.reach(&bits);
            let class = flows.classes.get(number).filter(|_| is_known).expect("a class");
            assert!((class.members.rate() - rate).abs() <= 1e-9 * rate, "step {step}");
        }
    }
}

#[test]
fn rates_are_those_of_the_model_where_tasks_are_like_others_before() {
    rates_are_those_of_the_model(2);
    rates_are_those_of_the_model(40);
}

#[test]
fn rates_are_those_of_the_model_where_no_task_is_like_another() {
    rates_are_those_of_the_model(1_000_000);
}
