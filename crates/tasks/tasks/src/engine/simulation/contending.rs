//! Contenders: workers leave for them, run their tasks, and come back.

use super::super::contenders::Contenders;
use super::{Event, Simulation};
use crate::question::Question;
use crate::schedulers::View;
use crate::sockets::WorkerId;

impl Simulation<'_> {
    /// Phases that begin or end.
    pub(super) fn share(&mut self) {
        let Question { graph, machine, .. } = *self.question;
        let latest = self.instants.end();
        let Some(contenders) = &mut self.contenders else { return };
        while let Some(programs) = contenders.pop_bound(latest) {
            let view = View::new(graph, machine, self.sockets, &self.homes);
            self.scheduler.shares(&view, programs);
        }
    }

    /// The contender's task of a worker ends in this round.
    pub(super) fn end_contender(&mut self, worker: WorkerId) {
        self.contenders.iter_mut().for_each(|contenders| contenders.end(worker));
    }

    /// Workers whose contender's tasks have ended come back if they are dealt to the program, by number; else they run the next.
    pub(super) fn welcome(&mut self) {
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

    /// An idle worker that has found no task of its own leaves if it is dealt to another program; whether it does.
    pub(super) fn leave(&mut self, worker: WorkerId) -> bool {
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
    pub(super) fn stop_contenders(&mut self) {
        let now = self.instants.now();
        let Some(contenders) = &mut self.contenders else { return };
        for worker in (0..u32::try_from(self.sockets.worker_count()).unwrap_or(u32::MAX)).map(WorkerId) {
            contenders.stop(worker, self.sockets.node(self.sockets.of_worker(worker)), now);
        }
    }

    /// Whether contenders alone would go on for ever: nothing else is to come, and nobody comes back.
    pub(super) fn is_stuck(&self) -> bool {
        if self.contenders.is_none() {
            return false;
        }
        let workers = (0..u32::try_from(self.sockets.worker_count()).unwrap_or(u32::MAX)).map(WorkerId);
        let mut away = workers.filter(|&worker| self.workers.is_away(worker));
        let to_come = self.instants.len() + usize::from(self.flows.next_end().is_finite());
        to_come <= away.clone().count() && !away.any(|worker| self.scheduler.is_dealt(worker))
    }
}
