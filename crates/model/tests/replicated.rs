//! Replicated data: hand tests L and B of the specification, and the effect of copies on shared resources.

use numasim_model::sharing::Solver;
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{
    Allocation, App, Data, DataWord, Demand, Evaluation, Machine, MixedBandwidths, ModelKind, Node,
    Placement, Traffic, evaluate,
};

/// Two nodes x 16 cores with 1000 GFLOPS, 200 GB/s, a core 30, L3 domains of 8 cores 50 GB/s; links of 20 GB/s.
fn machine() -> Machine {
    let node = Node {
        cores: 16,
        gflops_per_core: Gflops::new(1000.0),
        bandwidth: GigabytesPerSecond::new(200.0),
        core_bandwidth: Some(GigabytesPerSecond::new(30.0)),
        cores_per_l3: Some(8),
        l3_bandwidth: Some(GigabytesPerSecond::new(50.0)),
        ..Node::default()
    };
    Machine::uniform("two nodes", 2, node, GigabytesPerSecond::new(20.0)).expect("a machine")
}

fn app(write_share: f64) -> App {
    App { write_share, ..App::new("a", FlopPerByte::new(1.0), Data::Placed(Placement::Replicated)) }
}

/// These numbers of threads in each L3 domain of each node.
fn evaluated(machine: &Machine, write_share: f64, domains: [[u32; 2]; 2]) -> Evaluation {
    let allocation = Allocation::from_domains(vec![domains.map(Vec::from).to_vec()]).expect("rows");
    evaluate(machine, &[app(write_share)], &[Placement::Replicated], &allocation).expect("an evaluation")
}

#[track_caller]
fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-9 * expected.max(1.0), "{got} and not {expected}");
}

#[test]
fn copies_without_writes_are_local_data() {
    // Hand test L: a domain reads 50.
    let read = evaluated(&machine(), 0.0, [[2, 2], [2, 2]]);
    assert_near(read.total.value(), 200.0);
    assert_near(read.nodes[0].remote.value(), 0.0);
}

#[test]
fn writes_go_to_the_copies_of_all_nodes_with_threads() {
    for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin] {
        let machine = machine().with_sharing(kind.into());
        // Hand test L: a thread moves 20 GB/s and writes 5 more on the other node: domains 2 x 25, memories 4 x 20 + 20.
        let quarter = evaluated(&machine, 0.25, [[2, 2], [2, 2]]);
        assert_near(quarter.total.value(), 160.0);
        assert_near(quarter.apps[0].bandwidth.value(), 160.0);
        for node in &quarter.nodes {
            assert_near(node.bandwidth.value(), 100.0);
            assert_near(node.remote.value(), 20.0);
        }
        assert!(quarter.domains.iter().all(|domain| (domain.bandwidth.value() - 50.0).abs() < 1e-6));
        // Four threads write 20 GB/s over a link: 10 each.
        assert_near(evaluated(&machine, 0.5, [[2, 2], [2, 2]]).total.value(), 80.0);
        // On one node there is one copy.
        assert_near(evaluated(&machine, 0.5, [[2, 2], [0, 0]]).total.value(), 100.0);
    }
}

#[test]
fn under_ecm_each_copy_is_one_more_queue() {
    let machine = machine().with_sharing(ModelKind::Ecm.into());
    let [one, both] =
        [[[2, 2], [0, 0]], [[2, 2], [2, 2]]].map(|domains| evaluated(&machine, 0.5, domains).total.value());
    assert!(both < one && both <= 80.0, "{both} and {one}");
    assert_near(evaluated(&machine, 0.0, [[2, 2], [0, 0]]).total.value(), {
        let local = App { data: Data::Placed(Placement::Local), ..app(0.0) };
        let allocation = Allocation::from_domains(vec![vec![vec![2, 2], vec![0, 0]]]).expect("rows");
        evaluate(&machine, &[local], &[Placement::Local], &allocation).expect("an evaluation").total.value()
    });
}

#[test]
fn every_copy_counts_with_the_factor_of_its_memory() {
    // One GB/s with half of it written consumes 100 / 80 of a memory of 100 GB/s. A thread alone on each of
    // two nodes with links of 100 requests 30: local memory 30 x 1.25, and 15 x 1.25 from the other: moved
    // 45, consumed 56.25.
    let mixed = MixedBandwidths::new(&[(0.0, 100.0), (0.5, 80.0)]);
    let mut node = Node {
        cores: 2,
        gflops_per_core: Gflops::new(1000.0),
        bandwidth: GigabytesPerSecond::new(100.0),
        core_bandwidth: Some(GigabytesPerSecond::new(30.0)),
        ..Node::default()
    };
    node.kernels.mixed = mixed;
    let machine = Machine::uniform("mixed", 2, node, GigabytesPerSecond::new(100.0)).expect("a machine");
    let allocation = Allocation::from_rows(&[vec![1, 1]]).expect("a row");
    let found =
        evaluate(&machine, &[app(0.5)], &[Placement::Replicated], &allocation).expect("an evaluation");
    assert_near(found.total.value(), 60.0);
    assert_near(found.nodes[0].bandwidth.value(), 45.0);
    assert_near(found.nodes[0].occupied.value(), 56.25);
    assert_near(found.links[0].bandwidth.value(), 15.0);
}

#[test]
fn one_solver_answers_for_every_set_of_nodes_in_any_order() {
    let machine = machine();
    let open = Demand::new(FlopPerByte::new(1.0), Traffic::Mixed(0.5), Placement::Replicated);
    let solver = Solver::new(&machine, &[open]);
    let mut workspace = solver.workspace();
    let both = [[2, 2], [2, 2]];
    for (domains, gflops) in [(both, 80.0), ([[2, 2], [0, 0]], 100.0), (both, 80.0), ([[0, 0], [1, 0]], 30.0)]
    {
        let allocation = Allocation::from_domains(vec![domains.map(Vec::from).to_vec()]).expect("rows");
        solver.solve_changes(allocation.rows(&machine).as_slice(), &mut workspace);
        assert_near(workspace.gflops()[0], gflops);
    }
}

#[test]
fn each_word_has_its_placement() {
    for word in DataWord::ALL {
        assert_eq!(word.placement().word(), Some(word));
        assert_eq!(word.placement().to_string(), word.as_str());
    }
    assert_eq!(Placement::PartInterleave { share: 0.5 }.word(), None);
}
