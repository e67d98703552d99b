//! Runs on this host for programs and spreadsheets. Numbers are not rounded.

use numasim_ask::table::{self, Of};
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

/// One row for each repetition and scheduler.
pub(crate) fn csv(view: &ExecutedView<'_>) -> String {
    type Row<'v> = (usize, f64, &'static str, &'v Executed);
    let columns = [
        Of::whole("repetition", |(repetition, ..): &Row| *repetition),
        Of::text("scheduler", |(_, _, label, _): &Row| *label),
        Of::whole("seed", |(.., run): &Row| run.seed),
        Of::number("serial_s", |(_, serial_s, ..): &Row| *serial_s),
        Of::whole("cores", |_: &Row| view.machine.total_cores()),
        Of::number("measured_s", |(.., run): &Row| run.measured_s),
        Of::number("simulated_s", |(.., run): &Row| run.simulated_s),
        Of::number("partition_s", |(.., run): &Row| run.partition_s),
        Of::whole("steals", |(.., run): &Row| run.steals),
        Of::text("same_as_serial", |(.., run): &Row| run.is_equal),
    ];
    table::csv(&columns, rows(view))
}
