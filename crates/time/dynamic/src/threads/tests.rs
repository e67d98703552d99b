//! Orders and the threads that follow them.

use numasim_model::machine::{Machine, Node};
use numasim_model::order::Control;
use numasim_model::units::{Gflops, GigabytesPerSecond, Seconds};

use numasim_course::Wake;

use super::*;

fn machine(nodes: usize, cores: u32) -> Machine {
    let node = Node {
        cores,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(32.0),
        ..Node::default()
    };
    Machine::uniform("m", nodes, node, GigabytesPerSecond::new(10.0)).expect("a machine")
}

fn threads(nodes: usize, cores: u32, pick: Pick) -> Threads {
    threads_waking(nodes, cores, pick, Wake::InOrder)
}

fn threads_waking(nodes: usize, cores: u32, pick: Pick, wake: Wake) -> Threads {
    let course = Course {
        iterations: 1,
        phases: Vec::new(),
        arrives: Seconds::new(0.0),
        threads: vec![cores; nodes],
        binding: Binding::Node,
        control: Control::Total,
        pick,
        task_spread: 0.0,
        task_jitter: 0.0,
        wake,
        command: None,
    };
    Threads::new(&course, &machine(nodes, cores), Waking::new(&course, 1, 0), false)
}

fn taken(threads: &mut Threads, count: usize) -> Vec<(usize, u32)> {
    (0..count).filter_map(|_| threads.take()).map(|thread| (thread.node, thread.place)).collect()
}

#[test]
fn spread_threads_are_numbered_round_the_nodes_and_packed_ones_node_after_node() {
    assert_eq!(taken(&mut threads(2, 3, Pick::Spread), 4), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    assert_eq!(taken(&mut threads(2, 3, Pick::Pack), 4), [(0, 0), (0, 1), (0, 2), (1, 0)]);
}

#[test]
fn an_order_blocks_the_highest_idle_threads_and_those_in_a_task_when_it_is_over() {
    let mut all = threads(2, 2, Pick::Spread);
    let first = all.take().expect("idle");
    let second = all.take().expect("idle");
    let mut moved = Moved::new();
    // (0, 0) and (1, 0) are in a task; (0, 1) and (1, 1) block.
    all.set_order(&Order::Total(1));
    all.obey(&mut moved);
    assert_eq!(
        moved.iter().map(|(thread, _)| (thread.node, thread.place)).collect::<Vec<_>>(),
        [(1, 1), (0, 1)]
    );
    assert!(all.has_excess());
    all.release(first);
    all.obey(&mut moved);
    assert!(!all.has_excess());
    assert_eq!(moved, [(first, false)]);
    all.release(second);
    all.obey(&mut moved);
    assert!(moved.is_empty());
    // More are allowed: the lowest blocked ones.
    all.set_order(&Order::Total(3));
    all.obey(&mut moved);
    assert_eq!(moved, [(first, true), (Thread { node: 0, place: 1 }, true)]);
}

#[test]
fn a_random_order_wakes_other_threads_and_the_right_number() {
    let mut all = threads_waking(2, 4, Pick::Spread, Wake::Random);
    let mut moved = Moved::new();
    let mut seen = [0; 8];
    for _ in 0..400 {
        all.set_order(&Order::Total(0));
        all.obey(&mut moved);
        all.set_order(&Order::Total(2));
        all.obey(&mut moved);
        assert_eq!((moved.len(), all.idle_total(), all.blocked_total()), (2, 2, 6));
        for (thread, _) in &moved {
            seen[thread.node * 4 + thread.place as usize] += 1;
        }
    }
    // Each of 8 threads in a quarter of 400 draws: 100, with a standard deviation of 8.7.
    assert!(seen.iter().all(|count| (60..140).contains(count)), "{seen:?}");
    // An order for all of them leaves no choice.
    all.set_order(&Order::PerNode(vec![4, 4]));
    all.obey(&mut moved);
    assert_eq!((all.idle(0), all.idle(1)), (4, 4));
}

#[test]
fn an_order_per_node_counts_each_node_for_itself() {
    let mut all = threads(2, 6, Pick::Spread);
    let mut moved = Moved::new();
    all.set_order(&Order::PerNode(vec![4, 2]));
    all.obey(&mut moved);
    assert_eq!((all.idle(0), all.idle(1), all.blocked_total()), (4, 2, 6));
}

#[test]
fn an_order_of_cores_blocks_all_others() {
    let mut all = threads(2, 2, Pick::Spread);
    let mut moved = Moved::new();
    all.set_order(&Order::Cores(vec![1, 2]));
    all.obey(&mut moved);
    assert_eq!(
        all.all_idle().map(|thread| (thread.node, thread.place)).collect::<Vec<_>>(),
        [(0, 1), (1, 0)]
    );
}

#[test]
fn more_threads_than_there_are_cannot_be_ordered() {
    let all = threads(2, 6, Pick::Spread);
    let threads = |ordered, there| Err(ImpossibleOrder::Threads { ordered, there });
    assert_eq!(all.check(&Order::PerNode(vec![7, 0])), threads(7, 6));
    assert_eq!(all.check(&Order::Total(13)), threads(13, 12));
    assert_eq!(all.check(&Order::Cores(vec![12])), Err(ImpossibleOrder::Unknown));
    assert_eq!(all.check(&Order::PerNode(vec![1])), Err(ImpossibleOrder::Unknown));
}
