//! Simulations for spreadsheets.

use numasim_model::Study;
use numasim_model::units::Seconds;

use super::{Simulated, mean_gflops};

/// The header.
const COLUMNS: [&str; 18] = [
    "policy",
    "seed",
    "makespan_s",
    "lower_bound_s",
    "partial",
    "app",
    "arrived_s",
    "finished_s",
    "iterations",
    "gflop",
    "mean_gflops",
    "mean_threads",
    "wait_input_s",
    "wait_output_s",
    "wait_call_s",
    "idle_s",
    "blocked_s",
    "shared_s",
];

/// One header line, then one row for each policy, seed and application, all numbers in full precision. What has not happened
/// is empty; `idle_s`, `blocked_s` and `shared_s` are thread-seconds.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(study: &Study, runs: &[Simulated]) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let number = |value: f64| (value + 0.0).to_string();
    let seconds = |time: Option<Seconds>| time.map_or(String::new(), |time| number(time.value()));
    for simulated in runs {
        for (app, of) in simulated.run.apps.iter().zip(&study.apps) {
            writer.write_record([
                simulated.policy.clone(),
                simulated.seed.to_string(),
                seconds(simulated.run.makespan),
                simulated.lower_bound_s.map_or(String::new(), number),
                simulated.is_partial().to_string(),
                of.name.clone(),
                seconds(app.arrived),
                seconds(app.finished),
                app.iterations.to_string(),
                number(app.work.value()),
                number(mean_gflops(app, &simulated.run)),
                number(app.mean_threads),
                number(app.waited_input.value()),
                number(app.waited_output.value()),
                number(app.waited_call.value()),
                number(app.idle.value()),
                number(app.blocked.value()),
                number(app.shared.value()),
            ])?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
