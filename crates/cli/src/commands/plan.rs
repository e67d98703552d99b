//! `numasim plan`: where to place data and tasks, from a profile or for one graph.

use std::path::Path;

use numasim_ask::plan::{GraphPlan, ProfilePlan, of_profile};
use numasim_ask::table;
use numasim_plan::plan::{Promise, write};
use numasim_plan::{File, analyse, plan};
use numasim_tasks::{TasksError, advise};

use crate::args::PlanArgs;
use crate::commands::graph_folder;
use crate::failure::Failure;
use crate::files::{PlainFiles, Stop};
use crate::output::{Destination, Folder};
use crate::shell::Shell;
use crate::view::planned::of_graph;
use crate::view::{Style, planned};
use crate::{sharing, watch};

/// Runs the command.
pub(crate) fn run(args: &PlanArgs, shell: &Shell) -> Result<(), Failure> {
    match args.from.as_slice() {
        [folder] if folder.is_dir() && args.graph.is_none() && args.model.is_none() => {
            of_profile_folder(args, folder, shell)
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
            (None, None) => of_graph_files(args, shell),
        },
    }
}

// A plan for one graph of any kind: sockets for its tasks and homes for its blocks.

/// Reads machine and graph, and writes the plan.
fn of_graph_files(args: &PlanArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::read(&args.from, args.model, shell)?;
    let graph = crate::commands::tasks::graph(&input, args.graph.as_deref())?;
    let machine = &input.study.machine;
    let names = ["plan.toml", "blocks.csv", "tasks.csv", "edges.csv"];
    let folder = Folder::open(&args.output, &names, "-o")?;
    let told = Destination::open(None)?;
    watch::listen();
    let advice = advise(machine, &graph, &input.tasks.runtime, &watch::interrupted);
    let advice = advice.map_err(|error| match error {
        TasksError::Stopped => Failure::interrupted("interrupted: there is no plan"),
        error => Failure::input(error.to_string()),
    })?;
    let promise = Promise {
        machine: machine.name(),
        scheduler: advice.scheduler.as_str(),
        homes: advice.homes.as_str(),
        makespan_s: advice.makespan.value(),
        before_s: advice.before.value(),
        bound_s: advice.bound.makespan.value(),
    };
    let [toml, ..] = names;
    folder.write_whole(|files| {
        files.write(toml, |out| write(&advice.graph, &promise, out))?;
        graph_folder::with_edges(files, &advice.graph)
    })?;
    let planned = GraphPlan::new(&advice, &promise);
    let people = |style: &Style| of_graph(machine, &advice, &promise, style);
    shell.answer(&told, args.format, people, &planned, || table::csv(&GraphPlan::columns(), [&planned]))
}

// From a profile to a plan for any number of iterations.

/// Reads the profile in `from`, and writes the plan.
fn of_profile_folder(args: &PlanArgs, from: &Path, shell: &Shell) -> Result<(), Failure> {
    let profile =
        PlainFiles::in_folder(from, &File::PROFILE, "a profile is a folder with the files ptrace-*.csv")?;
    let names = File::PLAN.map(File::as_str);
    let folder = Folder::open(&args.output, &names, "-o")?;
    let told = Destination::open(None)?;
    watch::listen();
    let pattern = args.pattern.unwrap_or_default();
    let plan = analyse::<Stop>(pattern, |file, each| profile.feed(file, each))
        .map_err(|stop| profile.failure(stop))?;
    profile.are_unchanged()?;
    let [dbs, tree, toml] = names;
    folder.write_whole(|files| {
        files.write(dbs, |out| plan::write_dbs(&plan, out))?;
        files.write(tree, |out| plan::write_tree(&plan, out))?;
        files.write(toml, |out| plan::write_toml(&plan, out))
    })?;
    let rows = || table::csv(&of_profile(&plan), plan.planned());
    shell.answer(&told, args.format, |style| planned::table(&plan, style), &ProfilePlan::from(&plan), rows)
}
