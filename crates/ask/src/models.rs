//! Models: a description of each sharing model and its parameters.

use std::fmt::Write as _;

use numasim_draw::Style;
use numasim_draw::grid::wrap;
use numasim_model::ModelKind;
use numasim_model::sharing::Parameter;
use numasim_model::sharing::about::{ADVICE, About};
use numasim_model::sharing_model::{USUAL_PENALTY, USUAL_WRITE_PENALTY};
use serde::Serialize;

use crate::document::Head;
use crate::table::{self, Cell, Of};

const LABEL: usize = 12;
/// Common to all models: how they treat applications that write.
const KERNELS: &str = "Every model counts shared traffic in GB/s of reads. If the machine file defines copy_gbs, triad_gbs or update_gbs, 1 GB/s of an \
     application with that `kernel` counts as bandwidth_gbs / that value, on its memory and on every link on the way: alone it reaches \
     the value, and with others it takes the share of the memory's time that it needs. Without the value, its traffic counts as reads.";

/// Sharing models.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Described {
    #[serde(flatten)]
    head: Head,
    /// Advice on the choice of a model.
    advice: &'static str,
    /// The models.
    models: Vec<ModelEntry>,
}

/// A sharing model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ModelEntry {
    #[serde(skip)]
    kind: ModelKind,
    /// Its name.
    name: &'static str,
    /// Whether it is the default.
    default: bool,
    /// A summary of the model.
    summary: &'static str,
    /// Its formulas.
    formula: &'static [&'static str],
    /// Its assumptions.
    assumptions: &'static str,
    /// Its limitations.
    limits: &'static str,
    /// The source of the model.
    source: &'static str,
    /// Its parameters.
    parameters: Vec<ParameterEntry>,
}

/// A parameter.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ParameterEntry {
    #[serde(skip)]
    parameter: Parameter,
    /// Its key in `[machine.sharing]`.
    key: &'static str,
    /// Its unit.
    unit: &'static str,
    /// Its default value; null if the default is no limit.
    default: Option<f64>,
    /// The smallest value.
    minimum: f64,
    /// The largest value.
    maximum: f64,
    /// A description of the parameter.
    about: &'static str,
    /// The source of the parameter.
    source: &'static str,
}

/// Descriptions of these models.
pub fn models(kinds: &[ModelKind]) -> Described {
    let models = kinds.iter().copied().map(ModelEntry::from).collect();
    Described { head: Head::of("models"), advice: ADVICE, models }
}

impl From<ModelKind> for ModelEntry {
    fn from(kind: ModelKind) -> Self {
        let About { summary, formula, assumptions, limits, source, .. } = kind.about();
        let parameters = kind.parameters().map(ParameterEntry::from).collect();
        let default = kind == ModelKind::default();
        Self { kind, name: kind.as_str(), default, summary, formula, assumptions, limits, source, parameters }
    }
}

impl From<Parameter> for ParameterEntry {
    fn from(parameter: Parameter) -> Self {
        let (minimum, maximum) = parameter.range();
        Self {
            parameter,
            key: parameter.as_str(),
            unit: parameter.unit(),
            default: parameter.default(),
            minimum,
            maximum,
            about: parameter.about(),
            source: parameter.source(),
        }
    }
}

impl Described {
    /// For spreadsheets: a row for each model and parameter.
    pub fn csv(&self) -> String {
        type Row<'m> = (&'m ModelEntry, &'m ParameterEntry);
        let columns = [
            Of::text("model", |(model, _): &Row| model.name),
            Of::text("parameter", |(_, parameter): &Row| parameter.key),
            Of::text("unit", |(_, parameter): &Row| parameter.unit),
            Of::number("default", |(_, parameter): &Row| parameter.default),
            Of::text("about", |(_, parameter): &Row| parameter.about),
        ];
        let rows = self.models.iter().flat_map(|model| model.parameters.iter().map(move |own| (model, own)));
        table::csv(&columns, rows)
    }

    /// The parameters that at least one of the models uses.
    fn parameters(&self) -> impl Iterator<Item = ParameterEntry> {
        let is_used = |parameter: &Parameter| self.users(*parameter).next().is_some();
        Parameter::ALL.into_iter().filter(is_used).map(ParameterEntry::from)
    }

    fn users(&self, parameter: Parameter) -> impl Iterator<Item = &ModelEntry> {
        self.models.iter().filter(move |model| parameter.is_used_by(model.kind))
    }

