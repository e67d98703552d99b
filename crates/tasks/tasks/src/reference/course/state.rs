//! What whoever tries all schedules looks at: what is under way, and what of a course matters for everything that comes.

use numasim_graph::values::{BlockHome, TaskId};
use numasim_model::NodeId;

use super::Course;
use super::master::Doing;
use crate::reference::sources::Sources;

/// Between two lists in a state; no number of a node, block or task.
const END: u64 = u64::MAX;

/// A task that is under way.
pub(in crate::reference) struct Running<'c> {
    pub(in crate::reference) task: TaskId,
    pub(in crate::reference) node: NodeId,
    /// Seconds until it begins to work, or ends where that is known.
    pub(in crate::reference) sure_s: f64,
    /// The part of its work that is left, and bytes of the whole from each memory.
    pub(in crate::reference) rest: f64,
    pub(in crate::reference) by_memory: &'c [f64],
}

impl Course<'_> {
    /// Tasks that no worker has taken.
    pub(in crate::reference) fn not_taken(&self) -> impl Iterator<Item = TaskId> {
        self.question.graph.tasks().zip(&self.tasks).filter(|(_, task)| task.run.is_none()).map(|(id, _)| id)
    }

    /// Tasks that are under way.
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

    /// Two courses of one question with the same state go on alike, each from its own time: times are counted from now on, workers of a
    /// node are alike, and what has been is left out. Rates are not in it: they are set anew before time passes.
    pub(in crate::reference) fn state(&self) -> Vec<u64> {
        let mut state = Vec::new();
        let from_now = |time_s: f64| (time_s - self.now_s).to_bits();
        for task in &self.tasks {
            let flags = [task.is_created, task.is_ready, task.has_ended, task.run.is_some()];
            state.push(flags.into_iter().fold(0, |bits, flag| bits << 1 | u64::from(flag)));
            let Some(run) = task.run.as_ref().filter(|_| !task.has_ended) else { continue };
            let Sources { traffic, by_memory, want_gbs, fixed_s } = &run.sources;
            let fixed_end_s = run.end_s.filter(|_| fixed_s.is_some());
            state.extend([self.node_of(run.worker).0 as u64, run.rest.to_bits(), want_gbs.to_bits()]);
            state.push(if run.works { END } else { from_now(run.works_from_s) });
            state.push(fixed_end_s.map_or(END, from_now));
            state.extend(fixed_s.map(f64::to_bits));
            state.extend(by_memory.iter().map(|bytes| bytes.to_bits()));
            state.push(traffic.llc_local.to_bits());
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
        for cache in self.data.caches() {
            state.extend(cache.iter().map(|block| u64::from(block.0)));
            state.push(END);
        }
        state
    }
}
