//! Instants, and what happens in one, in the order that the top of the crate says.

use numasim_engine::{EventKey, Instants, Span};
use numasim_model::graph::{PagePlacement, TaskId};
use numasim_model::sharing::Network;

use super::alive::Alive;
use super::cache::Caches;
use super::flows::Flows;
use super::idling::Idling;
use super::master::{Around, Master};
use super::tally::Tally;
use super::work::{Assay, Pace};
use super::workers::{Taken, Workers};
use crate::error::TasksError;
use crate::homes::Homes;
use crate::idle::IdleReason;
use crate::observer::{Observer, TaskRecord};
use crate::question::Question;
use crate::result::Run;
use crate::schedulers::{Scheduler, View};
use crate::sockets::{SocketId, Sockets, WorkerId};
use crate::spread::Spread;

/// Events of one instant differ by at most this part of the time.
const SAME_INSTANT: f64 = 1e-9;
/// Instants between two questions whether to stop.
const INSTANTS_PER_LOOK: u64 = 1024;

/// What comes at a time that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A worker has fetched its task and begins to work.
    Begin(WorkerId),
    /// A task that reads no memory ends.
    End(WorkerId),
    /// The next task that reads memory ends.
    FlowEnds,
    /// The master has done what it does.
    Master,
}

/// A simulation under way.
pub(super) struct Simulation<'a> {
    question: &'a Question<'a>,
    sockets: &'a Sockets,
    scheduler: Box<dyn Scheduler + 'a>,
    observer: &'a mut dyn Observer,
    instants: Instants<Event>,
    /// The events of the master and of the flows.
    master_event: Option<EventKey>,
    flow_event: Option<EventKey>,
    master: Master,
    alive: Alive,
    workers: Workers,
    flows: Flows<'a>,
    homes: Homes,
    caches: Caches<'a>,
    assay: Assay<'a>,
    /// Per worker: the parts of what its task reads of each memory.
    fractions: Vec<Vec<f64>>,
    spread: Spread,
    tally: Tally,
    idling: Idling,
    /// Workers whose tasks have ended, in this round.
    ended: Vec<(TaskId, WorkerId)>,
    /// Tasks that have become ready in this round, and by whose task.
    ready: Vec<(TaskId, Option<WorkerId>)>,
    /// Ready tasks that nobody has taken.
    waiting: usize,
}

impl<'a> Simulation<'a> {
    /// At the beginning.
    pub(super) fn new(
        question: &'a Question<'a>,
        sockets: &'a Sockets,
        network: &'a Network,
        scheduler: Box<dyn Scheduler + 'a>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let Question { machine, graph, runtime, placement, .. } = *question;
        let (nodes, workers) = (machine.node_count(), sockets.worker_count());
        Self {
            question,
            sockets,
            scheduler,
            observer,
            instants: Instants::with_span(Span::OfTime(SAME_INSTANT)),
            master_event: None,
            flow_event: None,
            master: Master::new(runtime),
            alive: Alive::new(graph),
            workers: Workers::new(workers, runtime),
            flows: Flows::new(network),
            homes: Homes::new(graph, placement, sockets.node(SocketId(0))),
            caches: Caches::new(machine, graph.blocks().len()),
            assay: Assay::new(graph, network),
            fractions: vec![Vec::new(); workers],
            spread: Spread::new(runtime),
            tally: Tally::new(nodes),
            idling: Idling::new(nodes, workers),
            ended: Vec::new(),
            ready: Vec::new(),
            waiting: 0,
        }
    }

    /// Until the last task has ended.
    pub(super) fn run(mut self) -> Result<Run, TasksError> {
        let tasks = self.question.graph.task_count() as u64;
        let mut instants = 0_u64;
        self.round()?;
        loop {
            while self.happens() {
                self.round()?;
            }
            let now = self.instants.now();
            if self.flows.solve(now) || self.flow_event.is_none() {
                self.instants.reschedule(&mut self.flow_event, self.flows.next_end(), Event::FlowEnds);
            }
            self.instants.reschedule(&mut self.master_event, self.master.end(), Event::Master);
            if self.tally.tasks() == tasks {
                break;
            }
            instants += 1;
            if instants.is_multiple_of(INSTANTS_PER_LOOK) && self.observer.stops() {
                return Err(TasksError::Stopped);
            }
            let Some(next) = self.instants.advance() else {
                return Err(TasksError::NeverEnds(self.alive.lowest()));
            };
            self.idling.passes(self.why_idle(), now, next, self.observer);
        }
        let now = self.instants.now();
        let idle = self.idling.finish(self.sockets, now, self.observer);
        let partition = self.master.partitioned();
        let workers = self.sockets.worker_count();
        Ok(self.tally.finish(self.question.graph, &*self.scheduler, workers, partition, &idle))
    }

    /// Why workers that have no task now have none.
    fn why_idle(&self) -> IdleReason {
        if self.waiting > self.scheduler.without_socket() {
            return IdleReason::Elsewhere;
        }
        let held_back = self.master.holds_back(self.question.graph);
        let running = (self.sockets.worker_count() - self.workers.idle_count()) as u64;
        let last = if self.alive.count() > running { IdleReason::Parents } else { IdleReason::End };
        held_back.unwrap_or(last)
    }

    /// Takes what comes in the present instant; whether anything does.
    fn happens(&mut self) -> bool {
        let mut any = !self.ended.is_empty();
        while let Some(event) = self.instants.pop_now() {
            any = true;
            match event {
                Event::Begin(worker) => self.begin(worker),
                Event::End(worker) => self.end(worker),
                Event::FlowEnds => self.flow_event = None,
                Event::Master => self.master_event = None,
            }
        }
        let (now, latest) = (self.instants.now(), self.instants.end());
        while let Some(worker) = self.flows.pop_ended(now, latest) {
            any = true;
            self.end(worker);
        }
        any
    }

