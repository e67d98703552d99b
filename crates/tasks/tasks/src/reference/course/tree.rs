//! Tree programs: tasks that tasks create, and blocks that are moved before all of them.

use numasim_graph::values::{BlockId, PagePlacement, TaskId};

use super::Course;
use super::master::{Hear, Heard};
use crate::question::Question;

/// Through what a task became ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reference) enum ReadyBy {
    /// The master created it.
    Master,
    /// A task that this worker ran created it.
    Creator(usize),
    /// A task that this worker ran was the last that it waited for.
    Parent(usize),
}

impl Course<'_> {
    /// A task has ended on a worker: the tasks that it creates exist.
    pub(super) fn create_children(&mut self, creator: TaskId, worker: usize, hear: &mut Hear) {
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
    /// What became ready through the end of a task, in the order in which its worker hands it over.
    pub(super) fn hand_over(&mut self, ended: TaskId, worker: usize, hear: &mut Hear) {
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

/// How long the placement `nadd` moves blocks from the first node with cores to where their hints want them: bytes over the link, and
/// a fixed time for each begun page of 4096 B.
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
