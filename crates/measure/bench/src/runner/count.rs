//! What a thread does between the common start and the end: it works and looks at the clock.

use std::thread;
use std::time::Duration;

use numasim_host::os::thread::{current_cpu, look_cost_ns, minor_faults, now_ns};
use numasim_kernels::array::AccessError;
use numasim_kernels::kernel::Work;

use super::Settings;
use super::crew::{Crew, Gate, nanoseconds};

/// Moments in the window at which a thread looks on which processor it is.
const CPU_LOOKS: u64 = 8;
/// A stretch of work between two looks at the clock is at least that many times as long as a look.
const LOOKS_PER_STRETCH: f64 = 4000.0;
/// ... at least that long, in nanoseconds,
const SHORTEST_STRETCH: f64 = 50_000.0;
/// ... and at most this share of the window: its ends are not sharper than a stretch.
const LONGEST_STRETCH: f64 = 0.02;
/// Stretches before the start, from which the length of a step is learnt.
const TRIED: usize = 3;
/// How often a thread that has done its part of a finite problem looks whether all others have finished.
const LOOK_FOR_END: Duration = Duration::from_micros(200);

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
        now_ns()
    }

    fn look_cost_ns(&self) -> f64 {
        look_cost_ns()
    }
}

/// What a thread counted in the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// From the first look at the clock in the window to the first look after it, in nanoseconds. Of a finite problem: from the common start until the
    /// last thread had done its part.
    pub(super) time_ns: u64,
    /// Work in that time.
    pub(super) work: Work,
    /// Steps in that time.
    pub(super) steps: u64,
    /// Looks at the clock in that time.
    pub(super) looks: u64,
    /// What one of them costs, in nanoseconds.
    pub(super) look_ns: f64,
    /// How much of that time it waited for other threads, in nanoseconds.
    pub(super) waited_ns: u64,
    /// Page faults in that time.
    pub(super) page_faults: u64,
    /// Processors seen: before, some times within and after the window, each once, ascending.
    pub(super) cpus: Vec<u32>,
}

/// Why a thread does not go on.
#[derive(Debug, PartialEq)]
pub(super) enum Stopped {
    /// Somebody gave the measurement up.
    Aborted,
    /// The kernel says that its steps overlap.
    Access(AccessError),
}

impl From<AccessError> for Stopped {
    fn from(error: AccessError) -> Self {
        Self::Access(error)
    }
}

/// The thread of a part, bound, with everything of its crew prepared.
pub(super) struct Worker<'a, C: Clock> {
    pub(super) clock: C,
    pub(super) crew: &'a Crew<'a>,
    pub(super) part: usize,
    pub(super) gate: &'a Gate,
    /// Threads of all crews and processes.
    pub(super) threads: u32,
    /// Steps taken since the part was prepared.
    pub(super) step: u64,
    /// It waits for the others after each step, and after each phase of one.
    lockstep: bool,
    /// Phases of a step.
    phases: u64,
    /// Nanoseconds that it waited for others between steps.
    waited_ns: u64,
    /// Looks at the clock for that.
    looks: u64,
}

impl<'a, C: Clock> Worker<'a, C> {
    pub(super) fn new(clock: C, crew: &'a Crew<'a>, part: usize, gate: &'a Gate, threads: u32) -> Self {
        let (lockstep, phases) = (crew.kernel.in_lockstep(), crew.kernel.phases().max(1));
        Self { clock, crew, part, gate, threads, step: 0, lockstep, phases, waited_ns: 0, looks: 0 }
    }

    /// Steps one after the other; whether the crew has ended. In lockstep all wait for each other after each step, and the last one to come sees whether
    /// everybody has counted: so all end after the same step.
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

    /// Waits for the others in lockstep; what the last one to come says with `over`.
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

    /// Waits for the common start, warms up, counts in the window, and works on until all threads have counted, so that nobody is measured beside
    /// neighbours that have stopped. A finite problem is done once instead.
    ///
    /// In the window nothing is allocated, and no memory is written that another thread reads, but for what the steps of the kernel say to each other.
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
        // How long a step takes, before the warm-up may be over at once. Who waits for others tries as many steps as they do.
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
        // Where one step is longer than the window, one step is what is counted.
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

    /// A finite problem, once: all steps from the common start on. What the processor does before is nothing but looking at the clock, so that its
    /// frequency is up.
    fn whole(&mut self, steps: u64, settings: &Settings) -> Result<Counted, Stopped> {
        let look_ns = self.clock.look_cost_ns();
        let mut cpus = vec![current_cpu()];
        let start = self.start(settings)?;
        while self.clock.now_ns() < start {
            self.go_on()?;
        }
        let faults = minor_faults();
        // Counted from the start on: what a thread is late there counts.
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

    /// Waits for the common start; when the window begins.
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

/// The work between two looks at the clock.
struct Stretch {
    /// How long it should take.
    ns: f64,
    /// Steps that take about that long.
    steps: u64,
}

impl Stretch {
    /// Learns from the time of the last stretch.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and conversions saturate"
    )]
    fn adapt(&mut self, took_ns: u64) {
        let step_ns = took_ns.max(1) as f64 / self.steps as f64;
        // Not far above what was tried: an interrupt or a page fault may have made it look slow or fast.
        self.steps = ((self.ns / step_ns) as u64).clamp(1, self.steps.saturating_mul(64));
    }
}

#[cfg(test)]
mod tests;
