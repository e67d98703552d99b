//! What a simulation is asked, what it finds, why there may be no result, and who looks on.

use numasim_course::Study;
use numasim_engine::{SAME_INSTANT_S, SimTime};
use numasim_model::order::{Control, Order};
use numasim_model::units::{Gflop, Seconds};
use numasim_model::{AppId, Data, OpenData, Placement, Refusal};
use numasim_policy::{Policy, PolicyError, View};

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

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulateError {
    /// No file says what there is to do.
    #[error("{} of the applications have no work", .apps.len())]
    NoWork {
        /// Which applications.
        apps: Vec<AppId>,
    },
    /// Nobody has decided where the data of an application lies.
    #[error("{}", .open.said_of(&format!("application {}", .app.0)))]
    OpenData {
        /// The first such application.
        app: AppId,
        /// What is open.
        open: OpenData,
    },
    /// Writes go to copies on all nodes with threads, which a simulation does not follow.
    #[error("application {} writes replicated data, which cannot be simulated", .app.0)]
    WritesCopies {
        /// The first such application.
        app: AppId,
    },
    /// The policy is to be asked more often than times are told apart.
    #[error("a period of {} s is shorter than 1 ns, and times that are nearer to each other are one instant", .period.value())]
    PeriodTooShort {
        /// `period_ms`, in seconds.
        period: Seconds,
    },
    /// The sharing model has no reading of something that the machine has.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The policy cannot decide.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The policy ordered what an application cannot do.
    #[error("the policy ordered application {} what it cannot do: {why}", .app.0)]
    Impossible {
        /// Which application.
        app: AppId,
        /// What was wrong.
        why: ImpossibleOrder,
    },
    /// Nobody can go on.
    #[error("a deadlock after {:.6} s", .0.time.value())]
    Deadlock(Deadlock),
}

/// What is wrong with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImpossibleOrder {
    /// It is of another kind.
    #[error("an order of kind {}, but it follows {}", .given.as_str(), .follows.as_str())]
    Kind {
        /// Of the order.
        given: Control,
        /// Of the application.
        follows: Control,
    },
    /// More threads than there are.
    #[error("{ordered} threads, but it has {there}")]
    Threads {
        /// In the order, on a node or in all.
        ordered: u32,
        /// Of the application there.
        there: u32,
    },
    /// A core that is not there, or the wrong number of nodes.
    #[error("cores or nodes that are not there")]
    Unknown,
}

/// A policy that is asked at its time is asked no more often than every so many seconds: what lies nearer is one instant.
const LEAST_PERIOD_S: f64 = SAME_INSTANT_S;

/// Whether a policy cannot be asked so often; 0 is at every instant.
pub fn is_too_short(period: Seconds) -> bool {
    // 1e-6 ms may be a little less than 1e-9 s.
    period.value() > 0.0 && period.value() < LEAST_PERIOD_S * (1.0 - 1e-9)
}

/// As many decisions in a row that order something, and between which nothing happens but their orders, while nobody can work and nothing else is to come, are
/// a deadlock, however often the policy changes its mind \[decision\].
pub const MOST_FRUITLESS: u32 = 1000;

/// Nobody can run, and nothing is to come, or nothing but [`MOST_FRUITLESS`] decisions of the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Deadlock {
    /// Since when.
    pub time: Seconds,
    /// Every application that is not finished, in file order.
    pub stuck: Vec<Stuck>,
}

/// An application in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Which one.
    pub app: AppId,
    /// Its iteration, from 1, that cannot begin or end.
    pub iteration: u64,
    /// What it waits for.
    pub waits_for: WaitsFor,
}

/// What an application waits for that will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// An item of this producer.
    Input(AppId),
    /// Room in the channel to this consumer.
    Output(AppId),
    /// A call.
    Call,
    /// The end of its call of this application.
    Return(AppId),
    /// A thread that is not blocked.
    Threads,
    /// Bandwidth or a core: its threads run at speed 0.
    Speed,
}

/// Looks on at a simulation. Every method may do nothing.
pub trait Observer {
    /// Whether [`Observer::instant`] wants to be called; it costs time.
    fn looks(&self) -> bool {
        false
    }

    /// An instant is over, and this holds until the next one.
    fn instant(&mut self, snapshot: &dyn Snapshot) {
        let _ = snapshot;
    }

    /// How far it is, at the beginning of every instant; called however it is with [`Observer::looks`], and must cost next to nothing.
    fn so_far(&mut self, so_far: SoFar) {
        let _ = so_far;
    }

    /// The policy was asked; `orders` are those that are sent, in file order. With a reason where the policy gives one.
    fn decision(&mut self, view: &View, orders: &[(AppId, Order, Option<String>)]) {
        let _ = (view, orders);
    }
}

