//! `numasim models`: what each sharing model is, and what can be set.

use numasim_ask::document;
use numasim_ask::models::models;
use numasim_model::ModelKind;

use crate::args::ModelsArgs;
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &ModelsArgs, shell: &Shell) -> Result<(), Failure> {
    let kinds: Vec<ModelKind> = args.name.map_or_else(|| ModelKind::ALL.to_vec(), |kind| vec![kind]);
    let models = models(&kinds);
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| models.text(style))
        }
        Format::Json => document::pretty(&models),
        Format::Csv => models.csv(),
    };
    Destination::open(args.output.output.as_deref())?.deliver(&text)
}
