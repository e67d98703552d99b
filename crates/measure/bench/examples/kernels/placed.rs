//! A kernel that threads run together, on memory with huge pages, in timed windows.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use numasim_kernels::kernel::{Kernel, Problem, Work};
use numasim_kernels::loops::Loops;
use numasim_kernels::team::Team;

use crate::measure::Rate;
use crate::system::{Failure, memory, pin};

/// A prepared kernel.
pub(crate) struct Placed {
    kernel: Box<dyn Kernel>,
    processors: Vec<usize>,
    /// Number of steps that every part has done.
    done: u64,
    /// Number of steps of a window.
    steps: u64,
}

impl Placed {
    /// On separate memory, which stays allocated until the program exits; each part is prepared by its thread.
    pub(crate) fn new(
        problem: &dyn Problem,
        processors: &[usize],
        loops: Loops,
        window: Duration,
    ) -> Result<Self, Failure> {
        let team = Team::of(processors.len())?;
        let needs = problem.arrays(&team)?;
        let arrays = needs.iter().map(|need| memory(8 * need.words())).collect::<Result<Vec<_>, _>>()?;
        let kernel: Box<dyn Kernel> = problem.on(&team, loops, arrays)?;
        std::thread::scope(|scope| {
            let threads: Vec<_> = (processors.iter().enumerate())
                .map(|(part, &cpu)| {
                    let kernel = &*kernel;
                    scope.spawn(move || {
                        pin(cpu);
                        kernel.prepare(part)
                    })
                })
                .collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?.map_err(Failure::from))
        })?;
        let mut placed = Self { kernel, processors: processors.to_vec(), done: 0, steps: 1 };
        // Enough steps to fill the window; they double until they take long enough to be timed.
        loop {
            let took = placed.window()?.0;
            if took > window / 8 {
                placed.steps =
                    (placed.steps as f64 * window.as_secs_f64() / took.as_secs_f64()).ceil().max(1.0) as u64;
                return Ok(placed);
            }
            placed.steps *= 2;
        }
    }

    /// One window, whose result is compared with a serial run.
    pub(crate) fn measure(&mut self) -> Result<Rate, Failure> {
        let (took, work) = self.window()?;
        self.kernel.check(&vec![self.done; self.processors.len()])?;
        let ns = took.as_secs_f64() * 1e9;
        Ok(Rate { gbs: work.bytes as f64 / ns, gflops: work.flop as f64 / ns })
    }

    /// All steps of all parts, from the common start to the last end.
    fn window(&mut self) -> Result<(Duration, Work), Failure> {
        let (kernel, from, to) = (&*self.kernel, self.done, self.done + self.steps);
        let barrier = Barrier::new(self.processors.len());
        let times = std::thread::scope(|scope| -> Result<Vec<(Instant, Instant)>, Failure> {
            let threads: Vec<_> = (self.processors.iter().enumerate())
                .map(|(part, &cpu)| {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        pin(cpu);
                        barrier.wait();
                        let start = Instant::now();
                        for step in from..to {
                            kernel.run(part, step)?;
                            if kernel.in_lockstep() {
                                barrier.wait();
                            }
                        }
                        Ok((start, Instant::now()))
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread panicked")?).collect()
        })?;
        self.done = to;
        let start = times.iter().map(|times| times.0).min().ok_or("no thread")?;
        let end = times.iter().map(|times| times.1).max().ok_or("no thread")?;
        let one: Work = (0..self.processors.len()).map(|part| kernel.work(part)).sum();
        Ok((end - start, Work { bytes: one.bytes * self.steps, flop: one.flop * self.steps }))
    }
}
