//! What a policy saw and decided, as lines of JSON: written by a simulation or an agent, and asked of the policy again.

use std::cell::Cell;
use std::io::{self, BufRead, Read as _, Write};

pub(crate) use agent::AgentRecord;
use numasim_course::Study;
use numasim_dynamic::Observer;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_model::{AppId, ModelKind};
use numasim_policy::{AppView, PolicyName, Presence, View};
use numasim_protocol::Action;
use numasim_study::SourceFile;

use crate::failure::Failure;
use crate::trace::agent::{Decision, InputFile, Line, SCHEMA, Seen, Start, json};
use crate::trace::replay::{no_trace, unreadable};

#[cfg(target_os = "linux")]
mod agent;
pub(crate) mod replay;

// The machine of an agent whose files have none: its host.

/// Whether the text of a file has a machine.
pub(crate) fn has_machine(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("machine"))
}

/// A file with a host that has so many cores on each node. Of an agent's host, policies know the cores only: whoever computes
/// needs a machine.
pub(crate) fn host_of(name: String, cores: &[u32]) -> SourceFile {
    let node = |&cores: &u32| {
        let gflops = if cores == 0 { 0.0 } else { 1.0 };
        format!("[[machine.node]]\ncores = {cores}\ngflops_per_core = {gflops:?}\n")
    };
    let nodes: String = cores.iter().map(node).collect();
    let text = format!("[machine]\nname = \"host\"\nbandwidth_gbs = 1.0\nlink_gbs = 1.0\n{nodes}");
    SourceFile { name, text }
}

// The lines of a file, one after the other, numbered; a last one without its end is told apart.

/// The longest line of a trace: the first one has the input files in it.
const LONGEST: u64 = 256 << 20;

/// One line.
enum Numbered {
    /// Its number, from 1, and its text.
    Whole(usize, String),
    /// The last line, which does not end: somebody was writing it.
    Torn(usize),
}

/// Why a line cannot be read.
enum Unreadable {
    /// The system refuses.
    System(io::Error),
    /// This line is too long.
    TooLong(usize),
    /// This line is no UTF-8.
    NoText(usize),
}

/// Lines of a file.
struct Lines<R> {
    from: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    fn new(from: R) -> Self {
        Self { from, number: 0 }
    }

    /// The next line; `None` at the end.
    fn next(&mut self) -> Result<Option<Numbered>, Unreadable> {
        let mut bytes = Vec::new();
        let read =
            (&mut self.from).take(LONGEST).read_until(b'\n', &mut bytes).map_err(Unreadable::System)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if bytes.pop_if(|&mut last| last == b'\n').is_none() {
            return if read as u64 == LONGEST {
                Err(Unreadable::TooLong(self.number))
            } else {
                Ok(Some(Numbered::Torn(self.number)))
            };
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(Numbered::Whole(self.number, text))),
            Err(_) => Err(Unreadable::NoText(self.number)),
        }
    }
}

// When a trace says that each application was told something.

/// The time of each order since whoever wrote the trace began, and whom it was for.
///
/// # Errors
/// A file that is no trace, located. A last line that does not end is left out.
pub(crate) fn orders(name: &str, from: impl BufRead) -> Result<Vec<(Seconds, String)>, Failure> {
    let mut lines = Lines::new(from);
    let mut found = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next().map_err(|error| unreadable(name, error))? {
        let Numbered::Whole(number, text) = line else { continue };
        match serde_json::from_str(&text) {
            Ok(Line::Start(_)) if is_first => {}
            Ok(Line::Decision(decision)) if !is_first => {
                let at = Seconds::new(decision.time_s);
                found.extend(decision.actions.into_iter().map(|action| (at, action.app)));
            }
            Ok(_) => return Err(no_trace(name, &format!("line {number} is not where it belongs"))),
            Err(error) => return Err(no_trace(name, &format!("line {number}: {error}"))),
        }
        is_first = false;
    }
    Ok(found)
}

// Writes a trace while a simulation runs.

/// Looks on at a simulation, and writes what the policy sees and decides.
pub(crate) struct TraceWriter<'a> {
    study: &'a Study,
    out: &'a mut dyn Write,
    decisions: Decisions,
    /// How many orders each application got.
    sent: Vec<u64>,
    /// Set where writing fails: then nobody needs the rest.
    broken: &'a Cell<bool>,
    failed: Option<io::Error>,
}

