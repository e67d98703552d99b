//! The state and the decisions of an agent: timed events in, effects out.
//!
//! Times count from the beginning of the agent. After each event [`Core::take_effects`] returns the effects to carry out, in order.

mod answering;
mod application;
mod deciding;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod driven;
#[cfg(test)]
mod properties;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use numasim_model::AppId;
use numasim_model::text::visible;
use numasim_policy::Looks;
use numasim_protocol::{Closed, FromAgent};

use application::{Application, Client, Place, Role};
pub use application::{ConnectionId, Decided, Effect, Peer, Question, Seen, Settings};
pub use numasim_protocol::Action;

/// Within this time a connection must send its first message.
const HELLO_WITHIN: Duration = Duration::from_secs(2);
/// The agent sends an application something at least this often.
const PING_AFTER: Duration = Duration::from_millis(250);
/// Maximum number of connections at once.
pub(crate) const MOST_CONNECTIONS: usize = 4096;

/// The state and the decisions of an agent.
pub struct Core {
    settings: Settings,
    clients: BTreeMap<ConnectionId, Client>,
    /// Applications that are connected or adopted, in file order.
    apps: BTreeMap<Place, Application>,
    by_name: HashMap<String, Place>,
    /// The applications of the files.
    entries: HashMap<String, AppId>,
    /// Which of the applications of the files were present.
    were_there: Vec<bool>,
    /// Number of hellos and adoptions without an entry.
    strangers: u64,
    closed: Closed,
    load: Option<Vec<f64>>,
    /// The fields of a view that the policy uses; `None` if there is no policy.
    looks: Option<Looks>,
    /// Whether the view has changed since the policy was asked.
    changed: bool,
    /// Whether a question is open.
    asking: bool,
    /// When the policy is asked next, if it has a period.
    next: Duration,
    /// The last failure of the policy, which is reported once.
    failure: Option<String>,
    ending: bool,
    effects: Vec<Effect>,
}

impl Core {
    /// An agent without connections. `looks` is [`numasim_policy::Policy::looks_at`]; `None` if the policy decides nothing.
    pub fn new(settings: Settings, looks: Option<Looks>) -> Self {
        let apps = &settings.study.apps;
        let entries = apps.iter().enumerate().map(|(number, app)| (app.name.clone(), AppId(number)));
        Self {
            entries: entries.collect(),
            were_there: vec![false; apps.len()],
            settings,
            clients: BTreeMap::new(),
            apps: BTreeMap::new(),
            by_name: HashMap::new(),
            strangers: 0,
            closed: Closed::default(),
            load: None,
            looks,
            changed: false,
            asking: false,
            next: Duration::ZERO,
            failure: None,
            ending: false,
            effects: Vec::new(),
        }
    }

    /// The effects to carry out, in order; the next call returns only later ones.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether the connection is open from the agent's point of view.
    pub fn is_open(&self, id: ConnectionId) -> bool {
        self.clients.contains_key(&id)
    }

    /// Whether the connection belongs to an application that has sent its hello.
    pub fn is_application(&self, id: ConnectionId) -> bool {
        self.clients.get(&id).is_some_and(|client| matches!(client.role, Role::App(_)))
    }

    /// A client has connected.
    pub fn connected(&mut self, id: ConnectionId, peer: Peer, now: Duration) {
        let is_full = self.clients.len() >= MOST_CONNECTIONS;
        self.clients.insert(id, Client::new(peer, now));
        if is_full {
            self.refuse(id, &format!("{MOST_CONNECTIONS} connections are open, no more are taken"));
        }
    }

    /// A client that may not connect did so, and was disconnected.
    pub fn cut_off(&mut self, peer: Peer, why: &str) {
        self.closed.refused += 1;
        self.report(&format!("refused: {}: {why}", who(None, peer)));
    }

    /// A connection has ended: nothing can be read any more, or written. Lines that came before have been reported.
    pub fn ended(&mut self, id: ConnectionId, why: &str, now: Duration) {
        let Some(client) = self.clients.get(&id) else { return };
        if let Role::App(place) = client.role {
            let name = self.apps.get(&place).map(|app| app.name.clone());
            self.closed.lost += 1;
            self.report(&format!("lost: {}: {why}", who(name.as_deref(), client.peer)));
        }
        self.close(id, now);
    }

