//! What an agent says of itself.

use super::Core;
use super::application::{Application, Place};
use numasim_model::AppId;
use numasim_model::units::Seconds;
use numasim_policy as policy;
use numasim_policy::{AppView, Presence, View};
use numasim_protocol as protocol;
use numasim_protocol::{AgentStatus, AppEntry, AppStatus, SCHEMA};
use std::time::Duration;

/// A status is stale after so many times the time between two.
const STALE_AFTER: u32 = 3;

impl Core {
    /// How the agent is.
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

/// As a number of JSON: to the microsecond, below which nothing is meant.
fn milliseconds(of: Duration) -> f64 {
    (of.as_secs_f64() * 1e6).round() / 1e3
}

// What a policy sees.

impl Core {
    /// What a policy sees now, and for each application of it where it stands here, if it is there.
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

/// An application that is there: what it said last, or, adopted, a thread that runs on every core.
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
        waiting: waiting(status.waiting),
        queued: status.queued,
        // Not larger than the number of phases, which is a `usize`.
        phase: usize::try_from(status.phase).unwrap_or(usize::MAX),
        left: None,
    }
}

/// What an application waits for.
pub(super) const fn waiting(waiting: protocol::Waiting) -> Option<policy::Waiting> {
    match waiting {
        protocol::Waiting::None => None,
        protocol::Waiting::Input => Some(policy::Waiting::Input),
        protocol::Waiting::Output => Some(policy::Waiting::Output),
        protocol::Waiting::Call => Some(policy::Waiting::Call),
    }
}

/// "1 node", "2 nodes".
pub(super) fn count(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
