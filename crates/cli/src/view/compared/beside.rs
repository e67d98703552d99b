//! The model beside models that know nothing of sharing: a table, a sentence, and keys of the JSON.

use numasim_draw::grid::{Align, Grid};
use numasim_evidence::compare::{Advantage, BesideNull, CONTENDED, Comparison, Errors, FEWEST, Verdict};
use serde_json::{Map, Value, json};

use super::bar::{judged, percent, signed};
use crate::view::json::number;
use crate::view::{Style, figures};

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

/// A stable word, and words for people.
fn standing(advantage: Option<&Advantage>) -> (&'static str, &'static str) {
    match advantage.map(|advantage| advantage.interval) {
        None => ("not-measured", "not compared: no total was measured"),
        Some(None) => ("too-few-scenarios", "not judged: too few scenarios"),
        Some(Some((low, _))) if low > 0.0 => ("better", "better"),
        Some(Some((_, high))) if high < 0.0 => ("worse", "worse"),
        Some(Some(_)) => ("no-better", "no better beyond noise"),
    }
}

/// What contended scenarios decide.
pub(crate) fn sentence(comparison: &Comparison) -> Option<String> {
    let beside = &comparison.beside;
    let contended = &beside.contended;
    let (name, most) = contended.highest.as_ref()?;
    let count = figures::count(contended.scenarios as u64, "scenario");
    Some(match &beside.verdict {
        Verdict::NothingMeasured => return None,
        Verdict::NothingContended => format!(
            "Sharing: no verdict. No scenario wants {CONTENDED} times what a memory or link has (the most: {:.2} times, {}, in \
             '{name}'), so that they cannot tell one rule of sharing from another.",
            most.ratio,
            most.resource.in_words()
        ),
        Verdict::TooFew => format!(
            "Sharing: no verdict. At least {FEWEST} scenarios that want {CONTENDED} times what a memory or link has are needed to tell \
             the model from chance; these are {}.",
            contended.scenarios
        ),
        Verdict::NullsAsGood(nulls) => {
            let nulls: Vec<&str> = nulls.iter().map(|null| null.in_words()).collect();
            format!(
                "Sharing: no verdict. On the {count} that want at least {CONTENDED} times what a memory or link has, the model is no \
                 better beyond noise than {}.",
                nulls.join(" and ")
            )
        }
        Verdict::Better => format!(
            "Sharing: on the {count} that want at least {CONTENDED} times what a memory or link has, the model is better beyond noise \
             (95 %) than no sharing and equal parts."
        ),
    })
}

/// `null_models`: each with mean and worst absolute relative error of scenarios.
pub(super) fn nulls(nulls: &[BesideNull]) -> Value {
    nulls.iter().map(null_model).collect()
}

fn null_model(null: &BesideNull) -> Value {
    let of = |errors: Option<&Errors>, figure: fn(&Errors) -> f64| {
        errors.map_or(Value::Null, |errors| number(figure(errors)))
    };
    let mut object = Map::new();
    object.insert("name".into(), null.null.name().into());
    object.insert("mean".into(), of(null.totals.as_ref(), |errors| errors.mean));
    object.insert("worst".into(), of(null.totals.as_ref(), |errors| errors.worst));
    object.insert("count".into(), null.totals.as_ref().map_or(0, |errors| errors.count).into());
    object.insert("apps_mean".into(), of(null.apps.as_ref(), |errors| errors.mean));
    object.insert("apps_worst".into(), of(null.apps.as_ref(), |errors| errors.worst));
    let advantage = null.advantage.as_ref();
    object.insert("model_smaller_by".into(), advantage.map_or(Value::Null, |found| number(found.mean)));
    let interval = advantage.and_then(|found| found.interval);
    object.insert(
        "model_smaller_by_ci95".into(),
        interval.map_or(Value::Null, |(low, high)| json!([number(low), number(high)])),
    );
    object.insert("model_is".into(), standing(advantage).0.into());
    object.into()
}

/// `sharing`: what the contended scenarios decide.
pub(super) fn sharing(comparison: &Comparison) -> Value {
    let contended = &comparison.beside.contended;
    let verdict = match comparison.beside.verdict {
        Verdict::NothingMeasured => "nothing-measured",
        Verdict::NothingContended => "nothing-contended",
        Verdict::TooFew => "too-few-scenarios",
        Verdict::NullsAsGood(_) => "null-models-as-good",
        Verdict::Better => "better",
    };
    let error = |figure: fn(&Errors) -> f64| {
        contended.totals.as_ref().map_or(Value::Null, |errors| number(figure(errors)))
    };
    json!({
        "verdict": verdict,
        "least_contention": CONTENDED,
        "contended_scenarios": contended.scenarios,
        "highest_contention": contended.highest.as_ref().map(|(_, contention)| number(contention.ratio)),
        "mean": error(|errors| errors.mean),
        "worst": error(|errors| errors.worst),
        "null_models": nulls(&contended.nulls),
    })
}
