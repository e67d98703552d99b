//! What the effort of an unproven search has brought so far. What more would bring nobody knows: it is not guessed.

use numasim_sim::search::{self, Progress};
use serde_json::{Value, json};

use super::Answer;
use super::others::NO_BREAK;
use super::table::gap;
use crate::view::json::number;

/// Parts of the effort after which it is noted what is known.
const PARTS: [f64; 2] = [0.25, 0.5];

/// What was known at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    /// The part of the effort that was spent, 0 to 1: the first report at or after a quarter, and half.
    pub(crate) effort: f64,
    /// Value of the best so far.
    pub(crate) value: f64,
    /// No allocation has a better value.
    pub(crate) bound: f64,
    /// Seconds since the start.
    pub(crate) elapsed_s: f64,
}

impl Mark {
    /// |bound - value| / |bound|.
    pub(crate) fn gap(&self) -> f64 {
        search::gap(self.value, self.bound)
    }
}

/// The effort of a search and what it brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spent {
    /// The part of the effort that was spent, 0 to 1.
    pub(crate) part: f64,
    /// What was known meanwhile, earliest first.
    pub(crate) marks: Vec<Mark>,
}

impl Spent {
    /// Notes a report that came so many seconds after the start.
    pub(crate) fn note(&mut self, progress: &Progress, elapsed_s: f64) {
        let next = PARTS.iter().find(|&&part| self.marks.last().is_none_or(|mark| mark.effort < part));
        self.part = self.part.max(progress.effort_spent);
        let known = progress.best.filter(|best| best.is_finite() && progress.bound.is_finite());
        if let (Some(value), Some(part)) = (known, next)
            && progress.effort_spent >= *part
        {
            let (effort, bound) = (progress.effort_spent, progress.bound);
            self.marks.push(Mark { effort, value, bound, elapsed_s });
        }
    }
}

impl Answer<'_> {
    /// Gaps meanwhile, and how to go on; begins with a space. Nothing where there is nothing to say.
    pub(super) fn effort_in_words(&self) -> String {
        self.effort.as_ref().map_or_else(String::new, in_words)
    }
}

fn in_words(spent: &Spent) -> String {
    let percent = |part: f64| format!("{:.0} %", part * 100.0);
    let so_far = match spent.marks.as_slice() {
        [] => format!(" It ended with {} of its effort.", percent(spent.part)),
        marks => {
            let mut words: Vec<String> = marks
                .iter()
                .map(|mark| format!("{} after {}", gap(mark.gap()), percent(mark.effort)))
                .collect();
            if let Some(first) = words.first_mut() {
                first.push_str(" of the effort");
            }
            format!(" The gap was {}; it ended with {}.", words.join(", "), percent(spent.part))
        }
    };
    so_far.replace(" %", &format!("{NO_BREAK}%")) + " To go on: --time-limit 60."
}

/// `effort` of the documented JSON.
pub(super) fn json(spent: &Spent) -> Value {
    let mark = |mark: &Mark| {
        json!({
            "effort": number(mark.effort),
            "value": number(mark.value),
            "bound": number(mark.bound),
            "gap": number(mark.gap()),
            "elapsed_s": number(mark.elapsed_s),
        })
    };
    json!({ "spent": number(spent.part), "history": spent.marks.iter().map(mark).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(effort: f64, bound: f64) -> Mark {
        Mark { effort, value: 100.0, bound, elapsed_s: 1.0 }
    }

    #[test]
    fn gaps_meanwhile_are_told_and_nothing_is_guessed() {
        // (125 - 100) / 125 and (110 - 100) / 110
        let spent = Spent { part: 0.98, marks: vec![mark(0.26, 125.0), mark(0.5, 110.0)] };
        let text = in_words(&spent).replace(NO_BREAK, " ");
        assert_eq!(
            text,
            " The gap was 20 % after 26 % of the effort, 9.09 % after 50 %; it ended with 98 %. To go on: --time-limit 60."
        );
    }

    #[test]
    fn a_search_that_ended_early_says_how_early() {
        let text = in_words(&Spent { part: 0.031, marks: Vec::new() }).replace(NO_BREAK, " ");
        assert_eq!(text, " It ended with 3 % of its effort. To go on: --time-limit 60.");
    }

    #[test]
    fn the_first_reports_after_a_quarter_and_after_half_are_kept() {
        let mut spent = Spent::default();
        for (percent, bound) in [(10, 140.0), (30, 130.0), (40, 125.0), (70, 120.0), (90, 110.0)] {
            let effort_spent = f64::from(percent) / 100.0;
            spent.note(&Progress { found: None, best: Some(100.0), bound, effort_spent }, f64::from(percent));
        }
        let kept: Vec<(f64, f64)> = spent.marks.iter().map(|mark| (mark.effort, mark.bound)).collect();
        assert_eq!((spent.part, kept), (0.9, vec![(0.3, 130.0), (0.7, 120.0)]));
        // (120 - 100) / 120
        assert!((spent.marks[1].gap() - 1.0 / 6.0).abs() < 1e-12 && spent.marks[1].elapsed_s == 70.0);
    }

    #[test]
    fn one_report_after_both_is_kept_once_and_none_without_an_answer() {
        let mut spent = Spent::default();
        spent.note(&Progress { found: None, best: None, bound: 9.0, effort_spent: 0.5 }, 1.0);
        assert!(spent.marks.is_empty());
        spent.note(&Progress { found: None, best: Some(8.0), bound: 9.0, effort_spent: 0.6 }, 1.0);
        spent.note(&Progress { found: None, best: Some(8.0), bound: 8.5, effort_spent: 0.8 }, 1.0);
        assert_eq!(spent.marks.len(), 1);
    }
}
