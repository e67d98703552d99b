//! The reference solver compared with calculations by hand.

use super::*;
use crate::allocation::TooManyThreads;
use crate::app::{Access, Placement};
use crate::machine::{Node, SharedLink};
use crate::sharing::invariants;
use crate::units::FlopPerByte;

fn node(cores: u32, gflops_per_core: f64, bandwidth_gbs: f64) -> Node {
    Node {
        cores,
        gflops_per_core: Gflops::new(gflops_per_core),
        bandwidth: GigabytesPerSecond::new(bandwidth_gbs),
        ..Node::default()
    }
}

#[allow(clippy::large_types_passed_by_value, reason = "a literal at each call")]
fn uniform(nodes: usize, node: Node, link_gbs: f64) -> Machine {
    Machine::uniform("uniform", nodes, node, GigabytesPerSecond::new(link_gbs)).expect("a sound machine")
}

fn demand(arithmetic_intensity: f64, placement: Placement) -> Demand {
    Demand::new(FlopPerByte::new(arithmetic_intensity), Access::Read, placement)
}

/// Three memory-bound applications with local data, and a fourth one.
fn three_and(mem_intensity: f64, fourth: Demand) -> Vec<Demand> {
    let mem = demand(mem_intensity, Placement::Local);
    vec![mem.clone(), mem.clone(), mem, fourth]
}

fn threads(rows: &[Vec<u32>]) -> Allocation {
    Allocation::from_rows(rows).expect("rows of equal length")
}

/// The same numbers of threads of each application on each of 4 nodes.
fn on_every_node(counts: [u32; 4]) -> Allocation {
    threads(&counts.map(|count| vec![count; 4]))
}

/// Application a has all `cores` of node a.
fn one_app_per_node(cores: u32) -> Allocation {
    let mut allocation = Allocation::empty(4, 4);
    (0..4).for_each(|i| allocation.set(AppId(i), NodeId(i), cores));
    allocation
}

/// Solves the question and checks every property of the answer.
fn solved(machine: &Machine, demands: &[Demand], allocation: &Allocation) -> ReferenceOutcome {
    let outcome = solve(machine, demands, allocation).expect("an allocation that fits");
    let promised = match machine.sharing().kind {
        ModelKind::RemoteFirst => invariants::of_remote_first,
        _ => invariants::of_default,
    };
    assert_eq!(promised(&outcome.grants(machine)), Ok(()));
    outcome
}

fn bandwidth(outcome: &ReferenceOutcome, app: usize, node: usize) -> f64 {
    outcome.thread_bandwidth[app][node].expect("a thread").value()
}

fn gflops(outcome: &ReferenceOutcome, app: usize, node: usize) -> f64 {
    outcome.thread_gflops[app][node].expect("a thread").value()
}

#[track_caller]
fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-12 * expected.abs().max(1.0), "got {got}, expected {expected}");
}

/// Section III-A: 4 nodes x 8 cores of 10 GFLOPS, 32 GB/s; 3 x AI 0.5 and 1 x AI 10.
fn paper_machine() -> (Machine, Vec<Demand>) {
    (uniform(4, node(8, 10.0, 32.0), 10.0), three_and(0.5, demand(10.0, Placement::Local)))
}

#[test]
fn table_1_uneven_threads() {
    // Demands 20 and 1 GB/s, baseline 32 / 8 = 4. First 3 x 4 + 5 x 1 = 17; 15 left for a remaining demand of
    // 3 x 16: 5 each. 9 GB/s x 0.5 = 4.5 GFLOPS; a node has 3 x 4.5 + 5 x 10 = 63.5, four have 254.
    let (machine, demands) = paper_machine();
    let outcome = solved(&machine, &demands, &on_every_node([1, 1, 1, 5]));
    assert_near(bandwidth(&outcome, 0, 0), 9.0);
    assert_near(gflops(&outcome, 0, 0), 4.5);
    assert_near(bandwidth(&outcome, 3, 2), 1.0);
    assert_near(gflops(&outcome, 3, 2), 10.0);
    assert_near(outcome.app_gflops[1].value(), 18.0);
    assert_near(outcome.total_gflops().value(), 254.0);
}

