//! Counting with kernels of known work, by the clock of the system and by one that advances only during work.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use numasim_kernels::kernel::{Kernel, WrongResult};

use super::*;
use crate::runner::RunError;
use crate::runner::crew::{Phase, conduct};
use numasim_kernels::loops::Isa;

/// Adds up a thousand numbers: 8 bytes and 1 FLOP each.
#[derive(Default)]
struct Sum {
    parts: usize,
    lockstep: bool,
    most_steps: Option<u64>,
    /// Steps of all parts, to detect whether any is behind.
    taken: [AtomicU64; 2],
}

impl Kernel for Sum {
    fn parts(&self) -> usize {
        self.parts
    }

    fn prepare(&self, _: usize) -> Result<(), AccessError> {
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        self.lockstep
    }

    fn most_steps(&self) -> Option<u64> {
        self.most_steps
    }

    fn run(&self, part: usize, step: u64) -> Result<(), AccessError> {
        // In lockstep the other one is at this step, or has just ended it.
        let others = self.taken[(part + 1) % self.parts].load(SeqCst);
        if self.lockstep && !(step..=step + 1).contains(&others) {
            return Err(AccessError::Busy { what: "numbers" });
        }
        std::hint::black_box((0..1000).map(f64::from).sum::<f64>());
        self.taken[part].store(step + 1, SeqCst);
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        Work { bytes: 8000, flop: 1000 }
    }

    fn check_part(&self, _: usize, _: &[u64]) -> Result<(), WrongResult> {
        Ok(())
    }
}

fn settings() -> Settings {
    Settings {
        isa: Isa::Portable,
        warm_up: Duration::from_millis(5),
        window: Duration::from_millis(30),
        bytes_per_thread: 8192,
        processes: false,
    }
}

/// Two threads of one crew: their counts, and their steps as recorded by the crew. On a busy host a thread may get no logical CPU for a
/// whole window: then it is repeated.
fn both(kernel: impl Fn() -> Sum) -> Vec<(Counted, Vec<u64>)> {
    loop {
        let counted = once(kernel());
        if counted.iter().all(|(counted, _)| counted.steps > 0) {
            return counted;
        }
    }
}

