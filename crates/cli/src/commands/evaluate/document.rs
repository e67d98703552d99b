//! `evaluate --format json`.

use numasim_ask::evaluated;
use numasim_model::Study;
use numasim_sim::intervals::Draws;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::view::{ScenarioView, Style, explain, json};

/// The worked calculation in JSON has room for its long titles.
const IN_JSON: Style = Style { color: false, unicode: true, width: Some(120), markdown: false };

/// For programs. With `explained`, each scenario also has the worked calculation as text in `explanation`. Written
/// scenario by scenario: as values, all of them would take many times the memory of their text.
pub(super) struct Document<'a> {
    pub(super) study: &'a Study,
    /// Where the intervals come from.
    pub(super) draws: Option<&'a Draws>,
    pub(super) views: &'a [ScenarioView<'a>],
    pub(super) explained: bool,
}

impl Document<'_> {
    fn scenario<'b>(&self, view: &'b ScenarioView<'b>) -> json::Explained<'b> {
        let explanation = self.explained.then(|| explain::explain(view, &IN_JSON));
        json::Explained { view, explanation }
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in evaluated::head(self.study, self.draws).as_object().into_iter().flatten() {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("scenarios", &Scenarios(self))?;
        map.end()
    }
}

/// The scenarios of a document, one after the other.
struct Scenarios<'a>(&'a Document<'a>);

impl Serialize for Scenarios<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.views.iter().map(|view| self.0.scenario(view)))
    }
}

/// The JSON of `evaluate` as a value.
pub(in crate::commands) fn document(study: &Study, views: &[ScenarioView]) -> Value {
    // All keys are text, so that nothing can fail.
    serde_json::to_value(Document { study, draws: None, views, explained: false }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::Evaluated;
    use super::super::amount::tests::study;
    use super::*;

    #[test]
    fn the_document_is_the_same_as_a_value_and_as_text() {
        let study = study(2, "interleave", 2);
        let evaluated: Vec<Evaluated> =
            study.scenarios.iter().map(|scenario| Evaluated::new(&study, scenario).expect("fits")).collect();
        let views: Vec<ScenarioView> = evaluated.iter().map(|one| one.view(&study)).collect();
        let text = serde_json::to_string_pretty(&Document {
            study: &study,
            draws: None,
            views: &views,
            explained: false,
        });
        assert_eq!(text.expect("text"), format!("{:#}", document(&study, &views)));
    }
}
