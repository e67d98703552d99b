//! The core on a real socket: one thread waits for all connections at once, and a separate one runs policies that compute.
//!
//! No client can make it wait: sockets never block, and each connection is read a piece at a time in turn. Data that a client does not
//! read waits in a queue of this connection until the queue is full.

mod accepting;
mod deciding;
mod pace;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use numasim_host::os::fork::Closed;
use numasim_host::os::thread::thread_cpu_ns;
use numasim_host::system::{NodeCores, System};
use numasim_policy::Policy;

use crate::core::{ConnectionId, Core, Decided, Effect, Settings};
use crate::load::NodeLoad;
use crate::socket::Socket;
use accepting::Connection;
use deciding::Decider;
pub use deciding::{Adopted, Change, Nobody};
use pace::Pace;
pub use pace::{Signals, raise_file_limit};

/// Receives events of an agent. No method may block for long.
pub trait Outside {
    /// Applications can connect.
    fn listening(&mut self);
    /// Shows this line to people.
    fn report(&mut self, line: &str);
    /// A decision was taken.
    fn decided(&mut self, decided: &Decided);
    /// There will be no more decisions.
    fn no_more_decisions(&mut self);
}

/// An agent that is to be started.
pub struct Agent<'a> {
    /// Settings of the decisions.
    pub settings: Settings,
    /// The policy that decides; `None` if there is none.
    pub policy: Option<Box<dyn Policy + Send>>,
    /// The socket on which it listens.
    pub socket: Socket,
    /// The nodes of this host, if the host is the machine of the agent.
    pub host: Option<Vec<NodeCores>>,
    /// Becomes readable when the agent has to stop: [`Signals`], or a socket whose other end is closed.
    pub stop: Box<dyn AsFd>,
    /// Programs that it moves in addition to the connected ones.
    pub adopted: Box<dyn Adopted>,
    /// Receiver of its events.
    pub outside: &'a mut dyn Outside,
}

/// Why an agent cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system refuses.
    #[error("cannot {what}")]
    System {
        /// The attempt.
        what: &'static str,
        /// The reason.
        source: io::Error,
    },
    /// A process cannot be adopted.
    #[error("cannot adopt '{name}': {why}")]
    Adopt {
        /// Its name.
        name: String,
        /// The reason.
        why: String,
    },
}

impl ServeError {
    fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}

/// Serves until [`Agent::stop`] is readable or a connection asks for the end.
///
/// # Errors
/// [`ServeError`]; the socket is also removed then.
pub fn serve(agent: Agent<'_>) -> Result<(), ServeError> {
    let mut server = Server::start(agent)?;
    let served = server.run();
    server.end();
    served
}

/// The agent while it runs.
struct Server<'a> {
    core: Core,
    /// Dropped before the socket.
    _closed: Closed,
    socket: Socket,
    stop: Box<dyn AsFd>,
    decider: Option<Decider>,
    adopted: Box<dyn Adopted>,
    outside: &'a mut dyn Outside,
    start: Instant,
    connections: BTreeMap<ConnectionId, Connection>,
    /// Number of connections so far.
    number: u64,
    /// No new connections are accepted until then: a resource was exhausted.
    full_until: Option<Duration>,
    /// Connections that can no longer be written, but perhaps read.
    broken: Vec<ConnectionId>,
    /// Buffer for reading.
    piece: Vec<u8>,
    /// Time for which applications are left alone after one was read.
    calm: Duration,
    /// End of this time.
    calm_until: Duration,
    load: Option<NodeLoad>,
    /// When adopted processes are looked at again; `None` without any.
    look: Option<Pace>,
    /// The connection that asked for the end.
    asked_by: Option<ConnectionId>,
    ending: bool,
    own_uid: u32,
}

