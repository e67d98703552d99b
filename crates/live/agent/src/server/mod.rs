//! The core on a real socket: one thread that waits for all connections at once, and one beside it for policies that compute.
//!
//! Nobody who is connected can make it wait: sockets never block, each connection is read a piece at a time in turn, and what one does
//! not read waits in its own queue until it is full.

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

/// Whom an agent tells what happens. None of it may wait for long.
pub trait Outside {
    /// Applications can connect.
    fn listening(&mut self);
    /// A person shall read this line.
    fn report(&mut self, line: &str);
    /// Something was decided.
    fn decided(&mut self, decided: &Decided);
    /// Nothing more will be decided.
    fn no_more_decisions(&mut self);
}

/// An agent that is to be started.
pub struct Agent<'a> {
    /// What it decides by.
    pub settings: Settings,
    /// Who decides; `None` where nobody does.
    pub policy: Option<Box<dyn Policy + Send>>,
    /// Where it listens.
    pub socket: Socket,
    /// The nodes of this host, where they are the machine of the agent.
    pub host: Option<Vec<NodeCores>>,
    /// Becomes readable when the agent has to stop: [`Signals`], or a socket whose other end is closed.
    pub stop: Box<dyn AsFd>,
    /// Whom it moves beside those who connect.
    pub adopted: Box<dyn Adopted>,
    /// Whom it tells what happens.
    pub outside: &'a mut dyn Outside,
}

/// Why an agent cannot start, or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system refuses.
    #[error("cannot {what}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// A process cannot be taken in.
    #[error("cannot adopt '{name}': {why}")]
    Adopt {
        /// Its name.
        name: String,
        /// Why not.
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
/// [`ServeError`]; the socket is removed then, too.
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
    /// Connections so far.
    number: u64,
    /// Until then nobody new is taken: there was no room.
    full_until: Option<Duration>,
    /// Connections on which nothing can be written any more, but perhaps be read.
    broken: Vec<ConnectionId>,
    /// Room for what is read.
    piece: Vec<u8>,
    /// For so long applications are left alone after one was read.
    calm: Duration,
    /// Until then they are.
    calm_until: Duration,
    load: Option<NodeLoad>,
    /// When adopted processes are looked at again; `None` without any.
    look: Option<Pace>,
    /// Who asked for the end.
    asked_by: Option<ConnectionId>,
    ending: bool,
    own_uid: u32,
}

impl<'a> Server<'a> {
    fn start(agent: Agent<'a>) -> Result<Self, ServeError> {
        /// Without a period adopted processes are looked at as often as with the usual one.
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

    /// Does what the core wants, until it wants nothing more.
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

    /// The thread beside has an answer.
    fn answered(&mut self) {
        let answers = self.decider.as_mut().map(Decider::answers).unwrap_or_default();
        for (question, answer) in answers {
            self.core.decided(question, answer, self.start.elapsed());
        }
        self.work();
    }

    /// What is looked at from time to time: load, and adopted processes.
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
