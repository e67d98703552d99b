//! Waiting for others: items of channels, room in them, and calls. The rules are those of the simulation.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::SeqCst;

use numasim_host::os::clock::now_ns;
use numasim_runtime::Waiting;

use super::board::{Counts, OfApp, OfCall, OfChannel};
use super::order::Tasks;
use super::team::Team;

/// An iteration that may begin.
pub(super) struct Begun {
    /// The call that it is for, of a callee.
    pub(super) call: Option<usize>,
}

/// What an application waits for.
pub(super) struct Neighbours<'a> {
    pub(super) counts: Counts<'a>,
    pub(super) app: usize,
    pub(super) tasks: &'a Tasks,
    pub(super) start_ns: u64,
    /// Memory of items that are produced and not finished, oldest first, for each channel out.
    items: Vec<VecDeque<Vec<u8>>>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(counts: Counts<'a>, app: usize, tasks: &'a Tasks, start_ns: u64) -> Self {
        let items = tasks.outputs.iter().map(|_| VecDeque::new()).collect();
        Self { counts, app, tasks, start_ns, items }
    }

    /// Waits until iteration `number`, from 1, may begin: every channel into it has produced so many items, every channel out of it
    /// has room, and, of a callee, somebody has called. The call that it works for; `None` if everybody has to end.
    pub(super) fn begin(&self, number: u64, team: &Team) -> Option<Begun> {
        let of_channel = |channel, what| self.counts.of_channel(channel, what).load(SeqCst);
        let inputs = || {
            let there =
                |input: &super::order::Input| of_channel(input.channel, OfChannel::Produced) >= number;
            self.tasks.inputs.iter().all(there).then_some(())
        };
        let room = || {
            let free = |output: &super::order::Output| {
                let produced = of_channel(output.channel, OfChannel::Produced);
                let finished = of_channel(output.channel, OfChannel::Finished);
                output.capacity.is_none_or(|capacity| produced.saturating_sub(finished) < capacity)
            };
            self.tasks.outputs.iter().all(free).then_some(())
        };
        // None of the three is taken back by anybody else, so that they may be waited for one after the other.
        self.waiting(team, Waiting::Input, OfApp::WaitedInput, inputs)?;
        self.waiting(team, Waiting::Output, OfApp::WaitedOutput, room)?;
        if self.tasks.called.is_empty() {
            return Some(Begun { call: None });
        }
        self.waiting(team, Waiting::Call, OfApp::WaitedCall, || self.asked())
            .map(|call| Begun { call: Some(call) })
    }

    /// The call that waits longest; of several at once, the first of the files.
    fn asked(&self) -> Option<usize> {
        let of = |call: usize, what| self.counts.of_call(call, what).load(SeqCst);
        let open = self.tasks.called.iter().filter(|&&call| of(call, OfCall::Asked) > of(call, OfCall::Done));
        open.min_by_key(|&&call| of(call, OfCall::AskedAt)).copied()
    }

    /// Makes the calls that come after iteration `number`, one after the other; `None` if everybody has to end.
    pub(super) fn call(&self, number: u64, team: &Team) -> Option<()> {
        for &(call, every) in &self.tasks.calls {
            if every == 0 || !number.is_multiple_of(every) {
                continue;
            }
            self.counts.of_call(call, OfCall::AskedAt).store(now_ns(), SeqCst);
            let asked = self.counts.of_call(call, OfCall::Asked).fetch_add(1, SeqCst) + 1;
            self.counts.tell();
            let returned = || (self.counts.of_call(call, OfCall::Done).load(SeqCst) >= asked).then_some(());
            self.waiting(team, Waiting::Call, OfApp::WaitedCall, returned)?;
        }
        Some(())
    }

    /// Iteration `number` is over: its items are there, those that it took are finished, and the `call` that it was for returns. Nothing
    /// of it counts after the end of the run.
    pub(super) fn end(&mut self, number: u64, call: Option<usize>) {
        let now = now_ns();
        if self.counts.is_over(now) {
            return;
        }
        let at_us = now.saturating_sub(self.start_ns) / 1000;
        for (output, kept) in self.tasks.outputs.iter().zip(&mut self.items) {
            let of = |what| self.counts.of_channel(output.channel, what);
            // Looked at before: what the other side finishes in between would make the most too small.
            let finished = of(OfChannel::Finished).load(SeqCst);
            of(OfChannel::ProducedAt).fetch_add(at_us, SeqCst);
            let produced = of(OfChannel::Produced).fetch_add(1, SeqCst) + 1;
            let there = produced.saturating_sub(finished);
            of(OfChannel::Most).fetch_max(there, SeqCst);
            if output.item_bytes > 0 {
                let bytes = usize::try_from(output.item_bytes).unwrap_or(usize::MAX);
                // Written to, so that the system really gives the memory.
                kept.push_back(vec![number.to_le_bytes()[0] | 1; bytes]);
                while kept.len() as u64 > there {
                    kept.pop_front();
                }
            }
        }
        for input in &self.tasks.inputs {
            let of = |what| self.counts.of_channel(input.channel, what);
            of(OfChannel::FinishedAt).fetch_add(at_us, SeqCst);
            of(OfChannel::Finished).fetch_add(1, SeqCst);
        }
        if let Some(call) = call {
            self.counts.of_call(call, OfCall::Done).fetch_add(1, SeqCst);
        }
        self.counts.of_app(self.app, OfApp::Iterations).store(number, SeqCst);
        self.counts.tell();
    }

    /// Waits for something, and says so only where it is not there at once.
    fn waiting<T>(
        &self,
        team: &Team,
        what: Waiting,
        counted: OfApp,
        mut now: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        if let Some(found) = now() {
            return Some(found);
        }
        let before = now_ns();
        team.waiting(what);
        let found = self.counts.wait_for(now);
        team.waiting(Waiting::None);
        let after = self.counts.end_ns().map_or_else(now_ns, |end| end.min(now_ns()));
        self.counts.of_app(self.app, counted).fetch_add(after.saturating_sub(before), SeqCst);
        found
    }
}
