//! A pool and its agent: the messages of both, and the effects on the workers. The test acts as the agent.
#![cfg(target_os = "linux")]

mod environment;
mod fake;
mod forked;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fake::{Agents, until};
use numasim_protocol::{Control, FromAgent, FromApp, Order, Waiting};
use numasim_runtime::{Agent, Bind, Layout, Pool, PoolNode};

/// A pool with these workers, bound to nothing, and this agent.
pub(crate) fn pool_of(workers: &[usize], agent: Agent) -> Pool {
    let node = |&workers: &usize| PoolNode { workers, cores: workers, cpus: None };
    let layout = Layout::new(workers.iter().map(node).collect(), Bind::None).expect("a layout");
    Pool::with_agent(layout, Some(agent)).expect("threads")
}

/// The properties of an application called `test` for this agent.
pub(crate) fn agent_of(agents: &Agents, control: Control) -> Agent {
    Agent { socket: agents.path().into(), name: "test".into(), control, record: None }
}

/// Keeps all workers of a pool busy until it is true.
fn keep_busy(pool: &Pool, workers: usize) -> (Arc<AtomicBool>, Arc<AtomicUsize>) {
    let (over, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    for _ in 0..workers {
        let (over, done) = (over.clone(), done.clone());
        pool.spawn(move || {
            while !over.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_micros(100));
            }
            done.fetch_add(1, Ordering::AcqRel);
        });
    }
    (over, done)
}

#[test]
fn it_says_hello_and_nobody_runs_before_the_agent_allows_it() {
    let agents = Agents::listen();
    let pool = pool_of(&[2, 1], agent_of(&agents, Control::PerNode));
    let done = Arc::new(AtomicUsize::new(0));
    let counts = done.clone();
    pool.spawn(move || {
        counts.fetch_add(1, Ordering::AcqRel);
    });
    let mut agent = agents.accept();
    let FromApp::Hello(hello) = agent.hear() else { panic!("no hello") };
    assert_eq!((hello.name.as_str(), hello.control, hello.threads), ("test", Control::PerNode, vec![2, 1]));
    until("all are held", || pool.status().blocked == [2, 1]);
    assert_eq!(done.load(Ordering::Acquire), 0);
    agent.welcome(false, 20.0);
    until("the task ran", || done.load(Ordering::Acquire) == 1);
    assert_eq!(pool.status().blocked, [0, 0]);
}

#[test]
fn held_workers_wait_for_the_first_order_which_is_acknowledged_once_it_is_in_force() {
    let agents = Agents::listen();
    let pool = pool_of(&[2, 2], agent_of(&agents, Control::PerNode));
    let (over, done) = keep_busy(&pool, 4);
    let mut agent = agents.accept();
    agent.hear();
    agent.welcome(true, 20.0);
    let status = agent.status();
    assert_eq!((status.running.clone(), status.queued), (vec![0, 0], Some(4)));
    until("all are held", || pool.status().blocked == [2, 2]);
    agent.say(&FromAgent::Set { seq: 1, order: Order::PerNode(vec![1, 2]) });
    assert_eq!(agent.answer(), FromApp::Ack { seq: 1 });
    until("three run", || pool.status().running == [1, 2]);
    // No worker may start, three are running a task.
    agent.say(&FromAgent::Set { seq: 2, order: Order::PerNode(vec![0, 0]) });
    assert_eq!(agent.answer(), FromApp::Ack { seq: 2 });
    assert_eq!(pool.status().running, [1, 2]);
    over.store(true, Ordering::Release);
    until("all blocked after their tasks", || pool.status().blocked == [2, 2]);
    assert_eq!(done.load(Ordering::Acquire), 3);
    until("the agent hears that", || agent.status().blocked == [2, 2]);
}

