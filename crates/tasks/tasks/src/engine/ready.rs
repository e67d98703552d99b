//! From the end of a task to those that are ready: what follows from an end, and what the scheduler hears of it, in simulated time and on
//! a real host alike.

use numasim_graph::values::{TaskGraph, TaskId};

use super::living::Living;
use crate::schedulers::{HandOver, Scheduler, View};
use crate::sockets::WorkerId;

/// Through what a task became ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// The master created it.
    Master,
    /// A task on this worker created it.
    Creator(WorkerId),
    /// A task on this worker was the last that it waited for.
    Parent(WorkerId),
}

/// Ready tasks that no worker has taken.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    /// Those of which the scheduler has not heard.
    new: Vec<(TaskId, By)>,
    /// What a worker hands over: tasks that its task has created, and others.
    handed: (Vec<TaskId>, Vec<TaskId>),
    /// All of which it has.
    waiting: usize,
}

impl Ready {
    /// Tasks that the scheduler has heard of and no worker has taken.
    pub(crate) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// A worker takes one.
    pub(crate) const fn take(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// A worker gives back the one that it has taken.
    pub(crate) const fn give_back(&mut self) {
        self.waiting += 1;
    }

    /// The master has created a task that waits for none.
    pub(crate) fn created(&mut self, task: TaskId) {
        self.new.push((task, By::Master));
    }

    /// What follows from the end of a task: others wait for one less, and its children are created.
    pub(crate) fn follow(
        &mut self,
        (graph, view): (&TaskGraph, &View<'_>),
        scheduler: &mut dyn Scheduler,
        alive: &mut Living,
        (task, worker): (TaskId, WorkerId),
    ) {
        if !scheduler.hands_over() {
            alive.ended(task, |other| self.new.push((other, By::Parent(worker))));
            for &child in graph.children(task) {
                scheduler.created(view, child);
                if alive.created(graph, child) {
                    self.new.push((child, By::Creator(worker)));
                }
            }
            return;
        }
        let (children, others) = &mut self.handed;
        children.clear();
        others.clear();
        alive.ended(task, |other| others.push(other));
        others.sort_unstable();
        for &child in graph.children(task) {
            scheduler.created(view, child);
            if alive.created(graph, child) {
                children.push(child);
            }
        }
        self.waiting += children.len() + others.len();
        if !children.is_empty() || !others.is_empty() {
            scheduler.hand_over(view, &HandOver { task, worker, children, others });
        }
    }

    /// The scheduler hears of tasks that became ready, by number.
    pub(crate) fn report(&mut self, view: &View<'_>, scheduler: &mut dyn Scheduler) {
        self.new.sort_unstable();
        self.waiting += self.new.len();
        for (task, by) in self.new.drain(..) {
            match by {
                By::Master => scheduler.ready(view, task, None),
                By::Parent(worker) => scheduler.ready(view, task, Some(worker)),
                By::Creator(worker) => scheduler.created_ready(view, task, worker),
            }
        }
    }
}
