//! Applications over simulated time, thread by thread: slow, obvious, and the measure of any faster simulation.
//!
//! The rules are those of the crate's text. [`simulate`] answers the same [`Question`] with the same [`Run`], and is written so that it can be
//! compared with those rules line by line: every thread has a record of its own (`records`), every instant goes through its
//! four steps for everybody (`course`: 1 and 4, `orders`: 2 and 3), and from one instant to the next all that could happen is
//! looked through. There is no queue, nothing is kept from one instant for another, and nobody is skipped because nothing changed.
//!
//! It shares no arithmetic of time with the fast one: cores of a node are shared by bisection on the level of their threads
//! (`speeds`), bandwidth by a new [`numasim_model::sharing::Solver`] at every instant, in which every group of threads is an application of its own.
//! What remains common is what is part of the question: the types, the random draws, and the policy with
//! `numasim_policy::orders`.
//!
//! An instant costs O(threads^2 x cores) and more; it is there for tests.

use numasim_course::{Call, Work};
use numasim_model::AppId;
use numasim_model::order::Waiting;
use numasim_model::units::{Gflop, Seconds};

use crate::reference::orders::Orders;
use crate::reference::records::{Application, Called, INSTANT_S, Items, Left, Stage, Task};
use crate::result::{
    AppRun, ChannelRun, Deadlock, Ending, MOST_FRUITLESS, Question, Reaction, Run, SimulateError, Stuck,
    WaitsFor,
};
use crate::spread::{Spread, Waking};

mod orders;
mod records;

/// Answers a question, slowly.
///
/// # Errors
/// As [`crate::simulate`].
pub fn simulate(question: Question) -> Result<Run, SimulateError> {
    let study = question.study;
    let machine = &study.machine.with_domains_dealt();
    if let Some(refusal) = study.machine.sharing_refusal() {
        return Err(refusal.into());
    }
    question.check_period()?;
    let placements = question.placements()?;
    let until_s = question.until.map(numasim_engine::SimTime::seconds);
    let dynamics = &study.dynamics;
    let mut orders = Orders::new(study, question.controller);
    let mut all = Vec::new();
    for (app, (course, placements)) in dynamics.courses.iter().zip(placements).enumerate() {
        let draws = (Spread::new(course, question.seed, app), Waking::new(course, question.seed, app));
        let phases = course.phases.iter().zip(placements);
        let demands = phases.map(|(phase, placement)| phase.demand(&study.apps[app], placement)).collect();
        let mut application = Application::new(machine, course, demands, draws);
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
            return Ok(run(&applications, &orders, Ending::Finished, now_s));
        }
        records::set(machine, &dynamics.os, &mut applications.all);
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
            pass(&mut applications, (until_s - now_s).max(0.0));
            return Ok(run(&applications, &orders, Ending::Until, until_s.max(now_s)));
        }
        // The end of work is counted from now, so that it does not lose digits to a large time.
        let passed_s = match next_end_s(&applications) {
            Some(delay_s) if now_s + delay_s <= next_s => delay_s,
            _ => next_s - now_s,
        };
        pass(&mut applications, passed_s);
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
                Some((Waiting::Input, Some(c))) => WaitsFor::Input(applications.channels[c].channel.from),
                Some((Waiting::Output, Some(c))) => WaitsFor::Output(applications.channels[c].channel.to),
                _ => WaitsFor::Call,
            },
        };
        stuck.push(Stuck { app: AppId(app), iteration: application.iterations + 1, waits_for });
    }
    Deadlock { time: Seconds::new(now_s), stuck }
}

/// Everybody, and how they depend on each other.
struct Applications<'a> {
    all: Vec<Application<'a>>,
    channels: Vec<Items<'a>>,
    calls: &'a [Call],
    /// Ends and arrivals so far.
    events: u64,
}

