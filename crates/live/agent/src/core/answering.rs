//! What the agent makes of the lines of a connection.

use std::time::Duration;

use numasim_model::text::visible;
use numasim_protocol::{AppStatus, FromAgent, FromApp, LONGEST_LINE, ParseError};

use super::Core;
use super::application::Place;
use super::client::Role;
use super::effect::Effect;
use super::peer::ConnectionId;
use super::words::count;

/// What a connection is told that sends too much.
const TOO_MANY: &str = "more than 100 lines a second";

impl Core {
    /// A whole line has come, here without its line feed.
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

    /// A line is too long, whether it ends or not.
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

    /// A further line of somebody who asks.
    fn asked(&mut self, id: ConnectionId, message: Result<FromApp, ParseError>, now: Duration) {
        match message {
            Ok(FromApp::Query) => self.send_line(id, self.status(now).line(), now),
            Ok(_) => self.refuse(id, "after a query only queries may follow"),
            Err(error) => self.refuse(id, &format!("after a query only queries may follow: {error}")),
        }
    }

    /// A message of an application that has said hello.
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
                self.ignored(id, &"a query or a stop needs a connection of its own", now);
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
            // What else it says, no policy sees.
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
