//! The observations and decisions of a policy, as lines of JSON: written by a simulation or an agent, and repeated with the policy.

use std::cell::Cell;
use std::io::{self, BufRead, Read as _, Write};

use numasim_agent::record::{Decisions, Line, Of, first_line};
use numasim_course::Study;
use numasim_dynamic::Observer;
use numasim_model::AppId;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_policy::{Presence, View};
use numasim_protocol::Action;

use crate::failure::Failure;
use crate::trace::replay::{no_trace, unreadable};

pub(crate) mod replay;

// The lines of a file in sequence, with numbers; an incomplete last line is distinguished.

/// The longest line of a trace: the first one contains the input files.
const LONGEST: u64 = 256 << 20;

/// One line.
enum Numbered {
    /// Its number, from 1, and its text.
    Whole(usize, String),
    /// The last line, which is incomplete because its writer has not finished it.
    Torn(usize),
}

/// The reason why a line cannot be read.
enum Unreadable {
    /// The system refuses.
    System(io::Error),
    /// This line is too long.
    TooLong(usize),
    /// This line is not UTF-8.
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

// The times of the commands in a trace to each application.

/// The time of each command since the writer of the trace began, and its application. If applications took turns as the agent, time
/// starts with the first turn.
///
/// # Errors
/// A file that is not a trace, with the location. An incomplete last line is left out.
pub(crate) fn orders(name: &str, from: impl BufRead) -> Result<Vec<(Seconds, String)>, Failure> {
    let mut lines = Lines::new(from);
    let mut found = Vec::new();
    let mut is_first = true;
    // The clock at the first turn, and the time from there to the current turn.
    let (mut began, mut since) = (None, 0.0);
    while let Some(line) = lines.next().map_err(|error| unreadable(name, error))? {
        let Numbered::Whole(number, text) = line else { continue };
        match serde_json::from_str(&text) {
            Ok(Line::Start(_)) if is_first => {}
            Ok(Line::Decision(decision)) if !is_first => {
                let at = Seconds::new(since + decision.time_s);
                found.extend(decision.actions.into_iter().map(|action| (at, action.app)));
            }
            Ok(Line::Turn(turn)) if !is_first => since = turn.clock_s - *began.get_or_insert(turn.clock_s),
            Ok(_) => return Err(no_trace(name, &format!("line {number} is in the wrong position"))),
            Err(error) => return Err(no_trace(name, &format!("line {number}: {error}"))),
        }
        is_first = false;
    }
    Ok(found)
}

/// The host's monotonic clock, in s, when the first application began its turn as the agent; `None` if a separate agent served.
///
/// # Errors
/// As [`orders`].
#[cfg(target_os = "linux")]
pub(crate) fn first_turn_s(name: &str, from: impl BufRead) -> Result<Option<f64>, Failure> {
    let mut lines = Lines::new(from);
    lines.next().map_err(|error| unreadable(name, error))?;
    match lines.next().map_err(|error| unreadable(name, error))? {
        Some(Numbered::Whole(_, text)) => match serde_json::from_str(&text) {
            Ok(Line::Turn(turn)) => Ok(Some(turn.clock_s)),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

// Writes a trace while a simulation runs.

/// Observes a simulation, and writes the observations and decisions of the policy.
pub(crate) struct TraceWriter<'a> {
    study: &'a Study,
    out: &'a mut dyn Write,
    decisions: Decisions,
    /// Number of commands to each application.
    sent: Vec<u64>,
    /// Set if writing fails, so that the remaining lines are not needed.
    broken: &'a Cell<bool>,
    failed: Option<io::Error>,
}

impl<'a> TraceWriter<'a> {
    /// Writes the first line.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(crate) fn start(out: &'a mut dyn Write, of: &Of<'a>, broken: &'a Cell<bool>) -> io::Result<Self> {
        writeln!(out, "{}", first_line(of))?;
        let sent = vec![0; of.study.apps.len()];
        let decisions = Decisions::new(of.looks_at_work);
        Ok(Self { study: of.study, out, decisions, sent, broken, failed: None })
    }

    /// Checks that everything was written.
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

impl Observer for TraceWriter<'_> {
    fn decision(&mut self, view: &View, orders: &[(AppId, Order, Option<String>)]) {
        if self.failed.is_none() {
            self.failed = self.write(view, orders).err();
            self.broken.set(self.broken.get() || self.failed.is_some());
        }
    }
}
