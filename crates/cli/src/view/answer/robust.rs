//! The placement that is good whichever model is right, for people and for programs.

use std::fmt;

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::{ModelKind, Refusal};
use numasim_sim::Infeasible;
use numasim_sim::search::Status;
use numasim_sim::search::robust::Robust;
use serde_json::{Map, Value, json};

use super::{Answer, Rated};
use crate::view::json::number;
use crate::view::{Style, figures, table};

/// Columns of the name of an allocation.
const NAME_COLUMNS: usize = 36;

/// Why a model has no part in an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reason {
    /// It has no reading of something that the machine has.
    Refused(Refusal),
    /// Under it no allocation is an answer.
    NoAnswer(Infeasible),
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(out),
            Self::NoAnswer(infeasible) => infeasible.fmt(out),
        }
    }
}

/// A model without a part in an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LeftOut {
    pub(crate) kind: ModelKind,
    pub(crate) reason: Reason,
}

/// The robust placement, and what it is compared with.
#[derive(Debug)]
pub(crate) struct RobustAnswer {
    pub(crate) found: Robust,
    /// The models, in the order of all regrets; the first is that of the answer.
    pub(crate) kinds: Vec<ModelKind>,
    pub(crate) left_out: Vec<LeftOut>,
    /// The placement under the first model.
    pub(crate) best: Rated,
    /// The best of each model, then the baselines: the name and its regret under each model.
    pub(crate) others: Vec<(String, Vec<f64>)>,
    /// Seconds of all searches.
    pub(crate) elapsed_s: f64,
}

/// What the best of a model is called.
pub(crate) fn of_best(kind: ModelKind) -> String {
    format!("best of {}", kind.name())
}

impl RobustAnswer {
    fn by_model(&self, regrets: &[f64]) -> Value {
        let entries = self.kinds.iter().zip(regrets);
        Value::Object(entries.map(|(kind, &regret)| (kind.name().to_owned(), number(regret))).collect())
    }

    /// Everything but the scenario object: `worst_regret`, `bound`, `regrets` and `others`; beyond the contract `status`, `at_most`
    /// (the worst regret if the bests that are not proven are as good as their bounds), `models` and `left_out`.
    pub(super) fn json(&self) -> Map<String, Value> {
        let others: Map<String, Value> =
            self.others.iter().map(|(name, regrets)| (name.clone(), self.by_model(regrets))).collect();
        let models = self.kinds.iter().zip(&self.found.models).map(|(kind, of)| {
            let known = json!({ "value": number(of.value), "bound": number(of.bound), "proven": of.proven });
            (kind.name().to_owned(), known)
        });
        let models: Map<String, Value> = models.collect();
        let left_out: Vec<Value> = self
            .left_out
            .iter()
            .map(|one| json!({ "model": one.kind.name(), "reason": one.reason.to_string() }))
            .collect();
        let object = json!({
            "worst_regret": number(self.found.worst_regret),
            "bound": number(self.found.bound),
            "status": if self.found.status == Status::Optimal { "optimal" } else { "feasible" },
            "at_most": number(self.found.at_most),
            "regrets": self.by_model(&self.found.regrets),
            "others": others,
            "models": models,
            "left_out": left_out,
        });
        match object {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// What the placement loses, and how sure that is.
    pub(super) fn verdict(&self, style: &Style) -> String {
        let Robust { worst_regret, bound, at_most, status, models, .. } = &self.found;
        let proven = models.iter().all(|of| of.proven);
        let best = if proven { "the best" } else { "the best found" };
        let count = figures::count(self.kinds.len() as u64, "model");
        let loses = format!(
            "Robust: loses at most {} of {best} whichever of {count} is right",
            style.strong(&percent(*worst_regret))
        );
        let possible = if *at_most > worst_regret + SHOWN {
            format!(", {} of what their bounds leave possible", percent(*at_most))
        } else {
            String::new()
        };
        let first = match self.others.first() {
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
        let own = self.kinds[0].name();
        let worst = regrets.iter().zip(&self.kinds).max_by(|a, b| a.0.total_cmp(b.0));
        match worst {
            Some((regret, kind)) if *regret > SHOWN => {
                format!("; the best of {own} loses up to {} under {}", percent(*regret), kind.name())
            }
            _ => format!("; so does the best of {own}"),
        }
    }

    /// Who loses how much where. Bests that are the same allocation share a row.
    fn matrix(&self, style: &Style) -> String {
        let names: Vec<String> = self.kinds.iter().map(|kind| kind.name().replace('-', "-\n")).collect();
        let mut columns = vec![("loses, %", Align::Left), ("worst", Align::Right)];
        columns.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
        let mut grid = Grid::new(&columns);
        let mut row = |name: String, regrets: &[f64]| {
            let worst = regrets.iter().copied().fold(0.0, f64::max);
            let cells = std::iter::once(&worst).chain(regrets).map(|regret| cell(*regret));
            grid.row(std::iter::once(name).chain(cells).collect());
        };
        row(style.strong("robust"), &self.found.regrets);
        let bests = &self.found.models;
        for (number, (name, regrets)) in self.others.iter().enumerate() {
            let same = |other: &usize| match (bests.get(*other), bests.get(number)) {
                (Some(a), Some(b)) => {
                    a.best.allocation == b.best.allocation && a.best.placements == b.best.placements
                }
                _ => false,
            };
            if (0..number).any(|other| same(&other)) {
                continue;
            }
            let others = (number + 1..bests.len()).filter(same).map(|other| self.kinds[other].name());
            row(together(name, &others.collect::<Vec<_>>()), regrets);
        }
        grid.render(style)
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
        let robust = self.robust.as_ref()?;
        let best = &self.best.candidate;
        let same = robust.best.candidate.allocation == best.allocation
            && robust.best.candidate.placements == best.placements;
        let map = if same {
            "The robust placement is the best one above.\n".to_owned()
        } else {
            table::table(&self.view(&robust.best), style)
        };
        let note = format!(
            "Loss: 1 - value / {} under that model; JSON has what is known of each. Columns: the model that is right.",
            if robust.found.models.iter().all(|of| of.proven) { "best value" } else { "best value found" }
        );
        let left_out = robust
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
    pub(crate) fn drawn_view(&self) -> super::ScenarioView<'_> {
        self.view(self.robust.as_ref().map_or(&self.best, |robust| &robust.best))
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
