//! A process that is one application: it waits for the start, arrives, runs its iterations, exits.

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

/// First argument of a program that is to run as an application: it passes its standard input to [`serve`].
pub const APP_COMMAND: &str = "__run-app";

/// Interval at which the number of blocked threads is recorded.
const NOTE: Duration = Duration::from_millis(10);

/// Runs as the application of an order, whose text came from standard input. Returns when it is finished, or when the run is aborted; an
/// external program replaces this process instead.
///
/// # Errors
/// The error, in one line for people.
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

/// Reports that everything is in place, and waits for the start and the time of arrival. Returns the time of the start, or `None` if the
/// run is aborted.
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
        // In short intervals, so that an abort is noticed.
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
        // Set however the iterations end.
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
    // At the end, so that pages moved by the system are included, and no application loses time.
    workshop.note_pages();
    Ok(())
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Entry k mod length; 0 for an empty list.
fn entry(list: &[f64], number: u64) -> f64 {
    let length = list.len().max(1) as u64;
    usize::try_from(number % length).ok().and_then(|at| list.get(at)).copied().unwrap_or(0.0)
}

fn factor(spread: &[f64], number: u64) -> f64 {
    if spread.is_empty() { 1.0 } else { entry(spread, number) }
}

// An external program replaces a process that waited for its start. The process ID stays the same, so an agent that received it before
// recognises it.

/// Does not return if it succeeds.
///
/// # Errors
/// The reason why the program cannot be started, for people.
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
    /// Starts them. The agent of the environment, if there is one, knows them from now on.
    ///
    /// # Errors
    /// The reason why they cannot start, for people.
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

    /// Runs all tasks of a phase, and returns when they are done.
    pub(super) fn phase(&self, number: usize, tasks: u64, task: &(dyn Fn(u64) + Sync)) {
        self.pool.phase(number);
        self.pool.scope(|scope| {
            for one in 0..tasks {
                scope.spawn(move |_| task(one));
            }
        });
    }

    /// Reports the number of iterations done.
    pub(super) fn progress(&self, iterations: u64) {
        self.pool.progress(usize::try_from(iterations).unwrap_or(usize::MAX));
    }

    /// Reports that no iteration is running, and why; [`Waiting::None`]: one is running again.
    pub(super) fn waiting(&self, waiting: Waiting) {
        self.pool.waiting(waiting);
    }

    /// Lets all threads run, whatever the agent commands: otherwise tasks without an allowed thread would delay the end.
    pub(super) fn let_go(&self) {
        // The one command that fits every pool.
        let _ = self.pool.order(None);
    }

    /// Records the number of blocked threads.
    pub(super) fn note(&self, counts: Counts<'_>, app: usize) {
        for (node, &blocked) in self.pool.status().blocked.iter().enumerate() {
            counts.on_node(app, node, OnNode::Blocked).store(blocked as u64, Relaxed);
        }
    }
}

/// An iteration that may start.
pub(super) struct Begun {
    /// For a callee, the call that it serves.
    pub(super) call: Option<usize>,
}

/// The channels and calls for which an application waits.
pub(super) struct Neighbours<'a> {
    pub(super) counts: Counts<'a>,
    pub(super) app: usize,
    pub(super) tasks: &'a Tasks,
    pub(super) start_ns: u64,
    /// Memory of items that are produced and not finished, oldest first, for each outgoing channel.
    items: Vec<VecDeque<Vec<u8>>>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(counts: Counts<'a>, app: usize, tasks: &'a Tasks, start_ns: u64) -> Self {
        let items = tasks.outputs.iter().map(|_| VecDeque::new()).collect();
        Self { counts, app, tasks, start_ns, items }
    }

    /// Waits until iteration `number`, from 1, may start: every incoming channel has produced that number of items, every outgoing channel
    /// has room, and, for a callee, a call is pending. Returns the call that it serves; `None` if the run is aborted.
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
        // No other process can revoke any of the three, so the process may wait for them one after the other.
        self.waiting(team, Waiting::Input, OfApp::WaitedInput, inputs)?;
        self.waiting(team, Waiting::Output, OfApp::WaitedOutput, room)?;
        if self.tasks.called.is_empty() {
            return Some(Begun { call: None });
        }
        self.waiting(team, Waiting::Call, OfApp::WaitedCall, || self.asked())
            .map(|call| Begun { call: Some(call) })
    }

    /// The call that has waited longest; in a tie, the first one in the files.
    fn asked(&self) -> Option<usize> {
        let of = |call: usize, what| self.counts.of_call(call, what).load(SeqCst);
        let open = self.tasks.called.iter().filter(|&&call| of(call, OfCall::Asked) > of(call, OfCall::Done));
        open.min_by_key(|&&call| of(call, OfCall::AskedAt)).copied()
    }

    /// Makes the calls after iteration `number`, one after the other; `None` if the run is aborted.
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

    /// Iteration `number` is over: its items are available, its input items are finished, and the `call` that it served returns. Nothing
    /// counts after the end of the run.
    pub(super) fn end(&mut self, number: u64, call: Option<usize>) {
        let now = now_ns();
        if self.counts.is_over(now) {
            return;
        }
        let at_us = now.saturating_sub(self.start_ns) / 1000;
        for (output, kept) in self.tasks.outputs.iter().zip(&mut self.items) {
            let of = |what| self.counts.of_channel(output.channel, what);
            // Read before: items that the other side finishes in between would make the maximum too small.
            let finished = of(OfChannel::Finished).load(SeqCst);
            of(OfChannel::ProducedAt).fetch_add(at_us, SeqCst);
            let produced = of(OfChannel::Produced).fetch_add(1, SeqCst) + 1;
            let there = produced.saturating_sub(finished);
            of(OfChannel::Most).fetch_max(there, SeqCst);
            if output.item_bytes > 0 {
                let bytes = usize::try_from(output.item_bytes).unwrap_or(usize::MAX);
                // Written to, so that the system really allocates the memory.
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

    /// Waits for a condition, and reports it only if it is not met at once.
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
    fn an_invalid_order_is_rejected_in_one_line() {
        let refused = serve("{}").expect_err("no order");
        assert!(
            refused.starts_with("this is for numasim itself") && refused.lines().count() == 1,
            "{refused}"
        );
    }
}