/// How far a simulation is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SoFar {
    /// Simulated time since the beginning.
    pub time: Seconds,
    /// As [`Run::events`](crate::Run::events).
    pub events: u64,
}

/// Looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Two that look on at one simulation.
pub struct Both<'a>(pub &'a mut dyn Observer, pub &'a mut dyn Observer);

impl Observer for Both<'_> {
    fn looks(&self) -> bool {
        self.0.looks() || self.1.looks()
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        for one in [&mut *self.0, &mut *self.1] {
            if one.looks() {
                one.instant(snapshot);
            }
        }
    }

    fn so_far(&mut self, so_far: SoFar) {
        self.0.so_far(so_far);
        self.1.so_far(so_far);
    }

    fn decision(&mut self, view: &View, orders: &[(AppId, Order, Option<String>)]) {
        self.0.decision(view, orders);
        self.1.decision(view, orders);
    }
}

/// Threads of an application on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// In a task, asleep in it or not; with divisible work, at work.
    pub running: u32,
    /// Cores that they use.
    pub busy: f64,
    /// Neither in a task nor blocked.
    pub idle: u32,
    /// That may not run.
    pub blocked: u32,
}

/// How everything stands at the end of an instant.
pub trait Snapshot {
    /// Since the beginning.
    fn time(&self) -> Seconds;
    /// Whether an application is there.
    fn is_there(&self, app: AppId) -> bool;
    /// Its threads on a node.
    fn counts(&self, app: AppId, node: usize) -> Counts;
    /// GFLOPS of its threads on a node.
    fn gflops(&self, app: AppId, node: usize) -> f64;
    /// GB/s of its threads on a node.
    fn bandwidth_gbs(&self, app: AppId, node: usize) -> f64;
    /// Items that are produced and not finished in a channel.
    fn items(&self, channel: usize) -> u64;
    /// The channels out of an application.
    fn channels_out_of(&self, app: AppId) -> &[usize];
}

/// Who decides how many threads may run.
pub enum Controller<'a> {
    /// Nobody: every thread may run.
    Nobody,
    /// The `[[command]]` tables of the study; every thread may run until then.
    Script,
    /// A policy; applications that arrive are blocked until its first order.
    Policy(&'a mut dyn Policy),
}

/// What is simulated.
pub struct Question<'a> {
    /// Machine, applications and what they do.
    pub study: &'a Study,
    /// Who decides.
    pub controller: Controller<'a>,
    /// Data of each application in place of its own, such as that of a scenario; phases with data of their own keep it
    /// ([`Phase::data_with`](numasim_course::Phase::data_with)).
    pub data: Option<&'a [Data]>,
    /// Of the random draws: the work and the time of tasks, and the threads that wake.
    pub seed: u64,
    /// Ends the simulation; what ends at that instant still counts.
    pub until: Option<SimTime>,
}

impl Question<'_> {
    /// Refuses a policy that is asked more often than times are told apart.
    ///
    /// # Errors
    /// [`SimulateError::PeriodTooShort`].
    pub(crate) fn check_period(&self) -> Result<(), SimulateError> {
        let period = self.study.dynamics.policy.period;
        let is_asked = matches!(self.controller, Controller::Policy(_));
        if is_asked && is_too_short(period) {
            return Err(SimulateError::PeriodTooShort { period });
        }
        Ok(())
    }

    /// Where the data of each phase of each application lies.
    ///
    /// # Errors
    /// [`SimulateError`] if work is missing, the home of data is open, or copies of replicated data are written.
    pub(crate) fn placements(&self) -> Result<Vec<Vec<Placement>>, SimulateError> {
        let courses = &self.study.dynamics.courses;
        let without_work: Vec<AppId> = (0..self.study.apps.len())
            .filter(|&app| courses.get(app).is_none_or(|course| course.total_work().is_none()))
            .map(AppId)
            .collect();
        if !without_work.is_empty() {
            return Err(SimulateError::NoWork { apps: without_work });
        }
        let of = |(app, course): (usize, &numasim_course::Course)| {
            let other = self.data.and_then(|data| data.get(app));
            let placements = course.phases.iter().map(|phase| {
                let data = phase.data_with(other);
                if let Some(open) = data.open() {
                    return Err(SimulateError::OpenData { app: AppId(app), open });
                }
                let placement = data.placement_or_local();
                if self.study.apps[app].writes_copies(&placement) {
                    return Err(SimulateError::WritesCopies { app: AppId(app) });
                }
                Ok(placement)
            });
            placements.collect()
        };
        courses.iter().enumerate().map(of).collect()
    }
}
