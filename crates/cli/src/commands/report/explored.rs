//! Applications and no scenario: the search that answers first.

use std::time::Instant;

use numasim_model::Study;
use numasim_model::pinning::node_without_cpus;
use numasim_study::SourceFile;

use crate::args::{EmitKind, ExploreArgs, ObjectiveName, ReportArgs};
use crate::commands::explore::{self, objective};
use crate::emit;
use crate::failure::Failure;
use crate::report::Explored;
use crate::shell::Shell;
use crate::view::Style;
use crate::view::answer::Document;
use crate::view::answer::sensitivity::SensitivityView;
use crate::watch::Watch;
use numasim_ask::located::Located;

/// The name of the file with what was found, as `explore --save` writes it.
pub(super) const SAVED: &str = "best.toml";

/// Whether the page is about a placement that nobody has chosen yet.
pub(super) fn is_asked(args: &ReportArgs, study: &Study, over_time: bool) -> bool {
    !study.apps.is_empty() && study.scenarios.is_empty() && (!over_time || args.objective.is_some())
}

/// The answers, and the scenarios that they are, to be read with the files.
pub(super) fn explored(
    args: &ReportArgs,
    study: &Study,
    located: &Located,
    shell: &Shell,
) -> Result<(Explored, SourceFile), Failure> {
    let name = args.objective.unwrap_or(ObjectiveName::TotalGflops);
    let asked = ExploreArgs::for_page(args.paths.clone(), args.model, name, args.time_limit);
    let start = Instant::now();
    let watch = Watch::start(asked.time_limit, objective(name), shell);
    let problem = explore::problem(&asked, study, located)?;
    let answer = explore::searched(&asked, study, &problem, watch, shell)?;
    let found = explore::sensitivity(&asked, &answer, start, shell)?;
    let sensitivity = SensitivityView { answer: &answer, found: &found };
    let document = serde_json::to_value(Document { answer: &answer, sensitivity: Some(&sensitivity) })
        .map_err(|error| Failure::fault("cannot write JSON").caused_by(&error))?;
    let script = match node_without_cpus(&study.machine) {
        Some(_) => None,
        None => {
            Some(emit::script_with_warnings(EmitKind::Numactl, &answer.best_view(), &answer.facts(), shell)?)
        }
    };
    let text = answer.saved();
    let explored = Explored {
        objective: objective(name).name(),
        words: answer.in_words(),
        prices: sensitivity.prices(&Style::default()),
        gain_unit: sensitivity.gain_unit(),
        script,
        saved: text.clone(),
        document,
    };
    Ok((explored, SourceFile { name: SAVED.to_owned(), text }))
}
