//! A fit for people: the estimates, the errors, and a verdict in two lines.

#[cfg(test)]
mod tests;

use numasim_ask::compare::{grade, percent, signed};
use numasim_ask::fit::Fitted;
use numasim_ask::table::{self, Of};
use numasim_draw::grid::wrap;
use numasim_evidence::fit::{self as evidence, Blind, Errors, Estimate, Residual};
use numasim_evidence::statistics::WIDEST_REACH;

use super::compared::parties;
use super::{Style, figures};

/// The whole text.
pub(crate) fn table(fitted: &Fitted, style: &Style) -> String {
    let head = parties(&fitted.study, &fitted.measured);
    let mut parts =
        vec![head, estimates(fitted, style), residuals(fitted, &fitted.fit.residuals, true, style)];
    if !fitted.others.is_empty() {
        let note = "Not used by the fit, and predicted:\n".to_owned();
        parts.push(note + &residuals(fitted, &fitted.others, false, style));
    }
    parts.push(verdict(fitted, style));
    parts.join("\n")
}

/// Up to this number of scenarios, the values that are undetermined without each scenario are listed individually.
const MOST_TOLD: usize = 5;

fn estimates(fitted: &Fitted, style: &Style) -> String {
    let value = |one: &evidence::Fitted| match one.estimate {
        Estimate::Determined { value, .. } => Some(value),
        _ => None,
    };
    let several = fitted.fit.figures.len() > 1;
    let columns = [
        Of::text("figure", |one: &evidence::Fitted| one.parameter.key().to_owned()),
        Of::number("before", |one: &evidence::Fitted| one.before).written(figures::single).none("no limit"),
        Of::number("fitted", value)
            .written(figures::single)
            .painted(move |one, text| if value(one).is_some() { style.strong(&text) } else { text }),
        Of::text("unit", |one: &evidence::Fitted| one.parameter.unit()).titled(if style.markdown {
            "unit"
        } else {
            ""
        }),
        Of::text("result", |one: &evidence::Fitted| says(one, several)),
    ];
    table::grid(&columns, &fitted.fit.figures).render(style)
}

/// The knowledge about a value; with `others`, several values are free.
fn says(figure: &evidence::Fitted, others: bool) -> String {
    let key = figure.parameter.key();
    let bound = |which: &str, value: f64, beyond: &str| {
        // A bound is the value at which the errors grow too much while the others are fixed; together they could move it.
        let fixed = if others { " with the other parameters as fitted" } else { "" };
        format!(
            "{which} {}{fixed}: the measurements do not tell {beyond} values apart",
            figures::single(value)
        )
    };
    match &figure.estimate {
        Estimate::Determined { interval, left_out, .. } => {
            let mut parts = Vec::new();
            parts.push(match (figure.estimate.interval(), interval) {
                (Some((low, high)), _) => format!("95 %: {}", range(low, high)),
                (None, Some(_)) => format!(
                    "95 %: wider than a factor of {WIDEST_REACH} in both directions, so almost nothing is known"
                ),
                (None, None) => "no interval: as many parameters as measurements".to_owned(),
            });
            if let Some((low, high)) = left_out {
                parts.push(format!("leaving scenarios out: {}", range(*low, *high)));
            }
            parts.join("; ")
        }
        Estimate::NoInfluence => {
            format!("nothing measured depends on {key}: measure a scenario that it holds back")
        }
        Estimate::AtLeast(value) => bound("at least", *value, "larger"),
        Estimate::AtMost(value) => bound("at most", *value, "smaller"),
        Estimate::AtEnd(value) => format!(
            "reaches {}, the end of the searched range: the model cannot be right with this parameter; free another",
            figures::short(*value)
        ),
        Estimate::Inseparable(others) => {
            format!(
                "acts only together with {}: free one less, or measure more scenarios",
                others.join(" and ")
            )
        }
    }
}

fn range(low: f64, high: f64) -> String {
    let both = figures::column(&[low, high]);
    both.join(" to ")
}

/// Each measured value: fitted, and predicted by a fit without its scenario. Scenarios that the fit did not use have no such prediction.
fn residuals(fitted: &Fitted, residuals: &[Residual], are_used: bool, style: &Style) -> String {
    let error = |error: fn(&Residual) -> Option<f64>| {
        Of::number("error", error)
            .titled("\nerror")
            .written(|error| signed(Some(error)))
            .graded(move |one| grade(error(one)))
    };
    let columns = [
        Of::text("scenario", |one: &Residual| fitted.scenario(one).to_owned()).once(),
        Of::text("app", |one: &Residual| fitted.app(one).unwrap_or("all together").to_owned()),
        Of::number("measured_gflops", |one: &Residual| one.observed.gflops)
            .titled("GFLOPS\nmeasured")
            .rounded(),
        Of::number("predicted_gflops", |one: &Residual| one.predicted)
            .titled(if are_used { "\nfitted" } else { "\npredicted" })
            .rounded(),
        error(|one| Some(one.error())),
        Of::number("left_out_gflops", Residual::blind_gflops)
            .titled("left out\npredicted")
            .rounded()
            .only_known()
            .only_if(are_used),
        error(Residual::blind_error).only_if(are_used),
    ];
    table::graded(&columns, residuals, style).render(style)
}

/// The verdict on the fit.
fn verdict(fitted: &Fitted, style: &Style) -> String {
    let fit = &fitted.fit;
    let in_words =
        |errors: &Errors| format!("mean {}, worst {}", percent(errors.mean), percent(errors.worst));
    let freedom = match fit.degrees_of_freedom {
        0 => "; as many parameters as measurements, so the fit matches them even if the model is wrong",
        _ => "",
    };
    let mut lines = vec![format!("Error of the fit: {}{freedom}.", in_words(&fit.errors))];
    match &fit.blind_errors {
        Some(errors) => lines.push(style.strong(&format!(
            "Error where each scenario is left out of the fit and predicted: {}.",
            in_words(errors)
        ))),
        None => lines.push("No scenario could be left out and predicted.".to_owned()),
    }
    if let Some(errors) = fitted.errors_of_others() {
        lines.push(
            style.strong(&format!("Error of the scenarios that the fit did not use: {}.", in_words(&errors))),
        );
    }
    let mut undetermined: Vec<String> = Vec::new();
    for one in &fit.residuals {
        if let Some(Blind::Undetermined(keys)) = &one.blind {
            let line = format!(
                "Without '{}' the measurements do not determine {}.",
                fitted.scenario(one),
                keys.join(" and ")
            );
            if undetermined.last() != Some(&line) {
                undetermined.push(line);
            }
        }
    }
    let more = undetermined.len().saturating_sub(MOST_TOLD);
    lines.extend(undetermined.into_iter().take(MOST_TOLD));
    if more > 0 {
        lines.push(format!("So it is with {more} more scenarios."));
    }
    lines
        .push("A fit is not a prediction: judge the model by scenarios that the fit did not see.".to_owned());
    let columns = style.width.unwrap_or(100);
    lines.iter().flat_map(|line| wrap(line, columns)).fold(String::new(), |text, line| text + &line + "\n")
}
