//! The graph of input files: given, made by a generator, or that of a program of loops.

use crate::values::{GraphSource, TaskGraph, TaskGraphBuilder};
use numasim_model::NodeId;

use crate::generators::{GenerateError, generate, generate_program};

/// A generator, or a program, makes no graph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: {error}")]
pub struct SourceError {
    what: String,
    error: GenerateError,
}

/// The graph of a source; that of none is empty. `sockets`: nodes with cores.
///
/// # Errors
/// A generator or a program that makes none.
pub fn graph_of(source: &GraphSource, sockets: &[NodeId]) -> Result<TaskGraph, SourceError> {
    match source {
        GraphSource::None => Ok(TaskGraphBuilder::new("empty").finish()),
        GraphSource::Given(graph) => Ok(graph.clone()),
        GraphSource::Generated { name, generator } => generate(generator, name, sockets)
            .map_err(|error| SourceError { what: format!("generator {}", generator.as_str()), error }),
        GraphSource::Program { name, program } => generate_program(program, name, sockets)
            .map_err(|error| SourceError { what: "[program]".to_owned(), error }),
    }
}
