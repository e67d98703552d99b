//! A search in a few lines: the head of what `--emit` prints.

use numasim_model::Scenario;

use super::Answer;
use crate::view::saved::{self, Saved};
use numasim_ask::explored::Rated;

impl Answer<'_> {
    /// What `--save` writes: best, alternatives, the robust placement, and the baselines that no file has.
    pub(crate) fn saved(&self) -> String {
        let mut facts = vec![("Found by", "numasim explore".to_owned())];
        facts.extend(self.facts());
        saved::toml(&facts, &self.kept(), &self.study.scenarios)
    }

    /// The same as values.
    pub(crate) fn scenarios(&self) -> Vec<Scenario> {
        saved::scenarios(&self.kept(), &self.study.scenarios)
    }

    fn kept(&self) -> Vec<Saved<'_>> {
        let of_files = &self.study.scenarios;
        let known = |role: &str, rated: &Rated| {
            role == "baseline" && of_files.iter().any(|scenario| scenario.name == rated.scenario.name)
        };
        let all = self.all().filter(|(role, rated)| !known(role, rated));
        all.map(|(role, rated)| Saved { view: rated.scenario.view(), role, static_work: false }).collect()
    }

    /// The best allocation with everything that belongs to it.
    pub(crate) fn best_view(&self) -> numasim_ask::ScenarioView<'_> {
        self.best.scenario.view()
    }
}
