//! Who looks on: timelines, plots and traces are made from outside.

use numasim_model::AppId;
use numasim_model::dynamics::Order;
use numasim_model::units::Seconds;
use numasim_policy::View;

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
