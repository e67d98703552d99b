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

use numasim_ask::{TasksAnswer, document, table, tables};

use crate::args::TasksArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::Format;
use crate::sharing;
use crate::shell::Shell;
use crate::view::tasked;
use crate::watch;
use outputs::Outputs;
pub(super) use pictured::{Pictured, has_graph, pictured};

/// Runs the command.
pub(crate) fn run(args: &TasksArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::choose_for(files::read_input(&args.files)?, args.model, shell)?;
    if args.real {
        return real::run(args, &input, shell);
    }
    let question = program::question(args, &input, args.graph.as_deref())?;
    let plan = plan::of(args, &question, &input.study)?;
    let question = question.by(plan)?;
    let outputs = Outputs::open(args, question.jobs().len())?;
    watch::listen();
    let answer = outputs.compute(&question)?;
    deliver(args, &outputs, &answer, shell)?;
    outputs.graph(&question.program().graph)?;
    told(&answer)
}

fn deliver(args: &TasksArgs, outputs: &Outputs, answer: &TasksAnswer, shell: &Shell) -> Result<(), Failure> {
    match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            let into_file = args.output.output.is_some();
            outputs.result.deliver(&shell.for_people(format, into_file, |style| tasked::table(answer, style)))
        }
        Format::Json => outputs.result.deliver_by(|out| document::write(answer, out)),
        Format::Csv => outputs.result.deliver(&table::csv(&tables::of_tasks(), &answer.runs)),
    }
}

/// What a person must know beside the result.
fn told(answer: &TasksAnswer) -> Result<(), Failure> {
    let (done, asked) = (answer.runs.len(), answer.asked);
    if done == asked {
        return Ok(());
    }
    Err(Failure::interrupted(format!("interrupted after {done} of {asked} simulations"))
        .hint("those that were over are written"))
}
