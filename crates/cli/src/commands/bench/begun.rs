//! Where a run comes from: what is known of it when it begins.

use std::path::Path;
use std::time::SystemTime;

use numasim_bench::plan::{Bind, Plan};
use numasim_bench::provenance::{self, Input, Measuring, Provenance, Tool, utc};
use numasim_bench::runner::Settings;
use numasim_bench::session::new_run_id;
use numasim_host::HostTopology;

use super::doubts::Doubting;
use super::planning::Asked;
use crate::args::Benchmark;

/// Where a run comes from, before it begins.
pub(super) fn provenance(
    asked: &Asked,
    args: &Benchmark,
    host: &HostTopology,
    plan: &Plan,
    settings: &Settings,
    doubting: &Doubting,
) -> Provenance {
    let bind = Bind::from(args.bind).as_str();
    let fitted = plan.changes.iter().map(|change| format!("scenario '{}': {change}", change.scenario()));
    let mut provenance = Provenance {
        schema: provenance::SCHEMA,
        run: new_run_id(),
        tool: tool(),
        command: typed(),
        started_utc: utc(SystemTime::now()),
        ended_utc: None,
        facts: doubting.facts.clone(),
        nodes: provenance::nodes(host),
        settings: Measuring::new(settings, args.repeat, bind),
        inputs: asked.texts.iter().map(|file| Input::new(&file.name, &file.text)).collect(),
        fitted: fitted.collect(),
        observed: Vec::new(),
        doubts: Vec::new(),
    };
    provenance.doubt(&doubting.before);
    provenance
}

/// This program.
pub(crate) fn tool() -> Tool {
    let features = if cfg!(feature = "hwloc") { vec!["hwloc".to_owned()] } else { Vec::new() };
    Tool {
        name: "numasim".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        features,
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
    }
}

/// What was typed: the program by its name, wherever on this host it lies.
pub(crate) fn typed() -> Vec<String> {
    let mut words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(program) = words.first_mut() {
        let name = Path::new(program.as_str()).file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name {
            *program = name;
        }
    }
    words
}
