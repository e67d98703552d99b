//! What two applications do to each other in the last-level cache.

use maud::{Markup, html};
use serde_json::Value;

use super::contents::Report;
use super::html::{Shown, scrolling};
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
    let gbs = figures::column(&all);
    let keys = ["gbs", "model_gbs", "no_sharing_gbs", "equal_parts_gbs"];
    html! {
        table {
            caption { "Bandwidth of applications that share a cache of " (found.what()) }
            thead { tr {
                th scope="col" { "scenario" } th scope="col" { "application" } th.n scope="col" { "data" }
                th.n scope="col" { "GB/s, measured" } th.n scope="col" { "spread" } th.n scope="col" { "of alone" }
                th.n scope="col" { "as memory: model" } th.n scope="col" { "no sharing" } th.n scope="col" { "equal parts" }
            } }
            tbody {
                @for (i, (app, gbs)) in found.apps.iter().zip(gbs.chunks_exact(4)).enumerate() {
                    @let figure = |column: usize| Shown::cached(gbs[column].clone(), format!("/apps/{i}/{}", keys[column])).cell("");
                    tr {
                        th scope="row" { (app.scenario()) }
                        td.text { (app.app) }
                        td.n { (app.data()) }
                        (figure(0))
                        td.n { (app.spread()) }
                        @match app.of_alone {
                            Some(share) => (Shown::cached(percent(share), format!("/apps/{i}/of_alone")).cell("")),
                            None => (Shown::nothing().cell("")),
                        }
                        (figure(1)) (figure(2)) (figure(3))
                    }
                }
            }
        }
    }
}
