//! Properties that the choice guarantees.

use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{Machine, ModelKind, Node};

use super::{SEPARATED, discriminate};

fn machine(nodes: usize, core_bandwidth: Option<f64>) -> Machine {
    let node = Node {
        cores: 8,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(32.0),
        core_bandwidth: core_bandwidth.map(GigabytesPerSecond::new),
        ..Node::default()
    };
    Machine::uniform("test", nodes, node, GigabytesPerSecond::new(10.0)).unwrap()
}

#[test]
fn every_separable_pair_is_separated() {
    let proposal = discriminate(&machine(4, Some(12.0)), 12).expect("possible scenarios");
    let difference = |a, b| proposal.pairs.iter().find(|pair| pair.models == [a, b]).unwrap().difference;
    assert!(difference(ModelKind::BaselineProportional, ModelKind::MaxMin) >= SEPARATED);
    assert!(difference(ModelKind::MaxMin, ModelKind::Proportional) >= SEPARATED);
    // A thread never wants more than the whole controller here: these two are the same model.
    assert!(difference(ModelKind::Proportional, ModelKind::RequestFraction) < 1e-9);
    assert_eq!(proposal.not_separated().count(), 1);
    assert!((2..=12).contains(&proposal.scenarios.len()), "{}", proposal.scenarios.len());
}

#[test]
fn the_difference_of_a_pair_comes_from_one_scenario() {
    let proposal = discriminate(&machine(2, None), 8).expect("possible scenarios");
    for (place, pair) in proposal.pairs.iter().enumerate() {
        let largest = proposal.scenarios.iter().map(|one| one.pairs[place].difference).fold(0.0, f64::max);
        assert_eq!(pair.difference, largest);
    }
}

#[test]
fn one_node_and_one_scenario_are_enough() {
    let proposal = discriminate(&machine(1, None), 1).expect("possible scenarios");
    assert_eq!(proposal.scenarios.len(), 1);
    let only = &proposal.scenarios[0];
    only.scenario.allocation.fits(&machine(1, None)).unwrap();
    assert_eq!(proposal.apps.len(), 2);
    assert!(only.pairs.iter().any(|pair| pair.difference >= SEPARATED));
}

#[test]
fn the_answer_is_reproducible() {
    let machine = machine(3, Some(12.0));
    assert_eq!(discriminate(&machine, 6), discriminate(&machine, 6));
}
