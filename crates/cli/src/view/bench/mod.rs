//! What people and programs see of a benchmark run, and of the plan for one.

mod json;
mod plan;
mod table;

use std::path::Path;

use numasim_bench::doubt::Doubt;
use numasim_bench::plan::Plan;
use numasim_bench::provenance::Provenance;
use numasim_bench::runner::Settings;
use numasim_bench::session::Outcome;
use numasim_evidence::measured::summary::{Figure, Summary};
use numasim_host::HostTopology;

pub(crate) use json::{json, plan_json};
pub(crate) use plan::{plan_csv, plan_table};
pub(crate) use table::table;

/// A run and what became of it.
pub(crate) struct Result<'a> {
    /// This host.
    pub(crate) host: &'a HostTopology,
    /// What was to be run.
    pub(crate) plan: &'a Plan,
    /// How it was measured, and the doubts.
    pub(crate) provenance: &'a Provenance,
    /// The CSV.
    pub(crate) path: &'a Path,
    /// What ran, as input file.
    pub(crate) study: &'a Path,
    /// The provenance.
    pub(crate) beside: &'a Path,
    /// What became of it.
    pub(crate) outcome: &'a Outcome,
    /// Over its repetitions.
    pub(crate) summaries: &'a [Summary],
}

/// A plan that is not carried out.
pub(crate) struct Planned<'a> {
    /// This host.
    pub(crate) host: &'a HostTopology,
    /// What would be run.
    pub(crate) plan: &'a Plan,
    /// How.
    pub(crate) settings: &'a Settings,
    /// How often.
    pub(crate) repetitions: u32,
    /// What is doubtful about it already.
    pub(crate) doubts: &'a [Doubt],
}

/// How much data the kernels of a plan work on: synthetic ones on so much for each thread, real ones on their problems.
fn data(plan: &Plan, bytes_per_thread: u64) -> String {
    let apps = || plan.scenarios.iter().flat_map(|scenario| &scenario.apps);
    let mib = bytes_per_thread >> 20;
    match apps().filter(|app| app.kernel.synthetic().is_none()).count() {
        0 => format!("{mib} MiB for each thread"),
        real if real == apps().count() => "real ones on their problems".to_owned(),
        _ => format!("{mib} MiB for each thread, real ones on their problems"),
    }
}

/// Threads on each node: `2 on 0, 1 on 3`.
fn threads(threads: &[(usize, u32)]) -> String {
    let each = threads.iter().map(|(node, count)| format!("{count} on {node}"));
    each.collect::<Vec<_>>().join(", ")
}

const FIGURES: [&str; 4] = ["median", "min", "max", "spread"];

/// The summary as CSV: one line for each application, and one without `app` for a scenario of several.
///
/// | column | meaning |
/// |---|---|
/// | `scenario`, `app` | names; an empty `app` is the whole scenario |
/// | `threads` | on all nodes |
/// | `repetitions` | valid ones |
/// | `gflops_median`, `_min`, `_max` | over the repetitions |
/// | `gflops_spread` | sample standard deviation over mean; empty with one repetition |
/// | `bandwidth_gbs_…` | the same of the traffic |
/// | `fitted` | the scenario was scaled to the host |
pub(crate) fn csv(summaries: &[Summary]) -> std::result::Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = |of: &str| FIGURES.map(|figure| format!("{of}_{figure}"));
    let head = ["scenario", "app", "threads", "repetitions"].map(str::to_owned);
    writer.write_record(
        head.into_iter()
            .chain(columns("gflops"))
            .chain(columns("bandwidth_gbs"))
            .chain(["fitted".to_owned()]),
    )?;
    for one in summaries {
        let cells = |figure: Option<Figure>| {
            let cell = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            [
                cell(figure.map(|f| f.median)),
                cell(figure.map(|f| f.min)),
                cell(figure.map(|f| f.max)),
                cell(figure.and_then(|f| f.spread)),
            ]
        };
        let all: u32 = one.threads.iter().map(|(_, threads)| threads).sum();
        let app = one.app.clone().unwrap_or_default();
        let head = [one.scenario.clone(), app, all.to_string(), one.repetitions.to_string()];
        let figures = cells(one.gflops).into_iter().chain(cells(one.bandwidth_gbs));
        writer.write_record(head.into_iter().chain(figures).chain([one.fitted.to_string()]))?;
    }
    text(writer)
}

fn text(writer: csv::Writer<Vec<u8>>) -> std::result::Result<String, csv::Error> {
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
