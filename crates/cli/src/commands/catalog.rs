//! `numasim catalog`: the input files inside the program.

use numasim_ask::catalog::{Listed, catalog};
use numasim_ask::document;
use numasim_graph::Reading;
use numasim_study::SourceFile;

use crate::args::CatalogArgs;
use crate::catalog as files;
use crate::catalog::{Entry, FOLDERS};
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &CatalogArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    let (entries, one) = chosen(args.name.as_deref())?;
    if let (Some(entry), Format::Table) = (one, args.output.format) {
        return destination.deliver(entry.text);
    }
    let catalog = catalog(entries.into_iter().map(listed).collect::<Result<_, _>>()?);
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| catalog.text(&FOLDERS, style))
        }
        Format::Json => document::pretty(&catalog),
        Format::Csv => catalog.csv(),
    };
    destination.deliver(&text)
}

/// The files that were asked for, and the one where it was one.
fn chosen(name: Option<&str>) -> Result<(Vec<Entry>, Option<Entry>), Failure> {
    let Some(name) = name else { return Ok((files::all().collect(), None)) };
    let folder = name.trim_end_matches('/');
    if FOLDERS.iter().any(|(known, _)| *known == folder) {
        return Ok((files::of_folder(folder).collect(), None));
    }
    let entry = files::find(name)
        .map_err(|unknown| Failure::input(format!("{name} {}", unknown.message)).hint(unknown.hint))?;
    Ok((vec![entry], Some(entry)))
}

/// A file with its machine, if it is one of a machine alone.
fn listed(entry: Entry) -> Result<Listed, Failure> {
    let is_machine = entry.folder().ends_with("machines");
    let machine = is_machine.then(|| read(entry)).transpose()?.map(|reading| reading.study.machine);
    Ok(Listed::new(entry.shortest(), entry.path, entry.about(), machine.as_ref()))
}

fn read(entry: Entry) -> Result<Reading, Failure> {
    let source = SourceFile { name: entry.shortest(), text: entry.text.to_owned() };
    // Tests read every file: the program is wrong, not the person.
    numasim_graph::read_study(&[source]).map_err(|problems| {
        let first = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        Failure::fault(format!("{} of the catalogue cannot be read", entry.shortest())).because(first)
    })
}
