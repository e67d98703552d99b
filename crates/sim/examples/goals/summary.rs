//! One line of CSV for each question, and a summary of all lines.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter, Write};

use super::clock::Clock;

/// The result of a question.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) objective: &'static str,
    pub(crate) model: &'static str,
    /// `proven`, `open`, or why there is no answer.
    pub(crate) status: String,
    pub(crate) value: Option<f64>,
    pub(crate) bound: Option<f64>,
    pub(crate) gap: Option<f64>,
    pub(crate) wall_s: f64,
    pub(crate) cpu_s: f64,
}

impl Line {
    pub(crate) const HEADER: &str = "question,kind,objective,model,status,value,bound,gap,wall_s,cpu_s";
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, kind, objective, model, status, .. } = self;
        write!(f, "{name},{kind},{objective},{model},{status}")?;
        for figure in [self.value, self.bound, self.gap] {
            match figure {
                Some(figure) => write!(f, ",{figure}")?,
                None => write!(f, ",")?,
            }
        }
        write!(f, ",{:.3},{:.3}", self.wall_s, self.cpu_s)
    }
}

/// Returns the run with the median gap. For an even number of runs it returns the worse of the middle two.
pub(crate) fn median(mut runs: Vec<Line>) -> Option<Line> {
    runs.sort_by(|a, b| a.gap.unwrap_or(f64::INFINITY).total_cmp(&b.gap.unwrap_or(f64::INFINITY)));
    let middle = runs.len() / 2;
    runs.into_iter().nth(middle)
}

/// Proofs, gaps and time of all questions, then of each kind if there are several kinds.
pub(crate) fn of(model: &str, seconds: f64, clock: Clock, lines: &[Line]) -> String {
    let clock = if clock == Clock::Wall { "s" } else { "s of CPU time" };
    let all: Vec<&Line> = lines.iter().collect();
    let mut text = format!("{model}, {seconds} {clock} each: {}\n", in_words(&all));
    let kinds: BTreeSet<&str> = lines.iter().map(|line| line.kind).collect();
    if kinds.len() > 1 {
        for kind in kinds {
            let of_kind: Vec<&Line> = lines.iter().filter(|line| line.kind == kind).collect();
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {kind}: {}", in_words(&of_kind));
        }
    }
    text
}

fn in_words(lines: &[&Line]) -> String {
    let mut answered: Vec<(f64, &Line)> = lines.iter().filter_map(|line| Some((line.gap?, *line))).collect();
    answered.sort_by(|a, b| a.0.total_cmp(&b.0));
    let proven = answered.iter().filter(|(_, line)| line.status == "proven").count();
    let nothing = answered.iter().filter(|(_, line)| line.value == Some(0.0)).count();
    // The tolerance at which solvers of mixed-integer programs report a solution as optimal.
    let near = answered.iter().filter(|(gap, _)| *gap <= 1e-4).count();
    let above = |limit: f64| answered.iter().filter(|(gap, _)| *gap > limit).count();
    let (median, worst) = match (answered.get(answered.len().saturating_sub(1) / 2), answered.last()) {
        (Some(&(low, _)), Some(&(worst, at))) => {
            let high = answered.get(answered.len() / 2).map_or(low, |(gap, _)| *gap);
            let at = format!("{} {}", at.name, at.objective);
            (f64::midpoint(low, high), format!("{:.3} % ({at})", worst * 100.0))
        }
        _ => (0.0, "of nothing".to_owned()),
    };
    format!(
        "{proven} of {} proven ({nothing} with the value 0), {near} within 0.01 %, {} above 1 %, {} above 3 %, median gap {:.3} %, worst {worst}, \
         {} without an answer, {:.0} s on the wall, {:.0} s of CPU time",
        answered.len(),
        above(0.01),
        above(0.03),
        median * 100.0,
        lines.len() - answered.len(),
        lines.iter().map(|line| line.wall_s).sum::<f64>(),
        lines.iter().map(|line| line.cpu_s).sum::<f64>(),
    )
}
