//! The paper's Table III, each row predicted by a fit to the four others.
//!
//! # Data
//! Measured GFLOPS of J. Dokulil, S. Benkner, "NUMA-aware CPU core allocation in cooperating dynamic applications", Table
//! III; 4 x Xeon Gold 6138. The authors fitted three figures by hand to one row: the peak of a core, the bandwidth of a
//! controller, the bandwidth of a link.
//!
//! # Limits
//! Five rows, on which many combinations of model and correction were tried: the best of them is chosen, not predicted.
//!
//! # Method
//! - *as the paper*: these three are fitted to four rows.
//! - *as advised*: `ecm` with its usual penalties, and nothing else.
//! - *+ two from other machines*: also the softness of the corner, from four points of the sibling Gold 6148
//!   ([`super::scaling`]), and the loss by remote readers, from the Xeon Max ([`super::co_run`]): two more parameters
//!   than the paper, neither fitted to the table.
//! - *+ two fitted*: the same two, also fitted to the four rows.
//!
//! Only one row reads over links. Without it the link is unknown, and the value of the authors is used (10 GB/s): that
//! row is then predicted from other machines and the paper's model.

use numasim_model::sharing::Parameter;
use numasim_model::{ModelKind, Study};

use super::scaling::{self, Curve, Method};
use super::{
    ADVISED, Judged, Part, Point, PublishedError, Role, co_run, in_words, study, with_model,
    without_correction,
};
use numasim_evidence::compare::read_measured;
use numasim_evidence::fit::{self, Observed, by_solver};
use numasim_evidence::statistics::median;

const STUDY: &str = include_str!("../../../../configs/paper/table-iii-all.toml");
const MEASURED: &str = include_str!("../../../../results/paper-table-iii/measured.csv");
/// The parameters that the paper fits.
const PAPER: [&str; 3] = ["gflops_per_core", "bandwidth_gbs", "link_gbs"];
/// The nearest machine of [`scaling::RRZE`]: the same generation and memory.
const SIBLING: &str = "SkylakeSP_Gold-6148";

/// The study and the measurements, by scenario.
fn measured() -> Result<(Study, Vec<Observed>), PublishedError> {
    let study = study("table-iii-all.toml", STUDY)?;
    let measurements = read_measured(MEASURED).map_err(PublishedError::Data)?;
    let observed = study.scenarios.iter().enumerate().filter_map(|(scenario, one)| {
        let found = measurements.measured.iter().find(|measured| measured.scenario == one.name)?;
        let values: Vec<f64> = found.repetitions.iter().map(|one| one.gflops.value()).collect();
        let gflops = median(&values)?;
        Some(Observed { scenario, app: None, gflops })
    });
    let observed = observed.collect();
    Ok((study, observed))
}

/// The parameter that softens the corner of a model.
const fn softness(kind: ModelKind) -> (Method, Parameter) {
    match kind {
        ModelKind::Ecm => (Method::Ecm, Parameter::EcmPenalty),
        _ => (Method::Knee, Parameter::SaturationKnee),
    }
}

/// The `load` curve of the sibling machine with one thread on each core.
fn sibling() -> Result<Curve, PublishedError> {
    let curves = scaling::read(scaling::RRZE).map_err(PublishedError::Data)?;
    let mut curves = curves.into_iter();
    let found =
        curves.find(|one| one.machine == SIBLING && one.kernel == "load" && one.threads_per_core == 1);
    found.ok_or_else(|| PublishedError::Model(format!("there is no curve of {SIBLING}")))
}

/// All models by the three methods.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn judge() -> Result<Vec<Judged>, PublishedError> {
    let (study, observed) = measured()?;
    let sibling = sibling()?;
    let loss = co_run::remote_loss()?;
    let mut all = Vec::new();
    for kind in ModelKind::ALL {
        let (method, softness) = softness(kind);
        let soft = scaling::softness(&sibling, method)?.unwrap_or_default();
        let two = [(softness, soft), (Parameter::RemoteLoss, loss)];
        let fitted = [PAPER.to_vec(), vec![softness.as_str(), Parameter::RemoteLoss.as_str()]].concat();
        let from_others = in_words(two.map(|(parameter, value)| (parameter.as_str(), value)));
        let advised = super::advised(kind).map(|advised| (ADVISED, advised, PAPER.to_vec(), String::new()));
        let methods = [
            ("as the paper", without_correction(kind), PAPER.to_vec(), String::new()),
            ("two more from other machines", &two[..], PAPER.to_vec(), from_others),
            ("two more fitted", &two[..], fitted, String::new()),
        ];
        for (variant, parameters, free, figures) in methods.into_iter().chain(advised) {
            let mut study = study.clone();
            study.machine = with_model(&study.machine, kind, parameters)?;
            let points = each_left_out(&study, &observed, &free)?.into_iter().map(|point| (false, point));
            let set = "Table III, 4 x Xeon Gold 6138".to_owned();
            all.push(Judged {
                role: Role::Chose,
                traffic: "synthetic task benchmark, reads".to_owned(),
                write_allocate: "not stated",
                figures,
                unit: "GFLOPS",
                ..Judged::new(Part::TableIii, set, (kind.as_str(), variant), points)
            });
        }
    }
    Ok(all)
}

/// Each row as the fit to the others predicts it.
fn each_left_out(study: &Study, observed: &[Observed], free: &[&str]) -> Result<Vec<Point>, PublishedError> {
    let key = |key: &&str| {
        let key =
            if Parameter::from_word(key).is_some() { format!("sharing.{key}") } else { (*key).to_owned() };
        fit::Parameter::read(&study.machine, &key).map_err(|error| PublishedError::Model(error.to_string()))
    };
    let free = free.iter().map(key).collect::<Result<Vec<_>, _>>()?;
    let predict = by_solver(study);
    let mut points = Vec::new();
    for left_out in observed {
        let others: Vec<Observed> = observed.iter().filter(|one| *one != left_out).copied().collect();
        let machine = fit::lowest(study, &others, &free, &predict)?;
        let Some(scenario) = study.scenarios.get(left_out.scenario) else { continue };
        let apps = predict(&machine, scenario).map_err(PublishedError::Model)?;
        points.push(Point {
            name: scenario.name.clone(),
            measured: left_out.gflops,
            predicted: apps.iter().sum(),
        });
    }
    Ok(points)
}
