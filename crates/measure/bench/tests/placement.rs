//! Real threads and memory of this host: a separate binary, because binding is state of the process.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use numasim_bench::plan::{PlannedApp, PlannedScenario, PlannedThread};
use numasim_bench::runner::{HostRunner, Measurement, RunError, Runner as _, Settings};
use numasim_host::memory::MemoryError;
use numasim_host::{Misplaced, affinity};
use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::Kernel;
use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::units::FlopPerByte;

/// Measurements starve each other if there are few logical CPUs: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Prints that this host cannot show something. No tool that could be installed would change that.
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

const BYTES: u64 = 8 << 20;

fn settings() -> Settings {
    Settings {
        isa: Isa::best(),
        warm_up: Duration::from_millis(10),
        window: Duration::from_millis(50),
        bytes_per_thread: BYTES,
        processes: false,
    }
}

/// The nodes that have memory; most development machines have one.
fn nodes() -> Vec<u32> {
    let list = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_else(|_| "0".into());
    CpuList::parse(&list).expect("a list").as_slice().to_vec()
}

fn node() -> u32 {
    nodes()[0]
}

fn cpus() -> Vec<u32> {
    affinity::allowed().expect("Linux tells")
}

fn app(name: &str, access: Access, intensity: f64, cpus: &[u32], os_node: u32) -> PlannedApp {
    let kernel = Kernel::new(access, FlopPerByte::new(intensity)).expect("possible");
    let thread = |&cpu: &u32| PlannedThread {
        node: NodeId(0),
        cpus: CpuList::new(vec![cpu]).expect("one"),
        memory: vec![(os_node, 1.0)],
    };
    let threads = cpus.iter().map(thread).collect();
    PlannedApp { name: name.into(), kernel: kernel.into(), threads, arrays: None }
}

/// On a busy host a thread may get no logical CPU for a whole window: then it is repeated with a longer one.
fn measure_with(
    runner: &mut HostRunner,
    apps: Vec<PlannedApp>,
    settings: &Settings,
) -> Result<Measurement, RunError> {
    let scenario = PlannedScenario { name: "test".into(), apps, fitted: false };
    let mut settings = settings.clone();
    loop {
        match runner.measure(&scenario, &settings) {
            Err(RunError::NothingCounted { .. }) if settings.window < Duration::from_secs(10) => {
                settings.window *= 4;
            }
            done => return done,
        }
    }
}

fn measure(apps: Vec<PlannedApp>, settings: &Settings) -> Result<Measurement, RunError> {
    measure_with(&mut HostRunner::new(Arc::default()), apps, settings)
}

#[test]
fn a_bound_thread_stays_on_its_cpu_and_its_pages_on_its_node() {
    let _alone = ALONE.lock();
    let last = *cpus().last().expect("one");
    let apps = vec![app("mem", Access::Read, 1.0 / 32.0, &[last], node())];
    let measured = measure(apps, &settings()).expect("measured");
    let thread = &measured.apps[0].threads[0];
    assert_eq!(thread.misplaced, []);
    assert_eq!(thread.cpus, [last]);
    if thread.pages_unknown.is_none() {
        // Small pages of this kernel, all of them.
        let pages: u64 = thread.pages.values().sum();
        assert_eq!(thread.pages.keys().collect::<Vec<_>>(), [&node()]);
        assert!(pages > 0 && BYTES.is_multiple_of(pages) && BYTES / pages >= 4096, "{pages}");
    }
    assert!(thread.counted_s > 0.0 && thread.chunks > 0);
    assert_eq!(thread.bytes, 32 * thread.flop);
    assert!(thread.clock_share > 0.0 && thread.clock_share < 0.01, "{}", thread.clock_share);
}

