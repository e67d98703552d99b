//! What stands in the README.md of a result: how it was made, and what each file is.

use std::fmt::Write as _;

use numasim_model::Study;

use crate::args::ValidateArgs;
use crate::view::cached::Document;

/// The command line that was given.
pub(super) fn command(args: &ValidateArgs) -> String {
    let mut command = String::from("numasim validate");
    for file in &args.files {
        let _ = write!(command, " {}", file.display());
    }
    let _ = write!(command, " -o DIR --repeat {} --window {}", args.repeat, args.window.as_secs_f64());
    if let Some(bytes) = args.memory_per_thread {
        let _ = write!(command, " --memory-per-thread {bytes}B");
    }
    if let Some(isa) = args.isa {
        let _ = write!(command, " --isa {isa}");
    }
    if args.one_process {
        command.push_str(" --one-process");
    }
    if let Some(model) = args.model {
        let _ = write!(command, " --model {}", model.name());
    }
    command
}

/// How a result was made.
pub(super) struct Made<'a> {
    /// The command line.
    pub(super) command: &'a str,
    /// Its scenarios are those of this command.
    pub(super) has_scenarios: bool,
    /// All applications were threads of one process.
    pub(super) one_process: bool,
}

/// The text.
pub(super) fn text(made: &Made<'_>, study: &Study, cached: Option<&Document>) -> String {
    let Made { command, has_scenarios, one_process } = *made;
    let machine = &study.machine;
    let scenarios = if has_scenarios {
        "| `scenarios.toml` | the applications and scenarios that were asked for |\n"
    } else {
        ""
    };
    let apart = if one_process {
        "All applications were threads of one process."
    } else {
        "Each application was a process of its own; the calibration has threads of one."
    };
    let (mut of_cache, mut cache) = (String::new(), String::new());
    if let Some(found) = cached {
        of_cache.push_str("| `cache.json` | what the last-level cache does, or why it was not asked |\n");
        if found.not_measured.is_none() {
            of_cache.push_str(CACHE_FILES);
        }
        cache = format!("\nThe last-level cache: {}\n", found.sentences().join(" "));
    }
    format!(
        "# {}: the model and this machine\n\n\
         {}\n\n\
         Made by one command; the same command gives the same report of any other Linux host:\n\n\
         ```sh\ncargo build --release --features hwloc\n{command}\n```\n\n\
         | file | what |\n|---|---|\n\
         | `report.html` | everything below, to look at |\n\
         | `machine.toml` | the calibrated machine, with uncertainties and doubts |\n\
         | `calibration.csv` | every round of the calibration |\n\
         {scenarios}\
         | `measured.csv` | every measurement: scenario x application x node x repetition |\n\
         | `measured.provenance.json` | on what and how it was measured; doubts |\n\
         | `measured.study.toml` | what really ran, and what the model was asked |\n\
         | `comparison.txt`, `comparison.json` | prediction beside measurement |\n\
         {of_cache}\n\
         Model: {}. {apart} The scenarios were not used to calibrate; `comparison.txt` says which of them want more than there is, and what models without a rule of sharing say of them.\n\
         {cache}",
        machine.name(),
        machine.source().unwrap_or("Source of the machine's figures: not given."),
        machine.sharing().name(),
    )
}

/// Rows of the table of files where the cache was measured.
const CACHE_FILES: &str = "| `cache.toml` | scenarios that share the last-level cache; no part of the verdict |\n\
     | `cache-inside.csv`, `cache-beyond.csv` | every measurement of them: data of all inside the cache, or of each alone |\n\
     | `cache-*.provenance.json`, `cache-*.study.toml` | how they were measured, and what ran |\n";