#[test]
fn table_2_even_threads() {
    // First 6 x 4 + 2 x 1 = 26; 6 left for 6 threads: 5 GB/s each. A node has 6 x 2.5 + 2 x 10 = 35, four have 140.
    let (machine, demands) = paper_machine();
    let outcome = solved(&machine, &demands, &on_every_node([2, 2, 2, 2]));
    assert_near(bandwidth(&outcome, 0, 0), 5.0);
    assert_near(bandwidth(&outcome, 3, 0), 1.0);
    assert_near(outcome.total_gflops().value(), 140.0);
}

#[test]
fn one_app_per_node_as_in_figure_2c() {
    // 3 x 32 GB/s x 0.5 + 8 x 10 GFLOPS = 48 + 80 = 128
    let (machine, demands) = paper_machine();
    let outcome = solved(&machine, &demands, &one_app_per_node(8));
    assert_near(outcome.total_gflops().value(), 128.0);
    assert_eq!(outcome.thread_bandwidth[0][1], None);
}

#[test]
fn numa_bad_application_across_nodes() {
    // 60 GB/s, links 10, bad AI 1 (requests 10 GB/s per thread) with all data on node 0, 2 threads each on
    // every node. Node 0: links min(20, 10) x 3 = 30, R = 30, baseline 30 / 8 = 3.75 for all: 6 x 3.75 x 0.5
    // + 2 x 3.75 = 18.75. Nodes 1-3: 60 x 0.5 = 30 and 10 GB/s over the link x 1 = 10. Total 18.75 + 3 x 40 =
    // 138.75.
    let machine = uniform(4, node(8, 10.0, 60.0), 10.0);
    let demands = three_and(0.5, demand(1.0, Placement::Home(NodeId(0))));
    let outcome = solved(&machine, &demands, &on_every_node([2, 2, 2, 2]));
    assert_near(bandwidth(&outcome, 0, 0), 3.75);
    assert_near(bandwidth(&outcome, 3, 0), 3.75);
    assert_near(bandwidth(&outcome, 3, 1), 5.0);
    assert_near(outcome.granted[1][0].value(), 10.0);
    assert_near(outcome.granted[0][0].value(), 30.0);
    assert_near(outcome.total_gflops().value(), 138.75);
}

#[test]
fn numa_bad_application_alone_on_its_home() {
    // 3 x 60 x 0.5 + 60 x 1 = 150
    let machine = uniform(4, node(8, 10.0, 60.0), 10.0);
    let demands = three_and(0.5, demand(1.0, Placement::Home(NodeId(3))));
    assert_near(solved(&machine, &demands, &one_app_per_node(8)).total_gflops().value(), 150.0);
}

#[test]
fn table_3_as_printed() {
    // 4 x 20 cores of 0.29 GFLOPS, 100 GB/s, links 10; mem AI 1/32 (wants 9.28 GB/s), compute AI 1, bad AI 1/16 (4.64).
    // uneven:   3 x 9.28 + 17 x 0.29 = 32.77 < 100: 80 x 0.29 = 23.2
    // even:     15 mem get 100 - 5 x 0.29 = 98.55: 4 x (98.55 / 32 + 1.45) = 18.119
    // per node: 3 x 100 / 32 + 20 x 0.29 = 15.175
    // cross:    node 0 R = 100 - 30 = 70, 3.5 each: 52.5 / 32 + 17.5 / 16 = 2.734; 3 x (100 / 32 + 10 / 16) = 11.25
    // on-node:  3 x 100 / 32 + 20 x 0.29 (20 x 4.64 = 92.8 < 100) = 15.175
    let machine = uniform(4, node(20, 0.29, 100.0), 10.0);
    let compute = three_and(1.0 / 32.0, demand(1.0, Placement::Local));
    let bad = |home| three_and(1.0 / 32.0, demand(1.0 / 16.0, Placement::Home(NodeId(home))));
    let total = |demands: &[Demand], allocation| {
        format!("{:.2}", solved(&machine, demands, &allocation).total_gflops().value())
    };
    assert_eq!(total(&compute, on_every_node([1, 1, 1, 17])), "23.20");
    assert_eq!(total(&compute, on_every_node([5, 5, 5, 5])), "18.12");
    // 15.175 prints as 15.17 or 15.18, depending on its last bit; the paper has 15.18.
    assert_near(solved(&machine, &compute, &one_app_per_node(20)).total_gflops().value(), 15.175);
    assert_eq!(total(&bad(0), on_every_node([5, 5, 5, 5])), "13.98");
    assert_near(solved(&machine, &bad(3), &one_app_per_node(20)).total_gflops().value(), 15.175);
}

