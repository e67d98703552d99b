//! The state: tasks, workers and the master at one point in time. Also the steps of an instant that need no decision.

pub(super) mod master;

use numasim_graph::Dependencies;
use numasim_graph::values::{BlockHome, BlockId, PagePlacement, TaskId};
use numasim_model::NodeId;

use crate::error::TasksError;
use crate::question::Question;
use crate::reference::course::master::{Doing, Hear, Heard};
use crate::reference::data::{Data, Sources};
use crate::result::{IdleReason, IdleTimes, TaskRecord};
use crate::schedulers::{Source, Start};

/// Events whose times differ by at most this relative amount happen together.
const TOGETHER: f64 = 1e-9;

#[derive(Clone, Debug)]
struct Task {
    /// Parents that have not ended.
    parents: Vec<TaskId>,
    /// The worker that ran the last one of them, if the task had been created by then.
    by: Option<usize>,
    /// The worker that ran the task that created it.
    creator: Option<usize>,
    is_created: bool,
    is_ready: bool,
    has_ended: bool,
    run: Option<Taken>,
}

/// The complete state at one point in time.
#[derive(Clone, Debug)]
pub(super) struct Course<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) now_s: f64,
    has_begun: bool,
    tasks: Vec<Task>,
    /// Per worker: its node, and the task that it runs.
    workers: Vec<(NodeId, Option<TaskId>)>,
    data: Data<'a>,
    /// Tasks that the master has created so far, its activity, and the pauses that it has reported.
    created: usize,
    master: Doing,
    said_taskwait: Option<usize>,
    said_end: bool,
    /// Whether it creates one more task although as many are alive as the limit allows.
    forced: bool,
    /// Seconds in which it partitioned.
    pub(super) partition_s: f64,
    pub(super) contending: Contending,
    /// Whether the scheduler learns which worker hands over which tasks.
    pub(super) hands_over: bool,
    pub(super) records: Vec<TaskRecord>,
    /// Per worker: how long it had no task, and the reasons.
    pub(super) idle: Vec<IdleTimes>,
}

