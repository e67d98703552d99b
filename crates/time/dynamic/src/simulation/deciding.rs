//! Who decides: the policy is asked, orders are given and carried out.

use numasim_model::AppId;
use numasim_model::dynamics::Order;
use numasim_model::units::{Gflop, Seconds};
use numasim_policy::{Looks, Presence, orders};

use super::{Event, Simulation};
use crate::commands::Sent;
use crate::error::{ImpossibleOrder, SimulateError};
use crate::observer::Observer;
use crate::progress::Stage;

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
