//! A fit for spreadsheets.

use numasim_ask::fit::Fitted;
use numasim_ask::values::{Number, OrNull};

/// Columns of free figures; those of measurements follow.
const FIGURES: [&str; 9] =
    ["figure", "unit", "status", "before", "value", "ci95_low", "ci95_high", "left_out_min", "left_out_max"];
const MEASURED: [&str; 7] =
    ["scenario", "app", "measured_gflops", "predicted_gflops", "error", "left_out_gflops", "left_out_error"];

/// One header line, then a row for each free figure (`kind` is `figure`) and one for each measured figure: `fitted`, or
/// `predicted` where the fit did not use the scenario. Columns of the other kind are empty; numbers are not rounded.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(document: &Fitted<'_>) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let mut row = |kind: &str, figure: [&str; 9], measured: [&str; 7]| {
        writer.write_record([kind].iter().chain(&figure).chain(&measured))
    };
    row("kind", FIGURES, MEASURED)?;
    for one in &document.figures {
        let of = [one.before, one.value, one.ci95_low, one.ci95_high, one.left_out_min, one.left_out_max];
        let [before, value, low, high, least, most] = &of.map(number);
        row("figure", [one.key, one.unit, one.status, before, value, low, high, least, most], [""; 7])?;
    }
    for one in &document.observations {
        let kind = if one.used { "fitted" } else { "predicted" };
        let plain = [one.measured_gflops, one.predicted_gflops, one.error].map(|number| OrNull(Some(number)));
        let [measured, predicted, error] = &plain.map(number);
        let [blind, blind_error] = &[one.left_out_gflops, one.left_out_error].map(number);
        let app = one.app.unwrap_or_default();
        row(kind, [""; 9], [one.scenario, app, measured, predicted, error, blind, blind_error])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Never -0.
fn number(value: OrNull<Number>) -> String {
    value.0.map_or_else(String::new, |Number(value)| (value + 0.0).to_string())
}