impl<'a> Course<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        let machine = question.machine;
        let dependencies = Dependencies::of(question.graph).ok_or(TasksError::TooManyEdges)?;
        let mut parents: Vec<Vec<TaskId>> = vec![Vec::new(); question.graph.task_count()];
        for task in question.graph.tasks() {
            for child in dependencies.children(task) {
                parents[child.0 as usize].push(task);
            }
        }
        let task = |parents| Task {
            parents,
            by: None,
            creator: None,
            is_created: false,
            is_ready: false,
            has_ended: false,
            run: None,
        };
        let cores = |node| (0..machine.node(node).cores).map(move |_| (node, None));
        let workers: Vec<(NodeId, Option<TaskId>)> = machine.compute_nodes().flat_map(cores).collect();
        Ok(Self {
            idle: vec![IdleTimes::default(); workers.len()],
            contending: Contending::new(question, workers.len()),
            hands_over: false,
            question,
            now_s: 0.0,
            has_begun: false,
            tasks: parents.into_iter().map(task).collect(),
            data: Data::new(question),
            created: 0,
            master: Doing::Free(migration_s(question)),
            workers,
            said_taskwait: None,
            said_end: false,
            forced: false,
            partition_s: 0.0,
            records: Vec::new(),
        })
    }

    /// Whether something that comes at `time_s` belongs to this instant.
    fn is_now(&self, time_s: f64) -> bool {
        time_s <= self.now_s * (1.0 + TOGETHER)
    }

    /// When the tasks that are running begin to work, or end if that is known.
    fn next_of_tasks(&self) -> impl Iterator<Item = f64> {
        let running = self.tasks.iter().filter(|task| !task.has_ended).filter_map(|task| task.run.as_ref());
        running.filter_map(|run| if run.works { run.end_s } else { Some(run.works_from_s) })
    }

    /// Whether something else belongs to this instant.
    pub(super) fn comes_now(&self) -> bool {
        self.next_of_tasks().chain(self.next_of_contenders(false)).any(|time_s| self.is_now(time_s))
    }

    /// Advances to the next event; false if there is none. `why`: the reason why workers have no task until then.
    pub(super) fn go_to_next_instant(&mut self, why: IdleReason) -> bool {
        if !self.has_begun {
            self.has_begun = true;
            return true;
        }
        let master = match self.master {
            Doing::Free(_) | Doing::Stopped => None,
            Doing::Creating(_, until_s) | Doing::Partitioning(until_s) => Some(until_s),
        };
        let next = self.next_of_tasks().chain(master).min_by(f64::total_cmp);
        let next = next.into_iter().chain(self.next_of_contenders(next.is_none()));
        let Some(next_s) = next.min_by(f64::total_cmp) else { return false };
        let passed_s = (next_s - self.now_s).max(0.0);
        for run in self.tasks.iter_mut().filter(|task| !task.has_ended).filter_map(|task| task.run.as_mut()) {
            run.rest -= run.rate * passed_s;
        }
        for worker in self.idle_workers() {
            self.idle[worker][why] += passed_s;
        }
        self.now_s = self.now_s.max(next_s);
        true
    }

    /// Ends tasks, by number, with the workers that ran them, and creates the children of these tasks; tasks whose overhead is over begin
    /// to work.
    pub(super) fn end_tasks(&mut self, hear: &mut Hear) -> Vec<(TaskId, usize)> {
        let mut ended = Vec::new();
        for id in self.question.graph.tasks() {
            let now_s = self.now_s;
            let limit_s = self.now_s * (1.0 + TOGETHER);
            let task = &mut self.tasks[id.0 as usize];
            let Some(run) = task.run.as_mut().filter(|_| !task.has_ended) else { continue };
            if !run.works && run.works_from_s <= limit_s {
                run.begin();
            }
            if run.works && run.end_s.is_some_and(|end_s| end_s <= limit_s) {
                task.has_ended = true;
                let worker = run.worker;
                self.workers[worker].1 = None;
                for other in self.tasks.iter_mut().filter(|other| other.parents.contains(&id)) {
                    other.parents.retain(|&parent| parent != id);
                    if other.is_created && other.parents.is_empty() {
                        other.by = Some(worker);
                    }
                }
                ended.push((id, worker));
                self.note(id, now_s);
                self.create_children(id, worker, hear);
                if self.hands_over {
                    self.hand_over(id, worker, hear);
                }
            }
        }
        ended
    }

    fn note(&mut self, task: TaskId, end_s: f64) {
        let Some(run) = &self.tasks[task.0 as usize].run else { return };
        self.records.push(TaskRecord {
            task,
            socket: None,
            node: self.workers[run.worker].0,
            worker: u32::try_from(run.worker).unwrap_or(u32::MAX),
            start_s: run.start_s,
            end_s,
            source: run.start.source,
            revoked: run.start.revoked,
            traffic: run.sources.traffic,
        });
    }

    /// The record of a task that has ended; `socket`: where it should have run.
    pub(super) fn record(&self, task: TaskId, socket: Option<NodeId>) -> Option<TaskRecord> {
        let found = self.records.iter().find(|record| record.task == task)?;
        Some(TaskRecord { socket, ..*found })
    }

    /// Tasks that are ready from now on, by number. With each comes the worker whose task was the last one that it waited for after it
    /// was created, or, if there was none, the worker whose task created it.
    pub(super) fn newly_ready(&mut self) -> Vec<(TaskId, ReadyBy)> {
        let mut ready = Vec::new();
        for id in self.question.graph.tasks() {
            let task = &mut self.tasks[id.0 as usize];
            if task.is_created && !task.is_ready && task.parents.is_empty() {
                task.is_ready = true;
                let by = task.by.map(ReadyBy::Parent).or(task.creator.map(ReadyBy::Creator));
                ready.push((id, by.unwrap_or(ReadyBy::Master)));
            }
        }
        ready
    }

    pub(super) fn is_idle(&self, worker: usize) -> bool {
        self.workers[worker].1.is_none() && !self.is_away(worker)
    }

    /// Whether a task is ready that no worker has taken.
    pub(super) fn has_ready(&self) -> bool {
        self.tasks.iter().any(|task| task.is_ready && task.run.is_none())
    }

    pub(super) fn node_of(&self, worker: usize) -> NodeId {
        self.workers[worker].0
    }

    pub(super) fn worker_count(&self) -> usize {
        self.workers.len()
    }

    /// The present home of each block.
    pub(super) fn homes(&self) -> &[BlockHome] {
        self.data.homes()
    }

    /// The lowest task that has not ended.
    pub(super) fn unfinished(&self) -> Option<TaskId> {
        self.question.graph.tasks().find(|task| !self.tasks[task.0 as usize].has_ended)
    }
}

