//! `numasim fit`: figures of the machine from measured scenarios.

use std::collections::HashSet;

use numasim_ask::fit::{Fitted, View};
use numasim_ask::located::Located;
use numasim_ask::values;
use numasim_evidence::compare::{compare, read_measured};
use numasim_evidence::fit::{self, Fit, FitError, Observed, Parameter};
use numasim_model::Study;

use super::compare::{reasons, warn};
use super::evaluate::evaluated;
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::suggest;
use crate::view::fitted;
use numasim_ask::evaluate::wanted;

/// Runs the command.
pub(crate) fn run(args: &FitArgs, shell: &Shell) -> Result<(), Failure> {
    let (reading, sources) = files::read_study_and_texts(&args.study.files)?;
    let (study, located) = Located::split(reading, sources);
    let study = crate::sharing::choose(study, args.study.model, shell)?;
    let free = free(&study, &args.free)?;
    let source = files::read_measurements(&args.measured)?;
    let measurements = match read_measured(&source.text) {
        Ok(measurements) => measurements,
        Err(problems) => return Err(files::refused(&problems, source)),
    };
    let destination = Destination::open(args.output.output.as_deref())?;
    let machine_file = args.emit_machine.as_deref().map(|path| Destination::open(Some(path))).transpose()?;
    let asked = wanted(&study, &args.scenario)?;
    let all: Vec<_> = study.scenarios.iter().collect();
    let mut comparison = compare(&study, &all, &measurements, |scenario| {
        located.can_be_evaluated(&study, &[scenario])?;
        evaluated(&study, scenario)
    })?;
    let asked_for: HashSet<&str> = asked.iter().map(|asked| asked.name.as_str()).collect();
    comparison.missing.retain(|one| asked_for.contains(one.scenario.as_str()));
    let is_asked = |one: &Observed| asked_for.contains(study.scenarios[one.scenario].name.as_str());
    let (used, others): (Vec<Observed>, Vec<Observed>) =
        fit::observations(&study, &comparison).into_iter().partition(is_asked);
    if used.is_empty() {
        let names: Vec<&str> = asked.iter().map(|scenario| scenario.name.as_str()).collect();
        let message = format!("{} has no measurement above 0 GFLOPS of any of these scenarios", source.name);
        let failure = reasons(&comparison.unmatched, &source.name)
            .into_iter()
            .fold(Failure::input(message), Failure::hint);
        return Err(failure.hint(format!("the scenarios are: {}", suggest::list(&names))));
    }
    warn(&comparison, &source.name, shell);

    let predict = fit::by_solver(&study);
    let fit = fit::fit(&study, &used, &free, &predict).map_err(|error| refused(&error))?;
    let others =
        fit::predict_others(&study, &fit.machine, &others, &predict).map_err(|error| refused(&error))?;
    let view = View {
        study: &study,
        model: study.machine.sharing().name(),
        measured: &source.name,
        fit: &fit,
        others: &others,
    };
    let text = match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| fitted::table(&view, style))
        }
        Format::Json => values::text(&Fitted::new(&view)),
        Format::Csv => fitted::csv(&Fitted::new(&view))
            .map_err(|error| Failure::fault("cannot write CSV").caused_by(error.as_ref()))?,
    };
    if let Some(machine_file) = machine_file {
        can_be_written(&fit)?;
        let origin = format!("numasim fit of {} to {}", keys(&fit), source.name);
        machine_file.deliver(&fit::machine_file(&study.machine, &fit, &origin))?;
    }
    destination.deliver(&text)
}

/// The free figures by their keys.
fn free(study: &Study, keys: &[String]) -> Result<Vec<Parameter>, Failure> {
    let read = |key: &String| {
        Parameter::read(&study.machine, key)
            .map_err(|error| Failure::input(format!("--free {key}: {error}")).hint(error.hint))
    };
    keys.iter().map(read).collect()
}

fn keys(fit: &Fit) -> String {
    fit.figures.iter().map(|fitted| fitted.parameter.key()).collect::<Vec<_>>().join(", ")
}

/// A file says one thing: figures of which only a combination is known have no place in it.
fn can_be_written(fit: &Fit) -> Result<(), Failure> {
    let together: Vec<&str> = fit.inseparable().map(Parameter::key).collect();
    if together.is_empty() {
        return Ok(());
    }
    Err(Failure::input(format!(
        "no machine file was written: the measurements determine only a combination of {}",
        suggest::list(&together)
    ))
    .hint("free fewer of them, or measure scenarios on which they act differently"))
}

fn refused(error: &FitError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        FitError::Twice(_) => failure.hint("name each figure once after --free"),
        _ => failure,
    }
}
