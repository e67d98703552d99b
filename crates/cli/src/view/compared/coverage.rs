//! How often measured and predicted intervals hold what they promise.

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_evidence::compare::{Coverage, Held, Share};
use serde_json::{Value, json};

use super::percent;
use crate::view::Style;
use crate::view::json::number;

/// A key of JSON, the same in words, and what it counts.
type Way = (&'static str, &'static str, fn(&Held) -> Share);

/// What is counted.
const WAYS: [Way; 3] = [
    ("measured_holds_prediction", "measured interval holds the prediction", |held| held.measured),
    ("predicted_holds_measurement", "predicted interval holds the measured median", |held| held.predicted),
    ("both", "both are as near as the two allow", |held| held.both),
];
/// What intervals of 95 % promise.
const PROMISED: f64 = 0.95;

/// For people: a row for each way and each kind of figure that has intervals, and what the rows mean.
pub(super) fn table(coverage: &Coverage, style: &Style) -> String {
    let mut grid = Grid::new(&[
        ("coverage of 95 % intervals", Align::Left),
        ("number", Align::Right),
        ("hold", Align::Right),
        ("promised", Align::Right),
        ("share", Align::Right),
        ("95 %", Align::Left),
    ]);
    for (what, held) in [("scenarios", &coverage.totals), ("applications", &coverage.apps)] {
        for (_, words, of) in WAYS {
            let one = of(held);
            let (Some(share), Some((low, high))) = (one.share(), one.interval()) else { continue };
            grid.row(vec![
                format!("{what}: {words}"),
                one.of.to_string(),
                style.strong(&one.held.to_string()),
                format!("{:.1}", PROMISED * one.of as f64),
                percent(share),
                format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high),
            ]);
        }
    }
    let predicted = coverage.totals.predicted.of + coverage.apps.predicted.of > 0;
    let note = if predicted {
        "Only the last of three rows is promised if the model is right: each of the others takes one side for exact. Scenarios \
         share the figures of the machine, so that they hold or miss together and their shares are less certain than said."
    } else {
        "The machine file has no intervals (interval95_percent), so that the prediction counts as exact: fewer than promised may \
         hold although the model is right."
    };
    let note: Vec<String> = wrap(note, style.columns()).iter().map(|line| style.faint(line)).collect();
    format!("{}{}\n", grid.render(style), note.join("\n"))
}

/// For programs: under `totals` and `apps` the three ways, null where nothing has these intervals.
pub(super) fn json(coverage: &Coverage) -> Value {
    let share = |one: Share| match (one.share(), one.interval()) {
        (Some(share), Some((low, high))) => json!({
            "held": one.held,
            "of": one.of,
            "expected": number(PROMISED * one.of as f64),
            "share": number(share),
            "share_ci95": [number(low), number(high)],
        }),
        _ => Value::Null,
    };
    let held = |held: &Held| -> Value {
        let ways = WAYS.map(|(key, _, of)| (key.to_owned(), share(of(held))));
        Value::Object(ways.into_iter().collect())
    };
    json!({ "promised": PROMISED, "totals": held(&coverage.totals), "apps": held(&coverage.apps) })
}
