//! The analysis for programs. Numbers are not rounded.

use numasim_model::AppId;
use numasim_sim::Candidate;
use numasim_sim::sensitivity::{
    ERRORS, Figure, LARGEST_FACTOR, Range, SMALLEST_FACTOR, Step, Switch, Widening,
};
use serde_json::{Value, json};

use super::SensitivityView;
use crate::view::json::number;
use crate::view::numbers;

impl SensitivityView<'_> {
    /// The object `sensitivity` in the JSON of explore.
    ///
    /// `widening`: gains in the unit of the objective (`gain_unit`), null where the restrictions forbid any use.
    /// `inputs`: `low` and `high` in the unit of the input (null where several values change together) and as factors;
    /// null where no known allocation wins. `lost` maps an error (`-0.2`) to the part of the objective that is lost.
    pub(crate) fn json(&self) -> Value {
        let found = self.found;
        json!({
            "complete": found.widening_left + found.ranges_left == 0,
            "gain_unit": self.unit(),
            "factors": [SMALLEST_FACTOR, LARGEST_FACTOR],
            "compared_with": found.rivals,
            "better": found.better.as_ref().map(|better| self.placed(better)),
            "widening": found.widening.iter().map(|one| self.widening_object(one)).collect::<Vec<_>>(),
            "inputs": found.ranges.iter().map(|range| self.input_object(range)).collect::<Vec<_>>(),
        })
    }

    fn widening_object(&self, one: &Widening) -> Value {
        let gain = |gain: Option<f64>| gain.map_or(Value::Null, number);
        let mut object = self.figure(&one.figure);
        object["together"] = one.together.into();
        object["value"] = number(one.value);
        object["step"] = step(one.step).into();
        object["gain"] = gain(one.gain);
        object["gain_threads_moved"] = gain(one.gain_moved);
        object["gain_10_percent"] = gain(one.gain_10_percent);
        object["used_by"] = one.used_by.iter().map(|&app| self.app(app)).collect::<Vec<_>>().into();
        object
    }

    fn input_object(&self, range: &Range) -> Value {
        let (smallest, largest) = range.value;
        let factor = |switch: &Option<Switch>| switch.as_ref().map(|switch| switch.factor);
        let end = |switch: &Option<Switch>| {
            factor(switch)
                .filter(|_| smallest == largest)
                .map_or(Value::Null, |factor| number(smallest * factor))
        };
        let winner = |switch: &Option<Switch>| switch.as_ref().map(|switch| self.placed(&switch.winner));
        let lost: serde_json::Map<String, Value> =
            ERRORS.iter().zip(range.lost).map(|(error, lost)| (error.to_string(), number(lost))).collect();
        let mut object = self.figure(&range.figure);
        object["value"] = if smallest == largest { number(smallest) } else { Value::Null };
        object["smallest"] = number(smallest);
        object["largest"] = number(largest);
        object["low"] = end(&range.below);
        object["high"] = end(&range.above);
        object["low_factor"] = factor(&range.below).map_or(Value::Null, number);
        object["high_factor"] = factor(&range.above).map_or(Value::Null, number);
        object["low_winner"] = winner(&range.below).unwrap_or_default();
        object["high_winner"] = winner(&range.above).unwrap_or_default();
        object["lost"] = lost.into();
        object
    }

    /// Key of the input files, unit, and what has the figure.
    fn figure(&self, figure: &Figure) -> Value {
        let mut object = json!({ "key": figure.key(), "unit": figure.unit() });
        match figure {
            Figure::Controllers(nodes)
            | Figure::Peaks(nodes)
            | Figure::CoreBandwidths(nodes)
            | Figure::Cores(nodes) => {
                object["nodes"] = numbers(nodes).into();
            }
            Figure::Links(links) => {
                let pairs = links.iter().map(|(from, to)| json!({ "from": from.0, "to": to.0 }));
                object["links"] = pairs.collect::<Vec<_>>().into();
            }
            Figure::Intensities(apps) | Figure::Work(apps) => {
                object["apps"] = apps.iter().map(|&app| self.app(app)).collect::<Vec<_>>().into();
            }
        }
        object
    }

    fn app(&self, app: AppId) -> String {
        self.answer.problem.apps()[app.0].name.clone()
    }

    /// Who runs where: threads and home of each application.
    fn placed(&self, candidate: &Candidate) -> Value {
        let apps = self.answer.problem.apps().iter().zip(&candidate.placements).enumerate();
        let apps = apps.map(|(a, (app, placement))| {
            json!({
                "name": app.name,
                "threads": candidate.allocation.row(AppId(a)),
                "home": placement.home().map(|home| home.0),
            })
        });
        json!({
            "value": number(self.answer.problem.goal().value(candidate.score)),
            "apps": apps.collect::<Vec<_>>(),
        })
    }
}

/// What is added, as a stable word.
pub(super) const fn step(step: Step) -> &'static str {
    match step {
        Step::GigabytePerSecond => "+1 GB/s",
        Step::Core => "+1 core",
        Step::Percent => "+1 %",
    }
}
