//! What commands write as JSON (`numasim schema COMMAND`): each document is the serialisation of a type of `numasim_ask`, from which its
//! JSON Schema is generated.

use clap::ValueEnum;
use numasim_ask::compare::Compared;
use numasim_ask::schema;
use serde_json::Value;

/// A document that has a schema, by its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Document {
    /// What `evaluate --format json` writes
    Evaluate,
    /// What `explore --format json` writes
    Explore,
    /// What `explore --pareto --format json` writes
    Pareto,
    /// What `compare --format json` writes
    Compare,
    /// What `simulate --format json` writes
    Simulate,
    /// What `tasks --format json` writes
    Tasks,
    /// What `sweep --format json` writes
    Sweep,
    /// What `run --format json` writes, and `result.json` of its folder
    Run,
}

/// The JSON Schema (draft 2020-12) of a document.
pub(crate) fn json_schema(document: Document) -> Value {
    match document {
        Document::Evaluate => schema::of::<numasim_ask::evaluate::Document>("evaluate"),
        Document::Explore => schema::of::<numasim_ask::Explored>("explore"),
        Document::Pareto => schema::of::<numasim_ask::pareto::Front>("explore --pareto"),
        Document::Compare => schema::of::<Compared>("compare"),
        Document::Simulate => schema::of::<numasim_ask::simulate::Document>("simulate"),
        Document::Tasks => schema::of::<numasim_ask::tasks::Document>("tasks"),
        Document::Sweep => schema::of::<numasim_ask::sweep::Document>("sweep"),
        Document::Run => schema::of::<numasim_ask::run::HostRun>("run"),
    }
}
