//! Why the figures may not be what they seem, and what to do about it.

use maud::{Markup, html};
use numasim_ask::compare::{Compared, discarded, located_reason, not_measured};
use numasim_bench::doubt::RecordedDoubt;
use numasim_draw::figures;

use super::contents::Report;

/// Of the same doubt, so many sentences are shown.
const MOST_ALIKE: usize = 6;
/// Of lines that were not compared, so many are shown.
const MOST_LINES: usize = 12;

pub(super) fn section(report: &Report<'_>) -> Markup {
    let recorded = report.provenance.map_or(&[][..], |known| &known.doubts);
    let left = report.compared.map(left_out).unwrap_or_default();
    html! {
        p {
            @match (report.compared.is_some(), report.provenance.is_some()) {
                (false, _) => "There are no measurements: only the model can be doubted.",
                (true, false) => "It is not recorded how this was measured: there is no provenance next to the measurements. That is a doubt in itself.",
                (true, true) if recorded.is_empty() => "The benchmark recorded no doubt about host and measurements.",
                (true, true) => { "The benchmark recorded " (figures::count(recorded.len() as u64, "doubt")) ", each with a remedy." }
            }
        }
        @if !recorded.is_empty() { (list(recorded)) }
        @if !left.is_empty() {
            h3 { "Not compared" }
            ul { @for line in &left { li { (line) } } }
        }
    }
}

/// Doubts of the same code and the same advice together.
fn list(recorded: &[RecordedDoubt]) -> Markup {
    let mut kinds: Vec<(&RecordedDoubt, Vec<&str>)> = Vec::new();
    for doubt in recorded {
        match kinds.iter_mut().find(|(kind, _)| kind.code == doubt.code && kind.advice == doubt.advice) {
            Some((_, messages)) => messages.push(&doubt.message),
            None => kinds.push((doubt, vec![&doubt.message])),
        }
    }
    html! {
        ul.doubts {
            @for (kind, messages) in &kinds {
                li {
                    p { code { (kind.code) } }
                    @for message in messages.iter().take(MOST_ALIKE) { p { (message) } }
                    @if messages.len() > MOST_ALIKE { p.faint { "and " (messages.len() - MOST_ALIKE) " more like this" } }
                    @if !kind.advice.is_empty() { p.advice { "What to do: " (kind.advice) } }
                }
            }
        }
    }
}

/// What the comparison could not take.
fn left_out(view: &Compared) -> Vec<String> {
    let (comparison, measured) = (&view.comparison, &view.measured);
    let missing = not_measured(comparison).into_iter();
    let mut lines: Vec<String> = missing.map(|names| format!("Not measured: {names}.")).collect();
    let unmatched = comparison.unmatched.iter().map(|one| located_reason(one, measured) + ".");
    let left = comparison.left_out.iter().map(|one| discarded(one, measured) + ".");
    lines.extend(unmatched.chain(left).take(MOST_LINES));
    let more = (comparison.unmatched.len() + comparison.left_out.len()).saturating_sub(MOST_LINES);
    if more > 0 {
        lines.push(format!("And {more} more lines; the JSON in this page has all."));
    }
    lines
}
