//! What stands on the board at one moment, as plain values.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use numasim_host::os::clock::now_ns;

use super::board::{Board, Counts, Extent, OfApp, OfChannel, OnNode};

/// All applications and channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Since the common start; when the run is over, its end.
    pub at: Duration,
    /// In file order.
    pub apps: Vec<AppLook>,
    /// In file order.
    pub channels: Vec<ChannelLook>,
}

/// One application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AppLook {
    /// When it arrived, after the start.
    pub arrived: Option<Duration>,
    /// When it was finished, after the start.
    pub finished: Option<Duration>,
    /// Iterations done.
    pub iterations: u64,
    /// Without an iteration under way, for want of an item, of room, of a call.
    pub waited: [Duration; 3],
    /// By node.
    pub nodes: Vec<NodeLook>,
    /// Where its data was at its end; `None` before, and where the system does not tell.
    pub pages: Option<DataPages>,
}

/// The small pages of the data of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataPages {
    /// By node of the memory.
    pub on_node: Vec<u64>,
    /// Those that are not where they had to be.
    pub misplaced: u64,
}

/// Its threads on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeLook {
    /// In a task, asleep in it or not.
    pub running: u64,
    /// Kept from running.
    pub blocked: u64,
    /// FLOP done since the start.
    pub flop: u64,
    /// Bytes moved since the start, by the rule of `Access`.
    pub bytes: u64,
    /// Processor time of tasks since the start.
    pub busy: Duration,
}

/// One channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChannelLook {
    /// Items produced.
    pub produced: u64,
    /// Items finished.
    pub finished: u64,
    /// The most that were produced and not finished; at most one too many, where an item was finished while another was produced.
    pub most: u64,
    /// Seconds that all items together have been there, until now.
    pub item_seconds: f64,
}

/// Looks now.
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
        // Each item is there from when it was produced to when it was finished, or to now.
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
    use numasim_host::os::shared::Shared;

    use super::super::board::Whole;
    use super::*;

    #[test]
    fn a_look_after_the_end_is_one_at_the_end() {
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
            // What ends at the end still counts.
            assert_eq!(finished, [ns(999), ns(1000), None]);
            assert!(look.apps.iter().all(|app| app.arrived == ns(500)));
        }
    }
}
