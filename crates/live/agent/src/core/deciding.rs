//! When the policy is asked, and what becomes of its answer.

use std::time::Duration;

use numasim_model::dynamics::Order;
use numasim_policy::{Decision, PolicyError, Presence, orders};
use numasim_protocol::FromAgent;

use super::Core;
use super::application::{Orders, Place, Reached};
use super::effect::{Action, Decided, Effect, Seen};
use super::effect::{Asked, Question};

/// What an adopted process cannot do.
const NO_CORE: &str = "a process without a core cannot go on: its threads stay where they are";

impl Core {
    /// When the policy is asked next by the clock.
    pub(super) fn next_decision(&self) -> Option<Duration> {
        let looks = self.looks?;
        let is_first = self.next.is_zero();
        let has_news = (is_first || self.changed || looks.work) && !self.asking;
        (has_news && !self.ending && !self.settings.period.is_zero()).then_some(self.next)
    }

    /// Something that policies see has changed.
    pub(super) fn view_changed(&mut self, now: Duration) {
        self.changed = true;
        if self.settings.period.is_zero() {
            self.ask(now);
        }
    }

    /// Asks where it is time. While a question is open, times to ask are skipped; where nothing has changed that the policy looks
    /// at, its answer would be the one before.
    pub(super) fn decide_on_time(&mut self, now: Duration) {
        let period = self.settings.period;
        if period.is_zero() || now < self.next {
            return;
        }
        let is_due = self.next_decision().is_some();
        let next = (now.as_nanos() / period.as_nanos() + 1) * period.as_nanos();
        self.next = u64::try_from(next).map_or(Duration::MAX, Duration::from_nanos);
        if is_due {
            self.ask(now);
        }
    }

    fn ask(&mut self, now: Duration) {
        if self.looks.is_none() || self.asking || self.ending {
            return;
        }
        let (view, places) = self.view(now);
        let asked = |place: Option<Place>| {
            let place = place?;
            let app = self.apps.get(&place)?;
            let (name, orders) = (app.name.clone(), app.orders.clone());
            Some(Asked { place, reached: app.reached, name, orders })
        };
        let who = places.into_iter().map(asked).collect();
        let apps = self.settings.study.apps.iter().zip(&view.apps);
        let gone = apps.filter(|(_, seen)| seen.presence == Presence::Gone);
        let gone = gone.map(|(app, _)| app.name.clone()).collect();
        (self.asking, self.changed) = (true, false);
        self.effects.push(Effect::Ask(Box::new(Question { view, who, gone })));
    }

    /// The policy has answered.
    pub fn decided(&mut self, question: Question, answer: Result<Decision, PolicyError>, now: Duration) {
        self.asking = false;
        if self.ending {
            return;
        }
        match answer {
            Ok(decision) => {
                self.failure = None;
                self.carry_out(question, &decision, now);
            }
            Err(error) => {
                let failure = error.to_string();
                if self.failure.as_ref() != Some(&failure) {
                    let policy = &self.settings.policy;
                    self.report(&format!(
                        "policy '{policy}' cannot decide, orders stay as they are: {failure}"
                    ));
                    self.failure = Some(failure);
                }
            }
        }
        if self.changed && self.settings.period.is_zero() {
            self.ask(now);
        }
    }

    /// First the record, then the orders: whoever has heard an order finds it there.
    fn carry_out(&mut self, question: Question, decision: &Decision, now: Duration) {
        let Question { view, who, gone } = question;
        let mut actions = Vec::new();
        let mut news = Vec::new();
        for (at, order) in orders(&self.settings.study.machine, &view, decision).into_iter().enumerate() {
            let (Some(order), Some(Some(asked))) = (order, who.get(at)) else { continue };
            if asked.orders.last.as_ref() == Some(&order) {
                continue;
            }
            let seq = asked.orders.number + 1;
            let why = decision.reasons.get(at).cloned().flatten();
            actions.push(Action { app: asked.name.clone(), seq, order: order.clone(), why });
            news.push((asked.clone(), seq, order));
        }
        let seen = view.apps.into_iter().zip(who).filter_map(|(view, asked)| {
            let name = asked?.name;
            Some(Seen { name, view })
        });
        let decided = Decided { time: view.time, apps: seen.collect(), gone, actions };
        self.effects.push(Effect::Decided(Box::new(decided)));
        for (asked, seq, order) in news {
            self.give(&asked, seq, &order, now);
        }
    }

    /// Sends an order, if whom it is for is still there.
    fn give(&mut self, asked: &Asked, seq: u64, order: &Order, now: Duration) {
        let app = self.apps.get_mut(&asked.place).filter(|app| app.reached == asked.reached);
        let Some(app) = app else { return };
        app.orders = Orders { last: Some(order.clone()), number: seq };
        if self.settings.dry_run {
            return;
        }
        (app.sent, app.refused) = (seq, None);
        match (asked.reached, order) {
            (Reached::By(id), order) => {
                self.send(id, &FromAgent::Set { seq, order: order.clone() }, now);
            }
            (Reached::Adopted(adopted), Order::Cores(cores)) if !cores.is_empty() => {
                self.effects.push(Effect::Bind { adopted, seq, cores: cores.clone() });
            }
            (Reached::Adopted(_), _) => app.refused = Some(NO_CORE.to_owned()),
        }
    }
}
