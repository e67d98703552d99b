//! `numasim compare`: what was measured beside what the model says.

use std::path::Path;

use numasim_ask::compare::{Compare, reason};
use numasim_ask::located::Located;
use numasim_ask::values;
use numasim_evidence::compare::{Comparison, Measurements, Unmatched, compare, read_measured};
use numasim_model::Study;
use numasim_study::SourceFile;

use super::evaluate::evaluated;
use super::intervals;
use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::suggest;
use crate::view::compared;
use numasim_ask::evaluate::wanted;

/// Runs the command.
pub(crate) fn run(args: &CompareArgs, shell: &Shell) -> Result<(), Failure> {
    let (reading, sources) = files::read_study_and_texts(&args.study.files)?;
    let (study, located) = Located::split(reading, sources);
    let study = sharing::choose(study, args.study.model, shell)?;
    let (name, measurements) = read(&args.measured)?;
    let destination = Destination::open(args.output.output.as_deref())?;
    let comparison = compared_with(&study, Some(&located), &args.scenario, (&name, &measurements), shell)?;
    let view = compared::View {
        study: &study,
        model: study.machine.sharing().name(),
        measured: &name,
        comparison: &comparison,
    };
    destination.deliver(&match args.output.format {
        format @ (Format::Table | Format::Markdown) => {
            shell.for_people(format, args.output.output.is_some(), |style| compared::table(&view, style))
        }
        Format::Json => values::text(&Compare::new(&view)),
        Format::Csv => compared::csv(&view)
            .map_err(|error| Failure::fault("cannot write CSV").caused_by(error.as_ref()))?,
    })
}

/// The name of a measured CSV, for messages, and what is in it.
pub(super) fn read(path: &Path) -> Result<(String, Measurements), Failure> {
    read_source(files::read_measurements(path)?)
}

/// The same of a text.
pub(super) fn read_source(source: SourceFile) -> Result<(String, Measurements), Failure> {
    match read_measured(&source.text) {
        Ok(measurements) => Ok((source.name, measurements)),
        Err(problems) => Err(files::refused(&problems, source)),
    }
}

/// Compares the scenarios with these names (or all) with what was measured, and warns of what is left out.
pub(super) fn compared_with(
    study: &Study,
    located: Option<&Located>,
    names: &[String],
    (measured, measurements): (&str, &Measurements),
    shell: &Shell,
) -> Result<Comparison, Failure> {
    let asked = wanted(study, names)?;
    let comparison = compare(study, &asked, measurements, |scenario| {
        located.map_or(Ok(()), |located| located.can_be_evaluated(study, &[scenario]))?;
        evaluated(study, scenario)
    })?;
    if comparison.scenarios.is_empty() {
        let names: Vec<&str> = asked.iter().map(|scenario| scenario.name.as_str()).collect();
        let failure = Failure::input(format!("{measured} has no measurement of any of these scenarios"));
        let reasons = reasons(&comparison.unmatched, measured);
        let failure = reasons.into_iter().fold(failure, Failure::hint);
        return Err(failure.hint(format!("the scenarios are: {}", suggest::list(&names))));
    }
    warn(&comparison, measured, shell);
    intervals::of_comparison(study, &asked, comparison, shell)
}

/// Names what the comparison leaves out.
pub(super) fn warn(comparison: &Comparison, measured: &str, shell: &Shell) {
    let whole: Vec<&str> =
        comparison.missing.iter().filter(|one| one.app.is_none()).map(|one| one.scenario.as_str()).collect();
    if !whole.is_empty() {
        shell.warn(format!("not measured: {}", suggest::list(&whole)));
    }
    let apps: Vec<String> = comparison
        .missing
        .iter()
        .filter_map(|one| Some(format!("{} in {}", one.app.as_deref()?, one.scenario)))
        .collect();
    if !apps.is_empty() {
        let apps: Vec<&str> = apps.iter().map(String::as_str).collect();
        shell.warn(format!("not measured: {}", suggest::list(&apps)));
    }
    for reason in reasons(&comparison.unmatched, measured) {
        shell.warn(reason);
    }
    if let Some(left) = comparison.left_out.first() {
        let others = comparison.left_out.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} more such repetitions)") };
        shell.warn(format!(
            "{measured}:{}: repetition {} of '{}' in '{}' is discarded: {}{more}",
            left.line, left.repetition, left.app, left.scenario, left.why
        ));
    }
}

/// Why measurements cannot be compared, one line each; of a long list the first ones.
pub(super) fn reasons(unmatched: &[Unmatched], measured: &str) -> Vec<String> {
    const MOST: usize = 10;
    let line = |one: &Unmatched| format!("{measured}:{}: {}", one.line, reason(one));
    let mut lines: Vec<String> = unmatched.iter().take(MOST).map(line).collect();
    if unmatched.len() > MOST {
        lines.push(format!("and {} more measurements that cannot be compared", unmatched.len() - MOST));
    }
    lines
}
