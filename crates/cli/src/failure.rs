//! The reason why a command failed, the message to the user, and the exit code.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::process::ExitCode;

use numasim_ask::refusal::{Explained, Refusal};

use crate::style::{CAUSE, ERROR, HINT};

/// Exit code if the program is not at fault: the input, the question, the output, the limits of the system.
pub(crate) const OF_INPUT: u8 = 1;

/// Exit code of a fault of the program (`EX_SOFTWARE` of sysexits.h).
const FAULT: u8 = 70;

/// Exit code of a command that was stopped with Ctrl-C (128 + SIGINT), as shells expect.
pub(crate) const INTERRUPTED: u8 = 130;

/// A command that ended without its result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the question is wrong: a bad file, an unknown name, an infeasible problem.
    Input(Explained),
    /// The input is wrong; the text includes the location, is complete, and may be coloured.
    Diagnostics(String),
    /// The result could not be written.
    Output(Explained),
    /// The user stopped it with Ctrl-C.
    Interrupted(Explained),
    /// The program is wrong.
    Fault(Explained),
}

impl Failure {
    /// The input or the question is wrong.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Input(Explained::new(message))
    }

    /// The result could not be written.
    pub(crate) fn output(message: impl Into<String>) -> Self {
        Self::Output(Explained::new(message))
    }

    /// The user stopped it with Ctrl-C.
    pub(crate) fn interrupted(message: impl Into<String>) -> Self {
        Self::Interrupted(Explained::new(message))
    }

    /// The program is wrong.
    pub(crate) fn fault(message: impl Into<String>) -> Self {
        Self::Fault(Explained::new(message))
    }

    /// Adds an error and its chain of causes, as `caused by:` lines.
    #[must_use]
    pub(crate) fn caused_by(mut self, error: &dyn Error) -> Self {
        if let Some(explained) = self.explained_mut() {
            *explained = std::mem::take(explained).caused_by(error);
        }
        self
    }

    /// Adds a `caused by:` line.
    #[must_use]
    pub(crate) fn because(mut self, cause: impl Into<String>) -> Self {
        if let Some(explained) = self.explained_mut() {
            *explained = std::mem::take(explained).because(cause);
        }
        self
    }

    /// Adds a `hint:` line with advice.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(explained) = self.explained_mut() {
            *explained = std::mem::take(explained).hint(hint);
        }
        self
    }

    /// The message without causes and hints.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Input(explained)
            | Self::Output(explained)
            | Self::Interrupted(explained)
            | Self::Fault(explained) => &explained.message,
            Self::Diagnostics(text) => text,
        }
    }

    /// The only function that decides exit codes. The command-line parser itself exits with 2.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Input(_) | Self::Diagnostics(_) | Self::Output(_) => OF_INPUT,
            Self::Interrupted(_) => INTERRUPTED,
            Self::Fault(_) => FAULT,
        })
    }

    fn explained_mut(&mut self) -> Option<&mut Explained> {
        match self {
            Self::Input(explained)
            | Self::Output(explained)
            | Self::Interrupted(explained)
            | Self::Fault(explained) => Some(explained),
            Self::Diagnostics(_) => None,
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Said(explained) | Refusal::Infeasible(explained) => Self::Input(explained),
            Refusal::Fault(explained) => Self::Fault(explained),
            Refusal::Interrupted => Self::interrupted("interrupted"),
            located @ Refusal::Located { .. } => Self::Diagnostics(located.text(true)),
        }
    }
}

/// The coloured text for standard error, each line ended.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diagnostics(rendered) => {
                f.write_str(rendered.trim_end_matches('\n'))?;
                f.write_char('\n')
            }
            Self::Input(explained)
            | Self::Output(explained)
            | Self::Interrupted(explained)
            | Self::Fault(explained) => explained.parts().try_for_each(|(word, text)| {
                let style = match word {
                    "caused by" => CAUSE,
                    "hint" => HINT,
                    _ => ERROR,
                };
                writeln!(f, "{style}{word}:{style:#} {text}")
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(failure: &Failure) -> String {
        anstream::adapter::strip_str(&failure.to_string()).to_string()
    }

    #[test]
    fn a_failure_is_reported_with_its_causes_and_hints() {
        let denied = std::io::Error::other("disk is full");
        let failure = Failure::output("cannot write best.json").caused_by(&denied).hint("free some space");
        assert_eq!(
            plain(&failure),
            "error: cannot write best.json\ncaused by: disk is full\nhint: free some space\n"
        );
    }

    #[test]
    fn rendered_diagnostics_are_reported_as_they_are_and_end_their_line() {
        assert_eq!(
            plain(&Failure::Diagnostics("error: x\n --> a.toml:1:1\n\n".into())),
            "error: x\n --> a.toml:1:1\n"
        );
    }

    #[test]
    fn only_a_fault_of_the_program_has_its_own_exit_code() {
        let code = |failure: Failure| format!("{:?}", failure.exit_code());
        assert_eq!(code(Failure::input("")), format!("{:?}", ExitCode::from(1)));
        assert_eq!(code(Failure::output("")), format!("{:?}", ExitCode::from(1)));
        assert_eq!(code(Failure::Diagnostics(String::new())), format!("{:?}", ExitCode::from(1)));
        assert_eq!(code(Failure::fault("")), format!("{:?}", ExitCode::from(70)));
    }

    #[test]
    fn a_forbidden_answer_is_a_fault_with_what_to_report() {
        use numasim_ask::reading::read_study;
        use numasim_model::Allocation;
        use numasim_sim::{Objective, Problem, Restrictions};
        use numasim_study::SourceFile;

        let text = include_str!("../../../configs/paper/uneven-even-nodes.toml").to_owned();
        let study =
            read_study(&[SourceFile { name: "paper.toml".to_owned(), text }]).expect("a valid file").study;
        let problem =
            Problem::new(&study.machine, &study.apps, Objective::TotalGflops, Restrictions::default())
                .expect("a possible question");
        let nothing = Allocation::empty(study.apps.len(), study.machine.node_count());
        let failure = Failure::from(Refusal::from(
            &problem.check_answer(&nothing, &[]).expect_err("no thread for anybody"),
        ));
        assert_eq!(format!("{:?}", failure.exit_code()), format!("{:?}", ExitCode::from(70)));
        let message = plain(&failure);
        assert!(message.starts_with("error: this is a fault of numasim, not of your input: "), "{message}");
        assert!(message.contains("has 0 threads, fewer than its min_threads"), "{message}");
        assert!(
            message.contains("\nhint: please report it as an issue with these lines, the command line"),
            "{message}"
        );
    }
}