#[test]
fn under_remote_first_remote_demand_beyond_a_controller_is_scaled_and_starves_local_threads() {
    // Memory 0 has 12 GB/s. Node 1: 2 threads request 10 each, link 10 -> 10. Node 2: 1 thread requests 5 ->
    // 5. 15 > 12: each x 0.8 = 8 and 4. The link of node 1: 4 GB/s per thread. Nothing is left for node 0.
    let nodes = vec![node(2, 10.0, 12.0), node(2, 10.0, 50.0), node(2, 5.0, 50.0)];
    let machine = Machine::new("m", nodes, vec![GigabytesPerSecond::new(10.0); 9]).expect("a sound machine");
    let demands = [demand(1.0, Placement::Home(NodeId(0)))];
    // Under the default the three ports request 10, 10 and 5 of 12: 4 each.
    let even = solved(&machine, &demands, &threads(&[vec![1, 2, 1]]));
    assert_near(bandwidth(&even, 0, 0), 4.0);
    assert_near(bandwidth(&even, 0, 1), 2.0);
    assert_near(bandwidth(&even, 0, 2), 4.0);
    let machine = machine.with_sharing(ModelKind::RemoteFirst.into());
    let outcome = solved(&machine, &demands, &threads(&[vec![1, 2, 1]]));
    assert_near(bandwidth(&outcome, 0, 1), 4.0);
    assert_near(bandwidth(&outcome, 0, 2), 4.0);
    assert_eq!(outcome.thread_bandwidth[0][0], Some(GigabytesPerSecond::new(0.0)));
    assert_eq!(outcome.thread_gflops[0][0], Some(Gflops::new(0.0)));
}

#[test]
fn interleaved_data_on_a_memory_only_node_sets_the_pace() {
    // Node 0: 2 cores of 10 GFLOPS, 40 GB/s. Node 1: memory only, 40 GB/s, link 6. AI 0.5: requests 20, half
    // from each. Memory 0: 2 x 10 <= 40, granted 10. Memory 1: min(20, 6) = 6, granted 3. Pace min(10, 3) /
    // 0.5 = 6 GB/s, 3 GFLOPS. 3 GB/s from each memory per thread: the link is full, so no thread can use the
    // rest of memory 0.
    let nodes = vec![node(2, 10.0, 40.0), node(0, 0.0, 40.0)];
    let machine = Machine::new("m", nodes, vec![GigabytesPerSecond::new(6.0); 4]).expect("a sound machine");
    let outcome = solved(&machine, &[demand(0.5, Placement::Interleave)], &threads(&[vec![2, 0]]));
    assert_near(bandwidth(&outcome, 0, 0), 6.0);
    assert_near(gflops(&outcome, 0, 0), 3.0);
    assert_near(outcome.drawn[0][0].value(), 6.0);
    assert_near(outcome.drawn[0][1].value(), 6.0);
    assert_near(outcome.readers[0].demand_gbs.value(), 10.0);
}

