//! What came out of simulations: pure functions from runs to a table, JSON and CSV.

mod csv;
mod json;
mod table;

use numasim_dynamic::{AppRun, ClusterRun, Ending, Run};
use numasim_model::Study;
use numasim_model::dynamics::Channel;

use super::figures;

pub(crate) use csv::csv;
pub(crate) use json::json;
pub(crate) use table::table;

/// One simulation with what it was asked.
#[derive(Clone)]
pub(crate) struct Simulated {
    /// As `--policy` takes it.
    pub(crate) policy: String,
    /// Of the work of tasks.
    pub(crate) seed: u64,
    /// What came out.
    pub(crate) run: Run,
    /// No policy can have a shorter makespan than this, in seconds; `None` where none is known.
    pub(crate) lower_bound_s: Option<f64>,
    /// What takes so long: the rest of a sentence.
    pub(crate) bound_by: Option<String>,
    /// The cluster, where the files have one.
    pub(crate) cluster: Option<ClusterRun>,
}

impl Simulated {
    /// When the last application was finished, in seconds.
    fn makespan_s(&self) -> Option<f64> {
        self.run.makespan.map(numasim_model::units::Seconds::value)
    }

    /// What came of it, for a picture.
    pub(crate) fn outcome(&self) -> String {
        let end = figures::rounded(self.run.time.value());
        match self.makespan_s() {
            Some(makespan) => format!("makespan {} s", figures::single(makespan)),
            None if self.is_partial() => format!("interrupted after {end} s"),
            None => format!("not finished after {end} s"),
        }
    }

    /// Whether somebody ended it before its time.
    pub(crate) fn is_partial(&self) -> bool {
        self.run.ending == Ending::Stopped
    }

    /// How far the makespan is above the lower bound, as a fraction of it.
    fn above_bound(&self) -> Option<f64> {
        let (makespan, bound) = self.makespan_s().zip(self.lower_bound_s)?;
        (bound > 0.0).then(|| makespan / bound - 1.0)
    }

    /// The most that lies in the channels, each at its fullest, in MB.
    fn most_stored_mb(&self, study: &Study) -> f64 {
        let channels = self.run.channels.iter().zip(&study.dynamics.channels);
        channels.map(|(run, channel)| mb(channel, run.max_items as f64)).sum()
    }
}

/// Items of a channel in MB.
fn mb(channel: &Channel, items: f64) -> f64 {
    channel.item.value() * items
}

/// GFLOPS on average from its arrival to its end; 0 where it did not arrive.
fn mean_gflops(app: &AppRun, run: &Run) -> f64 {
    let end = app.finished.unwrap_or(run.time);
    let Some(arrived) = app.arrived else { return 0.0 };
    let seconds = end.value() - arrived.value();
    if seconds > 0.0 { app.work.value() / seconds } else { 0.0 }
}