    /// The four steps.
    fn round(&mut self) -> Result<(), TasksError> {
        self.retire();
        self.create()?;
        self.make_ready();
        self.hand_out();
        Ok(())
    }

    /// Step 1: tasks that end.
    fn retire(&mut self) {
        let now = self.instants.now();
        let Self { question, sockets, homes, ended, .. } = self;
        ended.sort_unstable();
        // Taken, so that the engine can be changed meanwhile, and given back for its room.
        let mut ended = std::mem::take(ended);
        for (task, worker) in ended.drain(..) {
            let Some(taken) = self.workers.end(worker) else { continue };
            self.idling.end(worker);
            let node = sockets.node(sockets.of_worker(worker));
            let view = View::new(question.graph, question.machine, sockets, homes);
            self.scheduler.finished(&view, task, worker);
            self.caches.ended(question.graph, task, node);
            self.alive.ended(task, |child| self.ready.push((child, Some(worker))));
            let record = TaskRecord {
                task,
                socket: self.scheduler.socket(task).map(|socket| sockets.node(socket)),
                node,
                worker: worker.0,
                start_s: taken.start.seconds(),
                end_s: now.seconds(),
                stolen: taken.stolen,
                traffic: taken.traffic,
            };
            self.tally.ended(&record);
            self.observer.ended(&record);
        }
        self.ended = ended;
    }

    /// Step 2: the master creates what it can.
    fn create(&mut self) -> Result<(), TasksError> {
        let Question { graph, machine, .. } = *self.question;
        let mut around = Around {
            graph,
            view: View::new(graph, machine, self.sockets, &self.homes),
            scheduler: &mut *self.scheduler,
            alive: &mut self.alive,
            observer: &mut *self.observer,
            now: self.instants.now(),
            latest: self.instants.end(),
        };
        Ok(self.master.create(&mut around, |task| self.ready.push((task, None)))?)
    }

    /// Step 3: tasks that became ready.
    fn make_ready(&mut self) {
        let Question { graph, machine, .. } = *self.question;
        let view = View::new(graph, machine, self.sockets, &self.homes);
        self.ready.sort_unstable();
        self.waiting += self.ready.len();
        for (task, by) in self.ready.drain(..) {
            self.scheduler.ready(&view, task, by);
        }
    }

    /// Step 4: idle workers take tasks, then those that found none steal.
    fn hand_out(&mut self) {
        let idle = self.workers.idle_count();
        let waiting = self.waiting;
        let mut place = 0;
        while place < idle && self.waiting > 0 {
            let Some(worker) = self.workers.idle_at(place) else { break };
            place += 1;
            let view = View::new(self.question.graph, self.question.machine, self.sockets, &self.homes);
            if let Some(task) = self.scheduler.next(&view, worker) {
                self.take(worker, task, false);
            }
        }
        if self.scheduler.steals() {
            let mut place = 0;
            while place < idle && self.waiting > 0 {
                let Some(worker) = self.workers.idle_again(place) else { break };
                place += 1;
                let view = View::new(self.question.graph, self.question.machine, self.sockets, &self.homes);
                if self.workers.taken(worker).is_none()
                    && let Some(task) = self.scheduler.steal(&view, worker)
                {
                    self.take(worker, task, true);
                }
            }
        }
        if self.waiting < waiting {
            self.workers.settle();
        }
    }

    /// A worker takes a task.
    fn take(&mut self, worker: WorkerId, task: TaskId, stolen: bool) {
        self.waiting = self.waiting.saturating_sub(1);
        let Question { runtime, placement, .. } = *self.question;
        let now = self.instants.now();
        let node = self.sockets.node(self.sockets.of_worker(worker));
        self.idling.take(worker, node);
        let given = self.scheduler.socket(task).filter(|_| placement == PagePlacement::Numa);
        let touch = given.map_or(node, |socket| self.sockets.node(socket));
        let factor = self.spread.factor(task);
        let (traffic, pace) = self.assay.of(task, factor, node, touch, &mut self.homes, &self.caches);
        self.workers.take(worker, Taken { task, start: now, stolen, traffic, pace });
        if let Some(own) = self.fractions.get_mut(worker.0 as usize) {
            own.clone_from(self.assay.fractions());
        }
        let overhead_s = runtime.task.value() + if stolen { runtime.steal.value() } else { 0.0 };
        if overhead_s > 0.0 {
            self.instants.schedule(now.after(overhead_s), Event::Begin(worker));
        } else {
            self.begin(worker);
        }
    }

    /// A worker begins to work.
    fn begin(&mut self, worker: WorkerId) {
        let now = self.instants.now();
        match self.workers.taken(worker).map(|taken| taken.pace) {
            None => {}
            Some(Pace::Seconds(seconds)) if seconds <= 0.0 => self.end(worker),
            Some(Pace::Seconds(seconds)) => {
                self.instants.schedule(now.after(seconds), Event::End(worker));
            }
            Some(Pace::Shared { gb, want_gbs }) => {
                let node = self.sockets.node(self.sockets.of_worker(worker));
                if let Some(fractions) = self.fractions.get(worker.0 as usize) {
                    self.flows.join(now, worker, node, fractions, (gb, want_gbs));
                }
            }
        }
    }

    /// The task of a worker ends in this round.
    fn end(&mut self, worker: WorkerId) {
        if let Some(taken) = self.workers.taken(worker) {
            self.ended.push((taken.task, worker));
        }
    }
}
