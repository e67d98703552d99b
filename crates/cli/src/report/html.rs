//! Parts that all sections use: figures that name their place in the JSON, pictures, tables in a box of their own.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, Render, html};
use numasim_ask::compare::grade;
use numasim_draw::{self as plot, Grade};
use serde_json::Value;

use super::contents::Figure;

/// A text, and where the figure in it stands: `comparison#/scenarios/0/error`.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) text: String,
    place: Option<String>,
}

impl Shown {
    /// A figure of the comparison, at this JSON pointer.
    pub(super) fn compared(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("comparison#{}", pointer.as_ref())) }
    }

    /// A figure of the evaluation, at this JSON pointer.
    pub(super) fn evaluated(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("evaluation#{}", pointer.as_ref())) }
    }

    /// A figure of the simulations, at this JSON pointer.
    pub(super) fn simulated(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("simulation#{}", pointer.as_ref())) }
    }

    /// A figure of the simulated tasks, at this JSON pointer.
    pub(super) fn tasked(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("tasked#{}", pointer.as_ref())) }
    }

    /// A figure of the last-level cache, at this JSON pointer.
    pub(super) fn cached(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("cache-figures#{}", pointer.as_ref())) }
    }

    /// A figure of the search, at this JSON pointer.
    pub(super) fn explored(text: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self { text: text.into(), place: Some(format!("exploration#{}", pointer.as_ref())) }
    }

    /// No figure.
    pub(super) fn nothing() -> Self {
        Self::plain("-")
    }

    /// A figure that is not in the JSON.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), place: None }
    }

    /// A dash stands nowhere.
    pub(super) fn place(&self) -> Option<&str> {
        self.place.as_deref().filter(|_| self.text != "-")
    }

    /// Within a sentence.
    pub(super) fn inline(&self) -> Markup {
        html! { b data-json=[self.place()] { (self.text) } }
    }

    /// As a cell of a table, to the right; `class` tells how large an error is.
    pub(super) fn cell(&self, class: &str) -> Markup {
        html! { td class=(format!("n {class}").trim_end()) data-json=[self.place()] { (self.text) } }
    }
}

/// How large an error is, as the class of its colour.
pub(super) fn judged(error: Option<f64>) -> &'static str {
    match grade(error) {
        None => "",
        Some(Grade::Good) => "good",
        Some(Grade::Doubtful) => "warn",
        Some(Grade::Bad) => "bad",
    }
}

/// A bar to the left of zero where the model promises too little, to the right where it promises too much; full at
/// `scale`. The figure stands beside it.
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

/// A cell, by the number of the row and the row.
type CellOf<'a, R> = dyn Fn(usize, &R) -> Markup + 'a;

/// A column of a table.
pub(super) struct Column<'a, R> {
    title: Cow<'a, str>,
    is_number: bool,
    cell: Box<CellOf<'a, R>>,
}

/// A column of numbers.
pub(super) fn number<'a, R>(
    title: impl Into<Cow<'a, str>>,
    cell: impl Fn(usize, &R) -> Markup + 'a,
) -> Column<'a, R> {
    Column { title: title.into(), is_number: true, cell: Box::new(cell) }
}

/// A column of words.
pub(super) fn words<'a, R>(title: &'a str, cell: impl Fn(&R) -> String + 'a) -> Column<'a, R> {
    let cell = move |_, row: &R| html! { td.text { (cell(row)) } };
    Column { title: title.into(), is_number: false, cell: Box::new(cell) }
}

/// A row for each of `rows`, which a cell of the first column names.
pub(super) fn table<'r, R: 'r>(
    caption: impl Render,
    (title, name): (&str, &dyn Fn(&R) -> Markup),
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = &'r R>,
) -> Markup {
    html! {
        table {
            caption { (caption) }
            thead { tr {
                th scope="col" { (title) }
                @for column in columns {
                    @if column.is_number { th.n scope="col" { (column.title) } } @else { th scope="col" { (column.title) } }
                }
            } }
            tbody {
                @for (r, row) in rows.into_iter().enumerate() {
                    tr {
                        th scope="row" { (name(row)) }
                        @for column in columns { ((column.cell)(r, row)) }
                    }
                }
            }
        }
    }
}

/// What is wider than a phone scrolls in a box of its own, also by keyboard.
pub(super) fn scrolling(label: &str, content: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// A picture with its title and how to read it.
pub(super) fn figure(figure: &Figure) -> Markup {
    html! {
        figure {
            (picture(&figure.svg, &figure.title))
            figcaption { b { (figure.title) ". " } (figure.caption) }
        }
    }
}

/// The scale below which the letters of a picture are too small; a wider picture scrolls in its box.
const READABLE: f64 = 0.75;
/// Pixels below which no picture is shrunk: the 44rem of the style.
const NARROWEST: f64 = 704.0;

/// A picture in its box, with a name for those who do not see it.
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

/// A block of JSON that no browser runs, and that no name in it can end.
pub(super) fn data(id: &str, value: &Value) -> Markup {
    let text = value.to_string().replace('<', "\\u003c");
    html! { script type="application/json" id=(id) { (PreEscaped(text)) } }
}
