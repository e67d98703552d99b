//! `numasim fit`: figures of the machine from measured scenarios.

use numasim_ask::document;
use numasim_ask::fit::{Fit, fit, free};

use super::compare;
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::view::fitted;

/// Runs the command.
pub(crate) fn run(args: &FitArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::choose_for(files::read_input(&args.study.files)?, args.study.model, shell)?;
    let free = free(&input.study.machine, &args.free)?;
    let measured = compare::read(&args.measured)?;
    let destination = Destination::open(args.output.output.as_deref())?;
    let machine_file = args.emit_machine.as_deref().map(|path| Destination::open(Some(path))).transpose()?;
    let question = Fit { input: &input, scenarios: &args.scenario, measured: &measured, free: &free };
    let fitted = fit(&question)?;
    shell.warn_all(&fitted.warnings);
    if let Some(machine_file) = machine_file {
        machine_file.deliver(&fitted.machine_file()?)?;
    }
    match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let into_file = args.output.output.is_some();
            destination.deliver(&shell.for_people(format, into_file, |style| fitted::table(&fitted, style)))
        }
        Format::Json => destination.deliver_by(|out| document::write(&fitted, out)),
        Format::Csv => destination.deliver(&fitted.csv()),
    }
}
