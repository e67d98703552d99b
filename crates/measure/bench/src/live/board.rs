//! The shared state of the processes of a run: counts, and one number that changes with any of them and that processes can wait for.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

use numasim_host::os::shared;
use numasim_host::os::shared::Shareable;
use numasim_host::os::thread::now_ns;
use serde::{Deserialize, Serialize};

/// Room for counts: 1 MiB of addresses, of which only the used ones take memory.
const CELLS: usize = 1 << 17;

/// The shared memory; all zeros at the start.
#[repr(C)]
pub struct Board {
    changed: AtomicU32,
    /// Written if the address does not exist; never read.
    nowhere: AtomicU64,
    cells: [AtomicU64; CELLS],
}

// SAFETY: repr(C), atomics only.
#[allow(unsafe_code, reason = "the promise that other processes may map it")]
unsafe impl Shareable for Board {}

/// Numbers of the items that have counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Application instances.
    pub apps: usize,
    /// Nodes.
    pub nodes: usize,
    /// Channels.
    pub channels: usize,
    /// Calls.
    pub calls: usize,
}

/// Counts of the whole run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whole {
    /// The common start by `now_ns`; 0 before it is known.
    Start,
    /// Not 0: all processes must exit.
    Abort,
    /// The end of the run, by `now_ns`: later events do not count. 0 if it is not known yet.
    End,
}

/// Counts of an application.
#[derive(Clone, Copy, Debug)]
pub(super) enum OfApp {
    /// Not 0: its data is in place, and it waits for the start.
    Ready,
    /// Its time of arrival, by `now_ns`; 0 before.
    Arrived,
    /// Its time of completion, by `now_ns`; 0 before.
    Finished,
    /// Iterations done.
    Iterations,
    /// Nanoseconds without a running iteration, for lack of an item.
    WaitedInput,
    /// The same for lack of room.
    WaitedOutput,
    /// The same for lack of a call.
    WaitedCall,
    /// Not 0: the system reported the location of the pages of its data.
    PagesKnown,
    /// Pages that are not where they had to be.
    Misplaced,
}

/// Counts of an application on a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum OnNode {
    /// Threads in a task.
    Running,
    /// Blocked threads.
    Blocked,
    /// FLOP done.
    Flop,
    /// Bytes moved to or from memory, by the rule of `Access`.
    Bytes,
    /// CPU time of tasks in nanoseconds.
    Busy,
    /// Small pages of its data in the memory of the node.
    Pages,
}

/// Counts of a channel. Times are in microseconds since the start, so that the sums of 10^9 items still fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum OfChannel {
    /// Items produced.
    Produced,
    /// Items finished.
    Finished,
    /// The largest number that were produced and not finished.
    Most,
    /// The sum of the times at which items were produced.
    ProducedAt,
    /// The sum of the times at which items were finished.
    FinishedAt,
}

/// Counts of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum OfCall {
    /// Number of times that it was made.
    Asked,
    /// Number of times that it returned.
    Done,
    /// Time at which it was last made, by `now_ns`.
    AskedAt,
}

const WHOLE: usize = 3;
const OF_APP: usize = 9;
const ON_NODE: usize = 6;
const OF_CHANNEL: usize = 5;
const OF_CALL: usize = 3;

impl Extent {
    /// Whether the board has room.
    pub fn fits(self) -> bool {
        self.calls_at().checked_add(self.calls.saturating_mul(OF_CALL)).is_some_and(|end| end <= CELLS)
    }

    fn nodes_at(self) -> usize {
        WHOLE.saturating_add(self.apps.saturating_mul(OF_APP))
    }

    fn channels_at(self) -> usize {
        self.nodes_at().saturating_add(self.apps.saturating_mul(self.nodes).saturating_mul(ON_NODE))
    }

    fn calls_at(self) -> usize {
        self.channels_at().saturating_add(self.channels.saturating_mul(OF_CHANNEL))
    }
}

/// The counts of a run on its board.
#[derive(Clone, Copy)]
pub(super) struct Counts<'a> {
    pub(super) board: &'a Board,
    pub(super) extent: Extent,
}

