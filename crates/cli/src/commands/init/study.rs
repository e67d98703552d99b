//! The text of a new study.

use std::fmt::Write as _;

use numasim_graph::read_study;
use numasim_study::SourceFile;

use super::super::report;
use super::apps::Described;
use super::machine::Read;
use crate::failure::Failure;
use crate::{files, suggest};

/// What a study is made of.
pub(super) struct Study<'a> {
    /// The machine.
    pub(super) machine: &'a Read,
    /// Applications that are added to those of the machine's file.
    pub(super) apps: &'a [Described],
    /// Nobody named these applications: they are there to be replaced.
    pub(super) examples: bool,
    /// The file as a person names it.
    pub(super) name: &'a str,
}

impl Study<'_> {
    /// The whole file, which can be read.
    ///
    /// # Errors
    /// Two applications have one name; what else is wrong, each with its place.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let mut text = String::from("# A study, written by numasim init. Change what you like; then:\n");
        for (command, what) in self.commands() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "#   {command:<COLUMNS$}  {what}");
        }
        let _ = write!(text, "\n{}", self.machine.text);
        if self.examples {
            text.push_str("\n# Examples: replace them by your applications.\n");
        }
        for (place, app) in self.apps.iter().enumerate() {
            let _ = write!(text, "\n{}", app.toml(place == 0));
        }
        let source = |text: &str| SourceFile { name: self.name.to_owned(), text: text.to_owned() };
        let study = match read_study(&[source(&text)]) {
            Ok(reading) => reading.study,
            Err(problems) => return Err(files::refused(&problems, source(&text))),
        };
        if !study.apps.is_empty() && !self.machine.has_scenarios {
            let scenario = suggest::scenario(&study);
            let _ = write!(
                text,
                "\n# What you do today, thread by thread and node by node; explore compares the best with it.\n{scenario}"
            );
        }
        match read_study(&[source(&text)]) {
            Ok(_) => Ok(text),
            Err(problems) => Err(files::refused(&problems, source(&text))),
        }
    }

    /// What to type after the file is there.
    pub(super) fn next(&self) -> String {
        let mut text = format!("Wrote {}. Next:\n", self.name);
        for (command, what) in self.commands() {
            let _ = writeln!(text, "  {command:<COLUMNS$}  {what}");
        }
        text
    }

    fn commands(&self) -> Vec<(String, &'static str)> {
        let name = if self.name == "-" { "study.toml".to_owned() } else { report::quoted(self.name) };
        let mut commands =
            vec![(format!("numasim check {name}"), "what is in it, and how each figure is known")];
        if !self.apps.is_empty() || self.machine.has_apps {
            commands.push((format!("numasim evaluate {name}"), "how fast the scenarios are"));
            commands.push((format!("numasim explore {name}"), "the best placement"));
        }
        if self.machine.assumed.is_some() {
            commands
                .push(("numasim calibrate -o machine.toml".to_owned(), "measure this host (needs hwloc)"));
        }
        commands
    }
}

/// Commands stand in a column of this width.
const COLUMNS: usize = 34;