#[test]
fn orders_of_the_other_kinds_and_too_many_threads_are_refused_with_a_reason() {
    let agents = Agents::listen();
    let pool = pool_of(&[1, 1], agent_of(&agents, Control::Total));
    let mut agent = agents.accept();
    agent.hear();
    agent.welcome(true, 1000.0);
    agent.say(&FromAgent::Set { seq: 1, order: Order::Total(1) });
    assert_eq!(agent.answer(), FromApp::Ack { seq: 1 });
    for (seq, order, reason) in [
        (2, Order::PerNode(vec![1, 1]), "an order of the kind per-node for control total"),
        (3, Order::Total(3), "3 threads are ordered, there are 2"),
    ] {
        agent.say(&FromAgent::Set { seq, order });
        assert_eq!(agent.answer(), FromApp::Refused { seq, text: reason.into() });
    }
    until("the first order holds", || pool.status().blocked.iter().sum::<usize>() == 1);
}

#[test]
fn cores_are_those_of_the_agents_machine() {
    let agents = Agents::listen();
    let pool = pool_of(&[2, 2], agent_of(&agents, Control::Cores));
    let mut agent = agents.accept();
    agent.hear();
    // Node 0 has cores 0 to 2 there, node 1 cores 3 to 5.
    agent.welcome_to(&[3, 3], true, 1000.0);
    agent.say(&FromAgent::Set { seq: 1, order: Order::Cores(vec![0, 2, 3, 4]) });
    assert_eq!(agent.answer(), FromApp::Ack { seq: 1 });
    until("one blocked: the second of node 0", || pool.status().blocked == [1, 0]);
    agent.say(&FromAgent::Set { seq: 2, order: Order::Cores(vec![6]) });
    let text = "core 6 is ordered, there are 6 (0 is the first)".into();
    assert_eq!(agent.answer(), FromApp::Refused { seq: 2, text });
}

#[test]
fn without_an_agent_all_run_and_one_that_comes_later_is_found() {
    let agents = Agents::later();
    let pool = pool_of(&[2], agent_of(&agents, Control::Total));
    assert_eq!(pool.install(|| 7), 7);
    let agents = agents.come();
    let mut agent = agents.accept();
    assert!(matches!(agent.hear(), FromApp::Hello(_)));
}

#[test]
fn all_run_again_when_the_agent_goes_and_it_is_greeted_when_it_comes_back() {
    let agents = Agents::listen();
    let pool = pool_of(&[2], agent_of(&agents, Control::Total));
    for _ in 0..2 {
        let mut agent = agents.accept();
        assert!(matches!(agent.hear(), FromApp::Hello(_)));
        agent.welcome(true, 20.0);
        agent.status();
        until("all are held", || pool.status().blocked == [2]);
        let lost = Instant::now();
        drop(agent);
        until("all run again", || pool.status().blocked == [0]);
        println!("all run {} ms after the end of file", lost.elapsed().as_millis());
    }
}

#[test]
fn an_agent_that_is_silent_for_a_second_is_lost_and_one_that_pings_is_not() {
    let agents = Agents::listen();
    let pool = pool_of(&[1], agent_of(&agents, Control::Total));
    let mut agent = agents.accept();
    agent.hear();
    agent.welcome(true, 1000.0);
    until("all are held", || pool.status().blocked == [1]);
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(pool.status().blocked, [1], "1.5 s with pings");
    let silent = Instant::now();
    agent.be_silent();
    until("all run again", || pool.status().blocked == [0]);
    // The last ping is at most 100 ms older than the silence if the machine is not busy; on a busy machine it may be late.
    assert!(silent.elapsed() > Duration::from_millis(500), "{:?}", silent.elapsed());
    until("the connection is closed", || agent.is_closed());
}

#[test]
fn one_that_is_refused_runs_on_and_does_not_come_again() {
    let agents = Agents::listen();
    let pool = pool_of(&[2], agent_of(&agents, Control::Total));
    let mut agent = agents.accept();
    agent.hear();
    agent.say(&FromAgent::Refused { text: "\"test\" is connected (pid 1)".into() });
    until("all run", || pool.status().blocked == [0]);
    until("the connection is closed", || agent.is_closed());
    // Later than the time of the first new attempt; a slow machine can only hide one.
    assert!(agents.nobody_for(Duration::from_millis(400)));
}

