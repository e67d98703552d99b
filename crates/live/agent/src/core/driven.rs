//! An agent driven by bytes: the data of several connections, its times, and its division into pieces (feature `testing`).
//!
//! For property tests and fuzzing. [`drive`] reads the bytes as steps, carries them out on a [`Core`] as the server does, and checks
//! every effect: assertions there exclude effects that must never happen.

mod input;

use std::collections::BTreeMap;
use std::time::Duration;

use numasim_policy::{Policy, PolicyName};
use numasim_protocol::{AgentStatus, Control, FromAgent, FromApp, Lines, Order};

pub use input::LINES;
use input::{POLICIES, line, study};

use super::{ConnectionId, Core, Decided, Effect, Peer, Question, Settings};

/// Maximum number of simultaneous connections.
const CONNECTIONS: u8 = 4;

/// The messages sent and received on a connection.
#[derive(Default)]
struct Heard {
    lines: Lines,
    /// From its hello, after the welcome.
    control: Option<Control>,
    threads: Vec<u32>,
    /// The last hello that was sent.
    hello: Option<(Control, Vec<u32>)>,
    orders: Vec<Order>,
}

/// The agent, and the records of the checks.
struct Driven {
    core: Core,
    policy: Option<Box<dyn Policy + Send>>,
    now: Duration,
    /// Connections that are open for the agent, by their index in the bytes.
    open: BTreeMap<u8, ConnectionId>,
    heard: BTreeMap<ConnectionId, Heard>,
    /// Number of connections so far.
    connections: u64,
    questions: Vec<Question>,
    /// Number of processes that were adopted, and orders to them that were not carried out yet.
    adopted: usize,
    binds: Vec<(usize, u64)>,
    /// Keeps questions for later steps.
    is_slow: bool,
    ending: bool,
    /// All effects, for comparison with another run.
    done: Vec<String>,
}

/// Carries out the steps in `bytes`; returns all effects, in order.
///
/// # Panics
/// If an agent violates a rule.
pub fn drive(bytes: &[u8]) -> Vec<String> {
    let mut bytes = bytes.iter().copied();
    let first = bytes.next().unwrap_or_default();
    let name = POLICIES.get(usize::from(first & 7)).copied().unwrap_or_default();
    let period = if first & 8 == 0 { Duration::ZERO } else { Duration::from_millis(80) };
    let mut driven = Driven::new(name, period, first & 16 != 0, first & 32 != 0);
    driven.effects();
    while let Some(step) = bytes.next() {
        driven.step(step, &mut bytes);
    }
    driven.done
}

impl Driven {
    fn new(policy: &str, period: Duration, dry_run: bool, is_slow: bool) -> Self {
        let study = study();
        let policy: PolicyName = policy.parse().unwrap_or(PolicyName::FairShare);
        let made = policy.make(&study).unwrap_or_default();
        let looks = made.as_ref().map(|policy| policy.looks_at());
        let settings = Settings { study, policy, period, dry_run, pid: 7, socket: "/s".to_owned() };
        Self {
            core: Core::new(settings, looks),
            policy: made,
            now: Duration::ZERO,
            open: BTreeMap::new(),
            heard: BTreeMap::new(),
            connections: 0,
            questions: Vec::new(),
            adopted: 0,
            binds: Vec::new(),
            is_slow,
            ending: false,
            done: Vec::new(),
        }
    }

    fn step(&mut self, step: u8, bytes: &mut impl Iterator<Item = u8>) {
        let place = (step >> 3) % CONNECTIONS;
        let mut next = || bytes.next().unwrap_or_default();
        match step & 7 {
            0 => self.connect(place),
            1 => self.end(place),
            2 => {
                // Up to 2.55 s: beyond every timeout.
                self.now += Duration::from_millis(10 * u64::from(next()));
                self.core.tick(self.now);
            }
            3 => {
                let many = next();
                let raw: Vec<u8> = (0..many).map(|_| next()).collect();
                self.bytes(place, &raw);
            }
            4 => {
                let line = line(next());
                self.bytes(place, &line);
            }
            5 => {
                let (mut line, at, byte) = (line(next()), usize::from(next()), next());
                let length = line.len();
                if let Some(old) = line.get_mut(at % length) {
                    *old = byte;
                }
                self.bytes(place, &line);
            }
            6 => {
                if !self.questions.is_empty() {
                    let question = self.questions.remove(0);
                    self.answer(question);
                }
            }
            _ => self.adopted(next()),
        }
        self.effects();
        self.look();
    }

    fn connect(&mut self, place: u8) {
        if self.open.contains_key(&place) {
            return;
        }
        let id = ConnectionId(self.connections);
        self.connections += 1;
        self.open.insert(place, id);
        self.heard.insert(id, Heard::default());
        self.core.connected(id, Peer { pid: Some(100), uid: 1 }, self.now);
    }

    fn end(&mut self, place: u8) {
        if let Some(&id) = self.open.get(&place) {
            self.core.ended(id, "end of file", self.now);
        }
    }

    /// As the server: complete lines go in as long as the agent has the connection open.
    fn bytes(&mut self, place: u8, bytes: &[u8]) {
        let Some(&id) = self.open.get(&place) else { return };
        let Some(heard) = self.heard.get_mut(&id) else { return };
        heard.lines.push(bytes);
        loop {
            let Some(heard) = self.heard.get_mut(&id) else { return };
            match heard.lines.next_line() {
                Ok(Some(line)) => {
                    let line = line.to_vec();
                    if let (None, Ok(FromApp::Hello(hello))) = (&heard.control, FromApp::parse(&line)) {
                        heard.hello = Some((hello.control, hello.threads));
                    }
                    self.core.line(id, &line, self.now);
                }
                Ok(None) => return,
                Err(_) => self.core.line_too_long(id),
            }
            self.effects();
            if !self.core.is_open(id) {
                return;
            }
        }
    }

