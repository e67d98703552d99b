//! `numasim published`: the sharing models on published measurements.

mod bundles;

use std::error::Error;
use std::path::Path;

use numasim_evidence::published::{self, Judged, PublishedError, scaling, together};

use crate::args::PublishedArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::plot_file::PlotFile;
use crate::shell::Shell;
use crate::view::{plots, published as view};

/// Runs the command.
pub(crate) fn run(args: &PublishedArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    if !args.bundle.is_empty() {
        return destination.deliver(&bundles::text(&args.bundle, &args.output, shell)?);
    }
    if let Some(folder) = args.plots.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(Failure::output(format!("there is no directory {}", folder.display()))
            .hint("create it first, or name another one"));
    }
    let judged = match (&args.scaling, &args.data) {
        (Some(path), _) => curves(path, shell)?,
        (None, Some(path)) => sets(path)?,
        (None, None) if args.co_run => together::carried().map_err(|error| broken(&error))?,
        (None, None) => published::everything().map_err(|error| broken(&error))?,
    };
    if let Some(folder) = &args.plots {
        PlotFile::deliver_folder(folder, "--plots", plots::published(&judged))?;
    }
    destination.deliver(&text(&judged, args, shell)?)
}

/// The curves over cores of a file.
fn curves(path: &Path, shell: &Shell) -> Result<Vec<Judged>, Failure> {
    let source = files::read_measurements(path)?;
    let curves = match scaling::read(&source.text) {
        Ok(curves) => curves,
        Err(problems) => return Err(files::refused(&problems, source)),
    };
    for curve in curves.iter().filter(|curve| curve.seen().is_none()) {
        shell.warn(format!(
            "{} of {}: a curve needs one core and at least four more counts within the NUMA domain",
            curve.kernel,
            curve.name()
        ));
    }
    let judged = scaling::judge(&curves).map_err(|error| broken(&error))?;
    if judged.is_empty() {
        return Err(Failure::input(format!("{} has no curve that can be predicted", source.name))
            .hint("four counts of cores are fitted: one, half, three quarters and all of the NUMA domain; others are predicted"));
    }
    Ok(judged)
}

/// The sets of several at once of a file.
fn sets(path: &Path) -> Result<Vec<Judged>, Failure> {
    let source = files::read_measurements(path)?;
    match together::judge(&source.text) {
        Ok(judged) if judged.is_empty() => Err(Failure::input(format!("{} has nothing that can be predicted", source.name))
            .hint("`published --help` says what each kind of file needs: what is given, and what is predicted from it")),
        Ok(judged) => Ok(judged),
        Err(PublishedError::Data(problems)) => Err(files::refused(&problems, source)),
        Err(error) => Err(Failure::input(format!("{} cannot be judged", source.name)).caused_by(&error)),
    }
}

fn text(judged: &[Judged], args: &PublishedArgs, shell: &Shell) -> Result<String, Failure> {
    Ok(match args.output.format {
        Format::Table | Format::Markdown => {
            shell.for_people(args.output.format, args.output.output.is_some(), |style| {
                view::table(judged, style)
            })
        }
        Format::Json => format!("{:#}\n", view::json(judged)),
        Format::Csv => csv(view::csv(judged))?,
    })
}

/// Memory does not fail.
fn csv(written: Result<String, Box<dyn Error>>) -> Result<String, Failure> {
    written.map_err(|error| Failure::fault("cannot write CSV").caused_by(error.as_ref()))
}

/// What no file of a person can cause.
fn broken(error: &PublishedError) -> Failure {
    Failure::fault("the published data cannot be judged").caused_by(error)
}
