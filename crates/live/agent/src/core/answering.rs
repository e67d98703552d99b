//! The agent's handling of the lines of a connection.

use super::Core;
use super::application::Effect;
use super::application::{Application, Client, ConnectionId, Orders, Peer, Place, Reached, Role};
use super::deciding::count;
use numasim_model::text::visible;
use numasim_policy::{PolicyName, check_threads};
use numasim_protocol::{
    AppStatus, Control, FromAgent, FromApp, Hello, LONGEST_LINE, ParseError, Version, Welcome,
};
use std::time::Duration;

/// Error for a connection that sends too much.
const TOO_MANY: &str = "more than 100 lines a second";

impl Core {
    /// A complete line has come, here without its line feed.
    pub fn line(&mut self, id: ConnectionId, line: &[u8], now: Duration) {
        let message = FromApp::parse(line);
        let Some(client) = self.clients.get(&id) else { return };
        let role = client.role;
        let is_free = match (role, &message) {
            (Role::App(place), Ok(FromApp::Ack { seq } | FromApp::Refused { seq, .. })) => {
                self.was_sent(place, *seq)
            }
            _ => false,
        };
        if !is_free && self.clients.get_mut(&id).is_some_and(|client| !client.bucket.take(now)) {
            self.refuse(id, TOO_MANY);
            return;
        }
        match role {
            Role::Unknown => self.first(id, message, now),
            Role::Asker => self.asked(id, message, now),
            Role::App(place) => match message {
                Ok(message) => self.said(id, place, message, now),
                Err(error) => self.ignored(id, &error, now),
            },
        }
    }

    /// A line is too long, whether or not it has ended.
    pub fn line_too_long(&mut self, id: ConnectionId) {
        self.refuse(id, &format!("a line of more than {LONGEST_LINE} bytes"));
    }

    fn was_sent(&self, place: Place, seq: u64) -> bool {
        self.apps.get(&place).is_some_and(|app| (1..=app.sent).contains(&seq))
    }

    fn ignored(&mut self, id: ConnectionId, why: &dyn std::fmt::Display, now: Duration) {
        self.send(id, &FromAgent::Error { text: why.to_string() }, now);
    }

    /// The first line of a connection.
    fn first(&mut self, id: ConnectionId, message: Result<FromApp, ParseError>, now: Duration) {
        match message {
            Ok(FromApp::Hello(hello)) => self.hello(id, hello, now),
            Ok(FromApp::Query) => {
                self.set_role(id, Role::Asker);
                self.send_line(id, self.status(now).line(), now);
            }
            Ok(FromApp::Stop) => {
                self.set_role(id, Role::Asker);
                self.ending = true;
                self.effects.push(Effect::End { asked_by: id });
            }
            Ok(_) => self.refuse(id, "the first line must be a hello, a query or a stop"),
            Err(error @ ParseError::Version { .. }) => self.refuse(id, &error.to_string()),
            Err(error) => self.refuse(id, &format!("the first line must be a hello: {error}")),
        }
    }

    pub(super) fn set_role(&mut self, id: ConnectionId, role: Role) {
        if let Some(client) = self.clients.get_mut(&id) {
            client.role = role;
        }
    }

    /// A further line of a client that queries the agent.
    fn asked(&mut self, id: ConnectionId, message: Result<FromApp, ParseError>, now: Duration) {
        match message {
            Ok(FromApp::Query) => self.send_line(id, self.status(now).line(), now),
            Ok(_) => self.refuse(id, "after a query only queries may follow"),
            Err(error) => self.refuse(id, &format!("after a query only queries may follow: {error}")),
        }
    }

    /// A message of an application that has sent its hello.
    fn said(&mut self, id: ConnectionId, place: Place, message: FromApp, now: Duration) {
        match message {
            FromApp::Status(status) => self.status_came(id, place, status, now),
            FromApp::Ack { seq } | FromApp::Refused { seq, .. } if !self.was_sent(place, seq) => {
                self.ignored(id, &format!("\"seq\": an order {seq} was never sent"), now);
            }
            FromApp::Ack { seq } => {
                if let Some(app) = self.apps.get_mut(&place) {
                    app.acked = app.acked.max(seq);
                }
            }
            FromApp::Refused { seq, text } => self.refusal_came(place, seq, text),
            FromApp::Bye => {
                self.closed.bye += 1;
                self.close(id, now);
            }
            FromApp::Hello(_) => self.ignored(id, &"a second hello: one is enough", now),
            FromApp::Query | FromApp::Stop => {
                self.ignored(id, &"a query or a stop needs a separate connection", now);
            }
        }
    }

    fn refusal_came(&mut self, place: Place, seq: u64, text: String) {
        if let Some(app) = self.apps.get_mut(&place).filter(|app| app.sent == seq) {
            app.refused = Some(text);
        }
    }

