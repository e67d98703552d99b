//! Properties of every partition, on random windows.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

use super::*;
use crate::values::{Partitioner, Ties};

/// A window and its machine: tasks, edges, cores, distances, fixed tasks.
#[derive(Clone, Debug)]
struct Asked {
    graph: WindowGraph,
    sockets: Sockets,
    fixed: Vec<Option<u32>>,
    ties: Ties,
    seed: u64,
}

impl Asked {
    fn window(&self) -> Window<'_> {
        let Self { graph, sockets, fixed, ties, seed } = self;
        Window { graph, sockets, fixed, ties: *ties, seed: *seed, number: 0 }
    }

    fn parts(&self) -> Vec<u32> {
        partition(&self.window(), Partitioner::Recursive).expect("a partition")
    }
}

/// Symmetric distances, 10 on the diagonal.
fn distances(count: usize, far: &[u8]) -> Vec<f64> {
    let mut distances = vec![10.0; count * count];
    let mut far = far.iter();
    for one in 0..count {
        for other in one + 1..count {
            let distance = 11.0 + f64::from(far.next().copied().unwrap_or(9) % 30);
            distances[one * count + other] = distance;
            distances[other * count + one] = distance;
        }
    }
    distances
}

fn asked(
    tasks: std::ops::RangeInclusive<usize>,
    sockets: usize,
    fixed: bool,
) -> impl Strategy<Value = Asked> {
    (tasks, 1..=sockets).prop_flat_map(move |(tasks, sockets)| {
        let edge = (0..tasks.max(1) as u32, 0..tasks.max(1) as u32, 1_u32..20);
        let edges = prop::collection::vec(edge, 0..=3 * tasks);
        // One in five, or none.
        let is_fixed =
            (0..5_u8, 0..sockets as u32).prop_map(move |(one, socket)| (fixed && one == 0).then_some(socket));
        let cores = prop::collection::vec(1_u32..4, sockets);
        let far = prop::collection::vec(any::<u8>(), sockets * sockets);
        let ties = prop::sample::select(&Ties::ALL[..]);
        let parts = (edges, prop::collection::vec(is_fixed, tasks), cores, far, ties, any::<u64>());
        parts.prop_map(move |(edges, fixed, cores, far, ties, seed)| {
            let edges: Vec<(u32, u32, f64)> =
                edges.into_iter().map(|(from, to, bytes)| (from, to, f64::from(bytes))).collect();
            let sockets = Sockets::given(&cores, &distances(cores.len(), &far));
            Asked { graph: WindowGraph::new(tasks, &edges), sockets, fixed, ties, seed }
        })
    })
}

fn loads(parts: &[u32], sockets: usize) -> Vec<u64> {
    let mut loads = vec![0; sockets];
    for &part in parts {
        loads[part as usize] += 1;
    }
    loads
}

/// The smallest cost of all partitions with no more than `room` tasks on any socket.
fn optimum(asked: &Asked) -> f64 {
    let (tasks, sockets) = (asked.graph.task_count(), asked.sockets.count());
    let mut parts = vec![0_u32; tasks];
    let mut least = f64::INFINITY;
    loop {
        let loads = loads(&parts, sockets);
        if (0..sockets).all(|socket| loads[socket] <= asked.sockets.room(socket, tasks)) {
            least = least.min(cost(&asked.graph, &asked.sockets, &parts).weighted);
        }
        // The next number with `tasks` digits.
        let Some(digit) = parts.iter().position(|&part| part as usize + 1 < sockets) else { return least };
        parts[..digit].fill(0);
        parts[digit] += 1;
    }
}

/// Cost of a partition in excess of that on one socket.
fn excess(asked: &Asked, weighted: f64) -> f64 {
    weighted - cost(&asked.graph, &asked.sockets, &vec![0; asked.graph.task_count()]).weighted
}

/// A random partition in which each socket has its quota.
fn dealt(asked: &Asked, seed: u64) -> Vec<u32> {
    let tasks = asked.graph.task_count();
    let quotas = asked.sockets.quotas(tasks as u64);
    let groups = quotas.iter().enumerate().flat_map(|(socket, &quota)| vec![socket as u32; quota as usize]);
    let groups: Vec<u32> = groups.collect();
    let order = Source::new(Ties::Random, seed, 1).order(tasks as u32);
    order.into_iter().map(|place| groups[place as usize]).collect()
}

