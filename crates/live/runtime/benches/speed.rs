//! The cost of a task, compared with rayon and oneTBB: empty tasks of a scope, and fork-join without a cutoff: fib(32).
//!
//! Run with `cargo bench -p numasim-runtime --bench speed`; `-- --peer PROGRAM` adds oneTBB, a program that `results/runtime-speed/run`
//! compiles, and `--pairs N` changes the number of rounds. In each round all run one after the other, so that other load on the host
//! affects them alike. Results, once for the elapsed time (`wall`) and once for the CPU time of all threads (`cpu`, which other programs
//! disturb less): median per task, the median of the ratios of the others to ours in the same round, and its 95 % interval (order
//! statistics). Above 1 the other one is slower.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use numasim_runtime::{Layout, Pool};

#[path = "pairs/mod.rs"]
mod pairs;

const SPAWNED: u32 = 100_000;
const FIB: u32 = 32;
/// Calls of fib(32) with n >= 2, each a join: fib(33) - 1.
const JOINS: u32 = 3_524_577;

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = numasim_runtime::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn rayon_fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = rayon::join(|| rayon_fib(n - 1), || rayon_fib(n - 2));
    a + b
}

fn spawn(pool: &Pool, tasks: u32) {
    pool.install(|| pool.scope(|scope| (0..tasks).for_each(|_| scope.spawn(|_| ()))));
}

fn rayon_spawn(pool: &rayon::ThreadPool, tasks: u32) {
    pool.install(|| rayon::scope(|scope| (0..tasks).for_each(|_| scope.spawn(|_| ()))));
}

/// Elapsed time, and CPU time.
fn ns<R>(work: impl FnOnce() -> R) -> [f64; 2] {
    let (start, cpu) = (Instant::now(), pairs::cpu_ns());
    black_box(work());
    [start.elapsed().as_nanos() as f64, pairs::cpu_ns() - cpu]
}

/// oneTBB in a separate process.
struct Peer(Child, BufReader<ChildStdout>);

impl Peer {
    fn start(program: &str) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self(child, answers)
    }

    fn ns(&mut self, what: &str, threads: usize, size: u32) -> [f64; 2] {
        writeln!(self.0.stdin.as_mut().expect("a pipe"), "{what} {threads} {size}")
            .expect("the peer listens");
        let mut answer = String::new();
        self.1.read_line(&mut answer).expect("the peer answers");
        let numbers: Vec<f64> = answer.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        [numbers[0], numbers[1]]
    }
}

fn main() {
    let arguments = pairs::Arguments::read(21);
    let mut peer = arguments.peer.as_deref().map(Peer::start);
    println!("what   threads clock  ours, ns  peer     peer, ns  peer / ours [95 %]");
    for threads in [1, 2] {
        let ours = Pool::new(Layout::unbound(threads).expect("a layout")).expect("threads");
        let theirs = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for (what, size, tasks) in [("spawn", SPAWNED, SPAWNED), ("fib", FIB, JOINS)] {
            let rounds = arguments.rounds(|| {
                let mut row = match what {
                    "spawn" => vec![ns(|| spawn(&ours, size)), ns(|| rayon_spawn(&theirs, size))],
                    _ => vec![ns(|| ours.install(|| fib(size))), ns(|| theirs.install(|| rayon_fib(size)))],
                };
                row.extend(peer.as_mut().map(|peer| peer.ns(what, threads, size)));
                row
            });
            for (column, name) in ["rayon", "oneTBB"].into_iter().enumerate().take(rounds[0].len() - 1) {
                for (clock, clock_name) in ["wall", "cpu"].into_iter().enumerate() {
                    let of = |column: usize| rounds.iter().map(|row| row[column][clock]).collect::<Vec<_>>();
                    let (mine, other) = (of(0), of(column + 1));
                    let ratios = mine.iter().zip(&other).map(|(mine, other)| other / mine).collect();
                    let per_task = |times: Vec<f64>| pairs::interval(times).1 / f64::from(tasks);
                    let (low, middle, high) = pairs::interval(ratios);
                    println!(
                        "{what:<6} {threads:>7} {clock_name:<5} {:>9.1}  {name:<7} {:>9.1}  {middle:.3} [{low:.3}, {high:.3}]",
                        per_task(mine),
                        per_task(other)
                    );
                }
            }
        }
    }
    if let Some(Peer(mut child, _)) = peer {
        drop(child.stdin.take());
        let _ = child.wait();
    }
}
