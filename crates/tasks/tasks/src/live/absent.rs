//! Workers that are kept from running for a while, and who does what is left lying.
//!
//! Schedulers are told nothing of it: to them an absent worker is one that is busy, and whoever may steal from it does. What a scheduler has for it alone (its own
//! queue, its part of a loop, its socket's tasks) an idle worker of its socket takes in its place; where a whole socket is absent, any idle worker. So a graph goes on
//! as long as one worker is there, and nothing leaves a socket on which somebody can run it.

use super::Live;
use crate::schedulers::Start;
use crate::sockets::WorkerId;

/// Who is not there.
#[derive(Debug)]
pub(super) struct Absent {
    /// Per worker.
    is: Vec<bool>,
    count: usize,
    /// Per worker: the task that it had been given and did not begin.
    unbegun: Vec<Option<Start>>,
}

impl Absent {
    pub(super) fn nobody(workers: usize) -> Self {
        Self { is: vec![false; workers], count: 0, unbegun: vec![None; workers] }
    }

    pub(super) fn is_somebody(&self) -> bool {
        self.count > 0
    }

    pub(super) fn is(&self, worker: WorkerId) -> bool {
        self.is.get(worker.0 as usize).is_some_and(|&is| is)
    }

    /// Whether that is new.
    fn set(&mut self, worker: WorkerId, absent: bool) -> bool {
        let Some(is) = self.is.get_mut(worker.0 as usize).filter(|is| **is != absent) else { return false };
        *is = absent;
        if absent {
            self.count += 1;
        } else {
            self.count -= 1;
        }
        true
    }

    /// The task that this worker did not begin, for whoever does.
    pub(super) fn unbegun(&mut self, worker: WorkerId) -> Option<Start> {
        self.unbegun.get_mut(worker.0 as usize)?.take()
    }
}

impl Live<'_> {
    /// An idle worker may run nothing until it [comes](Live::come): it is handed no tasks. `unbegun`: the task that it was handed and has not begun; that is ready
    /// again. Blocks that first tasks touch count as touched where it should have run.
    pub fn leave(&mut self, worker: WorkerId, unbegun: Option<Start>) {
        if let Some((start, place)) = unbegun.zip(self.absent.unbegun.get_mut(worker.0 as usize)) {
            *place = Some(start);
            self.running = self.running.saturating_sub(1);
            self.ready.give_back();
            self.idle.push(worker);
        }
        self.absent.set(worker, true);
    }

    /// A worker that had left is there again, idle; whether it had left.
    pub fn come(&mut self, worker: WorkerId) -> bool {
        self.absent.set(worker, false)
    }

    /// Idle workers take what the scheduler has for absent ones; see the module.
    pub(super) fn stand_in(&mut self, starts: &mut impl FnMut(WorkerId, Start)) {
        let mut place = 0;
        while self.ready.waiting() > 0
            && let Some(&worker) = self.idle.get(place)
        {
            match self.take_for_others(worker) {
                Some(start) => {
                    self.idle.remove(place);
                    starts(worker, start);
                }
                None => place += 1,
            }
        }
    }

    fn take_for_others(&mut self, worker: WorkerId) -> Option<Start> {
        if self.absent.is(worker) {
            return None;
        }
        let own = self.sockets.of_worker(worker);
        let rounds = self.scheduler.rounds();
        let others = self.sockets.nearest(own).to_vec();
        for socket in std::iter::once(own).chain(others) {
            let all_absent = self.sockets.workers(socket).all(|other| self.absent.is(WorkerId(other)));
            if socket != own && !all_absent {
                continue;
            }
            for other in self.sockets.workers(socket).map(WorkerId) {
                if !self.absent.is(other) {
                    continue;
                }
                for &round in rounds {
                    if let Some(start) = self.take(other, worker, round) {
                        return Some(start);
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
