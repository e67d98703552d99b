//! The answer of a search: best, simplest and robust placement side by side, what wider resources are worth, and what to copy.

use maud::{Markup, html};
use serde_json::Value;

use super::contents::{Explored, Report};
use super::html::{self, Shown, number, scrolling};
use crate::view::answer::sensitivity::Price;
use crate::view::figures;
use numasim_ask::compare::percent;

/// Empty where nobody searched.
pub(super) fn section(report: &Report<'_>) -> Markup {
    let Some(found) = report.explored else { return html! {} };
    html! {
        @for words in &found.words { (paragraph(words)) }
        (scrolling("Placements side by side", &side_by_side(found)))
        p.faint {
            "Maps of all of them are under " a href="#scenarios" { "Scenarios" } ". A loss is the part of the best that is missed; of a model, of the best under that one."
        }
        @if !found.prices.is_empty() {
            (scrolling("What a wider resource is worth", &prices(found)))
            p.faint { "Each resource alone, threads where they are; threads moved: after a local search, at least this much." }
        }
        @match &found.script {
            Some(script) => { details { summary { "Start the best with numactl" } pre tabindex="0" { code { (script) } } } }
            None => { p {
                "The machine file does not name processors (" code { "cpus" } "): with them, " code { "numasim explore --emit numactl" }
                " writes a script that starts the best."
            } }
        }
        details { summary { "The placements as scenarios for other commands" } pre tabindex="0" { code { (found.saved) } } }
    }
}

/// The first line is a sentence, others are of one application each.
fn paragraph(words: &str) -> Markup {
    let mut lines = words.lines();
    html! {
        p { (lines.next().unwrap_or_default()) }
        @let rest = lines.map(str::trim).collect::<Vec<_>>();
        @if !rest.is_empty() { ul { @for line in rest { li { (line) } } } }
    }
}

/// A placement of the document: its name, and where it stands.
fn placements(document: &Value) -> Vec<(String, String)> {
    let mut found = vec![("best".to_owned(), "/best".to_owned())];
    for (name, pointer) in [("simple", "/simple/best"), ("robust", "/robust/best")] {
        if document.pointer(pointer).is_some() {
            found.push((name.to_owned(), pointer.to_owned()));
        }
    }
    let baselines = document.get("baselines").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (number, baseline) in baselines.iter().enumerate() {
        let name = baseline.get("name").and_then(Value::as_str).unwrap_or_default();
        found.push((name.to_owned(), format!("/baselines/{number}")));
    }
    found
}

fn side_by_side(found: &Explored) -> Markup {
    let document = &found.document;
    let models: Vec<&String> = document
        .pointer("/robust/models")
        .and_then(Value::as_object)
        .map_or_else(Vec::new, |all| all.keys().collect());
    let figure = |pointer: &str| document.pointer(pointer).and_then(Value::as_f64);
    let shown = |pointer: &str| match figure(pointer) {
        Some(value) => Shown::explored(figures::single(value), pointer),
        None => Shown::nothing(),
    };
    // Under each model: of the robust one, of the bests and of baselines by name; the simplest was not asked.
    let loss = |name: &str, model: &str| {
        let place = match name {
            "robust" => format!("/robust/regrets/{model}"),
            "best" => {
                let first = document.pointer("/model").and_then(Value::as_str).unwrap_or_default();
                format!("/robust/others/best of {first}/{model}")
            }
            _ => format!("/robust/others/{}/{model}", name.replace('~', "~0").replace('/', "~1")),
        };
        match figure(&place) {
            Some(loss) => Shown::explored(percent(loss), place),
            None => Shown::nothing(),
        }
    };
    html! {
        table {
            caption { "Placements side by side" }
            thead {
                @if !models.is_empty() {
                    tr { th scope="col" { } th.n scope="col" { } th.n scope="col" { } th.n scope="colgroup" colspan=(models.len()) { "loss if this model is right" } }
                }
                tr {
                    th scope="col" { "placement" } th.n scope="col" { "objective" } th.n scope="col" { "total GFLOPS" }
                    @for model in &models { th.n scope="col" { (model) } }
                }
            }
            tbody {
                @for (name, place) in placements(document) {
                    tr {
                        th scope="row" { (name) }
                        (shown(&format!("{place}/value")).cell(""))
                        (shown(&format!("{place}/total_gflops")).cell(""))
                        @for model in &models { (loss(&name, model).cell("")) }
                    }
                }
            }
        }
    }
}

fn prices(found: &Explored) -> Markup {
    let cell = |title, column: usize| {
        number(title, move |_, price: &Price| Shown::plain(&price.cells[column]).cell(""))
    };
    let gain = |title, column: usize, key| {
        number(title, move |_, price: &Price| {
            let place = format!("/sensitivity/widening/{}/{key}", price.place);
            Shown::explored(&price.cells[column], place).cell("")
        })
    };
    let columns = [
        cell("now", 1),
        cell("step", 2),
        gain("gain", 3, "gain"),
        gain("threads moved", 4, "gain_threads_moved"),
        gain("10 % wider", 5, "gain_10_percent"),
    ];
    let caption = format!("What a wider resource is worth, in {}", found.gain_unit);
    html::table(caption, ("resource", &|price: &Price| html! { (price.cells[0]) }), &columns, &found.prices)
}
