//! `numasim`: which threads of which application to put on which NUMA node of a shared machine.

#[allow(rustdoc::broken_intra_doc_links, reason = "TOML tables in square brackets: these texts are the help")]
mod args;
mod catalog;
mod commands;
mod documents;
mod emit;
mod failure;
mod fault;
mod files;
mod inputs;
mod memory;
mod output;
mod plot_file;
mod report;
mod sharing;
mod shell;
mod style;
mod threads;
mod trace;
mod view;
mod watch;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, FromArgMatches as _};
use numasim_ask::{diagnostics, suggest};

use crate::args::{Cli, ColorWhen, Command, grouped};
use crate::failure::Failure;
use crate::shell::Shell;

/// How to run the tool that used to be a command.
const PUBLISHED: &str = "cargo run --release -p numasim-published";

fn main() -> ExitCode {
    fault::guard(|| {
        if let Some(served) = commands::workers::served() {
            return served;
        }
        threads::survive_size_limits();
        let mut program = grouped(Cli::command());
        let read = program.try_get_matches_from_mut(std::env::args_os());
        let read = read.and_then(|matches| {
            let files = inputs::of_command_line(&program, &matches);
            let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut program))?;
            Ok((cli, files))
        });
        let (cli, files) = match read {
            Ok(read) => read,
            Err(error) if error.use_stderr() => {
                if error.get(ContextKind::InvalidSubcommand)
                    == Some(&ContextValue::String("published".to_owned()))
                {
                    eprintln!("error: `published` is a tool of the source repository now: {PUBLISHED}");
                    return ExitCode::from(2);
                }
                error.exit() // a mistake on the command line: exit 2
            }
            Err(help) => return ended(output::print_help(&help), &Shell::new(ColorWhen::Auto)),
        };
        let shell = Shell::new(cli.color);
        if let Err(failure) = files {
            return ended(Err(failure), &shell);
        }
        let done = match &cli.command {
            Command::Evaluate(args) => commands::evaluate::run(args, &shell),
            Command::Explore(args) => commands::explore::run(args, &shell),
            Command::Sweep(args) => commands::sweep::run(args, &shell),
            Command::Simulate(args) => commands::simulate::run(args, &shell),
            Command::Agent(args) => commands::agent::run(args, &shell),
            Command::Run(args) => commands::run::run(args, &shell),
            Command::Top(args) => commands::top::run(args, &shell),
            Command::Snapshot(args) => commands::snapshot::run(args, &shell),
            Command::Advise(args) => commands::advise::run(args, &shell),
            Command::Tasks(args) => commands::tasks::run(args, &shell),
            Command::Profile(args) => commands::profile::run(args, &shell),
            Command::ProfileApp(args) => commands::profile_app::run(args, &shell),
            Command::Plan(args) => commands::plan::run(args, &shell),
            Command::Calibrate(args) => commands::calibrate::run(args, &shell),
            Command::Validate(args) => commands::validate::run(args, &shell),
            Command::Bench(args) => commands::bench::run(args, &shell),
            Command::Models(args) => commands::itself::models(args, &shell),
            Command::Fit(args) => commands::evidence::fit(args, &shell),
            Command::Compare(args) => commands::evidence::compare(args, &shell),
            Command::Discriminate(args) => commands::evidence::discriminate(args, &shell),
            Command::Plot(args) => commands::plot::run(args, &shell),
            Command::Report(args) => commands::report::run(args, &shell),
            Command::Check(args) => commands::itself::check(args, &shell),
            Command::Detect(args) => commands::detect::run(args, &shell),
            Command::Import(args) => commands::import::run(args, &shell),
            Command::Catalog(args) => commands::itself::catalog(args, &shell),
            Command::Init(args) => commands::init::run(args, &shell),
            Command::Export(args) => commands::export::run(args, &shell),
            Command::Schema(args) => commands::itself::schema(args),
            Command::Completions(args) => commands::itself::completions(args),
            Command::Man(args) => commands::itself::man(args),
        };
        ended(done, &shell)
    })
}

/// Prints why a command failed.
fn ended(done: Result<(), Failure>, shell: &Shell) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            shell.report(&failure);
            failure.exit_code()
        }
    }
}
