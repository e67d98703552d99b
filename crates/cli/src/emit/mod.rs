//! From an allocation to what puts it on a machine: a shell script, or a part of one, for each kind of tool.
//!
//! Each kind is a module of pure functions; what all have in common is here: the head of the script, a comment for each
//! application, the `wait` at the end. The applications run side by side, because that is what was computed.

mod cgroup;
mod hwloc;
mod job;
mod likwid;
mod numactl;
mod omp;
pub(crate) mod processors;
mod slurm;
pub(crate) mod words;

use std::fmt::Write as _;

use numasim_draw::grid::wrap;
use numasim_model::pinning::PinError;

use crate::args::EmitKind;
use crate::failure::Failure;
use crate::shell::Shell;
use crate::view::ScenarioView;
use job::Job;

/// Columns of the comments.
const WIDTH: usize = 98;

/// What one kind of tool writes.
struct Tool {
    /// Right below the first line, before any comment is read.
    directives: &'static [&'static str],
    /// What to know before running it.
    notes: &'static [&'static str],
    /// Commands before the first application.
    start: &'static str,
    /// The command line of one application, without the `&`.
    command: fn(&Job<'_>) -> String,
    /// Commands after the last application has ended.
    end: fn(&[Job<'_>]) -> String,
}

/// The script, and what it cannot put on the machine as it was computed.
struct Script {
    /// The text.
    text: String,
    /// One sentence for each application whose data will lie elsewhere.
    warnings: Vec<String>,
}

/// The text of the script; what it cannot do goes to standard error.
pub(crate) fn script_with_warnings(
    kind: EmitKind,
    view: &ScenarioView<'_>,
    facts: &[(&str, String)],
    shell: &Shell,
) -> Result<String, Failure> {
    let script = script(kind, view, facts)
        .map_err(|error| Failure::fault("cannot put the allocation on processors").caused_by(&error))?;
    for warning in script.warnings {
        shell.warn(warning);
    }
    Ok(script.text)
}

/// Writes the script of `kind` for the allocation of `view`; `facts` are the lines of its head.
///
/// # Errors
/// [`PinError`] if processors are not known, or too few.
fn script(kind: EmitKind, view: &ScenarioView<'_>, facts: &[(&str, String)]) -> Result<Script, PinError> {
    let tool = match kind {
        EmitKind::Numactl => numactl::TOOL,
        EmitKind::Omp => omp::TOOL,
        EmitKind::Slurm => slurm::TOOL,
        EmitKind::Hwloc => hwloc::TOOL,
        EmitKind::Cgroup => cgroup::TOOL,
        EmitKind::Likwid => likwid::TOOL,
    };
    let jobs = job::jobs(view)?;
    // Writing to a String cannot fail.
    let mut text = String::from("#!/bin/sh\n");
    for directive in tool.directives {
        let _ = writeln!(text, "{directive}");
    }
    let width = facts.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    for (key, value) in facts {
        comment(&mut text, &format!("{key:width$}  "), value);
    }
    text.push_str("#\n");
    comment(&mut text, "", "Replace each ./NAME by the command that starts the application.");
    for note in tool.notes {
        comment(&mut text, "", note);
    }
    if jobs.iter().any(Job::needs_first_touch) {
        comment(&mut text, "", FIRST_TOUCH);
    }
    if !tool.start.is_empty() {
        text.push('\n');
        text.push_str(tool.start);
    }
    let (started, idle): (Vec<Job<'_>>, Vec<Job<'_>>) = jobs.into_iter().partition(|job| job.threads() > 0);
    for job in &started {
        text.push('\n');
        comment(&mut text, "", &format!("{}: {}", job.name, job.description));
        if let Some(inexact) = &job.inexact {
            comment(&mut text, "NOT AS COMPUTED: ", inexact);
        }
        let _ = writeln!(text, "{} &", (tool.command)(job));
    }
    if !idle.is_empty() {
        let names: Vec<&str> = idle.iter().map(|job| job.name).collect();
        text.push('\n');
        comment(&mut text, "", &format!("No thread in this allocation, not started: {}", names.join(", ")));
    }
    text.push_str("\nwait\n");
    text.push_str(&(tool.end)(&started));
    let warnings = started
        .iter()
        .filter_map(|job| job.inexact.as_ref().map(|inexact| format!("'{}': {inexact}", job.name)))
        .collect();
    Ok(Script { text, warnings })
}

const FIRST_TOUCH: &str = "Linux puts memory on the node of the thread that writes to it first: where data is local \
                           and threads run on several nodes, each thread has to initialise its own part.";

/// A comment; lines after the first are indented below the text.
fn comment(text: &mut String, key: &str, words: &str) {
    let indent = " ".repeat(key.chars().count());
    for (index, line) in wrap(words, WIDTH - 2 - indent.len()).iter().enumerate() {
        let line = format!("# {}{line}", if index == 0 { key } else { &indent });
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// For tools with nothing to tidy up.
fn nothing(_: &[Job<'_>]) -> String {
    String::new()
}