impl Applications<'_> {
    /// Items produced and not finished.
    fn items(&self, channel: usize) -> u64 {
        let ends = &self.channels[channel].channel;
        self.all[ends.from.0].iterations.saturating_sub(self.all[ends.to.0].iterations)
    }

    /// What an application that could begin its next iteration otherwise waits for, and the channel where it is one.
    fn wants(&self, app: usize) -> Option<(Waiting, Option<usize>)> {
        let application = &self.all[app];
        if application.is_called && application.calls.is_empty() {
            return Some((Waiting::Call, None));
        }
        let input = (0..self.channels.len()).find(|&c| {
            let channel = self.channels[c].channel;
            channel.to == AppId(app) && self.all[channel.from.0].iterations <= application.iterations
        });
        if input.is_some() {
            return Some((Waiting::Input, input));
        }
        let output = (0..self.channels.len()).find(|&c| {
            let channel = self.channels[c].channel;
            channel.from == AppId(app) && channel.capacity.is_some_and(|capacity| self.items(c) >= capacity)
        });
        output.map(|channel| (Waiting::Output, Some(channel)))
    }

    /// What an application that is there and has no iteration under way, or is in a call, waits for.
    fn waits_for(&self, app: usize) -> Waiting {
        let application = &self.all[app];
        match application.stage {
            _ if !application.is_there() => Waiting::None,
            Stage::Between => self.wants(app).map_or(Waiting::None, |(waiting, _)| waiting),
            Stage::Calls(_) => Waiting::Call,
            Stage::Phase(..) => Waiting::None,
        }
    }

    /// Step 1.
    fn go_on(&mut self, now_s: f64, instant: u64) {
        loop {
            let mut changed = self.end_all(now_s, instant);
            for application in &mut self.all {
                let arrives_s = application.course.arrives.value();
                if application.arrived_s.is_none() && arrives_s - now_s <= INSTANT_S {
                    application.arrived_s = Some(now_s);
                    self.events += 1;
                    changed = true;
                }
            }
            for app in 0..self.all.len() {
                changed |= self.begin(app);
            }
            if !changed {
                return;
            }
        }
    }

    /// Ends all that ends; whether that was anything.
    fn end_all(&mut self, now_s: f64, instant: u64) -> bool {
        let mut changed = false;
        loop {
            let mut ended = false;
            for app in 0..self.all.len() {
                ended |= self.end_work(app);
                ended |= self.end_phases(app, now_s, instant);
            }
            if !ended {
                return changed;
            }
            changed = true;
        }
    }

    /// Ends what has at most 1 ns to go: tasks, sleeps, a pool.
    fn end_work(&mut self, app: usize) -> bool {
        let application = &mut self.all[app];
        let io_s = application.phase().map_or(0.0, |phase| phase.io.value());
        let mut ends = 0;
        let mut done = 0;
        for thread in &mut application.threads {
            let Some(task) = &mut thread.task else { continue };
            let is_over = match task.sleep_s {
                Some(sleep_s) => sleep_s <= INSTANT_S,
                None => task.rest <= thread.speed * INSTANT_S,
            };
            if !is_over {
                continue;
            }
            ends += 1;
            if task.sleep_s.is_none() && io_s > 0.0 {
                task.rest = 0.0;
                task.sleep_s = Some(io_s);
            } else {
                application.work_done += task.work;
                thread.task = None;
                done += 1;
            }
            thread.speed = 0.0;
        }
        let speed: f64 = application.threads.iter().map(|thread| thread.speed).sum();
        match &mut application.stage {
            Stage::Phase(_, Left::Tasks { open, .. }) => *open -= done,
            Stage::Phase(_, Left::Pool { rest, .. }) if *rest > 0.0 && *rest <= speed * INSTANT_S => {
                *rest = 0.0;
            }
            _ => {}
        }
        self.events += ends;
        ends > 0
    }

    /// From a phase that is over to the next one, to calls, to the end of the iteration.
    fn end_phases(&mut self, app: usize, now_s: f64, instant: u64) -> bool {
        let application = &mut self.all[app];
        let Stage::Phase(number, left) = &application.stage else { return false };
        match left {
            Left::Tasks { open: 0, .. } => {}
            Left::Pool { work, rest } if *rest <= 0.0 => {
                application.work_done += work;
                self.events += 1;
            }
            _ => return false,
        }
        let next = number + 1;
        if !application.begin_phase(next) {
            self.call_from(app, 0, now_s, instant);
        }
        true
    }

    /// Makes the next call from `first` on that this iteration makes; without one the iteration ends.
    fn call_from(&mut self, app: usize, first: usize, now_s: f64, instant: u64) {
        let iteration = self.all[app].iterations + 1;
        let next = (first..self.calls.len())
            .find(|&c| self.calls[c].from == AppId(app) && iteration.is_multiple_of(self.calls[c].every));
        if let Some(call) = next {
            self.all[app].stage = Stage::Calls(call);
            let queue = &mut self.all[self.calls[call].to.0].calls;
            // Those who call at the same instant in file order.
            let place = queue.iter().position(|other| (other.instant, other.caller) > (instant, app));
            queue.insert(place.unwrap_or(queue.len()), Called { instant, caller: app });
            return;
        }
        let application = &mut self.all[app];
        application.stage = Stage::Between;
        application.iterations += 1;
        if application.iterations == application.course.iterations {
            application.finished_s = Some(now_s);
        }
        if let Some(caller) = application.works_for.take()
            && let Stage::Calls(call) = self.all[caller].stage
        {
            self.call_from(caller, call + 1, now_s, instant);
        }
    }

    /// Begins an iteration where that is possible.
    fn begin(&mut self, app: usize) -> bool {
        let application = &self.all[app];
        let is_ready = application.is_there() && matches!(application.stage, Stage::Between);
        if !is_ready || self.wants(app).is_some() {
            return false;
        }
        let application = &mut self.all[app];
        if application.is_called {
            application.works_for = application.calls.pop_front().map(|called| called.caller);
        }
        application.begin_phase(0)
    }

    /// Step 4: idle threads that are not blocked take tasks, in their order. Whether one of the tasks takes no time.
    fn take_tasks(&mut self) -> bool {
        let mut none_of_time = false;
        for application in &mut self.all {
            let Stage::Phase(number, Left::Tasks { next, .. }) = &mut application.stage else { continue };
            let Some(work) = &application.course.phases[*number].work else { continue };
            let Work::Tasks { count, .. } = work else { continue };
            for thread in &mut application.threads {
                if *next < *count && thread.task.is_none() && !thread.is_blocked {
                    let drawn = application.spread.next();
                    let gflop = work.of_task(*next).value() * drawn.work;
                    *next += 1;
                    let rest = gflop * drawn.time;
                    thread.task = Some(Task { work: gflop, time: drawn.time, rest, sleep_s: None });
                    thread.speed = 0.0;
                    none_of_time |= gflop == 0.0;
                }
            }
        }
        none_of_time
    }
}

/// Time passes, and nothing happens.
fn pass(applications: &mut Applications, seconds: f64) {
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

fn count(application: &mut Application, waits: Waiting, seconds: f64) {
    if !application.is_there() {
        return;
    }
    let count = |belongs: &dyn Fn(&records::Thread) -> bool| {
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
        Waiting::Input => sums.waited_input += seconds,
        Waiting::Output => sums.waited_output += seconds,
        Waiting::Call => sums.waited_call += seconds,
        Waiting::None => {}
    }
}

/// All that was counted.
fn run(applications: &Applications, orders: &Orders, ending: Ending, now_s: f64) -> Run {
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
