//! The analysis for spreadsheets.

use numasim_ask::table::{self, Of};
use numasim_sim::Candidate;
use numasim_sim::sensitivity::{Figure, Range, Switch, Widening};

use super::{SensitivityView, names};
use crate::view::Style;
use numasim_ask::sensitivity::step;

/// A resource, or an input.
#[derive(Clone, Copy)]
enum Row<'v> {
    Widening(&'v Widening),
    Input(&'v Range),
}

impl<'v> Row<'v> {
    fn figure(self) -> &'v Figure {
        match self {
            Self::Widening(one) => &one.figure,
            Self::Input(range) => &range.figure,
        }
    }

    fn widening(self) -> Option<&'v Widening> {
        if let Self::Widening(one) = self { Some(one) } else { None }
    }

    fn input(self) -> Option<&'v Range> {
        if let Self::Input(range) = self { Some(range) } else { None }
    }

    /// The smallest and the largest value that it has.
    fn value(self) -> (f64, f64) {
        match self {
            Self::Widening(one) => (one.value, one.value),
            Self::Input(range) => range.value,
        }
    }
}

impl SensitivityView<'_> {
    /// One row per resource (`kind` is `widening`) and per input (`kind` is `input`), instead of the rows of the allocations:
    /// two tables in one file would be no table. The columns mean what the keys of the JSON mean; those of the other kind are empty.
    pub(crate) fn csv(&self) -> String {
        let widening = self.found.widening.iter().map(Row::Widening);
        table::csv(&self.columns(), widening.chain(self.found.ranges.iter().map(Row::Input)))
    }

    fn columns(&self) -> Vec<Of<'_, Row<'_>>> {
        let apps = self.answer.problem.apps();
        let objective = self.answer.problem.goal().objective().name();
        // Programs read it: the same on every terminal.
        let plain = Style { unicode: false, ..Style::default() };
        let users = |one: &Widening| {
            one.used_by.iter().map(|app| apps[app.0].name.as_str()).collect::<Vec<_>>().join(" or ")
        };
        let gain = |name, of: fn(&Widening) -> Option<f64>| {
            Of::number(name, move |row: &Row| row.widening().and_then(of))
        };
        let mut columns = vec![
            Of::text("kind", |row: &Row| if row.widening().is_some() { "widening" } else { "input" }),
            Of::text("figure", move |row: &Row| names::name(row.figure(), apps, &plain)),
            Of::text("key", |row: &Row| row.figure().key().to_owned()),
            Of::text("unit", |row: &Row| row.figure().unit().to_owned()),
            Of::whole("count", |row: &Row| row.figure().count()),
            Of::number("smallest", |row: &Row| row.value().0),
            Of::number("largest", |row: &Row| row.value().1),
            Of::text("step", |row: &Row| row.widening().map(|one| step(one.step))),
            Of::text("gain_unit", |row: &Row| row.widening().map(|_| self.unit())),
            gain("gain", |one| one.gain),
            gain("gain_threads_moved", |one| one.gain_moved),
            gain("gain_10_percent", |one| one.gain_10_percent),
            Of::text("used_by", move |row: &Row| row.widening().map(users)),
        ];
        columns.extend(self.end(["low", "low_factor", "low_winner"], |range| range.below.as_ref()));
        columns.extend(self.end(["high", "high_factor", "high_winner"], |range| range.above.as_ref()));
        let lost = [
            "lost_at_minus_20_percent",
            "lost_at_minus_10_percent",
            "lost_at_plus_10_percent",
            "lost_at_plus_20_percent",
        ];
        columns.extend(
            lost.into_iter()
                .enumerate()
                .map(|(i, name)| Of::number(name, move |row: &Row| row.input().map(|range| range.lost[i]))),
        );
        columns.push(Of::text("objective", move |_: &Row| objective));
        columns
    }

    /// Where another allocation becomes the best, at one end of the range of an input.
    fn end<'v>(
        &'v self,
        names: [&'static str; 3],
        switch: fn(&Range) -> Option<&Switch>,
    ) -> [Of<'v, Row<'v>>; 3] {
        let place = move |range: &Range| {
            let (smallest, largest) = range.value;
            switch(range).filter(|_| smallest == largest).map(|switch| smallest * switch.factor)
        };
        let of = move |row: &Row<'v>| row.input().and_then(switch);
        let [value, factor, winner] = names;
        [
            Of::number(value, move |row: &Row| row.input().and_then(place)),
            Of::number(factor, move |row: &Row<'v>| of(row).map(|switch| switch.factor)),
            Of::text(winner, move |row: &Row<'v>| of(row).map(|switch| self.winner_in_words(&switch.winner))),
        ]
    }

    /// `mem: 1 1 1 2; index: 4 0 (data on 0)`, every application.
    fn winner_in_words(&self, candidate: &Candidate) -> String {
        let apps = self.answer.problem.apps().iter().zip(&candidate.placements).enumerate();
        let words = apps.map(|(a, (app, placement))| {
            let row = candidate.allocation.row(numasim_model::AppId(a));
            let threads = row.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
            let home = placement.home().map_or(String::new(), |home| format!(" (data on {})", home.0));
            format!("{}: {threads}{home}", app.name)
        });
        words.collect::<Vec<_>>().join("; ")
    }
}
