//! Lines of a text with their places.

use numasim_study::{Place, Problem, ProblemKind};

use crate::figures::{TOO_FAST_HINT, in_giga, too_fast};
use numasim_study::csv::shown;

/// One line without its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    start: usize,
}

impl<'t> Line<'t> {
    /// Its bytes in the text, without surrounding blanks.
    pub(crate) fn span(&self) -> std::ops::Range<usize> {
        let lead = self.text.len() - self.text.trim_start().len();
        self.start + lead..self.start + self.text.trim_end().len().max(lead)
    }

    /// A problem with this line.
    pub(crate) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::Syntax, message).at(Place::at(0, self.span()), "this line")
    }

    /// The text after `key`, if the line begins with it.
    pub(crate) fn after(&self, key: &str) -> Option<&'t str> {
        self.text.trim_start().strip_prefix(key).map(str::trim)
    }

    /// A finite number above zero, or at least zero if `or_zero`.
    pub(crate) fn number(&self, text: &str, or_zero: bool) -> Result<f64, Problem> {
        let number = text.parse::<f64>().ok().filter(|value| value.is_finite());
        number.filter(|&value| value > 0.0 || (or_zero && value == 0.0)).ok_or_else(|| {
            self.problem(format!(
                "'{}' is not a {}number",
                shown(text),
                if or_zero { "" } else { "positive " }
            ))
            .hint("leave the output of the tool as it was printed")
        })
    }

    /// A bandwidth in GB/s, from a value in `unit` GB/s.
    pub(crate) fn bandwidth(&self, value: f64, unit: f64) -> Result<f64, Problem> {
        let gbs = in_giga(value, unit);
        match too_fast(gbs) {
            Some(why) => Err(self.problem(why).hint(TOO_FAST_HINT)),
            None => Ok(gbs),
        }
    }
}

/// The lines of a text.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |whole| {
        let line = Line { text: whole.trim_end_matches(['\n', '\r']), start };
        start += whole.len();
        line
    })
}

/// The problem of a text without `what`: shows the first nonempty line.
pub(crate) fn nothing(text: &str, what: &str, hint: &str) -> Problem {
    let first = lines(text).find(|line| !line.text.trim().is_empty());
    let problem = match first {
        Some(line) => line.problem(format!("this is not output of {what}")),
        None => Problem::new(ProblemKind::EmptyFile, "the file is empty").at(Place::whole(0), ""),
    };
    problem.hint(hint)
}

/// Whether the first row of this text that is not a comment looks like the header of a CSV.
pub(crate) fn is_csv(text: &str) -> bool {
    let first =
        lines(text).map(|line| line.text.trim()).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.split(',').count() > 2 && !line.contains(' '))
}

/// The comment lines of a CSV, without their `#`.
pub(crate) fn comments(text: &str) -> Vec<String> {
    let comment = |line: Line<'_>| line.after("#").map(str::to_owned);
    lines(text).filter_map(comment).filter(|comment| !comment.is_empty()).collect()
}