impl<'a> Counts<'a> {
    fn cell(self, at: usize) -> &'a AtomicU64 {
        self.board.cells.get(at).unwrap_or(&self.board.nowhere)
    }

    pub(super) fn whole(self, what: Whole) -> &'a AtomicU64 {
        self.cell(what as usize)
    }

    pub(super) fn of_app(self, app: usize, what: OfApp) -> &'a AtomicU64 {
        self.cell(WHOLE + app * OF_APP + what as usize)
    }

    pub(super) fn on_node(self, app: usize, node: usize, what: OnNode) -> &'a AtomicU64 {
        self.cell(self.extent.nodes_at() + (app * self.extent.nodes + node) * ON_NODE + what as usize)
    }

    pub(super) fn of_channel(self, channel: usize, what: OfChannel) -> &'a AtomicU64 {
        self.cell(self.extent.channels_at() + channel * OF_CHANNEL + what as usize)
    }

    pub(super) fn of_call(self, call: usize, what: OfCall) -> &'a AtomicU64 {
        self.cell(self.extent.calls_at() + call * OF_CALL + what as usize)
    }

    /// Wakes all waiting processes after a change.
    pub(super) fn tell(self) {
        self.board.changed.fetch_add(1, SeqCst);
        shared::wake_all(&self.board.changed);
    }

    /// Aborts the run for all processes.
    pub(super) fn abort(self) {
        self.whole(Whole::Abort).store(1, SeqCst);
        self.tell();
    }

    /// Whether the run is aborted.
    pub(super) fn aborted(self) -> bool {
        self.whole(Whole::Abort).load(SeqCst) != 0 || self.is_over(now_ns())
    }

    /// The end of the run, by `now_ns`, once it is known.
    pub(super) fn end_ns(self) -> Option<u64> {
        Some(self.whole(Whole::End).load(SeqCst)).filter(|&end| end != 0)
    }

    /// Whether events at `at_ns` no longer count.
    pub(super) fn is_over(self, at_ns: u64) -> bool {
        self.end_ns().is_some_and(|end| at_ns > end)
    }

    /// Ends the run at `at_ns`, unless it ended earlier.
    pub(super) fn end_at(self, at_ns: u64) {
        let at_ns = self.end_ns().map_or(at_ns, |end| end.min(at_ns));
        self.whole(Whole::End).store(at_ns, SeqCst);
    }

    /// Waits until `now`, which is called after each change, returns a value; `None` if the run is aborted.
    pub(super) fn wait_for<T>(self, mut now: impl FnMut() -> Option<T>) -> Option<T> {
        /// A change cannot be missed; this is for systems that lose a process in the middle of one.
        const LOOK_AGAIN: Duration = Duration::from_millis(200);
        loop {
            let seen = self.board.changed.load(SeqCst);
            if self.aborted() {
                return None;
            }
            if let Some(found) = now() {
                return Some(found);
            }
            shared::wait(&self.board.changed, seen, LOOK_AGAIN);
        }
    }

    /// The common start by `now_ns`, once it is known.
    pub(super) fn start_ns(self) -> Option<u64> {
        Some(self.whole(Whole::Start).load(SeqCst)).filter(|&start| start != 0)
    }
}

/// The state of all applications and channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Time since the common start; the end, when the run is over.
    pub at: Duration,
    /// In file order.
    pub apps: Vec<AppLook>,
    /// In file order.
    pub channels: Vec<ChannelLook>,
}

/// One application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AppLook {
    /// Its arrival, after the start.
    pub arrived: Option<Duration>,
    /// Its completion, after the start.
    pub finished: Option<Duration>,
    /// Iterations done.
    pub iterations: u64,
    /// Time without a running iteration, for lack of an item, of room, of a call.
    pub waited: [Duration; 3],
    /// By node.
    pub nodes: Vec<NodeLook>,
    /// The location of its data at its end; `None` before, and if the system does not report it.
    pub pages: Option<DataPages>,
}

