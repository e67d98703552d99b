//! Instants, and the events in each, in the order of the crate's documentation.

use numasim_engine::{EventKey, Instants, SimTime, Span};
use numasim_graph::values::{BlockHome, PagePlacement, TaskId};
use numasim_model::NodeId;
use numasim_model::sharing::Network;
use numasim_model::units::Seconds;

use crate::engine::caches::{Caches, Shares, Turnover};
use crate::engine::flows::Flows;
use crate::engine::living::{Living, Ready};
use crate::engine::master::{Around, Creation, Master};
use crate::engine::work::{Assay, Pace};
use crate::engine::workers::{Contenders, Idling, Rest, Taken, Tally, Workers};
use crate::error::TasksError;
use crate::question::Question;
use crate::random::Spread;
use crate::result::{IdleReason, Observer, Run, TaskRecord, Traffic};
use crate::schedulers::{Round, Scheduler, Source, Start, View};
use crate::sockets::{Homes, SocketId, Sockets, WorkerId, migration};

/// Times of one instant differ by at most this relative amount.
const SAME_INSTANT: f64 = 1e-9;
/// Number of instants between two polls for a stop.
const INSTANTS_PER_LOOK: u64 = 1024;

/// An event at a known time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A worker has fetched its task and begins to work.
    Begin(WorkerId),
    /// A task that reads no memory ends.
    End(WorkerId),
    /// The present activity of the master ends.
    Master,
    /// The task of a contender that a worker runs ends.
    Contender(WorkerId),
    /// Contenders begin or cease to want workers.
    Bound,
}

/// A running simulation.
pub(super) struct Simulation<'a> {
    question: &'a Question<'a>,
    sockets: &'a Sockets,
    scheduler: Box<dyn Scheduler + 'a>,
    observer: &'a mut dyn Observer,
    instants: Instants<Event>,
    /// The events of the master and of contenders. `flows` determines when the next task that reads memory ends.
    master_event: Option<EventKey>,
    bound_event: Option<EventKey>,
    master: Master,
    migration: Seconds,
    contenders: Option<Contenders>,
    alive: Living,
    workers: Workers,
    flows: Flows<'a>,
    homes: Homes,
    caches: Caches,
    turnover: Turnover,
    assay: Assay<'a>,
    /// Per worker: the fraction of each memory in the reads of its task.
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
            turnover: Turnover::new(nodes, workers),
            assay: Assay::new(graph, network),
            fractions: vec![Vec::new(); workers],
            spread: Spread::new(runtime),
            tally: Tally::new(nodes),
            idling: Idling::new(nodes, workers),
            ended: Vec::new(),
            ready: Ready::default(),
        })
    }

    /// Runs until the last task has ended.
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

    /// Advances to the instant of the next event or of the next end of a task that reads memory, which may be the present one.
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

    /// Takes the events of the present instant; returns whether there are any.
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

    /// Step 2: the master creates as many tasks as it can.
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
        while let Creation::Created(_) | Creation::Window(_) =
            self.master.create(&mut around, |task| self.ready.created(task))?
        {}
        Ok(())
    }

    /// Step 3: tasks that became ready.
    fn make_ready(&mut self) {
        let Question { graph, machine, .. } = *self.question;
        let view = View::new(graph, machine, self.sockets, &self.homes);
        self.ready.report(&view, &mut *self.scheduler);
    }
}

// Step 1 of an instant: tasks that end, and the consequences.

impl Simulation<'_> {
    /// Step 1: tasks that end.
    fn retire(&mut self) {
        let now = self.instants.now();
        self.ended.sort_unstable();
        // Moved out, so that the engine can be changed meanwhile, and returned to reuse its allocation.
        let mut ended = std::mem::take(&mut self.ended);
        let sockets = self.sockets;
        for (task, worker) in ended.drain(..) {
            let Some(taken) = self.workers.end(worker) else { continue };
            self.idling.end(worker);
            let node = sockets.node(sockets.of_worker(worker));
            let Question { graph, machine, .. } = *self.question;
            let view = View::new(graph, machine, sockets, &self.homes);
            self.scheduler.finished(&view, task, worker);
            self.turnover.end(worker, node);
            self.ready.follow((graph, &view), &mut *self.scheduler, &mut self.alive, (task, worker));
            let record = TaskRecord {
                task,
                socket: self.scheduler.socket(task).map(|socket| sockets.node(socket)),
                node,
                worker: worker.0,
                start_s: taken.start.seconds(),
                end_s: now.seconds(),
                source: taken.source,
                revoked: taken.revoked,
                traffic: taken.traffic,
            };
            self.tally.ended(&record, self.question.graph.affinity(task));
            self.observer.ended(&record);
        }
        self.ended = ended;
    }
}

