//! Time that passes, and what is counted of it.

use numasim_model::units::{Gflop, Seconds};
use numasim_policy::Waiting;

use super::course::Applications;
use super::orders::Orders;
use super::records::{Application, Left, Stage};
use crate::result::{AppRun, ChannelRun, Ending, Reaction, Run};

/// Time passes, and nothing happens.
pub(super) fn pass(applications: &mut Applications, seconds: f64) {
    for channel in 0..applications.channels.len() {
        let items = applications.items(channel) as f64;
        applications.channels[channel].sum += items * seconds;
    }
    for app in 0..applications.all.len() {
        let waits = applications.waits_for(app);
        let application = &mut applications.all[app];
        count(application, waits, seconds);
        let mut done = 0.0;
        for thread in &mut application.threads {
            match &mut thread.task {
                Some(task) => match &mut task.sleep_s {
                    Some(sleep_s) => *sleep_s -= seconds,
                    None => task.rest -= thread.speed * seconds,
                },
                None => done += thread.speed * seconds,
            }
        }
        if let Stage::Phase(_, Left::Pool { rest, .. }) = &mut application.stage {
            *rest -= done;
        }
    }
}

fn count(application: &mut Application, waits: Option<Waiting>, seconds: f64) {
    if !application.is_there() {
        return;
    }
    let count = |belongs: &dyn Fn(&super::records::Thread) -> bool| {
        application.threads.iter().filter(|thread| belongs(thread)).count() as f64 * seconds
    };
    let computing = count(&|thread| application.computes(thread));
    let shared = count(&|thread| application.computes(thread) && thread.part < 1.0 - 1e-9);
    let idle = count(&|thread| !thread.is_blocked && !application.is_at_work(thread));
    let blocked = count(&|thread| thread.is_blocked);
    let sums = &mut application.sums;
    sums.computing += computing;
    sums.shared += shared;
    sums.idle += idle;
    sums.blocked += blocked;
    match waits {
        Some(Waiting::Input) => sums.waited_input += seconds,
        Some(Waiting::Output) => sums.waited_output += seconds,
        Some(Waiting::Call) => sums.waited_call += seconds,
        None => {}
    }
}

/// All that was counted.
pub(super) fn run(applications: &Applications, orders: &Orders, ending: Ending, now_s: f64) -> Run {
    let app_run = |application: &Application| {
        let there_s = application.arrived_s.map_or(0.0, |at| application.finished_s.unwrap_or(now_s) - at);
        let sums = &application.sums;
        AppRun {
            arrived: application.arrived_s.map(Seconds::new),
            finished: application.finished_s.map(Seconds::new),
            iterations: application.iterations,
            work: Gflop::new(application.work()),
            mean_threads: if there_s > 0.0 { sums.computing / there_s } else { 0.0 },
            waited_input: Seconds::new(sums.waited_input),
            waited_output: Seconds::new(sums.waited_output),
            waited_call: Seconds::new(sums.waited_call),
            idle: Seconds::new(sums.idle),
            blocked: Seconds::new(sums.blocked),
            shared: Seconds::new(sums.shared),
        }
    };
    let apps: Vec<AppRun> = applications.all.iter().map(app_run).collect();
    let finished: Option<Vec<f64>> =
        applications.all.iter().map(|application| application.finished_s).collect();
    let channels = applications.channels.iter().map(|items| ChannelRun {
        from: items.channel.from,
        to: items.channel.to,
        max_items: items.most,
        mean_items: if now_s > 0.0 { items.sum / now_s } else { 0.0 },
    });
    let reactions = &orders.reactions;
    let count = reactions.len() as u64;
    let mean = if count > 0 { reactions.iter().sum::<f64>() / count as f64 } else { 0.0 };
    Run {
        ending,
        time: Seconds::new(now_s),
        makespan: finished.and_then(|all| all.into_iter().max_by(f64::total_cmp)).map(Seconds::new),
        events: applications.events + orders.ticks + orders.effects,
        apps,
        channels: channels.collect(),
        commands: orders.given,
        core_moves: orders.core_moves,
        reaction: Reaction {
            count,
            mean: Seconds::new(mean),
            max: Seconds::new(reactions.iter().copied().fold(0.0, f64::max)),
        },
    }
}