    fn answer(&mut self, question: Question) {
        let Some(policy) = &mut self.policy else { return };
        let answer = policy.decide(&question.view);
        self.core.decided(question, answer, self.now);
    }

    fn adopted(&mut self, byte: u8) {
        match byte & 3 {
            // Two names, one of which is in the files; numbers are never reused.
            0 if self.adopted < 8 => {
                let name = if byte & 4 == 0 { "a" } else { "x" };
                let _ = self.core.adopt(self.adopted, name, Peer { pid: Some(9), uid: 1 }, self.now);
                self.adopted += 1;
            }
            1 => self.core.adopted_ended(usize::from(byte >> 2), self.now),
            done => {
                let bind = (!self.binds.is_empty()).then(|| self.binds.remove(0));
                let Some((number, seq)) = bind else { return };
                let done = if done == 2 { Ok(()) } else { Err("cannot".to_owned()) };
                self.core.bound(number, seq, done);
            }
        }
    }

    fn effects(&mut self) {
        loop {
            let effects = self.core.take_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                self.done.push(format!("{effect:?}"));
                match effect {
                    Effect::Send { to, line } => self.sent(to, &line),
                    Effect::Close(id) => {
                        assert!(self.heard.remove(&id).is_some(), "{id:?} is closed twice");
                        self.open.retain(|_, open| *open != id);
                    }
                    Effect::Report(line) => {
                        assert!(!line.contains(char::is_control), "a line for a terminal: {line:?}");
                    }
                    Effect::Ask(question) => {
                        assert!(!self.ending && self.questions.is_empty(), "one question at a time");
                        if self.is_slow {
                            self.questions.push(*question);
                        } else {
                            self.answer(*question);
                        }
                    }
                    Effect::Decided(decided) => look_at(&decided),
                    Effect::Bind { adopted, seq, cores } => {
                        self.binds.push((adopted, seq));
                        assert!(!cores.is_empty() && cores.is_sorted_by(|a, b| a < b), "{cores:?}");
                        assert!(cores.iter().all(|&core| core < 3), "{cores:?}");
                    }
                    Effect::End { .. } => self.ending = true,
                }
            }
        }
    }

    /// Messages to applications conform to the protocol, and each application could follow them.
    fn sent(&mut self, to: ConnectionId, line: &str) {
        let Some(heard) = self.heard.get_mut(&to) else { panic!("{to:?} is closed, and hears {line}") };
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1, "{line:?}");
        let text = line.trim_end().as_bytes();
        match FromAgent::parse(text) {
            Ok(FromAgent::Welcome(welcome)) => {
                assert!(heard.control.is_none(), "two welcomes");
                let Some((control, threads)) = heard.hello.take() else {
                    panic!("a welcome without a hello")
                };
                assert!(!(welcome.hold && control == Control::None), "{line}");
                (heard.control, heard.threads) = (Some(control), threads);
            }
            Ok(FromAgent::Set { seq, order }) => {
                assert_eq!(Some(order.control()), heard.control, "{line}");
                assert_ne!(heard.orders.last(), Some(&order), "the same again");
                match &order {
                    Order::PerNode(threads) => {
                        assert_eq!(threads.len(), heard.threads.len());
                        assert!(threads.iter().zip(&heard.threads).all(|(a, b)| a <= b), "{line}");
                    }
                    Order::Total(total) => assert!(*total <= heard.threads.iter().sum(), "{line}"),
                    Order::Cores(cores) => {
                        assert!(
                            cores.is_sorted_by(|a, b| a < b) && cores.iter().all(|&core| core < 3),
                            "{line}"
                        );
                    }
                }
                heard.orders.push(order);
                assert_eq!(usize::try_from(seq).ok(), Some(heard.orders.len()), "{line}");
            }
            Ok(_) => {}
            Err(why) => assert!(AgentStatus::parse(text).is_ok(), "{line}: {why}"),
        }
    }

    /// Its status agrees with the observed events.
    fn look(&self) {
        let status = self.core.status(self.now);
        assert_eq!(AgentStatus::parse(status.line().trim_end().as_bytes()).as_ref(), Ok(&status));
        let closed = status.closed.bye + status.closed.lost + status.closed.refused;
        assert!(closed <= self.connections, "{status:?}");
        for app in &status.apps {
            assert!(app.acked <= app.seq && (app.seq == 0 || app.target.is_some()), "{app:?}");
            assert_eq!(status.apps.iter().filter(|other| other.name == app.name).count(), 1);
        }
        assert!(self.core.next_tick().is_none_or(|next| next <= self.now + Duration::from_secs(3)));
    }
}

/// A decision concerns applications that are present, each once.
fn look_at(decided: &Decided) {
    let names: Vec<&str> = decided.apps.iter().map(|seen| seen.name.as_str()).collect();
    for action in &decided.actions {
        assert!(names.contains(&action.app.as_str()), "{} is not there", action.app);
    }
    let twice =
        names.iter().enumerate().find(|(n, name)| names.iter().skip(n + 1).any(|other| other == *name));
    assert!(twice.is_none(), "{names:?}");
}
