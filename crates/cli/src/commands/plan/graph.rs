//! A plan for one graph, whatever it is: sockets for its tasks and homes for its blocks.

use numasim_plan::plan::{Promise, write};
use numasim_tasks::{TasksError, advise};

use crate::args::PlanArgs;
use crate::commands::graph_folder;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Folder, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::view::Style;
use crate::view::planned::of_graph;
use crate::watch;
use numasim_ask::plan::GraphPlan;
use numasim_ask::{document, table};

/// Reads machine and graph, and writes the plan.
pub(super) fn run(args: &PlanArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::choose_for(files::read_input(&args.from)?, args.model, shell)?;
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
    match args.format {
        format @ (Format::Table | Format::Markdown) => {
            let people = |style: &Style| of_graph(machine, &advice, &promise, style);
            told.deliver(&shell.for_people(format, false, people))
        }
        Format::Json => told.deliver_by(|out| document::write(&planned, out)),
        Format::Csv => told.deliver(&table::csv(&GraphPlan::columns(), [&planned])),
    }
}
