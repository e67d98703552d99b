//! `numasim check`: validates files and says what it read.

mod json;
mod rows;
mod table;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref(), &args.files)?;
    let reading = files::read_study(&args.files)?;
    crate::sharing::warn_of_doubts(&reading.study.machine, shell);
    let text = match args.output.format {
        Format::Table => table::table(&reading, shell.style(args.output.output.is_some()).columns()),
        Format::Json => format!("{:#}\n", json::json(&reading)),
        Format::Csv => rows::csv(&reading)
            .map_err(|error| Failure::fault("the table could not be written as CSV").caused_by(&error))?,
    };
    destination.deliver(&text)
}
