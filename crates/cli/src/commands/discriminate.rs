//! `numasim discriminate`: scenarios that tell the sharing models apart.

use numasim_model::ModelKind;
use numasim_sim::discriminate::discriminate;

use crate::args::DiscriminateArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::view::Style;
use crate::view::discriminate as view;
use numasim_ask::Refusal;

/// Runs the command.
pub(crate) fn run(args: &DiscriminateArgs, shell: &Shell) -> Result<(), Failure> {
    let machine = files::read_study(&args.files)?.study.machine;
    let destination = Destination::open(args.output.output.as_deref())?;
    let emitted = args.emit_scenarios.as_deref().map(|path| Destination::open(Some(path))).transpose()?;
    for kind in ModelKind::ALL {
        if let Some(refusal) = machine.clone().with_model(kind).sharing_refusal() {
            shell.warn(format!("{refusal}: it is compared as if that were not there"));
        }
    }
    let proposal =
        discriminate(&machine, usize::from(args.most)).map_err(|forbidden| Refusal::from(&forbidden))?;
    if let Some(emitted) = emitted {
        emitted.deliver(&view::toml(&machine, &proposal))?;
    }
    destination.deliver(&match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let table = |style: &Style| view::table(&machine, &proposal, style);
            shell.for_people(format, args.output.output.is_some(), table)
        }
        Format::Json => format!("{:#}\n", view::json(&machine, &proposal)),
        Format::Csv => view::csv(&proposal),
    })
}
