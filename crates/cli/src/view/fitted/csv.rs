//! A fit for spreadsheets.

use numasim_evidence::fit::{Fitted, Residual};

use super::{View, blind, numbers, status};

const COLUMNS: [&str; 17] = [
    "kind",
    "figure",
    "unit",
    "status",
    "before",
    "value",
    "ci95_low",
    "ci95_high",
    "left_out_min",
    "left_out_max",
    "scenario",
    "app",
    "measured_gflops",
    "predicted_gflops",
    "error",
    "left_out_gflops",
    "left_out_error",
];

/// One header line, then a row for each free figure (`kind` is `figure`) and one for each measured figure: `fitted`, or
/// `predicted` where the fit did not use the scenario. Columns of the other kind are empty; numbers are not rounded.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(view: &View<'_>) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for fitted in &view.fit.figures {
        writer.write_record(figure(fitted))?;
    }
    for (kind, residuals) in [("fitted", view.fit.residuals.as_slice()), ("predicted", view.others)] {
        for one in residuals {
            writer.write_record(residual(view, kind, one))?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn number(value: Option<f64>) -> String {
    // Never -0.
    value.map_or(String::new(), |value| (value + 0.0).to_string())
}

fn figure(fitted: &Fitted) -> [String; 17] {
    let (value, interval, left_out) = numbers(&fitted.estimate);
    let mut row: [String; 17] = Default::default();
    row[0] = "figure".into();
    row[1] = fitted.parameter.key().into();
    row[2] = fitted.parameter.unit().into();
    row[3] = status(&fitted.estimate).into();
    row[4] = number(fitted.before);
    row[5] = number(value);
    row[6] = number(interval.map(|(low, _)| low));
    row[7] = number(interval.map(|(_, high)| high));
    row[8] = number(left_out.map(|(low, _)| low));
    row[9] = number(left_out.map(|(_, high)| high));
    row
}

fn residual(view: &View<'_>, kind: &str, one: &Residual) -> [String; 17] {
    let mut row: [String; 17] = Default::default();
    row[0] = kind.into();
    row[10] = view.scenario(one).into();
    row[11] = view.app(one).unwrap_or_default().into();
    row[12] = number(Some(one.observed.gflops));
    row[13] = number(Some(one.predicted));
    row[14] = number(Some(one.error()));
    row[15] = number(blind(one));
    row[16] = number(one.blind_error());
    row
}
