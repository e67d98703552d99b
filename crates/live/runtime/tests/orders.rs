//! Orders on a working pool: for any orders while tasks run, no worker beyond the order begins a task, except those that were already
//! fetching one.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use numasim_runtime::{Bind, Layout, Order, Pool, PoolNode};
use proptest::prelude::*;

#[path = "../../../../tests/random.rs"]
mod random;

/// Tasks that are offered before each order.
const TASKS: usize = 24;

/// Events since the last order.
struct Log {
    /// The order in force; `None` while it changes.
    order: Option<Order>,
    /// The node of each worker.
    node_of: Vec<usize>,
    /// The core of each worker.
    core_of: Vec<usize>,
    /// Number of tasks that each worker has begun since the order, including one that it was running.
    begun: Vec<usize>,
    inside: Vec<bool>,
    ran: usize,
    wrong: Option<String>,
}

impl Log {
    /// Workers are numbered across the nodes, cores node after node; here each worker has its core.
    fn new(workers: &[usize]) -> Self {
        let most = workers.iter().copied().max().unwrap_or(0);
        let places = (0..most).flat_map(|round| {
            let nodes = workers.iter().enumerate().filter(move |(_, count)| **count > round);
            nodes.map(move |(node, _)| (node, workers[..node].iter().sum::<usize>() + round))
        });
        let (node_of, core_of): (Vec<usize>, Vec<usize>) = places.unzip();
        let (begun, inside) = (vec![0; node_of.len()], vec![false; node_of.len()]);
        Self { order: None, node_of, core_of, begun, inside, ran: 0, wrong: None }
    }

    /// A worker has a task. The first one may have been fetched before the order. A worker that fetches another one has passed the gate
    /// since, and none passes while too many are awake.
    fn begin(&mut self, worker: usize) {
        self.inside[worker] = true;
        self.begun[worker] += 1;
        let Some(order) = self.order.as_ref().filter(|_| self.begun[worker] > 1) else { return };
        let inside = |node: Option<usize>| {
            let members = self.inside.iter().zip(&self.node_of);
            members.filter(|(inside, of)| **inside && node.is_none_or(|node| node == **of)).count()
        };
        let node = self.node_of[worker];
        let obeyed = match order {
            Order::Total(most) => inside(None) <= *most as usize,
            Order::PerNode(most) => inside(Some(node)) <= most[node] as usize,
            Order::Cores(cores) => cores.iter().any(|&core| core as usize == self.core_of[worker]),
        };
        if !obeyed {
            self.wrong = Some(format!("worker {worker} of node {node} under {order:?}: {:?}", self.inside));
        }
    }

    fn end(&mut self, worker: usize) {
        self.inside[worker] = false;
        self.ran += 1;
    }

    /// The number of workers that an order blocks.
    fn blocked_by(&self, order: Option<&Order>) -> usize {
        let all = self.node_of.len();
        match order {
            None => 0,
            Some(Order::Total(most)) => all - *most as usize,
            Some(Order::PerNode(most)) => all - most.iter().sum::<u32>() as usize,
            Some(Order::Cores(cores)) => self
                .core_of
                .iter()
                .filter(|&&core| !cores.iter().any(|&wanted| wanted as usize == core))
                .count(),
        }
    }
}

fn task(log: &Mutex<Log>) {
    let name = std::thread::current().name().map(str::to_owned).unwrap_or_default();
    let worker = name.trim_start_matches("worker ").parse().expect("a worker");
    log.lock().expect("no panic").begin(worker);
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(20) {
        std::thread::yield_now();
    }
    log.lock().expect("no panic").end(worker);
}

/// Waits for a condition that must become true, with a generous limit: a slow machine is no failure.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn order(workers: &[usize]) -> impl Strategy<Value = Option<Order>> + use<> {
    let workers: Vec<u32> = workers.iter().map(|&count| u32::try_from(count).expect("few")).collect();
    let all = workers.iter().sum::<u32>();
    let per_node: Vec<_> = workers.iter().map(|&count| 0..=count).collect();
    prop_oneof![
        1 => Just(None),
        3 => (0..=all).prop_map(|all| Some(Order::Total(all))),
        3 => per_node.prop_map(|threads| Some(Order::PerNode(threads))),
        2 => prop::sample::subsequence((0..all).collect::<Vec<_>>(), 0..=all as usize)
            .prop_map(|cores| Some(Order::Cores(cores))),
    ]
}

/// Workers on each node, orders, and for each order whether the test waits for its effect before the next one.
fn story() -> impl Strategy<Value = (Vec<usize>, Vec<(Option<Order>, bool)>)> {
    prop::collection::vec(1..=3_usize, 1..=2).prop_flat_map(|workers| {
        let orders = prop::collection::vec((order(&workers), any::<bool>()), 1..=8);
        (Just(workers), orders)
    })
}

proptest! {
    #![proptest_config(random::questions(64))]

    #[test]
    fn nobody_beyond_the_order_fetches_a_second_task((workers, orders) in story()) {
        let node = |&workers: &usize| PoolNode { workers, cores: workers, cpus: None };
        let layout = Layout::new(workers.iter().map(node).collect(), Bind::None).expect("a layout");
        let pool = Pool::new(layout).expect("threads");
        let log = Arc::new(Mutex::new(Log::new(&workers)));
        let now = || log.lock().expect("no panic");
        for (order, is_waited_for) in &orders {
            for _ in 0..TASKS {
                let log = log.clone();
                pool.spawn(move || task(&log));
            }
            now().order = None;
            pool.order(order.as_ref()).expect("an order that can be followed");
            {
                let mut now = now();
                now.begun = now.inside.iter().map(|&inside| usize::from(inside)).collect();
                now.order.clone_from(order);
            }
            if *is_waited_for {
                let blocked = now().blocked_by(order.as_ref());
                until("all that are too many block", || {
                    pool.status().blocked.iter().sum::<usize>() == blocked
                });
            }
        }
        // Dropping a pool lifts the order and runs the remaining tasks.
        now().order = None;
        drop(pool);
        let log = now();
        prop_assert!(log.wrong.is_none(), "{:?}", log.wrong);
        prop_assert_eq!(log.ran, TASKS * orders.len(), "every task ran once");
    }
}
