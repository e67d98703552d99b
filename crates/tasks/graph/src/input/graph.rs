//! Reads `[graph]`: the name of a graph, and what makes it.

use crate::values::Generator;

use super::generator;
use crate::keys::graph;
use numasim_study::reader::TableReader;
use numasim_study::reader::Value;
use numasim_study::{Place, Problem, ProblemKind};

/// What `[graph]` says.
#[derive(Default)]
pub(super) struct GraphTable {
    pub(super) name: Option<String>,
    pub(super) generator: Option<Generator>,
}

/// What the table says, `None` where that makes no sense; and where the generator stands. `cores` are those of each node that has any, if that
/// is clear.
pub(super) fn read(
    table: Option<TableReader<'_>>,
    cores: Option<&[u32]>,
) -> (Option<GraphTable>, Option<Place>) {
    let Some(mut table) = table else { return (Some(GraphTable::default()), None) };
    let name = table.optional(&graph::NAME).map(|value| value.name());
    let word = table.optional(&graph::GENERATOR);
    let generator = match &word {
        Some(word) => generator::read(word, &mut table, cores).map(Some),
        None => no_generator(&mut table),
    };
    table.finish();
    let place = word.as_ref().map(Value::place);
    let read = || {
        let name = match name {
            Some(name) => Some(name?.to_owned()),
            None => None,
        };
        Some(GraphTable { name, generator: generator? })
    };
    (read(), place)
}

/// Nothing is made; parameters without a generator are reported.
#[allow(clippy::option_option, reason = "not there, there, or there and wrong")]
fn no_generator(table: &mut TableReader<'_>) -> Option<Option<Generator>> {
    let Some(parameter) = generator::parameters_there(table) else { return Some(None) };
    let message = format!("`{}` is a parameter of a generator, but there is no `generator`", parameter.name);
    let problem = Problem::new(ProblemKind::MissingKey, message)
        .at(parameter.key_place(), "of which generator?")
        .hint("add e.g. `generator = \"gauss-seidel\"`");
    table.missing_any(&[&graph::GENERATOR], problem);
    None
}
