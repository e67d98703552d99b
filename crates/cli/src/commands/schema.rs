//! `numasim schema`: the JSON Schema of the input files.

use numasim_model::input::schema;

use crate::args::SchemaArgs;
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &SchemaArgs, _shell: &Shell) -> Result<(), Failure> {
    let text = format!("{:#}\n", schema::json_schema().to_value());
    Destination::open(args.file.output.as_deref(), &[])?.deliver(&text)
}
