//! Work under way: tasks on threads, and pools of divisible work.

use numasim_course::{Binding, Course, Work};
use numasim_engine::{EventKey, Fluid, SimTime};
use numasim_model::Machine;

use super::{Event, Simulation};
use crate::rates::LaneId;
use crate::spread::{Drawn, Spread};
use crate::threads::Thread;

/// A task that is under way.
#[derive(Clone, Copy, Debug)]
struct Task {
    /// The place of its thread.
    place: u32,
    /// The time that it computes over the time that its work takes without jitter.
    time: f64,
}

/// Tasks of one lane that are under way.
#[derive(Clone, Debug, Default)]
struct LaneWork {
    /// The amounts are work x time factor: what a task without jitter would do in the same time.
    tasks: Fluid<Task>,
    event: Option<EventKey>,
    is_touched: bool,
}

/// The work of one application that is under way.
#[derive(Clone, Debug)]
pub(super) struct AppWork {
    /// Of the present phase: tasks, those begun, those not done.
    count: u64,
    begun: u64,
    unfinished: u64,
    /// By node and lane.
    lanes: Vec<Vec<LaneWork>>,
    /// Divisible work, while some is left.
    pool: Fluid<()>,
    pool_event: Option<EventKey>,
    spread: Spread,
    /// GFLOP of all tasks and pools that were begun.
    begun_gflop: f64,
}

impl AppWork {
    pub(super) fn new(course: &Course, machine: &Machine, seed: u64, number: usize) -> Self {
        let lanes = |cores: u32| match course.binding {
            Binding::Node => 1,
            Binding::Core => cores as usize,
        };
        Self {
            count: 0,
            begun: 0,
            unfinished: 0,
            lanes: machine.nodes().iter().map(|node| vec![LaneWork::default(); lanes(node.cores)]).collect(),
            pool: Fluid::new(),
            pool_event: None,
            spread: Spread::new(course, seed, number),
            begun_gflop: 0.0,
        }
    }

    /// Whether there is divisible work left.
    pub(super) fn is_pool(&self) -> bool {
        !self.pool.is_empty()
    }

    /// Tasks that nobody has begun; 1 while divisible work is left.
    pub(super) fn queued(&self) -> u64 {
        (self.count - self.begun).max(u64::from(self.is_pool()))
    }

    /// GFLOP that are done. A task with jitter does its work at a constant speed: the same part of the work is done as of
    /// the time.
    pub(super) fn done_gflop(&self, now: SimTime) -> f64 {
        let lanes = self.lanes.iter().flatten().filter(|lane| !lane.tasks.is_empty());
        let rest = |lane: &LaneWork| lane.tasks.rests(now).map(|(task, rest)| rest / task.time).sum::<f64>();
        let rest = lanes.map(rest).fold(self.pool.rest(now), |sum, rest| sum + rest);
        (self.begun_gflop - rest).max(0.0)
    }
}

impl Simulation<'_, '_, '_, '_> {
    /// The present phase of an application begins.
    pub(super) fn begin_phase(&mut self, app: usize) {
        let phase = self.progress.phase(app);
        let described = &self.dynamics.courses[app].phases[phase];
        self.rates.set_phase(app, &self.demands[app][phase], &described.scaling);
        let now = self.now();
        let work = &mut self.work[app];
        match &described.work {
            Some(Work::Tasks { count, .. }) if *count > 0 => {
                (work.count, work.begun, work.unfinished) = (*count, 0, *count);
                self.may_take.insert(app);
            }
            Some(Work::Divisible(gflop)) if gflop.value() > 0.0 => {
                (work.count, work.begun, work.unfinished) = (0, 0, 0);
                work.begun_gflop += gflop.value();
                // Nothing is done until the speeds are known.
                work.pool.set_rate(now, 0.0);
                work.pool.join(now, (), gflop.value());
                self.touched_pools.insert(app);
                let threads = &self.threads[app];
                for thread in threads.all_idle() {
                    self.rates.start(app, thread.node, threads.core_of(thread));
                }
            }
            Some(Work::Tasks { .. } | Work::Divisible(_)) | None => {
                (work.count, work.begun, work.unfinished) = (0, 0, 0);
                self.events += u64::from(matches!(described.work, Some(Work::Divisible(_))));
                self.over.insert(app);
            }
        }
        self.tasks_changed(app);
    }

    /// Divisible work may be over.
    pub(super) fn pool_ends(&mut self, app: usize) {
        let (now, end) = (self.now(), self.instants.end());
        let work = &mut self.work[app];
        work.pool_event = None;
        if work.pool.pop_ended_by(now, end).is_none() {
            self.touched_pools.insert(app);
            return;
        }
        self.events += 1;
        let threads = &self.threads[app];
        for thread in threads.all_idle() {
            self.rates.stop(app, thread.node, threads.core_of(thread));
        }
        self.over.insert(app);
        self.tasks_changed(app);
    }

