//! A search for people.

use numasim_ask::verdict::{allocations, restrictions};
use numasim_ask::wording::meaning;
use numasim_draw::grid::wrap;

use super::Answer;
use crate::view::{Style, machine_title, table};

/// Columns of the words before the answer.
const KEY: usize = 12;

impl Answer<'_> {
    /// The question, the answer and how sure it is, the best allocation, and what it is compared with.
    pub(crate) fn table(&self, style: &Style) -> String {
        let mut parts =
            vec![self.question(style), self.verdict(style), table::table(&self.best.scenario.view(), style)];
        parts.extend(self.simple_in_words(style));
        parts.push(self.compared(style));
        if let Some(others) = self.others(style) {
            parts.push(others);
        }
        parts.extend(self.told_apart(style));
        parts.extend(self.robust_part(style));
        parts.join("\n")
    }

    fn question(&self, style: &Style) -> String {
        let objective = self.problem.goal().objective();
        let lines = [
            ("Machine", machine_title(&self.study.machine)),
            ("Model", self.study.machine.sharing().in_words()),
            ("Objective", format!("{}: {}", objective.name(), meaning(objective))),
            ("Restrictions", restrictions(&self.problem)),
            ("Allocations", allocations(&self.problem)),
        ];
        head(lines, style)
    }
}

/// What was asked: a line for each key.
pub(in crate::view) fn head<const N: usize>(lines: [(&str, String); N], style: &Style) -> String {
    let in_words = lines.map(|(key, value)| {
        let value = wrap(&value, style.columns() - KEY - 1).join(&format!("\n{}", " ".repeat(KEY + 1)));
        format!("{} {value}\n", style.faint_padded(key, KEY))
    });
    in_words.concat()
}
