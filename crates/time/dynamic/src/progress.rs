//! Iterations, phases, channels and calls: what each application is at, and what it waits for.
//!
//! An application begins iteration i when it has arrived, iteration i-1 is over, every channel into it has produced i items, and
//! every channel out of it has produced - finished < capacity. After the work of iteration i, calls with i mod `every` = 0 are
//! made one after the other; the iteration ends when the last has returned. A callee works on one iteration per call, in the
//! order of calling (ties: callers in file order).
//!
//! There is no time here: the caller says when work is over, and asks what begins.

use std::collections::{BTreeSet, VecDeque};

use numasim_course::Dynamics;
use numasim_model::AppId;
use numasim_model::order::Waiting;
use numasim_policy::Presence;

use crate::result::WaitsFor;

/// What an application is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has not arrived.
    Ahead,
    /// No iteration is under way.
    Waits(Waiting),
    /// It works on its present phase.
    Works,
    /// Its work is over, and it waits for the return of a call: the place in its list of calls.
    Calls(usize),
    /// All iterations are done.
    Finished,
}

/// One application.
#[derive(Clone, Debug)]
struct Course {
    stage: Stage,
    /// Iterations done.
    done: u64,
    iterations: u64,
    phase: usize,
    phases: usize,
    /// Channels into it and out of it, and calls that it makes, as numbers in file order.
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    calls: Vec<usize>,
    is_callee: bool,
    /// Who has called and has no return yet, and since which instant; the first one is being served while it works.
    callers: VecDeque<(u64, usize)>,
}

/// All applications.
#[derive(Clone, Debug)]
pub(crate) struct Progress<'q> {
    dynamics: &'q Dynamics,
    apps: Vec<Course>,
    /// Applications that may be able to begin, or wait for something else now.
    candidates: BTreeSet<usize>,
    /// Applications whose stage, phase or progress has changed since they were last taken.
    touched: Vec<usize>,
    /// Counts instants, for the order of calls.
    instant: u64,
    unfinished: usize,
}

impl<'q> Progress<'q> {
    pub(crate) fn new(dynamics: &'q Dynamics) -> Self {
        let mut apps: Vec<Course> = dynamics
            .courses
            .iter()
            .map(|course| Course {
                stage: Stage::Ahead,
                done: 0,
                iterations: course.iterations,
                phase: 0,
                phases: course.phases.len(),
                inputs: Vec::new(),
                outputs: Vec::new(),
                calls: Vec::new(),
                is_callee: false,
                callers: VecDeque::new(),
            })
            .collect();
        for (c, channel) in dynamics.channels.iter().enumerate() {
            apps[channel.from.0].outputs.push(c);
            apps[channel.to.0].inputs.push(c);
        }
        for (c, call) in dynamics.calls.iter().enumerate() {
            apps[call.from.0].calls.push(c);
            apps[call.to.0].is_callee = true;
        }
        let unfinished = apps.len();
        Self { dynamics, apps, candidates: BTreeSet::new(), touched: Vec::new(), instant: 0, unfinished }
    }

    /// A new instant begins.
    pub(crate) fn next_instant(&mut self) {
        self.instant += 1;
    }

    pub(crate) fn stage(&self, app: usize) -> Stage {
        self.apps[app].stage
    }

    pub(crate) fn phase(&self, app: usize) -> usize {
        self.apps[app].phase
    }

    pub(crate) fn done(&self, app: usize) -> u64 {
        self.apps[app].done
    }

    pub(crate) fn presence(&self, app: usize) -> Presence {
        match self.apps[app].stage {
            Stage::Ahead => Presence::Ahead,
            Stage::Finished => Presence::Gone,
            Stage::Waits(_) | Stage::Works | Stage::Calls(_) => Presence::There,
        }
    }

    pub(crate) fn waiting(&self, app: usize) -> Waiting {
        match self.apps[app].stage {
            Stage::Waits(waiting) => waiting,
            // A caller waits until its call returns.
            Stage::Calls(_) => Waiting::Call,
            Stage::Ahead | Stage::Works | Stage::Finished => Waiting::None,
        }
    }

    /// Whether every application is finished.
    pub(crate) fn is_over(&self) -> bool {
        self.unfinished == 0
    }

    /// Produced and not finished.
    pub(crate) fn items(&self, channel: usize) -> u64 {
        let channel = &self.dynamics.channels[channel];
        self.apps[channel.from.0].done.saturating_sub(self.apps[channel.to.0].done)
    }

