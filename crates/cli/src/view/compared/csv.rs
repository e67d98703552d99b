//! Prediction beside measurement for spreadsheets.

use super::{View, figures, has_intervals, interval, repetitions};

/// One header line, then for each scenario a row for the whole of it (empty `app`) and one for each application that was
/// measured, in full precision. Columns: `scenario`, `app`, `repetitions`, and the figures of [`super::figures`], then the interval
/// of the prediction where any has one.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(view: &View<'_>) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let intervals = has_intervals(view.comparison);
    let of = |compared| {
        let more = interval(compared).into_iter().filter(|_| intervals);
        figures(compared).into_iter().chain(more)
    };
    let names = of(None).map(|(name, _)| name);
    writer.write_record(["scenario", "app", "repetitions"].into_iter().chain(names))?;
    for scenario in &view.comparison.scenarios {
        let apps = scenario.apps.iter().map(|app| (app.name.as_str(), app.compared.as_ref()));
        for (app, compared) in std::iter::once(("", scenario.total.as_ref())).chain(apps) {
            let Some(repetitions) = repetitions(compared) else { continue };
            let number = |value: Option<f64>| value.map_or(String::new(), |value| (value + 0.0).to_string());
            let figures = of(compared).map(|(_, value)| number(value));
            let head = [scenario.name.clone(), app.to_owned(), repetitions.to_string()];
            writer.write_record(head.into_iter().chain(figures))?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
