//! A scheduler told of what really happens: tasks that threads create and run, in place of simulated ones.
//!
//! [`Live`] is a value like the simulation: somebody else has the threads and the clock, tells it under a lock what has happened, and hears which
//! worker takes which task now. The schedulers are those of [`crate::simulate`], and what they are told comes in the same order: ends, what
//! the master creates, what becomes ready, then all idle workers in rounds. What differs is what decides nothing: partitioning a window
//! takes as long as it takes, in which nobody else is told anything, and two events never happen at the same instant. And workers may be kept from running
//! ([`Live::leave`]), which no simulation knows.

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

/// A scheduler, and what has become of the tasks so far.
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
    /// Draws the order in which they look, where it is drawn.
    random: Option<ChaCha8Rng>,
}

impl<'a> Live<'a> {
    /// No task is created, all workers are idle.
    ///
    /// # Errors
    /// As [`crate::simulate`]: what the scheduler refuses of the question.
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

    /// The socket that the scheduler gave a task, if it gives any.
    pub fn socket(&self, task: TaskId) -> Option<SocketId> {
        self.scheduler.socket(task)
    }

    /// Whether all tasks have ended.
    pub fn is_over(&self) -> bool {
        self.ended == self.question.graph.task_count()
    }

    /// Nobody runs a task, the master creates none, and yet some are left: nothing will ever happen again.
    pub fn is_stuck(&self) -> Option<TasksError> {
        let rests = self.running == 0 && !self.master.partitions() && !self.is_over() && !self.may_create();
        let may_come = self.ready.waiting() > 0 && self.absent.is_somebody();
        (rests && !may_come).then(|| TasksError::NeverEnds(self.alive.lowest()))
    }

    /// Created tasks that wait for none and that nobody has taken.
    pub const fn ready(&self) -> usize {
        self.ready.waiting()
    }

    /// The master does the next thing that it can do.
    pub fn create(&mut self) -> Creation {
        if self.master.partitions() {
            return Creation::Waits;
        }
        let forced = self.may_force();
        self.with_master(|master, around, ready| {
            let created = loop {
                // A window that has no partition is one of `partition`.
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

    /// Partitions the window that waits for it.
    ///
    /// # Errors
    /// There is no partition.
    pub fn partition(&mut self) -> Result<(), TasksError> {
        Ok(self.with_master(|master, around, _| master.partition(around))?)
    }

    /// A worker has ended its task: it is idle, others wait for one less, and what the task creates is created.
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

    /// Idle workers that are there look for tasks in rounds, and then for what the absent leave lying; `starts` hears who takes which one now.
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

    /// What the scheduler has for `asked` in a round; `worker` runs it.
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

    /// What the throttle holds back may be what existing tasks wait for, where tasks create tasks.
    fn may_force(&self) -> bool {
        self.question.graph.is_tree() && self.running == 0 && self.ready.waiting() == 0
    }

    /// The master at work: all that it does belongs to one instant.
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

// Workers that are kept from running for a while, and who does what is left lying.
//
// Schedulers are told nothing of it: to them an absent worker is one that is busy, and whoever may steal from it does. What a scheduler has for it alone (its own
// queue, its part of a loop, its socket's tasks) an idle worker of its socket takes in its place; where a whole socket is absent, any idle worker. So a graph goes on
// as long as one worker is there, and nothing leaves a socket on which somebody can run it.

/// Who is not there.
#[derive(Debug)]
struct Absent {
    /// Per worker.
    is: Vec<bool>,
    count: usize,
    /// Per worker: the task that it had been given and did not begin.
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

    /// Whether that is new.
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

    /// The task that this worker did not begin, for whoever does.
    fn unbegun(&mut self, worker: WorkerId) -> Option<Start> {
        self.unbegun.get_mut(worker.0 as usize)?.take()
    }
}

impl Live<'_> {
    /// An idle worker may run nothing until it [comes](Live::come): it is handed no tasks. `unbegun`: the task that it was handed and has not begun; that is ready
    /// again. Blocks that first tasks touch count as touched where it should have run.
    pub fn leave(&mut self, worker: WorkerId, unbegun: Option<Start>) {
        if let Some((start, place)) = unbegun.zip(self.absent.unbegun.get_mut(worker.0 as usize)) {
            *place = Some(start);
            self.running = self.running.saturating_sub(1);
            self.ready.give_back();
            self.idle.push(worker);
        }
        self.absent.set(worker, true);
    }

    /// A worker that had left is there again, idle; whether it had left.
    pub fn come(&mut self, worker: WorkerId) -> bool {
        self.absent.set(worker, false)
    }

    /// Idle workers take what the scheduler has for absent ones; see the module.
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
