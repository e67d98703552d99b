//! What models without a rule of sharing say of the same measurements.

use maud::{Markup, html};
use numasim_evidence::compare::{BesideNull, Comparison, Errors};

use super::html::{self, Shown, judged, number, scrolling, words};
use numasim_ask::compare::{advantage, percent};

/// A table; nothing where nothing was measured.
pub(super) fn table(comparison: &Comparison) -> Markup {
    type Figure = fn(&Errors) -> f64;
    let nulls = &comparison.beside.nulls;
    if nulls.is_empty() {
        return html! {};
    }
    let error = |title, key, figure: Figure, errors: fn(&BesideNull) -> &Option<Errors>| {
        number(title, move |i, null: &BesideNull| match errors(null).as_ref().map(figure) {
            Some(value) => {
                Shown::compared(percent(value), format!("/null_models/{i}/{key}")).cell(judged(Some(value)))
            }
            None => Shown::nothing().cell(""),
        })
    };
    let columns = [
        error("scenarios, mean", "mean", |errors| errors.mean, |null| &null.totals),
        error("worst", "worst", |errors| errors.worst, |null| &null.totals),
        error("applications, mean", "apps_mean", |errors| errors.mean, |null| &null.apps),
        error("worst", "apps_worst", |errors| errors.worst, |null| &null.apps),
        number("the model's mean is smaller by", |_, null: &BesideNull| {
            Shown::plain(&advantage(null)[0]).cell("")
        }),
        number("95 %", |_, null: &BesideNull| Shown::plain(&advantage(null)[1]).cell("")),
        words("the model is", |null: &BesideNull| advantage(null)[2].clone()),
    ];
    let plain_name = |null: &BesideNull| html! { (null.null.in_words()) };
    let caption = "Absolute errors of models without a rule of sharing";
    let rows = html::table(caption, ("model", &plain_name), &columns, nulls);
    html! {
        (scrolling("Null models", &rows))
        p.faint {
            "No sharing: each thread is as fast as alone. Equal parts: each controller and link is divided by the number of its \
             threads, whatever they want. The interval is a paired bootstrap over scenarios and their repetitions."
        }
    }
}