#[test]
fn a_zero_fraction_neither_reads_nor_slows() {
    // Fractions 0.25, 0.75, 0 from node 0, demand 10 / 1 = 10: 2.5 of memory 0 and 7.5 of memory 1 (link 3).
    // Pace min(2.5 / 0.25, 3 / 0.75) = 4 GB/s: 1 and 3 GB/s drawn. Memory 2 does not appear.
    let machine = uniform(3, node(1, 10.0, 20.0), 3.0);
    let demands = [demand(1.0, Placement::Fractions(vec![0.25, 0.75, 0.0]))];
    let outcome = solved(&machine, &demands, &threads(&[vec![1, 0, 0]]));
    assert_near(bandwidth(&outcome, 0, 0), 4.0);
    let draws: Vec<(usize, f64)> = outcome.readers.iter().map(|r| (r.memory.0, r.drawn.value())).collect();
    assert_eq!(draws, [(0, 1.0), (1, 3.0)]);
}

/// Memory 0 has 10 GB/s and 2 cores. App 0 (half on 0, half on 1 over a link of 1) requests 20, app 1 (local)
/// requests 10.
fn one_waits_for_its_link() -> (Machine, [Demand; 2], Allocation) {
    let demands = [demand(0.5, Placement::Interleave), demand(1.0, Placement::Local)];
    (uniform(2, node(2, 10.0, 10.0), 1.0), demands, threads(&[vec![1, 0], vec![1, 0]]))
}

#[test]
fn unused_bandwidth_is_redistributed() {
    // Baseline 5: app 0 is granted 5 of memory 0, but its link gives 1 of memory 1, so it draws 1 of each.
    // The rest is redistributed to app 1 alone, whose resources are not full: it has 5 and gets the other 4.
    let (machine, demands, allocation) = one_waits_for_its_link();
    let outcome = solved(&machine, &demands, &allocation);
    assert_near(bandwidth(&outcome, 0, 0), 2.0);
    assert_near(bandwidth(&outcome, 1, 0), 9.0);
    assert_near(outcome.drawn[0][0].value(), 10.0);
}

#[test]
fn under_remote_first_unused_grants_are_not_redistributed() {
    let (machine, demands, allocation) = one_waits_for_its_link();
    let machine = machine.with_sharing(ModelKind::RemoteFirst.into());
    let outcome = solved(&machine, &demands, &allocation);
    assert_near(bandwidth(&outcome, 0, 0), 2.0);
    assert_near(bandwidth(&outcome, 1, 0), 5.0);
    assert_near(outcome.granted[0][0].value(), 10.0);
    assert_near(outcome.drawn[0][0].value(), 6.0);
}

/// Four nodes of 2 cores x 10 GFLOPS, 20 GB/s, links of 8; nodes 0 and 1 read 2 and 3 over a shared link of 12 GB/s.
fn two_sockets() -> Machine {
    let shared = SharedLink {
        name: "xGMI".to_owned(),
        bandwidth: GigabytesPerSecond::new(12.0),
        from: vec![NodeId(0), NodeId(1)],
        to: vec![NodeId(2), NodeId(3)],
        both_ways: true,
    };
    uniform(4, node(2, 10.0, 20.0), 8.0).with_shared_links(vec![shared]).expect("two groups")
}

#[test]
fn links_that_share_a_link_are_filled_evenly() {
    // Threads on 0 and 1 read memory 2 and request 10 each, limited to 8 by the link: 16 of 12, so 6 each. A
    // third one on node 3 reads memory 2 over a link inside its socket: 8. The sum is 20: the controller is
    // exactly full.
    let demands = [demand(1.0, Placement::Home(NodeId(2)))];
    let outcome = solved(&two_sockets(), &demands, &threads(&[vec![1, 1, 0, 1]]));
    let of = |node| bandwidth(&outcome, 0, node);
    assert_near(of(0), 6.0);
    assert_near(of(1), 6.0);
    assert_near(of(3), 8.0);
}

