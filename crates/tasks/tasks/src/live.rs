//! A scheduler driven by real events: tasks that threads create and run, instead of simulated ones.
//!
//! [`Live`] is a value like the simulation: the caller has the threads and the clock, reports events to it under a lock, and receives the
//! tasks that workers take now. The schedulers are those of [`crate::simulate`], and the events come in the same order: ends, tasks that
//! the master creates, tasks that become ready, then all idle workers in rounds. Two differences affect no decision: partitioning a
//! window takes real time, in which no other event is reported, and two events never happen at the same instant. In addition, workers may
//! be kept from running ([`Live::leave`]), which does not happen in simulations.

use numasim_engine::SimTime;
use numasim_graph::values::{BlockHome, PagePlacement, TaskId, Ties};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

pub use crate::engine::Creation;
use crate::engine::{Around, Living, Master, Ready};
use crate::error::TasksError;
use crate::question::Question;
use crate::random::{Stream, generator};
use crate::result::Silent;
use crate::schedulers::{Round, Scheduler, Start, View};
use crate::sockets::{Homes, SocketId, Sockets, WorkerId};
use crate::{error, schedulers};

/// A scheduler, and the states of the tasks.
pub struct Live<'a> {
    question: &'a Question<'a>,
    sockets: Sockets,
    scheduler: Box<dyn Scheduler + 'a>,
    alive: Living,
    homes: Homes,
    master: Master,
    ready: Ready,
    running: usize,
    ended: usize,
    /// Workers without a task.
    idle: Vec<WorkerId>,
    absent: Absent,
    /// Draws the order in which they look, if the order is random.
    random: Option<ChaCha8Rng>,
}

