//! Applications over simulated time, thread by thread: slow, obvious, and the measure of any faster simulation.
//!
//! The rules are those of the crate's text. [`simulate`] answers the same [`Question`] with the same [`Run`], and is written so that it can be
//! compared with those rules line by line: every thread has a record of its own (`records`), every instant goes through its
//! four steps for everybody (`course`: 1 and 4, `orders`: 2 and 3), and from one instant to the next all that could happen is
//! looked through. There is no queue, nothing is kept from one instant for another, and nobody is skipped because nothing changed.
//!
//! It shares no arithmetic of time with the fast one: cores of a node are shared by bisection on the level of their threads
//! (`speeds`), bandwidth by a new [`numasim_model::sharing::Solver`] at every instant, in which every group of threads is an application of its own.
//! What remains common is what is part of the question: the types, the random factors of the tasks, and the policy with
//! `numasim_policy::orders`.
//!
//! An instant costs O(threads^2 x cores) and more; it is there for tests.

mod count;
mod course;
mod orders;
mod records;
mod speeds;

use numasim_model::AppId;
use numasim_model::units::Seconds;

use crate::error::{Deadlock, MOST_FRUITLESS, SimulateError, Stuck, WaitsFor};
use crate::question::Question;
use crate::result::{Ending, Run};
use crate::spread::Spread;
use course::Applications;
use orders::Orders;
use records::{Application, INSTANT_S, Items, Left, Stage};

/// Answers a question, slowly.
///
/// # Errors
/// As [`crate::simulate`].
pub fn simulate(question: Question) -> Result<Run, SimulateError> {
    let study = question.study;
    let machine = &study.machine;
    if let Some(refusal) = machine.sharing_refusal() {
        return Err(refusal.into());
    }
    question.check_period()?;
    let placements = question.placements()?;
    let until_s = question.until.map(numasim_engine::SimTime::seconds);
    let dynamics = &study.dynamics;
    let mut orders = Orders::new(study, question.controller);
    let mut all = Vec::new();
    for (app, (course, placements)) in dynamics.courses.iter().zip(placements).enumerate() {
        let spread = Spread::new(course, question.seed, app);
        let phases = course.phases.iter().zip(placements);
        let demands = phases.map(|(phase, placement)| phase.demand(&study.apps[app], placement)).collect();
        let mut application = Application::new(machine, course, demands, spread);
        application.is_called = dynamics.calls.iter().any(|call| call.to == AppId(app));
        orders.hold(&mut application);
        all.push(application);
    }
    let channels = dynamics.channels.iter().map(|channel| Items { channel, most: 0, sum: 0.0 }).collect();
    let mut applications = Applications { all, channels, calls: &dynamics.calls, events: 0 };

    let mut now_s = 0.0;
    let mut quiet_ticks = 0;
    let mut fruitless = 0;
    let mut instant = 0;
    loop {
        instant += 1;
        let asked = orders.is_asked(now_s);
        let before = (applications.events, orders.given, orders.effects);
        loop {
            applications.go_on(now_s, instant);
            if asked {
                orders.ask(machine, &applications, now_s)?;
            }
            orders.take_effect(&mut applications.all, now_s);
            if !applications.take_tasks() {
                break;
            }
        }
        for channel in 0..applications.channels.len() {
            let items = applications.items(channel);
            let most = &mut applications.channels[channel].most;
            *most = items.max(*most);
        }
        if applications.all.iter().all(|application| application.finished_s.is_some()) {
            return Ok(count::run(&applications, &orders, Ending::Finished, now_s));
        }
        speeds::set(machine, &dynamics.os, &mut applications.all);
        let own = next_end_s(&applications).map(|delay_s| now_s + delay_s);
        let arrival = next_arrival_s(&applications);
        let is_fruitless = before.0 == applications.events && own.is_none() && arrival.is_none();
        let has_ordered = asked && before.1 != orders.given;
        fruitless = if is_fruitless { fruitless + u32::from(has_ordered) } else { 0 };
        if fruitless >= MOST_FRUITLESS {
            return Err(SimulateError::Deadlock(deadlock(&applications, now_s)));
        }
        let next = own.into_iter().chain(orders.next_s()).chain(arrival);
        let mut next_s = next.min_by(f64::total_cmp);
        if next_s.is_some() {
            quiet_ticks = 0;
        } else if let Some(tick_s) = orders.tick_s() {
            // Nothing else is to come. A tick may bring an order; one that was asked about all this and changed nothing does not.
            if asked && before == (applications.events, orders.given, orders.effects) {
                quiet_ticks += 1;
            }
            if quiet_ticks == 0 {
                next_s = Some(tick_s);
            }
        }
        let Some(next_s) = next_s else {
            return Err(SimulateError::Deadlock(deadlock(&applications, now_s)));
        };
        let next_s = orders.tick_s().map_or(next_s, |tick_s| next_s.min(tick_s));
        if let Some(until_s) = until_s.filter(|until_s| next_s - until_s > INSTANT_S) {
            count::pass(&mut applications, (until_s - now_s).max(0.0));
            return Ok(count::run(&applications, &orders, Ending::Until, until_s.max(now_s)));
        }
        // The end of work is counted from now, so that it does not lose digits to a large time.
        let passed_s = match next_end_s(&applications) {
            Some(delay_s) if now_s + delay_s <= next_s => delay_s,
            _ => next_s - now_s,
        };
        count::pass(&mut applications, passed_s);
        now_s = next_s;
    }
}

