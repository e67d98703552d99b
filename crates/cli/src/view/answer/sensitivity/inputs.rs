//! Tolerated errors of inputs, for people.

use numasim_ask::sensitivity::{name, rounded};
use numasim_ask::table::{Of, grid};
use numasim_ask::wording::NO_BREAK;
use numasim_sim::Objective;
use numasim_sim::sensitivity::{Range, SEARCHED, Switch};

use super::{SensitivityView, by_kind, listed, note};
use crate::view::{Style, figures};

/// A negligible loss.
const NEGLIGIBLE: f64 = 0.001;
/// Maximum number of inputs in the table; JSON and CSV contain all.
const MOST_INPUTS: usize = 12;

impl SensitivityView<'_> {
    /// The decisive inputs, the most sensitive first, and those that are not decisive.
    pub(super) fn inputs(&self, style: &Style) -> String {
        let title = style.heading(3, "How wrong an input may be before another placement wins");
        if self.found.ranges.is_empty() {
            let left = self.found.ranges_left;
            return format!("{title}{}", note(&format!("Stopped early: {left} inputs are missing."), style));
        }
        let lost = if self.answer.problem.goal().objective() == Objective::Makespan {
            ["longer if\n10 % off", "\n20 % off"]
        } else {
            ["lost if\n10 % off", "\n20 % off"]
        };
        let (switching, safe): (Vec<&Range>, Vec<&Range>) =
            self.found.ranges.iter().partition(|range| range.below.is_some() || range.above.is_some());
        let (harmless, mut delicate): (Vec<&Range>, Vec<&Range>) =
            switching.into_iter().partition(|range| is_harmless(range));
        // The most costly errors first; among those without a cost so far, the closest one.
        delicate.sort_by(|a, b| worst(b).total_cmp(&worst(a)).then(closest(a).total_cmp(&closest(b))));
        let rows: Vec<End> = delicate.iter().take(MOST_INPUTS).flat_map(|range| End::of(range)).collect();
        let input = |end: &End| end.is_first.then(|| self.input(end.range, style));
        let columns = [
            Of::text("input", move |end: &End| input(end).map(|[name, _]| name)),
            Of::text("value", move |end: &End| input(end).map(|[_, value]| value)).right(),
            Of::text("side", End::place).titled("another\nwins"),
            Of::text("error", |end: &End| error_percent(end.switch.factor)).right(),
            Of::text("lost_10", |end: &End| lost_percent(end.lost[0])).titled(lost[0]).right(),
            Of::text("lost_20", |end: &End| lost_percent(end.lost[1])).titled(lost[1]).right(),
            Of::text("winner", |end: &End| self.winner(&end.switch.winner, style))
                .titled("which one: threads per node,\nif not as in the best"),
        ];
        let mut text = title;
        if !delicate.is_empty() {
            text += &grid(&columns, &rows).render(style).replace(NO_BREAK, " ");
        }
        let lines = [
            ("Others win by less than 0.1 % even if these are 20 % off", harmless),
            ("No known placement wins within a factor of 2 of", safe),
        ];
        for (start, ranges) in lines.iter().filter(|(_, ranges)| !ranges.is_empty()) {
            let apps = self.answer.problem.apps();
            let kinds = by_kind(ranges.iter().map(|range| &range.figure));
            let named: Vec<String> = kinds.iter().map(|kind| name(kind, apps, style.arrow())).collect();
            text += &listed(start, &named, style);
        }
        text + &note(&self.input_notes(delicate.len()), style)
    }

    fn input_notes(&self, delicate: usize) -> String {
        let makespan = self.answer.problem.goal().objective() == Objective::Makespan;
        let mut notes = vec![format!(
            "One input at a time. Beyond each end, a better placement is known; before it, and up to a factor of 2 on a side \
             that is not shown, none is known ({} compared, and small moves at {} values of each input); this is not a proof. {}: \
             loss of the current threads compared with the best known. AI: arithmetic intensity, FLOP/byte.",
            figures::count(self.found.rivals as u64, "other"),
            SEARCHED.len(),
            if makespan { "Longer" } else { "Lost" },
        )];
        if matches!(self.answer.problem.goal().objective(), Objective::Fair | Objective::Geomean) {
            notes.push("p is relative to the machine with the changed input.".to_owned());
        }
        if delicate > MOST_INPUTS {
            notes.push(format!(
                "{} less sensitive inputs are left out; JSON and CSV have them.",
                delicate - MOST_INPUTS
            ));
        }
        if self.found.ranges_left > 0 {
            notes.push(format!("Stopped early: {} inputs are missing.", self.found.ranges_left));
        }
        notes.join(" ")
    }

    /// Name and value.
    fn input(&self, range: &Range, style: &Style) -> [String; 2] {
        let name = name(&range.figure, self.answer.problem.apps(), style.arrow());
        let (smallest, largest) = range.value;
        let unit = range.figure.unit().replace("FLOP/byte", "");
        if smallest == largest {
            return [name, format!("{} {unit}", rounded(smallest)).trim().to_owned()];
        }
        // Several values that are wrong by the same factor, for example because one benchmark or one clock was wrong.
        let value = format!("{} to {} {unit}", rounded(smallest), rounded(largest));
        [format!("{name}, all"), value.trim().to_owned()]
    }
}

