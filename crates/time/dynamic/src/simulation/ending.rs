//! What is left at the end: the result, or who waits for whom.

use numasim_engine::SimTime;
use numasim_model::AppId;
use numasim_model::units::{Gflop, Seconds};
use numasim_policy::Waiting;

use super::Simulation;
use crate::error::{Deadlock, SimulateError, Stuck, WaitsFor};
use crate::progress::Stage;
use crate::result::{AppRun, ChannelRun, Ending, Run};

fn seconds(time: SimTime) -> Seconds {
    Seconds::new(time.seconds())
}

impl Simulation<'_, '_, '_, '_> {
    pub(super) fn result(&self, ending: Ending) -> Run {
        let now = self.now();
        let apps: Vec<AppRun> = (0..self.threads.len()).map(|app| self.app_run(app, now)).collect();
        let mut finished = apps.iter().map(|app| app.finished.map(Seconds::value));
        let makespan = finished.try_fold(0.0_f64, |last, finished| Some(last.max(finished?)));
        let channels = self.dynamics.channels.iter().zip(&self.channels);
        Run {
            ending,
            time: seconds(now),
            makespan: makespan.map(Seconds::new),
            events: self.all_events(),
            apps,
            channels: channels
                .map(|(channel, tally)| ChannelRun {
                    from: channel.from,
                    to: channel.to,
                    max_items: tally.max_items,
                    mean_items: tally.mean_items(now),
                })
                .collect(),
            commands: self.commands.given,
            core_moves: self.commands.moves,
            reaction: self.commands.reaction(),
        }
    }

    fn app_run(&self, app: usize, now: SimTime) -> AppRun {
        let tally = &self.tallies[app];
        AppRun {
            arrived: tally.arrived.map(seconds),
            finished: tally.finished.map(seconds),
            iterations: self.progress.done(app),
            work: Gflop::new(self.work[app].done_gflop(now)),
            mean_threads: tally.mean_threads(now),
            waited_input: tally.waited(Waiting::Input, now),
            waited_output: tally.waited(Waiting::Output, now),
            waited_call: tally.waited(Waiting::Call, now),
            idle: tally.idle(now),
            blocked: tally.blocked(now),
            shared: tally.shared(now),
        }
    }

    pub(super) fn deadlock(&self) -> SimulateError {
        let unfinished = (0..self.threads.len()).filter(|&app| self.progress.stage(app) != Stage::Finished);
        let stuck = unfinished.map(|app| Stuck {
            app: AppId(app),
            iteration: self.progress.done(app) + 1,
            waits_for: match self.progress.waits_for(app) {
                WaitsFor::Threads if self.rates.running(app) > 0 => WaitsFor::Speed,
                other => other,
            },
        });
        SimulateError::Deadlock(Deadlock { time: seconds(self.now()), stuck: stuck.collect() })
    }
}
