//! Who decides: the policy is asked, at its ticks or at every event, orders are given and carried out, observers look on, and the run ends.

use numasim_engine::{SAME_INSTANT_S, SimTime};
use numasim_model::AppId;
use numasim_model::order::Order;
use numasim_model::order::Waiting;
use numasim_model::units::{Gflop, Seconds};
use numasim_policy::{Looks, Presence, orders};

use crate::commands::Sent;
use crate::progress::Stage;
use crate::result::{AppRun, ChannelRun, Ending, Run};
use crate::result::{Counts, Observer, Snapshot};
use crate::result::{Deadlock, ImpossibleOrder, SimulateError, Stuck, WaitsFor};
use crate::simulation::{Event, Simulation};

impl Simulation<'_, '_, '_, '_> {
    /// Whether a policy that is asked whenever something happens looks at something that has happened.
    pub(super) fn is_to_be_asked(&self) -> bool {
        self.policy.is_some() && self.period_s() <= 0.0 && self.has_news()
    }

    /// Whether anything has changed that the policy looks at since it was asked.
    pub(super) fn has_news(&self) -> bool {
        let (looks, changed) = (self.looks, self.changed);
        looks.work
            || self.presence_changed
            || (looks.waiting && changed.waiting)
            || (looks.progress && changed.progress)
            || (looks.tasks && changed.tasks)
            || (looks.phase && changed.phase)
    }

    /// Asks the policy, and gives the orders that say something new.
    pub(super) fn ask(&mut self, observer: &mut dyn Observer) -> Result<(), SimulateError> {
        self.refresh_view();
        let Some(policy) = &mut self.policy else { return Ok(()) };
        let decision = policy.decide_unless(&self.view, self.stop)?;
        if (self.stop)() {
            self.is_stopped = true;
            return Ok(());
        }
        (self.changed, self.presence_changed) = (Looks::default(), false);
        let mut sent = Vec::new();
        for (app, order) in orders(self.machine, &self.view, &decision).into_iter().enumerate() {
            let Some(order) = order.filter(|order| self.commands.is_news(app, order)) else { continue };
            self.check_order(app, &order)?;
            let reason = decision.reasons.get(app).cloned().flatten();
            sent.push((AppId(app), order.clone(), reason));
            self.give(app, order);
        }
        observer.decision(&self.view, &sent);
        Ok(())
    }

    fn check_order(&self, app: usize, order: &Order) -> Result<(), SimulateError> {
        let follows = self.dynamics.courses[app].control;
        let given = order.control();
        let possible = if follows == given {
            self.threads[app].check(order)
        } else {
            Err(ImpossibleOrder::Kind { given, follows })
        };
        possible.map_err(|why| SimulateError::Impossible { app: AppId(app), why })
    }

    /// A command of the file is given, unless its application is finished.
    fn give_command(&mut self, number: usize) {
        let command = &self.dynamics.commands[number];
        let app = command.app.0;
        if self.progress.presence(app) != Presence::Gone {
            self.give(app, command.order.clone());
        }
    }

    fn give(&mut self, app: usize, order: Order) {
        let delay_s = self.dynamics.policy.command_delay.value();
        let given = self.now();
        self.commands.give(Sent { app, order, given }, delay_s > 0.0);
        if delay_s > 0.0 {
            self.instants.schedule(given.after(delay_s), Event::Due);
            self.due += 1;
        }
    }

    /// Orders that are due take effect; threads block and unblock.
    pub(super) fn carry_out(&mut self) {
        // Not before: an application that ends in this instant is told nothing.
        for number in std::mem::take(&mut self.to_give) {
            self.give_command(number);
        }
        while let Some(sent) = self.commands.next_due() {
            if self.progress.stage(sent.app) == Stage::Finished {
                continue;
            }
            self.events += 1;
            self.threads[sent.app].set_order(&sent.order);
            self.commands.in_force(sent.app, sent.given);
            self.obey(sent.app);
        }
        // Threads that have ended their task since.
        let mut next = self.excess.first().copied();
        while let Some(app) = next {
            self.obey(app);
            next = self.excess.range(app + 1..).next().copied();
        }
    }

    fn obey(&mut self, app: usize) {
        let mut moved = std::mem::take(&mut self.moved);
        self.threads[app].obey(&mut moved);
        for &(thread, unblocked) in &moved {
            self.commands.moves += u64::from(unblocked);
            self.pool_thread_moved(app, thread, unblocked);
        }
        if !moved.is_empty() {
            self.may_take.insert(app);
            self.tasks_changed(app);
        }
        self.moved = moved;
        if self.threads[app].has_excess() {
            self.excess.insert(app);
        } else {
            self.excess.remove(&app);
            let now = self.now();
            self.commands.reached(app, now);
        }
    }

