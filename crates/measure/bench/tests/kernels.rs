//! Real kernels on the threads and memory of this host: correct, counted, and in place. A separate binary, because binding is state of the
//! process.
#![cfg(target_os = "linux")]

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use numasim_bench::plan::{Arrays, PlannedApp, PlannedScenario, PlannedThread};
use numasim_bench::runner::{HostRunner, MeasuredApp, MeasuredThread, RunError, Runner as _, Settings};
use numasim_host::affinity;
use numasim_kernels::blackscholes::BlackScholes;
use numasim_kernels::chase::Chase;
use numasim_kernels::grid::{Seismic, Stencil2d};
use numasim_kernels::loops::Isa;
use numasim_kernels::matrix::{Dmv, Lattice, Spmv};
use numasim_kernels::memcpy::Memcpy;
use numasim_kernels::synthetic::Kernel;
use numasim_kernels::workload::Real;
use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::problem::{Elements, Faults, How, Partition, Source, Storage};

/// Measurements starve each other if there are few logical CPUs: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn settings() -> Settings {
    Settings {
        isa: Isa::best(),
        warm_up: Duration::from_millis(10),
        window: Duration::from_millis(50),
        bytes_per_thread: 1 << 20,
        processes: false,
    }
}

/// The nodes that have memory; most development machines have one.
fn nodes() -> Vec<u32> {
    let list = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_else(|_| "0".into());
    CpuList::parse(&list).expect("a list").as_slice().to_vec()
}

/// This number of threads in turn on the first two logical CPUs, each with its data on one of `memories` in turn.
fn app(kernel: Real, threads: usize, memories: &[Vec<(u32, f64)>]) -> PlannedApp {
    let cpus = affinity::allowed().expect("Linux tells");
    let threads = (0..threads).map(|number| PlannedThread {
        node: NodeId(number % memories.len()),
        cpus: CpuList::new(vec![cpus[number % cpus.len().min(2)]]).expect("one"),
        memory: memories[number % memories.len()].clone(),
    });
    PlannedApp { name: "real".into(), kernel: kernel.into(), threads: threads.collect(), arrays: None }
}

fn here() -> Vec<Vec<(u32, f64)>> {
    vec![vec![(nodes()[0], 1.0)]]
}

/// On a busy host a thread may get no logical CPU for a whole window: then it is repeated with a longer one.
fn measure(runner: &mut HostRunner, app: PlannedApp, settings: &Settings) -> MeasuredApp {
    let scenario = PlannedScenario { name: "test".into(), apps: vec![app], fitted: false };
    let mut settings = settings.clone();
    loop {
        match runner.measure(&scenario, &settings) {
            Err(RunError::NothingCounted { .. }) if settings.window < Duration::from_secs(10) => {
                settings.window *= 4;
            }
            done => return done.expect("measured").apps.remove(0),
        }
    }
}

fn runner() -> HostRunner {
    HostRunner::new(Arc::default())
}

const COPY: Memcpy =
    Memcpy { words: 1 << 19, source: Source::Shared, faults: Faults::Before, how: How::Streaming };

fn all() -> Vec<Real> {
    let lattice = Lattice { cells: [3, 2, 2] };
    let (elements, partition) = (Elements::Complex, Partition::Equal);
    let whole = Spmv { lattice, elements, partition, storage: Storage::Whole };
    vec![
        Real::BlackScholes(BlackScholes { options: 10_001 }),
        Real::Dmv(Dmv { rows: 301 }),
        Real::Spmv(whole),
        Real::Spmv(Spmv { partition: Partition::Nonzeros, storage: Storage::PerNode, ..whole }),
        Real::Spmv(Spmv { elements: Elements::Real, ..whole }),
        Real::Stencil2d(Stencil2d { rows: 211, columns: 103 }),
        Real::Seismic(Seismic { rows: 103, columns: 211 }),
        Real::Memcpy(COPY),
        Real::Memcpy(Memcpy { source: Source::PerNode, how: How::Cached, ..COPY }),
        Real::Memcpy(Memcpy { source: Source::Own, how: How::Library, ..COPY }),
        Real::Memcpy(Memcpy { faults: Faults::Inside, ..COPY }),
        Real::Chase(Chase { lines: 5000, chains: 3 }),
    ]
}

