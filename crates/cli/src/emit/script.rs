//! Scripts of one command for each application: the head, a comment for each application, the `wait` at the end. The applications run
//! side by side, as assumed in the computation.

use std::fmt::Write as _;

use crate::emit::job::Job;
use crate::emit::text::{comment, facts, not_started};
use crate::emit::{FIRST_TOUCH, Target, WEIGHTS, weights};

/// The writer of one kind of tool.
pub(super) struct Tool {
    /// Directly after the first line, before all comments.
    pub(super) directives: &'static [&'static str],
    /// Notes for people, in the head.
    pub(super) notes: &'static [&'static str],
    /// Commands before the first application.
    pub(super) start: &'static str,
    /// The command line of one application, without the `&`.
    pub(super) command: fn(&Job<'_>) -> String,
    /// Commands after the last application has ended.
    pub(super) end: fn(&[Job<'_>]) -> String,
    /// Whether it binds each rank of an application ([`Job::ranks`]).
    pub(super) binds_ranks: bool,
}

/// Writes the script.
pub(super) fn script(tool: &Tool, target: &Target<'_>) -> String {
    // Writing to a String cannot fail.
    let mut text = String::from("#!/bin/sh\n");
    for directive in tool.directives {
        let _ = writeln!(text, "{directive}");
    }
    text.push_str(&facts(target));
    text.push_str("#\n");
    comment(&mut text, "", "Replace each ./NAME by the command that starts the application.");
    for note in tool.notes {
        comment(&mut text, "", note);
    }
    if target.needs_first_touch() {
        comment(&mut text, "", FIRST_TOUCH);
    }
    if !target.weights.is_empty() {
        comment(&mut text, "", WEIGHTS);
        text.push('\n');
        text.push_str(&weights::saved(&target.weights));
        text.push_str(&weights::commands(&target.weights));
    }
    if !tool.start.is_empty() {
        text.push('\n');
        text.push_str(tool.start);
    }
    for job in &target.jobs {
        text.push('\n');
        job.comment(&mut text);
        if job.has_ranks() && !tool.binds_ranks {
            let ranks = job.ranks.len();
            let words =
                format!("Its {ranks} ranks share these processors: --emit slurm and openmpi bind each rank.");
            comment(&mut text, "", &words);
        }
        let _ = writeln!(text, "{} &", (tool.command)(job));
    }
    if let Some(words) = not_started(target) {
        text.push('\n');
        comment(&mut text, "", &words);
    }
    text.push_str("\nwait\n");
    text.push_str(&(tool.end)(&target.jobs));
    if !target.weights.is_empty() {
        text.push_str(&weights::restored(&target.weights));
    }
    text
}

/// For tools that need no cleanup.
pub(super) fn nothing(_: &[Job<'_>]) -> String {
    String::new()
}
