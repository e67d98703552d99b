//! Statements of a paper compared with the results here.

use super::Failure;
use super::statistics::Estimate;

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    Missed,
    /// A value that was used to calibrate the machine.
    Fitted,
    /// A value that no run of these rules can reach.
    OutOfReach,
}

impl Verdict {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::Fitted => "fitted",
            Self::OutOfReach => "out of reach",
        }
    }

    pub(crate) const fn of(holds: bool) -> Self {
        if holds { Self::Met } else { Self::Missed }
    }
}

/// A statement of the paper.
pub(crate) struct Statement {
    /// Its identifier here: `a3`.
    pub(crate) id: String,
    pub(crate) what: String,
    pub(crate) printed: String,
    pub(crate) ours: String,
    pub(crate) verdict: Verdict,
    /// The likely cause, if it is not met and was investigated.
    pub(crate) cause: Option<&'static str>,
}

/// Collects the statements of a part of the paper.
pub(crate) struct List {
    letter: char,
    all: Vec<Statement>,
}

impl List {
    pub(crate) fn new(letter: char) -> Self {
        Self { letter, all: Vec::new() }
    }

    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        printed: impl Into<String>,
        ours: String,
        verdict: Verdict,
    ) {
        let id = format!("{}{}", self.letter, self.all.len() + 1);
        self.all.push(Statement {
            id,
            what: what.into(),
            printed: printed.into(),
            ours,
            verdict,
            cause: None,
        });
    }

    /// A value, a sign or an order that holds or does not hold.
    pub(crate) fn holds(
        &mut self,
        what: impl Into<String>,
        printed: impl Into<String>,
        ours: String,
        holds: bool,
    ) {
        self.add(what, printed, ours, Verdict::of(holds));
    }

    /// A value that should be within `most` of the printed one.
    pub(crate) fn near(&mut self, what: impl Into<String>, printed: f64, ours: Estimate, most: f64) {
        let holds = (ours.mean - printed).abs() <= most;
        self.holds(what, format!("{printed:.2} +- {most:.2}"), ours.shown(), holds);
    }

    /// A value that was used to calibrate the machine.
    pub(crate) fn fitted(&mut self, what: impl Into<String>, printed: f64, ours: Estimate) {
        self.add(what, format!("{printed:.2}"), ours.shown(), Verdict::Fitted);
    }
}

/// All statements. Statements that are not met get their causes (by identifier).
pub(crate) fn explained(
    lists: impl IntoIterator<Item = List>,
    cause: fn(&str) -> Option<&'static str>,
) -> Vec<Statement> {
    let mut all: Vec<Statement> = lists.into_iter().flat_map(|list| list.all).collect();
    for one in all.iter_mut().filter(|one| one.verdict != Verdict::Met) {
        one.cause = cause(&one.id);
    }
    all
}

/// Checks that each miss has a cause.
///
/// # Errors
/// The first one without a cause.
pub(crate) fn check_causes(all: &[Statement]) -> Result<(), Failure> {
    match all.iter().find(|one| one.verdict == Verdict::Missed && one.cause.is_none()) {
        Some(missed) => Err(format!("{} is missed, and nothing says why", missed.id).into()),
        None => Ok(()),
    }
}