impl<'a> Server<'a> {
    fn start(agent: Agent<'a>) -> Result<Self, ServeError> {
        /// Without a period, adopted processes are looked at as often as with the default one.
        const LOOKED_AT: Duration = Duration::from_millis(80);
        let Agent { settings, policy, socket, host, stop, mut adopted, outside } = agent;
        let looks = policy.as_ref().map(|policy| policy.looks_at());
        let beside = settings.policy.computes();
        let decider = policy.map(|policy| Decider::new(policy, beside)).transpose();
        let decider = decider.map_err(ServeError::system("start a thread for the policy"))?;
        let calm = pace::calm(settings.period);
        let period = if settings.period.is_zero() { LOOKED_AT } else { settings.period };
        let mut core = Core::new(settings, looks);
        let mut failed = Vec::new();
        for change in adopted.look() {
            match change {
                Change::Came { number, name, peer } => core
                    .adopt(number, &name, peer, Duration::ZERO)
                    .map_err(|why| ServeError::Adopt { name, why })?,
                Change::Failed { why } => failed.push(why),
                Change::Ended { .. } => {}
            }
        }
        outside.listening();
        for why in &failed {
            outside.report(why);
        }
        Ok(Self {
            core,
            _closed: Closed::in_children(socket.listener()),
            socket,
            stop,
            decider,
            look: (!adopted.is_empty()).then(|| Pace::new(period)),
            adopted,
            outside,
            start: Instant::now(),
            connections: BTreeMap::new(),
            number: 0,
            full_until: None,
            broken: Vec::new(),
            piece: Vec::new(),
            calm,
            calm_until: Duration::ZERO,
            load: host.map(|nodes| NodeLoad::new(&nodes)),
            asked_by: None,
            ending: false,
            own_uid: numasim_host::os::process::own_uid(),
        })
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn run(&mut self) -> Result<(), ServeError> {
        loop {
            let now = self.now();
            self.core.tick(now);
            self.work();
            self.look(now);
            self.drop_late(now);
            self.read_broken();
            if self.ending {
                return Ok(());
            }
            let ready = self.wait().map_err(ServeError::system("wait for applications"))?;
            if ready.stop {
                self.ending = true;
                return Ok(());
            }
            if ready.answer {
                self.answered();
            }
            if ready.adopted {
                self.look_at_adopted();
            }
            for id in ready.readable {
                if self.core.is_application(id) {
                    self.calm_until = self.now().saturating_add(self.calm);
                }
                self.read(id);
            }
            for id in ready.writable {
                self.flush(id);
            }
            if ready.new {
                self.accept();
            }
        }
    }

    /// Carries out the effects of the core until there are none left.
    fn work(&mut self) {
        loop {
            let effects = self.core.take_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                self.carry_out(effect);
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Send { to, line } => self.send(to, &line),
            Effect::Close(id) => self.close(id),
            Effect::Report(line) => self.outside.report(&line),
            Effect::Decided(decided) => self.outside.decided(&decided),
            Effect::Ask(question) => {
                let answer = self.decider.as_mut().and_then(|decider| decider.ask(*question));
                if let Some((question, answer)) = answer {
                    self.core.decided(question, answer, self.start.elapsed());
                }
            }
            Effect::Bind { adopted, seq, cores } => {
                let done = self.adopted.bind(adopted, &cores);
                self.core.bound(adopted, seq, done);
            }
            Effect::End { asked_by } => {
                self.asked_by = Some(asked_by);
                self.ending = true;
            }
        }
    }

    /// The separate thread has an answer.
    fn answered(&mut self) {
        let answers = self.decider.as_mut().map(Decider::answers).unwrap_or_default();
        for (question, answer) in answers {
            self.core.decided(question, answer, self.start.elapsed());
        }
        self.work();
    }

    /// Periodic looks: at the load, and at adopted processes.
    fn look(&mut self, now: Duration) {
        if let Some(load) = &mut self.load
            && load.is_due(now.as_secs_f64())
        {
            load.look(now.as_secs_f64(), System::host().cpu_times());
            self.core.set_load(Some(load.busy()));
        }
        if self.look.is_some_and(|pace| now >= pace.next()) {
            let before = thread_cpu_ns();
            self.look_at_adopted();
            let took = Duration::from_nanos(thread_cpu_ns().saturating_sub(before));
            if let Some(pace) = &mut self.look {
                pace.done(now, took);
            }
        }
    }
}
