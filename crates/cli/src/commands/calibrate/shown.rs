//! A calibration as JSON and CSV.

use numasim_bench::calibrate::{Figure, MeasuredStep, Purpose};
use serde_json::{Value, json};

use super::Calibrated;

/// One object with figures, steps, doubts and how it was measured.
pub(super) fn json(found: &Calibrated) -> Value {
    let calibration = &found.calibration;
    let nodes: Vec<Value> = found
        .host
        .nodes
        .iter()
        .zip(&calibration.nodes)
        .enumerate()
        .map(|(n, (node, figures))| {
            json!({
                "node": n, "os_index": node.os_index, "cores": node.cores,
                "gflops_per_core": figures.peak_per_core.as_ref().map(figure),
                "gflops_of_one_core_alone": figures.peak_alone.as_ref().map(figure),
                "core_bandwidth_gbs": figures.core_bandwidth.as_ref().map(figure),
                "bandwidth_gbs": figure(&figures.bandwidth),
                "saturating_threads": figures.saturating_threads,
            })
        })
        .collect();
    let row =
        |row: &Vec<Option<Figure>>| row.iter().map(|cell| cell.as_ref().map(figure)).collect::<Vec<_>>();
    json!({
        "schema": 1, "command": "calibrate", "machine": found.described.name, "source": found.described.source,
        "isa": found.settings.isa.as_str(),
        "window_s": found.settings.window.as_secs_f64(), "warm_up_s": found.settings.warm_up.as_secs_f64(),
        "bytes_per_thread": found.settings.bytes_per_thread,
        "nodes": nodes,
        "bandwidth_matrix_gbs": calibration.matrix().iter().map(row).collect::<Vec<_>>(),
        "steps": calibration.steps.iter().map(step).collect::<Vec<_>>(),
        "doubts": found.doubts,
        "host": found.facts,
    })
}

fn figure(figure: &Figure) -> Value {
    json!({ "median": figure.median, "min": figure.min, "max": figure.max, "rounds": figure.samples,
            "uncertainty_percent": figure.uncertainty_percent() })
}

fn step(done: &MeasuredStep) -> Value {
    let (gflops, gbs): (Vec<f64>, Vec<f64>) = done.rounds.iter().copied().unzip();
    json!({ "measures": measures(done), "from_node": done.step.from.0, "to_node": done.step.to.0,
            "threads": done.step.threads, "gflops": gflops, "bandwidth_gbs": gbs })
}

fn measures(done: &MeasuredStep) -> &'static str {
    match done.step.purpose {
        Purpose::Peak => "peak",
        Purpose::Bandwidth => "bandwidth",
    }
}

/// Every round of every step.
pub(super) fn csv(found: &Calibrated) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "measures",
        "from_node",
        "to_node",
        "threads",
        "round",
        "gflops",
        "bandwidth_gbs",
    ])?;
    for done in &found.calibration.steps {
        for (round, (gflops, bandwidth)) in (1..).zip(&done.rounds) {
            let round: u32 = round;
            writer.write_record([
                measures(done),
                &done.step.from.0.to_string(),
                &done.step.to.0.to_string(),
                &done.step.threads.to_string(),
                &round.to_string(),
                &gflops.to_string(),
                &bandwidth.to_string(),
            ])?;
        }
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
