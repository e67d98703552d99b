//! A search in a few lines: the head of what `--emit` prints.

use numasim_model::Scenario;
use numasim_sim::Objective;

use super::Answer;
use super::table::gap;
use crate::view::saved::{self, Saved};
use crate::view::{caution, machine_title};
use numasim_ask::explored::Rated;

impl Answer<'_> {
    /// What was asked, the value, and how sure it is; nothing that differs from run to run.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let objective = self.problem.goal().objective();
        let restrictions = self.problem.restrictions().describe(&self.study.apps);
        let mut facts = vec![
            ("Machine", machine_title(&self.study.machine)),
            ("Model", self.study.machine.sharing().in_words()),
            ("Objective", format!("{}: {}", objective.name(), self.with_unit(self.best.value))),
        ];
        if !restrictions.is_empty() {
            facts.push(("Restrictions", restrictions.join(", ")));
        }
        let bound = self.with_unit(self.bound);
        let limit = if objective == Objective::Makespan { "less" } else { "more" };
        facts.push((
            "Status",
            match self.unproven {
                None => "optimal: proven, no allocation is better".to_owned(),
                Some(_) => format!(
                    "feasible: not proven, no allocation has {limit} than {bound} (gap {})",
                    gap(self.gap)
                ),
            },
        ));
        let cautions = caution::clauses(&self.cautions, &self.study.apps);
        facts.extend(cautions.into_iter().map(|clause| ("Caution", clause)));
        facts
    }

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
