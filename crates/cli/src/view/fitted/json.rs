//! A fit for programs. Numbers are not rounded; errors are fractions.

use numasim_evidence::fit::{self, Blind, Errors, Estimate, Fitted, Residual};
use serde_json::{Value, json};

use super::{View, blind, numbers, status};
use crate::view::json::number;

/// The object of `fit --format json`.
pub(crate) fn json(view: &View<'_>) -> Value {
    let fit = view.fit;
    let others = fit::errors(view.others.iter().map(Residual::error));
    let used = fit.residuals.iter().map(|one| residual(view, one, true));
    let predicted = view.others.iter().map(|one| residual(view, one, false));
    json!({
        "schema": 1,
        "command": "fit",
        "machine": view.study.machine.name(),
        "model": view.model,
        "measured": view.measured,
        "figures": fit.figures.iter().map(figure).collect::<Vec<_>>(),
        "summary": {
            "fit": errors(&fit.errors),
            "left_out": fit.blind_errors.as_ref().map(errors),
            "not_used": others.as_ref().map(errors),
            "degrees_of_freedom": fit.degrees_of_freedom,
            "scatter": fit.scatter.map(number),
        },
        "observations": used.chain(predicted).collect::<Vec<_>>(),
    })
}

fn figure(fitted: &Fitted) -> Value {
    let (value, interval, left_out) = numbers(&fitted.estimate);
    let with = match &fitted.estimate {
        Estimate::Inseparable(others) => others.clone(),
        _ => Vec::new(),
    };
    json!({
        "key": fitted.parameter.key(),
        "unit": fitted.parameter.unit(),
        "before": fitted.before.map(number),
        "status": status(&fitted.estimate),
        "value": value.map(number),
        "ci95_low": interval.map(|(low, _)| number(low)),
        "ci95_high": interval.map(|(_, high)| number(high)),
        "left_out_min": left_out.map(|(low, _)| number(low)),
        "left_out_max": left_out.map(|(_, high)| number(high)),
        "inseparable_from": with,
    })
}

fn errors(errors: &Errors) -> Value {
    json!({ "count": errors.count, "mean_absolute_error": number(errors.mean),
            "worst_absolute_error": number(errors.worst) })
}

fn residual(view: &View<'_>, one: &Residual, used: bool) -> Value {
    let undetermined = match &one.blind {
        Some(Blind::Undetermined(keys)) => keys.clone(),
        _ => Vec::new(),
    };
    json!({
        "scenario": view.scenario(one),
        "app": view.app(one),
        "used": used,
        "measured_gflops": number(one.observed.gflops),
        "predicted_gflops": number(one.predicted),
        "error": number(one.error()),
        "left_out_gflops": blind(one).map(number),
        "left_out_error": one.blind_error().map(number),
        "left_out_undetermined": undetermined,
    })
}
