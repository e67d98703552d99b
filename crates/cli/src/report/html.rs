//! Parts that all sections use: values with their location in the JSON, pictures, tables in separate boxes.

use maud::{Markup, PreEscaped, Render, html};
use numasim_ask::compare::grade;
use numasim_ask::table::{self, Of};
use numasim_draw::{self as plot, Grade};
use serde_json::Value;

use crate::report::contents::Figure;

/// A text, and the location of its value: `comparison#/scenarios/0/error`.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) text: String,
    place: Option<String>,
}

impl Shown {
    /// A value of the comparison, at this JSON pointer.
    pub(super) fn compared(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("comparison#{}", pointer.as_ref())) }
    }

    /// A value of the evaluation, at this JSON pointer.
    pub(super) fn evaluated(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("evaluation#{}", pointer.as_ref())) }
    }

    /// A value of the simulations, at this JSON pointer.
    pub(super) fn simulated(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("simulation#{}", pointer.as_ref())) }
    }

    /// A value of the simulated tasks, at this JSON pointer.
    pub(super) fn tasked(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("tasked#{}", pointer.as_ref())) }
    }

    /// A value of the search, at this JSON pointer.
    pub(super) fn explored(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("exploration#{}", pointer.as_ref())) }
    }

    /// No value.
    pub(super) fn nothing() -> Self {
        Self::plain("-")
    }

    /// A value that is not in the JSON.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), place: None }
    }

    /// A dash has no location.
    pub(super) fn place(&self) -> Option<&str> {
        self.place.as_deref().filter(|_| self.text != "-")
    }

    /// The value in a sentence.
    pub(super) fn inline(&self) -> Markup {
        html! { b data-json=[self.place()] { (self.text) } }
    }

    /// The value as a right-aligned cell of a table; `class` shows how large an error is.
    pub(super) fn cell(&self, class: &str) -> Markup {
        html! { td class=(format!("n {class}").trim_end()) data-json=[self.place()] { (self.text) } }
    }
}

/// How large an error is, as the class of its colour.
pub(super) fn judged(error: Option<f64>) -> &'static str {
    class(grade(error))
}

fn class(grade: Option<Grade>) -> &'static str {
    match grade {
        None => "",
        Some(Grade::Good) => "good",
        Some(Grade::Doubtful) => "warn",
        Some(Grade::Bad) => "bad",
    }
}

/// A bar to the left of zero if the model predicts too little, to the right if it predicts too much; full at `scale`. The value is
/// printed next to it.
pub(super) fn error_bar(error: Option<f64>, scale: f64) -> Markup {
    let Some(error) = error.filter(|error| error.is_finite()) else { return html! { td.bar {} } };
    let width = (error.abs() / scale).min(1.0) * 50.0;
    let side = if error < 0.0 { "right" } else { "left" };
    html! {
        td.bar aria-hidden="true" {
            span class=(judged(Some(error))) style=(format!("{side}:50%;width:{width:.1}%")) {}
        }
    }
}

/// A row for each of `rows`, named by the first column.
pub(super) fn table<'a, R: 'a>(caption: impl Render, columns: &[Of<'a, R>], rows: &[R]) -> Markup {
    let columns = table::shown(columns, rows);
    html! {
        table {
            caption { (caption) }
            thead { tr {
                @for (c, column) in columns.iter().enumerate() {
                    @if c > 0 && column.is_right { th.n scope="col" { (column.page_title) } } @else { th scope="col" { (column.page_title) } }
                }
            } }
            tbody {
                @for r in 0..rows.len() {
                    tr {
                        @for (c, column) in columns.iter().enumerate() {
                            @let cell = &column.cells[r];
                            @if c == 0 { th scope="row" { (cell.text) } }
                            @else if column.is_right { (Shown { text: cell.text.clone(), place: cell.place.clone() }.cell(class(cell.grade))) }
                            @else { td.text { (cell.text) } }
                        }
                    }
                }
            }
        }
    }
}

/// Content wider than a phone scrolls in a separate box, also by keyboard.
pub(super) fn scrolling(label: &str, content: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// A picture with its title and an explanation.
pub(super) fn figure(figure: &Figure) -> Markup {
    html! {
        figure {
            (picture(&figure.svg, &figure.title))
            figcaption { b { (figure.title) ". " } (figure.caption) }
        }
    }
}

/// Minimum scale at which the letters of a picture are readable; a wider picture scrolls in its box.
const READABLE: f64 = 0.75;
/// Minimum width in pixels to which pictures are shrunk: the 44rem of the style.
const NARROWEST: f64 = 704.0;

/// A picture in its box, with a label for screen readers.
pub(super) fn picture(svg: &str, label: &str) -> Markup {
    let svg = plot::themed(svg.trim());
    let role = if svg.contains(" role=\"img\"") { "" } else { " role=\"img\"" };
    let escaped = html! { (label) }.into_string();
    let width = svg.split_once(" width=\"").and_then(|(_, rest)| rest.split('"').next()?.parse::<f64>().ok());
    let least = width.map(|width| READABLE * width).filter(|least| *least > NARROWEST);
    let least = least.map_or(String::new(), |least| format!(" style=\"--least:{least:.0}px\""));
    let svg = svg.replacen("<svg ", &format!("<svg{role}{least} aria-label=\"{escaped}\" "), 1);
    let content = html! {
        p.sideways aria-hidden="true" { "← wider than the page: scroll sideways →" }
        (PreEscaped(svg))
    };
    scrolling(&format!("{label}, picture"), &content)
}

/// A block of JSON that browsers do not execute and that no name in it can close.
pub(super) fn data(id: &str, value: &Value) -> Markup {
    let text = value.to_string().replace('<', "\\u003c");
    html! { script type="application/json" id=(id) { (PreEscaped(text)) } }
}
