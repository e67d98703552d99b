//! Prediction beside measurement for spreadsheets.

use numasim_ask::compare::{View, figures_of};
use serde_json::Value;

use super::has_intervals;

/// The interval of a prediction.
const INTERVAL: [&str; 2] = ["predicted_gflops_ci95_low", "predicted_gflops_ci95_high"];

/// One header line, then for each scenario a row for the whole of it (empty `app`) and one for each application that was
/// measured, in full precision. Columns: `scenario`, `app`, and the keys of [`figures_of`], then the interval of the prediction
/// where any has one.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(view: &View<'_>) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let intervals = if has_intervals(view.comparison) { &INTERVAL[..] } else { &[] };
    let none = figures_of(None);
    let keys: Vec<&str> = none.keys().map(String::as_str).chain(intervals.iter().copied()).collect();
    writer.write_record(["scenario", "app"].iter().chain(&keys))?;
    for scenario in &view.comparison.scenarios {
        let apps = scenario.apps.iter().map(|app| (app.name.as_str(), app.compared.as_ref()));
        for (app, compared) in std::iter::once(("", scenario.total.as_ref())).chain(apps) {
            let Some(compared) = compared else { continue };
            let figures = figures_of(Some(compared));
            let cells = keys.iter().map(|key| figures.get(*key).map_or_else(String::new, cell));
            writer.write_record([scenario.name.clone(), app.to_owned()].into_iter().chain(cells))?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// A whole number has no decimal point here.
fn cell(figure: &Value) -> String {
    match (figure.as_u64(), figure.as_f64()) {
        (Some(count), _) => count.to_string(),
        (None, figure) => figure.map_or_else(String::new, |figure| figure.to_string()),
    }
}
