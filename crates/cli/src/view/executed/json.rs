//! Runs on this host for programs and spreadsheets. Numbers are not rounded.

use numasim_ask::tasks::{Check, Real, RealKind, RealRun};

use super::{Executed, ExecutedView};

/// The document: one object for each repetition and scheduler.
pub(crate) fn json(view: &ExecutedView<'_>) -> Real {
    let verdict = &view.verdict;
    let check = Check {
        what: verdict.what.to_owned(),
        value: verdict.value,
        limit: verdict.limit,
        right: verdict.is_right(),
    };
    let kind = |kind: &super::Kind| RealKind {
        name: kind.name.clone(),
        tasks: kind.tasks,
        flop: kind.flop,
        mean_s: kind.seconds.clone(),
    };
    let run = |(repetition, serial_s, scheduler, run): (usize, f64, &'static str, &Executed)| RealRun {
        repetition,
        scheduler,
        seed: run.seed,
        serial_s,
        measured_s: run.measured_s,
        simulated_s: run.simulated_s,
        partition_s: run.partition_s,
        steals: run.steals,
        same_as_serial: run.is_equal,
        pages: run.pages.as_ref().map(|pages| pages.on_node.clone()),
        misplaced_pages: run.pages.as_ref().map(|pages| pages.misplaced),
    };
    let kinds = view.kinds.iter().map(kind).collect();
    Real::new(view.machine, view.graph, view.bytes, check, kinds, rows(view).map(run).collect())
}

/// Number of the repetition, its serial seconds, the scheduler, the run.
fn rows<'v>(view: &'v ExecutedView<'_>) -> impl Iterator<Item = (usize, f64, &'static str, &'v Executed)> {
    let repetitions = view.repetitions.iter().enumerate();
    repetitions.flat_map(|(number, one)| {
        let runs = view.labels.iter().zip(&one.runs);
        runs.map(move |(&label, run)| (number, one.serial_s, label, run))
    })
}

/// One header line, then one row for each repetition and scheduler.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(view: &ExecutedView<'_>) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = [
        "repetition",
        "scheduler",
        "seed",
        "serial_s",
        "cores",
        "measured_s",
        "simulated_s",
        "partition_s",
        "steals",
        "same_as_serial",
    ];
    writer.write_record(columns)?;
    for (repetition, serial_s, label, run) in rows(view) {
        writer.write_record([
            repetition.to_string(),
            label.to_owned(),
            run.seed.to_string(),
            serial_s.to_string(),
            view.machine.total_cores().to_string(),
            run.measured_s.to_string(),
            run.simulated_s.to_string(),
            run.partition_s.to_string(),
            run.steals.to_string(),
            run.is_equal.to_string(),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
