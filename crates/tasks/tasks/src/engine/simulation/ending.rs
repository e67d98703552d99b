//! Step 1 of an instant: tasks that end, and what follows from that.

use super::Simulation;
use crate::observer::TaskRecord;
use crate::question::Question;
use crate::schedulers::View;

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
