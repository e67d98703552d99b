//! Tables of a comparison: their columns for terminals, Markdown and pages.

use numasim_draw::Style;
use numasim_evidence::compare::{BesideNull, Comparison, Coverage, Errors, Way};
use numasim_evidence::null_models::NullModel;

use super::words::{PROMISED, WAYS, advantage, grade, percent, place};
use crate::table::Of;

/// Errors with their subject and their key in the document.
pub type Known<'a> = (&'static str, &'static str, &'a Errors);

/// The errors that are known: of scenarios, of applications.
pub fn known_errors(comparison: &Comparison) -> Vec<Known<'_>> {
    let all = [
        ("scenarios", "totals", &comparison.totals),
        ("applications in scenarios", "apps", &comparison.apps),
    ];
    all.into_iter().filter_map(|(what, key, errors)| Some((what, key, errors.as_ref()?))).collect()
}

/// The columns of [`known_errors`].
pub fn of_errors(style: &Style) -> [Of<'_, Known<'_>>; 7] {
    let figure = |title: &'static str, key: &'static str, of: fn(&Errors) -> f64| {
        Of::number(key, move |(.., errors): &Known| of(errors))
            .titled(title)
            .written(percent)
            .graded(move |(.., errors)| grade(Some(of(errors))))
            .at(move |_, (_, kind, _)| format!("comparison#/summary/{kind}/{key}"))
    };
    [
        Of::text("of", |(what, ..): &Known| *what).titled("absolute error of").on_page("of"),
        Of::count("number", |(.., errors): &Known| errors.count)
            .at(|_, (_, kind, _)| format!("comparison#/summary/{kind}/count")),
        figure("mean", "mean_absolute_error", |errors| errors.mean).painted(|_, text| style.strong(&text)),
        figure("median", "median_absolute_error", |errors| errors.median),
        figure("95th\npercentile", "p95_absolute_error", |errors| errors.p95).on_page("95th percentile"),
        figure("worst", "worst_absolute_error", |errors| errors.worst),
        Of::text("where", |(.., errors): &Known| place(errors)),
    ]
}

/// The columns of null models; in a terminal those of applications appear only `with_apps`.
pub fn of_null_models<'a>(with_apps: bool) -> [Of<'a, BesideNull>; 8] {
    type OfNull = fn(&BesideNull) -> &Option<Errors>;
    let error = |title: &'static str, key: &'static str, errors: OfNull, figure: fn(&Errors) -> f64| {
        let value = move |null: &BesideNull| errors(null).as_ref().map(figure);
        Of::number(key, value)
            .titled(title)
            .written(percent)
            .graded(move |null| grade(value(null)))
            .at(move |i, _| format!("comparison#/null_models/{i}/{key}"))
    };
    let standing = |name, title: &'static str, place: usize| {
        Of::text(name, move |null: &BesideNull| advantage(null)[place].clone()).titled(title)
    };
    [
        Of::text("name", |null: &BesideNull| null.null.in_words())
            .titled("absolute error\nwithout a rule")
            .on_page("model"),
        error("scenarios\nmean", "mean", |null| &null.totals, |errors| errors.mean),
        error("\nworst", "worst", |null| &null.totals, |errors| errors.worst),
        error("applications\nmean", "apps_mean", |null| &null.apps, |errors| errors.mean).only_if(with_apps),
        error("\nworst", "apps_worst", |null| &null.apps, |errors| errors.worst).only_if(with_apps),
        standing("model_smaller_by", "model's mean\nis smaller by", 0)
            .on_page("the model's mean is smaller by")
            .right(),
        standing("model_smaller_by_ci95", "\n95 %", 1).right(),
        standing("model_is", "\nthe model is", 2),
    ]
}

/// Coverage of one kind of interval: its description, the counts, and the share with its interval.
pub type Holding = (String, Way, f64, (f64, f64));

/// Each kind of interval that is present, for scenarios and for applications.
pub fn holdings(coverage: &Coverage) -> Vec<Holding> {
    let of = [("scenarios", &coverage.totals), ("applications", &coverage.apps)];
    let all = of.into_iter().flat_map(|(what, held)| {
        WAYS.into_iter().filter_map(move |(_, words, of)| {
            let way = of(held);
            Some((format!("{what}: {words}"), way, way.model.share()?, way.model.interval()?))
        })
    });
    all.collect()
}

/// The columns of [`holdings`].
pub fn of_coverage(style: &Style) -> Vec<Of<'_, Holding>> {
    let mut columns = vec![
        Of::text("what", |(what, ..): &Holding| what.clone()).titled("coverage of 95 % intervals"),
        Of::count("number", |(_, way, ..): &Holding| way.model.of),
        Of::count("hold", |(_, way, ..): &Holding| way.model.held).painted(|_, text| style.strong(&text)),
        Of::number("promised", |(_, way, ..): &Holding| PROMISED * way.model.of as f64)
            .written(|count| format!("{count:.1}")),
        Of::number("share", |(_, _, share, _): &Holding| *share).written(percent),
        Of::text("95 %", |(.., (low, high)): &Holding| {
            format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high)
        }),
        Of::number("mean_width", |(_, way, ..): &Holding| way.mean_width)
            .titled("mean\nwidth")
            .written(percent),
    ];
    columns.extend(NullModel::ALL.into_iter().enumerate().map(|(place, null)| {
        let held = move |(_, way, ..): &Holding| {
            way.nulls.get(place).filter(|held| held.of > 0).map(|held| held.held)
        };
        Of::whole("held", held).titled(format!("held of\n{}", null.in_words())).written(|n| n.to_string())
    }));
    columns
}
