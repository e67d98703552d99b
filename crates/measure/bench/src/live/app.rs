//! A process that is one application: waits for the start, arrives, does its iterations, ends.

use std::collections::VecDeque;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::thread;
use std::time::Duration;

use numasim_host::affinity;
use numasim_host::os::shared::Shared;
use numasim_host::os::thread::now_ns;
use numasim_model::cpus::CpuList;
use numasim_runtime::{Agent, Bind, Layout, Pool, PoolNode, Waiting};

use crate::live::board::{Board, Counts, OfApp, OfCall, OfChannel, OnNode};
use crate::live::work::Workshop;
use crate::live::{Input, Node, Order, Output, Program, Tasks};

/// First argument of a program that shall be an application: it hands its standard input to [`serve`].
pub const APP_COMMAND: &str = "__run-app";

/// How often the number of blocked threads is written down.
const NOTE: Duration = Duration::from_millis(10);

/// Is the application of an order, the text of which came from standard input. Returns when it is finished, or when everybody has
/// to end; a program of its own takes the place of this process instead.
///
/// # Errors
/// What went wrong, in a line for people.
pub fn serve(order: &str) -> Result<(), String> {
    let order: Order = serde_json::from_str(order).map_err(|error| {
        format!("this is for numasim itself, which starts it with an order on standard input: {error}")
    })?;
    let board =
        Shared::<Board>::inherited(order.board).map_err(|error| format!("no shared memory: {error}"))?;
    if !order.extent.fits() || order.nodes.len() != order.extent.nodes {
        return Err("its order contradicts itself".to_owned());
    }
    let counts = Counts { board: &board, extent: order.extent };
    match &order.program {
        Program::Tasks(tasks) => iterate(counts, &order, tasks),
        Program::Command { words, cpus } => match arrive(counts, &order) {
            Some(_) => become_it(words, cpus),
            None => Ok(()),
        },
    }
}

/// Says that all is in place, and waits for the start and the time of arrival; when the start was, or `None` to end.
fn arrive(counts: Counts<'_>, order: &Order) -> Option<u64> {
    counts.of_app(order.app, OfApp::Ready).store(1, SeqCst);
    counts.tell();
    let start = counts.wait_for(|| counts.start_ns())?;
    // Not negative; the conversion of a float saturates.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let arrives = start.saturating_add((order.arrives_s * 1e9) as u64);
    while let Some(left) = arrives.checked_sub(now_ns()).filter(|&left| left > 0) {
        if counts.aborted() {
            return None;
        }
        // In pieces, so that an end is seen.
        thread::sleep(Duration::from_nanos(left.min(50_000_000)));
    }
    counts.of_app(order.app, OfApp::Arrived).store(now_ns(), SeqCst);
    counts.tell();
    Some(start)
}

fn iterate(counts: Counts<'_>, order: &Order, tasks: &Tasks) -> Result<(), String> {
    let workshop =
        Workshop::new(counts, order.app, tasks, &order.nodes).map_err(|error| error.to_string())?;
    let Some(start_ns) = arrive(counts, order) else { return Ok(()) };
    let team = Team::start(tasks, &order.nodes)?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Ended however the iterations end.
        let _over = SetOnDrop(&over);
        scope.spawn(|| {
            while !over.load(Relaxed) {
                team.note(counts, order.app);
                if counts.aborted() {
                    team.let_go();
                }
                thread::sleep(NOTE);
            }
        });
        let mut neighbours = Neighbours::new(counts, order.app, tasks, start_ns);
        let mut drawn = 0_u64;
        for number in 1..=tasks.iterations {
            let Some(Begun { call }) = neighbours.begin(number, &team) else { return };
            for (phase, of) in tasks.phases.iter().enumerate() {
                let flop = |task: u64| factor(&tasks.spread, drawn + task) * entry(&of.each_flop, task);
                team.phase(phase, of.tasks, &|task| workshop.task(phase, flop(task)));
                drawn += of.tasks;
                if counts.aborted() {
                    return;
                }
            }
            if neighbours.call(number, &team).is_none() {
                return;
            }
            neighbours.end(number, call);
            team.progress(number);
        }
        counts.of_app(order.app, OfApp::Finished).store(now_ns(), SeqCst);
        counts.tell();
    });
    // At the end, so that what the system moved meanwhile is seen, and nobody's time is taken for it.
    workshop.note_pages();
    Ok(())
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Entry k mod length; 0 of nothing.
fn entry(list: &[f64], number: u64) -> f64 {
    let length = list.len().max(1) as u64;
    usize::try_from(number % length).ok().and_then(|at| list.get(at)).copied().unwrap_or(0.0)
}