/// The small pages of the data of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataPages {
    /// By node of the memory.
    pub on_node: Vec<u64>,
    /// Pages that are not where they had to be.
    pub misplaced: u64,
}

/// Its threads on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeLook {
    /// In a task, asleep or not.
    pub running: u64,
    /// Blocked.
    pub blocked: u64,
    /// FLOP done since the start.
    pub flop: u64,
    /// Bytes moved since the start, by the rule of `Access`.
    pub bytes: u64,
    /// CPU time of tasks since the start.
    pub busy: Duration,
}

/// One channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChannelLook {
    /// Items produced.
    pub produced: u64,
    /// Items finished.
    pub finished: u64,
    /// The largest number that were produced and not finished; at most one too many, if an item was finished while another was produced.
    pub most: u64,
    /// Total time of all items in the channel until now, in seconds.
    pub item_seconds: f64,
}

/// Reads the current state.
pub(super) fn look(board: &Board, extent: Extent) -> Look {
    let counts = Counts { board, extent };
    let start = counts.start_ns().unwrap_or_else(now_ns);
    let after_start = |ns: u64| {
        let counts = ns != 0 && !counts.is_over(ns);
        counts.then(|| Duration::from_nanos(ns.saturating_sub(start)))
    };
    let now = counts.end_ns().map_or_else(now_ns, |end| end.min(now_ns()));
    let at = Duration::from_nanos(now.saturating_sub(start));
    let app = |app: usize| {
        let of = |what| counts.of_app(app, what).load(SeqCst);
        let node = |node: usize| {
            let of = |what| counts.on_node(app, node, what).load(SeqCst);
            NodeLook {
                running: of(OnNode::Running),
                blocked: of(OnNode::Blocked),
                flop: of(OnNode::Flop),
                bytes: of(OnNode::Bytes),
                busy: Duration::from_nanos(of(OnNode::Busy)),
            }
        };
        AppLook {
            arrived: after_start(of(OfApp::Arrived)),
            finished: after_start(of(OfApp::Finished)),
            iterations: of(OfApp::Iterations),
            waited: [OfApp::WaitedInput, OfApp::WaitedOutput, OfApp::WaitedCall]
                .map(|what| Duration::from_nanos(of(what))),
            nodes: (0..extent.nodes).map(node).collect(),
            pages: (of(OfApp::PagesKnown) != 0).then(|| DataPages {
                on_node: (0..extent.nodes)
                    .map(|node| counts.on_node(app, node, OnNode::Pages).load(SeqCst))
                    .collect(),
                misplaced: of(OfApp::Misplaced),
            }),
        }
    };
    let channel = |channel: usize| {
        let of = |what| counts.of_channel(channel, what).load(SeqCst);
        let (finished, finished_at) = (of(OfChannel::Finished), of(OfChannel::FinishedAt));
        let (produced, produced_at) = (of(OfChannel::Produced), of(OfChannel::ProducedAt));
        let there = produced.saturating_sub(finished);
        // Each item exists from its production to its completion, or until now.
        let seconds = (finished_at as f64 - produced_at as f64) / 1e6 + there as f64 * at.as_secs_f64();
        ChannelLook { produced, finished, most: of(OfChannel::Most), item_seconds: seconds.max(0.0) }
    };
    Look {
        at,
        apps: (0..extent.apps).map(app).collect(),
        channels: (0..extent.channels).map(channel).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use numasim_host::os::shared::Shared;

    use super::*;

    #[test]
    fn every_count_has_a_separate_cell() {
        let board = Shared::<Board>::new().expect("memory");
        let extent = Extent { apps: 3, nodes: 2, channels: 2, calls: 2 };
        assert!(extent.fits());
        let counts = Counts { board: &board, extent };
        let mut cells: Vec<*const AtomicU64> = [Whole::Start, Whole::Abort, Whole::End]
            .map(|what| std::ptr::from_ref(counts.whole(what)))
            .into();
        for app in 0..3 {
            for what in [
                OfApp::Ready,
                OfApp::Arrived,
                OfApp::Finished,
                OfApp::Iterations,
                OfApp::WaitedInput,
                OfApp::WaitedOutput,
                OfApp::WaitedCall,
                OfApp::PagesKnown,
                OfApp::Misplaced,
            ] {
                cells.push(counts.of_app(app, what));
            }
            for node in 0..2 {
                for what in [
                    OnNode::Running,
                    OnNode::Blocked,
                    OnNode::Flop,
                    OnNode::Bytes,
                    OnNode::Busy,
                    OnNode::Pages,
                ] {
                    cells.push(counts.on_node(app, node, what));
                }
            }
        }
        for one in 0..2 {
            for what in [
                OfChannel::Produced,
                OfChannel::Finished,
                OfChannel::Most,
                OfChannel::ProducedAt,
                OfChannel::FinishedAt,
            ] {
                cells.push(counts.of_channel(one, what));
            }
            for what in [OfCall::Asked, OfCall::Done, OfCall::AskedAt] {
                cells.push(counts.of_call(one, what));
            }
        }
        let different: HashSet<_> = cells.iter().collect();
        assert_eq!(different.len(), cells.len());
    }

    #[test]
    fn an_extent_that_does_not_fit_is_detected() {
        assert!(Extent { apps: 1000, nodes: 16, channels: 1000, calls: 1000 }.fits());
        assert!(!Extent { apps: 10_000, nodes: 1024, channels: 0, calls: 0 }.fits());
        assert!(!Extent { apps: usize::MAX, nodes: usize::MAX, channels: 1, calls: 1 }.fits());
    }

    #[test]
    fn events_after_the_end_do_not_count_and_end_every_wait() {
        let board = Shared::<Board>::new().expect("memory");
        let counts = Counts { board: &board, extent: Extent { apps: 1, nodes: 1, channels: 0, calls: 0 } };
        assert!(!counts.is_over(u64::MAX) && !counts.aborted());
        let end = now_ns() - 2;
        counts.end_at(end);
        assert!(!counts.is_over(end) && counts.is_over(end + 1) && counts.aborted());
        assert_eq!(counts.wait_for(|| None::<()>), None);
        counts.end_at(end + 1);
        assert_eq!(counts.end_ns(), Some(end), "never later");
        counts.end_at(end - 1);
        assert_eq!(counts.end_ns(), Some(end - 1));
    }

    #[test]
    fn an_end_ends_every_wait() {
        let board = Shared::<Board>::new().expect("memory");
        let counts = Counts { board: &board, extent: Extent { apps: 1, nodes: 1, channels: 0, calls: 0 } };
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| counts.wait_for(|| None::<()>));
            counts.abort();
            assert_eq!(waiting.join().expect("no panic"), None);
        });
    }
}

#[cfg(test)]
mod look_tests {
    use numasim_host::os::shared::Shared;

    use super::super::board::Whole;
    use super::*;

    #[test]
    fn a_look_after_the_end_shows_the_state_at_the_end() {
        let board = Shared::<Board>::new().expect("memory");
        let extent = Extent { apps: 3, nodes: 1, channels: 0, calls: 0 };
        let counts = Counts { board: &board, extent };
        let end = now_ns();
        counts.whole(Whole::Start).store(end - 1000, SeqCst);
        counts.end_at(end);
        for (app, finished) in [(0, end - 1), (1, end), (2, end + 1)] {
            counts.of_app(app, OfApp::Arrived).store(end - 500, SeqCst);
            counts.of_app(app, OfApp::Finished).store(finished, SeqCst);
        }
        let ns = |ns| Some(Duration::from_nanos(ns));
        for _ in 0..2 {
            let look = look(&board, extent);
            assert_eq!(Some(look.at), ns(1000));
            let finished: Vec<_> = look.apps.iter().map(|app| app.finished).collect();
            // Events at the end still count.
            assert_eq!(finished, [ns(999), ns(1000), None]);
            assert!(look.apps.iter().all(|app| app.arrived == ns(500)));
        }
    }
}
