//! The analysis for spreadsheets.

use numasim_sim::Candidate;
use numasim_sim::sensitivity::{Figure, Range, Switch, Widening};

use super::json::step;
use super::{SensitivityView, names};
use crate::view::Style;

/// The header.
const COLUMNS: [&str; 24] = [
    "kind",
    "figure",
    "key",
    "unit",
    "count",
    "smallest",
    "largest",
    "step",
    "gain_unit",
    "gain",
    "gain_threads_moved",
    "gain_10_percent",
    "used_by",
    "low",
    "low_factor",
    "low_winner",
    "high",
    "high_factor",
    "high_winner",
    "lost_at_minus_20_percent",
    "lost_at_minus_10_percent",
    "lost_at_plus_10_percent",
    "lost_at_plus_20_percent",
    "objective",
];

impl SensitivityView<'_> {
    /// One header line, then one row per resource (`kind` is `widening`) and per input (`kind` is `input`), in place of
    /// the rows of the allocations: two tables in one file would be no table. The columns mean what the keys of the
    /// JSON mean; those of the other kind are empty.
    ///
    /// # Errors
    /// Only those of the writer; memory does not fail.
    pub(crate) fn csv(&self) -> Result<String, Box<dyn std::error::Error>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMNS)?;
        for one in &self.found.widening {
            writer.write_record(self.widening_record(one))?;
        }
        for range in &self.found.ranges {
            writer.write_record(self.input_record(range))?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    fn head(&self, kind: &str, figure: &Figure, (smallest, largest): (f64, f64)) -> Vec<String> {
        // Programs read it: the same on every terminal.
        let plain = Style { unicode: false, ..Style::default() };
        vec![
            kind.to_owned(),
            names::name(figure, self.answer.problem.apps(), &plain),
            figure.key().to_owned(),
            figure.unit().to_owned(),
            figure.count().to_string(),
            smallest.to_string(),
            largest.to_string(),
        ]
    }

    fn widening_record(&self, one: &Widening) -> Vec<String> {
        let mut record = self.head("widening", &one.figure, (one.value, one.value));
        let gains = [one.gain, one.gain_moved, one.gain_10_percent];
        record.extend([step(one.step).to_owned(), self.unit().to_owned()]);
        record.extend(gains.map(|gain| gain.map_or(String::new(), |gain| gain.to_string())));
        let users = one.used_by.iter().map(|app| self.answer.problem.apps()[app.0].name.as_str());
        record.push(users.collect::<Vec<_>>().join(" or "));
        record.resize(COLUMNS.len() - 1, String::new());
        record.push(self.objective());
        record
    }

    fn input_record(&self, range: &Range) -> Vec<String> {
        let mut record = self.head("input", &range.figure, range.value);
        record.resize(13, String::new());
        for switch in [&range.below, &range.above] {
            record.extend(self.end_record(range, switch.as_ref()));
        }
        record.extend(range.lost.map(|lost| lost.to_string()));
        record.push(self.objective());
        record
    }

    fn end_record(&self, range: &Range, switch: Option<&Switch>) -> [String; 3] {
        let Some(switch) = switch else { return [const { String::new() }; 3] };
        let (smallest, largest) = range.value;
        let place = if smallest == largest { (smallest * switch.factor).to_string() } else { String::new() };
        [place, switch.factor.to_string(), self.winner_in_words(&switch.winner)]
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

    fn objective(&self) -> String {
        self.answer.problem.goal().objective().name().to_owned()
    }
}
