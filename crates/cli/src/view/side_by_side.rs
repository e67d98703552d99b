//! Scenarios side by side: all scenarios of one answer, or the same ones under all sharing models.

use numasim_ask::evaluate::UnderModel;
use numasim_draw::grid::wrap;
use numasim_model::AppId;

use numasim_ask::table::{self, Of};

use super::{ScenarioView, Style, figures};

/// Width of a scenario's name in columns: two models fit next to it on a terminal of 80.
const NAME_COLUMNS: usize = 40;

/// For people: for each scenario the total and the GFLOPS of each application, with a column for each model.
pub(crate) fn table(models: &[UnderModel], style: &Style) -> String {
    let Some(first) = models.first() else { return String::new() };
    let mut parts = Vec::new();
    for (s, view) in first.scenarios.iter().enumerate() {
        let name = wrap(&view.name, NAME_COLUMNS).join("\n");
        // The values of a row have the same number of decimals.
        let row = |name: String, value: &dyn Fn(&ScenarioView<'_>) -> f64| {
            let all = models.iter().filter_map(|m| m.scenarios.get(s)).map(|one| value(&one.view()));
            (name, figures::column(&all.collect::<Vec<_>>()))
        };
        let gflops = |app: AppId| {
            move |view: &ScenarioView<'_>| {
                view.evaluation.apps.get(app.0).map_or(0.0, |app| app.gflops.value())
            }
        };
        let named = |app: AppId, names: String| match &view.study.apps[app.0].rate_unit {
            Some(unit) => format!("{names}, {unit}"),
            None => names,
        };
        let mut rows: Vec<(String, Vec<String>)> =
            lines(models, s).into_iter().map(|(app, names)| row(named(app, names), &gflops(app))).collect();
        let unit = view.view().total().1.to_owned();
        rows.push(row(format!("total {unit}"), &|view| view.total().0));
        let mut columns =
            vec![Of::text("name", |(name, _): &(String, Vec<String>)| name.clone()).titled(name)];
        columns.extend(models.iter().enumerate().map(|(m, model)| {
            let value = move |(_, values): &(String, Vec<String>)| values.get(m).cloned();
            Of::text("gflops", value).titled(model.model).right()
        }));
        parts.push(table::grid(&columns, &rows).render(style));
    }
    parts.join("\n")
}

/// The applications with threads; neighbours with the same values under every model share a line.
fn lines(models: &[UnderModel], scenario: usize) -> Vec<(AppId, String)> {
    let of_app = |app: AppId| -> Vec<f64> {
        let all = models.iter().filter_map(|model| model.scenarios.get(scenario));
        all.filter_map(|one| one.evaluation.apps.get(app.0)).map(|app| app.gflops.value()).collect()
    };
    let Some(view) = models.first().and_then(|model| model.scenarios.get(scenario)) else {
        return Vec::new();
    };
    let view = view.view();
    let same = |one: &[f64], other: &[f64]| {
        one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()))
    };
    let mut lines: Vec<(AppId, AppId, Vec<f64>)> = Vec::new();
    for app in view.active_apps() {
        let values = of_app(app);
        match lines.last_mut() {
            Some((first, last, known))
                if view.apps[first.0].group == view.apps[app.0].group && same(known, &values) =>
            {
                *last = app;
            }
            _ => lines.push((app, app, values)),
        }
    }
    let name = |app: AppId| view.apps[app.0].name.clone();
    let in_words = |(first, last, _)| {
        let names =
            if first == last { name(first) } else { format!("{} to {}, each", name(first), name(last)) };
        (first, names)
    };
    lines.into_iter().map(in_words).collect()
}

/// The performance of each scenario in `unit` (total GFLOPS), its ratio to the best one, and a bar. The best is highlighted.
pub(crate) fn compare(totals: &[(&str, f64)], unit: &str, style: &Style) -> String {
    const BAR: usize = 30;
    let best = totals.iter().map(|&(_, total)| total).fold(0.0, f64::max);
    let factor = move |total: f64| if best > 0.0 { total / best } else { 1.0 };
    let emphasis = |&(_, total): &(&str, f64), text: String| {
        if total >= best * (1.0 - 1e-12) { style.strong(&text) } else { text }
    };
    let bar = |&(_, total): &(&str, f64)| {
        let shade = if style.unicode { "█" } else { "#" };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to BAR")]
        let cells = (factor(total) * BAR as f64).round() as usize;
        if style.markdown { String::new() } else { shade.repeat(cells) }
    };
    let columns = [
        Of::text("scenario", |&(name, _): &(&str, f64)| name.to_owned()).painted(emphasis),
        Of::number("total", |&(_, total): &(&str, f64)| total).titled(unit).rounded().painted(emphasis),
        Of::number("of best", move |&(_, total): &(&str, f64)| factor(total))
            .written(|factor| format!("{factor:.3}"))
            .painted(emphasis),
        Of::text("bar", bar).titled(""),
    ];
    table::grid(&columns, totals).render(style)
}
