//! What two applications do to each other in the last-level cache.

use maud::{Markup, html};
use serde_json::Value;

use super::contents::Report;
use super::html::{self, Shown, number, scrolling, words};
use crate::view::cached::{App, COLUMNS, Document};
use crate::view::figures;
use numasim_ask::compare::percent;

/// Empty where nobody asked.
pub(super) fn section(report: &Report<'_>) -> Markup {
    let Some(found) = report.cached else { return html! {} };
    html! {
        ul.sentences { @for sentence in found.sentences() { li { (sentence) } } }
        @if !found.apps.is_empty() {
            (scrolling("Last-level cache", &table(found)))
            p.faint { (COLUMNS) }
        }
    }
}

/// The figures of the section.
pub(super) fn document(found: &Document) -> Value {
    serde_json::to_value(found).unwrap_or_default()
}

fn table(found: &Document) -> Markup {
    let all: Vec<f64> = found.apps.iter().flat_map(App::all_gbs).collect();
    let gbs = &figures::column(&all);
    let figure = |title, column: usize, key| {
        number(title, move |i, _: &App| {
            Shown::cached(gbs[4 * i + column].clone(), format!("/apps/{i}/{key}")).cell("")
        })
    };
    let columns = [
        words("application", |app: &App| app.app.clone()),
        number("data", |_, app: &App| Shown::plain(app.data()).cell("")),
        figure("GB/s, measured", 0, "gbs"),
        number("spread", |_, app: &App| Shown::plain(app.spread()).cell("")),
        number("of alone", |i, app: &App| match app.of_alone {
            Some(share) => Shown::cached(percent(share), format!("/apps/{i}/of_alone")).cell(""),
            None => Shown::nothing().cell(""),
        }),
        figure("as memory: model", 1, "model_gbs"),
        figure("no sharing", 2, "no_sharing_gbs"),
        figure("equal parts", 3, "equal_parts_gbs"),
    ];
    let caption = format!("Bandwidth of applications that share a cache of {}", found.what());
    html::table(caption, ("scenario", &|app: &App| html! { (app.scenario()) }), &columns, &found.apps)
}
