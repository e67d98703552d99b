//! Which resources to increase, and the tolerated errors of inputs: the section that `explore --sensitivity` adds.

mod inputs;
mod widening;

pub(crate) use widening::Price;

use numasim_ask::wording::NO_BREAK;
use numasim_draw::grid::{width, wrap};
use numasim_model::AppId;
use numasim_sim::Candidate;
use numasim_sim::sensitivity::{Figure, Sensitivity};

use super::Answer;
use crate::view::lettering::Lettering;
use crate::view::{Style, figures};

/// Only the size of a longer difference is printed.
const LONGEST_WINNER: usize = 60;

/// An answer, and its changes under changed values.
#[derive(Clone, Copy)]
pub(crate) struct SensitivityView<'a> {
    /// The answer.
    pub(crate) answer: &'a Answer<'a>,
    /// The analysis.
    pub(crate) found: &'a Sensitivity,
}

impl<'a> SensitivityView<'a> {
    /// The analysis of an answer, if it was asked for.
    pub(crate) fn of(answer: &'a Answer<'a>) -> Option<Self> {
        answer.sensitivity.as_ref().map(|found| Self { answer, found })
    }
}

impl SensitivityView<'_> {
    /// Both tables with their notes.
    pub(crate) fn table(&self, style: &Style) -> String {
        let mut parts: Vec<String> = self.better(style).into_iter().collect();
        parts.push(self.widening(style));
        parts.push(self.inputs(style));
        parts.join("\n")
    }

    /// The analysis may find a better allocation than an unproven answer.
    fn better(&self, style: &Style) -> Option<String> {
        let better = self.found.better.as_ref()?;
        let value = self.answer.with_unit(self.answer.problem.goal().value(better.score));
        let text = format!(
            "While varying inputs, the analysis found a better placement than the best above: {value}. Everything below is \
             about that placement; JSON has its threads. Differences: {}",
            self.answer.differences(
                better,
                &self.answer.best.candidate,
                &Lettering::new(&self.answer.study.apps),
                style
            )
        );
        Some(wrap(&text, style.columns()).join("\n").replace(NO_BREAK, " ") + "\n")
    }

    /// The analysed allocation.
    fn subject(&self) -> &Candidate {
        self.found.better.as_ref().unwrap_or(&self.answer.best.candidate)
    }

    /// The name of an allocation in the tables above, or its differences from the best.
    fn winner(&self, candidate: &Candidate, style: &Style) -> String {
        let known = self.answer.all().find(|(_, rated)| {
            rated.candidate.allocation == candidate.allocation
                && rated.candidate.placements == candidate.placements
        });
        if let Some((_, rated)) = known {
            return rated.scenario.name.clone();
        }
        let apps = self.answer.problem.apps();
        let in_words = self.answer.differences(candidate, self.subject(), &Lettering::new(apps), style);
        if width(&in_words) <= LONGEST_WINNER {
            return in_words;
        }
        let differs = |a: usize| {
            let app = AppId(a);
            candidate.allocation.row(app) != self.subject().allocation.row(app)
                || candidate.placements[a] != self.subject().placements[a]
        };
        let changed = (0..apps.len()).filter(|&a| differs(a)).count();
        format!("{changed} of {} differ", figures::count(apps.len() as u64, "application"))
    }
}

/// Lines in faint colour, wrapped.
fn note(text: &str, style: &Style) -> String {
    let lines: Vec<String> = wrap(text, style.columns()).iter().map(|line| style.faint(line)).collect();
    lines.join("\n") + "\n"
}

/// `START: a, b, c.`, wrapped.
fn listed(start: &str, names: &[String], style: &Style) -> String {
    wrap(&format!("{start}: {}.", names.join("; ")), style.columns()).join("\n") + "\n"
}

/// Merges the values of each kind, in the order of their first appearance.
fn by_kind<'a>(figures: impl Iterator<Item = &'a Figure>) -> Vec<Figure> {
    let mut kinds: Vec<Figure> = Vec::new();
    for figure in figures {
        match kinds.iter_mut().find(|kind| kind.is_like(figure)) {
            Some(kind) if !matches!(figure, Figure::Intensities(_) | Figure::Work(_)) => {
                kind.join(figure.clone());
            }
            _ => kinds.push(figure.clone()),
        }
    }
    kinds
}
