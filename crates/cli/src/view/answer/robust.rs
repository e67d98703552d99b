//! The placement that is good whichever model is right, for people.

use numasim_ask::explored::Robust;
use numasim_ask::table::{Of, grid};
use numasim_ask::verdict::loss;
use numasim_draw::grid::wrap;

use super::Answer;
use crate::view::{Style, table};

/// Columns of the name of an allocation.
const NAME_COLUMNS: usize = 36;

/// Who loses how much where. Bests that are the same allocation share a row.
fn matrix(robust: &Robust, style: &Style) -> String {
    type Row<'v> = (String, &'v [f64]);
    let worst = |(_, regrets): &Row| regrets.iter().copied().fold(0.0, f64::max);
    let mut columns =
        vec![Of::text("loses, %", |(name, _): &Row| name.clone()), Of::number("worst", worst).written(loss)];
    columns.extend(robust.over.kinds.iter().enumerate().map(|(number, kind)| {
        let title = kind.name().replace('-', "-\n");
        Of::number("loss", move |(_, regrets): &Row| regrets[number]).titled(title).written(loss)
    }));
    let mut rows: Vec<Row> = vec![(style.strong("robust"), &robust.over.found.regrets)];
    let bests = &robust.over.found.models;
    for (number, (name, regrets)) in robust.over.others.iter().enumerate() {
        let same = |other: &usize| match (bests.get(*other), bests.get(number)) {
            (Some(a), Some(b)) => {
                a.best.allocation == b.best.allocation && a.best.placements == b.best.placements
            }
            _ => false,
        };
        if (0..number).any(|other| same(&other)) {
            continue;
        }
        let others = (number + 1..bests.len()).filter(same).map(|other| robust.over.kinds[other].name());
        rows.push((together(name, &others.collect::<Vec<_>>()), regrets));
    }
    grid(&columns, &rows).render(style)
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
            table::table(&robust.best.scenario.view(), style)
        };
        let note = wrap(&robust.note(), style.columns());
        let note: Vec<String> = note.iter().map(|line| style.faint(line)).collect();
        Some(format!("{}\n{}{}\n\n{map}", robust.verdict(style), matrix(robust, style), note.join("\n")))
    }

    /// What `--plot` draws: the robust placement where there is one, else the best.
    pub(crate) fn drawn_view(&self) -> numasim_ask::ScenarioView<'_> {
        self.robust.as_ref().map_or(&self.best, |robust| &robust.best).scenario.view()
    }
}