// Tasks that workers have taken: the memories that their bytes come from, and their rates.

/// A task that was taken.
#[derive(Clone, Debug)]
struct Taken {
    worker: usize,
    start_s: f64,
    /// When its overhead is over.
    works_from_s: f64,
    /// Whether that is the case.
    works: bool,
    start: Start,
    sources: Sources,
    /// The part of its work that is left.
    rest: f64,
    /// Parts of it per second.
    rate: f64,
    /// When it ends, if that is known.
    end_s: Option<f64>,
}

impl Taken {
    /// Its overhead is over. The end is known if no other task affects it.
    fn begin(&mut self) {
        self.works = true;
        self.end_s = self.sources.fixed_s.map(|duration_s| self.works_from_s + duration_s);
    }

    /// The part of its work that is complete at `now_s`.
    fn part_done(&self, now_s: f64) -> f64 {
        match self.sources.fixed_s {
            None => 1.0 - self.rest.clamp(0.0, 1.0),
            Some(duration_s) if self.works && duration_s > 0.0 => {
                ((now_s - self.works_from_s) / duration_s).clamp(0.0, 1.0)
            }
            Some(_) => 0.0,
        }
    }
}

impl Course<'_> {
    /// A worker takes a task whose socket is `socket`: blocks get their homes, and sources are decided.
    pub(in crate::reference) fn take(&mut self, worker: usize, start: Start, socket: Option<NodeId>) {
        let task = start.task;
        let runtime = self.question.runtime;
        let node = self.workers[worker].0;
        let sources = self.data.take(task, node, socket, &self.volumes());
        let overhead_s =
            runtime.task.value() + if start.source == Source::Steal { runtime.steal.value() } else { 0.0 };
        self.workers[worker].1 = Some(task);
        let mut taken = Taken {
            worker,
            start_s: self.now_s,
            works_from_s: self.now_s + overhead_s,
            works: false,
            start,
            sources,
            rest: 1.0,
            rate: 0.0,
            end_s: None,
        };
        if overhead_s == 0.0 {
            taken.begin();
        }
        self.tasks[task.0 as usize].run = Some(taken);
    }

    /// Per node: bytes that all tasks so far have touched. A running task counts in proportion to the part of it that is done.
    fn volumes(&self) -> Vec<f64> {
        let mut volumes = vec![0.0; self.question.machine.node_count()];
        for task in &self.tasks {
            if let Some(run) = &task.run {
                let part = if task.has_ended { 1.0 } else { run.part_done(self.now_s) };
                volumes[self.workers[run.worker].0.0] += run.sources.touched * part;
            }
        }
        volumes
    }

    /// Recomputes all rates.
    pub(in crate::reference) fn set_rates(&mut self) {
        let machine = self.question.machine;
        let nodes: Vec<NodeId> = self.workers.iter().map(|&(node, _)| node).collect();
        let mut working: Vec<&mut Taken> = self
            .tasks
            .iter_mut()
            .filter(|task| !task.has_ended)
            .filter_map(|task| task.run.as_mut())
            .filter(|run| run.works && run.sources.fixed_s.is_none())
            .collect();
        let readers: Vec<(NodeId, &Sources)> =
            working.iter().map(|run| (nodes[run.worker], &run.sources)).collect();
        let rates = crate::reference::data::parts_per_second(machine, &readers);
        for (run, rate) in working.iter_mut().zip(rates) {
            run.rate = rate;
            run.end_s = (rate > 0.0).then(|| self.now_s + run.rest.max(0.0) / rate);
        }
    }
}

