//! How often measured and predicted intervals hold what they promise.

use numasim_ask::compare::{PROMISED, WAYS};
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_evidence::compare::Coverage;
use numasim_evidence::null_models::NullModel;

use super::percent;
use crate::view::Style;

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
