//! Workers: the activity of each, and the order in which the idle ones look for tasks.

use std::collections::VecDeque;

use numasim_engine::SimTime;
use numasim_graph::Tracker;
use numasim_graph::values::{Contender, RuntimeSettings, TaskGraph, TaskId, Ties};
use numasim_model::NodeId;
use numasim_model::units::Seconds;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::engine::work::Pace;
use crate::random::{Stream, generator};
use crate::result::{ContenderRun, Cut, IdleReason, IdleTimes, NodeRun, Observer, Run, TaskRecord, Traffic};
use crate::schedulers::{Scheduler, Source};
use crate::sockets::{Sockets, WorkerId};

/// A task that a worker has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) task: TaskId,
    pub(super) start: SimTime,
    pub(super) source: Source,
    pub(super) revoked: bool,
    pub(super) traffic: Traffic,
    pub(super) pace: Pace,
}

/// All workers.
#[derive(Clone, Debug)]
pub(super) struct Workers {
    taken: Vec<Option<Taken>>,
    /// Number of workers with a task.
    busy: usize,
    /// Whether each worker has left for a contender.
    away: Vec<bool>,
    /// With `ties = "order"` by number, else in any order.
    idle: Vec<WorkerId>,
    /// Draws the order, if it is random.
    random: Option<ChaCha8Rng>,
}

impl Workers {
    /// `count` idle ones.
    pub(super) fn new(count: usize, runtime: &RuntimeSettings) -> Self {
        let random = (runtime.ties == Ties::Random).then(|| generator(runtime.seed, Stream::Workers));
        let idle = (0..u32::try_from(count).unwrap_or(u32::MAX)).map(WorkerId).collect();
        Self { taken: vec![None; count], busy: 0, away: vec![false; count], idle, random }
    }

    /// The task of a worker, if it has one.
    pub(super) fn taken(&self, worker: WorkerId) -> Option<&Taken> {
        self.taken.get(worker.0 as usize)?.as_ref()
    }

    /// Number of workers without a task.
    pub(super) fn idle_count(&self) -> usize {
        self.idle.len()
    }

    /// The next idle worker in order, after those at the places before `place`.
    pub(super) fn idle_at(&mut self, place: usize) -> Option<WorkerId> {
        if let Some(random) = &mut self.random
            && place + 1 < self.idle.len()
        {
            let drawn = random.random_range(place..self.idle.len());
            self.idle.swap(place, drawn);
        }
        self.idle.get(place).copied()
    }

    /// The idle worker at a place whose turn was determined before.
    pub(super) fn idle_again(&self, place: usize) -> Option<WorkerId> {
        self.idle.get(place).copied()
    }

    /// A worker takes a task; it stays among the idle ones until [`Workers::settle`].
    pub(super) fn take(&mut self, worker: WorkerId, taken: Taken) {
        if let Some(slot) = self.taken.get_mut(worker.0 as usize) {
            *slot = Some(taken);
            self.busy += 1;
        }
    }

    /// Number of workers with a task.
    pub(super) const fn busy_count(&self) -> usize {
        self.busy
    }

    /// A worker leaves for a contender; it stays among the idle ones until [`Workers::settle`].
    pub(super) fn leave(&mut self, worker: WorkerId) {
        self.away.get_mut(worker.0 as usize).into_iter().for_each(|away| *away = true);
    }

    /// Whether a worker has left.
    pub(super) fn is_away(&self, worker: WorkerId) -> bool {
        self.away.get(worker.0 as usize).is_some_and(|&away| away)
    }

    /// A worker that had left comes back: it is idle.
    pub(super) fn come_back(&mut self, worker: WorkerId) {
        self.away.get_mut(worker.0 as usize).into_iter().for_each(|away| *away = false);
        self.rest(worker);
    }

    /// Workers that have taken a task or left are no longer idle.
    pub(super) fn settle(&mut self) {
        let Self { taken, away, idle, .. } = self;
        idle.retain(|worker| {
            let worker = worker.0 as usize;
            taken.get(worker).is_some_and(Option::is_none) && away.get(worker) == Some(&false)
        });
    }

