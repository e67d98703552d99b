//! `numasim discriminate`: scenarios that tell the sharing models apart.

use numasim_ask::discriminate::discriminate;
use numasim_ask::document;

use crate::args::DiscriminateArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &DiscriminateArgs, shell: &Shell) -> Result<(), Failure> {
    let machine = files::read_study(&args.files)?.study.machine;
    let destination = Destination::open(args.output.output.as_deref())?;
    let emitted = args.emit_scenarios.as_deref().map(|path| Destination::open(Some(path))).transpose()?;
    let found = discriminate(&machine, usize::from(args.most))?;
    shell.warn_all(&found.warnings);
    if let Some(emitted) = emitted {
        emitted.deliver(&found.toml())?;
    }
    destination.deliver(&match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| found.text(style))
        }
        Format::Json => document::pretty(&found),
        Format::Csv => found.csv(),
    })
}