impl<'a> Live<'a> {
    /// No task is created, all workers are idle.
    ///
    /// # Errors
    /// As for [`crate::simulate`]: the scheduler rejects the question.
    pub fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        error::check(question)?;
        let sockets = Sockets::new(question.machine);
        let scheduler = schedulers::make(question, &sockets)?;
        let runtime = question.runtime;
        let workers = u32::try_from(sockets.worker_count()).unwrap_or(u32::MAX);
        Ok(Self {
            scheduler,
            alive: Living::new(question.graph)?,
            homes: Homes::new(
                question.graph,
                question.machine,
                question.placement,
                sockets.node(SocketId(0)),
            ),
            master: Master::new(runtime, SimTime::START),
            ready: Ready::default(),
            running: 0,
            ended: 0,
            idle: (0..workers).map(WorkerId).collect(),
            absent: Absent::nobody(sockets.worker_count()),
            random: (runtime.ties == Ties::Random).then(|| generator(runtime.seed, Stream::Workers)),
            question,
            sockets,
        })
    }

    /// Sockets and workers of the machine.
    pub const fn sockets(&self) -> &Sockets {
        &self.sockets
    }

    /// The socket that the scheduler assigned to a task, if it assigns any.
    pub fn socket(&self, task: TaskId) -> Option<SocketId> {
        self.scheduler.socket(task)
    }

    /// Whether all tasks have ended.
    pub fn is_over(&self) -> bool {
        self.ended == self.question.graph.task_count()
    }

    /// The error if no further event can happen: no worker runs a task, the master creates none, and yet some are left.
    pub fn is_stuck(&self) -> Option<TasksError> {
        let rests = self.running == 0 && !self.master.partitions() && !self.is_over() && !self.may_create();
        let may_come = self.ready.waiting() > 0 && self.absent.is_somebody();
        (rests && !may_come).then(|| TasksError::NeverEnds(self.alive.lowest()))
    }

    /// Created tasks that wait for no other task and that no worker has taken.
    pub const fn ready(&self) -> usize {
        self.ready.waiting()
    }

    /// The master takes its next possible step.
    pub fn create(&mut self) -> Creation {
        if self.master.partitions() {
            return Creation::Waits;
        }
        let forced = self.may_force();
        self.with_master(|master, around, ready| {
            let created = loop {
                // A window without a partition is reported by `partition`.
                let created = master.create(around, |task| ready.created(task)).unwrap_or(Creation::Waits);
                let waits = created == Creation::Waits && forced;
                if !(waits && master.force(around.graph, around.alive)) {
                    break created;
                }
            };
            ready.report(&around.view, around.scheduler);
            created
        })
    }

    /// Partitions the waiting window.
    ///
    /// # Errors
    /// No partition exists.
    pub fn partition(&mut self) -> Result<(), TasksError> {
        Ok(self.with_master(|master, around, _| master.partition(around))?)
    }

    /// A worker has ended its task: it is idle, other tasks wait for one task fewer, and the children of the task are created.
    pub fn ended(&mut self, task: TaskId, worker: WorkerId) {
        let Question { graph, machine, .. } = *self.question;
        let view = View::new(graph, machine, &self.sockets, &self.homes);
        self.running = self.running.saturating_sub(1);
        self.ended += 1;
        self.idle.push(worker);
        self.scheduler.finished(&view, task, worker);
        self.ready.follow((graph, &view), &mut *self.scheduler, &mut self.alive, (task, worker));
        self.ready.report(&view, &mut *self.scheduler);
    }

    /// Idle workers that are present look for tasks in rounds, and then for tasks of absent workers; `starts` receives each worker with
    /// the task that it takes now.
    pub fn hand_out(&mut self, mut starts: impl FnMut(WorkerId, Start)) {
        if let Some(random) = &mut self.random {
            for place in 1..self.idle.len() {
                let drawn = random.random_range(0..=place);
                self.idle.swap(place, drawn);
            }
        } else {
            self.idle.sort_unstable();
        }
        for &round in self.scheduler.rounds() {
            let mut place = 0;
            while self.ready.waiting() > 0
                && let Some(&worker) = self.idle.get(place)
            {
                match self.take(worker, worker, round) {
                    Some(start) => {
                        self.idle.remove(place);
                        starts(worker, start);
                    }
                    None => place += 1,
                }
            }
        }
        if self.absent.is_somebody() {
            self.stand_in(&mut starts);
        }
    }

    /// The task that the scheduler has for `asked` in a round; `worker` runs it.
    fn take(&mut self, asked: WorkerId, worker: WorkerId, round: Round) -> Option<Start> {
        if self.absent.is(worker) {
            return None;
        }
        let Question { graph, machine, placement, .. } = *self.question;
        let view = View::new(graph, machine, &self.sockets, &self.homes);
        let start = match self.absent.unbegun(asked) {
            Some(start) => start,
            None => self.scheduler.take(&view, asked, round)?,
        };
        self.ready.take();
        self.running += 1;
        let node = self.sockets.node(self.sockets.of_worker(worker));
        for access in graph.accesses(start.task) {
            let view = View::new(graph, machine, &self.sockets, &self.homes);
            let is_open = view.home(access.block) == BlockHome::Open;
            let chosen = (placement == PagePlacement::Numa && is_open)
                .then(|| self.scheduler.home(&view, access.block))
                .flatten();
            self.homes.touch(access.block, chosen.unwrap_or(node));
        }
        Some(start)
    }

    /// Whether nothing stops the master before its next task.
    fn may_create(&self) -> bool {
        self.master.may_create(self.question.graph, &self.alive, self.may_force())
    }

    /// If tasks create tasks, existing tasks may wait for those that the throttle holds back.
    fn may_force(&self) -> bool {
        self.question.graph.is_tree() && self.running == 0 && self.ready.waiting() == 0
    }

    /// The master's work, which belongs to one instant as a whole.
    fn with_master<R>(&mut self, work: impl FnOnce(&mut Master, &mut Around<'_, '_>, &mut Ready) -> R) -> R {
        let Question { graph, machine, .. } = *self.question;
        let mut around = Around {
            graph,
            view: View::new(graph, machine, &self.sockets, &self.homes),
            scheduler: &mut *self.scheduler,
            alive: &mut self.alive,
            observer: &mut Silent,
            now: SimTime::START,
            latest: SimTime::NEVER,
        };
        work(&mut self.master, &mut around, &mut self.ready)
    }
}

