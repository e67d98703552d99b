//! `numasim check`: validates files and says what it read.

mod json;
mod over_time;
mod rows;
mod table;
mod tasks;
mod values;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use numasim_ask::room;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    let reading = files::read_study(&args.files)?;
    shell.warn_all(&numasim_ask::input::implausible(&reading.study.machine));
    for scenario in &reading.study.scenarios {
        let full = scenario.placements().ok().and_then(|data| room::full(&reading.study, scenario, &data));
        if let Some(full) = full {
            let words = room::words(&reading.study, &full);
            shell.warn(format!("scenario '{}' cannot be evaluated: {words}", scenario.name));
        }
    }
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| table::table(&reading, style))
        }
        Format::Json => format!("{:#}\n", json::json(&reading)),
        Format::Csv => rows::csv(&reading),
    };
    destination.deliver(&text)
}
