//! What a thread does between the common start and the end: it works and looks at the clock.

use numasim_host::os::{clock, cpu};

use super::Settings;
use super::gate::{Gate, nanoseconds};
use crate::kernel::{Cursor, PreparedKernel, WrongResult};

/// Moments in the window at which a thread looks on which processor it is.
const CPU_LOOKS: u64 = 8;
/// A stretch of work between two looks at the clock is at least that many times as long as a look.
const LOOKS_PER_STRETCH: f64 = 4000.0;
/// ... at least that long, in nanoseconds,
const SHORTEST_STRETCH: f64 = 50_000.0;
/// ... and at most this share of the window: its ends are not sharper than a stretch.
const LONGEST_STRETCH: f64 = 0.02;

/// Work that can be done chunk by chunk on the data of one thread.
pub(super) trait Workload {
    /// How far it is.
    type Cursor;
    /// The next chunk: its traffic in bytes and its floating-point operations.
    fn run(&self, data: &mut [f64], cursor: &mut Self::Cursor) -> (u64, u64);
    /// The result so far is what it has to be.
    fn check(&self, data: &[f64], cursor: &Self::Cursor) -> Result<(), WrongResult>;
}

impl Workload for PreparedKernel {
    type Cursor = Cursor;

    fn run(&self, data: &mut [f64], cursor: &mut Cursor) -> (u64, u64) {
        let work = Self::run(self, data, cursor);
        (work.bytes, work.flop)
    }

    fn check(&self, data: &[f64], cursor: &Cursor) -> Result<(), WrongResult> {
        Self::check(self, data, cursor)
    }
}

/// What time it is.
pub(super) trait Clock {
    /// Nanoseconds; the same for all threads.
    fn now_ns(&self) -> u64;
    /// What a look costs, in nanoseconds.
    fn look_cost_ns(&self) -> f64;
}

/// The clock of the system.
pub(super) struct SystemClock;

impl Clock for SystemClock {
    fn now_ns(&self) -> u64 {
        clock::now_ns()
    }

    fn look_cost_ns(&self) -> f64 {
        clock::look_cost_ns()
    }
}

/// What a thread counted in the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counted {
    /// From the first look at the clock in the window to the first look after it, in nanoseconds.
    pub(super) time_ns: u64,
    /// Traffic in that time.
    pub(super) bytes: u64,
    /// Floating-point operations in that time.
    pub(super) flop: u64,
    /// Chunks in that time.
    pub(super) chunks: u64,
    /// Looks at the clock in that time.
    pub(super) looks: u64,
    /// What one of them costs, in nanoseconds.
    pub(super) look_ns: f64,
    /// Processors seen: before, some times within and after the window, each once, ascending.
    pub(super) cpus: Vec<u32>,
}

/// The thread, bound and with its data filled.
pub(super) struct Worker<'a, W: Workload, C: Clock> {
    pub(super) clock: C,
    pub(super) work: &'a W,
    pub(super) data: &'a mut [f64],
    pub(super) cursor: W::Cursor,
}

impl<W: Workload, C: Clock> Worker<'_, W, C> {
    /// Chunks one after the other: bytes and operations.
    fn chunks(&mut self, chunks: u64) -> (u64, u64) {
        let mut sum = (0, 0);
        for _ in 0..chunks {
            let (bytes, flop) = self.work.run(self.data, &mut self.cursor);
            sum = (sum.0 + bytes, sum.1 + flop);
        }
        sum
    }

    /// Waits for the common start, warms up, counts in the window, and works on until all `threads` have counted, so
    /// that nobody is measured beside neighbours that have stopped. `None` if the measurement was given up.
    ///
    /// In the window nothing is allocated, and no memory is written that another thread reads.
    pub(super) fn count(&mut self, gate: &Gate, threads: u32, settings: &Settings) -> Option<Counted> {
        let look_ns = self.clock.look_cost_ns();
        let window = nanoseconds(settings.window);
        let longest = window as f64 * LONGEST_STRETCH;
        let mut stretch =
            Stretch { ns: (look_ns * LOOKS_PER_STRETCH).max(SHORTEST_STRETCH).min(longest), chunks: 1 };
        // How long a chunk takes, before the warm-up may be over at once.
        for _ in 0..3 {
            let before = self.clock.now_ns();
            self.chunks(stretch.chunks);
            stretch.adapt(self.clock.now_ns() - before);
        }
        let mut cpus = Vec::with_capacity(usize::try_from(CPU_LOOKS).unwrap_or_default() + 4);
        cpus.push(cpu::current());

        let start = gate.wait_for_start()?.checked_add(nanoseconds(settings.warm_up))?;
        let end = start.checked_add(window)?;
        let mut look = self.clock.now_ns();
        while look < start {
            self.chunks(stretch.chunks);
            let before = std::mem::replace(&mut look, self.clock.now_ns());
            stretch.adapt(look - before);
            if gate.aborted() {
                return None;
            }
        }

        let began = look;
        let (mut bytes, mut flop, mut chunks, mut looks) = (0, 0, 0, 0);
        cpus.push(cpu::current());
        let pause = (window / CPU_LOOKS).max(1);
        let mut next_cpu_look = began + pause;
        while look < end {
            let done = self.chunks(stretch.chunks);
            (bytes, flop) = (bytes + done.0, flop + done.1);
            chunks += stretch.chunks;
            look = self.clock.now_ns();
            looks += 1;
            if look >= next_cpu_look {
                next_cpu_look = look + pause;
                cpus.push(cpu::current());
            }
            if gate.aborted() {
                return None;
            }
        }
        let time_ns = look - began;
        cpus.push(cpu::current());

        gate.finish();
        while !gate.all_finished(threads) {
            if gate.aborted() {
                return None;
            }
            self.chunks(stretch.chunks);
        }
        cpus.sort_unstable();
        cpus.dedup();
        Some(Counted { time_ns, bytes, flop, chunks, looks, look_ns, cpus })
    }

    /// See [`Workload::check`].
    pub(super) fn check(&self) -> Result<(), WrongResult> {
        self.work.check(self.data, &self.cursor)
    }
}

