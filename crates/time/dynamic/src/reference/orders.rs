//! Steps 2 and 3 of an instant: who is asked, what is ordered, which threads block.

use numasim_course::Command;
use numasim_model::order::{Control, Order};
use numasim_model::units::{Gflop, Seconds};
use numasim_model::{AppId, Machine};
use numasim_policy::{AppView, Policy, Presence, View, orders};

use super::Applications;
use super::records::{Application, INSTANT_S, Left, Stage};
use crate::result::Controller;
use crate::result::{ImpossibleOrder, SimulateError};

/// An order that has not taken effect.
struct Sent {
    app: usize,
    order: Order,
    given_s: f64,
    effective_s: f64,
}

/// Whoever decides, and all orders.
pub(super) struct Orders<'a> {
    policy: Option<&'a mut dyn Policy>,
    /// Seconds; 0 is at every instant.
    period_s: f64,
    delay_s: f64,
    /// The number of the next tick.
    tick: u64,
    /// By time, those of a time in file order.
    script: Vec<&'a Command>,
    sent: Vec<Sent>,
    /// The last one given, per application.
    last: Vec<Option<Order>>,
    pub(super) given: u64,
    pub(super) core_moves: u64,
    /// Seconds from orders to their effect.
    pub(super) reactions: Vec<f64>,
    /// How often the policy was asked at its time.
    pub(super) ticks: u64,
    /// Orders that took effect.
    pub(super) effects: u64,
}

impl<'a> Orders<'a> {
    pub(super) fn new(study: &'a numasim_course::Study, controller: Controller<'a>) -> Self {
        let dynamics = &study.dynamics;
        let mut script: Vec<&Command> = match controller {
            Controller::Script => dynamics.commands.iter().collect(),
            Controller::Nobody | Controller::Policy(_) => Vec::new(),
        };
        script.sort_by(|a, b| a.at.value().total_cmp(&b.at.value()));
        script.reverse();
        let policy = match controller {
            Controller::Policy(policy) => Some(policy),
            Controller::Nobody | Controller::Script => None,
        };
        Self {
            policy,
            period_s: dynamics.policy.period.value(),
            delay_s: dynamics.policy.command_delay.value(),
            tick: 0,
            script,
            sent: Vec::new(),
            last: vec![None; study.apps.len()],
            given: 0,
            core_moves: 0,
            reactions: Vec::new(),
            ticks: 0,
            effects: 0,
        }
    }

    /// An application is blocked until its first order where somebody will give one.
    pub(super) fn hold(&self, application: &mut Application) {
        if self.policy.is_some() && application.course.control != Control::None {
            application.threads.iter_mut().for_each(|thread| thread.is_blocked = true);
        }
    }

    fn has_ticks(&self) -> bool {
        self.policy.is_some() && self.period_s > 0.0
    }

    /// When the next tick is.
    pub(super) fn tick_s(&self) -> Option<f64> {
        self.has_ticks().then_some(self.tick as f64 * self.period_s)
    }

    /// When the next command of the file is given, or the next order takes effect.
    pub(super) fn next_s(&self) -> Option<f64> {
        let script = self.script.last().map(|command| command.at.value());
        script.into_iter().chain(self.sent.iter().map(|sent| sent.effective_s)).min_by(f64::total_cmp)
    }

    /// Whether the policy is asked at this instant.
    pub(super) fn is_asked(&mut self, now_s: f64) -> bool {
        match self.tick_s() {
            Some(tick_s) if tick_s - now_s <= INSTANT_S => {
                self.tick += 1;
                self.ticks += 1;
                true
            }
            Some(_) => false,
            None => self.policy.is_some(),
        }
    }

    /// Step 2.
    pub(super) fn ask(
        &mut self,
        machine: &Machine,
        applications: &Applications,
        now_s: f64,
    ) -> Result<(), SimulateError> {
        let Some(policy) = &mut self.policy else { return Ok(()) };
        let apps = (0..applications.all.len()).map(|app| look(machine, applications, app)).collect();
        let view = View { time: Seconds::new(now_s), apps };
        let decision = policy.decide(&view)?;
        for (app, order) in orders(machine, &view, &decision).into_iter().enumerate() {
            let Some(order) = order else { continue };
            check(machine, &applications.all[app], &order)
                .map_err(|why| SimulateError::Impossible { app: AppId(app), why })?;
            if self.last[app].as_ref() != Some(&order) {
                self.give(app, order, now_s);
            }
        }
        Ok(())
    }

    fn give(&mut self, app: usize, order: Order, now_s: f64) {
        self.given += 1;
        self.last[app] = Some(order.clone());
        self.sent.push(Sent { app, order, given_s: now_s, effective_s: now_s + self.delay_s });
    }

    /// Step 3.
    pub(super) fn take_effect(&mut self, applications: &mut [Application], now_s: f64) {
        while let Some(command) = self.script.pop_if(|command| command.at.value() - now_s <= INSTANT_S) {
            if applications[command.app.0].finished_s.is_none() {
                self.give(command.app.0, command.order.clone(), now_s);
            }
        }
        let (due, later) = std::mem::take(&mut self.sent)
            .into_iter()
            .partition(|sent| sent.effective_s - now_s <= INSTANT_S);
        self.sent = later;
        let due: Vec<Sent> = due;
        for Sent { app, order, given_s, .. } in due {
            let application = &mut applications[app];
            if application.finished_s.is_none() {
                application.order = Some(order);
                application.reacting_since_s = Some(given_s);
                self.effects += 1;
                self.follow(application, now_s);
            }
        }
        for application in applications {
            self.follow(application, now_s);
        }
    }

