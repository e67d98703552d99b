//! The cost of being controlled: the delay until an order reaches a parked worker, and the loss for tasks of 100 µs.
//!
//! Run with `cargo bench -p numasim-runtime --bench control`; `-- --pairs N` changes the number of rounds. The agent is in this process.
//! Reaction: from writing the order to the socket until the worker, parked for at least 2 ms before, begins a task that waits for it.
//! Overhead: the same tasks on two pools in turn, one without an agent, the other with an agent that sends an order every 20 ms and
//! requests a status every 20 ms, the shortest time that the protocol supports. The CPU time (`cpu`) is that of the whole process,
//! including the agent, and is less disturbed by other programs than the elapsed time (`wall`).

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("agents are on Linux");
}

#[cfg(target_os = "linux")]
#[path = "pairs/mod.rs"]
mod pairs;

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::hint::black_box;
    use std::io::{Read, Write};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, mpsc};
    use std::thread::JoinHandle;
    use std::time::{Duration, Instant};

    use numasim_protocol::{FromAgent, Order, Version, Welcome};
    use numasim_runtime::{Agent, Control, Layout, Pool};

    use super::pairs;

    const TASKS: usize = 2000;
    const TASK_US: f64 = 100.0;
    const REACTIONS: usize = 500;

    fn agent(folder: &Path) -> (UnixListener, Agent) {
        let socket = folder.join("agent.sock");
        let listener = UnixListener::bind(&socket).expect("a socket");
        (listener, Agent { socket, name: "bench".into(), control: Control::Total, record: None })
    }

    fn say(mut stream: &UnixStream, message: &FromAgent) {
        stream.write_all(message.line().as_bytes()).expect("the pool listens");
    }

    /// Accepts, welcomes and keeps reading, on a separate thread.
    fn accept(listener: &UnixListener, status_ms: f64) -> UnixStream {
        let (stream, _) = listener.accept().expect("a pool");
        let (version, pid, cores, period_ms) = (Version, 1, vec![64], status_ms);
        say(&stream, &FromAgent::Welcome(Welcome { version, pid, cores, hold: true, period_ms, status_ms }));
        let mut reading = stream.try_clone().expect("a stream");
        std::thread::spawn(move || while reading.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {});
        stream
    }

    pub(super) fn main() {
        let arguments = pairs::Arguments::read(31);
        let folder = tempfile::tempdir().expect("a folder");
        reaction(folder.path());
        for threads in [1, 2] {
            let folder = tempfile::tempdir().expect("a folder");
            overhead(folder.path(), threads, &arguments);
        }
    }

    fn reaction(folder: &Path) {
        let (listener, agent) = agent(folder);
        let pool = Pool::with_agent(Layout::unbound(1).expect("a layout"), Some(agent)).expect("threads");
        let stream = accept(&listener, 1000.0);
        let mut seq = 0;
        let mut order = |threads| {
            seq += 1;
            say(&stream, &FromAgent::Set { seq, order: Order::Total(threads) });
        };
        let mut times = Vec::new();
        for _ in 0..REACTIONS {
            order(0);
            std::thread::sleep(Duration::from_millis(2));
            while pool.status().blocked != [1] {
                std::thread::sleep(Duration::from_millis(1));
            }
            let (say, hear) = mpsc::channel();
            pool.spawn(move || say.send(Instant::now()).expect("the bench waits"));
            std::thread::sleep(Duration::from_millis(2));
            let start = Instant::now();
            order(1);
            times.push(hear.recv().expect("the task ran").duration_since(start).as_secs_f64() * 1e6);
        }
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let (low, middle, high) = pairs::interval(times);
        println!(
            "reaction: {middle:.1} us [{low:.1}, {high:.1}] from order to task, {REACTIONS} times, slowest {slowest:.0} us"
        );
    }

    /// An agent that repeats the same order.
    struct Busy(Arc<AtomicBool>, Option<JoinHandle<()>>);

    impl Busy {
        fn start(stream: UnixStream, threads: u32) -> Self {
            let over = Arc::new(AtomicBool::new(false));
            let until = over.clone();
            let life = move || {
                let mut seq = 0;
                while !until.load(Ordering::Acquire) {
                    seq += 1;
                    say(&stream, &FromAgent::Set { seq, order: Order::Total(threads) });
                    std::thread::sleep(Duration::from_millis(20));
                }
            };
            Self(over, Some(std::thread::spawn(life)))
        }
    }

    impl Drop for Busy {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
            let _ = self.1.take().expect("a thread").join();
        }
    }

    fn work(rounds: u64) -> u64 {
        (0..rounds).fold(1, |x, n| black_box(x * 3 + n))
    }

    /// Elapsed time and CPU time, for all tasks.
    fn ns(pool: &Pool, rounds: u64) -> [f64; 2] {
        let (start, cpu) = (Instant::now(), pairs::cpu_ns());
        pool.scope(|scope| {
            for _ in 0..TASKS {
                scope.spawn(move |_| {
                    black_box(work(rounds));
                });
            }
        });
        [start.elapsed().as_nanos() as f64, pairs::cpu_ns() - cpu]
    }

    fn overhead(folder: &Path, threads: u32, arguments: &pairs::Arguments) {
        let layout = || Layout::unbound(threads as usize).expect("a layout");
        let (listener, agent) = agent(folder);
        let free = Pool::new(layout()).expect("threads");
        let controlled = Pool::with_agent(layout(), Some(agent)).expect("threads");
        let busy = Busy::start(accept(&listener, 20.0), threads);
        // The best of several: other load only makes it longer.
        let rounds = 1_000_000;
        let once = || {
            let start = Instant::now();
            black_box(work(rounds));
            start.elapsed().as_secs_f64()
        };
        let best = (0..10).map(|_| once()).fold(f64::INFINITY, f64::min);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // some ten thousand
        let rounds = (rounds as f64 * TASK_US * 1e-6 / best) as u64;
        let mut turn = false;
        let ratios = arguments.rounds(|| {
            // The order of the two alternates from round to round.
            turn = !turn;
            let (with, without);
            if turn {
                with = ns(&controlled, rounds);
                without = ns(&free, rounds);
            } else {
                without = ns(&free, rounds);
                with = ns(&controlled, rounds);
            }
            [with[0] / without[0], with[1] / without[1]]
        });
        for (clock, name) in ["wall", "cpu"].into_iter().enumerate() {
            let (low, middle, high) = pairs::interval(ratios.iter().map(|ratios| ratios[clock]).collect());
            let percent = |ratio: f64| 100.0 * (ratio - 1.0);
            println!(
                "overhead on {threads} threads, {name}: {:.2} % [{:.2}, {:.2}], {TASKS} tasks of {TASK_US} us, {} pairs",
                percent(middle),
                percent(low),
                percent(high),
                arguments.pairs
            );
        }
        drop(busy);
    }
}