    fn status_came(&mut self, id: ConnectionId, place: Place, status: AppStatus, now: Duration) {
        let Some(app) = self.apps.get_mut(&place) else { return };
        if let Err(error) = status.check(&app.threads) {
            self.ignored(id, &error, now);
            return;
        }
        let phases = match app.entry {
            Some(entry) => {
                self.settings.study.dynamics.courses.get(entry.0).map(|course| course.phases.len())
            }
            None => None,
        };
        let phases = phases.unwrap_or(1) as u64;
        if app.entry.is_some() && status.phase >= phases {
            let name = visible(&app.name).into_owned();
            let phase = status.phase;
            let has = count(phases, "phase", "phases");
            self.ignored(
                id,
                &format!("\"phase\": there is no phase {phase}: '{name}' has {has}, from 0"),
                now,
            );
            return;
        }
        let is_news = match &app.status {
            None => true,
            // Policies do not see the other changes.
            Some((last, _)) => AppStatus { tasks: status.tasks, ..last.clone() } != status,
        };
        app.status = Some((status, now));
        if let Some(was_there) = app.entry.and_then(|entry| self.were_there.get_mut(entry.0)) {
            *was_there = true;
        }
        if is_news {
            self.view_changed(now);
        }
    }
}

// Accepting and refusing applications.

impl Core {
    pub(super) fn hello(&mut self, id: ConnectionId, hello: Hello, now: Duration) {
        if let Err(why) = self.check(&hello) {
            self.refuse_named(id, Some(&hello.name), &why);
            return;
        }
        let Some(&Client { peer, .. }) = self.clients.get(&id) else { return };
        let place = self.place(&hello.name, Place::Stranger);
        let reached = Reached::By(id);
        let control = hello.control;
        self.add(place, hello, peer, reached);
        self.set_role(id, Role::App(place));
        let settings = &self.settings;
        let welcome = Welcome {
            version: Version,
            pid: settings.pid,
            cores: settings.cores(),
            hold: control != Control::None && settings.policy.holds_arrivals() && !settings.dry_run,
            period_ms: settings.period_ms(),
            status_ms: settings.status_interval().as_secs_f64() * 1e3,
        };
        self.send(id, &FromAgent::Welcome(welcome), now);
    }

    /// The place of an application with this name; `other` if the files do not contain it.
    pub(super) fn place(&mut self, name: &str, other: impl Fn(u64) -> Place) -> Place {
        if let Some(entry) = self.entries.get(name) {
            return Place::Entry(entry.0);
        }
        self.strangers += 1;
        other(self.strangers)
    }

    pub(super) fn add(&mut self, place: Place, hello: Hello, peer: Peer, reached: Reached) {
        let Hello { name, control, threads, .. } = hello;
        self.by_name.insert(name.clone(), place);
        let app = Application {
            entry: self.entries.get(&name).copied(),
            name,
            peer,
            control,
            threads,
            reached,
            status: None,
            orders: Orders::default(),
            acked: 0,
            refused: None,
            sent: 0,
        };
        self.apps.insert(place, app);
    }

    /// Whether an application can be accepted.
    pub(super) fn check(&self, hello: &Hello) -> Result<(), String> {
        let name = visible(&hello.name);
        if let Some(other) = self.by_name.get(&hello.name).and_then(|place| self.apps.get(place)) {
            let pid =
                other.peer.pid.map_or_else(|| "an unknown process".to_owned(), |pid| format!("pid {pid}"));
            return Err(format!("the name '{name}' is taken by {pid}"));
        }
        let cores = self.settings.cores();
        if hello.threads.len() != cores.len() {
            return Err(format!(
                "\"threads\" has {}, and the machine has {}",
                count(hello.threads.len(), "entry", "entries"),
                count(cores.len(), "node", "nodes")
            ));
        }
        let mut nodes = hello.threads.iter().zip(&cores).enumerate();
        if let Some((node, (threads, _))) = nodes.find(|(_, (threads, cores))| **threads > 0 && **cores == 0)
        {
            return Err(format!("\"threads\" has {threads} on node {node}, which has no cores"));
        }
        let policy = &self.settings.policy;
        let entry = self.entries.get(&hello.name).copied();
        match entry {
            None if policy.computes() => Err(format!(
                "policy '{policy}' computes, and the files of the agent have no [[app]] named '{name}'"
            )),
            None => Ok(()),
            Some(entry) => {
                let scenarios = &self.settings.study.scenarios;
                let PolicyName::Static(name) = policy else { return Ok(()) };
                let scenario = scenarios.iter().find(|scenario| scenario.name == *name);
                scenario.map_or(Ok(()), |scenario| {
                    check_threads(scenario, entry, &hello.name, &hello.threads)
                        .map_err(|error| error.to_string())
                })
            }
        }
    }
}
