//! `numasim compare`: what was measured beside what the model says.

use std::path::Path;

use numasim_ask::Input;
use numasim_ask::compare::{Compare, Compared, Measured, compare};
use numasim_ask::document;

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::view::compared;

/// Runs the command.
pub(crate) fn run(args: &CompareArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::choose_for(files::read_input(&args.study.files)?, args.study.model, shell)?;
    let measured = read(&args.measured)?;
    let destination = Destination::open(args.output.output.as_deref())?;
    let compared = of(&input, &args.scenario, &measured, shell)?;
    match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let into_file = args.output.output.is_some();
            let text = shell.for_people(format, into_file, |style| compared::table(&compared, style));
            destination.deliver(&text)
        }
        Format::Json => destination.deliver_by(|out| document::write(&compared, out)),
        Format::Csv => destination.deliver(&compared.csv()),
    }
}

/// What is in a measured CSV.
pub(super) fn read(path: &Path) -> Result<Measured, Failure> {
    Ok(Measured::read(files::read_measurements(path)?)?)
}

/// The scenarios with these names (or all) beside what was measured, with warnings of what is left out.
pub(super) fn of(
    input: &Input,
    scenarios: &[String],
    measured: &Measured,
    shell: &Shell,
) -> Result<Compared, Failure> {
    let compared = compare(&Compare { input, scenarios, measured })?;
    shell.warn_all(&compared.warnings);
    Ok(compared)
}
