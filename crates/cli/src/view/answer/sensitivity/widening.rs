//! The gain of wider resources, for people.

use numasim_draw::grid::{Align, Grid};
use numasim_sim::Objective;
use numasim_sim::sensitivity::{Figure, Step, Widening};

use super::{SensitivityView, by_kind, listed, names, note, rounded};
use crate::view::{Style, figures};

/// Rows of each kind in the table; JSON and CSV have all.
const MOST_OF_A_KIND: usize = 4;

/// What a wider resource is worth, in words.
pub(crate) struct Price {
    /// Its place in the JSON of the analysis.
    pub(crate) place: usize,
    /// Resource, what there is now, the step, and the gain of the step, with threads moved, and of 10 %.
    pub(crate) cells: Vec<String>,
}

impl SensitivityView<'_> {
    /// Resources of which more is worth anything, some of each kind.
    pub(crate) fn prices(&self, style: &Style) -> Vec<Price> {
        let mut shown: Vec<&Widening> = Vec::new();
        let mut prices = Vec::new();
        for (place, one) in self.found.widening.iter().enumerate().filter(|(_, one)| !is_useless(one)) {
            if shown.iter().filter(|other| other.figure.is_like(&one.figure)).count() < MOST_OF_A_KIND {
                shown.push(one);
                prices.push(Price { place, cells: self.widening_row(one, style) });
            }
        }
        prices
    }

    /// What one more GB/s, core or percent is worth.
    pub(super) fn widening(&self, style: &Style) -> String {
        let meaning = match self.answer.problem.goal().objective() {
            Objective::Makespan => "seconds that the makespan gets shorter",
            Objective::Fair => "gain in the smallest p",
            Objective::Geomean => "gain in the mean p",
            Objective::TotalGflops => "gain in the objective, GFLOPS",
        };
        let title = style.heading(3, &format!("What a wider resource is worth ({meaning})"));
        if self.found.widening.is_empty() {
            let left = self.found.widening_left;
            return format!(
                "{title}{}",
                note(&format!("Stopped early: {left} resources are missing."), style)
            );
        }
        let unit = self.unit();
        let columns = [
            ("resource", Align::Left),
            ("now", Align::Right),
            ("step", Align::Right),
            (&*format!("gain, {unit}"), Align::Right),
            ("threads\nmoved", Align::Right),
            ("10 %\nwider", Align::Right),
            ("core used by", Align::Left),
        ];
        let mut grid = Grid::new(&columns);
        let (useless, useful): (Vec<&Widening>, Vec<&Widening>) =
            self.found.widening.iter().partition(|one| is_useless(one));
        let shown = self.prices(style);
        for price in &shown {
            grid.row(price.cells.clone());
        }
        let mut notes = vec![
            "Each resource alone, threads where they are; \"threads moved\": after a local search, at least this much. \
             A core goes to the application that makes the most of it."
                .to_owned(),
        ];
        if matches!(self.answer.problem.goal().objective(), Objective::Fair | Objective::Geomean) {
            notes.push("p stays relative to the machine as it is.".to_owned());
        }
        if useful.iter().any(|one| one.gain.is_some_and(|gain| gain < 0.0)) {
            notes.push(
                "A loss is real in this model: what a wider link or core lets one application draw more, another one \
                 lacks, and remote reads are served first."
                    .to_owned(),
            );
        }
        if useful.len() > shown.len() {
            notes.push(format!(
                "{} smaller gains are left out; JSON and CSV have them.",
                useful.len() - shown.len()
            ));
        }
        if self.found.widening_left > 0 {
            notes.push(format!("Stopped early: {} resources are missing.", self.found.widening_left));
        }
        let mut text = title;
        if !useful.is_empty() {
            text += &if useful.iter().any(|one| matches!(one.figure, Figure::Cores(_))) {
                grid.render(style)
            } else {
                grid.without(6).render(style)
            };
        }
        if !useless.is_empty() {
            let kinds = by_kind(useless.iter().map(|one| &one.figure));
            let apps = self.answer.problem.apps();
            let named: Vec<String> = kinds.iter().map(|kind| names::name(kind, apps, style)).collect();
            text += &listed("No gain", &named, style);
        }
        text + &note(&notes.join(" "), style)
    }

    fn resource(&self, one: &Widening, style: &Style) -> String {
        let name = names::name(&one.figure, self.answer.problem.apps(), style);
        match one.figure.count() {
            1 => name,
            _ if one.together => format!("{name}, together"),
            _ => format!("{name}, each"),
        }
    }

    fn widening_row(&self, one: &Widening, style: &Style) -> Vec<String> {
        let gain = |gain: Option<f64>| match gain {
            None => "-".to_owned(),
            Some(gain) if gain > 0.0 => format!("+{}", rounded(gain)),
            Some(gain) => rounded(gain),
        };
        let users: Vec<&str> =
            one.used_by.iter().map(|app| self.answer.problem.apps()[app.0].name.as_str()).collect();
        let used_by = match (&one.figure, one.gain) {
            (Figure::Cores(_), None) => "not allowed".to_owned(),
            (Figure::Cores(_), _) if users.is_empty() => "nobody".to_owned(),
            (Figure::Cores(_), _) => users.join(" or "),
            _ => String::new(),
        };
        vec![
            self.resource(one, style),
            format!("{} {}", figures::short(one.value), one.figure.unit()),
            match one.step {
                Step::GigabytePerSecond => "+1 GB/s",
                Step::Core => "+1 core",
                Step::Percent => "+1 %",
            }
            .to_owned(),
            gain(one.gain),
            gain(one.gain_moved),
            gain(one.gain_10_percent),
            used_by,
        ]
    }
}

fn is_useless(one: &Widening) -> bool {
    let nothing = |gain: Option<f64>| gain.is_none_or(|gain| gain == 0.0);
    one.gain == Some(0.0) && nothing(one.gain_moved) && nothing(one.gain_10_percent)
}