#[test]
fn what_it_waits_for_is_told_at_once_and_at_most_fifty_times_a_second() {
    let agents = Agents::listen();
    let pool = pool_of(&[1], agent_of(&agents, Control::Total));
    let mut agent = agents.accept();
    agent.hear();
    // A status each second, so that the statuses below have another reason.
    agent.welcome(false, 1000.0);
    assert_eq!(agent.status().waiting, Waiting::None);
    let start = Instant::now();
    pool.progress(3);
    pool.waiting(Waiting::Input);
    let mut status = agent.status();
    if status.waiting == Waiting::None {
        status = agent.status(); // the first one may be on its way before the program waits
    }
    assert_eq!((status.waiting, status.progress), (Waiting::Input, 3));
    println!("told after {} ms", start.elapsed().as_millis());
    let start = Instant::now();
    for round in 0..3000 {
        pool.waiting([Waiting::Output, Waiting::None][round % 2]);
        std::thread::sleep(Duration::from_micros(100));
    }
    pool.waiting(Waiting::Call);
    let mut heard = 0;
    while agent.status().waiting != Waiting::Call {
        heard += 1;
    }
    // The newest wins. Ten in a row, then one each 25 ms, and one at the end.
    let most = start.elapsed().as_millis() / 25 + 11;
    assert!(heard <= most, "{heard} statuses, at most {most}");
}

#[test]
fn iterations_that_are_done_are_told_at_once() {
    let agents = Agents::listen();
    let pool = pool_of(&[1], agent_of(&agents, Control::Total));
    let mut agent = agents.accept();
    agent.hear();
    // Longer than an agent may be silent: each status below has another reason.
    agent.welcome(false, 10_000.0);
    assert_eq!(agent.status().progress, 0);
    for done in 1..=3 {
        pool.progress(done);
        assert_eq!(agent.status().progress, done as u64);
    }
}

#[test]
fn that_tasks_came_and_that_the_last_one_went_is_told_at_once() {
    let agents = Agents::listen();
    let pool = pool_of(&[1], agent_of(&agents, Control::Total));
    let mut agent = agents.accept();
    agent.hear();
    agent.welcome(true, 1000.0);
    assert_eq!(agent.status().queued, Some(0));
    until("all are held", || pool.status().blocked == [1]);
    let start = Instant::now();
    let (over, _) = keep_busy(&pool, 1);
    assert_eq!(agent.status().queued, Some(1));
    agent.say(&FromAgent::Set { seq: 1, order: Order::Total(1) });
    until("it is told", || agent.status().queued == Some(0));
    println!("both were told after {} ms", start.elapsed().as_millis());
    over.store(true, Ordering::Release);
}

#[test]
fn dropping_the_pool_says_goodbye() {
    let agents = Agents::listen();
    let pool = pool_of(&[1], agent_of(&agents, Control::None));
    let mut agent = agents.accept();
    agent.hear();
    agent.welcome(false, 1000.0);
    agent.status();
    drop(pool);
    assert_eq!(agent.answer(), FromApp::Bye);
    until("the connection is closed", || agent.is_closed());
}

#[test]
fn a_pool_ends_at_once_whatever_its_agent_does() {
    let agents = Agents::listen();
    for accepts in [false, true] {
        let pool = pool_of(&[2], agent_of(&agents, Control::Total));
        let agent = accepts.then(|| agents.accept());
        drop(pool);
        drop(agent);
    }
}

#[test]
fn the_environment_names_an_agent_and_an_application() {
    // The variables are not set for tests.
    let agent = Agent::of_environment(Control::PerNode).expect("a path").expect("wanted");
    assert!(agent.socket.ends_with("agent.sock"), "{agent:?}");
    assert!(agent.name.ends_with(&format!("-{}", std::process::id())), "{agent:?}");
    assert!(agent.name.len() > 3 && agent.name.chars().count() <= 128);
}
