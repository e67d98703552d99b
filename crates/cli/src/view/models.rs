//! The sharing models in words.

use std::fmt::Write as _;

use numasim_ask::table::{self, Of};
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::ModelKind;
use numasim_model::sharing::Parameter;
use numasim_model::sharing::about::ADVICE;
use serde_json::{Value, json};

use super::Style;

const LABEL: usize = 12;
/// What all models do with applications that write.
const KERNELS: &str = "Every model counts what is shared in GB/s of reads. Where the machine file has copy_gbs, triad_gbs or update_gbs, a \
                       GB/s of an application with that `kernel` stands for bandwidth_gbs / that figure of them, on its memory and \
                       on every link on the way: alone it has the figure, beside others it takes the part of the memory's time that \
                       it needs. Without the figure it counts as reads do.";

/// For people: each model in a paragraph with its formulas, then the corrections.
pub(crate) fn text(kinds: &[ModelKind], style: &Style) -> String {
    if style.markdown {
        return table(kinds, style);
    }
    let mut text = String::new();
    for &kind in kinds {
        let about = kind.about();
        let default = if kind == ModelKind::default() { " (default)" } else { "" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}{default}", style.strong(kind.name()));
        for line in wrap(about.summary, columns(style) - 2) {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
        for formula in about.formula {
            labelled(&mut text, "", formula, style);
        }
        text.push('\n');
        labelled(&mut text, "assumes", about.assumptions, style);
        labelled(&mut text, "limits", about.limits, style);
        labelled(&mut text, "source", about.source, style);
        let keys: Vec<&str> = kind.parameters().map(Parameter::key).collect();
        labelled(&mut text, "parameters", &keys.join(", "), style);
        text.push('\n');
    }
    let _ = writeln!(text, "{}", style.strong("Which one"));
    for line in wrap(ADVICE, columns(style) - 2) {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
    let _ = writeln!(text, "{}", style.strong("Kernels that write"));
    for line in wrap(KERNELS, columns(style) - 2) {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
    let _ = writeln!(text, "{}", style.strong("Parameters in [machine.sharing]"));
    for line in wrap(
        "Each is off unless it is given. Vary them with `sweep --set machine.sharing.KEY=VALUES`.",
        columns(style) - 2,
    ) {
        let _ = writeln!(text, "  {line}");
    }
    for parameter in Parameter::ALL.into_iter().filter(|p| kinds.iter().any(|&kind| p.is_used_by(kind))) {
        let unit =
            if parameter.unit().is_empty() { String::new() } else { format!(", {}", parameter.unit()) };
        let default = parameter.default().map_or("no limit".to_owned(), |value| value.to_string());
        let _ = writeln!(text, "\n  {}{unit} (default {default})", style.strong(parameter.key()));
        labelled(&mut text, "", parameter.about(), style);
        labelled(&mut text, "source", parameter.source(), style);
    }
    text
}

/// The same as tables: the models, their formulas, and the parameters.
fn table(kinds: &[ModelKind], style: &Style) -> String {
    const LEFT: Align = Align::Left;
    let mut models =
        Grid::new(&["model", "what it says", "assumes", "limits", "source"].map(|title| (title, LEFT)));
    let mut formulas = Grid::new(&["model", "formula"].map(|title| (title, LEFT)));
    for &kind in kinds {
        let about = kind.about();
        let default = if kind == ModelKind::default() { " (default)" } else { "" };
        let name = format!("{}{default}", kind.name());
        let words = [about.summary, about.assumptions, about.limits, about.source].map(str::to_owned);
        models.row(std::iter::once(name).chain(words).collect());
        for formula in about.formula {
            formulas.row(vec![kind.name().to_owned(), (*formula).to_owned()]);
        }
    }
    let mut parameters = Grid::new(&[
        ("parameter", LEFT),
        ("unit", LEFT),
        ("default", Align::Right),
        ("what it is", LEFT),
        ("used by", LEFT),
        ("source", LEFT),
    ]);
    let used = |parameter: Parameter| kinds.iter().filter(move |&&kind| parameter.is_used_by(kind));
    for parameter in Parameter::ALL.into_iter().filter(|&parameter| used(parameter).next().is_some()) {
        let default = parameter.default().map_or("no limit".to_owned(), |value| value.to_string());
        let by: Vec<&str> = used(parameter).map(|kind| kind.name()).collect();
        let [key, unit, about, source] =
            [parameter.key(), parameter.unit(), parameter.about(), parameter.source()].map(str::to_owned);
        parameters.row(vec![key, unit, default, about, by.join(", "), source]);
    }
    [
        style.heading(2, "Sharing models"),
        models.render(style),
        format!("\n{ADVICE}\n\n{KERNELS}\n"),
        style.heading(3, "Formulas"),
        formulas.render(style),
        style.heading(3, "Parameters in [machine.sharing]"),
        parameters.render(style),
    ]
    .concat()
}

fn columns(style: &Style) -> usize {
    style.columns().clamp(60, 100)
}

/// `  label      words`, broken below each other.
fn labelled(text: &mut String, label: &str, words: &str, style: &Style) {
    for (index, line) in wrap(words, columns(style) - LABEL - 2).iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        let _ = writeln!(text, "  {label:<LABEL$}{line}");
    }
}

/// For programs.
pub(crate) fn json(kinds: &[ModelKind]) -> Value {
    let models: Vec<Value> = kinds
        .iter()
        .map(|&kind| {
            let about = kind.about();
            json!({
                "name": kind.name(),
                "default": kind == ModelKind::default(),
                "summary": about.summary,
                "formula": about.formula,
                "assumptions": about.assumptions,
                "limits": about.limits,
                "source": about.source,
                "parameters": kind.parameters().map(parameter).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "schema": 1, "command": "models", "advice": ADVICE, "models": models })
}

fn parameter(parameter: Parameter) -> Value {
    let (low, high) = parameter.range();
    json!({
        "key": parameter.key(),
        "unit": parameter.unit(),
        "default": parameter.default(),
        "minimum": low,
        "maximum": high,
        "about": parameter.about(),
        "source": parameter.source(),
    })
}

/// For spreadsheets: a row for each model and parameter.
pub(crate) fn csv(kinds: &[ModelKind]) -> String {
    let columns = [
        Of::text("model", |(kind, _): &(ModelKind, Parameter)| kind.name()),
        Of::text("parameter", |(_, parameter): &(ModelKind, Parameter)| parameter.key()),
        Of::text("unit", |(_, parameter): &(ModelKind, Parameter)| parameter.unit()),
        Of::number("default", |(_, parameter): &(ModelKind, Parameter)| parameter.default()),
        Of::text("about", |(_, parameter): &(ModelKind, Parameter)| parameter.about()),
    ];
    let rows = kinds.iter().flat_map(|&kind| kind.parameters().map(move |parameter| (kind, parameter)));
    table::csv(&columns, rows)
}