    /// Brings what the policy sees up to date.
    fn refresh_view(&mut self) {
        let now = self.now();
        self.view.time = Seconds::new(now.seconds());
        for (app, view) in self.view.apps.iter_mut().enumerate() {
            if self.looks.work && view.presence == Presence::There {
                let total = self.dynamics.courses[app].total_work();
                view.left =
                    total.map(|total| Gflop::new((total.value() - self.work[app].done_gflop(now)).max(0.0)));
            }
            if !std::mem::take(&mut self.is_stale[app]) {
                continue;
            }
            let threads = &self.threads[app];
            let is_pool = self.work[app].is_pool();
            for node in 0..view.threads.len() {
                view.running[node] = if is_pool { threads.idle(node) } else { threads.in_task(node) };
                view.blocked[node] = threads.blocked(node);
            }
            view.queued = Some(self.work[app].queued());
        }
    }
}

impl Snapshot for Simulation<'_, '_, '_, '_> {
    fn time(&self) -> Seconds {
        Seconds::new(self.now().seconds())
    }

    fn is_there(&self, app: AppId) -> bool {
        self.progress.presence(app.0) == Presence::There
    }

    fn counts(&self, app: AppId, node: usize) -> Counts {
        if !self.is_there(app) {
            return Counts::default();
        }
        let threads = &self.threads[app.0];
        let busy = self.rates.cores_used(app.0, node);
        let blocked = threads.blocked(node);
        if self.work[app.0].is_pool() {
            Counts { running: threads.idle(node), busy, idle: 0, blocked }
        } else {
            Counts { running: threads.in_task(node), busy, idle: threads.idle(node), blocked }
        }
    }

    fn gflops(&self, app: AppId, node: usize) -> f64 {
        self.rates.gflops(app.0, node)
    }

    fn bandwidth_gbs(&self, app: AppId, node: usize) -> f64 {
        self.rates.bandwidth(app.0, node)
    }

    fn items(&self, channel: usize) -> u64 {
        self.progress.items(channel)
    }

    fn channels_out_of(&self, app: AppId) -> &[usize] {
        self.progress.outputs_of(app.0)
    }
}

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

// When a policy is asked that is asked at its time: every so many seconds.
//
// A tick at which nothing has changed that the policy looks at changes nothing either, as its decision depends on that alone. So such ticks
/// The ticks of a policy: at 0, one period, two periods, ... Numbers are whole; beyond 2^53 they are as exact as times are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ticks {
    /// The first one that has not been counted.
    next: f64,
    /// The one that is scheduled.
    scheduled: Option<f64>,
    /// How many have passed.
    passed: u64,
}

impl Ticks {
    pub(super) fn is_scheduled(self) -> bool {
        self.scheduled.is_some()
    }

    /// The first tick not before `time` that has not been counted: its number and its time.
    fn from(self, time: SimTime, period_s: f64) -> (f64, SimTime) {
        let seconds = time.seconds();
        let at = |number: f64| SimTime::START.after(number * period_s);
        let mut number = (seconds / period_s).ceil();
        // The quotient is rounded.
        if at(number) < time {
            number += 1.0;
        } else if number >= 1.0 && at(number - 1.0) >= time {
            number -= 1.0;
        }
        let number = number.max(self.next);
        (number, at(number).max(time))
    }
}

impl Simulation<'_, '_, '_, '_> {
    /// All that has happened, ticks included.
    pub(super) fn all_events(&self) -> u64 {
        self.events.saturating_add(self.ticks.passed)
    }

    /// Whether there are ticks.
    fn has_ticks(&self) -> bool {
        self.policy.is_some() && self.period_s() > 0.0
    }

    pub(super) fn schedule_first_tick(&mut self) {
        if self.has_ticks() {
            self.ticks.scheduled = Some(0.0);
            self.instants.schedule(SimTime::START, Event::Tick);
        }
    }

    /// The scheduled tick comes.
    pub(super) fn tick_comes(&mut self) {
        if let Some(number) = self.ticks.scheduled.take() {
            self.count_ticks(number + 1.0);
        }
    }

    /// Counts those before `number`.
    fn count_ticks(&mut self, number: f64) {
        // Not negative; the conversion of a float saturates.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let passed = (number - self.ticks.next).max(0.0) as u64;
        self.ticks.passed = self.ticks.passed.saturating_add(passed);
        self.ticks.next = number.max(self.ticks.next);
    }

    /// Schedules the next tick after this instant at which the policy may decide something else.
    pub(super) fn schedule_tick(&mut self) {
        if !self.has_ticks() || self.ticks.is_scheduled() {
            return;
        }
        let after_this = SimTime::START.after(self.instants.end().seconds().next_up());
        let next_event = self.instants.next_time().filter(|_| !self.has_news());
        // A tick that comes less than an instant before an event is of its instant.
        let not_before = next_event.map_or(after_this, |event| {
            after_this.max(SimTime::START.after(event.seconds() - SAME_INSTANT_S))
        });
        let (number, time) = self.ticks.from(not_before, self.period_s());
        self.ticks.scheduled = Some(number);
        self.instants.schedule(time, Event::Tick);
    }

    /// Counts the ticks that were skipped until the end.
    pub(super) fn pass_ticks(&mut self) {
        if self.has_ticks() {
            let after_this = SimTime::START.after(self.instants.end().seconds().next_up());
            let (number, _) = self.ticks.from(after_this, self.period_s());
            self.count_ticks(number);
        }
    }
}