#[test]
fn every_kernel_is_right_with_one_and_two_threads_repeatedly() {
    let _alone = ALONE.lock();
    let mut runner = runner();
    for threads in [1, 2] {
        for kernel in all() {
            for _ in 0..2 {
                let measured = measure(&mut runner, app(kernel, threads, &here()), &settings());
                assert_eq!(measured.threads.len(), threads);
                let lockstep = !matches!(kernel, Real::BlackScholes(_) | Real::Memcpy(_) | Real::Chase(_));
                for thread in &measured.threads {
                    assert_eq!(thread.misplaced, [], "{kernel:?}");
                    assert!(thread.counted_s > 0.0 && thread.chunks > 0, "{kernel:?}: {thread:?}");
                    assert_eq!((thread.bytes % thread.chunks, thread.flop % thread.chunks), (0, 0));
                    assert!((0.0..1.0).contains(&thread.waited_share), "{thread:?}");
                    assert!(lockstep || thread.waited_share == 0.0, "nobody waits: {thread:?}");
                }
            }
        }
    }
}

#[test]
fn a_dense_matrix_counts_the_work_of_its_rows() {
    let _alone = ALONE.lock();
    let measured = measure(&mut runner(), app(Real::Dmv(Dmv { rows: 300 }), 2, &here()), &settings());
    for thread in &measured.threads {
        // 150 rows of 300 elements: 16 bytes and 8 FLOP for each, 32 bytes of vectors for each row.
        assert_eq!(thread.flop, thread.chunks * 8 * 150 * 300);
        assert_eq!(thread.bytes, thread.chunks * (16 * 150 * 300 + 32 * 150));
    }
}

#[test]
fn a_grid_counts_whole_iterations_of_its_rows() {
    let _alone = ALONE.lock();
    let waves = Real::Seismic(Seismic { rows: 200, columns: 300 });
    let measured = measure(&mut runner(), app(waves, 2, &here()), &settings());
    for thread in &measured.threads {
        // 100 rows of 300 points: 84 bytes and 22 FLOP for each, both sweeps.
        assert_eq!(thread.flop, thread.chunks * 22 * 100 * 300);
        assert_eq!(thread.bytes, thread.chunks * 84 * 100 * 300);
    }
}

/// The page faults of a copy of 16 MiB and the expected number for its kernel.
fn faults(faults: Faults) -> Vec<(u64, Option<u64>)> {
    let copy = Memcpy { words: 1 << 21, faults, ..COPY };
    let measured = measure(&mut runner(), app(Real::Memcpy(copy), 2, &here()), &settings());
    measured.threads.iter().map(|thread| (thread.page_faults, thread.expected_page_faults)).collect()
}

#[test]
fn page_faults_are_counted_only_for_new_memory() {
    let _alone = ALONE.lock();
    for (counted, expected) in faults(Faults::Before) {
        assert_eq!((counted, expected.unwrap_or(0)), (0, 0));
    }
    for (counted, expected) in faults(Faults::Inside) {
        // A fault for each page: 8 huge ones, or 4096 small ones, or some of both.
        let Some(expected) = expected else {
            return eprintln!("skipped: the system does not tell of huge pages");
        };
        assert!((8..=4096).contains(&expected), "{expected}");
        assert_eq!(counted, expected);
    }
}

#[test]
fn a_copy_into_new_memory_is_measured_as_a_whole() {
    let _alone = ALONE.lock();
    let copy = Real::Memcpy(Memcpy { faults: Faults::Inside, ..COPY });
    let mut runner = runner();
    for _ in 0..2 {
        let measured = measure(&mut runner, app(copy, 2, &here()), &settings());
        let [one, other] = &measured.threads[..] else { panic!("two threads") };
        // 2^19 words of 8 bytes, read and written, once; both take the time of the slower one.
        assert_eq!((one.bytes, one.chunks, other.bytes), (1 << 23, 1, 1 << 23));
        assert!(one.counted_s > 0.0 && one.counted_s == other.counted_s);
    }
}