// Tree programs: tasks that tasks create, and blocks that are moved before all of them.

/// How a task became ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reference) enum ReadyBy {
    /// The master created it.
    Master,
    /// A task that this worker ran created it.
    Creator(usize),
    /// A task that this worker ran was the last one that it waited for.
    Parent(usize),
}

impl Course<'_> {
    /// A task has ended on a worker: the tasks that it creates exist.
    fn create_children(&mut self, creator: TaskId, worker: usize, hear: &mut Hear) {
        let graph = self.question.graph;
        let mut children: Vec<TaskId> =
            graph.tasks().filter(|&task| graph.created_by(task) == Some(creator)).collect();
        children.sort_by_key(|&child| graph.seq(child));
        for child in children {
            self.tasks[child.0 as usize].is_created = true;
            self.tasks[child.0 as usize].creator = Some(worker);
            hear(&Heard::Created(child));
        }
    }
}

impl Course<'_> {
    /// Tasks that became ready through the end of a task, in the order in which its worker hands them over.
    fn hand_over(&mut self, ended: TaskId, worker: usize, hear: &mut Hear) {
        let graph = self.question.graph;
        let (mut children, mut others) = (Vec::new(), Vec::new());
        for id in graph.tasks() {
            let task = &mut self.tasks[id.0 as usize];
            if task.is_created && !task.is_ready && task.parents.is_empty() {
                task.is_ready = true;
                if graph.created_by(id) == Some(ended) { children.push(id) } else { others.push(id) }
            }
        }
        children.sort_by_key(|&child| graph.seq(child));
        let homes = self.homes().to_vec();
        hear(&Heard::HandsOver { task: ended, worker, children, others, homes });
    }
}

/// How long the placement `nadd` takes to move blocks from the first node with cores to the nodes of their hints: bytes over the link,
/// and a fixed time for each started page of 4096 B.
pub(in crate::reference) fn migration_s(question: &Question) -> f64 {
    let Some(from) = question.machine.compute_nodes().next() else { return 0.0 };
    let machine = question.machine;
    let home = machine.local_memory(from);
    let mut seconds = 0.0;
    if question.placement == PagePlacement::Nadd {
        for (number, block) in (0..).zip(question.graph.blocks()) {
            let Some(hint) = question.graph.hint(BlockId(number)) else { continue };
            let to = machine.local_memory(hint);
            if to == home {
                continue;
            }
            if let Some(link) = machine.link(from, to) {
                let mut pages = 0.0;
                while pages * 4096.0 < block.bytes {
                    pages += 1.0;
                }
                seconds += block.bytes / (link.value() * 1e9) + pages * question.runtime.page.value();
            }
        }
    }
    seconds
}

// Contenders: other programs that want the workers.

/// Contenders and the workers that they have.
#[derive(Clone, Debug)]
pub(in crate::reference) struct Contending {
    /// Times from which the number of programs that share the workers changes, and that number; past entries are removed.
    bounds: Vec<(f64, u32)>,
    /// Per worker that has left: since when and until when it runs a contender's task.
    away: Vec<Option<(f64, f64)>>,
    /// Per worker: whether the scheduler deals it to the program.
    dealt: Vec<bool>,
    /// Tasks that have ended, and per worker the sum of their seconds.
    pub(in crate::reference) tasks: u64,
    pub(in crate::reference) busy_s: Vec<f64>,
}

