//! `hint` and `plan`: the runtime of paper 000, where the programmer or a plan says for which node a task is; no task is stolen by
//! another node.
//!
//! A worker hands over a task for its own node, or for none, to its own queue, and one for another node to the shared queue of that
//! node. It takes the oldest of its own queue, then of its node's, then of the queues of the other workers of its node.

mod queues;

use numasim_graph::values::{BlockId, TaskId};
use numasim_model::NodeId;
use numasim_plan::{Fallbacks, GraphPlan};

pub(super) use self::queues::NodeQueues;
use super::scheduler::{Partitioning, Scheduler, View};
use super::start::{Round, Start};
use super::tree::{HandOver, MASTER, who_hands_over};
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Hint<'a> {
    queues: NodeQueues,
    /// `plan`: where tasks and blocks belong, instead of what the programmer says.
    plan: Option<&'a GraphPlan>,
}

impl<'a> Hint<'a> {
    /// `hint`.
    pub(super) fn of_programmer(sockets: &Sockets) -> Self {
        Self { queues: NodeQueues::new(sockets), plan: None }
    }

    /// `plan`.
    ///
    /// # Errors
    /// [`TasksError::NoPlan`].
    pub(super) fn of_plan(question: &Question<'a>, sockets: &Sockets) -> Result<Self, TasksError> {
        let plan = question.plan.ok_or(TasksError::NoPlan)?;
        Ok(Self { plan: Some(plan), ..Self::of_programmer(sockets) })
    }

    fn hand(&mut self, view: &View<'_>, worker: WorkerId, task: TaskId) {
        let node = match self.plan {
            Some(plan) => plan.task(task),
            None => view.graph.affinity(task),
        };
        let node = node.and_then(|node| view.sockets.of_node(node));
        self.queues.hand_over(view.sockets, worker, node, task);
    }
}

impl Scheduler for Hint<'_> {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        self.hand(view, MASTER, task);
    }

    fn hands_over(&self) -> bool {
        true
    }

    fn hand_over(&mut self, view: &View<'_>, handed: &HandOver<'_>) {
        for &task in handed.children.iter().chain(handed.others) {
            self.hand(view, who_hands_over(view.graph, task, handed.worker), task);
        }
    }

    fn take(&mut self, view: &View<'_>, worker: WorkerId, round: Round) -> Option<Start> {
        match round {
            Round::Own => self.queues.next(view.sockets, worker),
            Round::OtherNodes => None,
            Round::Steal => self.queues.steal(view.sockets, worker),
        }
    }

    fn steals(&self) -> bool {
        true
    }

    fn home(&mut self, view: &View<'_>, block: BlockId) -> Option<NodeId> {
        match self.plan {
            Some(plan) => plan.block(block),
            None => view.graph.hint(block),
        }
    }

    fn fallbacks(&self) -> Option<Fallbacks> {
        self.plan.map(GraphPlan::fallbacks)
    }

    fn socket(&self, _: TaskId) -> Option<SocketId> {
        None
    }

    fn gives_sockets(&self) -> bool {
        false
    }
}
