//! What a simulation finds.

use numasim_model::AppId;
use numasim_model::units::{Gflop, Seconds};

/// Why a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every application is finished.
    Finished,
    /// The time that was asked for is over.
    Until,
    /// Somebody stopped it.
    Stopped,
}

/// One simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Why it ended.
    pub ending: Ending,
    /// When it ended.
    pub time: Seconds,
    /// When the last application was finished; `None` where one is not.
    pub makespan: Option<Seconds>,
    /// Ends of tasks, sleeps and divisible phases, arrivals, commands that took effect, and decisions at their time.
    pub events: u64,
    /// Every application instance, in file order.
    pub apps: Vec<AppRun>,
    /// Every channel, in file order.
    pub channels: Vec<ChannelRun>,
    /// Orders that were given.
    pub commands: u64,
    /// Threads that orders unblocked.
    pub core_moves: u64,
    /// From orders to their effect.
    pub reaction: Reaction,
}

impl Run {
    /// The work that was done by all.
    pub fn work(&self) -> Gflop {
        self.apps.iter().map(|app| app.work).sum()
    }
}

/// What became of an application.
#[derive(Clone, Debug, PartialEq)]
pub struct AppRun {
    /// When it arrived; `None` if it did not.
    pub arrived: Option<Seconds>,
    /// When it was finished; `None` if it was not.
    pub finished: Option<Seconds>,
    /// Iterations done.
    pub iterations: u64,
    /// Work done, parts of tasks included.
    pub work: Gflop,
    /// Threads that computed, on average from its arrival to its end; 0 where it did not arrive.
    pub mean_threads: f64,
    /// Time without an iteration under way, for want of an item.
    pub waited_input: Seconds,
    /// Time without an iteration under way, for want of room in a channel.
    pub waited_output: Seconds,
    /// Time without an iteration under way, for want of a call, and time in calls of its own until they return.
    pub waited_call: Seconds,
    /// Thread-seconds of threads that might run and had nothing to do.
    pub idle: Seconds,
    /// Thread-seconds of blocked threads.
    pub blocked: Seconds,
    /// Thread-seconds of threads that shared their cores.
    pub shared: Seconds,
}

/// What became of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelRun {
    /// The producer.
    pub from: AppId,
    /// The consumer.
    pub to: AppId,
    /// The largest number of items produced and not finished at the end of an instant.
    pub max_items: u64,
    /// The same on average over the whole time.
    pub mean_items: f64,
}

/// From giving an order to the instant when no thread too many may run. An order that another one replaced before does
/// not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// How many orders count.
    pub count: u64,
    /// On average; 0 where none counts.
    pub mean: Seconds,
    /// The longest.
    pub max: Seconds,
}
