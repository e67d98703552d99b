//! The resource management layer over time: to whom the workers are dealt now.

use numasim_graph::values::RuntimeSettings;

use super::dealing::Dealing;
use crate::random::Stream;
use crate::schedulers::draw::Draw;
use crate::sockets::{Sockets, WorkerId};

/// Deals workers to programs at each begin of a phase.
#[derive(Clone, Debug)]
pub(super) struct Management {
    dealing: Dealing,
    /// Per worker: the program that has it; empty while there is only one.
    dealt: Vec<u32>,
    /// Per program, the workers of each node in the first phase.
    first_phase: Option<Vec<Vec<u32>>>,
    /// Draws who is dealt to whom, and mailboxes of those who join.
    deals: Draw,
    joins: Draw,
}

impl Management {
    /// Nobody else wants workers.
    pub(super) fn new(dealing: Dealing, runtime: &RuntimeSettings) -> Self {
        Self {
            dealing,
            dealt: Vec::new(),
            first_phase: None,
            deals: Draw::of(runtime, Stream::Dealing),
            joins: Draw::of(runtime, Stream::Joining),
        }
    }

    /// From now on so many programs share the workers.
    pub(super) fn deal(&mut self, sockets: &Sockets, programs: u32) {
        self.dealt.clear();
        if programs <= 1 {
            return;
        }
        self.dealt = self.dealing.deal(sockets.worker_count(), programs, &mut self.deals);
        let of = |program, worker: u32| self.dealt.get(worker as usize) == Some(&program);
        self.first_phase.get_or_insert_with(|| {
            let workers = |program, socket| {
                let dealt = sockets.workers(socket).filter(|&worker| of(program, worker)).count();
                u32::try_from(dealt).unwrap_or(u32::MAX)
            };
            let nodes = |program| sockets.all().map(|socket| workers(program, socket)).collect();
            (0..programs).map(nodes).collect()
        });
    }

    /// Whether a worker is dealt to the program that is simulated, which is number 0.
    pub(super) fn is_dealt(&self, worker: WorkerId) -> bool {
        self.dealt.get(worker.0 as usize).is_none_or(|&program| program == 0)
    }

    /// Draws the mailbox of a worker that joins.
    pub(super) fn joining(&mut self) -> &mut Draw {
        &mut self.joins
    }

    /// Per program, the workers of each node in the first phase; `None` while there was none.
    pub(super) fn first_phase(&self) -> Option<Vec<Vec<u32>>> {
        self.first_phase.clone()
    }
}