/// One end of the range of an input.
struct End<'a> {
    range: &'a Range,
    /// Its first end, with the name of the input.
    is_first: bool,
    side: &'static str,
    switch: &'a Switch,
    /// The loss if the input is 10 and 20 % wrong in this direction.
    lost: [f64; 2],
}

impl<'a> End<'a> {
    /// Both ends, or the one at which another allocation wins.
    fn of(range: &'a Range) -> Vec<Self> {
        let [minus_20, minus_10, plus_10, plus_20] = range.lost;
        let below = range.below.as_ref().map(|switch| ("below", switch, [minus_10, minus_20]));
        let above = range.above.as_ref().map(|switch| ("above", switch, [plus_10, plus_20]));
        let sides = below.into_iter().chain(above).enumerate();
        sides.map(|(i, (side, switch, lost))| Self { range, is_first: i == 0, side, switch, lost }).collect()
    }

    /// The end of the range, in the unit.
    fn place(&self) -> String {
        let (smallest, largest) = self.range.value;
        let place = if smallest == largest { rounded(smallest * self.switch.factor) } else { String::new() };
        format!("{} {place}", self.side).trim_end().to_owned()
    }
}

/// The largest loss.
fn worst(range: &Range) -> f64 {
    range.lost.iter().copied().fold(0.0, f64::max)
}

/// Another allocation wins at a small error, but the loss is negligible.
fn is_harmless(range: &Range) -> bool {
    let nearby =
        [&range.below, &range.above].into_iter().flatten().any(|switch| (0.8..=1.2).contains(&switch.factor));
    nearby && worst(range) < NEGLIGIBLE
}

/// Distance of the nearer end.
fn closest(range: &Range) -> f64 {
    let distance = |switch: &Option<Switch>| switch.as_ref().map_or(f64::INFINITY, |s| s.factor.ln().abs());
    distance(&range.below).min(distance(&range.above))
}

/// `-38 %`, `+0.5 %`; `0 %` if the smallest change is sufficient.
fn error_percent(factor: f64) -> String {
    let percent = (factor - 1.0) * 100.0;
    match percent.abs() {
        p if p < 1e-3 => "0 %".to_owned(),
        p if p < 0.095 => format!("{percent:+.2} %"),
        p if p < 9.95 => format!("{percent:+.1} %"),
        _ => format!("{percent:+.0} %"),
    }
}

fn lost_percent(lost: f64) -> String {
    match lost * 100.0 {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 0.095 => "<0.1 %".to_owned(),
        p => format!("{p:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::{error_percent, lost_percent};

    #[test]
    fn errors_have_a_sign_and_small_ones_keep_their_digits() {
        let printed = [0.62, 1.015, 1.0004, 1.0].map(error_percent);
        assert_eq!(printed, ["-38 %", "+1.5 %", "+0.04 %", "0 %"]);
    }

    #[test]
    fn a_small_loss_is_not_rounded_to_nothing() {
        assert_eq!([0.0, 1e-5, 0.0123, 0.4].map(lost_percent), ["0 %", "<0.1 %", "1.2 %", "40.0 %"]);
    }
}
