//! A search for people.

use numasim_ask::wording::{meaning, with_unit};
use numasim_draw::grid::wrap;
use numasim_sim::{Objective, Problem};

use super::Answer;
use super::others::NO_BREAK;
use super::robust::RobustAnswer;
use crate::view::intervals::plus_minus;
use crate::view::{Style, caution, figures, machine_title, table};
use numasim_ask::explored::WhyUnproven;

/// Columns of the words before the answer.
const KEY: usize = 12;

impl Answer<'_> {
    /// The question, the answer and how sure it is, the best allocation, and what it is compared with.
    pub(crate) fn table(&self, style: &Style) -> String {
        let mut parts =
            vec![self.question(style), self.verdict(style), table::table(&self.best.scenario.view(), style)];
        parts.extend(self.simple(style));
        parts.push(self.compared(style));
        if let Some(others) = self.others(style) {
            parts.push(others);
        }
        parts.extend(self.told_apart(style));
        parts.extend(self.robust_part(style));
        parts.join("\n")
    }

    /// How good the best is, the simplest, and the robust placement: a paragraph each, without line breaks but those between applications.
    pub(crate) fn in_words(&self) -> Vec<String> {
        let style = Style { width: None, color: false, ..Style::default() };
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut words = vec![one_line(&self.verdict(&style))];
        words.extend(self.simple(&style));
        words.extend(self.robust.as_ref().map(|robust| one_line(&RobustAnswer(robust).verdict(&style))));
        words
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

    /// How good the answer is, and how sure.
    fn verdict(&self, style: &Style) -> String {
        let off = self.uncertainty.as_ref().map(|(_, value)| plus_minus(*value, self.best.value, style));
        let off = off.map_or(String::new(), |off| format!(" ({off})"));
        let value = style.strong(&self.with_unit(self.best.value)) + &off;
        let bound = self.with_unit(self.bound);
        let limit = if self.problem.goal().objective() == Objective::Makespan {
            format!("no allocation takes less than {bound}")
        } else {
            format!("no allocation reaches more than {bound}")
        };
        let gap = format!("gap {}", gap(self.gap)).replace(' ', NO_BREAK);
        let but = caution::but(&caution::clauses(&self.cautions, &self.study.apps));
        let time = format!("{:.2}{NO_BREAK}s", self.elapsed_s);
        let text = match self.unproven {
            None if but.is_empty() => format!("Best: {value}. Proven: no allocation is better. ({time})"),
            None => format!("Best: {value}. Proven (no allocation is better){but}. ({time})"),
            Some(WhyUnproven::Interrupted) => {
                format!("Best so far, interrupted after {time}: {value}{but}. Not proven: {limit} ({gap}).")
            }
            Some(WhyUnproven::TimeLimit) => {
                format!(
                    "Best so far, stopped by the time limit after {time}: {value}{but}. Not proven: {limit} ({gap})."
                )
            }
            Some(WhyUnproven::Model) => {
                let model = self.study.machine.sharing().name();
                format!(
                    "Best found: {value}{but}. Not proven: under {model} threads elsewhere may help where data is on several \
                     memories or limits are shared, and only small questions of that kind can be decided; {limit} ({gap}, {time})."
                )
            }
            Some(WhyUnproven::TooLarge) => {
                format!(
                    "Best found: {value}{but}. Not proven, the search space is too large: {limit} ({gap}, {time})."
                )
            }
        };
        let text = text + &self.effort_in_words();
        wrap(&text, style.columns()).join("\n").replace(NO_BREAK, " ") + "\n"
    }

    pub(super) fn with_unit(&self, value: f64) -> String {
        with_unit(self.problem.goal().objective(), value)
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

/// What the allocation may not do.
pub(in crate::view) fn restrictions(problem: &Problem) -> String {
    let restrictions = problem.restrictions().describe(problem.apps());
    if restrictions.is_empty() { "none".to_owned() } else { restrictions.join(", ") }
}

/// How many there are.
pub(in crate::view) fn allocations(problem: &Problem) -> String {
    let open = problem.apps().iter().any(|app| app.data.is_open());
    let homes = if open { ", homes of data included" } else { "" };
    format!("{}{homes}", figures::power_of_ten(problem.size_log10()))
}

/// A gap as a percentage.
pub(in crate::view) fn gap(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.01 {
        return "below 0.01 %".to_owned();
    }
    format!("{} %", figures::short((percent * 1e2).round() / 1e2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_never_rounded_to_nothing() {
        assert_eq!([0.0218, 0.00123, 1e-6, 0.0].map(gap), ["2.18 %", "0.12 %", "below 0.01 %", "0 %"]);
    }
}
