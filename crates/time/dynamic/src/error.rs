//! Why there is no result.

use numasim_engine::SAME_INSTANT_S;
use numasim_model::dynamics::Control;
use numasim_model::units::Seconds;
use numasim_model::{AppId, Refusal};
use numasim_policy::PolicyError;

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
    #[error("the home of the data of application {} is open", .app.0)]
    OpenHome {
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
    #[error("an order of kind {}, where it follows {}", .given.as_str(), .follows.as_str())]
    Kind {
        /// Of the order.
        given: Control,
        /// Of the application.
        follows: Control,
    },
    /// More threads than there are.
    #[error("{ordered} threads, where it has {there}")]
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