/// Seconds until the first end of a task, a sleep or a pool.
fn next_end_s(applications: &Applications) -> Option<f64> {
    let mut first: Option<f64> = None;
    let mut note = |rest: f64, speed: f64| {
        if speed > 0.0 {
            let seconds = rest / speed;
            first = Some(first.map_or(seconds, |first| first.min(seconds)));
        }
    };
    for application in &applications.all {
        for task in
            application.threads.iter().filter_map(|thread| Some((thread.task.as_ref()?, thread.speed)))
        {
            match task.0.sleep_s {
                Some(sleep_s) => note(sleep_s, 1.0),
                None => note(task.0.rest, task.1),
            }
        }
        if let Stage::Phase(_, Left::Pool { rest, .. }) = application.stage {
            note(rest, application.threads.iter().map(|thread| thread.speed).sum());
        }
    }
    first
}

fn next_arrival_s(applications: &Applications) -> Option<f64> {
    let ahead = applications.all.iter().filter(|application| application.arrived_s.is_none());
    ahead.map(|application| application.course.arrives.value()).min_by(f64::total_cmp)
}

/// Who waits for whom, where nobody can go on.
fn deadlock(applications: &Applications, now_s: f64) -> Deadlock {
    let mut stuck = Vec::new();
    for (app, application) in applications.all.iter().enumerate() {
        if application.finished_s.is_some() {
            continue;
        }
        let waits_for = match application.stage {
            Stage::Calls(call) => WaitsFor::Return(applications.calls[call].to),
            Stage::Phase(..) if application.threads.iter().any(|thread| application.is_at_work(thread)) => {
                WaitsFor::Speed
            }
            Stage::Phase(..) => WaitsFor::Threads,
            Stage::Between => match applications.wants(app) {
                Some((numasim_policy::Waiting::Input, Some(c))) => {
                    WaitsFor::Input(applications.channels[c].channel.from)
                }
                Some((numasim_policy::Waiting::Output, Some(c))) => {
                    WaitsFor::Output(applications.channels[c].channel.to)
                }
                _ => WaitsFor::Call,
            },
        };
        stuck.push(Stuck { app: AppId(app), iteration: application.iterations + 1, waits_for });
    }
    Deadlock { time: Seconds::new(now_s), stuck }
}
