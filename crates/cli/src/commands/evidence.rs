//! `numasim compare`, `fit` and `discriminate`: measurements compared with the model, and proposals for measurements.

use std::path::Path;

use numasim_ask::Input;
use numasim_ask::compare::{self, Compare, Compared, Measured};
use numasim_ask::fit::{Fit, fit as fitted_to, free};

use crate::args::{CompareArgs, DiscriminateArgs, FitArgs};
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;
use crate::view::{compared, fitted};
use crate::{files, sharing};

/// Runs `compare`.
pub(crate) fn compare(args: &CompareArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::read(&args.study.toml.files, args.study.sharing.model, shell)?;
    let measured = measured(&args.measured)?;
    let destination = args.output.open()?;
    let found = compared_with(&input, &args.scenario, &measured, shell)?;
    let table = |style: &_| compared::table(&found, style);
    shell.answer(&destination, args.output.format, table, &found, || found.csv())
}

/// The contents of a measured CSV.
pub(super) fn measured(path: &Path) -> Result<Measured, Failure> {
    Ok(Measured::read(files::read_measurements(path)?)?)
}

/// The scenarios with these names (or all) compared with measurements, with warnings about omissions.
pub(super) fn compared_with(
    input: &Input,
    scenarios: &[String],
    measured: &Measured,
    shell: &Shell,
) -> Result<Compared, Failure> {
    let compared = compare::compare(&Compare { input, scenarios, measured })?;
    shell.warn_all(&compared.warnings);
    Ok(compared)
}

/// Runs `fit`.
pub(crate) fn fit(args: &FitArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::read(&args.study.toml.files, args.study.sharing.model, shell)?;
    let free = free(&input.study.machine, &args.free)?;
    let measured = measured(&args.measured)?;
    let destination = args.output.open()?;
    let machine_file = Destination::beside(args.emit_machine.as_deref())?;
    let question = Fit { input: &input, scenarios: &args.scenario, measured: &measured, free: &free };
    let found = fitted_to(&question)?;
    shell.warn_all(&found.warnings);
    if let Some(machine_file) = machine_file {
        machine_file.deliver(&found.machine_file()?)?;
    }
    let table = |style: &_| fitted::table(&found, style);
    shell.answer(&destination, args.output.format, table, &found, || found.csv())
}

/// Runs `discriminate`: scenarios that distinguish the sharing models.
pub(crate) fn discriminate(args: &DiscriminateArgs, shell: &Shell) -> Result<(), Failure> {
    let machine = files::read_study(&args.files)?.study.at_rest.machine;
    let destination = args.output.open()?;
    let emitted = Destination::beside(args.emit_scenarios.as_deref())?;
    let found = numasim_ask::discriminate::discriminate(&machine, usize::from(args.most))?;
    shell.warn_all(&found.warnings);
    if let Some(emitted) = emitted {
        emitted.deliver(&found.toml())?;
    }
    shell.answer(&destination, args.output.format, |style| found.text(style), &found, || found.csv())
}
