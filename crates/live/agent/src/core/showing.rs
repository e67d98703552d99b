//! What an agent says of itself.

use std::time::Duration;

use numasim_protocol::{AgentStatus, AppEntry, AppStatus, SCHEMA};

use super::application::Application;
use super::{Core, words};

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
            target: app.orders.last.as_ref().map(words::order),
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