// Step 4 of an instant: idle workers take tasks, and begin to work on them.

impl Simulation<'_> {
    /// Step 4: idle workers look for tasks in rounds. A worker that is dealt to another program and finds nothing in the first round
    /// leaves.
    fn hand_out(&mut self) {
        let idle = self.workers.idle_count();
        let waiting = self.ready.waiting();
        let mut left = false;
        for &round in self.scheduler.rounds() {
            let is_first = round == Round::Own;
            let mut place = 0;
            while place < idle && self.ready.waiting() > 0 {
                let next =
                    if is_first { self.workers.idle_at(place) } else { self.workers.idle_again(place) };
                let Some(worker) = next else { break };
                place += 1;
                if !is_first && (self.workers.taken(worker).is_some() || self.workers.is_away(worker)) {
                    continue;
                }
                let view = View::new(self.question.graph, self.question.machine, self.sockets, &self.homes);
                match self.scheduler.take(&view, worker, round) {
                    Some(start) => self.take(worker, start),
                    None if is_first => left |= self.leave(worker),
                    None => {}
                }
            }
            if is_first && self.contenders.is_some() {
                // No further worker needs to be asked: no task is left.
                for place in place..idle {
                    left |= self.workers.idle_again(place).is_some_and(|worker| self.leave(worker));
                }
            }
        }
        if self.ready.waiting() < waiting || left {
            self.workers.settle();
        }
    }

    /// A worker takes a task.
    fn take(&mut self, worker: WorkerId, start: Start) {
        let Start { task, source, revoked } = start;
        self.ready.take();
        let Question { runtime, placement, .. } = *self.question;
        let now = self.instants.now();
        let node = self.sockets.node(self.sockets.of_worker(worker));
        self.idling.take(worker, node);
        if placement == PagePlacement::Numa {
            self.place_blocks(task);
        }
        let given = self.scheduler.socket(task).filter(|_| placement == PagePlacement::Numa);
        let touch = given.map_or(node, |socket| self.sockets.node(socket));
        let factor = self.spread.factor(task);
        let (traffic, pace) = self.decide_sources(task, factor, (node, touch), worker);
        self.workers.take(worker, Taken { task, start: now, source, revoked, traffic, pace });
        if let Some(own) = self.fractions.get_mut(worker.0 as usize) {
            own.clone_from(self.assay.fractions());
        }
        let overhead_s =
            runtime.task.value() + if source == Source::Steal { runtime.steal.value() } else { 0.0 };
        if overhead_s > 0.0 {
            self.instants.schedule(now.after(overhead_s), Event::Begin(worker));
        } else {
            self.begin(worker);
        }
    }

    /// A worker of a node takes a task: determines the caches and memories that serve its bytes, from the bytes that its node and others
    /// have touched until now.
    fn decide_sources(
        &mut self,
        task: TaskId,
        factor: f64,
        (node, touch): (NodeId, NodeId),
        worker: WorkerId,
    ) -> (Traffic, Pace) {
        let now = self.instants.now();
        let Self { question, assay, homes, caches, turnover, flows, sockets, .. } = self;
        if !caches.are_there() {
            return assay.of(task, factor, (node, touch), homes, |_| Shares::MEMORY);
        }
        let of_node = |node| turnover.of(node, sockets, now, |worker| flows.progress(now, worker));
        let own = of_node(node);
        let blocks = question.graph.blocks();
        let mut added = 0.0;
        let decided = assay.of(task, factor, (node, touch), homes, |access| {
            let size = blocks.get(access.block.0 as usize).map_or(0.0, |block| block.bytes);
            let turnover = |other| if other == node { own } else { of_node(other) };
            let (shares, adds) = caches.take(access, size, node, turnover);
            added += adds;
            shares
        });
        self.turnover.take(worker, added);
        decided
    }

    /// Open blocks of a task go to the nodes that the scheduler selects, if it does.
    fn place_blocks(&mut self, task: TaskId) {
        let Question { graph, machine, .. } = *self.question;
        for access in graph.accesses(task) {
            let view = View::new(graph, machine, self.sockets, &self.homes);
            if view.home(access.block) == BlockHome::Open
                && let Some(node) = self.scheduler.home(&view, access.block)
            {
                self.homes.touch(access.block, node);
            }
        }
    }

    /// A worker begins to work.
    fn begin(&mut self, worker: WorkerId) {
        let now = self.instants.now();
        match self.workers.taken(worker).map(|taken| taken.pace) {
            None => {}
            Some(Pace::Seconds(seconds)) if seconds <= 0.0 => self.end(worker),
            Some(Pace::Seconds(seconds)) => {
                self.turnover.begin_timed(worker, now, seconds);
                self.instants.schedule(now.after(seconds), Event::End(worker));
            }
            Some(Pace::Shared { gb, want_gbs }) => {
                let node = self.sockets.node(self.sockets.of_worker(worker));
                if let Some(fractions) = self.fractions.get(worker.0 as usize) {
                    self.flows.join(now, worker, node, fractions, (gb, want_gbs));
                    self.turnover.begin_shared(worker);
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

// Contenders: workers leave for them, run their tasks, and come back.

impl Simulation<'_> {
    /// Phases that begin or end.
    fn share(&mut self) {
        let Question { graph, machine, .. } = *self.question;
        let latest = self.instants.end();
        let Some(contenders) = &mut self.contenders else { return };
        while let Some(programs) = contenders.pop_bound(latest) {
            let view = View::new(graph, machine, self.sockets, &self.homes);
            self.scheduler.shares(&view, programs);
        }
    }

    /// The contender's task of a worker ends in this round.
    fn end_contender(&mut self, worker: WorkerId) {
        self.contenders.iter_mut().for_each(|contenders| contenders.end(worker));
    }

    /// Workers whose contender's tasks have ended come back if they are dealt to the program, by number; otherwise they run the next.
    fn welcome(&mut self) {
        let ended = self.contenders.as_mut().map(Contenders::take_ended).unwrap_or_default();
        let now = self.instants.now();
        for worker in ended {
            let node = self.sockets.node(self.sockets.of_worker(worker));
            self.contenders.iter_mut().for_each(|contenders| contenders.note(worker, node, now));
            if !self.scheduler.is_dealt(worker) {
                self.contend(worker);
                continue;
            }
            self.workers.come_back(worker);
            self.idling.end(worker);
            let Question { graph, machine, .. } = *self.question;
            let view = View::new(graph, machine, self.sockets, &self.homes);
            self.scheduler.joins(&view, worker);
        }
    }

    /// An idle worker that has found no task in its queues leaves if it is dealt to another program; returns whether it leaves.
    fn leave(&mut self, worker: WorkerId) -> bool {
        let stays = self.contenders.is_none()
            || self.workers.taken(worker).is_some()
            || self.workers.is_away(worker)
            || self.scheduler.is_dealt(worker);
        if stays {
            return false;
        }
        let Question { graph, machine, .. } = *self.question;
        let view = View::new(graph, machine, self.sockets, &self.homes);
        self.scheduler.leaves(&view, worker);
        self.workers.leave(worker);
        self.idling.take(worker, self.sockets.node(self.sockets.of_worker(worker)));
        self.contend(worker);
        true
    }

    /// A worker that has left runs the next task of a contender.
    fn contend(&mut self, worker: WorkerId) {
        let now = self.instants.now();
        let node = self.question.machine.node(self.sockets.node(self.sockets.of_worker(worker)));
        let instant_s = self.instants.span_s();
        if let Some(contenders) = &mut self.contenders {
            let end = contenders.begin(worker, node.gflops_per_core.value(), now, instant_s);
            self.instants.schedule(end, Event::Contender(worker));
        }
    }

    /// The run is over.
    fn stop_contenders(&mut self) {
        let now = self.instants.now();
        let Some(contenders) = &mut self.contenders else { return };
        for worker in (0..u32::try_from(self.sockets.worker_count()).unwrap_or(u32::MAX)).map(WorkerId) {
            contenders.stop(worker, self.sockets.node(self.sockets.of_worker(worker)), now);
        }
    }

    /// Whether contenders alone would continue forever: there are no other events, and no worker comes back.
    fn is_stuck(&self) -> bool {
        if self.contenders.is_none() {
            return false;
        }
        let workers = (0..u32::try_from(self.sockets.worker_count()).unwrap_or(u32::MAX)).map(WorkerId);
        let mut away = workers.filter(|&worker| self.workers.is_away(worker));
        let to_come = self.instants.len() + usize::from(self.flows.next_end().is_finite());
        to_come <= away.clone().count() && !away.any(|worker| self.scheduler.is_dealt(worker))
    }
}
