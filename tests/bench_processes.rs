//! The benchmark's worker processes: the same results as with threads, and no process left if one fails.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fs, thread};

use numasim_bench::plan::{PlannedApp, PlannedScenario, PlannedThread};
use numasim_bench::runner::{HostRunner, Measurement, RunError, Runner as _, Settings, WORKER_COMMAND};
use numasim_host::affinity;
use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::Kernel;
use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::units::FlopPerByte;

/// Tests inspect the children of this process, so they run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// No process remains.
const NOBODY: [u32; 0] = [];

fn settings(processes: bool) -> Settings {
    Settings {
        isa: Isa::best(),
        warm_up: Duration::from_millis(10),
        window: Duration::from_millis(50),
        bytes_per_thread: 8 << 20,
        processes,
    }
}

/// Two applications with one thread each.
fn scenario() -> PlannedScenario {
    let cpus = affinity::allowed().expect("Linux tells");
    let nodes = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_else(|_| "0".into());
    let node = CpuList::parse(&nodes).expect("a list").as_slice()[0];
    let app = |name: &str, intensity: f64, cpu: Option<&u32>| PlannedApp {
        name: name.into(),
        kernel: Kernel::new(Access::Read, FlopPerByte::new(intensity)).expect("possible").into(),
        arrays: None,
        threads: vec![PlannedThread {
            node: NodeId(0),
            cpus: CpuList::new(vec![*cpu.expect("a processor")]).expect("one"),
            memory: vec![(node, 1.0)],
        }],
    };
    let apps = vec![app("mem", 1.0 / 32.0, cpus.first()), app("comp", 16.0, cpus.last())];
    PlannedScenario { name: "test".into(), apps, fitted: false }
}

fn runner(stop: &Arc<AtomicBool>) -> HostRunner {
    let program = env!("CARGO_BIN_EXE_numasim").into();
    HostRunner::new(Arc::clone(stop)).with_worker(program, vec![WORKER_COMMAND.into()])
}

/// If many others want the processors, a thread may get none for a whole window: then retry with a longer one.
fn measure(settings: &Settings) -> Result<Measurement, RunError> {
    let mut settings = settings.clone();
    loop {
        match runner(&Arc::default()).measure(&scenario(), &settings) {
            Err(error)
                if error.to_string().contains("finished no work")
                    && settings.window < Duration::from_secs(10) =>
            {
                settings.window *= 4;
            }
            done => return done,
        }
    }
}

/// The children of this process, including zombies, in the order of their start: process numbers wrap around.
fn children() -> Vec<u32> {
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").expect("Linux").filter_map(Result::ok);
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // After the name: state, parent, and as the 20th field the start time in ticks (proc(5)).
    let started = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        (fields.get(1) == Some(&own.as_str())).then_some((fields.get(19)?.parse::<u64>().ok()?, id))
    };
    let mut found: Vec<(u64, u32)> = numbers.filter_map(started).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, id)| id).collect()
}

fn wait_for_children(count: usize) -> Vec<u32> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let found = children();
        if found.len() == count || Instant::now() > end {
            return found;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn processes_and_threads_measure_the_same_things() {
    let _alone = ALONE.lock();
    let [threads, processes] =
        [false, true].map(|processes| measure(&settings(processes)).expect("measured").apps);
    assert_eq!(threads.len(), processes.len());
    for (one, other) in threads.iter().zip(&processes) {
        let ([one], [other]) = (&one.threads[..], &other.threads[..]) else { panic!("one thread each") };
        assert_eq!((&one.cpus, &one.pages, one.node), (&other.cpus, &other.pages, other.node));
        assert_eq!((&one.misplaced[..], &other.misplaced[..]), (&[][..], &[][..]));
        // The same kernel: bytes for each chunk, FLOP for each byte.
        assert_eq!((one.bytes / one.chunks, other.bytes % other.chunks), (other.bytes / other.chunks, 0));
        assert_eq!(
            u128::from(one.flop) * u128::from(other.bytes),
            u128::from(other.flop) * u128::from(one.bytes)
        );
        assert!(one.counted_s > 0.0 && other.counted_s > 0.0);
    }
    assert_eq!(children(), NOBODY);
}

#[test]
fn a_killed_worker_is_an_error_and_no_process_remains() {
    let _alone = ALONE.lock();
    let long = Settings { window: Duration::from_secs(600), ..settings(true) };
    let measuring = thread::spawn(move || measure(&long));
    let workers = wait_for_children(2);
    assert_eq!(workers.len(), 2, "a process for each application");
    thread::sleep(Duration::from_millis(100));
    let killed = Command::new("kill").arg("-9").arg(workers[1].to_string()).status().expect("kill");
    assert!(killed.success());
    let message = measuring.join().expect("no panic").expect_err("a worker was killed").to_string();
    // Two that start within a tick of 10 ms are ordered by number, which may be the wrong order.
    let killed =
        ["mem", "comp"].map(|app| format!("the process of application '{app}' was killed by signal 9"));
    assert!(killed.contains(&message), "{message}");
    assert_eq!(children(), NOBODY);
}

#[test]
fn a_request_to_stop_ends_the_workers() {
    let _alone = ALONE.lock();
    let stop = Arc::new(AtomicBool::new(false));
    let mut runner = runner(&stop);
    let long = Settings { window: Duration::from_secs(600), ..settings(true) };
    let measuring = thread::spawn(move || runner.measure(&scenario(), &long));
    assert_eq!(wait_for_children(2).len(), 2);
    stop.store(true, SeqCst);
    let message = measuring.join().expect("no panic");
    assert!(matches!(message, Err(RunError::Interrupted)), "{message:?}");
    assert_eq!(children(), NOBODY);
}

fn message_of(program: &str, arguments: &[&str]) -> String {
    let arguments = arguments.iter().map(Into::into).collect();
    let runner = HostRunner::new(Arc::default()).with_worker(program.into(), arguments);
    let mut runner = runner.with_patience(Duration::from_millis(200));
    let message = runner.measure(&scenario(), &settings(true)).expect_err("no worker").to_string();
    assert_eq!(children(), NOBODY);
    message
}

#[test]
fn a_worker_that_hangs_or_sends_nonsense_is_an_error() {
    let _alone = ALONE.lock();
    // Either of the two may be detected first.
    let what = |program: &str, arguments: &[&str]| {
        let message = message_of(program, arguments);
        message.splitn(3, '\'').nth(2).expect("an application in quotes").to_owned()
    };
    assert_eq!(what("sleep", &["600"]), " hangs: it did not get ready in time");
    assert_eq!(what("echo", &["hello"]), " sent malformed output: hello");
    assert_eq!(what("true", &[]), " ended without an answer");
    assert_eq!(what("sh", &["-c", "echo oops >&2; exit 3"]), " ended with exit code 3: oops");
}

#[test]
fn failures_of_a_worker_are_reported_with_the_reason() {
    let _alone = ALONE.lock();
    let mut scenario = scenario();
    scenario.apps[1].threads[0].cpus = CpuList::new(vec![9999]).expect("one");
    let message = runner(&Arc::default()).measure(&scenario, &settings(true)).expect_err("no machine has it");
    let message = message.to_string();
    let start = "the process of application 'comp' failed: processor 9999 cannot be used";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(children(), NOBODY);
}

#[test]
fn starting_the_worker_by_hand_explains_its_purpose() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numasim"));
    let output = command.arg(WORKER_COMMAND).stdin(Stdio::null()).output().expect("starts");
    let message = String::from_utf8_lossy(&output.stdout);
    assert!(message.contains("this is for numasim itself"), "{message}");
}
