//! Reads `[machine.sharing]` and `latency_matrix_ns`: how a machine shares bandwidth.

use super::keys::{machine, sharing};
use super::names;
use super::pairs;
use super::problem::{Problem, ProblemKind};
use super::table::TableReader;
use super::value::Value;
use numasim_model::ids::NodeId;
use numasim_model::sharing::{Model, ModelKind, Parameter};

const LATENCIES: &str = "write one row for each node, e.g. `[[90.0, 140.0], [140.0, 90.0]]`: row = node of the core, column = node of the memory";

/// The model and its parameters; the default where there is no table. `latencies`: the machine has a latency matrix.
pub(super) fn read(table: &mut TableReader<'_>, latencies: bool) -> Model {
    let Some(value) = table.optional(&machine::SHARING) else { return Model::default() };
    let hint = "write `[machine.sharing]` and below it e.g. `model = \"max-min\"`";
    let Some(mut table) = value.table(&sharing::TABLE, "a table", hint) else { return Model::default() };
    let kind = table.optional(&sharing::MODEL).and_then(|value| read_kind(&value));
    let mut model = Model::from(kind.unwrap_or_default());
    for parameter in Parameter::ALL {
        let Some(value) = table.named(parameter.key()) else { continue };
        read_parameter(parameter, &value, &mut model);
        if parameter == Parameter::OutstandingLines && !latencies {
            let message = "`outstanding_lines` needs the latencies of the machine";
            let problem = Problem::new(ProblemKind::MissingKey, message)
                .at(value.key_place(), "lines under way / latency = bandwidth")
                .hint("add `latency_matrix_ns = …` to `[machine]`, or give `core_local_gbs` and `core_remote_gbs`");
            value.source.log.report(problem);
        }
    }
    table.finish();
    model
}

fn read_kind(value: &Value<'_>) -> Option<ModelKind> {
    let word = value.string()?;
    let found = ModelKind::from_name(word);
    if found.is_none() {
        let known = ModelKind::ALL.map(ModelKind::name);
        let hint = match value.source.log.suggest(word, known) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => "`numasim models` explains them".to_owned(),
        };
        let message = format!("`model` must be {}, not {}", names::one_of(known), value.text());
        value.report(ProblemKind::BadValue, message, "unknown model", hint);
    }
    found
}

fn read_parameter(parameter: Parameter, value: &Value<'_>, model: &mut Model) {
    let Some(number) = value.number() else { return };
    if let Err(error) = model.parameters.set(parameter, number) {
        let label = if number > parameter.range().1 { "too large" } else { "too small" };
        value.report(ProblemKind::BadValue, error.to_string(), label, "`numasim models` explains it");
    }
}

/// The latencies row by row; `None` where they are not given or wrong. Rows of nodes without cores and columns of nodes
/// without memory may have zeros.
pub(super) fn read_latencies(
    table: &mut TableReader<'_>,
    count: Option<usize>,
    cores: Option<&[u32]>,
    without_memory: &[NodeId],
) -> (bool, Option<Vec<f64>>) {
    let Some(matrix) = table.optional(&machine::LATENCY_MATRIX_NS) else { return (false, None) };
    (true, pairs::read(&matrix, LATENCIES, count, cores, without_memory))
}