    /// For people: each model in a paragraph with its formulas, then the corrections.
    pub fn text(&self, style: &Style) -> String {
        if style.markdown {
            return self.tables(style);
        }
        let mut text = String::new();
        for model in &self.models {
            part(&mut text, model.name, model.title_end(), model.summary, style);
            for formula in model.formula {
                labelled(&mut text, "", formula, style);
            }
            text.push('\n');
            labelled(&mut text, "assumes", model.assumptions, style);
            labelled(&mut text, "limits", model.limits, style);
            labelled(&mut text, "source", model.source, style);
            let keys: Vec<&str> = model.parameters.iter().map(|own| own.key).collect();
            labelled(&mut text, "parameters", &keys.join(", "), style);
            text.push('\n');
        }
        part(&mut text, "Which one", "", ADVICE, style);
        part(&mut text, "Kernels that write", "", KERNELS, style);
        let words =
            "Each is off unless it is given. Vary them with `sweep --set machine.sharing.KEY=VALUES`.";
        part(&mut text, "Parameters in [machine.sharing]", "", words, style);
        // Removes the blank line after a part, because each parameter begins with one.
        text.pop();
        for own in self.parameters() {
            let unit = if own.unit.is_empty() { String::new() } else { format!(", {}", own.unit) };
            // Writing to a String cannot fail.
            let _ =
                writeln!(text, "\n  {}{unit} (default {})", style.strong(own.key), own.default_in_words());
            labelled(&mut text, "", own.about, style);
            labelled(&mut text, "source", own.source, style);
        }
        text
    }

    /// The same content as tables: the models, their formulas, and the parameters.
    fn tables(&self, style: &Style) -> String {
        type Formula = (&'static str, &'static str);
        let models = table::grid_of(
            &[
                Of::text("model", |model: &&ModelEntry| format!("{}{}", model.name, model.title_end())),
                Of::text("summary", |model: &&ModelEntry| model.summary),
                Of::text("assumes", |model: &&ModelEntry| model.assumptions),
                Of::text("limits", |model: &&ModelEntry| model.limits),
                Of::text("source", |model: &&ModelEntry| model.source),
            ],
            &self.models,
        );
        let formulas =
            self.models.iter().flat_map(|model| model.formula.iter().map(|own| (model.name, *own)));
        let formulas = table::grid_of(
            &[Of::text("model", |row: &Formula| row.0), Of::text("formula", |row: &Formula| row.1)],
            formulas,
        );
        let users = |own: &ParameterEntry| {
            self.users(own.parameter).map(|model| model.name).collect::<Vec<_>>().join(", ")
        };
        let parameters = table::grid_of(
            &[
                Of::text("parameter", |own: &ParameterEntry| own.key),
                Of::text("unit", |own: &ParameterEntry| own.unit),
                Of::number("default", |own: &ParameterEntry| Cell::from(own.default_in_words())),
                Of::text("what it is", |own: &ParameterEntry| own.about),
                Of::text("used by", users),
                Of::text("source", |own: &ParameterEntry| own.source),
            ],
            self.parameters(),
        );
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
}

impl ModelEntry {
    fn title_end(&self) -> &'static str {
        if self.default { " (default)" } else { "" }
    }
}

impl ParameterEntry {
    fn default_in_words(&self) -> String {
        let is = |parameter: Parameter| self.key == parameter.as_str();
        match self.default {
            Some(value) => value.to_string(),
            None if is(Parameter::EcmPenalty) => format!("{USUAL_PENALTY} or {USUAL_WRITE_PENALTY}"),
            None if is(Parameter::EcmWritePenalty) => "as ecm_penalty".to_owned(),
            None => "no limit".to_owned(),
        }
    }
}

fn columns(style: &Style) -> usize {
    style.columns().clamp(60, 100)
}

/// A title, and a paragraph below it.
fn part(text: &mut String, title: &str, end: &str, words: &str, style: &Style) {
    let _ = writeln!(text, "{}{end}", style.strong(title));
    for line in wrap(words, columns(style) - 2) {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
}

/// `  label      words`, broken into aligned lines.
fn labelled(text: &mut String, label: &str, words: &str, style: &Style) {
    for (index, line) in wrap(words, columns(style) - LABEL - 2).iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        let _ = writeln!(text, "  {label:<LABEL$}{line}");
    }
}
