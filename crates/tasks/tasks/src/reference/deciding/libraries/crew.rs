//! Who is in the program, and who looks into which mailbox.

use numasim_graph::values::SchedulerKind;
use numasim_model::NodeId;

use super::{Library, one_of};

impl Library<'_> {
    /// Whether nobody may look into a mailbox soon.
    pub(super) fn is_idle(&self, mailbox: usize) -> bool {
        if !self.is(SchedulerKind::TbbNuma) {
            return self.connected.iter().all(|&connected| connected != Some(mailbox));
        }
        let of_node = || (0..self.nodes.len()).filter(|&worker| self.nodes[worker].0 == mailbox);
        let there = of_node().filter(|&worker| self.is_there[worker]).count();
        there < of_node().filter(|&worker| self.programs[worker] == 0).count()
    }

    /// From now on so many programs share the workers.
    pub(super) fn shares(&mut self, programs: usize) {
        let count = self.nodes.len();
        for worker in 0..count {
            self.programs[worker] = match self.question.scheduler.kind {
                SchedulerKind::TbbNuma => worker % programs,
                _ => worker * programs / count,
            };
        }
        if programs > 1 && self.is(SchedulerKind::Tbb) {
            for place in 1..count {
                let other = place + one_of(count - place, self.question.runtime.ties, &mut self.dealing);
                self.programs.swap(place, other);
            }
        }
        if programs > 1 && self.dealt.is_none() {
            let of = |program: usize, node: NodeId| {
                let mut workers = 0;
                for worker in 0..count {
                    workers += u32::from(self.programs[worker] == program && self.nodes[worker] == node);
                }
                workers
            };
            let nodes = || self.question.machine.compute_nodes();
            self.dealt =
                Some((0..programs).map(|program| nodes().map(|node| of(program, node)).collect()).collect());
        }
    }

    /// A worker leaves.
    pub(super) fn leaves(&mut self, worker: usize) {
        self.is_there[worker] = false;
        self.connected[worker] = None;
    }

    /// A worker comes back.
    pub(super) fn joins(&mut self, worker: usize) {
        self.is_there[worker] = true;
        let free = (0..self.nodes.len()).filter(|&mailbox| !self.connected.contains(&Some(mailbox)));
        let free: Vec<usize> = free.collect();
        self.connected[worker] =
            Some(free[one_of(free.len(), self.question.runtime.ties, &mut self.joining)]);
    }
}
