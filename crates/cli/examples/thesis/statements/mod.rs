//! Every statement of the thesis with a value or an order in it, beside what comes out here.

mod causes;
mod machines;
pub(crate) mod small;

use crate::statistics::Estimate;
use crate::study::Study;
use crate::windows::Point;

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    Missed,
    /// Of figures that the machine was calibrated on.
    Fitted,
    /// Of figures that no run of these rules can reach.
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

    const fn of(holds: bool) -> Self {
        if holds { Self::Met } else { Self::Missed }
    }
}

/// A statement of the thesis.
pub(crate) struct Statement {
    /// Its name here: `a3`.
    pub(crate) id: String,
    pub(crate) what: &'static str,
    pub(crate) printed: String,
    pub(crate) ours: String,
    pub(crate) verdict: Verdict,
}

impl Statement {
    /// The likely cause, where it is not met.
    pub(crate) fn cause(&self) -> Option<&'static str> {
        match self.verdict {
            Verdict::Met => None,
            _ => causes::of(&self.id),
        }
    }
}

/// Collects the statements of a part of the thesis.
struct List {
    letter: char,
    all: Vec<Statement>,
}

impl List {
    fn new(letter: char) -> Self {
        Self { letter, all: Vec::new() }
    }

    fn add(&mut self, what: &'static str, printed: String, ours: String, verdict: Verdict) {
        let id = format!("{}{}", self.letter, self.all.len() + 1);
        self.all.push(Statement { id, what, printed, ours, verdict });
    }

    /// A value that should be within `most` of what is printed.
    fn near(&mut self, what: &'static str, printed: f64, ours: Estimate, most: f64) {
        let verdict = Verdict::of((ours.mean - printed).abs() <= most);
        self.add(what, format!("{printed:.2} +- {most:.2}"), shown(ours), verdict);
    }

    /// A value that the machine was calibrated on.
    fn fitted(&mut self, what: &'static str, printed: f64, ours: Estimate) {
        self.add(what, format!("{printed:.2}"), shown(ours), Verdict::Fitted);
    }

    /// A sign or an order.
    fn holds(&mut self, what: &'static str, printed: &str, ours: String, holds: bool) {
        self.add(what, printed.to_owned(), ours, Verdict::of(holds));
    }
}

/// `1.140 [1.131, 1.149]`
pub(crate) fn shown(estimate: Estimate) -> String {
    format!("{:.3} [{:.3}, {:.3}]", estimate.mean, estimate.low, estimate.high)
}

/// All statements, in the order of the thesis; the studies are those of Sandy Bridge, UV100 and POWER8.
pub(crate) fn all(studies: [&Study; 3], windows: &[Point]) -> Vec<Statement> {
    let [sandy, uv100, power8] = studies;
    let lists = [
        machines::sandy_bridge(sandy),
        machines::single_codes(sandy),
        machines::uv100(uv100),
        machines::power8(power8),
        small::windows(windows),
        small::stealing(sandy, uv100, power8),
    ];
    lists.into_iter().flat_map(|list| list.all).collect()
}