fn once(kernel: Sum) -> Vec<(Counted, Vec<u64>)> {
    let (gate, crew) = (Gate::default(), Crew::new("sum", Box::new(Sum { parts: 2, ..kernel })));
    std::thread::scope(|scope| {
        let threads = [0, 1].map(|part| {
            let (gate, crew) = (&gate, &crew);
            scope.spawn(move || {
                let mut worker = Worker::new(SystemClock, crew, part, gate, 2);
                let counted = worker.count(&settings()).expect("nobody gives up");
                (counted, crew.end(gate, part, worker.step).expect("nobody gives up"))
            })
        });
        let started = conduct(&gate, 2, &settings(), |_| Ok(())).expect("nobody gives up");
        assert!(started.is_some());
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn a_thread_counts_whole_steps_in_its_own_time() {
    for (part, (counted, steps)) in both(Sum::default).into_iter().enumerate() {
        assert!(counted.steps > 0 && counted.looks > 0);
        assert_eq!(counted.work, Work { bytes: 8000 * counted.steps, flop: 1000 * counted.steps });
        assert!(counted.time_ns > 0 && !counted.cpus.is_empty(), "{counted:?}");
        assert_eq!((counted.waited_ns, steps.len()), (0, 2));
        // Its own steps: the other one may have had less CPU time.
        assert!(steps[part] > counted.steps, "before and after the window, too: {steps:?}");
    }
}

#[test]
fn threads_in_lockstep_do_equal_numbers_of_steps() {
    let counted = both(|| Sum { lockstep: true, ..Sum::default() });
    let steps = &counted[0].1;
    assert_eq!(steps[0], steps[1]);
    for (counted, same) in &counted {
        assert_eq!(same, steps);
        assert!(
            counted.steps > 0 && counted.waited_ns > 0 && counted.waited_ns < counted.time_ns,
            "{counted:?}"
        );
        // Two reads for each wait, and those of the stretches.
        assert!(counted.looks > 2 * counted.steps, "{counted:?}");
    }
}

#[test]
fn a_finite_problem_is_done_once_and_takes_as_long_as_its_last_thread() {
    let counted = both(|| Sum { most_steps: Some(3), ..Sum::default() });
    let [(first, steps), (second, _)] = &counted[..] else { panic!("two") };
    assert_eq!((first.steps, second.steps, &steps[..]), (3, 3, &[3, 3][..]));
    assert_eq!(first.work, Work { bytes: 24_000, flop: 3000 });
    assert!(first.time_ns == second.time_ns && first.time_ns > 0, "{first:?} {second:?}");
}

#[test]
fn an_overlap_of_steps_aborts_the_measurement() {
    // The other part never took a step.
    let (gate, kernel) = (Gate::default(), Sum { parts: 2, lockstep: true, ..Sum::default() });
    kernel.taken[1].store(9, SeqCst);
    let crew = Crew::new("sum", Box::new(kernel));
    let stopped = Worker::new(SystemClock, &crew, 0, &gate, 2).count(&settings());
    assert_eq!(stopped, Err(Stopped::Access(AccessError::Busy { what: "numbers" })));
}

/// A clock that advances only during work or a read: 10 ns per read.
#[derive(Default)]
struct Mock(AtomicU64);

impl Clock for &Mock {
    fn now_ns(&self) -> u64 {
        self.0.fetch_add(10, SeqCst) + 10
    }

    fn look_cost_ns(&self) -> f64 {
        10.0
    }
}

/// This number of ns, 64 bytes and 3 FLOP per step.
struct Steps<'a>(&'a Mock, u64);

impl Kernel for Steps<'_> {
    fn parts(&self) -> usize {
        1
    }

    fn prepare(&self, _: usize) -> Result<(), AccessError> {
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        false
    }

    fn run(&self, _: usize, _: u64) -> Result<(), AccessError> {
        self.0.0.fetch_add(self.1, SeqCst);
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        Work { bytes: 64, flop: 3 }
    }

    fn check_part(&self, _: usize, _: &[u64]) -> Result<(), WrongResult> {
        Ok(())
    }
}

/// One thread whose steps take this long by its own clock; the start is after 1 ms.
fn mocked(step_ns: u64) -> (Counted, u64) {
    let (gate, mock) = (Gate::default(), Mock::default());
    gate.start_at(1_000_000);
    let crew = Crew::new("mock", Box::new(Steps(&mock, step_ns)));
    let mut worker = Worker::new(&mock, &crew, 0, &gate, 1);
    let counted = worker.count(&settings()).expect("nobody gives up");
    (counted, worker.step)
}

#[test]
fn the_window_is_counted_to_the_end_of_its_last_stretch() {
    let (counted, steps) = mocked(1000);
    // A stretch takes at least 50,000 ns: a step alone takes 1010 with its read, so 49 at first; 49 take 49,010, and 50,000 / 1000.2 are 49
    // again. The window starts with a read and has 30 ms: 612.1 stretches, 613 to its end, or 612 if it started late in its first one.
    assert_eq!(counted.time_ns, 49_010 * counted.looks);
    assert_eq!((counted.steps, counted.look_ns), (49 * counted.looks, 10.0));
    assert_eq!(counted.work, Work { bytes: 64 * counted.steps, flop: 3 * counted.steps });
    assert!([612, 613].contains(&counted.looks) && steps > counted.steps, "{counted:?}");
}

#[test]
fn a_step_longer_than_the_window_is_counted_alone() {
    // 100 ms, and a window of 30: after three tried ones it is over, and one is counted.
    let (counted, steps) = mocked(100_000_000);
    assert_eq!((counted.steps, counted.time_ns, steps), (1, 100_000_010, 4));
}

#[test]
fn all_threads_stop_when_the_conductor_aborts() {
    let (gate, crew) = (Gate::default(), Crew::new("sum", Box::new(Sum { parts: 1, ..Sum::default() })));
    let (conducted, counted) = std::thread::scope(|scope| {
        let one = scope.spawn(|| Worker::new(SystemClock, &crew, 0, &gate, 1).count(&settings()));
        let conducted = conduct(&gate, 1, &settings(), |phase| match phase {
            Phase::Preparing => Ok(()),
            Phase::Measuring => Err(RunError::Interrupted),
        });
        (conducted, one.join().expect("no panic"))
    });
    assert!(matches!(conducted, Err(RunError::Interrupted)));
    assert_eq!(counted, Err(Stopped::Aborted));
}

#[test]
fn a_stretch_grows_to_its_length_step_by_step() {
    let mut stretch = Stretch { ns: 100_000.0, steps: 1 };
    stretch.adapt(10); // 10 ns for a step: 10,000 wanted, 64 at first
    assert_eq!(stretch.steps, 64);
    stretch.adapt(64 * 100);
    assert_eq!(stretch.steps, 1000);
    stretch.adapt(10_000_000_000);
    assert_eq!(stretch.steps, 1);
}
