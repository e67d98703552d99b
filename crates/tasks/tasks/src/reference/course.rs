//! What is: tasks, workers and the master at one point in time; the steps of an instant that nobody decides.

use numasim_graph::Dependencies;
use numasim_graph::values::{BlockHome, TaskId};
use numasim_model::NodeId;

use self::contending::Contending;
use self::master::Doing;
pub(super) use self::master::{Hear, Heard};
use self::taking::Taken;
pub(super) use self::tree::{ReadyBy, migration_s};
use super::data::Data;
use crate::error::TasksError;
use crate::idle::{IdleReason, IdleTimes};
use crate::observer::TaskRecord;
use crate::question::Question;

mod contending;
mod master;
mod state;
mod taking;
mod tree;

/// Events whose times differ by no more than this part of the time happen together.
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

/// Everything that is at one point in time.
#[derive(Clone, Debug)]
pub(super) struct Course<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) now_s: f64,
    has_begun: bool,
    tasks: Vec<Task>,
    /// Per worker: its node, and the task that it runs.
    workers: Vec<(NodeId, Option<TaskId>)>,
    data: Data<'a>,
    /// Tasks that it has created so far, what the master does, and what it has said.
    created: usize,
    master: Doing,
    said_taskwait: Option<usize>,
    said_end: bool,
    /// Whether it creates one more task though as many are alive as there may be.
    forced: bool,
    /// Seconds in which it partitioned.
    pub(super) partition_s: f64,
    pub(super) contending: Contending,
    /// Whether whoever decides is told who hands which tasks over.
    pub(super) hands_over: bool,
    pub(super) records: Vec<TaskRecord>,
    /// Per worker: how long it had no task, and why.
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

    /// When the tasks that are under way begin to work, or end as far as that is known.
    fn next_of_tasks(&self) -> impl Iterator<Item = f64> {
        let running = self.tasks.iter().filter(|task| !task.has_ended).filter_map(|task| task.run.as_ref());
        running.filter_map(|run| if run.works { run.end_s } else { Some(run.works_from_s) })
    }

    /// Whether something else belongs to this instant.
    pub(super) fn comes_now(&self) -> bool {
        self.next_of_tasks().chain(self.next_of_contenders(false)).any(|time_s| self.is_now(time_s))
    }

    /// Goes to whatever comes next; false where nothing does. `why`: the reason of workers that have no task until then.
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

    /// Ends tasks, by number, with the workers that ran them, and creates what these create; those whose overhead is over begin to work.
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
                let node = self.workers[worker].0;
                self.workers[worker].1 = None;
                self.data.after(id, node);
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

    /// What is known of a task that has ended; `socket`: where it should have run.
    pub(super) fn record(&self, task: TaskId, socket: Option<NodeId>) -> Option<TaskRecord> {
        let found = self.records.iter().find(|record| record.task == task)?;
        Some(TaskRecord { socket, ..*found })
    }

    /// Tasks that are ready from now on, by number; with the worker whose task was the last one that they waited for when they
    /// were created already, or, if none was, whose task created them.
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

    /// Whether a task is ready that nobody has taken.
    pub(super) fn has_ready(&self) -> bool {
        self.tasks.iter().any(|task| task.is_ready && task.run.is_none())
    }

    pub(super) fn node_of(&self, worker: usize) -> NodeId {
        self.workers[worker].0
    }

    pub(super) fn worker_count(&self) -> usize {
        self.workers.len()
    }

    /// Where each block lies now.
    pub(super) fn homes(&self) -> &[BlockHome] {
        self.data.homes()
    }

    /// The lowest task that has not ended.
    pub(super) fn unfinished(&self) -> Option<TaskId> {
        self.question.graph.tasks().find(|task| !self.tasks[task.0 as usize].has_ended)
    }
}
