//! Prediction beside measurement for programs. Numbers are not rounded; errors, spreads and regret are fractions.

use numasim_evidence::compare::{Compared, ComparedScenario, Errors, Mismatch, Regret, Unmatched};
use serde_json::{Map, Value, json};

use super::{View, beside, coverage, figures, interval, reason, repetitions};
use crate::view::json::number;

/// The object of `compare --format json`.
pub(crate) fn json(view: &View<'_>) -> Value {
    let comparison = view.comparison;
    let missing = comparison.missing.iter().map(|one| json!({ "scenario": one.scenario, "app": one.app }));
    let left_out = comparison.left_out.iter().map(|one| {
        json!({ "scenario": one.scenario, "app": one.app, "repetition": one.repetition, "line": one.line,
                "why": one.why })
    });
    let choices = comparison.choices.iter().map(|choice| {
        let mut object = regret(&choice.regret);
        object["apps"] = Value::from(choice.apps.clone());
        object["scenarios"] = Value::from(choice.scenarios);
        object
    });
    let mut document = json!({
        "schema": 1,
        "command": "compare",
        "machine": view.study.machine.name(),
        "model": view.model,
        "measured": view.measured,
        "summary": {
            "totals": comparison.totals.as_ref().map(errors),
            "apps": comparison.apps.as_ref().map(errors),
            "kendall_tau_b": comparison.kendall_tau_b.map(number),
            "regret": comparison.regret.as_ref().map(regret),
            "regret_by_applications": choices.collect::<Vec<_>>(),
        },
        "null_models": beside::nulls(&comparison.beside.nulls),
        "sharing": beside::sharing(comparison),
        "scenarios": comparison.scenarios.iter().map(scenario).collect::<Vec<_>>(),
        "missing": missing.collect::<Vec<_>>(),
        "unmatched": comparison.unmatched.iter().map(unmatched).collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    });
    if let Some(found) = &comparison.coverage {
        document["coverage"] = coverage::json(found);
    }
    document
}

fn scenario(scenario: &ComparedScenario) -> Value {
    let mut object = named(&scenario.name, scenario.total.as_ref());
    let apps: Vec<Value> =
        scenario.apps.iter().map(|app| named(&app.name, app.compared.as_ref()).into()).collect();
    object.insert("doubts".into(), scenario.doubts.iter().cloned().collect());
    object.insert(
        "contention".into(),
        scenario.contention.map_or(Value::Null, |contention| number(contention.ratio)),
    );
    object.insert("apps".into(), apps.into());
    object.into()
}

/// `name`, `repetitions` and the figures; all null where nothing was measured.
fn named(name: &str, compared: Option<&Compared>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("name".into(), name.into());
    object.insert("repetitions".into(), repetitions(compared).into());
    object.extend(
        figures(compared).into_iter().map(|(key, value)| (key.to_owned(), value.map_or(Value::Null, number))),
    );
    let interval =
        interval(compared).into_iter().filter_map(|(key, value)| Some((key.to_owned(), number(value?))));
    object.extend(interval);
    object
}

fn errors(errors: &Errors) -> Value {
    json!({
        "count": errors.count,
        "mean_signed_error": number(errors.mean_signed),
        "mean_absolute_error": number(errors.mean),
        "median_absolute_error": number(errors.median),
        "p95_absolute_error": number(errors.p95),
        "worst_absolute_error": number(errors.worst),
        "worst_scenario": errors.worst_scenario,
        "worst_app": errors.worst_app,
    })
}

fn regret(regret: &Regret) -> Value {
    json!({
        "regret": number(regret.relative),
        "preferred": regret.preferred,
        "preferred_measured_gflops": number(regret.preferred_gflops),
        "best": regret.best,
        "best_measured_gflops": number(regret.best_gflops),
    })
}

fn unmatched(one: &Unmatched) -> Value {
    let kind = match &one.why {
        Mismatch::UnknownScenario(_) => "unknown-scenario",
        Mismatch::UnknownApp(_) => "unknown-app",
        Mismatch::SeveralInstances(_) => "several-instances",
        Mismatch::NoThreads => "no-threads",
        Mismatch::OtherThreads { .. } => "other-threads",
        Mismatch::NothingCounts => "nothing-counts",
    };
    json!({ "scenario": one.scenario, "app": one.app, "line": one.line, "kind": kind, "message": reason(one) })
}