proptest! {
    #![proptest_config(crate::random::questions(256))]

    #[test]
    fn fixed_tasks_stay_and_no_socket_has_more_than_it_has_room_for(asked in asked(0..=120, 5, true)) {
        let fixed: Vec<u32> = asked.fixed.iter().copied().flatten().collect();
        let of_fixed = loads(&fixed, asked.sockets.count());
        for partitioner in Partitioner::ALL.into_iter().filter(|&partitioner| is_built(partitioner)) {
            let parts = partition(&asked.window(), partitioner).expect("a partition");
            prop_assert_eq!(parts.len(), asked.graph.task_count());
            for (task, socket) in asked.fixed.iter().enumerate() {
                prop_assert!(socket.is_none_or(|socket| parts[task] == socket));
            }
            for (socket, &load) in loads(&parts, asked.sockets.count()).iter().enumerate() {
                let room = asked.sockets.room(socket, parts.len()).max(of_fixed[socket]);
                prop_assert!(load <= room, "{}: socket {socket} has {load} of {room}", partitioner.as_str());
            }
            prop_assert_eq!(&parts, &partition(&asked.window(), partitioner).expect("the same"));
        }
    }

    #[test]
    fn where_tasks_weigh_their_time_no_socket_has_more_than_its_share_and_one_task(
        mut asked in asked(1..=60, 4, false),
        seconds in prop::collection::vec(0.0_f64..5.0, 60),
    ) {
        let edges: Vec<(u32, u32, f64)> = asked
            .graph
            .tasks()
            .flat_map(|task| asked.graph.neighbours(task).iter().map(move |other| (task, other.task, other.bytes)))
            .filter(|(from, to, _)| from < to)
            .collect();
        asked.graph = WindowGraph::timed(&seconds[..asked.graph.task_count()], &edges);
        let parts = asked.parts();
        let mut loads = vec![0; asked.sockets.count()];
        for (task, &part) in asked.graph.tasks().zip(&parts) {
            loads[part as usize] += asked.graph.weight(task);
        }
        let rooms = asked.sockets.rooms_in(&asked.graph);
        for (socket, (&load, room)) in loads.iter().zip(rooms).enumerate() {
            let room = room + asked.graph.heaviest();
            prop_assert!(load <= room, "socket {socket} has {load} of {room}");
        }
    }

    #[test]
    fn chance_does_not_do_better(asked in asked(20..=120, 4, false), seed in any::<u64>()) {
        let ours = cost(&asked.graph, &asked.sockets, &asked.parts()).weighted;
        let drawn = cost(&asked.graph, &asked.sockets, &dealt(&asked, seed)).weighted;
        prop_assert!(ours <= drawn * (1.0 + 1e-12), "{ours} against {drawn} of chance");
    }

    #[test]
    fn no_small_window_costs_twice_the_least(asked in asked(2..=12, 2, false)) {
        let best = excess(&asked, optimum(&asked));
        let ours = excess(&asked, cost(&asked.graph, &asked.sockets, &asked.parts()).weighted);
        prop_assert!(ours >= best - 1e-9, "{ours} is less than the least of all, {best}");
        prop_assert!(ours <= 2.0 * best + 1e-9, "{ours} against {best}");
    }
}

/// Most small windows are cut optimally, the others cost a few percent more.
#[test]
fn most_small_windows_are_cut_as_well_as_can_be() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut cases, mut best_possible, mut sum) = (0_u32, 0_u32, 0.0);
    for (tasks, sockets) in [(6..=12, 2), (6..=9, 3), (6..=8, 4)] {
        let strategy = asked(tasks, sockets, false);
        for _ in 0..100 {
            let asked = strategy.new_tree(&mut runner).expect("a window").current();
            let best = excess(&asked, optimum(&asked));
            let ours = excess(&asked, cost(&asked.graph, &asked.sockets, &asked.parts()).weighted);
            if best > 0.0 {
                cases += 1;
                best_possible += u32::from(ours <= best + 1e-9);
                sum += ours / best;
            }
        }
    }
    let mean = sum / f64::from(cases);
    assert!(
        cases > 100 && 20 * best_possible >= 19 * cases && mean < 1.02,
        "{best_possible} of {cases}, mean {mean}"
    );
}
