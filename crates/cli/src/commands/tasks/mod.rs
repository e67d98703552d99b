//! `numasim tasks`: a graph of tasks on blocks of data, under schedulers.

mod bars;
mod outputs;
mod pictured;
mod plan;
mod program;
mod real;
mod running;
mod trace;

pub(super) use program::graph;

use numasim_ask::of_tasks;
use numasim_tasks::Job;

use crate::args::TasksArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::Format;
use crate::sharing;
use crate::shell::Shell;
use crate::view::tasked::{self, GraphFacts, Tasked, TasksView};
use crate::watch;
use numasim_ask::document;
use outputs::Outputs;
pub(super) use pictured::{Pictured, has_graph, pictured};

/// Runs the command.
pub(crate) fn run(args: &TasksArgs, shell: &Shell) -> Result<(), Failure> {
    let study = sharing::choose(files::read_study(&args.files)?.study, args.model, shell)?;
    if args.real {
        return real::run(args, &study, shell);
    }
    let program = program::read(&study, args.graph.as_deref())?;
    let settings = program::settings(args, &study)?;
    let at_a_time = program.at_a_time().map_err(of_tasks::too_large)?;
    let plan = plan::of(args, &settings, &study, &program.graph)?;
    let job = |settings| Job { study: &study, program: &program, plan: plan.as_ref(), settings };
    let jobs: Vec<Job<'_>> = settings.iter().map(job).collect();
    let outputs = Outputs::open(args, jobs.len(), at_a_time)?;
    watch::listen();
    let runs = outputs.compute(&jobs)?;
    deliver(
        args,
        &outputs,
        &TasksView { machine: &study.machine, graph: &GraphFacts::of(&program), runs: &runs },
        shell,
    )?;
    outputs.graph(&program.graph)?;
    told(&jobs, &runs)
}

fn deliver(args: &TasksArgs, outputs: &Outputs, view: &TasksView<'_>, shell: &Shell) -> Result<(), Failure> {
    match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let into_file = args.output.output.is_some();
            outputs.result.deliver(&shell.for_people(format, into_file, |style| tasked::table(view, style)))
        }
        Format::Json => {
            let json = tasked::json(view);
            outputs.result.deliver_by(|out| document::write(&json, out))
        }
        Format::Csv => {
            let csv = tasked::csv(view)
                .map_err(|error| Failure::fault("cannot write CSV").caused_by(error.as_ref()))?;
            outputs.result.deliver(&csv)
        }
    }
}

/// What a person must know beside the result.
fn told(jobs: &[Job<'_>], runs: &[Tasked]) -> Result<(), Failure> {
    if runs.len() == jobs.len() {
        return Ok(());
    }
    Err(Failure::interrupted(format!("interrupted after {} of {} simulations", runs.len(), jobs.len()))
        .hint("those that were over are written"))
}