    /// Tasks of a lane may be over.
    pub(super) fn tasks_end(&mut self, lane: LaneId) {
        let (now, end) = (self.now(), self.instants.end());
        self.work[lane.app].lanes[lane.node][lane.lane].event = None;
        self.touch(lane);
        while let Some(task) = self.work[lane.app].lanes[lane.node][lane.lane].tasks.pop_ended_by(now, end) {
            let thread = Thread { node: lane.node, place: task.place };
            self.rates.stop(lane.app, lane.node, self.threads[lane.app].core_of(thread));
            self.computed(lane.app, thread);
        }
    }

    /// A thread has computed its task; it may have to sleep.
    pub(super) fn computed(&mut self, app: usize, thread: Thread) {
        self.events += 1;
        let io_s = self.dynamics.courses[app].phases[self.progress.phase(app)].io.value();
        if io_s > 0.0 {
            let wakes = self.now().after(io_s);
            self.instants.schedule(wakes, Event::Wake(app, thread));
            self.tasks_changed(app);
        } else {
            self.task_done(app, thread);
        }
    }

    /// A thread has ended its task, with its sleep.
    pub(super) fn task_done(&mut self, app: usize, thread: Thread) {
        self.threads[app].release(thread);
        let work = &mut self.work[app];
        work.unfinished -= 1;
        if work.unfinished == 0 {
            self.over.insert(app);
        }
        self.may_take.insert(app);
        self.tasks_changed(app);
    }

    /// Idle threads take tasks, in their order.
    pub(super) fn take_tasks(&mut self) {
        let now = self.now();
        while let Some(app) = self.may_take.pop_first() {
            let phase = self.progress.phase(app);
            let Some(described) = &self.dynamics.courses[app].phases[phase].work else { continue };
            while self.work[app].begun < self.work[app].count {
                let Some(thread) = self.threads[app].take() else { break };
                let work = &mut self.work[app];
                let Drawn { work: factor, time } = work.spread.next();
                let gflop = described.of_task(work.begun).value() * factor;
                work.begun += 1;
                work.begun_gflop += gflop;
                self.tasks_changed(app);
                if gflop > 0.0 {
                    let lane = self.rates.start(app, thread.node, self.threads[app].core_of(thread));
                    let task = Task { place: thread.place, time };
                    self.work[app].lanes[lane.node][lane.lane].tasks.join(now, task, gflop * time);
                    self.touch(lane);
                } else {
                    self.instantaneous.push((app, thread));
                }
            }
        }
    }

    /// A thread of divisible work was blocked or unblocked.
    pub(super) fn pool_thread_moved(&mut self, app: usize, thread: Thread, unblocked: bool) {
        if self.work[app].is_pool() {
            let core = self.threads[app].core_of(thread);
            if unblocked {
                self.rates.start(app, thread.node, core);
            } else {
                self.rates.stop(app, thread.node, core);
            }
            self.touched_pools.insert(app);
        }
    }

    /// Which threads run, or which tasks are left, has changed.
    pub(super) fn tasks_changed(&mut self, app: usize) {
        self.changed.tasks = true;
        self.is_stale[app] = true;
        self.touched.insert(app);
    }

    fn touch(&mut self, lane: LaneId) {
        let work = &mut self.work[lane.app].lanes[lane.node][lane.lane];
        if !work.is_touched {
            work.is_touched = true;
            self.touched_lanes.push(lane);
        }
    }

    /// The threads of a lane have another speed.
    pub(super) fn speed_changed(&mut self, lane: LaneId) {
        if self.work[lane.app].is_pool() {
            self.touched_pools.insert(lane.app);
        } else {
            self.touch(lane);
        }
    }

    /// Schedules the next end of every lane and pool that was touched.
    pub(super) fn schedule_ends(&mut self) {
        let now = self.now();
        for lane in self.touched_lanes.drain(..) {
            let work = &mut self.work[lane.app].lanes[lane.node][lane.lane];
            work.is_touched = false;
            // Always: the speed may have changed while nobody had a task here.
            work.tasks.set_rate(now, self.rates.speed(lane));
            let end = work.tasks.next_end();
            self.instants.reschedule(&mut work.event, end, Event::Lane(lane));
        }
        while let Some(app) = self.touched_pools.pop_first() {
            let rate = self.rates.total_gflops(app);
            let work = &mut self.work[app];
            work.pool.set_rate(now, rate);
            let end = work.pool.next_end();
            self.instants.reschedule(&mut work.pool_event, end, Event::Pool(app));
        }
    }
}