    /// The task of a worker has ended: it is idle.
    pub(super) fn end(&mut self, worker: WorkerId) -> Option<Taken> {
        let taken = self.taken.get_mut(worker.0 as usize)?.take()?;
        self.busy = self.busy.saturating_sub(1);
        self.rest(worker);
        Some(taken)
    }

    /// A worker is idle from now on.
    fn rest(&mut self, worker: WorkerId) {
        if self.random.is_some() {
            self.idle.push(worker);
        } else {
            let place = self.idle.partition_point(|&idle| idle < worker);
            self.idle.insert(place, worker);
        }
    }
}

// Other programs that want workers: their phases, and the workers that have left for them.

/// Contenders of a run.
#[derive(Clone, Debug)]
pub(super) struct Contenders {
    gflop: f64,
    /// Future times from which the number of programs that share the workers changes, and that number.
    bounds: VecDeque<(SimTime, u32)>,
    /// Per worker: when its present contender's task began.
    since: Vec<Option<SimTime>>,
    /// Workers whose contender's tasks have ended, in this round.
    ended: Vec<WorkerId>,
    tasks: u64,
    /// Per node: worker-seconds of tasks that have ended.
    busy_s: Vec<f64>,
}

impl Contenders {
    /// No worker has left.
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

    /// The next bound if it is no later than `latest`: the number of programs that share the workers from now on.
    pub(super) fn pop_bound(&mut self, latest: SimTime) -> Option<u32> {
        let (_, programs) = *self.bounds.front().filter(|&&(time, _)| time <= latest)?;
        self.bounds.pop_front();
        Some(programs)
    }

    /// A worker on a core of `gflops` begins a contender's task now; returns when that ends. No task is so short that it ends within this
    /// instant; otherwise the instant would never end.
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

    /// Workers whose tasks have ended in this round, by number.
    pub(super) fn take_ended(&mut self) -> Vec<WorkerId> {
        self.ended.sort_unstable();
        std::mem::take(&mut self.ended)
    }

    /// A task of a worker of `node` has ended.
    pub(super) fn note(&mut self, worker: WorkerId, node: NodeId, now: SimTime) {
        self.tasks += 1;
        self.stop(worker, node, now);
    }

    /// A worker of `node` no longer runs one, also at the end of the run.
    pub(super) fn stop(&mut self, worker: WorkerId, NodeId(node): NodeId, now: SimTime) {
        let since = self.since.get_mut(worker.0 as usize).and_then(Option::take);
        if let (Some(since), Some(busy_s)) = (since, self.busy_s.get_mut(node)) {
            *busy_s += now.since(since);
        }
    }

    /// Number of tasks of contenders that have ended.
    pub(super) const fn tasks(&self) -> u64 {
        self.tasks
    }

    /// Per node: worker-seconds.
    pub(super) fn busy_s(&self) -> &[f64] {
        &self.busy_s
    }
}

// How long workers have no task, and why. All idle workers have the same reason at a time, so an instant costs the same for any number of
// them: each reason has a clock that runs while it holds, and a worker reads the clocks when it becomes idle and when it takes a task.

/// Clocks of the reasons.
#[derive(Clone, Debug)]
pub(super) struct Idling {
    /// For how long each reason has held since the beginning, in seconds.
    clocks: IdleTimes,
    /// Per worker: the clocks when it became idle; `None` while it has a task.
    since: Vec<Option<IdleTimes>>,
    /// Per node: worker-seconds of times that are over.
    nodes: Vec<IdleTimes>,
    /// The present reason, and since when it holds.
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

    /// From `from` to `until` idle workers, if there were any, had no task because of `reason`.
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

/// Reports the reason that has held until now.
fn tell(ended: Option<(IdleReason, SimTime)>, until: SimTime, observer: &mut dyn Observer) {
    if let Some((reason, since)) = ended {
        observer.idle_because(reason, since.seconds(), until.seconds());
    }
}

// The results of a simulation so far.

/// Sums over tasks that have ended.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    nodes: Vec<NodeRun>,
    busy_s: Vec<f64>,
    makespan_s: f64,
    /// By [`Source`].
    sources: [u64; Source::ALL.len()],
    revokes: u64,
    remote_tasks: u64,
}

