//! Who is taken in, and who is not.

use std::time::Duration;

use numasim_model::text::visible;
use numasim_policy::{PolicyName, check_threads};
use numasim_protocol::{Control, FromAgent, Hello, Version, Welcome};

use super::Core;
use super::application::{Application, Orders, Place, Reached};
use super::client::{Client, Role};
use super::peer::{ConnectionId, Peer};
use super::words::count;

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

    /// Where an application of this name stands; `other` where the files do not know it.
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

    /// Whether an application can be taken.
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
