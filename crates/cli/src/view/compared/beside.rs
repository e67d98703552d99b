//! The model beside models that know nothing of sharing: a table.

use numasim_ask::compare::standing;
use numasim_draw::grid::{Align, Grid};
use numasim_evidence::compare::{BesideNull, Comparison, Errors};

use super::bar::{judged, percent, signed};
use crate::view::Style;

/// What each null model would have said of the same measurements; empty where nothing was measured.
pub(super) fn table(comparison: &Comparison, style: &Style) -> String {
    let nulls = &comparison.beside.nulls;
    if nulls.is_empty() {
        return String::new();
    }
    let with_apps = nulls.iter().any(|null| null.apps.is_some());
    let right = Align::Right;
    let mut columns =
        vec![("absolute error\nwithout a rule", Align::Left), ("scenarios\nmean", right), ("\nworst", right)];
    if with_apps {
        columns.extend([("applications\nmean", right), ("\nworst", right)]);
    }
    columns.extend([
        ("model's mean\nis smaller by", right),
        ("\n95 %", right),
        ("\nthe model is", Align::Left),
    ]);
    let mut grid = Grid::new(&columns);
    for null in nulls {
        let mut cells = vec![null.null.in_words().to_owned()];
        let shown = |errors: Option<&Errors>, figure: fn(&Errors) -> f64| {
            let value = errors.map(figure);
            judged(value, &value.map_or_else(|| "-".to_owned(), percent), style)
        };
        for errors in [Some(&null.totals), with_apps.then_some(&null.apps)].into_iter().flatten() {
            cells.extend([shown(errors.as_ref(), |e| e.mean), shown(errors.as_ref(), |e| e.worst)]);
        }
        let [mean, interval, standing] = advantage(null);
        cells.extend([mean, interval, standing]);
        grid.row(cells);
    }
    grid.render(style)
}

/// By how much the model's mean error is smaller, the interval of 95 %, and what that says.
pub(crate) fn advantage(null: &BesideNull) -> [String; 3] {
    let nothing = || "-".to_owned();
    let mean = null.advantage.map_or_else(nothing, |advantage| signed(Some(advantage.mean)));
    let interval = null.advantage.and_then(|advantage| advantage.interval);
    let interval = interval
        .map_or_else(nothing, |(low, high)| format!("{} to {}", signed(Some(low)), signed(Some(high))));
    [mean, interval, standing(null.advantage.as_ref()).1.to_owned()]
}
