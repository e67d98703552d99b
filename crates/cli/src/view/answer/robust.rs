//! The placement that is good whichever model is right, for people and for programs.

use std::ops::Deref;

use numasim_ask::table::{Of, grid};
use numasim_draw::grid::wrap;
use numasim_sim::search::Status;
use numasim_sim::search::robust::Robust;

use super::Answer;
use crate::view::{Style, figures, table};
use numasim_ask::explored;

/// Columns of the name of an allocation.
const NAME_COLUMNS: usize = 36;

/// The robust placement, and what it is compared with.
#[derive(Clone, Copy)]
pub(super) struct RobustAnswer<'a>(pub(super) &'a explored::Robust);

impl Deref for RobustAnswer<'_> {
    type Target = explored::Robust;

    fn deref(&self) -> &explored::Robust {
        self.0
    }
}

impl RobustAnswer<'_> {
    /// What the placement loses, and how sure that is.
    pub(super) fn verdict(&self, style: &Style) -> String {
        let Robust { worst_regret, bound, at_most, status, models, .. } = &self.over.found;
        let proven = models.iter().all(|of| of.proven);
        let best = if proven { "the best" } else { "the best found" };
        let count = figures::count(self.over.kinds.len() as u64, "model");
        let loses = format!(
            "Robust: loses at most {} of {best} whichever of {count} is right",
            style.strong(&percent(*worst_regret))
        );
        let possible = if *at_most > worst_regret + SHOWN {
            format!(", {} of what their bounds leave possible", percent(*at_most))
        } else {
            String::new()
        };
        let first = match self.over.others.first() {
            Some((_, regrets)) => self.worst_of(regrets),
            None => String::new(),
        };
        let sure = if *status == Status::Optimal {
            "Proven: no placement has a smaller worst loss.".to_owned()
        } else if *bound >= worst_regret - SHOWN {
            "No placement is known to lose less; not every best is proven.".to_owned()
        } else {
            format!("Not proven: no placement has a worst loss below {}.", percent(*bound))
        };
        let text = format!("{loses}{possible}{first}. {sure} ({:.2} s)", self.elapsed_s);
        wrap(&text, style.columns()).join("\n") + "\n"
    }

    /// What the best of the first model loses where it loses most.
    fn worst_of(&self, regrets: &[f64]) -> String {
        let own = self.over.kinds[0].name();
        let worst = regrets.iter().zip(&self.over.kinds).max_by(|a, b| a.0.total_cmp(b.0));
        match worst {
            Some((regret, kind)) if *regret > SHOWN => {
                format!("; the best of {own} loses up to {} under {}", percent(*regret), kind.name())
            }
            _ => format!("; so does the best of {own}"),
        }
    }

    /// Who loses how much where. Bests that are the same allocation share a row.
    fn matrix(&self, style: &Style) -> String {
        type Row<'v> = (String, &'v [f64]);
        let worst = |(_, regrets): &Row| regrets.iter().copied().fold(0.0, f64::max);
        let mut columns = vec![
            Of::text("loses, %", |(name, _): &Row| name.clone()),
            Of::number("worst", worst).written(cell),
        ];
        columns.extend(self.over.kinds.iter().enumerate().map(|(number, kind)| {
            let title = kind.name().replace('-', "-\n");
            Of::number("loss", move |(_, regrets): &Row| regrets[number]).titled(title).written(cell)
        }));
        let mut rows: Vec<Row> = vec![(style.strong("robust"), &self.over.found.regrets)];
        let bests = &self.over.found.models;
        for (number, (name, regrets)) in self.over.others.iter().enumerate() {
            let same = |other: &usize| match (bests.get(*other), bests.get(number)) {
                (Some(a), Some(b)) => {
                    a.best.allocation == b.best.allocation && a.best.placements == b.best.placements
                }
                _ => false,
            };
            if (0..number).any(|other| same(&other)) {
                continue;
            }
            let others = (number + 1..bests.len()).filter(same).map(|other| self.over.kinds[other].name());
            rows.push((together(name, &others.collect::<Vec<_>>()), regrets));
        }
        grid(&columns, &rows).render(style)
    }
}

/// The name of an allocation that `others` find best, too.
fn together(name: &str, others: &[&str]) -> String {
    let all = std::iter::once(&name).chain(others).copied().collect::<Vec<_>>().join(", ");
    match others.len() {
        0 => name.to_owned(),
        _ if all.len() <= NAME_COLUMNS => all,
        more => format!("{name} + {more}"),
    }
}

/// Less than this is not shown: a thousandth of a percent.
const SHOWN: f64 = 1e-5;

/// `1.8 %`
fn percent(part: f64) -> String {
    format!("{} %", cell(part))
}

/// A part in percent: one decimal, two below 1 %.
fn cell(part: f64) -> String {
    let percent = part * 100.0;
    match percent.abs() {
        size if size < 0.005 => "0".to_owned(),
        size if size < 1.0 => format!("{percent:.2}"),
        _ => format!("{percent:.1}"),
    }
}

impl Answer<'_> {
    /// The robust placement below the answer for one model; `None` without `--models`.
    pub(super) fn robust_part(&self, style: &Style) -> Option<String> {
        let robust = RobustAnswer(self.robust.as_ref()?);
        let best = &self.best.candidate;
        let same = robust.best.candidate.allocation == best.allocation
            && robust.best.candidate.placements == best.placements;
        let map = if same {
            "The robust placement is the best one above.\n".to_owned()
        } else {
            table::table(&robust.best.scenario.view(), style)
        };
        let note = format!(
            "Loss: 1 - value / {} under that model; JSON has what is known of each. Columns: the model that is right.",
            if robust.over.found.models.iter().all(|of| of.proven) {
                "best value"
            } else {
                "best value found"
            }
        );
        let left_out = robust
            .over
            .left_out
            .iter()
            .map(|one| format!(" Left out: {}.", one.reason))
            .collect::<Vec<_>>()
            .concat();
        let note = wrap(&format!("{note}{left_out}"), style.columns());
        let note: Vec<String> = note.iter().map(|line| style.faint(line)).collect();
        Some(format!("{}\n{}{}\n\n{map}", robust.verdict(style), robust.matrix(style), note.join("\n")))
    }

    /// What `--plot` draws: the robust placement where there is one, else the best.
    pub(crate) fn drawn_view(&self) -> numasim_ask::ScenarioView<'_> {
        self.robust.as_ref().map_or(&self.best, |robust| &robust.best).scenario.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_have_two_digits_and_nothing_is_0() {
        assert_eq!(
            [0.0, 1e-7, 0.004_21, 0.018, 0.138, -0.02].map(cell),
            ["0", "0", "0.42", "1.8", "13.8", "-2.0"]
        );
    }
}
