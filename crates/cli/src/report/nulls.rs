//! What models without a rule of sharing say of the same measurements.

use maud::{Markup, html};
use numasim_evidence::compare::Comparison;

use super::html::{Shown, judged, scrolling};
use numasim_ask::compare::{advantage, percent};

/// A table; nothing where nothing was measured.
pub(super) fn table(comparison: &Comparison) -> Markup {
    let nulls = &comparison.beside.nulls;
    if nulls.is_empty() {
        return html! {};
    }
    let error = |value: Option<f64>, pointer: String| match value {
        Some(value) => Shown::compared(percent(value), pointer).cell(judged(Some(value))),
        None => Shown::nothing().cell(""),
    };
    let rows = html! {
        table {
            caption { "Absolute errors of models without a rule of sharing" }
            thead { tr {
                th scope="col" { "model" }
                th.n scope="col" { "scenarios, mean" } th.n scope="col" { "worst" }
                th.n scope="col" { "applications, mean" } th.n scope="col" { "worst" }
                th.n scope="col" { "the model's mean is smaller by" } th.n scope="col" { "95 %" } th scope="col" { "the model is" }
            } }
            tbody {
                @for (i, null) in nulls.iter().enumerate() {
                    @let (totals, apps) = (null.totals.as_ref(), null.apps.as_ref());
                    @let [mean, interval, standing] = advantage(null);
                    tr {
                        th scope="row" { (null.null.in_words()) }
                        (error(totals.map(|errors| errors.mean), format!("/null_models/{i}/mean")))
                        (error(totals.map(|errors| errors.worst), format!("/null_models/{i}/worst")))
                        (error(apps.map(|errors| errors.mean), format!("/null_models/{i}/apps_mean")))
                        (error(apps.map(|errors| errors.worst), format!("/null_models/{i}/apps_worst")))
                        td.n { (mean) } td.n { (interval) } td.text { (standing) }
                    }
                }
            }
        }
    };
    html! {
        (scrolling("Null models", &rows))
        p.faint {
            "No sharing: each thread is as fast as alone. Equal parts: each controller and link is divided by the number of its \
             threads, whatever they want. The interval is a paired bootstrap over scenarios and their repetitions."
        }
    }
}
