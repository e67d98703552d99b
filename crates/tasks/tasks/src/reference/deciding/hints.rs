//! `hint` and `plan`: whoever hands a task over puts it into its own queue, or into that of the node where it belongs; only workers of one node
//! steal from each other.

use numasim_graph::values::{BlockHome, SchedulerKind, TaskId};
use numasim_model::NodeId;
use numasim_plan::GraphPlan;

use crate::error::TasksError;
use crate::question::Question;
use crate::reference::course::{Heard, ReadyBy};
use crate::reference::decides::{Decides, nodes_of_workers, who_hands_over};
use crate::schedulers::{Fallbacks, Round, Source, Start};

#[derive(Clone, Debug)]
pub(super) struct Hints<'a> {
    question: &'a Question<'a>,
    /// Of `plan`.
    plan: Option<&'a GraphPlan>,
    /// Per worker: its node, and its tasks, the oldest first.
    nodes: Vec<NodeId>,
    own: Vec<Vec<TaskId>>,
    /// Per node: tasks that others have sent, the oldest first.
    shared: Vec<Vec<TaskId>>,
}

impl<'a> Hints<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Self, TasksError> {
        let nodes = nodes_of_workers(question.machine);
        let plan = match question.scheduler.kind {
            SchedulerKind::Plan => Some(question.plan.ok_or(TasksError::NoPlan)?),
            _ => None,
        };
        let own = vec![Vec::new(); nodes.len()];
        Ok(Self { question, plan, nodes, own, shared: vec![Vec::new(); question.machine.node_count()] })
    }

    fn hand_over(&mut self, worker: usize, task: TaskId) {
        let wanted = match self.plan {
            Some(plan) => plan.task(task),
            None => self.question.graph.affinity(task),
        };
        // A node without cores is none.
        match wanted.filter(|node| self.nodes.contains(node)) {
            Some(node) if node != self.nodes[worker] => self.shared[node.0].push(task),
            _ => self.own[worker].push(task),
        }
    }
}

impl Decides for Hints<'_> {
    fn hands_over(&self) -> bool {
        true
    }

    fn hear(&mut self, heard: &Heard) -> Option<f64> {
        if let Heard::HandsOver { worker, children, others, .. } = heard {
            for &task in children.iter().chain(others) {
                self.hand_over(who_hands_over(self.question.graph, task, *worker), task);
            }
        }
        None
    }

    fn ready(&mut self, task: TaskId, _: ReadyBy, _: &[BlockHome]) {
        self.hand_over(0, task);
    }

    fn has_queued(&self) -> bool {
        self.own.iter().chain(&self.shared).any(|tasks| !tasks.is_empty())
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        let node = self.nodes[worker];
        let workers = self.nodes.len();
        // Where it looks, in order.
        let places = match round {
            Round::Own => {
                vec![(&mut self.own[worker], Source::Own), (&mut self.shared[node.0], Source::Shared)]
            }
            Round::OtherNodes => Vec::new(),
            Round::Steal => {
                let mut others: Vec<(usize, &mut Vec<TaskId>)> = self.own.iter_mut().enumerate().collect();
                others.retain(|&(other, _)| other != worker && self.nodes[other] == node);
                others.sort_by_key(|&(other, _)| (other + workers - worker) % workers);
                others.into_iter().map(|(_, queue)| (queue, Source::Steal)).collect()
            }
        };
        let (queue, source) = places.into_iter().find(|(queue, _)| !queue.is_empty())?;
        Some(Start::new(queue.remove(0), source))
    }

    fn fallbacks(&self) -> Option<Fallbacks> {
        self.plan.map(GraphPlan::fallbacks)
    }
}
