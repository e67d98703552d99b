//! A producer and a consumer on one pool, and the nodes where their tasks ran: a program that an agent can control.
//!
//! Run with `cargo run -p numasim-runtime --example where_it_runs`, and again while `numasim agent` runs: then the agent determines the
//! number of threads. Each item is made by eight tasks and used by eight; the producer is at most two items ahead.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::sync::Mutex;

use numasim_runtime::{Agent, Bind, Control, Layout, Pool, Waiting};

const ITEMS: usize = 20;
const LEAD: usize = 2;
const TASKS: usize = 8;

/// About 5 ms.
fn work() {
    black_box((0..5_000_000_u64).fold(0, |x, n| black_box(x ^ n)));
}

fn main() -> Result<(), Box<dyn Error>> {
    // One worker for each core that this process may use; unbound if the system does not report the cores.
    let layout = Layout::of_this_host(Bind::Node).or_else(|_| Layout::unbound(2))?;
    let agent = Agent::of_environment(Control::PerNode)?;
    match &agent {
        Some(agent) => println!("{} looks for an agent at {}", agent.name, agent.socket.display()),
        None => println!("no agent is wanted"),
    }
    let pool = Pool::with_agent(layout, agent)?;
    println!("workers on each node: {:?}", pool.layout().workers());

    let tasks_of = Mutex::new(BTreeMap::new());
    let task = |what: &'static str| {
        work();
        let thread = std::thread::current().name().unwrap_or("another thread").to_owned();
        let mut tasks_of = tasks_of.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *tasks_of.entry((thread, what)).or_insert(0) += 1;
    };
    let (mut made, mut used) = (0, 0);
    while used < ITEMS {
        pool.scope(|scope| {
            let produces = made < ITEMS && made - used < LEAD;
            let consumes = made > used;
            for _ in 0..if produces { TASKS } else { 0 } {
                scope.spawn(|_| task("produced"));
            }
            for _ in 0..if consumes { TASKS } else { 0 } {
                scope.spawn(|_| task("consumed"));
            }
            made += usize::from(produces);
            used += usize::from(consumes);
        });
        pool.progress(used);
    }
    // No more items will come: the agent may give the cores to other applications.
    pool.waiting(Waiting::Input);
    for ((thread, what), tasks) in tasks_of.lock().unwrap_or_else(std::sync::PoisonError::into_inner).iter() {
        println!("{thread} {what} {tasks} tasks");
    }
    Ok(())
}