impl Contending {
    /// None of `workers` workers has left.
    fn new(question: &crate::Question, workers: usize) -> Self {
        let mut bounds = Vec::new();
        if let Some(contender) = question.contender {
            let programs = contender.count + 1;
            match &contender.phases {
                None => bounds.push((0.0, programs)),
                Some(phases) => {
                    for (from, to) in phases {
                        bounds.push((from.value(), programs));
                        bounds.push((to.value(), 1));
                    }
                }
            }
        }
        Self {
            bounds,
            away: vec![None; workers],
            dealt: vec![true; workers],
            tasks: 0,
            busy_s: vec![0.0; workers],
        }
    }
}

impl Course<'_> {
    /// Phases that begin or end now: the number of programs that share the workers then.
    pub(in crate::reference) fn pass_bounds(&mut self) -> Vec<u32> {
        let mut passed = Vec::new();
        while let Some(&(time_s, programs)) = self.contending.bounds.first()
            && self.is_now(time_s)
        {
            self.contending.bounds.remove(0);
            passed.push(programs);
        }
        passed
    }

    /// Records which workers are dealt to the program now.
    pub(in crate::reference) fn deal(&mut self, is_dealt: impl Fn(usize) -> bool) {
        for (worker, dealt) in self.contending.dealt.iter_mut().enumerate() {
            *dealt = is_dealt(worker);
        }
    }

    /// Ends the contenders' tasks that end now. Their workers come back if they are dealt to the program; otherwise they run the next
    /// task. Returns the workers that came back, by number.
    pub(in crate::reference) fn end_contenders(&mut self) -> Vec<usize> {
        let mut back = Vec::new();
        for worker in 0..self.worker_count() {
            let Some((since_s, until_s)) = self.contending.away[worker] else { continue };
            if !self.is_now(until_s) {
                continue;
            }
            self.contending.tasks += 1;
            self.contending.busy_s[worker] += self.now_s - since_s;
            self.contending.away[worker] = None;
            if self.contending.dealt[worker] {
                back.push(worker);
            } else {
                self.contend(worker);
            }
        }
        back
    }

    /// An idle worker that found nothing leaves if it is dealt to another program. Returns whether it leaves.
    pub(in crate::reference) fn leaves(&mut self, worker: usize) -> bool {
        let leaves = self.is_idle(worker) && !self.contending.dealt[worker];
        if leaves {
            self.contend(worker);
        }
        leaves
    }

    /// A worker runs a contender's task. It takes longer than an instant.
    fn contend(&mut self, worker: usize) {
        let gflop = self.question.contender.map_or(0.0, |contender| contender.gflop);
        let gflops = self.question.machine.node(self.node_of(worker)).gflops_per_core.value();
        let duration_s = (gflop / gflops).max(2.0 * TOGETHER * self.now_s);
        self.contending.away[worker] = Some((self.now_s, self.now_s + duration_s));
    }

    /// Whether a worker has left.
    fn is_away(&self, worker: usize) -> bool {
        self.contending.away[worker].is_some()
    }

    /// When the next event of contenders comes that may matter to the program. `alone`: there are no other events; then only workers that
    /// come back matter.
    fn next_of_contenders(&self, alone: bool) -> Option<f64> {
        let bound = self.contending.bounds.first().map(|&(time_s, _)| time_s);
        let comes_back = || {
            let pairs = self.contending.away.iter().zip(&self.contending.dealt);
            pairs.clone().any(|(away, &dealt)| away.is_some() && dealt)
        };
        if alone && bound.is_none() && !comes_back() {
            return None;
        }
        let ends = self.contending.away.iter().flatten().map(|&(_, until_s)| until_s);
        ends.chain(bound).min_by(f64::total_cmp)
    }

    /// The run is over: no worker runs a contender's task any more.
    pub(in crate::reference) fn stop_contenders(&mut self) {
        for (away, busy_s) in self.contending.away.iter_mut().zip(&mut self.contending.busy_s) {
            if let Some((since_s, _)) = away.take() {
                *busy_s += self.now_s - since_s;
            }
        }
    }
}

// The interface for a search over all schedules: running tasks, and the part of a course that affects its future.

