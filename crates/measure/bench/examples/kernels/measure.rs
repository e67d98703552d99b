//! Timed windows of a kernel on the logical CPUs of this host.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use numasim_evidence::measured::Figure;
use numasim_kernels::kernel::Work;
use numasim_kernels::synthetic::PreparedKernel;

use crate::system::{Failure, memory, pin, processors};

/// Data that fits the first-level cache of any processor.
pub(crate) const L1_BYTES: usize = 16 << 10;

/// GB/s and GFLOPS.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rate {
    pub(crate) gbs: f64,
    pub(crate) gflops: f64,
}

/// The host's logical CPUs, each with its memory.
pub(crate) struct Bench {
    pub(crate) processors: Vec<usize>,
    memory: Vec<&'static mut [f64]>,
    window: Duration,
}

impl Bench {
    pub(crate) fn new(bytes: usize, window: Duration) -> Result<Self, Failure> {
        let processors = processors();
        let memory = processors.iter().map(|_| memory(bytes)).collect::<Result<_, _>>()?;
        Ok(Self { processors, memory, window })
    }

    /// Fills the first `len` elements of each memory, in the thread that will work on it.
    pub(crate) fn fill(&mut self, kernel: &PreparedKernel, len: usize) {
        std::thread::scope(|scope| {
            for (&cpu, memory) in self.processors.iter().zip(&mut self.memory) {
                scope.spawn(move || {
                    pin(cpu);
                    kernel.fill(&mut memory[..len]);
                });
            }
        });
    }

    /// One window of `threads` threads on the first `len` elements of their memory.
    pub(crate) fn measure(
        &mut self,
        kernel: &PreparedKernel,
        threads: usize,
        len: usize,
    ) -> Result<Rate, Failure> {
        let (barrier, window) = (Barrier::new(threads), self.window);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (self.processors.iter().zip(&mut self.memory).take(threads))
                .map(|(&cpu, memory)| {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        pin(cpu);
                        let data = &mut memory[..len];
                        let mut cursor = kernel.cursor(len);
                        barrier.wait();
                        let start = Instant::now();
                        while start.elapsed() < window / 4 {
                            kernel.run(data, &mut cursor);
                        }
                        let (start, mut all) = (Instant::now(), Work::default());
                        let mut elapsed = Duration::ZERO;
                        while elapsed < window {
                            all += kernel.run(data, &mut cursor);
                            elapsed = start.elapsed();
                        }
                        let ns = elapsed.as_secs_f64() * 1e9;
                        Rate { gbs: all.bytes as f64 / ns, gflops: all.flop as f64 / ns }
                    })
                })
                .collect();
            let mut all = Rate::default();
            for thread in threads {
                let rate = thread.join().map_err(|_| "a thread panicked")?;
                all = Rate { gbs: all.gbs + rate.gbs, gflops: all.gflops + rate.gflops };
            }
            Ok(all)
        })
    }
}

/// Median, and the spread in percent; the spread is unknown for one repetition.
pub(crate) fn middle_and_spread(values: &[f64]) -> Result<(f64, String), Failure> {
    let figure = Figure::of(values).ok_or("nothing was measured: --repeat must be at least 1")?;
    Ok((figure.median, figure.spread.map_or("-".to_owned(), |spread| format!("{:.1}", 100.0 * spread))))
}
