//! The gain from more of each resource, for people.

use numasim_ask::sensitivity::{Row, name};
use numasim_ask::table::{Of, grid};
use numasim_sim::Objective;
use numasim_sim::sensitivity::{Figure, Widening};

use super::{SensitivityView, by_kind, listed, note};
use crate::view::{Style, figures};

/// Number of rows of each kind in the table; JSON and CSV contain all.
const MOST_OF_A_KIND: usize = 4;

/// The gain from more of a resource, in words.
pub(crate) struct Price {
    /// Its index in the JSON of the analysis.
    pub(crate) place: usize,
    /// Resource, present value, the step, and the gain from the step, with threads moved, and from 10 %.
    pub(crate) cells: Vec<String>,
}

impl SensitivityView<'_> {
    /// Resources with a gain, some of each kind, with their index among all.
    fn shown(&self) -> Vec<(usize, &Widening)> {
        let mut shown: Vec<(usize, &Widening)> = Vec::new();
        for (place, one) in self.found.widening.iter().enumerate().filter(|(_, one)| !is_useless(one)) {
            if shown.iter().filter(|(_, other)| other.figure.is_like(&one.figure)).count() < MOST_OF_A_KIND {
                shown.push((place, one));
            }
        }
        shown
    }

    /// Their gains, in words.
    pub(crate) fn prices(&self, style: &Style) -> Vec<Price> {
        let shown = self.shown();
        let rows: Vec<Row> = shown.iter().map(|(_, one)| Row::Widening(one)).collect();
        let cells = grid(&self.price_columns(style), &rows).into_rows();
        shown.iter().zip(cells).map(|(&(place, _), cells)| Price { place, cells }).collect()
    }

    fn price_columns<'v>(&'v self, style: &'v Style) -> Vec<Of<'v, Row<'v>>> {
        let resource = |row: &Row| row.widening().map(|one| self.resource(one, style));
        let now = |one: &Widening| format!("{} {}", figures::short(one.value), one.figure.unit());
        let own = [
            Of::text("resource", resource),
            Of::text("now", move |row: &Row| row.widening().map(now)).right(),
        ];
        let shared = ["step", "gain", "gain_threads_moved", "gain_10_percent"];
        let declared = Row::columns(&self.answer.problem).into_iter();
        own.into_iter().chain(declared.filter(|of| shared.contains(&&*of.column().name))).collect()
    }

    /// The gain from one more GB/s, core or percent.
    pub(super) fn widening(&self, style: &Style) -> String {
        let meaning = match self.answer.problem.goal().objective() {
            Objective::Makespan => "reduction of the makespan, s",
            Objective::Fair => "gain in the smallest p",
            Objective::Geomean => "gain in the mean p",
            Objective::TotalGflops => "gain in the objective, GFLOPS",
        };
        let title = style.heading(3, &format!("Gain from more of each resource ({meaning})"));
        if self.found.widening.is_empty() {
            let left = self.found.widening_left;
            return format!(
                "{title}{}",
                note(&format!("Stopped early: {left} resources are missing."), style)
            );
        }
        let (useless, useful): (Vec<&Widening>, Vec<&Widening>) =
            self.found.widening.iter().partition(|one| is_useless(one));
        let shown = self.shown();
        let mut notes = self.price_notes();
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
            let rows: Vec<Row> = shown.iter().map(|(_, one)| Row::Widening(one)).collect();
            let cores = useful.iter().any(|one| matches!(one.figure, Figure::Cores(_)));
            let users = |row: &Row| row.widening().map(|one| self.users(one));
            let mut columns = self.price_columns(style);
            columns.push(Of::text("used by", users).titled("core used by").only_if(cores));
            text += &grid(&columns, &rows).render(style);
        }
        if !useless.is_empty() {
            let kinds = by_kind(useless.iter().map(|one| &one.figure));
            let apps = self.answer.problem.apps();
            let named: Vec<String> = kinds.iter().map(|kind| name(kind, apps, style.arrow())).collect();
            text += &listed("No gain", &named, style);
        }
        text + &note(&notes.join(" "), style)
    }

    /// How to interpret the gains.
    pub(crate) fn price_notes(&self) -> Vec<String> {
        let mut notes = vec![
            "Each resource alone, threads where they are; \"threads moved\": after a local search, at least this much. \
             A core goes to the application that gains most."
                .to_owned(),
        ];
        if matches!(self.answer.problem.goal().objective(), Objective::Fair | Objective::Geomean) {
            notes.push("p stays relative to the current machine.".to_owned());
        }
        if self.found.widening.iter().any(|one| one.gain.is_some_and(|gain| gain < 0.0)) {
            notes.push(
                "A loss is real in this model: a faster link or core lets one application consume bandwidth that another one \
                 then lacks, and remote reads are served first."
                    .to_owned(),
            );
        }
        notes
    }

    fn resource(&self, one: &Widening, style: &Style) -> String {
        let name = name(&one.figure, self.answer.problem.apps(), style.arrow());
        match one.figure.count() {
            1 => name,
            _ if one.together => format!("{name}, together"),
            _ => format!("{name}, each"),
        }
    }

    fn users(&self, one: &Widening) -> String {
        let users: Vec<&str> =
            one.used_by.iter().map(|app| self.answer.problem.apps()[app.0].name.as_str()).collect();
        match (&one.figure, one.gain) {
            (Figure::Cores(_), None) => "not allowed".to_owned(),
            (Figure::Cores(_), _) if users.is_empty() => "none".to_owned(),
            (Figure::Cores(_), _) => users.join(" or "),
            _ => String::new(),
        }
    }
}

fn is_useless(one: &Widening) -> bool {
    let nothing = |gain: Option<f64>| gain.is_none_or(|gain| gain == 0.0);
    one.gain == Some(0.0) && nothing(one.gain_moved) && nothing(one.gain_10_percent)
}
