//! `numasim init`: the first study of a person, with comments and the commands that come next.

mod apps;
mod asking;
mod machine;
mod study;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::args::{AppTemplate, InitArgs};
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;
use asking::Asking;
use machine::{Chosen, Figures};
use study::Study;

/// The file in a folder.
const FILE: &str = "study.toml";
/// Applications of a study for which none were named and nobody was asked: one that needs memory, and one that does not.
const EXAMPLES: [&str; 2] = ["triad", "dgemm"];

/// Runs the command.
pub(crate) fn run(args: &InitArgs, shell: &Shell) -> Result<(), Failure> {
    let target = target(args);
    refuse_to_replace(&target, args.force)?;
    let asked = !args.from_host && args.machine.is_none();
    let (machine, apps) = if asked { ask(args)? } else { (chosen(args)?, args.app.clone()) };
    let machine = machine.read()?;
    let examples = !asked && apps.is_empty() && !machine.has_apps;
    let apps = if examples {
        EXAMPLES.iter().filter_map(|name| AppTemplate::parse(name).ok()).collect()
    } else {
        apps
    };
    let apps = apps.iter().map(apps::Described::of).collect::<Result<Vec<_>, _>>()?;
    let name = target.display().to_string();
    let study = Study { machine: &machine, apps: &apps, examples, name: &name };
    let text = study.text()?;
    if let Some(missing) = &machine.assumed {
        shell.warn(missing);
    }
    let destination = open(&target, args)?;
    destination.deliver(&text)?;
    if matches!(destination, Destination::Stdout) {
        Ok(())
    } else {
        Destination::Stdout.deliver(&study.next())
    }
}

/// Where the study goes.
fn target(args: &InitArgs) -> PathBuf {
    match (&args.output, &args.folder) {
        (Some(file), _) => file.clone(),
        (None, Some(folder)) => folder.join(FILE),
        (None, None) => PathBuf::from(FILE),
    }
}

fn refuse_to_replace(target: &Path, force: bool) -> Result<(), Failure> {
    // What is no regular file (a pipe, a device) is not replaced, and `open` tells about folders and links.
    let is_there = fs::symlink_metadata(target).is_ok_and(|found| found.is_file());
    if is_there && !force && target != Path::new("-") {
        return Err(Failure::input(format!("{} is there already", target.display()))
            .hint("--force replaces it; -o FILE gives the study another name"));
    }
    Ok(())
}

/// The place of the study; its folder is made if it is missing.
fn open(target: &Path, args: &InitArgs) -> Result<Destination, Failure> {
    refuse_to_replace(target, args.force)?;
    if let (None, Some(folder)) = (&args.output, &args.folder) {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::output(format!("the directory {} cannot be made", folder.display())).caused_by(&error)
        })?;
    }
    Destination::open(Some(target))
}

/// The machine of the command line.
fn chosen(args: &InitArgs) -> Result<Chosen, Failure> {
    match &args.machine {
        Some(path) => Chosen::of_path(path),
        None => Ok(Chosen::of_host(&machine::topology()?, &Figures::default())),
    }
}

/// Asks for what the command line does not say.
fn ask(args: &InitArgs) -> Result<(Chosen, Vec<AppTemplate>), Failure> {
    let mut asking = Asking::new(io::stdin().lock(), anstream::stderr());
    let machine = asking.machine()?;
    let apps = if args.app.is_empty() { asking.apps()? } else { args.app.clone() };
    Ok((machine, apps))
}