    /// Channels at this application.
    pub(crate) fn channels_of(&self, app: usize) -> impl Iterator<Item = usize> + '_ {
        self.apps[app].inputs.iter().chain(&self.apps[app].outputs).copied()
    }

    /// Channels out of this application.
    pub(crate) fn outputs_of(&self, app: usize) -> &[usize] {
        &self.apps[app].outputs
    }

    /// An application whose stage, phase or progress has changed; each may come several times.
    pub(crate) fn take_touched(&mut self) -> Option<usize> {
        self.touched.pop()
    }

    /// An application arrives.
    pub(crate) fn arrive(&mut self, app: usize) {
        self.apps[app].stage = Stage::Waits(Waiting::Input);
        self.touched.push(app);
        self.candidates.insert(app);
    }

    /// The work of the present phase is over.
    pub(crate) fn work_over(&mut self, app: usize) -> Next {
        self.touched.push(app);
        let course = &mut self.apps[app];
        if course.phase + 1 < course.phases {
            course.phase += 1;
            return Next::Phase;
        }
        course.phase = 0;
        self.call_or_end(app, 0);
        Next::Nothing
    }

    /// The next application, in file order, that begins an iteration now. To be asked until there is none.
    pub(crate) fn next_begin(&mut self) -> Option<usize> {
        while let Some(app) = self.candidates.pop_first() {
            if !matches!(self.apps[app].stage, Stage::Waits(_)) {
                continue;
            }
            let stage = self.wanting(app).map_or(Stage::Works, Stage::Waits);
            if self.apps[app].stage != stage {
                self.apps[app].stage = stage;
                self.touched.push(app);
            }
            if stage == Stage::Works {
                return Some(app);
            }
        }
        None
    }

    /// What the next iteration wants before it can begin.
    fn wanting(&self, app: usize) -> Option<Waiting> {
        let course = &self.apps[app];
        if course.is_callee && course.callers.is_empty() {
            return Some(Waiting::Call);
        }
        if course.inputs.iter().any(|&channel| self.items(channel) == 0) {
            return Some(Waiting::Input);
        }
        course.outputs.iter().any(|&channel| self.is_full(channel)).then_some(Waiting::Output)
    }

    fn is_full(&self, channel: usize) -> bool {
        self.dynamics.channels[channel].capacity.is_some_and(|capacity| self.items(channel) >= capacity)
    }

    /// Makes the next call of the iteration, from this place in the list of calls, or ends the iteration; and so on with
    /// the callers of those that end.
    fn call_or_end(&mut self, app: usize, place: usize) {
        let mut next = Some((app, place));
        while let Some((app, place)) = next.take() {
            let course = &mut self.apps[app];
            let iteration = course.done + 1;
            let calls = course.calls.iter().enumerate().skip(place);
            let due = calls.map(|(place, &call)| (place, self.dynamics.calls[call]));
            let due = due.into_iter().find(|(_, call)| iteration.is_multiple_of(call.every));
            self.touched.push(app);
            if let Some((place, call)) = due {
                course.stage = Stage::Calls(place);
                self.call(app, call.to.0);
            } else {
                next = self.end_iteration(app);
            }
        }
    }

    fn call(&mut self, caller: usize, callee: usize) {
        let entry = (self.instant, caller);
        let course = &mut self.apps[callee];
        // The one that is being served stays first.
        let served = usize::from(!matches!(course.stage, Stage::Ahead | Stage::Waits(_)));
        let place = course.callers.iter().skip(served).position(|waiting| *waiting > entry);
        course.callers.insert(place.map_or(course.callers.len(), |place| place + served), entry);
        self.candidates.insert(callee);
    }

    /// Ends an iteration; the caller that it was for and the place of its next call, if there is one.
    fn end_iteration(&mut self, app: usize) -> Option<(usize, usize)> {
        let course = &mut self.apps[app];
        course.done += 1;
        let caller = course.callers.pop_front().map(|(_, caller)| caller);
        if course.done >= course.iterations {
            course.stage = Stage::Finished;
            self.unfinished -= 1;
        } else {
            course.stage = Stage::Waits(Waiting::Input);
            self.candidates.insert(app);
        }
        for &channel in &course.outputs {
            self.candidates.insert(self.dynamics.channels[channel].to.0);
        }
        for &channel in &course.inputs {
            self.candidates.insert(self.dynamics.channels[channel].from.0);
        }
        let caller = caller?;
        match self.apps[caller].stage {
            Stage::Calls(place) => Some((caller, place + 1)),
            Stage::Ahead | Stage::Waits(_) | Stage::Works | Stage::Finished => None,
        }
    }

    /// What an application that is not finished waits for, where nothing moves any more.
    pub(crate) fn waits_for(&self, app: usize) -> WaitsFor {
        let course = &self.apps[app];
        let channel = |&channel: &usize| &self.dynamics.channels[channel];
        match course.stage {
            Stage::Waits(Waiting::Call) => WaitsFor::Call,
            Stage::Waits(Waiting::Input) => {
                let empty = course.inputs.iter().find(|&&channel| self.items(channel) == 0);
                empty.map_or(WaitsFor::Threads, |empty| WaitsFor::Input(channel(empty).from))
            }
            Stage::Waits(Waiting::Output) => {
                let full = course.outputs.iter().find(|&&channel| self.is_full(channel));
                full.map_or(WaitsFor::Threads, |full| WaitsFor::Output(channel(full).to))
            }
            Stage::Calls(place) => {
                let callee = course.calls.get(place).map(|&call| self.dynamics.calls[call].to);
                WaitsFor::Return(callee.unwrap_or(AppId(app)))
            }
            Stage::Waits(Waiting::None) | Stage::Ahead | Stage::Works | Stage::Finished => WaitsFor::Threads,
        }
    }
}

/// What follows work that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The next phase of the same iteration.
    Phase,
    /// Nothing at once; perhaps somebody can begin ([`Progress::next_begin`]).
    Nothing,
}
