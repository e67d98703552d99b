//! Real processes with threads, on the logical CPUs of this host.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use numasim_host::affinity::allowed;
use numasim_host::os::process::own_uid;
use numasim_host::os::thread::{affinity_of, bind_thread, set_affinity};

use super::super::*;

/// A process with threads that sleep until it receives `more`, to make one more, or the request to exit.
struct Other {
    child: Child,
    tell: ChildStdin,
    hear: BufReader<ChildStdout>,
}

impl Other {
    /// With this number of threads in addition to the main one, the first of them bound to `cpu`.
    fn new(threads: usize, cpu: u32) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "adopt::tests::real::as_another_process", "--ignored", "--nocapture", "-q"])
            .env("NUMASIM_TEST_THREADS", threads.to_string())
            .env("NUMASIM_TEST_CPU", cpu.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let tell = child.stdin.take().expect("piped");
        let hear = BufReader::new(child.stdout.take().expect("piped"));
        let mut other = Self { child, tell, hear };
        other.ready();
        other
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn more(&mut self) {
        self.tell.write_all(b"more\n").expect("it listens");
        self.ready();
    }

    fn ready(&mut self) {
        let mut lines = (&mut self.hear).lines().map_while(Result::ok);
        assert!(lines.any(|line| line == "READY"), "it has ended");
    }

    /// The logical CPUs of each of its threads.
    fn threads(&self) -> BTreeMap<u32, Vec<u32>> {
        let names = std::fs::read_dir(format!("/proc/{}/task", self.pid())).expect("alive");
        let numbers = names
            .map(|name| name.expect("a thread").file_name().to_string_lossy().parse().expect("a number"));
        numbers.map(|thread| (thread, affinity_of(thread).expect("alive"))).collect()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test: the program that [`Other`] runs. The threads of the test harness serve as ordinary threads.
#[test]
#[ignore = "the other process of tests"]
fn as_another_process() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u32>().ok());
    let (Some(threads), Some(cpu)) = (number("NUMASIM_TEST_THREADS"), number("NUMASIM_TEST_CPU")) else {
        return;
    };
    let sleep = || {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(Duration::from_secs(60));
            }
        })
    };
    let bound = std::sync::Arc::new(std::sync::Barrier::new(2));
    let other = bound.clone();
    std::thread::spawn(move || {
        set_affinity(&[cpu]).expect("allowed");
        other.wait();
        std::thread::sleep(Duration::from_secs(600));
    });
    bound.wait();
    (1..threads).for_each(|_| drop(sleep()));
    let say = || writeln!(std::io::stdout(), "\nREADY").and_then(|()| std::io::stdout().flush());
    say().expect("the parent listens");
    for line in std::io::stdin().lines().map_while(Result::ok) {
        if line == "more" {
            drop(sleep());
            say().expect("the parent listens");
        }
    }
}

/// Each allowed logical CPU as a separate core.
fn cores() -> Vec<Vec<u32>> {
    allowed().expect("Linux tells").into_iter().map(|cpu| vec![cpu]).collect()
}

fn begin(pid: u32, cores: Vec<Vec<u32>>) -> Result<Adopted, AdoptError> {
    Adopted::begin(&What::Process(pid), cores, &Ledger::default())
}

