//! Every statement of the paper with a value, a sign or an order in it, beside what comes out here.

mod causes;
mod contention;
mod performance;
mod traffic;

use crate::runs::Runs;
use crate::statistics::Estimate;

/// What is simulated.
pub(crate) struct Studies {
    pub(crate) westmere: Runs,
    pub(crate) permanent: Runs,
    pub(crate) phases: Runs,
    pub(crate) nehalem: Runs,
    pub(crate) bulldozer: Runs,
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    Missed,
    /// Of figures that the machine was calibrated on.
    Fitted,
}

impl Verdict {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::Fitted => "fitted",
        }
    }
}

/// A statement of the paper.
pub(crate) struct Statement {
    /// Its name here: `a3`.
    pub(crate) id: String,
    pub(crate) what: String,
    pub(crate) printed: String,
    pub(crate) ours: String,
    pub(crate) verdict: Verdict,
}

impl Statement {
    /// The likely cause, where it is missed.
    pub(crate) fn cause(&self) -> Option<&'static str> {
        if self.verdict == Verdict::Missed { causes::of(&self.id) } else { None }
    }
}

/// Collects the statements of a part of the paper.
struct List {
    letter: char,
    all: Vec<Statement>,
}

impl List {
    fn new(letter: char) -> Self {
        Self { letter, all: Vec::new() }
    }

    fn add(&mut self, what: impl Into<String>, printed: impl Into<String>, ours: String, verdict: Verdict) {
        let id = format!("{}{}", self.letter, self.all.len() + 1);
        self.all.push(Statement { id, what: what.into(), printed: printed.into(), ours, verdict });
    }

    /// A value, a sign or an order that holds or does not.
    fn holds(&mut self, what: impl Into<String>, printed: impl Into<String>, ours: String, holds: bool) {
        self.add(what, printed, ours, if holds { Verdict::Met } else { Verdict::Missed });
    }

    /// A value that should be within `most` of what is printed.
    fn near(&mut self, what: impl Into<String>, printed: f64, ours: Estimate, most: f64) {
        let holds = (ours.mean - printed).abs() <= most;
        self.holds(what, format!("{printed:.2} +- {most:.2}"), shown(ours), holds);
    }

    /// A value that the machine was calibrated on.
    fn fitted(&mut self, what: impl Into<String>, printed: f64, ours: Estimate) {
        self.add(what, format!("{printed:.2}"), shown(ours), Verdict::Fitted);
    }
}

/// `0.397 [0.391, 0.403]`
fn shown(estimate: Estimate) -> String {
    format!("{:.3} [{:.3}, {:.3}]", estimate.mean, estimate.low, estimate.high)
}

/// `+17.6 % [16.8, 18.3]` of so many times faster.
fn percent(gain: Estimate) -> String {
    let of = |times: f64| 100.0 * (times - 1.0);
    format!("{:+.1} % [{:.1}, {:.1}]", of(gain.mean), of(gain.low), of(gain.high))
}

/// All statements, in the order of the paper.
pub(crate) fn all(studies: &Studies) -> Vec<Statement> {
    let lists = [
        performance::westmere(&studies.westmere),
        traffic::breakdown(&studies.westmere),
        contention::with_contender(studies),
        performance::others(studies),
    ];
    lists.into_iter().flat_map(|list| list.all).collect()
}
