//! The work of a thread between the common start and the end: it runs steps and reads the clock.

use std::thread;
use std::time::Duration;

use numasim_host::os::thread::{current_cpu, look_cost_ns, minor_faults, now_ns};
use numasim_kernels::array::AccessError;
use numasim_kernels::kernel::Work;

use super::Settings;
use super::crew::{Crew, Gate, nanoseconds};

/// Number of times in the window at which a thread checks its logical CPU.
const CPU_LOOKS: u64 = 8;
/// A stretch of work between two clock reads takes at least this many times as long as a read.
const LOOKS_PER_STRETCH: f64 = 4000.0;
/// Minimum length of a stretch, in nanoseconds.
const SHORTEST_STRETCH: f64 = 50_000.0;
/// Maximum length of a stretch as a fraction of the window: the ends of the window are only as precise as a stretch.
const LONGEST_STRETCH: f64 = 0.02;
/// Stretches before the start, which determine the length of a step.
const TRIED: usize = 3;
/// Interval at which a thread that has done its part of a finite problem checks whether all others have finished.
const LOOK_FOR_END: Duration = Duration::from_micros(200);

/// A source of time.
pub(super) trait Clock {
    /// Nanoseconds; the same for all threads.
    fn now_ns(&self) -> u64;
    /// Cost of one read, in nanoseconds.
    fn look_cost_ns(&self) -> f64;
}

/// The clock of the system.
pub(super) struct SystemClock;

impl Clock for SystemClock {
    fn now_ns(&self) -> u64 {
        now_ns()
    }

    fn look_cost_ns(&self) -> f64 {
        look_cost_ns()
    }
}

/// The counts of a thread in the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// From the first clock read in the window to the first one after it, in nanoseconds. For a finite problem: from the common start until
    /// the last thread had done its part.
    pub(super) time_ns: u64,
    /// Work in that time.
    pub(super) work: Work,
    /// Steps in that time.
    pub(super) steps: u64,
    /// Clock reads in that time.
    pub(super) looks: u64,
    /// Cost of one of them, in nanoseconds.
    pub(super) look_ns: f64,
    /// The part of that time in which it waited for other threads, in nanoseconds.
    pub(super) waited_ns: u64,
    /// Page faults in that time.
    pub(super) page_faults: u64,
    /// Logical CPUs it was seen on: before, several times within and after the window, each once, ascending.
    pub(super) cpus: Vec<u32>,
}

/// The reason why a thread stops.
#[derive(Debug, PartialEq)]
pub(super) enum Stopped {
    /// The measurement was aborted.
    Aborted,
    /// The kernel reports that its steps overlap.
    Access(AccessError),
}

impl From<AccessError> for Stopped {
    fn from(error: AccessError) -> Self {
        Self::Access(error)
    }
}

/// The bound thread of a part, when everything of its crew is prepared.
pub(super) struct Worker<'a, C: Clock> {
    pub(super) clock: C,
    pub(super) crew: &'a Crew<'a>,
    pub(super) part: usize,
    pub(super) gate: &'a Gate,
    /// Threads of all crews and processes.
    pub(super) threads: u32,
    /// Steps done since the part was prepared.
    pub(super) step: u64,
    /// Whether it waits for the others after each step, and after each phase of one.
    lockstep: bool,
    /// Phases of a step.
    phases: u64,
    /// Nanoseconds that it waited for others between steps.
    waited_ns: u64,
    /// Clock reads for that.
    looks: u64,
}

impl<'a, C: Clock> Worker<'a, C> {
    pub(super) fn new(clock: C, crew: &'a Crew<'a>, part: usize, gate: &'a Gate, threads: u32) -> Self {
        let (lockstep, phases) = (crew.kernel.in_lockstep(), crew.kernel.phases().max(1));
        Self { clock, crew, part, gate, threads, step: 0, lockstep, phases, waited_ns: 0, looks: 0 }
    }

