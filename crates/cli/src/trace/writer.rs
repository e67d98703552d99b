//! Writes a trace while a simulation runs.

use std::cell::Cell;
use std::io::{self, Write};

use numasim_dynamic::Observer;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_model::{AppId, ModelKind, Study};
use numasim_policy::{AppView, PolicyName, Presence, View};
use numasim_protocol::Action;
use numasim_study::SourceFile;

use super::record::{Decision, InputFile, Line, SCHEMA, Seen, Start, json};

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
pub(super) fn first_line(of: &Of<'_>) -> String {
    let Of { study, sources, policy, model, looks_at_work: _ } = *of;
    let file = |source: &SourceFile| InputFile { path: source.name.clone(), text: source.text.clone() };
    let start = Start {
        schema: SCHEMA,
        program: concat!("numasim ", env!("CARGO_PKG_VERSION")).to_owned(),
        policy: policy.to_string(),
        period_ms: study.dynamics.policy.period.value() * 1e3,
        cores: study.machine.nodes().iter().map(|node| node.cores).collect(),
        files: sources.iter().map(file).collect(),
        model: model.map(|kind| kind.name().to_owned()),
    };
    json(&Line::Start(start))
}

/// Decisions as lines: those that send something, and those whose view differs from the one before.
#[derive(Debug)]
pub(super) struct Decisions {
    /// Whether the policy looks at the work that is left, and at the time: then no view is like the one before.
    looks_at_work: bool,
    /// What was written last.
    last: Option<(Vec<Seen>, Vec<String>)>,
}

impl Decisions {
    pub(super) fn new(looks_at_work: bool) -> Self {
        Self { looks_at_work, last: None }
    }

    /// An application as the policy saw it.
    pub(super) fn seen(&self, name: &str, view: &AppView) -> Seen {
        Seen::new(name, view, self.looks_at_work)
    }

    /// The line of a decision, without its end; `None` where it says nothing new.
    pub(super) fn line(
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