/// The work between two looks at the clock.
struct Stretch {
    /// How long it should take.
    ns: f64,
    /// Chunks that take about that long.
    chunks: u64,
}

impl Stretch {
    /// Learns from the time of the last stretch.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and conversions saturate"
    )]
    fn adapt(&mut self, took_ns: u64) {
        let chunk_ns = took_ns.max(1) as f64 / self.chunks as f64;
        // Not far above what was tried: an interrupt or a page fault may have made it look slow or fast.
        self.chunks = ((self.ns / chunk_ns) as u64).clamp(1, self.chunks.saturating_mul(64));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;
    use crate::kernel::Isa;
    use crate::runner::RunError;
    use crate::runner::gate::{Phase, conduct};

    /// Adds up numbers: 8 bytes and 1 FLOP each.
    struct Sum;

    impl Workload for Sum {
        type Cursor = (usize, f64);

        fn run(&self, data: &mut [f64], cursor: &mut Self::Cursor) -> (u64, u64) {
            cursor.1 += data.iter().sum::<f64>();
            cursor.0 += 1;
            (8 * data.len() as u64, data.len() as u64)
        }

        fn check(&self, data: &[f64], cursor: &Self::Cursor) -> Result<(), WrongResult> {
            assert_eq!(cursor.1, (cursor.0 * data.len()) as f64);
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

    fn count(gate: &Gate, threads: u32) -> Option<Counted> {
        let mut data = vec![1.0; 1000];
        let mut worker = Worker { clock: SystemClock, work: &Sum, data: &mut data, cursor: (0, 0.0) };
        let counted = worker.count(gate, threads, &settings())?;
        worker.check().map(|()| counted).ok()
    }

    #[test]
    fn a_thread_counts_whole_chunks_in_its_own_time() {
        let gate = Gate::default();
        let (started, counted) = std::thread::scope(|scope| {
            let both = [(); 2].map(|()| scope.spawn(|| count(&gate, 2)));
            let started = conduct(&gate, 2, &settings(), |_| Ok(())).expect("nobody gives up");
            (started, both.map(|thread| thread.join().expect("no panic").expect("not given up")))
        });
        assert!(started.is_some());
        for counted in counted {
            assert!(counted.chunks > 0 && counted.looks > 0);
            assert_eq!((counted.bytes, counted.flop), (8000 * counted.chunks, 1000 * counted.chunks));
            assert!(counted.time_ns > 0 && !counted.cpus.is_empty(), "{counted:?}");
        }
    }

    /// A clock that goes on only while somebody works or looks at it: 10 ns a look.
    #[derive(Default)]
    struct Mock(Cell<u64>);

    impl Clock for &Mock {
        fn now_ns(&self) -> u64 {
            self.0.set(self.0.get() + 10);
            self.0.get()
        }

        fn look_cost_ns(&self) -> f64 {
            10.0
        }
    }

    /// 1000 ns, 64 bytes and 3 FLOP a chunk.
    impl Workload for Mock {
        type Cursor = ();

        fn run(&self, _: &mut [f64], (): &mut ()) -> (u64, u64) {
            self.0.set(self.0.get() + 1000);
            (64, 3)
        }

        fn check(&self, _: &[f64], (): &()) -> Result<(), WrongResult> {
            Ok(())
        }
    }

    #[test]
    fn the_window_is_counted_to_the_end_of_its_last_stretch() {
        let (gate, mock) = (Gate::default(), Mock::default());
        gate.start_at(1_000_000);
        let mut worker = Worker { clock: &mock, work: &mock, data: &mut [], cursor: () };
        let counted = worker.count(&gate, 1, &settings()).expect("nobody gives up");
        // A stretch takes at least 50,000 ns: a chunk alone takes 1010 with its look, so 49 at first; 49 take 49,010, and
        // 50,000 / 1000.2 are 49 again. The window begins with a look and has 30 ms: 612.1 stretches, 613 to its end, or
        // 612 if it began late in its first one.
        assert_eq!(counted.time_ns, 49_010 * counted.looks);
        assert_eq!((counted.chunks, counted.look_ns), (49 * counted.looks, 10.0));
        assert_eq!((counted.bytes, counted.flop), (64 * counted.chunks, 3 * counted.chunks));
        assert!([612, 613].contains(&counted.looks), "{counted:?}");
    }

    #[test]
    fn everybody_ends_when_the_conductor_gives_up() {
        let gate = Gate::default();
        let (conducted, counted) = std::thread::scope(|scope| {
            let one = scope.spawn(|| count(&gate, 1));
            let conducted = conduct(&gate, 1, &settings(), |phase| match phase {
                Phase::Preparing => Ok(()),
                Phase::Measuring => Err(RunError::Interrupted),
            });
            (conducted, one.join().expect("no panic"))
        });
        assert!(matches!(conducted, Err(RunError::Interrupted)));
        assert_eq!(counted, None);
    }

    #[test]
    fn a_stretch_grows_to_its_length_step_by_step() {
        let mut stretch = Stretch { ns: 100_000.0, chunks: 1 };
        stretch.adapt(10); // 10 ns for a chunk: 10,000 wanted, 64 at first
        assert_eq!(stretch.chunks, 64);
        stretch.adapt(64 * 100);
        assert_eq!(stretch.chunks, 1000);
        stretch.adapt(10_000_000_000);
        assert_eq!(stretch.chunks, 1);
    }
}
