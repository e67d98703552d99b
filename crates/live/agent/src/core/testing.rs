//! An agent without a system, for the tests of this crate.

use std::time::Duration;

use numasim_course::{Study, read_study};
use numasim_policy::{Policy, PolicyName};
use numasim_study::SourceFile;

use super::{Action, ConnectionId, Core, Decided, Effect, Peer, Settings};

/// Two nodes of four cores.
pub(crate) const MACHINE: &str = "[machine]\nname = \"M\"\nbandwidth_gbs = 32.0\nlink_gbs = 10.0\n\
    [[machine.node]]\ncores = 4\ngflops_per_core = 10.0\n[[machine.node]]\ncores = 4\ngflops_per_core = 10.0\n";

/// An application of the files.
pub(crate) fn app(name: &str) -> String {
    format!("[[app]]\nname = \"{name}\"\narithmetic_intensity = 10.0\nwork_gflop = 100.0\niterations = 100\n")
}

pub(crate) fn study(text: &str) -> Study {
    let text = text.to_owned();
    read_study(&[SourceFile { name: "test.toml".to_owned(), text }]).expect("a sound file").study
}

/// A core with its policy, which answers immediately.
pub(crate) struct Agent {
    pub(crate) core: Core,
    policy: Option<Box<dyn Policy + Send>>,
    now: Duration,
    /// Sent lines, with their connections.
    pub(crate) sent: Vec<(u64, String)>,
    pub(crate) closed: Vec<u64>,
    pub(crate) reports: Vec<String>,
    pub(crate) decided: Vec<Decided>,
    pub(crate) bound: Vec<(usize, u64, Vec<u32>)>,
    pub(crate) ended_by: Option<u64>,
    /// Keeps questions instead of answering them.
    pub(crate) is_slow: bool,
    pub(crate) open: Vec<super::Question>,
}

impl Agent {
    /// With `machine` and applications in `text`.
    pub(crate) fn new(text: &str, policy: &str, period_ms: u64) -> Self {
        Self::with(text, policy, period_ms, false)
    }

    pub(crate) fn with(text: &str, policy: &str, period_ms: u64, dry_run: bool) -> Self {
        let study = study(text);
        let policy: PolicyName = policy.parse().expect("a policy");
        let made = policy.make(&study).expect("a policy for this");
        let looks = made.as_ref().map(|policy| policy.looks_at());
        let period = Duration::from_millis(period_ms);
        let socket = "/run/agent.sock".to_owned();
        let core = Core::new(Settings { study, policy, period, dry_run, pid: 7, socket }, looks);
        let mut agent = Self {
            core,
            policy: made,
            now: Duration::ZERO,
            sent: Vec::new(),
            closed: Vec::new(),
            reports: Vec::new(),
            decided: Vec::new(),
            bound: Vec::new(),
            ended_by: None,
            is_slow: false,
            open: Vec::new(),
        };
        agent.at(0);
        agent
    }

    fn work(&mut self) {
        loop {
            let effects = self.core.take_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                match effect {
                    Effect::Send { to, line } => {
                        let line = line.strip_suffix('\n').expect("a whole line");
                        self.sent.push((to.0, line.to_owned()));
                    }
                    Effect::Close(id) => self.closed.push(id.0),
                    Effect::Report(line) => self.reports.push(line),
                    Effect::Ask(question) if self.is_slow => self.open.push(*question),
                    Effect::Ask(question) => self.answer(*question),
                    Effect::Decided(decided) => self.decided.push(*decided),
                    Effect::Bind { adopted, seq, cores } => self.bound.push((adopted, seq, cores)),
                    Effect::End { asked_by } => self.ended_by = Some(asked_by.0),
                }
            }
        }
    }

    /// Answers a question.
    pub(crate) fn answer(&mut self, question: super::Question) {
        let policy = self.policy.as_mut().expect("somebody who decides");
        let answer = policy.decide(&question.view);
        self.core.decided(question, answer, self.now);
        self.work();
    }

    /// Time passes until then.
    pub(crate) fn at(&mut self, ms: u64) -> &mut Self {
        self.now = Duration::from_millis(ms);
        self.core.tick(self.now);
        self.work();
        self
    }

    /// Connects process 100 + `id`.
    pub(crate) fn connect(&mut self, id: u64) -> &mut Self {
        let pid = u32::try_from(100 + id).ok();
        self.core.connected(ConnectionId(id), Peer { pid, uid: 1000 }, self.now);
        self.work();
        self
    }

    pub(crate) fn line(&mut self, id: u64, line: &str) -> &mut Self {
        self.bytes(id, line.as_bytes())
    }

    pub(crate) fn bytes(&mut self, id: u64, line: &[u8]) -> &mut Self {
        self.core.line(ConnectionId(id), line, self.now);
        self.work();
        self
    }

    pub(crate) fn end(&mut self, id: u64) -> &mut Self {
        self.core.ended(ConnectionId(id), "the connection ended without a bye", self.now);
        self.work();
        self
    }

    pub(crate) fn adopt(&mut self, number: usize, name: &str) -> Result<(), String> {
        let done = self.core.adopt(number, name, Peer { pid: Some(500), uid: 1000 }, self.now);
        self.work();
        done
    }

    /// Connects, and sends a hello with these threads.
    pub(crate) fn hello(&mut self, id: u64, name: &str, control: &str, threads: &[u32]) -> &mut Self {
        let hello = format!(
            r#"{{"type":"hello","version":1,"name":"{name}","control":"{control}","threads":{threads:?}}}"#
        );
        self.connect(id).line(id, &hello)
    }

    /// Sends the status that all threads are idle, at this iteration.
    pub(crate) fn status(&mut self, id: u64, progress: u64, waiting: &str) -> &mut Self {
        self.line(
            id,
            &format!(
                r#"{{"type":"status","running":[0,0],"blocked":[0,0],"progress":{progress},"waiting":"{waiting}"}}"#
            ),
        )
    }

    /// Lines that were sent on a connection since the last call.
    pub(crate) fn heard(&mut self, id: u64) -> Vec<String> {
        let (mine, others) = std::mem::take(&mut self.sent).into_iter().partition(|(to, _)| *to == id);
        self.sent = others;
        mine.into_iter().map(|(_, line): (u64, String)| line).collect()
    }

    /// The `set` messages that were sent on a connection since the last call.
    pub(crate) fn sets(&mut self, id: u64) -> Vec<String> {
        let heard = self.heard(id);
        heard.into_iter().filter(|line| line.starts_with(r#"{"type":"set""#)).collect()
    }

    pub(crate) fn shown(&self) -> numasim_protocol::AgentStatus {
        self.core.status(self.now)
    }

    /// Actions of all decisions, in short.
    pub(crate) fn actions(&self) -> Vec<(String, u64)> {
        let all = self.decided.iter().flat_map(|decided| &decided.actions);
        all.map(|Action { app, seq, .. }| (app.clone(), *seq)).collect()
    }
}
