//! The schedulers of I. Sánchez Barrera's thesis (paper 001) on its three machines: calibrated on `fifo` and `sa`, all others predicted.
//!
//! Writes tables and plots into a folder: `cargo run --release -p numasim --features examples --example thesis -- results/thesis-schedulers [PART...]`. Parts:
//! `calibration`, `sandy-bridge`, `uv100`, `power8`, `windows`, `statements` (which needs all but the calibration); without any, all.

mod calibration;
mod codes;
#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "shared with another example, which needs what this one does not")]
mod common;
mod machines;
mod partitions;
mod plots;
mod printed;
mod runs;
mod statements;
mod study;
mod text;
mod windows;

use std::path::Path;

use calibration::Point;
use codes::Code;
use common::Failure;
use common::files::{arguments, write};
use common::statements::check_causes;
use machines::{Calibrated, Platform};
use numasim_graph::values::{Generator, SchedulerKind};
use study::Study;

fn main() -> Result<(), Failure> {
    let (root, folder, parts) = arguments()?;
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let codes = codes::all();
    if wanted("calibration") {
        calibrate(&root, &folder, &codes)?;
    }
    let all = wanted("statements");
    let mut studies = Vec::new();
    for (platform, part) in Platform::ALL.into_iter().zip(["sandy-bridge", "uv100", "power8"]) {
        if !all && !wanted(part) {
            continue;
        }
        let study = Study::of(platform, platform.read(&root)?, &codes)?;
        if wanted(part) {
            let name = format!("figure-{}", platform.figure());
            let variants = study::variants(&study.machine, &codes)?;
            let tiles = study::small_tiles(&study.machine)?;
            write(&folder, &format!("{name}.txt"), &text::machine(&study, &codes, &variants, &tiles))?;
            write(&folder, &format!("{name}.svg"), &plots::machine(&study, &codes))?;
        }
        studies.push(study);
    }
    if !all && !wanted("windows") {
        return Ok(());
    }
    let jacobi = codes.iter().find(|code| matches!(code.generator, Generator::Jacobi { .. }));
    let points = windows::study(&Platform::SandyBridge.read(&root)?, jacobi.ok_or("no jacobi")?)?;
    write(&folder, "figure-3.5.txt", &text::windows(&points))?;
    write(&folder, "figure-3.5.svg", &plots::windows(&points))?;
    if all {
        write(&folder, "figure-3.7.txt", &text::stealing(&studies))?;
        write(&folder, "figure-3.7.svg", &plots::stealing(&studies))?;
        let [sandy, uv100, power8] = studies.as_slice() else { return Err("three machines".into()) };
        let dense = windows::dense(&sandy.machine, &codes)?;
        let divisions =
            [SchedulerKind::Dep, SchedulerKind::RipDep].map(|kind| partitions::of(&sandy.machine, kind));
        let [dep, rip_dep] = divisions;
        let statements = statements::all([sandy, uv100, power8], &points, &dense, [dep?, rip_dep?]);
        write(&folder, "table.txt", &text::statements(&statements))?;
        check_causes(&statements)?;
    }
    Ok(())
}

/// The grids, and whether the files of the machines contain the best values.
fn calibrate(root: &Path, folder: &Path, codes: &[Code]) -> Result<(), Failure> {
    let mut grids: Vec<(Platform, Vec<Point>)> = Vec::new();
    for platform in Platform::ALL {
        grids.push((platform, calibration::grid(platform, &platform.read(root)?, codes)?));
    }
    write(folder, "calibration.csv", &calibration::csv(&grids))?;
    for (platform, points) in &grids {
        let best = calibration::best(points).map(|point| point.figures);
        if best != Calibrated::of(&platform.read(root)?) {
            return Err(format!("{}: the best figures are {best:?}", platform.file()).into());
        }
    }
    Ok(())
}