/// What the first line says.
pub(crate) struct Of<'a> {
    pub(crate) study: &'a Study,
    pub(crate) sources: &'a [SourceFile],
    pub(crate) policy: &'a PolicyName,
    /// The sharing model, where the command line chose it.
    pub(crate) model: Option<ModelKind>,
    /// Whether the policy looks at the work that is left, and at the time.
    pub(crate) looks_at_work: bool,
}

impl<'a> TraceWriter<'a> {
    /// Writes the first line.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn start(out: &'a mut dyn Write, of: &Of<'a>, broken: &'a Cell<bool>) -> io::Result<Self> {
        writeln!(out, "{}", first_line(of))?;
        let sent = vec![0; of.study.apps.len()];
        let decisions = Decisions::new(of.looks_at_work);
        Ok(Self { study: of.study, out, decisions, sent, broken, failed: None })
    }

    /// That everything was written.
    ///
    /// # Errors
    /// The first error of the output.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn write(&mut self, view: &View, orders: &[(AppId, Order, Option<String>)]) -> io::Result<()> {
        let mut apps = Vec::new();
        let mut gone = Vec::new();
        for (app, seen) in self.study.apps.iter().zip(&view.apps) {
            match seen.presence {
                Presence::There => apps.push(self.decisions.seen(&app.name, seen)),
                Presence::Gone => gone.push(app.name.clone()),
                Presence::Ahead => {}
            }
        }
        let mut actions = Vec::with_capacity(orders.len());
        for (app, order, why) in orders {
            let Some(seq) = self.sent.get_mut(app.0) else { continue };
            *seq += 1;
            let app = self.study.apps[app.0].name.clone();
            actions.push(Action { app, seq: *seq, order: order.clone(), why: why.clone() });
        }
        match self.decisions.line(view.time, apps, gone, actions) {
            Some(line) => writeln!(self.out, "{line}"),
            None => Ok(()),
        }
    }
}

/// What everything else depends on, as a line without its end.
fn first_line(of: &Of<'_>) -> String {
    let Of { study, sources, policy, model, looks_at_work: _ } = *of;
    let file = |source: &SourceFile| InputFile { path: source.name.clone(), text: source.text.clone() };
    let start = Start {
        schema: SCHEMA,
        program: concat!("numasim ", env!("CARGO_PKG_VERSION")).to_owned(),
        policy: policy.to_string(),
        period_ms: study.dynamics.policy.period.value() * 1e3,
        cores: study.machine.nodes().iter().map(|node| node.cores).collect(),
        files: sources.iter().map(file).collect(),
        model: model.map(|kind| kind.as_str().to_owned()),
    };
    json(&Line::Start(start))
}

/// Decisions as lines: those that send something, and those whose view differs from the one before.
#[derive(Debug)]
struct Decisions {
    /// Whether the policy looks at the work that is left, and at the time: then no view is like the one before.
    looks_at_work: bool,
    /// What was written last.
    last: Option<(Vec<Seen>, Vec<String>)>,
}

impl Decisions {
    fn new(looks_at_work: bool) -> Self {
        Self { looks_at_work, last: None }
    }

    /// An application as the policy saw it.
    fn seen(&self, name: &str, view: &AppView) -> Seen {
        Seen::new(name, view, self.looks_at_work)
    }

    /// The line of a decision, without its end; `None` where it says nothing new.
    fn line(
        &mut self,
        time: Seconds,
        apps: Vec<Seen>,
        gone: Vec<String>,
        actions: Vec<Action>,
    ) -> Option<String> {
        let seen = (apps, gone);
        if !self.looks_at_work && actions.is_empty() && self.last.as_ref() == Some(&seen) {
            return None;
        }
        let (apps, gone) = seen.clone();
        self.last = Some(seen);
        Some(json(&Line::Decision(Decision { time_s: time.value(), apps, gone, actions })))
    }
}

impl Observer for TraceWriter<'_> {
    fn decision(&mut self, view: &View, orders: &[(AppId, Order, Option<String>)]) {
        if self.failed.is_none() {
            self.failed = self.write(view, orders).err();
            self.broken.set(self.broken.get() || self.failed.is_some());
        }
    }
}
