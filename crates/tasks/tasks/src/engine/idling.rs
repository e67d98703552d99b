//! How long workers have no task, and why. All idle workers have one reason at a time, so that an instant costs the same for any number of them:
//! one clock for each reason runs while it holds, and a worker reads them when it becomes idle and when it takes a task.

use numasim_engine::SimTime;
use numasim_model::NodeId;

use crate::idle::{IdleReason, IdleTimes};
use crate::observer::Observer;
use crate::sockets::{Sockets, WorkerId};

/// Clocks of the reasons.
#[derive(Clone, Debug)]
pub(super) struct Idling {
    /// For how long each reason has held since the beginning, in seconds.
    clocks: IdleTimes,
    /// Per worker: the clocks when it became idle; `None` while it has a task.
    since: Vec<Option<IdleTimes>>,
    /// Per node: worker-seconds of times that are over.
    nodes: Vec<IdleTimes>,
    /// What holds now, and since when.
    now: Option<(IdleReason, SimTime)>,
}

impl Idling {
    /// All workers are idle.
    pub(super) fn new(nodes: usize, workers: usize) -> Self {
        Self {
            clocks: IdleTimes::default(),
            since: vec![Some(IdleTimes::default()); workers],
            nodes: vec![IdleTimes::default(); nodes],
            now: None,
        }
    }

    /// From `from` to `until` idle workers had none because of `reason`; of idle workers there may be none.
    pub(super) fn passes(
        &mut self,
        reason: IdleReason,
        from: SimTime,
        until: SimTime,
        observer: &mut dyn Observer,
    ) {
        self.clocks[reason] += until.since(from);
        match self.now {
            Some((holds, _)) if holds == reason => {}
            ended => {
                tell(ended, from, observer);
                self.now = Some((reason, from));
            }
        }
    }

    /// A worker has a task from now on.
    pub(super) fn take(&mut self, worker: WorkerId, NodeId(node): NodeId) {
        let since = self.since.get_mut(worker.0 as usize).and_then(Option::take);
        if let (Some(since), Some(of_node)) = (since, self.nodes.get_mut(node)) {
            *of_node += self.clocks - since;
        }
    }

    /// A worker has none from now on.
    pub(super) fn end(&mut self, worker: WorkerId) {
        if let Some(since) = self.since.get_mut(worker.0 as usize) {
            *since = Some(self.clocks);
        }
    }

    /// The last task has ended: worker-seconds of each node.
    pub(super) fn finish(
        mut self,
        sockets: &Sockets,
        now: SimTime,
        observer: &mut dyn Observer,
    ) -> Vec<IdleTimes> {
        tell(self.now, now, observer);
        for worker in (0..u32::try_from(self.since.len()).unwrap_or(u32::MAX)).map(WorkerId) {
            self.take(worker, sockets.node(sockets.of_worker(worker)));
        }
        self.nodes
    }
}

/// What has held until now.
fn tell(ended: Option<(IdleReason, SimTime)>, until: SimTime, observer: &mut dyn Observer) {
    if let Some((reason, since)) = ended {
        observer.idle_because(reason, since.seconds(), until.seconds());
    }
}
