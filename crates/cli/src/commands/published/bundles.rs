//! Results of other hosts, from the bundles that people sent.

use std::path::{Path, PathBuf};

use numasim_bench::provenance;
use numasim_evidence::compare;
use numasim_evidence::published::validated;
use numasim_model::Study;
use numasim_study::SourceFile;

use super::csv;
use crate::bundle;
use crate::commands::compare::{read_source, warn};
use crate::commands::evaluate::evaluated;
use crate::failure::Failure;
use crate::files;
use crate::output::{Format, OutputArgs};
use crate::sharing;
use crate::shell::Shell;
use crate::view::published::bundles::{self as view, Judged, Sent};
use numasim_ask::evaluate::wanted;

/// Every method beside null models on the rows of each bundle.
pub(super) fn text(paths: &[PathBuf], output: &OutputArgs, shell: &Shell) -> Result<String, Failure> {
    if let Some((_, again)) = paths.iter().enumerate().find(|(at, path)| paths[..*at].contains(path)) {
        return Err(
            Failure::input(format!("{} is named twice", again.display())).hint("name each bundle once")
        );
    }
    let sent = paths.iter().map(|path| judged(path, shell)).collect::<Result<Vec<Sent>, _>>()?;
    Ok(match output.format {
        Format::Table | Format::Markdown => {
            shell.for_people(output.format, output.output.is_some(), |style| view::table(&sent, style))
        }
        Format::Json => format!("{:#}\n", view::json(&sent)),
        Format::Csv => csv(view::csv(&sent))?,
    })
}

/// One bundle.
fn judged(path: &Path, shell: &Shell) -> Result<Sent, Failure> {
    let sent = files::read_bundle(path)?;
    let source = |name: &str| -> Result<SourceFile, Failure> {
        let shown = path.join(name).display().to_string();
        // Bundles without these files are none.
        sent.source(name, shown).ok_or_else(|| Failure::fault(format!("{} has no {name}", path.display())))
    };
    let study = files::read_from_texts(&[source(bundle::STUDY)?])?.study;
    let study = sharing::choose(study, None, shell)?;
    let known = source(bundle::PROVENANCE)?;
    let known = provenance::read(&known.text)
        .map_err(|error| Failure::input(format!("{} cannot be read", known.name)).caused_by(&error))?;
    let (name, measurements) = read_source(source(bundle::MEASURED)?)?;
    let asked = wanted(&study, &[])?;
    let mut methods = Vec::new();
    for method in validated::methods(&study.machine) {
        let machine = study.machine.clone().with_sharing(method.model);
        let study = Study { machine, ..study.clone() };
        let comparison =
            compare::compare(&study, &asked, &measurements, |scenario| evaluated(&study, scenario))?;
        if methods.is_empty() {
            warn(&comparison, &name, shell);
        }
        methods.push(Judged { method, comparison });
    }
    if methods.iter().all(|one| one.comparison.scenarios.is_empty()) {
        return Err(Failure::input(format!("{name} has no measurement of any scenario of the bundle")));
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or_else(|| path.display().to_string());
    Ok(Sent { file, study, known, measured: name, methods })
}
