//! Step 1 of an instant: tasks that end, and what follows from that.

use numasim_graph::values::TaskId;

use super::{By, Simulation};
use crate::observer::TaskRecord;
use crate::question::Question;
use crate::schedulers::{HandOver, View};
use crate::sockets::WorkerId;

impl Simulation<'_> {
    /// Step 1: tasks that end.
    pub(super) fn retire(&mut self) {
        let now = self.instants.now();
        self.ended.sort_unstable();
        // Taken, so that the engine can be changed meanwhile, and given back for its room.
        let mut ended = std::mem::take(&mut self.ended);
        let sockets = self.sockets;
        for (task, worker) in ended.drain(..) {
            let Some(taken) = self.workers.end(worker) else { continue };
            self.idling.end(worker);
            let node = sockets.node(sockets.of_worker(worker));
            let Question { graph, machine, .. } = *self.question;
            let view = View::new(graph, machine, sockets, &self.homes);
            self.scheduler.finished(&view, task, worker);
            self.caches.ended(graph, task, node);
            self.follow(task, worker);
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

    /// What follows from the end of a task: others wait for one less, and its children are created.
    fn follow(&mut self, task: TaskId, worker: WorkerId) {
        let Question { graph, machine, .. } = *self.question;
        let view = View::new(graph, machine, self.sockets, &self.homes);
        if !self.scheduler.hands_over() {
            self.alive.ended(task, |other| self.ready.push((other, By::Parent(worker))));
            for &child in graph.children(task) {
                self.scheduler.created(&view, child);
                if self.alive.created(graph, child) {
                    self.ready.push((child, By::Creator(worker)));
                }
            }
            return;
        }
        let (children, others) = &mut self.handed;
        children.clear();
        others.clear();
        self.alive.ended(task, |other| others.push(other));
        others.sort_unstable();
        for &child in graph.children(task) {
            self.scheduler.created(&view, child);
            if self.alive.created(graph, child) {
                children.push(child);
            }
        }
        self.waiting += children.len() + others.len();
        if !children.is_empty() || !others.is_empty() {
            self.scheduler.hand_over(&view, &HandOver { task, worker, children, others });
        }
    }
}
