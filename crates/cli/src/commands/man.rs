//! `numasim man`: manual pages, one for the program and one for each command.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::failure::Failure;
use crate::output::{Destination, Folder};
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &ManArgs, _shell: &Shell) -> Result<(), Failure> {
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
    Destination::open(args.file.output.as_deref())?.deliver(&render(page)?.1)
}

/// File name and text of a page.
fn render(command: &Command) -> Result<(String, String), Failure> {
    let page = Man::new(command.clone()).section("1").source(concat!("numasim ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Failure::fault("cannot render a manual page").caused_by(&error))?;
    Ok((page.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}
