//! The master: creates one task after the other, waits if it has to, and partitions if the scheduler requests it.

use numasim_graph::values::{BlockHome, TaskId};

use crate::reference::course::Course;
use crate::result::IdleReason;

/// Events for the scheduler. The answer to an event of the master is how long the master partitions because of it, in seconds.
pub(in crate::reference) enum Heard {
    /// The master has created a task, or a task that has ended has created one.
    Created(TaskId),
    /// It waits for all earlier tasks; reported once for each such task.
    Taskwait,
    /// As many tasks are alive as the limit allows.
    Throttle,
    /// There are no more tasks; reported once.
    End,
    /// A partition is done.
    Partitioned,
    /// A worker whose task has ended hands over the tasks that became ready through that: tasks that it created, in their order, and
    /// others, by number. `homes`: the homes of blocks at that time.
    HandsOver {
        task: TaskId,
        worker: usize,
        children: Vec<TaskId>,
        others: Vec<TaskId>,
        homes: Vec<BlockHome>,
    },
    /// From now on this number of programs share the workers.
    Shares(u32),
    /// A worker leaves for a contender.
    Leaves(usize),
    /// A worker that had left is back.
    Joins(usize),
}

/// The scheduler's answer to the master: how long it partitions.
pub(in crate::reference) type Hear<'h> = dyn FnMut(&Heard) -> Option<f64> + 'h;

/// The activity of the master.
#[derive(Clone, Debug)]
pub(super) enum Doing {
    /// Idle since then; the next task may begin.
    Free(f64),
    /// It waits until tasks end, and has reported the reason.
    Stopped,
    Creating(TaskId, f64),
    Partitioning(f64),
}

impl Course<'_> {
    /// The master creates as many tasks as it can; returns whether it did anything.
    pub(in crate::reference) fn create(&mut self, hear: &mut Hear) -> bool {
        let mut something = false;
        loop {
            match self.master {
                Doing::Creating(task, until_s) if self.is_now(until_s) => {
                    self.tasks[task.0 as usize].is_created = true;
                    self.created += 1;
                    self.forced = false;
                    self.go_on(until_s, hear(&Heard::Created(task)));
                    something = true;
                }
                Doing::Partitioning(until_s) if self.is_now(until_s) => {
                    self.go_on(until_s, hear(&Heard::Partitioned));
                    something = true;
                }
                Doing::Free(since_s) => self.begin(since_s, hear),
                Doing::Stopped if self.may_begin() => self.master = Doing::Free(self.now_s),
                Doing::Creating(..) | Doing::Partitioning(_) | Doing::Stopped => return something,
            }
        }
    }

    /// Seconds until a task can have been created, if nothing stops the master; 0 in tree programs, where tasks create them.
    pub(in crate::reference) fn until_created_s(&self, task: TaskId) -> f64 {
        let each_s = self.question.runtime.creation.value();
        let before = |first: usize| (task.0 as usize).saturating_sub(first) as f64;
        match self.master {
            _ if (task.0 as usize) < self.created || self.question.graph.is_tree() => 0.0,
            Doing::Creating(next, until_s) => {
                (until_s - self.now_s).max(0.0) + each_s * before(next.0 as usize)
            }
            Doing::Free(_) | Doing::Stopped => each_s * (before(self.created) + 1.0),
            Doing::Partitioning(_) => each_s * before(self.created),
        }
    }

    /// Why workers that have no task now have none. `elsewhere`: whether tasks are in queues from which they do not take.
    pub(in crate::reference) fn why_idle(&self, elsewhere: bool) -> IdleReason {
        match (&self.master, self.next()) {
            _ if elsewhere => IdleReason::Elsewhere,
            (Doing::Partitioning(_), _) => IdleReason::Partition,
            (Doing::Stopped, Some(next)) if self.question.graph.taskwait(next) => IdleReason::Taskwait,
            (Doing::Stopped, Some(_)) => IdleReason::Throttle,
            (_, Some(_)) => IdleReason::Creation,
            (_, None) if self.not_taken().next().is_some() => IdleReason::Parents,
            (_, None) => IdleReason::End,
        }
    }

    /// The next task, if there is one.
    fn next(&self) -> Option<TaskId> {
        let graph = self.question.graph;
        graph.tasks().filter(|&task| graph.created_by(task).is_none()).nth(self.created)
    }

    /// Whether there is a next task that does not have to wait.
    fn may_begin(&self) -> bool {
        self.next().is_some_and(|next| !self.is_waiting(next)) && (self.forced || !self.is_full())
    }

    /// Whether as many tasks are alive as the limit allows.
    fn is_full(&self) -> bool {
        let alive = self.tasks.iter().filter(|task| task.is_created && !task.has_ended).count();
        self.question.runtime.throttle.is_some_and(|most| alive as u64 >= most.max(1))
    }

    /// Whether the next task waits for earlier ones.
    fn is_waiting(&self, next: TaskId) -> bool {
        let earlier = &self.tasks[..next.0 as usize];
        self.question.graph.taskwait(next) && earlier.iter().any(|task| !task.has_ended)
    }

    /// If no task runs at the end of an instant and only the number of tasks alive stops the master, it creates one more task in spite of
    /// the limit, because an existing task may wait for it. Returns whether that is the case.
    pub(in crate::reference) fn forces(&mut self) -> bool {
        let runs = self.tasks.iter().any(|task| task.run.is_some() && !task.has_ended);
        let is_stopped = matches!(self.master, Doing::Stopped) && !self.forced;
        let forces = !runs && is_stopped && self.next().is_some_and(|next| !self.is_waiting(next));
        self.forced |= forces;
        forces
    }

    /// The master, free since `since_s`, begins to create the next task, or reports why it does not.
    fn begin(&mut self, since_s: f64, hear: &mut Hear) {
        let Some(next) = self.next() else {
            self.master = Doing::Stopped;
            if !std::mem::replace(&mut self.said_end, true) {
                self.go_on(since_s, hear(&Heard::End));
            }
            return;
        };
        let waits = self.question.graph.taskwait(next);
        if waits && self.said_taskwait != Some(self.created) {
            self.said_taskwait = Some(self.created);
            self.go_on(since_s, hear(&Heard::Taskwait));
        } else if self.may_begin() {
            self.master = Doing::Creating(next, since_s + self.question.runtime.creation.value());
        } else {
            let partition_s = if waits { None } else { hear(&Heard::Throttle) };
            self.go_on(since_s, partition_s);
            if partition_s.is_none() {
                self.master = Doing::Stopped;
            }
        }
    }

    /// The master partitions from then on, or is free.
    fn go_on(&mut self, since_s: f64, partition_s: Option<f64>) {
        self.partition_s += partition_s.unwrap_or(0.0);
        self.master =
            partition_s.map_or(Doing::Free(since_s), |seconds| Doing::Partitioning(since_s + seconds));
    }
}