#[test]
fn the_other_direction_of_a_shared_link_has_its_own_capacity() {
    // 0 -> 2 gets 8 (its link); 2 -> 0 and 3 -> 1 request 16 of 12: 6 each.
    let demands = [2, 0, 1].map(|home| demand(1.0, Placement::Home(NodeId(home))));
    let rows = [vec![1, 0, 0, 0], vec![0, 0, 1, 0], vec![0, 0, 0, 1]];
    let outcome = solved(&two_sockets(), &demands, &threads(&rows));
    assert_near(bandwidth(&outcome, 0, 0), 8.0);
    assert_near(bandwidth(&outcome, 1, 2), 6.0);
    assert_near(bandwidth(&outcome, 2, 3), 6.0);
}

#[test]
fn the_read_limit_of_a_node_is_split_first() {
    // Node 0 can read 12. Its local thread (demand 10) and the one that reads memory 1 (demand 10, link 4)
    // have a baseline of 6 each, nothing left. The second takes 4 through its link; the 2 that it could not
    // use go to the first: 8.
    let node = Node { read_bandwidth: Some(GigabytesPerSecond::new(12.0)), ..node(2, 10.0, 20.0) };
    let machine = uniform(2, node, 4.0);
    let demands = [demand(1.0, Placement::Local), demand(1.0, Placement::Home(NodeId(1)))];
    let outcome = solved(&machine, &demands, &threads(&[vec![1, 0], vec![1, 0]]));
    assert_near(bandwidth(&outcome, 0, 0), 8.0);
    assert_near(bandwidth(&outcome, 1, 0), 4.0);
}

#[test]
fn a_share_on_the_home_node_leaves_the_rest_local_to_the_thread() {
    // A quarter of the data is on node 0, demand 10: from node 1 the thread reads 2.5 over a link of 2 and
    // 7.5 from local memory. The link sets the pace: 2 / 0.25 = 8.
    let machine = uniform(2, node(1, 10.0, 20.0), 2.0);
    let demands = [demand(1.0, Placement::at_home(NodeId(0), 0.25))];
    let outcome = solved(&machine, &demands, &threads(&[vec![1, 1]]));
    assert_near(bandwidth(&outcome, 0, 0), 10.0);
    assert_near(bandwidth(&outcome, 0, 1), 8.0);
    assert_near(outcome.drawn[1][0].value(), 2.0);
    assert_near(outcome.drawn[1][1].value(), 6.0);
}

#[test]
fn fast_links_leave_the_local_threads_an_equal_share() {
    // 4 nodes, 32 GB/s, links 32. Node 0: its own 8 threads request 160; 8 threads on each other node read it
    // and request 160, limited to 32 by the link. Four ports, 8 GB/s each.
    let machine = uniform(4, node(8, 10.0, 32.0), 32.0);
    let demands = [demand(0.5, Placement::Local), demand(0.5, Placement::Home(NodeId(0)))];
    let outcome = solved(&machine, &demands, &threads(&[vec![8, 0, 0, 0], vec![0, 8, 8, 8]]));
    assert_near(bandwidth(&outcome, 0, 0), 1.0);
    for node in 1..4 {
        assert_near(bandwidth(&outcome, 1, node), 1.0);
    }
}

#[test]
fn a_core_ceiling_limits_the_demand_of_a_thread() {
    // Demand 10 GFLOPS / 0.5 = 20 GB/s, ceiling 12: 12 GB/s, 6 GFLOPS, although the controller has 100.
    let ceiling = Some(GigabytesPerSecond::new(12.0));
    let machine = uniform(1, Node { core_bandwidth: ceiling, ..node(4, 10.0, 100.0) }, 1.0);
    let outcome = solved(&machine, &[demand(0.5, Placement::Local)], &threads(&[vec![2]]));
    assert_near(bandwidth(&outcome, 0, 0), 12.0);
    assert_near(gflops(&outcome, 0, 0), 6.0);
    assert_near(outcome.readers[0].demand_gbs.value(), 12.0);
}

