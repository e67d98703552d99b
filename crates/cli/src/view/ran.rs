//! The result of a run on this host: pure functions from counts to a table, JSON and CSV, with the terms of simulations.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use numasim_ask::run::{Ended, HostApp, HostRun, Observed};
use numasim_ask::table::{self, grid};
use numasim_bench::live::{AppLook, Left, Look, NodeLook};
use numasim_course::Study;
use numasim_model::App;

use super::{Style, figures, machine_title};

/// A finished run.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// The policy, for people and as `--policy` accepts it.
    pub(crate) policy: String,
    pub(crate) end: End,
    /// The common start.
    pub(crate) started: SystemTime,
    /// The end of the run; stopping its processes comes later.
    pub(crate) ended: SystemTime,
    /// The final state.
    pub(crate) look: Look,
    /// Thread-seconds of each application without a task.
    pub(crate) idle_s: Vec<f64>,
    /// Thread-seconds of each application that commands prevented from running.
    pub(crate) blocked_s: Vec<f64>,
    /// Commands that the agent sent; `None` without a record of it.
    pub(crate) orders: Option<u64>,
    /// Start time of the agent, in seconds of the run: below 0. `None` without an agent.
    pub(crate) agent_started_s: Option<f64>,
    /// Processes that could not be stopped.
    pub(crate) left: Vec<Left>,
}

/// The reason why the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// All applications finished.
    Finished,
    /// The requested time was over.
    Until,
    /// The user stopped it.
    Interrupted,
    /// An application failed.
    Failed(String),
}

impl End {
    const fn in_document(&self) -> Ended {
        match self {
            Self::Finished => Ended::Finished,
            Self::Until => Ended::Until,
            Self::Interrupted => Ended::Interrupted,
            Self::Failed(_) => Ended::Failed,
        }
    }
}

impl Ran {
    /// Time at which the last application finished; `None` if one did not finish.
    fn makespan_s(&self) -> Option<f64> {
        let finished: Option<Vec<f64>> =
            self.look.apps.iter().map(|app| app.finished.map(|at| at.as_secs_f64())).collect();
        finished?.into_iter().reduce(f64::max)
    }

    /// The results of each application.
    fn apps(&self, study: &Study) -> Vec<HostApp> {
        let apps = self.look.apps.iter().zip(&study.apps).enumerate();
        apps.map(|(number, (look, app))| self.app(study, number, look, app)).collect()
    }

    fn app(&self, study: &Study, number: usize, look: &AppLook, app: &App) -> HostApp {
        // Removes the sign of a zero.
        let plain = |value: Option<f64>| value.map(|value| value + 0.0);
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        // The work of an external program is unknown.
        let own = study.dynamics.courses.get(number).is_some_and(|course| course.command.is_none());
        let (arrived_s, finished_s) = (seconds(look.arrived), seconds(look.finished));
        let there = finished_s.unwrap_or(self.look.at.as_secs_f64()) - arrived_s.unwrap_or(0.0);
        let sum = |of: fn(&NodeLook) -> f64| own.then(|| look.nodes.iter().map(of).sum::<f64>() + 0.0);
        let gflop = sum(|node| node.flop as f64 / 1e9);
        let busy = sum(|node| node.busy.as_secs_f64());
        let per_second = |value: Option<f64>| {
            value.filter(|_| there > 0.0 && arrived_s.is_some()).map(|value| value / there + 0.0)
        };
        let of_threads = |value: &[f64]| plain(value.get(number).copied().filter(|_| own));
        let [wait_input_s, wait_output_s, wait_call_s] = look.waited.map(|time| time.as_secs_f64());
        HostApp {
            name: app.name.clone(),
            arrived_s: plain(arrived_s),
            finished_s: plain(finished_s),
            iterations: own.then_some(look.iterations),
            gflop,
            gb: sum(|node| node.bytes as f64 / 1e9),
            pages: look.pages.as_ref().map(|pages| pages.on_node.clone()),
            misplaced_pages: look.pages.as_ref().map(|pages| pages.misplaced),
            mean_cores: per_second(busy),
            wait_input_s,
            wait_output_s,
            wait_call_s,
            mean_gflops: per_second(gflop),
            idle_s: of_threads(&self.idle_s),
            blocked_s: of_threads(&self.blocked_s),
        }
    }

    fn mean_items(&self, channel: &numasim_bench::live::ChannelLook) -> f64 {
        let time = self.makespan_s().unwrap_or(self.look.at.as_secs_f64());
        if time > 0.0 { channel.item_seconds / time } else { 0.0 }
    }
}

/// The document: the keys of a run of `simulate` that can be observed from outside, `gb`, and the placement of data pages.
pub(crate) fn document(study: &Study, ran: &Ran) -> HostRun {
    let plain = |value: Option<f64>| value.map(|value| value + 0.0);
    let why = match &ran.end {
        End::Failed(why) => Some(why.clone()),
        End::Finished | End::Until | End::Interrupted => None,
    };
    let observed = Observed {
        policy: ran.policy.clone(),
        ended: ran.end.in_document(),
        why,
        makespan_s: plain(ran.makespan_s()),
        time_s: ran.look.at.as_secs_f64(),
        apps: ran.apps(study),
        channels: ran.look.channels.iter().map(|look| (look.most, ran.mean_items(look))).collect(),
        orders: ran.orders,
        agent_started_s: plain(ran.agent_started_s),
    };
    HostRun::new(study, observed)
}

/// For people.
pub(crate) fn table(study: &Study, ran: &Ran, style: &Style) -> String {
    let mut text = format!("Machine: {}\nPolicy:  {}\n\n", machine_title(&study.machine), ran.policy);
    text += &grid(HostApp::columns().iter().chain(&HostApp::waits()), &ran.apps(study)).render(style);
    for (look, channel) in ran.look.channels.iter().zip(&study.dynamics.channels) {
        let name = |app: numasim_model::AppId| study.apps.get(app.0).map_or("", |app| app.name.as_str());
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "\n{} {} {}: at most {}, {} on average",
            name(channel.from),
            style.arrow(),
            name(channel.to),
            figures::count(look.most, "item"),
            figures::short(ran.mean_items(look))
        );
    }
    let end = match (&ran.end, ran.makespan_s()) {
        (End::Finished, Some(makespan)) => format!("Makespan: {} s", figures::single(makespan)),
        (End::Until, _) => {
            format!("Not finished at --until, {} s", figures::single(ran.look.at.as_secs_f64()))
        }
        (End::Interrupted, _) => {
            format!("Partial: ended after {} s", figures::single(ran.look.at.as_secs_f64()))
        }
        (End::Failed(why), _) => format!("Partial: {why}"),
        (End::Finished, None) => "Makespan: not known".to_owned(),
    };
    let _ = writeln!(text, "\n{end}");
    if let Some(orders) = ran.orders {
        let _ = writeln!(text, "Orders:   {orders}");
    }
    text
}

/// A row for each application.
pub(crate) fn csv(study: &Study, ran: &Ran) -> String {
    table::csv(&HostApp::columns(), ran.apps(study))
}
