//! Other programs that want workers: when they do, and what workers that have left for them do.

use std::collections::VecDeque;

use numasim_engine::SimTime;
use numasim_graph::values::Contender;
use numasim_model::NodeId;

use crate::sockets::WorkerId;

/// Contenders of a run.
#[derive(Clone, Debug)]
pub(super) struct Contenders {
    gflop: f64,
    /// When how many programs share the workers from then on, those to come.
    bounds: VecDeque<(SimTime, u32)>,
    /// Per worker: since when it runs the contender's task that it runs.
    since: Vec<Option<SimTime>>,
    /// Workers whose contender's tasks have ended, in this round.
    ended: Vec<WorkerId>,
    tasks: u64,
    /// Per node: worker-seconds of tasks that have ended.
    busy_s: Vec<f64>,
}

impl Contenders {
    /// Nobody has left.
    pub(super) fn new(contender: &Contender, workers: usize, nodes: usize) -> Self {
        let programs = contender.count.saturating_add(1);
        let bounds = match &contender.phases {
            None => VecDeque::from([(SimTime::START, programs)]),
            Some(phases) => phases
                .iter()
                .flat_map(|&(from, to)| [(from.value(), programs), (to.value(), 1)])
                .map(|(time_s, programs)| (SimTime::START.after(time_s), programs))
                .collect(),
        };
        Self {
            gflop: contender.gflop,
            bounds,
            since: vec![None; workers],
            ended: Vec::new(),
            tasks: 0,
            busy_s: vec![0.0; nodes],
        }
    }

    /// When a phase begins or ends next.
    pub(super) fn next_bound(&self) -> SimTime {
        self.bounds.front().map_or(SimTime::NEVER, |&(time, _)| time)
    }

    /// The next bound if it is no later than `latest`: how many programs share the workers from now on.
    pub(super) fn pop_bound(&mut self, latest: SimTime) -> Option<u32> {
        let (_, programs) = *self.bounds.front().filter(|&&(time, _)| time <= latest)?;
        self.bounds.pop_front();
        Some(programs)
    }

    /// A worker on a core of `gflops` begins a contender's task now; when that ends. None is so short that it ends within this instant, or
    /// the instant would have no end.
    pub(super) fn begin(&mut self, worker: WorkerId, gflops: f64, now: SimTime, instant_s: f64) -> SimTime {
        if let Some(since) = self.since.get_mut(worker.0 as usize) {
            *since = Some(now);
        }
        now.after((self.gflop / gflops).max(2.0 * instant_s))
    }

    /// The contender's task of a worker ends in this round.
    pub(super) fn end(&mut self, worker: WorkerId) {
        self.ended.push(worker);
    }

    /// Those whose tasks have ended in this round, by number.
    pub(super) fn take_ended(&mut self) -> Vec<WorkerId> {
        self.ended.sort_unstable();
        std::mem::take(&mut self.ended)
    }

    /// A task of a worker of `node` has ended.
    pub(super) fn note(&mut self, worker: WorkerId, node: NodeId, now: SimTime) {
        self.tasks += 1;
        self.stop(worker, node, now);
    }

    /// A worker of `node` runs none any more, also where the run is over.
    pub(super) fn stop(&mut self, worker: WorkerId, NodeId(node): NodeId, now: SimTime) {
        let since = self.since.get_mut(worker.0 as usize).and_then(Option::take);
        if let (Some(since), Some(busy_s)) = (since, self.busy_s.get_mut(node)) {
            *busy_s += now.since(since);
        }
    }

    /// How many tasks of contenders have ended.
    pub(super) const fn tasks(&self) -> u64 {
        self.tasks
    }

    /// Per node: worker-seconds.
    pub(super) fn busy_s(&self) -> &[f64] {
        &self.busy_s
    }
}
