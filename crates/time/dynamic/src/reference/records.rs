//! What is written down of every application and every thread, one by one.

use std::collections::VecDeque;

use numasim_model::dynamics::{Channel, Course, Order, Phase, Pick, Work};
use numasim_model::{Demand, Machine};

use crate::spread::Spread;

/// Whatever lies within this time is one instant, in seconds.
pub(super) const INSTANT_S: f64 = 1e-9;

/// One thread.
pub(super) struct Thread {
    pub(super) node: usize,
    /// Counted through all nodes.
    pub(super) core: u32,
    /// Whether only this core computes for it.
    pub(super) is_bound: bool,
    pub(super) is_blocked: bool,
    pub(super) task: Option<Task>,
    /// The part of a core that it has had since the last instant; 0 where it did not compute.
    pub(super) part: f64,
    /// GFLOP/s since the last instant; 0 for what has just begun.
    pub(super) speed: f64,
    /// GB/s since the last instant.
    pub(super) bandwidth_gbs: f64,
}

/// A task on its thread.
pub(super) struct Task {
    /// GFLOP, all of it.
    pub(super) work: f64,
    /// GFLOP that are left.
    pub(super) rest: f64,
    /// Seconds of sleep that are left; `None` while it computes.
    pub(super) sleep_s: Option<f64>,
}

/// What is left of a phase.
pub(super) enum Left {
    /// GFLOP of divisible work: in all, and not done.
    Pool { work: f64, rest: f64 },
    /// The next task to be taken, and how many are not done.
    Tasks { next: u64, open: u64 },
}

/// Where an application is in its iteration.
pub(super) enum Stage {
    /// No iteration is under way.
    Between,
    /// In a phase.
    Phase(usize, Left),
    /// The work is done; it waits for the call with this number in the study.
    Calls(usize),
}

/// A call that nobody has answered.
pub(super) struct Called {
    /// The instant, counted from 0.
    pub(super) instant: u64,
    pub(super) caller: usize,
}

/// One application instance.
pub(super) struct Application<'a> {
    pub(super) course: &'a Course,
    /// Per phase.
    pub(super) demands: Vec<Demand>,
    /// In their order.
    pub(super) threads: Vec<Thread>,
    pub(super) arrived_s: Option<f64>,
    pub(super) finished_s: Option<f64>,
    pub(super) iterations: u64,
    pub(super) stage: Stage,
    /// In force.
    pub(super) order: Option<Order>,
    /// When the order in force was given, until it is followed.
    pub(super) reacting_since_s: Option<f64>,
    /// Whether others call it.
    pub(super) is_called: bool,
    pub(super) calls: VecDeque<Called>,
    /// Whose call it works for.
    pub(super) works_for: Option<usize>,
    pub(super) spread: Spread,
    /// GFLOP of what is over.
    pub(super) work_done: f64,
    pub(super) sums: Sums,
}

/// Integrals over time, in seconds or thread-seconds.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) computing: f64,
    pub(super) shared: f64,
    pub(super) idle: f64,
    pub(super) blocked: f64,
    pub(super) waited_input: f64,
    pub(super) waited_output: f64,
    pub(super) waited_call: f64,
}

impl<'a> Application<'a> {
    pub(super) fn new(machine: &Machine, course: &'a Course, demands: Vec<Demand>, spread: Spread) -> Self {
        Self {
            threads: threads(machine, course),
            course,
            demands,
            arrived_s: None,
            finished_s: None,
            iterations: 0,
            stage: Stage::Between,
            order: None,
            reacting_since_s: None,
            is_called: false,
            calls: VecDeque::new(),
            works_for: None,
            spread,
            work_done: 0.0,
            sums: Sums::default(),
        }
    }

    pub(super) fn is_there(&self) -> bool {
        self.arrived_s.is_some() && self.finished_s.is_none()
    }

    /// The phase under way.
    pub(super) fn phase(&self) -> Option<&'a Phase> {
        match self.stage {
            Stage::Phase(number, _) => self.course.phases.get(number),
            Stage::Between | Stage::Calls(_) => None,
        }
    }

    /// Whether divisible work is left.
    pub(super) fn has_pool(&self) -> bool {
        matches!(self.stage, Stage::Phase(_, Left::Pool { rest, .. }) if rest > 0.0)
    }

    /// Whether a thread computes at this moment: it is in a task and awake, or may work on a pool.
    pub(super) fn computes(&self, thread: &Thread) -> bool {
        match &thread.task {
            Some(task) => task.sleep_s.is_none(),
            None => self.has_pool() && !thread.is_blocked,
        }
    }

    /// Whether a thread is in a task, asleep in it or not, or works on a pool.
    pub(super) fn is_at_work(&self, thread: &Thread) -> bool {
        thread.task.is_some() || self.computes(thread)
    }

    /// GFLOP done, parts included.
    pub(super) fn work(&self) -> f64 {
        let pool = match self.stage {
            Stage::Phase(_, Left::Pool { work, rest }) => work - rest,
            _ => 0.0,
        };
        let tasks = self.threads.iter().filter_map(|thread| thread.task.as_ref());
        self.work_done + pool + tasks.map(|task| task.work - task.rest).sum::<f64>()
    }

    /// Goes to a phase, or beyond the last one: then `false`.
    pub(super) fn begin_phase(&mut self, number: usize) -> bool {
        let Some(work) = self.course.phases.get(number).and_then(|phase| phase.work.as_ref()) else {
            return false;
        };
        let left = match work {
            Work::Divisible(work) => Left::Pool { work: work.value(), rest: work.value() },
            Work::Tasks { count, .. } => Left::Tasks { next: 0, open: *count },
        };
        self.stage = Stage::Phase(number, left);
        for thread in &mut self.threads {
            thread.speed = 0.0;
        }
        true
    }
}

/// The threads of an application in their order.
fn threads(machine: &Machine, course: &Course) -> Vec<Thread> {
    let mut first_core = 0;
    let mut on_nodes: Vec<Vec<Thread>> = Vec::new();
    for (n, node) in machine.nodes().iter().enumerate() {
        let count = if node.cores > 0 { course.threads.get(n).copied().unwrap_or(0) } else { 0 };
        let thread = |i: u32| Thread {
            node: n,
            core: first_core + i % node.cores.max(1),
            is_bound: course.binding == numasim_model::dynamics::Binding::Core,
            is_blocked: false,
            task: None,
            part: 0.0,
            speed: 0.0,
            bandwidth_gbs: 0.0,
        };
        on_nodes.push((0..count).map(thread).collect());
        first_core += node.cores;
    }
    match course.pick {
        Pick::Pack => on_nodes.into_iter().flatten().collect(),
        Pick::Spread => {
            let mut queues: Vec<VecDeque<Thread>> = on_nodes.into_iter().map(VecDeque::from).collect();
            let mut all = Vec::new();
            while queues.iter().any(|queue| !queue.is_empty()) {
                all.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
            }
            all
        }
    }
}

/// A channel.
pub(super) struct Items<'a> {
    pub(super) channel: &'a Channel,
    /// At the end of the instants so far.
    pub(super) most: u64,
    /// Item-seconds.
    pub(super) sum: f64,
}