#[test]
fn every_application_and_thread_is_measured_and_kept_buffers_are_verified_again() {
    let _alone = ALONE.lock();
    let cpus = cpus();
    let some = &cpus[..cpus.len().min(2)];
    let mut runner = HostRunner::new(Arc::default());
    for access in [Access::Read, Access::Copy, Access::Triad, Access::Update, Access::Read] {
        // One thread on each logical CPU.
        let apps = some.iter().map(|&cpu| app(access.as_str(), access, 0.5, &[cpu], node())).collect();
        let measured = measure_with(&mut runner, apps, &settings()).expect("measured");
        assert_eq!(measured.apps.len(), some.len());
        for (threads, cpu) in measured.apps.iter().map(|app| &app.threads).zip(some) {
            let [thread] = &threads[..] else { panic!("one thread each: {threads:?}") };
            assert_eq!((&thread.misplaced[..], &thread.cpus[..]), (&[][..], &[*cpu][..]));
            assert_eq!(thread.bytes, 2 * thread.flop);
        }
    }
}

/// The ID of the thread of this process with this name, once it is bound to `cpu` alone.
fn bound_thread(name: &str, cpu: u32) -> Option<libc::pid_t> {
    let bound = format!("Cpus_allowed_list:\t{cpu}\n");
    let tasks = fs::read_dir("/proc/self/task").expect("Linux").filter_map(Result::ok);
    let named = tasks.map(|task| task.path()).find(|task| {
        let text = |file: &str| fs::read_to_string(task.join(file)).unwrap_or_default();
        text("comm").trim() == name && text("status").contains(&bound)
    })?;
    named.file_name()?.to_str()?.parse().ok()
}

#[test]
fn a_moved_thread_is_reported() {
    let _alone = ALONE.lock();
    let cpus = cpus();
    let [first, second, ..] = cpus[..] else { return skipped("this process may use one processor only") };
    if second >= 64 {
        return skipped("the mask below is one word of processors");
    }
    // No other test has this number of threads in an application: only here is a thread called numasim-2.
    let apps = vec![app("moved", Access::Read, 1.0, &[first; 3], node())];
    let settings = Settings { window: Duration::from_secs(1), ..settings() };
    let measuring = thread::spawn(move || measure(apps, &settings));
    while !measuring.is_finished() {
        let Some(victim) = bound_thread("numasim-2", first) else { continue };
        thread::sleep(Duration::from_millis(100)); // it has read its binding back
        let mask = [1_u64 << second];
        #[allow(unsafe_code, reason = "what `taskset -p` does to a thread; no safe function does")]
        // SAFETY: the kernel reads 8 bytes of the mask. A thread that has ended is an error, which changes nothing.
        let _ = unsafe { libc::sched_setaffinity(victim, 8, mask.as_ptr().cast()) };
    }
    let measured = measuring.join().expect("no panic").expect("misplaced is not an error");
    let moved = &measured.apps[0].threads[2];
    let wanted = Misplaced::Thread { seen: second, wanted: first.to_string() };
    assert_eq!(moved.misplaced, [wanted], "{moved:?}");
    assert_eq!(moved.misplaced[0].to_string(), format!("ran on processor {second}, bound to {first}"));
    assert_eq!(measured.apps[0].threads[1].misplaced, []);
}

#[test]
fn data_on_several_nodes_matches_its_shares() {
    let _alone = ALONE.lock();
    let nodes = nodes();
    if nodes.len() < 2 {
        return skipped("one NUMA node; the test guest (.ci/guest) has more");
    }
    let equal: Vec<(u32, f64)> = nodes.iter().map(|&node| (node, 1.0 / nodes.len() as f64)).collect();
    let unequal = vec![(nodes[0], 0.25), (nodes[1], 0.75)];
    for memory in [equal, unequal] {
        let mut apps = vec![app("mem", Access::Read, 1.0, &[cpus()[0]], node())];
        apps[0].threads[0].memory.clone_from(&memory);
        let measured = measure(apps, &settings()).expect("measured");
        let thread = &measured.apps[0].threads[0];
        assert_eq!((&thread.misplaced[..], thread.pages_unknown.as_deref()), (&[][..], None));
        let all: u64 = thread.pages.values().sum();
        for (node, share) in memory {
            // 8 MiB in stripes: within a hundredth, or a stripe of 64 KiB for each quarter.
            let off = (thread.pages[&node] as f64 / all as f64 - share).abs();
            assert!(off <= 0.04, "node {node}: {:?}", thread.pages);
        }
    }
}

