//! Which allocations cannot be told from the best.

use numasim_draw::grid::wrap;

use super::Answer;
use crate::suggest;
use crate::view::{Style, intervals};
use numasim_ask::explored::Rated;

/// What follows a difference that the uncertainty of the machine may as well have made; of `ties` it goes without saying.
pub(super) fn blurred(rated: &Rated, ties: bool) -> &'static str {
    match rated.rival {
        Some(rival) if !ties && !rival.distinguishable => ", not distinguishable",
        _ => "",
    }
}

impl Answer<'_> {
    /// Who cannot be told from the best, and what the intervals are; `None` where nothing of the machine is uncertain.
    pub(super) fn told_apart(&self, style: &Style) -> Option<String> {
        let (draws, _) = self.uncertainty.as_ref()?;
        let others = self.all().map(|(_, rated)| rated);
        let blurred: Vec<&str> = others
            .filter(|rated| !blurred(rated, self.ties(rated)).is_empty())
            .map(|rated| rated.scenario.name.as_str())
            .collect();
        let note = intervals::note(draws, style);
        if blurred.is_empty() {
            return Some(note);
        }
        let text = format!(
            "Not distinguishable from the best: {}. On the machines drawn they are better or worse by turns: the 95 % interval of \
             the difference holds 0.",
            suggest::list(&blurred)
        );
        let text = wrap(&text, style.columns()).join("\n");
        Some(format!("{text}\n{note}"))
    }
}
