//! When the policy is asked, its view, the use of its answer for connected and adopted applications, and the agent's status.

use std::time::Duration;

use numasim_model::AppId;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_policy::{AppView, Decision, PolicyError, Presence, View, orders};
use numasim_protocol::{Action, AgentStatus, AppEntry, AppStatus, Control, FromAgent, Hello, SCHEMA};

use crate::core::Core;
use crate::core::application::{
    Application, Asked, Decided, Effect, Orders, Peer, Place, Question, Reached, Seen,
};

/// Reason for which an adopted process refuses an order.
const NO_CORE: &str = "a process without a core cannot go on: its threads stay where they are";

impl Core {
    /// When the policy is asked next by the clock.
    pub(super) fn next_decision(&self) -> Option<Duration> {
        let looks = self.looks?;
        let is_first = self.next.is_zero();
        let has_news = (is_first || self.changed || looks.work) && !self.asking;
        (has_news && !self.ending && !self.settings.period.is_zero()).then_some(self.next)
    }

    /// A part of the view of policies has changed.
    pub(super) fn view_changed(&mut self, now: Duration) {
        self.changed = true;
        if self.settings.period.is_zero() {
            self.ask(now);
        }
    }

    /// Asks if it is time. While a question is open, later times to ask are skipped. If nothing has changed that the policy looks at, its
    /// answer would be the previous one, so it is not asked.
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

    /// First the record, then the orders: an application that has received an order finds it in the record.
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

    /// Sends an order, if its application is still there.
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

// Processes of the host that do not know about the agent.

impl Core {
    /// Adopts a process of the host that does not know about the agent: the `number`-th of those, with a thread on each core.
    ///
    /// # Errors
    /// If a connected application would be refused.
    pub fn adopt(&mut self, number: usize, name: &str, peer: Peer, now: Duration) -> Result<(), String> {
        let hello = Hello::new(name, Control::Cores, self.settings.cores());
        self.check(&hello)?;
        let place = self.place(name, Place::Adopted);
        self.add(place, hello, peer, Reached::Adopted(number));
        if let Place::Entry(entry) = place
            && let Some(was_there) = self.were_there.get_mut(entry)
        {
            *was_there = true;
        }
        self.view_changed(now);
        Ok(())
    }

    /// An adopted process has ended.
    pub fn adopted_ended(&mut self, number: usize, now: Duration) {
        if let Some(place) = self.place_of_adopted(number) {
            self.forget(place, now);
        }
    }

    /// The result of `Effect::Bind`.
    pub fn bound(&mut self, number: usize, seq: u64, done: Result<(), String>) {
        let place = self.place_of_adopted(number);
        let Some(app) = place.and_then(|place| self.apps.get_mut(&place)) else { return };
        match done {
            Ok(()) => app.acked = app.acked.max(seq),
            Err(why) if app.sent == seq => app.refused = Some(why),
            Err(_) => {}
        }
    }

    fn place_of_adopted(&self, number: usize) -> Option<Place> {
        let found = self.apps.iter().find(|(_, app)| app.reached == Reached::Adopted(number));
        found.map(|(&place, _)| place)
    }
}

// The status of an agent.

/// A status is stale after this multiple of the time between two.
const STALE_AFTER: u32 = 3;

impl Core {
    /// The status of the agent.
    pub fn status(&self, now: Duration) -> AgentStatus {
        let settings = &self.settings;
        AgentStatus {
            schema: SCHEMA,
            command: AgentStatus::COMMAND.to_owned(),
            pid: settings.pid,
            socket: settings.socket.clone(),
            machine: settings.study.machine.name().to_owned(),
            cores: settings.cores(),
            policy: settings.policy.to_string(),
            period_ms: settings.period_ms(),
            status_ms: milliseconds(settings.status_interval()),
            dry_run: settings.dry_run,
            uptime_s: now.as_secs_f64(),
            load: self.load.clone(),
            closed: self.closed,
            apps: self.apps.values().map(|app| self.entry(app, now)).collect(),
        }
    }

    fn entry(&self, app: &Application, now: Duration) -> AppEntry {
        let fresh = self.settings.status_interval().saturating_mul(STALE_AFTER);
        let status: Option<&AppStatus> = app.status.as_ref().map(|(status, _)| status);
        let age = app.status.as_ref().map(|(_, at)| now.saturating_sub(*at));
        AppEntry {
            name: app.name.clone(),
            pid: app.peer.pid.map_or(0, u64::from),
            uid: u64::from(app.peer.uid),
            control: app.control,
            threads: app.threads.clone(),
            state: app.state(now, fresh),
            running: status.map(|status| status.running.clone()),
            blocked: status.map(|status| status.blocked.clone()),
            progress: status.map(|status| status.progress),
            waiting: status.map(|status| status.waiting),
            queued: status.and_then(|status| status.queued),
            tasks: status.and_then(|status| status.tasks),
            status_age_ms: age.map(milliseconds),
            target: app.orders.last.clone(),
            seq: app.sent,
            acked: app.acked,
            refused: app.refused.clone(),
        }
    }
}

/// As a JSON number, rounded to the microsecond; smaller amounts have no meaning.
fn milliseconds(of: Duration) -> f64 {
    (of.as_secs_f64() * 1e6).round() / 1e3
}

// The view of a policy.

impl Core {
    /// The present view of a policy, and for each application of it its place here, if it is present.
    pub(super) fn view(&self, now: Duration) -> (View, Vec<Option<Place>>) {
        let study = &self.settings.study;
        let mut places = Vec::with_capacity(study.apps.len() + self.apps.len());
        let mut apps = Vec::with_capacity(places.capacity());
        for number in 0..study.apps.len() {
            let place = Place::Entry(number);
            let app = self.apps.get(&place).filter(|app| app.is_there());
            let was_there = self.were_there.get(number).copied().unwrap_or_default();
            apps.push(app.map_or_else(|| AppView::absent(study, AppId(number), was_there), there));
            places.push(app.map(|_| place));
        }
        for (&place, app) in &self.apps {
            if !matches!(place, Place::Entry(_)) && app.is_there() {
                apps.push(there(app));
                places.push(Some(place));
            }
        }
        (View { time: Seconds::new(now.as_secs_f64()), apps }, places)
    }
}

/// An application that is present: its last status; for an adopted one, a thread that runs on every core.
fn there(app: &Application) -> AppView {
    let adopted = || AppStatus { running: app.threads.clone(), ..AppStatus::idle(app.threads.len()) };
    let status = app.status.as_ref().map_or_else(adopted, |(status, _)| status.clone());
    AppView {
        entry: app.entry,
        presence: Presence::There,
        control: app.control,
        threads: app.threads.clone(),
        running: status.running,
        blocked: status.blocked,
        progress: status.progress,
        waiting: status.waiting,
        queued: status.queued,
        // Not larger than the number of phases, which is a `usize`.
        phase: usize::try_from(status.phase).unwrap_or(usize::MAX),
        left: None,
    }
}

/// "1 node", "2 nodes".
pub(super) fn count(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
