//! A scenario with its comparison, and where its figures stand in the JSON.

use std::collections::HashMap;

use maud::{Markup, html};
use numasim_evidence::compare::{ComparedScenario, Pair};

use super::contents::Report;
use super::html::Shown;
use crate::view::{ScenarioView, figures};

/// A scenario with its comparison, and where both stand in the JSON.
pub(super) struct Row<'a> {
    pub(super) number: usize,
    pub(super) view: &'a ScenarioView<'a>,
    pub(super) compared: Option<(usize, &'a ComparedScenario)>,
}

impl<'a> Row<'a> {
    /// Where in the page.
    pub(super) fn id(&self) -> String {
        format!("scenario-{}", self.number + 1)
    }

    /// The predicted GFLOPS of all applications.
    pub(super) fn predicted(&self, text: &str) -> Shown {
        match self.compared.filter(|(_, compared)| compared.total.is_some()) {
            Some((at, _)) => Shown::compared(text, format!("/scenarios/{at}/predicted_gflops")),
            None => Shown::evaluated(text, format!("/scenarios/{}/total_gflops", self.number)),
        }
    }

    /// A figure of the comparison of the whole scenario.
    pub(super) fn compared(&self, text: &str, key: &str) -> Shown {
        self.compared
            .map_or_else(Shown::nothing, |(at, _)| Shown::compared(text, format!("/scenarios/{at}/{key}")))
    }

    /// GFLOPS of the whole scenario.
    pub(super) fn gflops(&self) -> Option<&'a Pair> {
        self.compared.and_then(|(_, compared)| compared.total.as_ref()).map(|total| &total.gflops)
    }

    pub(super) fn bandwidth(&self) -> Option<&'a Pair> {
        self.compared.and_then(|(_, compared)| compared.total.as_ref()?.bandwidth_gbs.as_ref())
    }

    pub(super) fn error(&self) -> Option<f64> {
        self.gflops().and_then(|pair| pair.error)
    }
}

/// The scenarios with their comparisons.
pub(super) fn rows<'a>(report: &Report<'a>) -> Vec<Row<'a>> {
    let scenarios = report.compared.map_or(&[][..], |view| &view.comparison.scenarios);
    let compared: HashMap<&str, (usize, &ComparedScenario)> =
        scenarios.iter().enumerate().map(|(at, one)| (one.name.as_str(), (at, one))).collect();
    let views = report.views.iter().enumerate();
    views.map(|(number, view)| Row { number, view, compared: compared.get(view.name).copied() }).collect()
}

/// Predicted and measured figures, all with the same number of decimals; the given prediction where there is no pair.
pub(super) fn columns<'a>(pairs: impl Iterator<Item = (f64, Option<&'a Pair>)>) -> Vec<[String; 2]> {
    let both = |(predicted, pair): (f64, Option<&Pair>)| {
        pair.map_or([predicted, f64::NAN], |pair| [pair.predicted, pair.measured.median])
    };
    let texts = figures::column(&pairs.flat_map(both).collect::<Vec<_>>());
    texts.chunks_exact(2).map(|two| [two[0].clone(), two[1].clone()]).collect()
}

/// Who prefers this scenario.
pub(super) fn tags(report: &Report<'_>, name: &str) -> Markup {
    let regret = report.compared.and_then(|view| view.comparison.regret_of_one_question());
    html! {
        @if let Some(regret) = regret {
            @if regret.preferred == name { " " span.tag { "model's choice" } }
            @if regret.best == name { " " span.tag { "measured best" } }
        }
    }
}
