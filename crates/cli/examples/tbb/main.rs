//! TBB and TBB-NUMA of Z. Majo and T. R. Gross (paper 003) on their three machines: calibrated with two reported times, all others
//! predicted.
//!
//! Writes tables and plots into a folder: `cargo run --release -p numasim --features examples --example tbb -- results/tbb-numa
//! [PART...]`. Parts: `calibration`, `statements` (all tables and plots); without any, both.

mod calibration;
mod codes;
#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "shared with another example, which needs what this one does not")]
mod common;
mod machines;
mod plots;
mod runs;
mod statements;
mod text;

use std::path::Path;

use codes::{Code, OnMachine};
use common::Failure;
use common::files::{arguments, write};
use common::statements::check_causes;
use machines::Platform;
use runs::{Contention, Runs};
use statements::Studies;

/// The mean over this number of seeds is shown.
const SEEDS: u64 = 10;

fn main() -> Result<(), Failure> {
    let (root, folder, parts) = arguments()?;
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let codes = codes::all();
    if wanted("statements") {
        study(&root, &folder, &codes)?;
    }
    if wanted("calibration") {
        calibrate(&root, &folder, &codes)?;
    }
    Ok(())
}

/// The grid, and whether the file of the machine contains the best value.
fn calibrate(root: &Path, folder: &Path, codes: &[Code]) -> Result<(), Failure> {
    let machine = Platform::Westmere.read(root)?;
    let points = calibration::grid(&machine, codes)?;
    write(folder, "calibration.csv", &calibration::csv(&points))?;
    let best = calibration::best(&points).map(|point| point.lines);
    if best != machines::lines(&machine) {
        return Err(format!("{}: the best outstanding_lines are {best:?}", Platform::Westmere.file()).into());
    }
    Ok(())
}

/// All runs of a machine.
fn runs_of(root: &Path, platform: Platform, codes: &[Code], contention: Contention) -> Result<Runs, Failure> {
    let machine = platform.read(root)?;
    let codes = codes.iter().map(|code| code.on(&machine)).collect::<Result<Vec<OnMachine>, _>>()?;
    runs::all(&machine, &codes, contention, SEEDS)
}

/// Tables and plots.
fn study(root: &Path, folder: &Path, codes: &[Code]) -> Result<(), Failure> {
    let of = |platform, contention| runs_of(root, platform, codes, contention);
    let studies = Studies {
        westmere: of(Platform::Westmere, Contention::Nobody)?,
        permanent: of(Platform::Westmere, Contention::Permanent)?,
        phases: of(Platform::Westmere, Contention::Phases)?,
        nehalem: of(Platform::Nehalem, Contention::Nobody)?,
        bulldozer: of(Platform::Bulldozer, Contention::Nobody)?,
    };
    let simulated = "simulated, 10 seeds, whole runs with the time that moving pages takes";
    let shown = [
        ("figure-14", "Westmere (figures 14 and 15 of the paper)", &studies.westmere),
        (
            "figure-16-permanent",
            "Westmere with a permanent contender (figures 16 and 17)",
            &studies.permanent,
        ),
        (
            "figure-16-phases",
            "Westmere with a contender every other 4 ms (figures 16 and 17)",
            &studies.phases,
        ),
        ("figure-18-nehalem", "Nehalem (figure 18)", &studies.nehalem),
        ("figure-18-bulldozer", "Bulldozer (figure 18)", &studies.bulldozer),
    ];
    for (name, title, runs) in shown {
        write(folder, &format!("{name}.txt"), &text::machine(title, runs, codes))?;
        let svg = plots::times(title, simulated, runs, codes, name == "figure-14");
        write(folder, &format!("{name}.svg"), &svg)?;
    }
    let title = "Westmere: bytes from other nodes (figure 15 of the paper)";
    let svg = plots::remote(title, "simulated, 10 seeds", &studies.westmere, codes);
    write(folder, "figure-15.svg", &svg)?;
    let statements = statements::all(&studies);
    write(folder, "table.txt", &text::statements(&statements))?;
    check_causes(&statements)
}