    /// Runs steps in sequence; returns whether the crew has ended. In lockstep all wait for each other after each step, and the last one to
    /// arrive sees whether all have counted: so all end after the same step.
    fn steps(&mut self, steps: u64) -> Result<bool, Stopped> {
        let kernel = &*self.crew.kernel;
        for _ in 0..steps {
            let first = self.step * self.phases;
            self.step += 1;
            for phase in 1..self.phases {
                kernel.run(self.part, first + phase - 1)?;
                self.meet(|| false)?;
            }
            kernel.run(self.part, first + self.phases - 1)?;
            let (gate, threads) = (self.gate, self.threads);
            if self.meet(|| gate.all_finished(threads))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits for the others in lockstep; the last one to arrive evaluates `over`.
    fn meet(&mut self, over: impl FnOnce() -> bool) -> Result<bool, Stopped> {
        if !self.lockstep {
            return Ok(false);
        }
        let before = self.clock.now_ns();
        let over = self.crew.meeting.wait(self.gate, over).ok_or(Stopped::Aborted)?;
        self.waited_ns += self.clock.now_ns() - before;
        self.looks += 2;
        Ok(over)
    }

    fn go_on(&self) -> Result<(), Stopped> {
        if self.gate.aborted() { Err(Stopped::Aborted) } else { Ok(()) }
    }

    /// Waits for the common start, warms up, counts in the window, and continues to work until all threads have counted, so that no thread
    /// is measured next to neighbours that have stopped. A finite problem runs once instead.
    ///
    /// In the window nothing is allocated, and no memory is written that another thread reads, except for the communication between steps
    /// of the kernel.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn count(&mut self, settings: &Settings) -> Result<Counted, Stopped> {
        match self.crew.kernel.most_steps() {
            Some(steps) => self.whole(steps, settings),
            None => self.window(settings),
        }
    }

    fn window(&mut self, settings: &Settings) -> Result<Counted, Stopped> {
        let look_ns = self.clock.look_cost_ns();
        let window = nanoseconds(settings.window);
        let longest = window as f64 * LONGEST_STRETCH;
        let mut stretch =
            Stretch { ns: (look_ns * LOOKS_PER_STRETCH).max(SHORTEST_STRETCH).min(longest), steps: 1 };
        // The length of a step, before the warm-up may be over at once. A thread that waits for others tries the same number of steps as
        // they do.
        let mut shortest = u64::MAX;
        for _ in 0..TRIED {
            let before = self.clock.now_ns();
            self.steps(stretch.steps)?;
            let took = self.clock.now_ns() - before;
            shortest = shortest.min(took / stretch.steps);
            if !self.lockstep {
                stretch.adapt(took);
            }
        }
        let mut cpus = Vec::with_capacity(usize::try_from(CPU_LOOKS).unwrap_or_default() + 4);
        cpus.push(current_cpu());

        let start = self.start(settings)?;
        let end = start.checked_add(window).ok_or(Stopped::Aborted)?;
        let mut look = self.clock.now_ns();
        while look < start {
            self.steps(stretch.steps)?;
            let before = std::mem::replace(&mut look, self.clock.now_ns());
            stretch.adapt(look - before);
            self.go_on()?;
        }

        cpus.push(current_cpu());
        (self.waited_ns, self.looks) = (0, 0);
        let (mut steps, mut looks) = (0, 0);
        let faults = minor_faults();
        let began = self.clock.now_ns();
        look = began;
        let pause = (window / CPU_LOOKS).max(1);
        let mut next_cpu_look = began + pause;
        // If one step is longer than the window, one step is counted.
        let mut at_least_one = shortest > window / 2;
        while look < end || at_least_one {
            at_least_one = false;
            self.steps(stretch.steps)?;
            steps += stretch.steps;
            look = self.clock.now_ns();
            looks += 1;
            if look >= next_cpu_look {
                next_cpu_look = look + pause;
                cpus.push(current_cpu());
            }
            self.go_on()?;
        }
        let time_ns = look - began;
        let page_faults = minor_faults() - faults;
        cpus.push(current_cpu());
        let (waited_ns, looks) = (self.waited_ns, looks + self.looks);

        self.gate.finish();
        if self.lockstep {
            while !self.steps(1)? {}
        } else {
            while !self.gate.all_finished(self.threads) {
                self.go_on()?;
                self.steps(stretch.steps)?;
            }
        }
        let work = self.work(steps);
        Ok(Counted { time_ns, work, steps, looks, look_ns, waited_ns, page_faults, cpus: once_each(cpus) })
    }

    /// Runs a finite problem once: all steps from the common start on. Before that, the processor only reads the clock, so that its
    /// frequency is up.
    fn whole(&mut self, steps: u64, settings: &Settings) -> Result<Counted, Stopped> {
        let look_ns = self.clock.look_cost_ns();
        let mut cpus = vec![current_cpu()];
        let start = self.start(settings)?;
        while self.clock.now_ns() < start {
            self.go_on()?;
        }
        let faults = minor_faults();
        // Counted from the start on: a late start of a thread counts.
        self.steps(steps)?;
        let end = self.clock.now_ns();
        let page_faults = minor_faults() - faults;
        cpus.push(current_cpu());
        self.crew.done_at(end);
        self.gate.finish();
        while !self.gate.all_finished(self.threads) {
            self.go_on()?;
            thread::sleep(LOOK_FOR_END);
        }
        let time_ns = self.crew.last_done().saturating_sub(start);
        let (work, waited_ns, cpus) = (self.work(steps), self.waited_ns, once_each(cpus));
        Ok(Counted { time_ns, work, steps, looks: 1 + self.looks, look_ns, waited_ns, page_faults, cpus })
    }

    /// Waits for the common start; returns the start of the window.
    fn start(&self, settings: &Settings) -> Result<u64, Stopped> {
        let start = self.gate.wait_for_start().ok_or(Stopped::Aborted)?;
        start.checked_add(nanoseconds(settings.warm_up)).ok_or(Stopped::Aborted)
    }

    fn work(&self, steps: u64) -> Work {
        let each = self.crew.kernel.work(self.part);
        Work { bytes: steps * each.bytes, flop: steps * each.flop }
    }
}

/// Ascending.
fn once_each(mut cpus: Vec<u32>) -> Vec<u32> {
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// The work between two clock reads.
struct Stretch {
    /// The intended length.
    ns: f64,
    /// Steps that take about that time.
    steps: u64,
}

impl Stretch {
    /// Adapts to the time of the last stretch.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and conversions saturate"
    )]
    fn adapt(&mut self, took_ns: u64) {
        let step_ns = took_ns.max(1) as f64 / self.steps as f64;
        // Not far above the tried number: an interrupt or a page fault may have distorted its time.
        self.steps = ((self.ns / step_ns) as u64).clamp(1, self.steps.saturating_mul(64));
    }
}

#[cfg(test)]
mod tests;