fn wait_for(mut what: impl FnMut() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn every_thread_is_put_on_the_cores_and_gets_back_what_it_had() {
    let cores = cores();
    let Some(&last) = cores.last().and_then(|core| core.first()) else { panic!("no processor") };
    let mut other = Other::new(3, last);
    let before = other.threads();
    assert!(before.len() >= 4 && before.values().any(|cpus| *cpus == [last]));
    let mut adopted = begin(other.pid(), cores.clone()).expect("ours");
    assert_eq!((adopted.pid(), adopted.uid(), adopted.has_ended()), (Some(other.pid()), own_uid(), false));
    assert_eq!(other.threads(), before);

    adopted.order(&[0]).expect("possible");
    assert!(other.threads().values().all(|cpus| *cpus == cores[0]), "{:?}", other.threads());
    // One more thread, and one that went elsewhere.
    other.more();
    let (&thread, _) = before.iter().last().expect("threads");
    bind_thread(thread, &[last]).expect("allowed");
    // The thread that went elsewhere is detected at the latest when all threads are looked through.
    wait_for(|| {
        adopted.look().expect("possible");
        other.threads().values().all(|cpus| *cpus == cores[0])
    });
    let now = other.threads();
    assert!(now.len() == before.len() + 1 && now.values().all(|cpus| *cpus == cores[0]), "{now:?}");

    let all: Vec<u32> = (0..).zip(&cores).map(|(core, _)| core).collect();
    adopted.order(&all).expect("possible");
    assert!(other.threads().values().all(|cpus| *cpus == cores.concat()));

    adopted.order(&[0]).expect("possible");
    drop(adopted);
    let main = before[&other.pid()].clone();
    for (thread, cpus) in other.threads() {
        assert_eq!(cpus, *before.get(&thread).unwrap_or(&main), "thread {thread}");
    }
}

#[test]
fn an_order_of_no_core_or_of_one_that_is_not_there_changes_nothing() {
    let other = Other::new(2, cores()[0][0]);
    let mut adopted = begin(other.pid(), cores()).expect("ours");
    let before = other.threads();
    assert_eq!(
        adopted.order(&[]).expect_err("impossible"),
        "a process that knows nothing of the agent cannot be kept from all cores"
    );
    assert_eq!(adopted.order(&[0, 4096]).expect_err("impossible"), "there is no core 4096");
    assert_eq!(other.threads(), before);
}

#[test]
fn processors_that_do_not_exist_are_refused_by_the_system() {
    let other = Other::new(2, cores()[0][0]);
    let mut adopted = begin(other.pid(), vec![vec![60_000]]).expect("ours");
    let before = other.threads();
    let why = adopted.order(&[0]).expect_err("impossible");
    assert_eq!(
        why,
        "its threads cannot be put on processors 60000: its control group allows none of them, or they are off-line"
    );
    assert_eq!(other.threads(), before);
}

#[test]
fn all_processors_of_a_core_are_given() {
    let cpus = allowed().expect("Linux tells");
    let other = Other::new(2, cpus[0]);
    // As if all logical CPUs were hardware threads of one core.
    let mut adopted = begin(other.pid(), vec![cpus.clone()]).expect("ours");
    adopted.order(&[0]).expect("possible");
    assert!(other.threads().values().all(|has| *has == cpus));
}

#[test]
fn the_end_of_the_process_is_seen_and_nothing_fails_after_it() {
    let mut other = Other::new(2, cores()[0][0]);
    let mut adopted = begin(other.pid(), cores()).expect("ours");
    adopted.order(&[0]).expect("possible");
    other.child.kill().expect("ours");
    // It counts as ended before its parent waits for it.
    wait_for(|| adopted.has_ended());
    adopted.order(&[0]).expect("nobody to be bound");
    adopted.look().expect("nobody to be bound");
    other.child.wait().expect("ends");
    adopted.look().expect("nobody to be bound");
    adopted.order(&[0]).expect("nobody to be bound");
    adopted.release().expect("nobody to be bound");
    assert!(matches!(begin(other.pid(), cores()), Err(AdoptError::NoProcess(_))));
}

#[test]
fn oneself_a_thread_and_nobody_are_refused() {
    let other = Other::new(2, cores()[0][0]);
    let thread = *other.threads().keys().find(|&&thread| thread != other.pid()).expect("threads");
    let why = |pid| begin(pid, cores()).expect_err("refused").to_string();
    let own = std::process::id();
    assert_eq!(why(own), format!("pid {own} is this agent itself"));
    assert!(why(thread).starts_with(&format!("{thread} is a thread of another process")), "{}", why(thread));
    assert_eq!(why(4_194_305), "there is no process with pid 4194305");
    assert_eq!(why(u32::MAX), "there is no process with pid 4294967295");
}

#[test]
fn a_process_of_another_user_is_refused() {
    use std::os::unix::process::CommandExt as _;
    // Root starts a process as another user; for other users, processes of root are foreign.
    let mut theirs = None;
    let (pid, uid) = if own_uid() == 0 {
        let child = Command::new("sleep").arg("60").uid(12_345).spawn().expect("sleep");
        let pid = child.id();
        theirs = Some(child);
        (pid, 12_345)
    } else {
        (1, 0)
    };
    let outcome = begin(pid, cores());
    if let Some(mut child) = theirs {
        child.kill().expect("a child");
        child.wait().expect("ends");
    }
    let why = outcome.expect_err("refused").to_string();
    assert_eq!(
        why,
        format!("the process with pid {pid} belongs to user {uid}, and this is user {}", own_uid())
    );
}

#[test]
fn a_thread_of_the_kernel_is_refused() {
    // kthreadd, unless this is a separate namespace.
    let kernel = numasim_host::system::System::host().table().into_iter().find(|listed| listed.of_kernel);
    let Some(kernel) = kernel.filter(|_| own_uid() == 0) else {
        println!("skipped: no thread of the kernel can be seen, or this is not root");
        return;
    };
    let pid = kernel.identity.number;
    let why = begin(pid, cores()).expect_err("refused").to_string();
    assert_eq!(why, format!("pid {pid} is a thread of the kernel: give the pid of a program"));
}

#[test]
fn a_child_that_was_forked_under_an_order_gets_back_what_its_parent_had() {
    let cores = cores();
    let mut shell = Command::new("sh")
        .args(["-c", "read line; sleep 600 & echo $!; wait"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut adopted = begin(shell.id(), cores.clone()).expect("ours");
    adopted.order(&[0]).expect("possible");
    shell.stdin.take().expect("piped").write_all(b"now\n").expect("it listens");
    let mut line = String::new();
    BufReader::new(shell.stdout.take().expect("piped")).read_line(&mut line).expect("text");
    let child: u32 = line.trim().parse().expect("a number");
    assert_eq!(affinity_of(child).expect("alive"), cores[0]);
    adopted.release().expect("all of them");
    let all = cores.concat();
    let now = (affinity_of(shell.id()).expect("alive"), affinity_of(child).expect("alive"));
    shell.kill().expect("a child");
    shell.wait().expect("ends");
    let child = rustix::process::Pid::from_raw(i32::try_from(child).expect("small")).expect("a number");
    let _ = rustix::process::kill_process(child, rustix::process::Signal::KILL);
    let mut all = all;
    all.sort_unstable();
    assert_eq!(now, (all.clone(), all));
}