fn factor(spread: &[f64], number: u64) -> f64 {
    if spread.is_empty() { 1.0 } else { entry(spread, number) }
}

// A program of its own takes the place of a process that waited for its start: same process number, so that an agent that was
// told the number before knows it.

/// Never returns where it succeeds.
///
/// # Errors
/// The program cannot be started, for people.
pub(super) fn become_it(words: &[String], cpus: &[u32]) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else { return Err("no program".to_owned()) };
    if let Ok(cpus) = CpuList::new(cpus.to_vec()) {
        affinity::bind_this_thread(&cpus).map_err(|error| error.to_string())?;
    }
    let error = Command::new(program).args(arguments).stdin(Stdio::null()).exec();
    Err(format!("cannot start {program}: {error}"))
}

/// Its threads.
pub(super) struct Team {
    pool: Pool,
}

impl Team {
    /// Starts them; from now on the agent of the environment knows them, if there is any.
    ///
    /// # Errors
    /// Why they cannot start, for people.
    pub(super) fn start(tasks: &Tasks, nodes: &[Node]) -> Result<Self, String> {
        let node = |node: &Node| PoolNode {
            workers: node.threads,
            cores: node.cores,
            cpus: CpuList::new(node.cpus.clone()).ok(),
        };
        let bind = if tasks.bind_to_core { Bind::Core } else { Bind::Node };
        let agent = Agent::of_environment(tasks.control).map_err(|error| error.to_string())?;
        let layout =
            Layout::new(nodes.iter().map(node).collect(), bind).map_err(|error| error.to_string())?;
        let pool = Pool::with_agent(layout, agent).map_err(|error| error.to_string())?;
        Ok(Self { pool })
    }

    /// Has all tasks of a phase done, and returns when they are.
    pub(super) fn phase(&self, number: usize, tasks: u64, task: &(dyn Fn(u64) + Sync)) {
        self.pool.phase(number);
        self.pool.scope(|scope| {
            for one in 0..tasks {
                scope.spawn(move |_| task(one));
            }
        });
    }

    /// Says how many iterations are done.
    pub(super) fn progress(&self, iterations: u64) {
        self.pool.progress(usize::try_from(iterations).unwrap_or(usize::MAX));
    }

    /// Says that there is no iteration under way, and why; [`Waiting::None`]: there is one again.
    pub(super) fn waiting(&self, waiting: Waiting) {
        self.pool.waiting(waiting);
    }

    /// Lets all threads run, whatever the agent says: tasks that nobody may run would keep the end waiting.
    pub(super) fn let_go(&self) {
        // The one order that fits every pool.
        let _ = self.pool.order(None);
    }

    /// Writes down how many threads are kept from running.
    pub(super) fn note(&self, counts: Counts<'_>, app: usize) {
        for (node, &blocked) in self.pool.status().blocked.iter().enumerate() {
            counts.on_node(app, node, OnNode::Blocked).store(blocked as u64, Relaxed);
        }
    }
}

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
            let there = |input: &Input| of_channel(input.channel, OfChannel::Produced) >= number;
            self.tasks.inputs.iter().all(there).then_some(())
        };
        let room = || {
            let free = |output: &Output| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_repeat_their_list() {
        assert_eq!([0, 1, 2].map(|task| entry(&[3.0, 4.0], task)), [3.0, 4.0, 3.0]);
        assert_eq!((entry(&[], 1), factor(&[], 1), factor(&[0.5], 7)), (0.0, 1.0, 0.5));
    }

    #[test]
    fn an_order_that_is_none_is_refused_in_one_line() {
        let refused = serve("{}").expect_err("no order");
        assert!(
            refused.starts_with("this is for numasim itself") && refused.lines().count() == 1,
            "{refused}"
        );
    }
}
