//! `numasim schema`: the JSON Schema of the input files, or of what a command writes.

use numasim_graph::keys;
use numasim_study::schema;

use crate::args::SchemaArgs;
use crate::documents;
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &SchemaArgs, _shell: &Shell) -> Result<(), Failure> {
    let schema = args.document.map_or_else(|| schema::json_schema(&keys::FILE), documents::json_schema);
    let text = format!("{schema:#}\n");
    Destination::open(args.file.output.as_deref())?.deliver(&text)
}
