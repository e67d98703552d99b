//! What is wrong with a text: problems with their places, a list of them that stays short, and text of files in messages.

use std::ops::Range;

use numasim_model::input::{Place, Problem, ProblemKind};
use numasim_model::text::visible;

/// Most problems that are listed.
const MOST: usize = 20;

/// Problems that were found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// One more.
    pub(crate) fn add(&mut self, problem: Problem) {
        if self.0.len() == MOST {
            let message = "there are more problems; these are the first";
            self.0.push(Problem::new(ProblemKind::More, message));
        }
        if !self.is_full() {
            self.0.push(problem);
        }
    }

    /// The value, or `None` and one more problem.
    pub(crate) fn take<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.add(problem)).ok()
    }

    /// Nothing that is found from here on would be listed.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() > MOST
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value`, if nothing is wrong.
    ///
    /// # Errors
    /// What is wrong, from the begin of the text to its end.
    pub(crate) fn none<T>(mut self, value: T) -> Result<T, Vec<Problem>> {
        // In the order of the files; what has no place is about all that stand before it.
        self.0.sort_by_key(|problem| match &problem.place {
            Some(place) => (place.file, place.span.as_ref().map_or(0, |span| span.start)),
            None => (usize::MAX, 0),
        });
        if self.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

/// A problem with some bytes of a file.
pub(crate) fn at(kind: ProblemKind, file: usize, span: Range<usize>, message: impl Into<String>) -> Problem {
    Problem::new(kind, message).at(Place::at(file, span), "here")
}

/// Text of a file in a message: short, and in one line.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let short = text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end));
    short.map_or_else(|| visible(text).into_owned(), |short| format!("{}…", visible(short)))
}

/// A finite number, zero or more, or why it is none: words behind `what is`.
pub(crate) fn amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Ok(value) if value < 0.0 => Err(format!("{}, but cannot be negative", shown(text))),
        Ok(_) => Err(format!("{}, which is not a finite number", shown(text))),
        Err(_) if text.is_empty() => Err("empty".to_owned()),
        Err(_) => Err(format!("'{}', not a number", shown(text))),
    }
}
