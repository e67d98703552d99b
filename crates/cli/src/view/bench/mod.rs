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
use numasim_evidence::measured::{Figure, Summary};
use numasim_host::HostTopology;

pub(crate) use json::{doubt, json, plan_json};
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
pub(crate) fn csv(summaries: &[Summary]) -> String {
    type Of<'v> = numasim_ask::table::Of<'v, &'v Summary>;
    let figures = |names: [&'static str; 4], of: fn(&Summary) -> Option<Figure>| -> [Of; 4] {
        let [median, min, max, spread] = names;
        [
            Of::number(median, move |one| of(one).map(|figure| figure.median)),
            Of::number(min, move |one| of(one).map(|figure| figure.min)),
            Of::number(max, move |one| of(one).map(|figure| figure.max)),
            Of::number(spread, move |one| of(one).and_then(|figure| figure.spread)),
        ]
    };
    let mut columns = vec![
        Of::text("scenario", |one| one.scenario.clone()),
        Of::text("app", |one| one.app.clone()),
        Of::whole("threads", |one| one.threads.iter().map(|(_, threads)| threads).sum::<u32>()),
        Of::whole("repetitions", |one| one.repetitions),
    ];
    columns.extend(figures(["gflops_median", "gflops_min", "gflops_max", "gflops_spread"], |one| one.gflops));
    let names = ["bandwidth_gbs_median", "bandwidth_gbs_min", "bandwidth_gbs_max", "bandwidth_gbs_spread"];
    columns.extend(figures(names, |one| one.bandwidth_gbs));
    columns.push(Of::text("fitted", |one| one.fitted));
    numasim_ask::table::csv(&columns, summaries)
}

#[cfg(test)]
mod tests;
