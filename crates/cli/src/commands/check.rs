//! `numasim check`: validates files and says what it read.

use numasim_ask::document;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    let reading = files::read_study(&args.files)?;
    let checked = numasim_ask::check(&reading);
    shell.warn_all(&checked.warnings);
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| checked.text(style))
        }
        Format::Json => document::pretty(&checked),
        Format::Csv => checked.csv(),
    };
    destination.deliver(&text)
}