#[test]
fn pages_moved_to_another_node_are_reported() {
    let _alone = ALONE.lock();
    let [first, second, ..] = nodes()[..] else {
        return skipped("one NUMA node; the test guest (.ci/guest) has more");
    };
    let apps = vec![app("moved", Access::Read, 1.0, &[cpus()[0]], first)];
    let settings = Settings { window: Duration::from_secs(1), ..settings() };
    let measuring = thread::spawn(move || measure(apps, &settings));
    while !measuring.is_finished() {
        let (from, to) = ([1_u64 << first], [1_u64 << second]);
        #[allow(unsafe_code, reason = "what the command migratepages does; no safe function does")]
        // SAFETY: the kernel reads 64 bits of both masks.
        let left = unsafe { libc::syscall(libc::SYS_migrate_pages, 0, 64, from.as_ptr(), to.as_ptr()) };
        assert!(left >= 0);
        thread::sleep(Duration::from_millis(100));
    }
    let measured = measuring.join().expect("no panic").expect("misplaced is not an error");
    let thread = &measured.apps[0].threads[0];
    let [Misplaced::Pages { pages, all, seen, wanted }] = &thread.misplaced[..] else { panic!("{thread:?}") };
    assert!(*pages > 0 && pages <= all);
    assert_eq!((*seen, wanted.as_str()), (second, &*format!("node {first}")));
}

#[test]
fn a_nonexistent_cpu_is_named_with_the_existing_ones() {
    let message = measure(vec![app("mem", Access::Read, 1.0, &[9999], node())], &settings());
    let message = message.expect_err("no machine has it").to_string();
    assert!(message.starts_with("processor 9999 cannot be used: this process may use "), "{message}");
}

#[test]
fn a_cpu_outside_the_mask_of_the_process_is_rejected() {
    let cpus = cpus();
    let [first, second, ..] = cpus[..] else { return skipped("this process may use one processor only") };
    let message = thread::spawn(move || {
        affinity::bind_this_thread(&CpuList::new(vec![first]).expect("one")).expect("allowed");
        assert_eq!((affinity::current(), affinity::allowed().expect("recorded")), (first, vec![first]));
        // Threads inherit the mask, as a program inherits that of `taskset`.
        measure(vec![app("mem", Access::Read, 1.0, &[second], node())], &settings())
    });
    let message = message.join().expect("no panic").expect_err("outside of the mask").to_string();
    let start = format!("processor {second} cannot be used: this process may use {first} (");
    assert!(message.starts_with(&start), "{message}");
}

#[test]
fn too_much_memory_for_a_node_is_rejected_before_any_touch() {
    let settings = Settings { bytes_per_thread: 1 << 45, ..settings() };
    let cpu = cpus()[0];
    match measure(vec![app("mem", Access::Read, 1.0, &[cpu, cpu], node())], &settings) {
        Err(RunError::Memory(MemoryError::NotEnoughMemory { os_node, free_bytes, wanted_bytes })) => {
            // Both threads together.
            assert_eq!((os_node, wanted_bytes), (node(), 2 << 45));
            assert!(free_bytes > 0 && free_bytes < wanted_bytes);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn memory_of_a_nonexistent_node_is_rejected() {
    let message = measure(vec![app("mem", Access::Read, 1.0, &[cpus()[0]], 900)], &settings());
    assert!(
        matches!(message, Err(RunError::Memory(MemoryError::NoSuchNode { os_node: 900, .. }))),
        "{message:?}"
    );
}

#[test]
fn a_stop_request_ends_a_long_measurement_soon() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut runner = HostRunner::new(Arc::clone(&stop));
    let apps = vec![app("mem", Access::Read, 1.0, &[cpus()[0]], node())];
    let settings = Settings { window: Duration::from_secs(600), ..settings() };
    let measuring = thread::spawn(move || measure_with(&mut runner, apps, &settings));
    thread::sleep(Duration::from_millis(100));
    stop.store(true, SeqCst);
    let message = measuring.join().expect("no panic");
    assert!(matches!(message, Err(RunError::Interrupted)), "{message:?}");
}
