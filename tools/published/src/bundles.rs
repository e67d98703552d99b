//! Results of other hosts, from the bundles of `numasim validate --bundle`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use numasim_ask::compare::{Compared, reason};
use numasim_ask::located::placements;
use numasim_ask::reading::read_study;
use numasim_ask::refusal::Refusal;
use numasim_bench::bundle::{self, Bundle};
use numasim_bench::provenance;
use numasim_course::Study;
use numasim_evidence::compare::{self, read_measured};
use numasim_model::evaluation::Options;
use numasim_model::{Evaluation, Scenario, evaluate_with};
use numasim_study::SourceFile;

use crate::located;
use crate::sets::validated;
use crate::view::bundles::{Judged, Sent};

/// Every method and the null models on the rows of each bundle.
pub(crate) fn judge(paths: &[PathBuf]) -> Result<Vec<Sent>, Refusal> {
    if let Some((_, again)) = paths.iter().enumerate().find(|(at, path)| paths[..*at].contains(path)) {
        return Err(
            Refusal::said(format!("{} is named twice", again.display())).hint("name each bundle once")
        );
    }
    paths.iter().map(|path| judged(path)).collect()
}

/// One bundle.
fn judged(path: &Path) -> Result<Sent, Refusal> {
    let shown = path.display();
    let bytes =
        fs::read(path).map_err(|error| Refusal::said(format!("{shown} cannot be read")).caused_by(&error))?;
    let sent = Bundle::from_bytes(&bytes).map_err(|error| {
        Refusal::said(format!("{shown} {error}")).hint("a bundle is what `numasim validate --bundle` writes")
    })?;
    let source = |name: &str| -> Result<SourceFile, Refusal> {
        let found = sent.source(name, path.join(name).display().to_string());
        found.ok_or_else(|| Refusal::said(format!("{shown} has no {name}")))
    };
    let of_study = source(bundle::STUDY)?;
    let study =
        read_study(std::slice::from_ref(&of_study)).map_err(|problems| located(problems, &of_study))?;
    let study = study.study;
    let known = source(bundle::PROVENANCE)?;
    let known = provenance::read(&known.text)
        .map_err(|error| Refusal::said(format!("{} cannot be read", known.name)).caused_by(&error))?;
    let measured = source(bundle::MEASURED)?;
    let measurements = read_measured(&measured.text).map_err(|problems| located(problems, &measured))?;
    let asked: Vec<&Scenario> = study.scenarios.iter().collect();
    let mut methods = Vec::new();
    for method in validated::methods(&study.machine) {
        let machine = study.machine.clone().with_sharing(method.model);
        let mut study = study.clone();
        study.machine = machine;
        let comparison =
            compare::compare(&study, &asked, &measurements, |scenario| evaluated(&study, scenario))?;
        if methods.is_empty() {
            for one in &comparison.unmatched {
                eprintln!("warning: {}:{}: {}", measured.name, one.line, reason(one));
            }
        }
        let measured = measured.name.clone();
        methods.push(Judged { method, compared: Compared::new(Arc::new(study), measured, comparison) });
    }
    if methods.iter().all(|one| one.compared.comparison.scenarios.is_empty()) {
        return Err(Refusal::said(format!(
            "{} has no measurement of any scenario of the bundle",
            measured.name
        )));
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Sent { file: file.unwrap_or_else(|| shown.to_string()), study, known, methods })
}

fn evaluated(study: &Study, scenario: &Scenario) -> Result<Evaluation, Refusal> {
    let options = Options { static_work: scenario.static_work, ..Options::default() };
    let homes = placements(study, scenario)?;
    evaluate_with(&study.machine, &study.apps, &homes, &scenario.allocation, options)
        .map_err(|error| Refusal::said(format!("scenario '{}'", scenario.name)).caused_by(&error))
}
