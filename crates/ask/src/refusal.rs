//! The reason why a question has no answer.

use std::error::Error;

use numasim_model::evaluation::EvaluateError;
use numasim_model::text::{visible, visible_but};
use numasim_sim::Forbidden;
use numasim_study::{Problem, SourceFile};

use crate::diagnostics;

/// The reason why a question has no answer.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The input or the question is wrong.
    Said(Explained),
    /// No allocation satisfies all constraints.
    Infeasible(Explained),
    /// The program is wrong.
    Fault(Explained),
    /// It was stopped before there was an answer.
    Interrupted,
    /// The cause has locations in the files.
    Located {
        /// Each problem, its location, and how to correct it.
        problems: Vec<Problem>,
        /// The texts of all files.
        sources: Vec<SourceFile>,
    },
}

/// A message with its causes and advice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// The problem.
    pub message: String,
    /// The causes, the nearest one first.
    pub causes: Vec<String>,
    /// Advice.
    pub hints: Vec<String>,
}

impl Explained {
    /// A message without causes and hints.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Adds an error and its chain of causes.
    #[must_use]
    pub fn caused_by(mut self, error: &dyn Error) -> Self {
        let mut next = Some(error);
        while let Some(cause) = next {
            self.causes.push(cause.to_string());
            next = cause.source();
        }
        self
    }

    /// Adds a cause.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Message, causes and hints, each with the word printed before it.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, String)> {
        // The parts contain names of files and text from them. A hint may contain an example of several lines.
        let message = std::iter::once(("error", visible(&self.message).to_string()));
        let causes = self.causes.iter().map(|cause| ("caused by", visible(cause).to_string()));
        let hints = self.hints.iter().map(|hint| ("hint", visible_but(hint, &['\n', '\t']).to_string()));
        message.chain(causes).chain(hints)
    }
}

impl Refusal {
    /// The question is wrong.
    pub fn said(message: impl Into<String>) -> Self {
        Self::Said(Explained::new(message))
    }

    /// Adds an error and its chain of causes; a located refusal shows locations instead.
    #[must_use]
    pub fn caused_by(self, error: &dyn Error) -> Self {
        self.and(|explained| explained.caused_by(error))
    }

    /// Adds a cause; a located refusal shows locations instead.
    #[must_use]
    pub fn because(self, cause: impl Into<String>) -> Self {
        self.and(|explained| explained.because(cause))
    }

    /// Adds advice; a located refusal shows it at the location.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.and(|explained| explained.hint(hint))
    }

    fn and(self, add: impl FnOnce(Explained) -> Explained) -> Self {
        match self {
            Self::Said(explained) => Self::Said(add(explained)),
            Self::Infeasible(explained) => Self::Infeasible(add(explained)),
            Self::Fault(explained) => Self::Fault(add(explained)),
            other @ (Self::Located { .. } | Self::Interrupted) => other,
        }
    }

    /// The text for people, with line breaks between its parts and none at the end; locations are coloured if `styled`.
    pub fn text(&self, styled: bool) -> String {
        match self {
            Self::Said(explained) | Self::Infeasible(explained) | Self::Fault(explained) => {
                let lines = explained.parts().map(|(word, text)| format!("{word}: {text}"));
                lines.collect::<Vec<_>>().join("\n")
            }
            Self::Interrupted => "interrupted".to_owned(),
            Self::Located { problems, sources } => {
                diagnostics::render(problems, sources, styled).trim_end().to_owned()
            }
        }
    }
}

impl From<&Forbidden> for Refusal {
    /// The program found an answer that the question forbids. It reports the fault and never shows the answer.
    fn from(error: &Forbidden) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let message = format!("this is a fault of numasim, not of your input: {error} (numasim {version})");
        Self::Fault(Explained::new(message))
            .hint("please report it as an issue with these lines, the command line and the input files")
    }
}

/// The refusal if `what` cannot be evaluated: a fault of the program if the result contradicts its model.
pub fn failed(what: &str, error: &EvaluateError) -> Refusal {
    match error {
        EvaluateError::Unsound(violation) => unsound(what, violation),
        error => Refusal::said(format!("{what}: {error}")),
    }
}

/// The refusal if the answer of a search cannot be evaluated: always a fault of the program.
pub fn impossible(error: &EvaluateError) -> Refusal {
    match error {
        EvaluateError::Unsound(_) => failed("the answer of the search", error),
        error => {
            Refusal::Fault(Explained::new("the search returned an impossible placement")).caused_by(error)
        }
    }
}

/// A result that contradicts its model.
pub fn unsound(what: &str, violation: &dyn Error) -> Refusal {
    let message = format!("{what}: this is a fault of numasim, not of your input");
    let hint = format!(
        "please report it as an issue with these lines, the command line, the input files and the version, \
         numasim {}",
        env!("CARGO_PKG_VERSION")
    );
    Refusal::Fault(Explained::new(message)).caused_by(violation).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_has_its_causes_and_hints_in_lines_of_their_own() {
        let refusal = Refusal::said("no").because("of \u{1b}[2J").hint("write\n[[app]]");
        assert_eq!(refusal.text(true), "error: no\ncaused by: of \\u{1b}[2J\nhint: write\n[[app]]");
    }
}
