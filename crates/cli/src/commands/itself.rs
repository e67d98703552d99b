//! Information about the program and its files: `numasim models`, `catalog`, `check`, `schema`, `completions` and `man`.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use numasim_ask::catalog::Listed;
use numasim_ask::reading::{FILE, Reading};
use numasim_model::ModelKind;
use numasim_study::{SourceFile, schema};

use crate::args::{CatalogArgs, CheckArgs, Cli, CompletionsArgs, ManArgs, ModelsArgs, SchemaArgs};
use crate::catalog::{self as files, Entry, FOLDERS};
use crate::documents;
use crate::failure::Failure;
use crate::output::{Folder, Format};
use crate::shell::Shell;

/// Runs `models`: describes each sharing model and its parameters.
pub(crate) fn models(args: &ModelsArgs, shell: &Shell) -> Result<(), Failure> {
    let kinds: Vec<ModelKind> = args.name.map_or_else(|| ModelKind::ALL.to_vec(), |kind| vec![kind]);
    let models = numasim_ask::models::models(&kinds);
    let text = |style: &_| models.text(style);
    shell.answer(&args.output.open()?, args.output.format, text, &models, || models.csv())
}

/// Runs `check`: validates files and prints what it read.
pub(crate) fn check(args: &CheckArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let reading = crate::files::read_programs(&crate::files::read_texts(&args.toml.files)?)?;
    let checked = numasim_ask::check(&reading);
    shell.warn_all(&checked.warnings);
    let text = |style: &_| checked.text(style);
    shell.answer(&destination, args.output.format, text, &checked, || checked.csv())
}

/// Runs `schema`: the JSON Schema of the input files, or of the output of a command.
pub(crate) fn schema(args: &SchemaArgs) -> Result<(), Failure> {
    let schema = args.document.map_or_else(|| schema::json_schema(&FILE), documents::json_schema);
    args.file.open()?.deliver(&format!("{schema:#}\n"))
}

/// Runs `completions`: scripts that complete commands and options in a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "numasim", &mut script);
    args.file.open()?.deliver(&String::from_utf8_lossy(&script))
}

/// Runs `man`: manual pages, one for the program and one for each command.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    if let Some(dir) = &args.dir {
        let pages = std::iter::once(&program).chain(program.get_subcommands()).map(render);
        let pages = pages.collect::<Result<Vec<_>, _>>()?;
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        return Folder::open(dir, &names, "--dir")?.write_whole(|files| {
            pages.iter().try_for_each(|(name, text)| files.write(name, |out| out.write_str(text)))
        });
    }
    let page = match &args.page {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let known: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
            Failure::input(format!("there is no command {name}"))
                .hint(format!("the commands are: {}", known.join(", ")))
        })?,
    };
    args.file.open()?.deliver(&render(page)?.1)
}

/// File name and text of a page.
fn render(command: &Command) -> Result<(String, String), Failure> {
    let page = Man::new(command.clone()).section("1").source(concat!("numasim ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Failure::fault("cannot render a manual page").caused_by(&error))?;
    Ok((page.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

/// Runs `catalog`: the input files inside the program.
pub(crate) fn catalog(args: &CatalogArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let (entries, one) = chosen(args.name.as_deref())?;
    if let (Some(entry), Format::Table) = (one, args.output.format) {
        return destination.deliver(entry.text);
    }
    let listed = entries.into_iter().map(listed).collect::<Result<_, _>>()?;
    let catalog = numasim_ask::catalog::catalog(listed);
    let text = |style: &_| catalog.text(&FOLDERS, style);
    shell.answer(&destination, args.output.format, text, &catalog, || catalog.csv())
}

/// The requested files, and the single file if one was requested.
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

/// A file with its machine, if it contains a machine alone.
fn listed(entry: Entry) -> Result<Listed, Failure> {
    let is_machine = entry.folder().ends_with("machines");
    let machine = is_machine.then(|| read(entry)).transpose()?.map(|reading| reading.study.at_rest.machine);
    Ok(Listed::new(entry.shortest(), entry.path, entry.about(), machine.as_ref()))
}

fn read(entry: Entry) -> Result<Reading, Failure> {
    let source = SourceFile { name: entry.shortest(), text: entry.text.to_owned() };
    // Tests read every file, so this is a fault of the program, not of the user.
    numasim_ask::reading::read_study(&[source]).map_err(|problems| {
        let first = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        Failure::fault(format!("{} of the catalogue cannot be read", entry.shortest())).because(first)
    })
}