#[test]
fn two_applications_split_a_link_by_baseline_and_proportion() {
    // Node 1 (4 cores of 10 GFLOPS) reads memory 0 over 8 GB/s: baseline 8 / 4 = 2. App 0, 1 thread, AI 10:
    // requests 1, gets 1. App 1, 1 thread, AI 2: requests 5. App 2, 1 thread, AI 1: requests 10. First 1 + 2
    // + 2 = 5; 3 left for a remaining demand of 3 + 8: 2 + 9/11 and 2 + 24/11.
    let machine = uniform(2, node(4, 10.0, 50.0), 8.0);
    let demands = [10.0, 2.0, 1.0].map(|intensity| demand(intensity, Placement::Home(NodeId(0))));
    let outcome = solved(&machine, &demands, &threads(&[vec![0, 1], vec![0, 1], vec![0, 1]]));
    assert_near(bandwidth(&outcome, 0, 1), 1.0);
    assert_near(bandwidth(&outcome, 1, 1), 2.0 + 9.0 / 11.0);
    assert_near(bandwidth(&outcome, 2, 1), 2.0 + 24.0 / 11.0);
    assert_near(outcome.drawn[1][0].value(), 8.0);
}

#[test]
fn an_interleaved_application_alone_gets_the_whole_bandwidth() {
    // 4 nodes, 32 GB/s, links 32, all 8 threads on every node: four ports of 8 GB/s at each memory, 128 GB/s
    // in total.
    let machine = uniform(4, node(8, 10.0, 32.0), 32.0);
    let outcome = solved(&machine, &[demand(0.5, Placement::Interleave)], &threads(&[vec![8; 4]]));
    assert_near(outcome.total_gflops().value(), 64.0);
    assert_near(outcome.drawn[1][0].value(), 8.0);
}

#[test]
fn under_remote_first_an_interleaved_application_alone_gets_nothing_over_fast_links() {
    // Each memory: 3 links x min(8 x 5, 32) = 96 > 32, nothing left for its own threads, whose pace is then 0.
    let machine = uniform(4, node(8, 10.0, 32.0), 32.0).with_sharing(ModelKind::RemoteFirst.into());
    let outcome = solved(&machine, &[demand(0.5, Placement::Interleave)], &threads(&[vec![8; 4]]));
    assert_eq!(outcome.total_gflops(), Gflops::new(0.0));
    assert_near(outcome.granted[1][0].value(), 32.0 / 3.0);
    assert_near(outcome.drawn[1][0].value(), 0.0);
}

#[test]
fn no_threads_draw_nothing() {
    let (machine, demands) = paper_machine();
    let outcome = solved(&machine, &demands, &Allocation::empty(4, 4));
    assert_eq!(outcome.total_gflops(), Gflops::new(0.0));
    assert_eq!(outcome.readers, []);
}

#[test]
fn an_oversubscribed_node_is_an_error() {
    let (machine, demands) = paper_machine();
    let too_many = TooManyThreads { node: NodeId(0), threads: 9, cores: 8 };
    assert_eq!(solve(&machine, &demands, &on_every_node([3, 2, 2, 2])), Err(too_many.into()));
}

#[test]
fn questions_that_do_not_fit_the_machine_are_errors() {
    let (machine, demands) = paper_machine();
    let shape = solve(&machine, &demands, &Allocation::empty(3, 4));
    assert_eq!(shape, Err(ReferenceError::Shape { apps: 4, nodes: 4, rows: 3, columns: 4 }));
    let rejects = |demand| solve(&machine, &[demand], &Allocation::empty(1, 4)).expect_err("a bad demand");
    let bad_placements = [
        Placement::Home(NodeId(4)),
        Placement::Fractions(vec![1.0]),
        Placement::Fractions(vec![0.5, 0.5, 0.5, 0.0]),
        Placement::Fractions(vec![1.5, -0.5, 0.0, 0.0]),
    ];
    for placement in bad_placements {
        assert!(matches!(rejects(demand(1.0, placement)), ReferenceError::Placement { .. }));
    }
    for intensity in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 1e10] {
        let error = rejects(demand(intensity, Placement::Local));
        assert!(matches!(error, ReferenceError::ArithmeticIntensity { .. }), "{intensity}: {error}");
    }
}