#[cfg(test)]
mod tests;

// Workers that are kept from running for a while, and the workers that take over their tasks.
//
// Schedulers are not informed: to them an absent worker is a busy one, and workers that may steal from it do so. Tasks that a scheduler
// has for the absent worker alone (its queue, its part of a loop, its socket's tasks) go to an idle worker of its socket; if a whole
// socket is absent, to any idle worker. So a graph makes progress as long as one worker is present, and no task leaves a socket on which
// a worker can run it.

/// The absent workers.
#[derive(Debug)]
struct Absent {
    /// Per worker: whether it is absent.
    is: Vec<bool>,
    count: usize,
    /// Per worker: the task that it was given but did not begin.
    unbegun: Vec<Option<Start>>,
}

impl Absent {
    fn nobody(workers: usize) -> Self {
        Self { is: vec![false; workers], count: 0, unbegun: vec![None; workers] }
    }

    fn is_somebody(&self) -> bool {
        self.count > 0
    }

    fn is(&self, worker: WorkerId) -> bool {
        self.is.get(worker.0 as usize).is_some_and(|&is| is)
    }

    /// Returns whether this is a change.
    fn set(&mut self, worker: WorkerId, absent: bool) -> bool {
        let Some(is) = self.is.get_mut(worker.0 as usize).filter(|is| **is != absent) else { return false };
        *is = absent;
        if absent {
            self.count += 1;
        } else {
            self.count -= 1;
        }
        true
    }

    /// The task that this worker did not begin; the caller's worker runs it.
    fn unbegun(&mut self, worker: WorkerId) -> Option<Start> {
        self.unbegun.get_mut(worker.0 as usize)?.take()
    }
}

impl Live<'_> {
    /// An idle worker may run nothing until it [comes](Live::come): it gets no tasks. `unbegun`: the task that it was given but has not
    /// begun; this task is ready again. Blocks that first tasks touch count as touched on the worker where the task should have run.
    pub fn leave(&mut self, worker: WorkerId, unbegun: Option<Start>) {
        if let Some((start, place)) = unbegun.zip(self.absent.unbegun.get_mut(worker.0 as usize)) {
            *place = Some(start);
            self.running = self.running.saturating_sub(1);
            self.ready.give_back();
            self.idle.push(worker);
        }
        self.absent.set(worker, true);
    }

    /// A worker that had left is present again, idle. Returns whether it had left.
    pub fn come(&mut self, worker: WorkerId) -> bool {
        self.absent.set(worker, false)
    }

    /// Idle workers take the tasks that the scheduler has for absent ones; see the module.
    fn stand_in(&mut self, starts: &mut impl FnMut(WorkerId, Start)) {
        let mut place = 0;
        while self.ready.waiting() > 0
            && let Some(&worker) = self.idle.get(place)
        {
            match self.take_for_others(worker) {
                Some(start) => {
                    self.idle.remove(place);
                    starts(worker, start);
                }
                None => place += 1,
            }
        }
    }

    fn take_for_others(&mut self, worker: WorkerId) -> Option<Start> {
        if self.absent.is(worker) {
            return None;
        }
        let own = self.sockets.of_worker(worker);
        let rounds = self.scheduler.rounds();
        let others = self.sockets.nearest(own).to_vec();
        for socket in std::iter::once(own).chain(others) {
            let all_absent = self.sockets.workers(socket).all(|other| self.absent.is(WorkerId(other)));
            if socket != own && !all_absent {
                continue;
            }
            for other in self.sockets.workers(socket).map(WorkerId) {
                if !self.absent.is(other) {
                    continue;
                }
                for &round in rounds {
                    if let Some(start) = self.take(other, worker, round) {
                        return Some(start);
                    }
                }
            }
        }
        None
    }
}
