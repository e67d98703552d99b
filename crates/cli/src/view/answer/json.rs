//! A search for programs: the values of an answer as the documented JSON has them.

use numasim_ask::explored::{Explored, Further, RatedView};
use serde::ser::{Serialize, Serializer};

use super::sensitivity::SensitivityView;
use super::{Answer, Rated};

/// The documented JSON of `explore`, as [`Explored`] writes it.
pub(crate) struct Document<'a> {
    pub(crate) answer: &'a Answer<'a>,
    pub(crate) sensitivity: Option<&'a SensitivityView<'a>>,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = self.answer;
        let rated = |rated| view(answer, rated);
        let baselines = answer.baselines.iter();
        let explored = Explored {
            study: answer.study,
            problem: answer.problem,
            seed: answer.seed,
            cautions: &answer.cautions,
            best: rated(&answer.best),
            bound: answer.bound,
            gap: answer.gap,
            unproven: answer.unproven,
            elapsed_s: answer.elapsed_s,
            effort: answer.effort.as_ref(),
            alternatives: answer.alternatives.iter().map(rated).collect(),
            alternatives_complete: answer.alternatives_complete,
            baselines: baselines.map(|(one, breaks)| (rated(one), breaks.as_deref())).collect(),
            uncertainty: answer.uncertainty.as_ref().map(|(draws, value)| (draws, *value)),
            further: further(answer),
            sensitivity: self.sensitivity.map(SensitivityView::json),
        };
        explored.serialize(serializer)
    }
}

fn view<'a>(answer: &'a Answer<'_>, rated: &'a Rated) -> RatedView<'a> {
    RatedView { scenario: answer.view(rated), value: rated.value, rival: rated.rival.as_ref() }
}

/// The answers of `--models` and `--simple`.
fn further<'a>(answer: &'a Answer<'_>) -> Vec<Further<'a>> {
    let robust = answer.robust.iter().map(|robust| Further::robust(&robust.over, view(answer, &robust.best)));
    let simple = answer
        .simple
        .iter()
        .map(|simple| Further::simple(&simple.found, simple.within, view(answer, &simple.rated)));
    robust.chain(simple).collect()
}
