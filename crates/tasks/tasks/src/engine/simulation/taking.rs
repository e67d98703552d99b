//! Step 4 of an instant: idle workers take tasks, and begin to work on them.

use numasim_graph::values::{BlockHome, PagePlacement, TaskId};

use super::super::work::Pace;
use super::super::workers::Taken;
use super::{Event, Simulation};
use crate::question::Question;
use crate::schedulers::{Round, Source, Start, View};
use crate::sockets::WorkerId;

impl Simulation<'_> {
    /// Step 4: idle workers look for tasks in rounds. Whoever is dealt to another program and finds nothing in the first one leaves.
    pub(super) fn hand_out(&mut self) {
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
                // Nobody else need be asked: no task is left.
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
        let (traffic, pace) = self.assay.of(task, factor, node, touch, &mut self.homes, &self.caches);
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

    /// Open blocks of a task go where the scheduler wants them, if it cares.
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
    pub(super) fn begin(&mut self, worker: WorkerId) {
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
    pub(super) fn end(&mut self, worker: WorkerId) {
        if let Some(taken) = self.workers.taken(worker) {
            self.ended.push((taken.task, worker));
        }
    }
}
