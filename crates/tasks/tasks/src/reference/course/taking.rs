//! Tasks that workers have taken: from where their bytes come, and how fast they are.

use numasim_model::NodeId;

use super::Course;
use crate::reference::rates;
use crate::reference::sources::Sources;
use crate::schedulers::{Source, Start};

/// A task that was taken.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) worker: usize,
    pub(super) start_s: f64,
    /// When its overhead is over.
    pub(super) works_from_s: f64,
    /// Whether it is.
    pub(super) works: bool,
    pub(super) start: Start,
    pub(super) sources: Sources,
    /// The part of its work that is left.
    pub(super) rest: f64,
    /// Parts of it per second.
    pub(super) rate: f64,
    /// When it ends, as far as is known.
    pub(super) end_s: Option<f64>,
}

impl Taken {
    /// Its overhead is over. When it ends is known where nobody else matters for that.
    pub(super) fn begin(&mut self) {
        self.works = true;
        self.end_s = self.sources.fixed_s.map(|duration_s| self.works_from_s + duration_s);
    }
}

impl Course<'_> {
    /// A worker takes a task that `socket` was said for: blocks get their homes, sources are decided.
    pub(in crate::reference) fn take(&mut self, worker: usize, start: Start, socket: Option<NodeId>) {
        let task = start.task;
        let runtime = self.question.runtime;
        let node = self.workers[worker].0;
        let sources = self.data.take(task, node, socket);
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

    /// All rates anew.
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
        let rates = rates::parts_per_second(machine, &readers);
        for (run, rate) in working.iter_mut().zip(rates) {
            run.rate = rate;
            run.end_s = (rate > 0.0).then(|| self.now_s + run.rest.max(0.0) / rate);
        }
    }
}
