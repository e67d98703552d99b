//! `numasim plan`: where data and tasks belong, from a profile or for one graph.

mod graph;
mod profile;

use crate::args::PlanArgs;
use crate::failure::Failure;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &PlanArgs, shell: &Shell) -> Result<(), Failure> {
    match args.from.as_slice() {
        [folder] if folder.is_dir() && args.graph.is_none() && args.model.is_none() => {
            profile::run(args, folder, shell)
        }
        [missing] if !missing.exists() && args.graph.is_none() => {
            Err(Failure::input(format!("{} does not exist", missing.display()))
                .hint("name the folder of a profile, or the TOML files of a machine and a graph"))
        }
        files => match (files.iter().find(|file| file.is_dir()), args.pattern) {
            (Some(folder), _) => Err(Failure::input(format!("{} is a folder among files", folder.display()))
                .hint("name one profile, or the TOML files of a machine and --graph DIR")),
            (None, Some(pattern)) => Err(Failure::input(format!(
                "--pattern {} is of a profile, and there is none",
                pattern.as_str()
            ))
            .hint("name the folder of a profile, or leave out --pattern")),
            (None, None) => graph::run(args, shell),
        },
    }
}