/// Further results of a run, when it is over.
pub(super) struct Rest<'a> {
    pub(super) workers: usize,
    pub(super) partition: Seconds,
    pub(super) migration: Seconds,
    /// Per node.
    pub(super) idle: &'a [IdleTimes],
    pub(super) contenders: Option<&'a Contenders>,
}

impl Tally {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            nodes: vec![NodeRun::default(); nodes],
            busy_s: vec![0.0; nodes],
            makespan_s: 0.0,
            sources: [0; Source::ALL.len()],
            revokes: 0,
            remote_tasks: 0,
        }
    }

    /// A task has ended that has an affinity.
    pub(super) fn ended(&mut self, record: &TaskRecord, affinity: Option<NodeId>) {
        let NodeId(node) = record.node;
        if let Some(of_node) = self.nodes.get_mut(node) {
            of_node.tasks += 1;
            of_node.traffic += record.traffic;
        }
        if let Some(busy_s) = self.busy_s.get_mut(node) {
            *busy_s += record.end_s - record.start_s;
        }
        if let Some(found) = self.sources.get_mut(record.source as usize) {
            *found += 1;
        }
        self.revokes += u64::from(record.revoked);
        self.remote_tasks += u64::from(affinity.is_some_and(|affinity| affinity != record.node));
        self.makespan_s = self.makespan_s.max(record.end_s);
    }

    /// Number of tasks that have ended.
    pub(super) fn tasks(&self) -> u64 {
        self.nodes.iter().map(|node| node.tasks).sum()
    }

    /// The answer, after the last task.
    pub(super) fn finish(mut self, graph: &TaskGraph, scheduler: &dyn Scheduler, rest: &Rest<'_>) -> Run {
        let mut busy_s: f64 = self.busy_s.iter().sum();
        for ((node, &busy_s), &idle) in self.nodes.iter_mut().zip(&self.busy_s).zip(rest.idle) {
            node.busy = Seconds::new(busy_s);
            node.idle = idle;
        }
        if let Some(contenders) = rest.contenders {
            busy_s += contenders.busy_s().iter().sum::<f64>();
            for (node, &busy_s) in self.nodes.iter_mut().zip(contenders.busy_s()) {
                node.contender = Seconds::new(busy_s);
            }
        }
        let all_s = rest.workers as f64 * self.makespan_s;
        let mut traffic = Traffic::default();
        self.nodes.iter().for_each(|node| traffic += node.traffic);
        let sources = self.sources;
        let found = |source| sources.get(source as usize).copied().unwrap_or(0);
        Run {
            makespan: Seconds::new(self.makespan_s),
            traffic,
            nodes: self.nodes,
            // Rounding must not make it negative.
            idle: if all_s > 0.0 { (1.0 - busy_s / all_s).clamp(0.0, 1.0) } else { 0.0 },
            steals: found(Source::Steal),
            cut: scheduler.gives_sockets().then(|| cut(graph, scheduler)),
            partition: rest.partition,
            migration: rest.migration,
            mailbox: found(Source::Mailbox),
            shared: found(Source::Shared),
            revokes: self.revokes,
            remote_tasks: self.remote_tasks,
            contender: rest
                .contenders
                .map(|contenders| ContenderRun { tasks: contenders.tasks(), dealt: scheduler.dealt() }),
            fallbacks: scheduler.fallbacks(),
        }
    }
}

/// Edges between tasks of different sockets.
fn cut(graph: &TaskGraph, scheduler: &dyn Scheduler) -> Cut {
    let mut tracker = Tracker::new(graph.blocks().len());
    let mut cut = Cut::default();
    for task in graph.tasks() {
        let socket = scheduler.socket(task);
        for edge in tracker.add(graph, task).filter(|edge| scheduler.socket(edge.from) != socket) {
            cut.edges += 1;
            cut.bytes += edge.bytes;
        }
    }
    cut
}
