//! Why a question has no answer.

use std::error::Error;

use numasim_model::text::{visible, visible_but};
use numasim_study::{Problem, SourceFile};

use crate::diagnostics;

/// Why a question has no answer: the input or the question is wrong.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// In sentences.
    Said(Explained),
    /// With the places in the files that are the cause.
    Located {
        /// What is wrong, where, and what to write instead.
        problems: Vec<Problem>,
        /// The texts of all files.
        sources: Vec<SourceFile>,
    },
}

/// A message with its causes and what to do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// What is wrong.
    pub message: String,
    /// Why, the nearest cause first.
    pub causes: Vec<String>,
    /// What to do about it.
    pub hints: Vec<String>,
}

impl Explained {
    /// What is wrong, without causes and hints.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Adds an error, and everything that caused it, as causes.
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

    /// Adds what to do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Message, causes and hints, each with the word that stands before it.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, String)> {
        // Names of files and texts from them are part of it. A hint may have an example of several lines.
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

    /// Adds an error, and everything that caused it; what is located has places instead.
    #[must_use]
    pub fn caused_by(self, error: &dyn Error) -> Self {
        self.and(|explained| explained.caused_by(error))
    }

    /// Adds a cause; what is located has places instead.
    #[must_use]
    pub fn because(self, cause: impl Into<String>) -> Self {
        self.and(|explained| explained.because(cause))
    }

    /// Adds what to do instead; what is located says it at the place.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.and(|explained| explained.hint(hint))
    }

    fn and(self, add: impl FnOnce(Explained) -> Explained) -> Self {
        match self {
            Self::Said(explained) => Self::Said(add(explained)),
            located @ Self::Located { .. } => located,
        }
    }

    /// What people read, with line breaks between its parts and none at the end; places in colours where it is `styled`.
    pub fn text(&self, styled: bool) -> String {
        match self {
            Self::Said(explained) => {
                let lines = explained.parts().map(|(word, text)| format!("{word}: {text}"));
                lines.collect::<Vec<_>>().join("\n")
            }
            Self::Located { problems, sources } => {
                diagnostics::render(problems, sources, styled).trim_end().to_owned()
            }
        }
    }
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
