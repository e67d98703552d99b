//! How often measured and predicted intervals hold what they promise.

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_evidence::compare::{Coverage, Held, Share, Way};
use numasim_evidence::null_models::NullModel;
use serde_json::{Value, json};

use super::percent;
use crate::view::Style;
use crate::view::json::number;

/// A key of JSON, the same in words, and what it counts.
type Named = (&'static str, &'static str, fn(&Held) -> Way);

/// What is counted.
const WAYS: [Named; 3] = [
    ("measured_holds_prediction", "measured interval holds the prediction", |held| held.measured),
    ("predicted_holds_measurement", "predicted interval holds the measured median", |held| held.predicted),
    ("both", "both are as near as the two allow", |held| held.both),
];
/// What intervals of 95 % promise.
const PROMISED: f64 = 0.95;

/// For people: a row for each way and each kind of figure that has intervals, and what the rows mean.
pub(super) fn table(coverage: &Coverage, style: &Style) -> String {
    let right = Align::Right;
    let nulls = NullModel::ALL.map(|null| format!("held of\n{}", null.in_words()));
    let mut columns = vec![
        ("coverage of 95 % intervals", Align::Left),
        ("number", right),
        ("hold", right),
        ("promised", right),
        ("share", right),
        ("95 %", Align::Left),
        ("mean\nwidth", right),
    ];
    columns.extend(nulls.iter().map(|null| (null.as_str(), right)));
    let mut grid = Grid::new(&columns);
    for (what, held) in [("scenarios", &coverage.totals), ("applications", &coverage.apps)] {
        for (_, words, of) in WAYS {
            let way = of(held);
            let one = way.model;
            let (Some(share), Some((low, high))) = (one.share(), one.interval()) else { continue };
            let mut cells = vec![
                format!("{what}: {words}"),
                one.of.to_string(),
                style.strong(&one.held.to_string()),
                format!("{:.1}", PROMISED * one.of as f64),
                percent(share),
                format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high),
                way.mean_width.map_or_else(|| "-".to_owned(), percent),
            ];
            let held = way.nulls.iter();
            cells.extend(held.map(|null| if null.of > 0 { null.held.to_string() } else { "-".to_owned() }));
            grid.row(cells);
        }
    }
    let predicted = has_predicted(coverage);
    let note = if predicted {
        "Only the last of three rows is promised if the model is right: each of the others takes one side for exact. Scenarios \
         share the figures of the machine, so that they hold or miss together and their shares are less certain than said."
    } else {
        "The machine file has no intervals (interval95_percent), so that the prediction counts as exact: fewer than promised may \
         hold although the model is right."
    };
    let note = format!("{note} {WIDTH}");
    let note: Vec<String> = wrap(&note, style.columns()).iter().map(|line| style.faint(line)).collect();
    format!("{}{}\n", grid.render(style), note.join("\n"))
}

/// What width and null models are for.
const WIDTH: &str = "A wide interval holds anything. Mean width: from end to end, of the measured median (in rows of both the root of the \
     sum of squares). Null models have their own figures and, around them, intervals as wide as the model's in parts of the figure: where they \
     hold as many, it is the width that holds.";

/// Whether any prediction has an interval.
pub(super) fn has_predicted(coverage: &Coverage) -> bool {
    coverage.totals.predicted.model.of + coverage.apps.predicted.model.of > 0
}

/// For programs: under `totals` and `apps` the three ways, null where nothing has these intervals.
pub(super) fn json(coverage: &Coverage) -> Value {
    let of_null = |(model, share): (NullModel, Share)| json!({ "name": model.name(), "held": share.held, "of": share.of, "share": share.share().map(number) });
    let way = |way: Way| match (way.model.share(), way.model.interval()) {
        (Some(share), Some((low, high))) => json!({
            "held": way.model.held,
            "of": way.model.of,
            "expected": number(PROMISED * way.model.of as f64),
            "share": number(share),
            "share_ci95": [number(low), number(high)],
            "mean_width": way.mean_width.map(number),
            "null_models": NullModel::ALL.into_iter().zip(way.nulls).map(of_null).collect::<Vec<_>>(),
        }),
        _ => Value::Null,
    };
    let held = |held: &Held| -> Value {
        let ways = WAYS.map(|(key, _, of)| (key.to_owned(), way(of(held))));
        Value::Object(ways.into_iter().collect())
    };
    json!({ "promised": PROMISED, "totals": held(&coverage.totals), "apps": held(&coverage.apps) })
}
