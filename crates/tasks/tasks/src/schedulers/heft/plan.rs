//! Each task in order of rank gets the slot in which it ends first.

use numasim_graph::values::TaskGraph;

use super::estimate::Estimate;
use super::rank::Ranked;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets};

/// Gaps that are kept of each worker, the latest ones: an estimate is not worth more.
const GAPS: usize = 16;

/// Where and when a task runs by plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slot {
    pub(super) socket: SocketId,
    pub(super) start_s: f64,
    end_s: f64,
}

impl Slot {
    /// Of a task that has none yet.
    const NONE: Self = Self { socket: SocketId(0), start_s: 0.0, end_s: 0.0 };
}

/// A worker by plan.
#[derive(Clone, Debug, Default)]
struct Worker {
    /// Times without a task before `busy_until_s`, ascending.
    gaps: Vec<(f64, f64)>,
    busy_until_s: f64,
}

/// Slots of tasks that have none yet: there since the master has created them, one after the other without a pause; those that tasks create
/// since 0, as they wait for their creators.
fn unplanned(graph: &TaskGraph, creation_s: f64) -> Vec<Slot> {
    let mut number = 0.0;
    let slots = graph.tasks().map(|task| {
        if graph.created_by(task).is_some() {
            return Slot::NONE;
        }
        number += 1.0;
        Slot { start_s: creation_s * number, ..Slot::NONE }
    });
    slots.collect()
}

/// The slot of each task, by number.
pub(super) fn plan(
    ranked: &Ranked,
    question: &Question<'_>,
    sockets: &Sockets,
    estimate: &mut Estimate<'_>,
) -> Vec<Slot> {
    let graph = question.graph;
    let mut slots = unplanned(graph, question.runtime.creation.value());
    let mut workers: Vec<Vec<Worker>> =
        sockets.all().map(|socket| vec![Worker::default(); sockets.workers(socket).len()]).collect();
    for &task in &ranked.order {
        let created_s = slots[task.0 as usize].start_s;
        let creator = graph.created_by(task);
        let before = ranked.parents(task).iter().chain(&creator);
        let ready_s = before.map(|other| slots[other.0 as usize].end_s).fold(created_s, f64::max);
        let mut best: Option<(Slot, usize)> = None;
        for (socket, workers) in sockets.all().zip(&workers) {
            let duration_s = estimate.seconds(task, sockets.node(socket));
            for (place, worker) in workers.iter().enumerate() {
                let start_s = worker.earliest(ready_s, duration_s);
                let end_s = start_s + duration_s;
                if best.is_none_or(|(slot, _)| end_s < slot.end_s) {
                    best = Some((Slot { socket, start_s, end_s }, place));
                }
            }
        }
        let Some((slot, place)) = best else { continue };
        slots[task.0 as usize] = slot;
        workers[slot.socket.0 as usize][place].occupy(slot);
        estimate.touch(task, sockets.node(slot.socket));
    }
    slots
}

impl Worker {
    /// When a task can begin that is ready at `ready_s` and takes `duration_s`: in the first gap that holds it, or behind all.
    fn earliest(&self, ready_s: f64, duration_s: f64) -> f64 {
        let gap = self.gaps.iter().find(|&&(from, to)| from.max(ready_s) + duration_s <= to);
        gap.map_or(self.busy_until_s, |&(from, _)| from).max(ready_s)
    }

    fn occupy(&mut self, slot: Slot) {
        if slot.start_s >= self.busy_until_s {
            if slot.start_s > self.busy_until_s {
                self.gaps.push((self.busy_until_s, slot.start_s));
            }
            self.busy_until_s = slot.end_s;
        } else if let Some(at) =
            self.gaps.iter().position(|&(from, to)| from <= slot.start_s && slot.end_s <= to)
        {
            let (from, to) = self.gaps.remove(at);
            let rest = [(from, slot.start_s), (slot.end_s, to)];
            for (place, gap) in (at..).zip(rest.into_iter().filter(|(from, to)| from < to)) {
                self.gaps.insert(place, gap);
            }
        }
        if self.gaps.len() > GAPS {
            self.gaps.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::tree;

    fn slot(start_s: f64, end_s: f64) -> Slot {
        Slot { start_s, end_s, ..Slot::NONE }
    }

    /// 0 and 3 are the master's; 0 creates 1, which creates 2.
    #[test]
    fn the_master_creates_its_own_tasks_only() {
        let graph = tree(&[None, Some(0), Some(1), None]);
        let starts: Vec<f64> = unplanned(&graph, 0.5).iter().map(|slot| slot.start_s).collect();
        assert_eq!(starts, [0.5, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_task_goes_into_the_first_gap_that_holds_it() {
        let mut worker = Worker::default();
        worker.occupy(slot(2.0, 3.0));
        worker.occupy(slot(7.0, 8.0));
        // Gaps 0 to 2 and 3 to 7.
        assert_eq!(worker.earliest(0.0, 2.0), 0.0);
        assert_eq!(worker.earliest(0.5, 2.0), 3.0);
        assert_eq!(worker.earliest(4.0, 2.5), 4.0);
        assert_eq!(worker.earliest(4.0, 4.0), 8.0);
        worker.occupy(slot(4.0, 6.5));
        // 3 to 4 and 6.5 to 7 are left of the second one.
        assert_eq!(worker.gaps, [(0.0, 2.0), (3.0, 4.0), (6.5, 7.0)]);
    }
}
