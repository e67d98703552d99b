//! What stands in the README.md of a result: how it was made, and what each file is.

use std::fmt::Write as _;

use numasim_model::Study;

use crate::args::ValidateArgs;

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
    if args.processes {
        command.push_str(" --processes");
    }
    if let Some(model) = args.model {
        let _ = write!(command, " --model {}", model.name());
    }
    command
}

/// The text for a result that `command` made, with or without scenarios of its own.
pub(super) fn text(command: &str, has_scenarios: bool, study: &Study) -> String {
    let machine = &study.machine;
    let scenarios = if has_scenarios {
        "| `scenarios.toml` | the applications and scenarios that were asked for |\n"
    } else {
        ""
    };
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
         | `comparison.txt`, `comparison.json` | prediction beside measurement |\n\n\
         Model: {}. The scenarios were not used to calibrate; `comparison.txt` says which of them want more than there is, and what models without a rule of sharing say of them.\n",
        machine.name(),
        machine.source().unwrap_or("Source of the machine's figures: not given."),
        machine.sharing().name(),
    )
}
