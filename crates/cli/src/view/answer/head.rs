//! A search in a few lines: the head of what `--emit` prints.

use numasim_sim::Objective;

use super::Answer;
use super::table::gap;
use crate::view::{caution, machine_title};

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

    /// The best allocation with everything that belongs to it.
    pub(crate) fn best_view(&self) -> super::ScenarioView<'_> {
        self.view(&self.best)
    }
}
