//! Pairs of applications on one host: predictions of the model compared with null models. Only the pairs are
//! evaluated.
//!
//! Scenarios with one application are runs alone, the others are predicted. There are four predictions of the
//! GB/s of each application:
//!
//! - *calibration*: the model with the machine file and the counts of each kernel, as in `numasim compare`,
//!   without data of these runs.
//! - *and alone*: the model with the machine's memory; the demand of a thread is its bandwidth alone.
//! - *no sharing* (null): the bandwidth alone.
//! - *equal parts* (null): an equal share of a node's bandwidth for each of its threads, and never more than
//!   alone.

use std::fmt::Write as _;
use std::path::Path;

use numasim_evidence::measured::Row;
use numasim_evidence::statistics::{mean, median};
use numasim_model::units::FlopPerByte;
use numasim_model::{App, AppId, Machine, Scenario, Study, evaluate};
use numasim_study::{SourceFile, read_study};

use crate::Failure;
use crate::rows::{change, percent, read, sum};

/// The predictions, in the order of [`Pair::predicted`].
const MODELS: [&str; 4] = ["calibration", "and alone", "no sharing", "equal parts"];

/// An application in a scenario with others.
struct Pair {
    scenario: String,
    app: String,
    /// GB/s alone, the median of the repetitions.
    alone: f64,
    /// GB/s by repetition.
    measured: Vec<f64>,
    /// GB/s according to each of [`MODELS`].
    predicted: [f64; MODELS.len()],
}

fn study(machine: &str, study: &str) -> Result<Study, Failure> {
    let mut files = Vec::new();
    for name in [machine, study] {
        files.push(SourceFile { name: name.to_owned(), text: std::fs::read_to_string(name)? });
    }
    read_study(&files).map(|reading| reading.study).map_err(|problems| format!("{problems:?}").into())
}

/// Applications with threads, and the number of threads.
fn active(study: &Study, scenario: &Scenario) -> Vec<(usize, u32)> {
    let threads = |app: usize| scenario.allocation.row(AppId(app)).iter().sum::<u32>();
    (0..study.apps.len()).map(|app| (app, threads(app))).filter(|&(_, threads)| threads > 0).collect()
}

/// GB/s of an application in each repetition.
fn rates(rows: &[Row], scenario: &str, app: &str, repetitions: u32) -> Result<Vec<f64>, Failure> {
    let of = |repetition| sum(rows, scenario, app, repetition, |row| row.bandwidth_gbs);
    let all: Option<Vec<f64>> = (1..=repetitions).map(of).collect();
    all.ok_or_else(|| format!("'{app}' in '{scenario}' was not measured in every repetition").into())
}

/// GB/s of all applications of a scenario according to the model.
fn by_model(machine: &Machine, apps: &[App], scenario: &Scenario) -> Result<Vec<f64>, Failure> {
    let placements = scenario.placements().map_err(|_| "a home is open")?;
    let evaluation = evaluate(machine, apps, &placements, &scenario.allocation)?;
    Ok(evaluation.apps.iter().map(|app| app.bandwidth.value()).collect())
}

