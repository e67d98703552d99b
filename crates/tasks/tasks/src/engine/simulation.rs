//! Instants, and what happens in one, in the order that the top of the crate says.

use numasim_engine::{EventKey, Instants, SimTime, Span};
use numasim_graph::values::TaskId;
use numasim_model::sharing::Network;
use numasim_model::units::Seconds;

use super::cache::Caches;
use super::contenders::Contenders;
use super::flows::Flows;
use super::idling::Idling;
use super::living::Living;
use super::master::{Around, Master};
use super::ready::Ready;
use super::tally::{Rest, Tally};
use super::work::Assay;
use super::workers::Workers;
use crate::error::TasksError;
use crate::homes::Homes;
use crate::idle::IdleReason;
use crate::migration::migration;
use crate::observer::Observer;
use crate::question::Question;
use crate::result::Run;
use crate::schedulers::{Scheduler, View};
use crate::sockets::{SocketId, Sockets, WorkerId};
use crate::spread::Spread;

mod contending;
mod ending;
mod taking;

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
    /// The master has done what it does.
    Master,
    /// The task of a contender that a worker runs ends.
    Contender(WorkerId),
    /// Contenders begin or cease to want workers.
    Bound,
}

/// A simulation under way.
pub(super) struct Simulation<'a> {
    question: &'a Question<'a>,
    sockets: &'a Sockets,
    scheduler: Box<dyn Scheduler + 'a>,
    observer: &'a mut dyn Observer,
    instants: Instants<Event>,
    /// The events of the master and of contenders. When the next task ends that reads memory, `flows` knows.
    master_event: Option<EventKey>,
    bound_event: Option<EventKey>,
    master: Master,
    migration: Seconds,
    contenders: Option<Contenders>,
    alive: Living,
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
    ready: Ready,
}

impl<'a> Simulation<'a> {
    /// At the beginning.
    ///
    /// # Errors
    /// [`TasksError::TooManyEdges`].
    pub(super) fn new(
        question: &'a Question<'a>,
        sockets: &'a Sockets,
        network: &'a Network,
        scheduler: Box<dyn Scheduler + 'a>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, TasksError> {
        let Question { machine, graph, runtime, placement, .. } = *question;
        let (nodes, workers) = (machine.node_count(), sockets.worker_count());
        let migration = migration(question, sockets.node(SocketId(0)));
        let contenders = question.contender.map(|contender| Contenders::new(contender, workers, nodes));
        Ok(Self {
            question,
            sockets,
            scheduler,
            observer,
            instants: Instants::with_span(Span::OfTime(SAME_INSTANT)),
            master_event: None,
            bound_event: None,
            master: Master::new(runtime, SimTime::START.after(migration.value())),
            migration,
            contenders,
            alive: Living::new(graph)?,
            workers: Workers::new(workers, runtime),
            flows: Flows::new(network),
            homes: Homes::new(graph, machine, placement, sockets.node(SocketId(0))),
            caches: Caches::new(machine, graph.blocks().len()),
            assay: Assay::new(graph, network),
            fractions: vec![Vec::new(); workers],
            spread: Spread::new(runtime),
            tally: Tally::new(nodes),
            idling: Idling::new(nodes, workers),
            ended: Vec::new(),
            ready: Ready::default(),
        })
    }

    /// Until the last task has ended.
    pub(super) fn run(mut self) -> Result<Run, TasksError> {
        let tasks = self.question.graph.task_count() as u64;
        let mut instants = 0_u64;
        self.round()?;
        loop {
            while self.happens() || self.forces() {
                self.round()?;
            }
            let now = self.instants.now();
            self.flows.solve(now);
            self.instants.reschedule(&mut self.master_event, self.master.end(), Event::Master);
            if let Some(contenders) = &self.contenders {
                self.instants.reschedule(&mut self.bound_event, contenders.next_bound(), Event::Bound);
            }
            if self.tally.tasks() == tasks {
                break;
            }
            instants += 1;
            if instants.is_multiple_of(INSTANTS_PER_LOOK) && self.observer.stops() {
                return Err(TasksError::Stopped);
            }
            if self.is_stuck() {
                return Err(TasksError::NeverEnds(self.alive.lowest()));
            }
            let Some(next) = self.advance() else {
                return Err(TasksError::NeverEnds(self.alive.lowest()));
            };
            self.idling.passes(self.why_idle(), now, next, self.observer);
        }
        let now = self.instants.now();
        self.stop_contenders();
        let idle = self.idling.finish(self.sockets, now, self.observer);
        let rest = Rest {
            workers: self.sockets.worker_count(),
            partition: self.master.partitioned(),
            migration: self.migration,
            idle: &idle,
            contenders: self.contenders.as_ref(),
        };
        Ok(self.tally.finish(self.question.graph, &*self.scheduler, &rest))
    }

    /// Goes to the instant of the next event or of the next end of a task that reads memory, which may be the present one.
    fn advance(&mut self) -> Option<SimTime> {
        let end = self.flows.next_end();
        if !end.is_finite() || self.instants.next_time().is_some_and(|event| event <= end) {
            return self.instants.advance();
        }
        Some(if end <= self.instants.end() { self.instants.now() } else { self.instants.advance_to(end) })
    }

    /// Why workers that have no task now have none.
    fn why_idle(&self) -> IdleReason {
        if self.ready.waiting() > self.scheduler.without_socket() {
            return IdleReason::Elsewhere;
        }
        let held_back = self.master.holds_back(self.question.graph);
        let waits = self.alive.count() > self.workers.busy_count() as u64 || self.alive.has_unborn();
        let last = if waits { IdleReason::Parents } else { IdleReason::End };
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
                Event::Master => self.master_event = None,
                Event::Contender(worker) => self.end_contender(worker),
                Event::Bound => self.bound_event = None,
            }
        }
        let (now, latest) = (self.instants.now(), self.instants.end());
        any |= self.flows.next_end() <= latest;
        while let Some(worker) = self.flows.pop_ended(now, latest) {
            any = true;
            self.end(worker);
        }
        any
    }

    /// Whether the instant would end without any task running while the throttle stops the master of a tree program.
    fn forces(&mut self) -> bool {
        matches!(self.alive, Living::Grown(_))
            && self.workers.busy_count() == 0
            && self.master.force(self.question.graph, &self.alive)
    }

    /// Phases of contenders, then the four steps.
    fn round(&mut self) -> Result<(), TasksError> {
        self.share();
        self.retire();
        self.welcome();
        self.create()?;
        self.make_ready();
        self.hand_out();
        Ok(())
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
        Ok(self.master.create(&mut around, |task| self.ready.created(task))?)
    }

    /// Step 3: tasks that became ready.
    fn make_ready(&mut self) {
        let Question { graph, machine, .. } = *self.question;
        let view = View::new(graph, machine, self.sockets, &self.homes);
        self.ready.report(&view, &mut *self.scheduler);
    }
}
