//! Steps 1 and 4 of an instant: what ends, who arrives, who begins, who takes tasks.

use numasim_model::AppId;
use numasim_model::dynamics::{Call, Work};
use numasim_policy::Waiting;

use super::records::{Application, Called, INSTANT_S, Items, Left, Stage, Task};

/// Everybody, and how they depend on each other.
pub(super) struct Applications<'a> {
    pub(super) all: Vec<Application<'a>>,
    pub(super) channels: Vec<Items<'a>>,
    pub(super) calls: &'a [Call],
    /// Ends and arrivals so far.
    pub(super) events: u64,
}

impl Applications<'_> {
    /// Items produced and not finished.
    pub(super) fn items(&self, channel: usize) -> u64 {
        let ends = &self.channels[channel].channel;
        self.all[ends.from.0].iterations.saturating_sub(self.all[ends.to.0].iterations)
    }

    /// What an application that could begin its next iteration otherwise waits for, and the channel where it is one.
    pub(super) fn wants(&self, app: usize) -> Option<(Waiting, Option<usize>)> {
        let application = &self.all[app];
        if application.is_called && application.calls.is_empty() {
            return Some((Waiting::Call, None));
        }
        let input = (0..self.channels.len()).find(|&c| {
            let channel = self.channels[c].channel;
            channel.to == AppId(app) && self.all[channel.from.0].iterations <= application.iterations
        });
        if input.is_some() {
            return Some((Waiting::Input, input));
        }
        let output = (0..self.channels.len()).find(|&c| {
            let channel = self.channels[c].channel;
            channel.from == AppId(app) && channel.capacity.is_some_and(|capacity| self.items(c) >= capacity)
        });
        output.map(|channel| (Waiting::Output, Some(channel)))
    }

    /// What an application that is there and has no iteration under way, or is in a call, waits for.
    pub(super) fn waits_for(&self, app: usize) -> Option<Waiting> {
        let application = &self.all[app];
        match application.stage {
            _ if !application.is_there() => None,
            Stage::Between => self.wants(app).map(|(waiting, _)| waiting),
            Stage::Calls(_) => Some(Waiting::Call),
            Stage::Phase(..) => None,
        }
    }

    /// Step 1.
    pub(super) fn go_on(&mut self, now_s: f64, instant: u64) {
        loop {
            let mut changed = self.end_all(now_s, instant);
            for application in &mut self.all {
                let arrives_s = application.course.arrives.value();
                if application.arrived_s.is_none() && arrives_s - now_s <= INSTANT_S {
                    application.arrived_s = Some(now_s);
                    self.events += 1;
                    changed = true;
                }
            }
            for app in 0..self.all.len() {
                changed |= self.begin(app);
            }
            if !changed {
                return;
            }
        }
    }

    /// Ends all that ends; whether that was anything.
    fn end_all(&mut self, now_s: f64, instant: u64) -> bool {
        let mut changed = false;
        loop {
            let mut ended = false;
            for app in 0..self.all.len() {
                ended |= self.end_work(app);
                ended |= self.end_phases(app, now_s, instant);
            }
            if !ended {
                return changed;
            }
            changed = true;
        }
    }

    /// Ends what has at most 1 ns to go: tasks, sleeps, a pool.
    fn end_work(&mut self, app: usize) -> bool {
        let application = &mut self.all[app];
        let io_s = application.phase().map_or(0.0, |phase| phase.io.value());
        let mut ends = 0;
        let mut done = 0;
        for thread in &mut application.threads {
            let Some(task) = &mut thread.task else { continue };
            let is_over = match task.sleep_s {
                Some(sleep_s) => sleep_s <= INSTANT_S,
                None => task.rest <= thread.speed * INSTANT_S,
            };
            if !is_over {
                continue;
            }
            ends += 1;
            if task.sleep_s.is_none() && io_s > 0.0 {
                task.rest = 0.0;
                task.sleep_s = Some(io_s);
            } else {
                application.work_done += task.work;
                thread.task = None;
                done += 1;
            }
            thread.speed = 0.0;
        }
        let speed: f64 = application.threads.iter().map(|thread| thread.speed).sum();
        match &mut application.stage {
            Stage::Phase(_, Left::Tasks { open, .. }) => *open -= done,
            Stage::Phase(_, Left::Pool { rest, .. }) if *rest > 0.0 && *rest <= speed * INSTANT_S => {
                *rest = 0.0;
            }
            _ => {}
        }
        self.events += ends;
        ends > 0
    }

    /// From a phase that is over to the next one, to calls, to the end of the iteration.
    fn end_phases(&mut self, app: usize, now_s: f64, instant: u64) -> bool {
        let application = &mut self.all[app];
        let Stage::Phase(number, left) = &application.stage else { return false };
        match left {
            Left::Tasks { open: 0, .. } => {}
            Left::Pool { work, rest } if *rest <= 0.0 => {
                application.work_done += work;
                self.events += 1;
            }
            _ => return false,
        }
        let next = number + 1;
        if !application.begin_phase(next) {
            self.call_from(app, 0, now_s, instant);
        }
        true
    }

    /// Makes the next call from `first` on that this iteration makes; without one the iteration ends.
    fn call_from(&mut self, app: usize, first: usize, now_s: f64, instant: u64) {
        let iteration = self.all[app].iterations + 1;
        let next = (first..self.calls.len())
            .find(|&c| self.calls[c].from == AppId(app) && iteration.is_multiple_of(self.calls[c].every));
        if let Some(call) = next {
            self.all[app].stage = Stage::Calls(call);
            let queue = &mut self.all[self.calls[call].to.0].calls;
            // Those who call at the same instant in file order.
            let place = queue.iter().position(|other| (other.instant, other.caller) > (instant, app));
            queue.insert(place.unwrap_or(queue.len()), Called { instant, caller: app });
            return;
        }
        let application = &mut self.all[app];
        application.stage = Stage::Between;
        application.iterations += 1;
        if application.iterations == application.course.iterations {
            application.finished_s = Some(now_s);
        }
        if let Some(caller) = application.works_for.take()
            && let Stage::Calls(call) = self.all[caller].stage
        {
            self.call_from(caller, call + 1, now_s, instant);
        }
    }

    /// Begins an iteration where that is possible.
    fn begin(&mut self, app: usize) -> bool {
        let application = &self.all[app];
        let is_ready = application.is_there() && matches!(application.stage, Stage::Between);
        if !is_ready || self.wants(app).is_some() {
            return false;
        }
        let application = &mut self.all[app];
        if application.is_called {
            application.works_for = application.calls.pop_front().map(|called| called.caller);
        }
        application.begin_phase(0)
    }

    /// Step 4: idle threads that are not blocked take tasks, in their order. Whether one of the tasks takes no time.
    pub(super) fn take_tasks(&mut self) -> bool {
        let mut none_of_time = false;
        for application in &mut self.all {
            let Stage::Phase(number, Left::Tasks { next, .. }) = &mut application.stage else { continue };
            let Some(work) = &application.course.phases[*number].work else { continue };
            let Work::Tasks { count, .. } = work else { continue };
            for thread in &mut application.threads {
                if *next < *count && thread.task.is_none() && !thread.is_blocked {
                    let gflop = work.of_task(*next).value() * application.spread.next();
                    *next += 1;
                    thread.task = Some(Task { work: gflop, rest: gflop, sleep_s: None });
                    thread.speed = 0.0;
                    none_of_time |= gflop == 0.0;
                }
            }
        }
        none_of_time
    }
}