    /// Load of the cores of each node, from 0 to 1; `None` if unknown.
    pub fn set_load(&mut self, load: Option<Vec<f64>>) {
        self.load = load;
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) {
        let late: Vec<ConnectionId> = self
            .clients
            .iter()
            .filter(|(_, client)| {
                matches!(client.role, Role::Unknown) && now >= client.since.saturating_add(HELLO_WITHIN)
            })
            .map(|(&id, _)| id)
            .collect();
        for id in late {
            self.refuse(id, &format!("no hello within {} s", HELLO_WITHIN.as_secs()));
        }
        let silent: Vec<ConnectionId> = self
            .clients
            .iter()
            .filter(|(_, client)| {
                matches!(client.role, Role::App(_)) && now >= client.told.saturating_add(PING_AFTER)
            })
            .map(|(&id, _)| id)
            .collect();
        for id in silent {
            self.send(id, &FromAgent::Ping, now);
        }
        self.decide_on_time(now);
    }

    /// When [`Core::tick`] must be called next, if nothing happens before.
    pub fn next_tick(&self) -> Option<Duration> {
        let of_client = |client: &Client| match client.role {
            Role::Unknown => Some(client.since.saturating_add(HELLO_WITHIN)),
            Role::App(_) => Some(client.told.saturating_add(PING_AFTER)),
            Role::Asker => None,
        };
        self.clients.values().filter_map(of_client).chain(self.next_decision()).min()
    }

    fn send(&mut self, id: ConnectionId, message: &FromAgent, now: Duration) {
        self.send_line(id, message.line(), now);
    }

    fn send_line(&mut self, id: ConnectionId, line: String, now: Duration) {
        if let Some(client) = self.clients.get_mut(&id) {
            client.told = now;
            self.effects.push(Effect::Send { to: id, line });
        }
    }

    /// The text may quote a line of a connection, so it must be escaped for a terminal.
    fn report(&mut self, line: &str) {
        self.effects.push(Effect::Report(visible(line).into_owned()));
    }

    /// Sends the reason, and closes.
    fn refuse(&mut self, id: ConnectionId, why: &str) {
        let Some(client) = self.clients.get(&id) else { return };
        let name = match client.role {
            Role::App(place) => self.apps.get(&place).map(|app| app.name.clone()),
            Role::Unknown | Role::Asker => None,
        };
        self.refuse_named(id, name.as_deref(), why);
    }

    /// As [`Core::refuse`], for a connection that has sent a name that does not count.
    fn refuse_named(&mut self, id: ConnectionId, name: Option<&str>, why: &str) {
        let Some(client) = self.clients.get(&id) else { return };
        let (peer, told) = (client.peer, client.told);
        self.closed.refused += 1;
        self.report(&format!("refused: {}: {why}", who(name, peer)));
        self.send(id, &FromAgent::Refused { text: why.to_owned() }, told);
        self.close(id, told);
    }

    /// Removes a connection and its application.
    fn close(&mut self, id: ConnectionId, now: Duration) {
        let Some(client) = self.clients.remove(&id) else { return };
        self.effects.push(Effect::Close(id));
        if let Role::App(place) = client.role {
            self.forget(place, now);
        }
    }

    /// An application has left.
    fn forget(&mut self, place: Place, now: Duration) {
        let Some(app) = self.apps.remove(&place) else { return };
        self.by_name.remove(&app.name);
        if app.is_there() {
            self.view_changed(now);
        }
    }
}

/// Describes a client in a line for people: with the name, if it is known, and the process.
fn who(name: Option<&str>, peer: Peer) -> String {
    let pid = peer.pid.map_or_else(|| "process unknown".to_owned(), |pid| format!("pid {pid}"));
    match name {
        Some(name) => format!("'{}' ({pid})", visible(name)),
        None => format!("a connection ({pid})"),
    }
}
