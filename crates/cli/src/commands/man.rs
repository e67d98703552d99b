//! `numasim man`: manual pages, one for the program and one for each command.

use std::fs;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &ManArgs, _shell: &Shell) -> Result<(), Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    if let Some(dir) = &args.dir {
        fs::create_dir_all(dir).map_err(|error| {
            Failure::output(format!("cannot create the directory {}", dir.display())).caused_by(&error)
        })?;
        for page in std::iter::once(&program).chain(program.get_subcommands()) {
            let (name, text) = render(page)?;
            Destination::open(Some(&dir.join(name)), &[])?.deliver(&text)?;
        }
        return Ok(());
    }
    let page = match &args.page {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let known: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
            Failure::input(format!("there is no command {name}"))
                .hint(format!("the commands are: {}", known.join(", ")))
        })?,
    };
    Destination::open(args.file.output.as_deref(), &[])?.deliver(&render(page)?.1)
}

/// File name and text of a page.
fn render(command: &Command) -> Result<(String, String), Failure> {
    let page = Man::new(command.clone()).section("1").source(concat!("numasim ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Failure::fault("cannot render a manual page").caused_by(&error))?;
    Ok((page.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}