/// A synthetic kernel together with one whose threads wait for each other.
#[test]
fn kernels_of_all_kinds_are_measured_together() {
    let _alone = ALONE.lock();
    let real = app(Real::Dmv(Dmv { rows: 200 }), 2, &here());
    let synthetic =
        PlannedApp { kernel: Kernel::lightest(Access::Triad).into(), name: "triad".into(), ..real.clone() };
    let copy = PlannedApp {
        name: "copy".into(),
        ..app(Real::Memcpy(Memcpy { faults: Faults::Inside, ..COPY }), 1, &here())
    };
    let scenario = PlannedScenario { name: "test".into(), apps: vec![real, synthetic, copy], fitted: false };
    // Six threads on two logical CPUs: each gets some time in a second.
    let settings = Settings { window: Duration::from_secs(1), ..settings() };
    let measured = runner().measure(&scenario, &settings).expect("measured");
    let counted: Vec<usize> = measured.apps.iter().map(|app| app.threads.len()).collect();
    assert_eq!(counted, [2, 2, 1]);
    assert!(measured.apps.iter().flat_map(|app| &app.threads).all(|thread| thread.bytes > 0));
}

fn pages(threads: &[MeasuredThread], node: u32) -> u64 {
    threads.iter().filter_map(|thread| thread.pages.get(&node)).sum()
}

#[test]
fn divided_and_shared_arrays_have_their_planned_placement() {
    let _alone = ALONE.lock();
    let [first, second, ..] = nodes()[..] else {
        return eprintln!("skipped: one NUMA node; the test guest (.ci/guest) has more");
    };
    let each = vec![vec![(first, 1.0)], vec![(second, 1.0)]];
    // 2 x 8 x 512^2 bytes of the matrix are 1024 pages; half of the rows are half of them. Six vectors of a page each start in the first
    // part.
    let measured = measure(&mut runner(), app(Real::Dmv(Dmv { rows: 512 }), 2, &each), &settings()).threads;
    assert!(
        measured.iter().all(|thread| thread.misplaced.is_empty() && thread.pages_unknown.is_none()),
        "{measured:?}"
    );
    assert_eq!((pages(&measured, first), pages(&measured, second)), (512 + 6, 512));
    // Three grids of 8 x 512^2 bytes, 512 pages each, and half of their rows with each thread.
    let grid = Real::Stencil2d(Stencil2d { rows: 512, columns: 512 });
    let measured = measure(&mut runner(), app(grid, 2, &each), &settings()).threads;
    assert!(measured.iter().all(|thread| thread.misplaced.is_empty()), "{measured:?}");
    assert_eq!((pages(&measured, first), pages(&measured, second)), (768, 768));
    // A source of 4 MiB on the second node, and a copy with each thread.
    let arrays = Arrays { shared: vec![(second, 1.0)], own: each.clone() };
    let copy = PlannedApp { arrays: Some(arrays), ..app(Real::Memcpy(COPY), 2, &each) };
    let measured = measure(&mut runner(), copy, &settings()).threads;
    assert!(measured.iter().all(|thread| thread.misplaced.is_empty()), "{measured:?}");
    assert_eq!((pages(&measured, first), pages(&measured, second)), (1024, 2048));
}

#[test]
fn an_impossible_problem_is_rejected_before_allocation() {
    let app = app(Real::Dmv(Dmv { rows: 0 }), 1, &here());
    let scenario = PlannedScenario { name: "test".into(), apps: vec![app], fitted: false };
    let refused = runner().measure(&scenario, &settings()).expect_err("no rows").to_string();
    assert_eq!(refused, "rows 0: from 1 to 16777216 are possible");
}