/// Separates two lists in a state; not a number of a node, block or task.
const END: u64 = u64::MAX;

/// A task that is running.
pub(in crate::reference) struct Running<'c> {
    pub(in crate::reference) task: TaskId,
    pub(in crate::reference) node: NodeId,
    /// Seconds until it begins to work, or until it ends if that is known.
    pub(in crate::reference) sure_s: f64,
    /// The part of its work that is left, and the bytes of the whole task from each memory.
    pub(in crate::reference) rest: f64,
    pub(in crate::reference) by_memory: &'c [f64],
}

impl Course<'_> {
    /// Tasks that no worker has taken.
    pub(in crate::reference) fn not_taken(&self) -> impl Iterator<Item = TaskId> {
        self.question.graph.tasks().zip(&self.tasks).filter(|(_, task)| task.run.is_none()).map(|(id, _)| id)
    }

    /// Tasks that are running.
    pub(in crate::reference) fn running(&self) -> impl Iterator<Item = Running<'_>> {
        let taken = self.question.graph.tasks().zip(&self.tasks).filter(|(_, task)| !task.has_ended);
        taken.filter_map(|(id, task)| Some((id, task.run.as_ref()?))).map(|(id, run)| {
            let overhead_s = (run.works_from_s - self.now_s).max(0.0);
            let ends_s = run.end_s.filter(|_| run.sources.fixed_s.is_some());
            Running {
                task: id,
                node: self.node_of(run.worker),
                sure_s: ends_s.map_or(overhead_s, |end_s| (end_s - self.now_s).max(0.0)),
                rest: run.rest.max(0.0),
                by_memory: &run.sources.by_memory,
            }
        })
    }

    pub(in crate::reference) fn idle_workers(&self) -> Vec<usize> {
        (0..self.workers.len()).filter(|&worker| self.is_idle(worker)).collect()
    }

    /// Two courses of one question with the same state continue alike, each from its own time. Times are counted from now on, workers of
    /// a node are interchangeable, and past events are left out. Rates are not part of the state: they are recomputed before time passes.
    pub(in crate::reference) fn state(&self) -> Vec<u64> {
        let mut state = Vec::new();
        let from_now = |time_s: f64| (time_s - self.now_s).to_bits();
        for task in &self.tasks {
            let flags = [task.is_created, task.is_ready, task.has_ended, task.run.is_some()];
            state.push(flags.into_iter().fold(0, |bits, flag| bits << 1 | u64::from(flag)));
            let Some(run) = task.run.as_ref().filter(|_| !task.has_ended) else { continue };
            let Sources { traffic, touched, by_memory, want_gbs, fixed_s } = &run.sources;
            let fixed_end_s = run.end_s.filter(|_| fixed_s.is_some());
            state.extend([self.node_of(run.worker).0 as u64, run.rest.to_bits(), want_gbs.to_bits()]);
            state.push(if run.works { END } else { from_now(run.works_from_s) });
            state.push(fixed_end_s.map_or(END, from_now));
            state.extend(fixed_s.map(f64::to_bits));
            state.extend(by_memory.iter().map(|bytes| bytes.to_bits()));
            state.extend([traffic.llc_local.to_bits(), touched.to_bits()]);
        }
        let (doing, until_s) = match self.master {
            Doing::Free(since_s) => (0, since_s),
            Doing::Stopped => (1, self.now_s),
            Doing::Creating(_, until_s) => (2, until_s),
            Doing::Partitioning(until_s) => (3, until_s),
        };
        let said = self.said_taskwait.map_or(END, |said| said as u64);
        state.extend([doing, from_now(until_s), said, u64::from(self.said_end), u64::from(self.forced)]);
        state.extend(self.data.homes().iter().map(|home| match home {
            BlockHome::Node(node) => node.0 as u64,
            BlockHome::Open => END,
            BlockHome::Interleaved => END - 1,
        }));
        state.extend(self.data.state(&self.volumes()));
        state
    }
}