    /// Threads block and unblock as far as they can.
    fn follow(&mut self, application: &mut Application, now_s: f64) {
        if application.finished_s.is_some() {
            return;
        }
        let is_followed = self.block(application);
        if let Some(since_s) = application.reacting_since_s.take_if(|_| is_followed) {
            self.reactions.push(now_s - since_s);
        }
    }

    /// Blocks and unblocks threads as ordered; whether no thread too many may run.
    fn block(&mut self, application: &mut Application) -> bool {
        let Some(order) = application.order.clone() else { return true };
        match order {
            Order::Total(target) => self.bring_to(application, target, &|_| true),
            Order::PerNode(targets) => {
                let mut all = true;
                for (node, &target) in targets.iter().enumerate() {
                    all &= self.bring_to(application, target, &|thread| thread.node == node);
                }
                all
            }
            Order::Cores(cores) => {
                let others = self.bring_to(application, 0, &|thread| !cores.contains(&thread.core));
                others & self.bring_to(application, u32::MAX, &|thread| cores.contains(&thread.core))
            }
        }
    }

    /// Brings the number of unblocked threads among those that `belongs` names to `target`, as far as tasks let it.
    fn bring_to(
        &mut self,
        application: &mut Application,
        target: u32,
        belongs: &dyn Fn(&super::records::Thread) -> bool,
    ) -> bool {
        let mut may_run = 0;
        for thread in &application.threads {
            may_run += u32::from(belongs(thread) && !thread.is_blocked);
        }
        for thread in application.threads.iter_mut().rev() {
            if may_run > target && belongs(thread) && !thread.is_blocked && thread.task.is_none() {
                thread.is_blocked = true;
                may_run -= 1;
            }
        }
        let blocked: Vec<usize> = (0..application.threads.len())
            .filter(|&number| belongs(&application.threads[number]) && application.threads[number].is_blocked)
            .collect();
        let missing = blocked.len().min(target.saturating_sub(may_run) as usize);
        for place in application.waking.choose(blocked.len(), missing) {
            application.threads[blocked[place]].is_blocked = false;
            self.core_moves += 1;
            may_run += 1;
        }
        may_run <= target
    }
}

/// What a policy may know of an application.
fn look(machine: &Machine, applications: &Applications, app: usize) -> AppView {
    let application = &applications.all[app];
    let count = |belongs: &dyn Fn(&super::records::Thread) -> bool| -> Vec<u32> {
        let on = |node| application.threads.iter().filter(move |thread| thread.node == node);
        let nodes = 0..machine.node_count();
        nodes.map(|node| on(node).map(|thread| u32::from(belongs(thread))).sum()).collect()
    };
    let presence = match (application.arrived_s, application.finished_s) {
        (None, _) => Presence::Ahead,
        (Some(_), None) => Presence::There,
        (Some(_), Some(_)) => Presence::Gone,
    };
    let (phase, queued) = match &application.stage {
        Stage::Phase(number, left) => {
            let queued = match left {
                Left::Pool { rest, .. } => u64::from(*rest > 0.0),
                Left::Tasks { next, .. } => match application.phase().and_then(|phase| phase.work.as_ref()) {
                    Some(numasim_course::Work::Tasks { count, .. }) => count - next,
                    _ => 0,
                },
            };
            (*number, queued)
        }
        Stage::Between | Stage::Calls(_) => (0, 0),
    };
    let total = application.course.total_work().map_or(0.0, Gflop::value);
    AppView {
        entry: Some(AppId(app)),
        presence,
        control: application.course.control,
        threads: count(&|_| true),
        running: count(&|thread| application.is_at_work(thread)),
        blocked: count(&|thread| thread.is_blocked),
        progress: application.iterations,
        waiting: applications.waits_for(app),
        queued: Some(queued),
        phase,
        left: Some(Gflop::new((total - application.work()).max(0.0))),
    }
}

/// Whether an application can follow an order.
fn check(machine: &Machine, application: &Application, order: &Order) -> Result<(), ImpossibleOrder> {
    let control = application.course.control;
    if order.control() != control {
        return Err(ImpossibleOrder::Kind { given: order.control(), follows: control });
    }
    let there = |node: usize| {
        let threads = application.threads.iter().filter(|thread| thread.node == node);
        u32::try_from(threads.count()).unwrap_or(u32::MAX)
    };
    let enough = |ordered: u32, there: u32| {
        if ordered > there { Err(ImpossibleOrder::Threads { ordered, there }) } else { Ok(()) }
    };
    match order {
        Order::Total(total) => enough(*total, u32::try_from(application.threads.len()).unwrap_or(u32::MAX)),
        Order::PerNode(counts) if counts.len() != machine.node_count() => Err(ImpossibleOrder::Unknown),
        Order::PerNode(counts) => {
            counts.iter().enumerate().try_for_each(|(node, &ordered)| enough(ordered, there(node)))
        }
        Order::Cores(cores) => {
            let all = machine.total_cores();
            if cores.iter().all(|&core| u64::from(core) < all) {
                Ok(())
            } else {
                Err(ImpossibleOrder::Unknown)
            }
        }
    }
}