fn pairs(study: &Study, rows: &[Row]) -> Result<Vec<Pair>, Failure> {
    let repetitions = rows.iter().map(|row| row.repetition).max().ok_or("no measurement")?;
    let mut alone: Vec<Option<f64>> = vec![None; study.apps.len()];
    for scenario in &study.scenarios {
        let [(app, threads)] = active(study, scenario)[..] else { continue };
        let rates = rates(rows, &scenario.name, &study.apps[app].name, repetitions)?;
        let group = &study.apps[app].group;
        let each = median(&rates).map(|rate| rate / f64::from(threads));
        for (other, alone) in study.apps.iter().zip(&mut alone) {
            if other.group == *group {
                *alone = each;
            }
        }
    }
    // The demand of a thread is its bandwidth alone; no other limit applies.
    let mut nodes = study.machine.nodes().to_vec();
    for node in &mut nodes {
        node.core_bandwidth = None;
    }
    let ids = || study.machine.node_ids();
    let links = ids().flat_map(|from| ids().map(move |to| (from, to)));
    let links = links.map(|(from, to)| study.machine.link(from, to).unwrap_or_default()).collect();
    let wanting = study.machine.retuned(nodes, links)?;
    let peak = study.machine.nodes().first().ok_or("no node")?.gflops_per_core.value();
    let mut apps = study.apps.clone();
    for (app, alone) in apps.iter_mut().zip(&alone) {
        let alone = alone.ok_or_else(|| format!("'{}' has no scenario of its own", app.name))?;
        (app.problem, app.arithmetic_intensity) = (None, FlopPerByte::new(peak / alone));
    }

    let mut all = Vec::new();
    for scenario in &study.scenarios {
        let active = active(study, scenario);
        if active.len() < 2 {
            continue;
        }
        let calibrated = by_model(&study.machine, &study.apps, scenario)?;
        let measured_alone = by_model(&wanting, &apps, scenario)?;
        for &(app, threads) in &active {
            let of_thread = alone[app].unwrap_or_default();
            let equal: f64 = (study.machine.nodes().iter().enumerate())
                .map(|(node, figures)| {
                    let on_node =
                        |app: usize| scenario.allocation.row(AppId(app)).get(node).copied().unwrap_or(0);
                    let all: u32 = active.iter().map(|&(app, _)| on_node(app)).sum();
                    let own = f64::from(on_node(app));
                    own * (figures.bandwidth.value() / f64::from(all.max(1))).min(of_thread)
                })
                .sum();
            let name = study.apps[app].name.clone();
            let alone = of_thread * f64::from(threads);
            all.push(Pair {
                measured: rates(rows, &scenario.name, &name, repetitions)?,
                scenario: scenario.name.clone(),
                app: name,
                alone,
                predicted: [calibrated[app], measured_alone[app], alone, equal],
            });
        }
    }
    Ok(all)
}

/// The mean absolute error of a model in each repetition.
fn errors(pairs: &[Pair], model: usize) -> Vec<f64> {
    let repetitions = pairs.first().map_or(0, |pair| pair.measured.len());
    let of = |repetition: usize| {
        let errors = pairs.iter().map(|pair| (pair.predicted[model] / pair.measured[repetition] - 1.0).abs());
        mean(&errors.collect::<Vec<_>>()).unwrap_or_default()
    };
    (0..repetitions).map(of).collect()
}

/// The table, the errors, and the difference between each null model and the model.
pub(crate) fn table(machine: &str, file: &str, measured: &Path) -> Result<String, Failure> {
    let rows: Vec<Row> = read(measured, [])?.into_iter().map(|([], row)| row).collect();
    let pairs = pairs(&study(machine, file)?, &rows)?;
    let mut text = format!("{:<34}{:<16}{:>8}{:>10}", "scenario", "app", "alone", "measured");
    MODELS.iter().try_for_each(|model| write!(text, "{model:>14}"))?;
    writeln!(text, "   GB/s, medians; predictions as errors")?;
    for pair in &pairs {
        let middle = median(&pair.measured).ok_or("no measurement")?;
        write!(text, "{:<34}{:<16}{:>8.2}{middle:>10.2}", pair.scenario, pair.app, pair.alone)?;
        pair.predicted.iter().try_for_each(|gbs| write!(text, "{:>12.1} %", 100.0 * (gbs / middle - 1.0)))?;
        writeln!(text)?;
    }
    writeln!(text, "\nmean absolute error, median over repetitions and its 95 % bootstrap interval")?;
    let errors: Vec<Vec<f64>> = (0..MODELS.len()).map(|model| errors(&pairs, model)).collect();
    for (model, errors) in MODELS.iter().zip(&errors) {
        writeln!(text, "{model:<14}{}", percent(errors))?;
    }
    writeln!(
        text,
        "\nerror of a null model less that of the model, in the same repetitions: above 0 the model is better"
    )?;
    for (model, own) in MODELS.iter().zip(&errors).take(2) {
        for (null, others) in MODELS.iter().zip(&errors).skip(2) {
            let difference: Vec<f64> = others.iter().zip(own).map(|(other, own)| other - own).collect();
            writeln!(text, "{model:<14}against {null:<14}{}", change(&difference))?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_means_over_all_pairs_of_a_repetition() {
        let pair = |predicted: f64| Pair {
            scenario: "both".into(),
            app: "one".into(),
            alone: 20.0,
            measured: vec![10.0, 8.0],
            predicted: [predicted; MODELS.len()],
        };
        // 12 of 10 and 9 of 10: 20 % and 10 %; of 8: 50 % and 12.5 %.
        let found = errors(&[pair(12.0), pair(9.0)], 0);
        assert!((found[0] - 0.15).abs() < 1e-12 && (found[1] - 0.3125).abs() < 1e-12, "{found:?}");
    }
}
