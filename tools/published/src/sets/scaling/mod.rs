//! Bandwidth over cores of one NUMA domain: four points are fitted, the others predicted.
//!
//! # Data
//! Columns `machine_file`, `kernel`, `cores`, `bw_GBs`, `cores_per_numa_domain`, and for hyper-threads
//! `smt_per_core_used`; others do not matter. Rows with more cores than the domain are left out. A curve is one machine,
//! kernel and number of threads per core.
//!
//! # Method
//! The counts of [`Curve::seen`] are the only points that a fit sees. The readers are equal threads on one node of a [`Machine`],
//! answered by the [`Solver`] of the model.
//!
//! - [`Method::Hard`]: the paper's rule as one would use it, without a fit: bandwidth of a core from one core, of the controller from all
//!   of them. Equal threads: min(n b1, B), the same in every model without correction.
//! - [`Method::Knee`]: least squares of the relative errors of the points seen ([`numasim_evidence::fit::lowest_with`]) over b1, B and
//!   `saturation_knee`; again the same in every model but ecm.
//! - [`Method::Ecm`]: the same with `ecm_penalty`.
//!
//! The third value has a prior, so that points that do not determine it leave it at its usual value: [`PRIOR_WEIGHT`].
//!
//! A curve that falls ([`Curve::falls`]) is reported, not fitted by a parameter.
//!
//! [`Solver`]: numasim_model::sharing::Solver

use numasim_model::sharing::Parameter;
use numasim_model::{Machine, ModelKind, Study};

use super::{
    EQUAL_PARTS, INTERPOLATION, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, Role, in_words,
    with_model,
};
use numasim_evidence::fit::{self, Observed, by_solver};
use numasim_evidence::null_models::interpolated;

mod curve;
pub(crate) mod steps;

pub(crate) use curve::{Curve, FALLS, Fall, Seen, Unsteady, read};

/// The curves of RRZE's machine files.
pub(crate) const RRZE: &str =
    include_str!("../../../../../results/published-data/data/rrze_kerncraft_bw_scaling.csv");

/// Machines of [`RRZE`] whose errors led to the weight of the prior and the treatment of a super-linear start; the others test.
pub(crate) const CHOSE: [&str; 4] =
    ["A64FX_qpace4", "BroadwellEP_E5-2630v4", "IvyBridgeEP_E5-2690v2", "SkylakeSP_Gold-6148"];

/// A softness that is off by a factor of e has the weight of an error of this fraction of the bandwidth. Of 1, 2, 4 and 8 % it is the
/// one with the smallest mean error over all kernels of the machines used for the choice.
pub(crate) const PRIOR_WEIGHT: f64 = 0.02;

/// The parameters fitted to a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Two values, a hard corner: the paper's split.
    Hard,
    /// A smooth minimum.
    Knee,
    /// Waiting at a busy controller.
    Ecm,
}

impl Method {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Hard, Self::Knee, Self::Ecm];
    /// The recommended one.
    pub(crate) const RECOMMENDED: Self = Self::Ecm;

    /// The fitted parameters.
    pub(crate) const fn variant(self) -> &'static str {
        match self {
            Self::Hard => "hard corner",
            Self::Knee => "saturation_knee",
            Self::Ecm => "ecm_penalty",
        }
    }

    /// Its model.
    pub(crate) const fn kind(self) -> ModelKind {
        match self {
            Self::Hard | Self::Knee => ModelKind::BaselineProportional,
            Self::Ecm => ModelKind::Ecm,
        }
    }

    /// The parameter that softens the corner, and its usual value. That of ecm comes from machines outside [`RRZE`]; that of the knee
    /// makes the same corner: 87 % of the bandwidth if the threads want exactly that.
    pub(crate) const fn softness(self) -> Option<(Parameter, f64)> {
        match self {
            Self::Hard => None,
            Self::Knee => Some((Parameter::SaturationKnee, 0.2)),
            Self::Ecm => Some((Parameter::EcmPenalty, 0.33)),
        }
    }
}

/// Every kernel of every curve that has enough points, by the null models and by every method.
///
/// # Errors
/// Those of the fits.
pub(crate) fn judge(curves: &[Curve]) -> Result<Vec<Judged>, PublishedError> {
    let mut all = Vec::new();
    for null in NULLS {
        let seen = curves.iter().filter_map(|curve| Some((curve, curve.seen()?)));
        all.extend(seen.map(|(curve, seen)| {
            judged(curve, &seen, (null, NO_FIT), String::new(), &by_null_model(curve, &seen, null))
        }));
    }
    for method in Method::ALL {
        for curve in curves {
            if let Some(seen) = curve.seen() {
                all.push(judge_one(curve, &seen, method)?);
            }
        }
    }
    Ok(all)
}

/// The curves of [`RRZE`], and the use of each machine's errors.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn carried() -> Result<Vec<Judged>, PublishedError> {
    let mut judged = judge(&read(RRZE).map_err(PublishedError::Data)?)?;
    with_roles(&mut judged);
    Ok(judged)
}

/// The use of the errors of each machine of [`RRZE`].
fn with_roles(judged: &mut [Judged]) {
    for one in judged {
        let chose = one.machine.as_deref().is_some_and(|machine| CHOSE.contains(&machine));
        one.role = if chose { Role::Chose } else { Role::Tests };
    }
}

/// The null models of a curve.
const NULLS: [&str; 3] = [NO_SHARING, EQUAL_PARTS, INTERPOLATION];

/// GB/s of every count: the bandwidth of one core for each, that of all cores in total, or a curve through the counts seen.
fn by_null_model(curve: &Curve, seen: &Seen, null: &str) -> Vec<f64> {
    let full = curve.points.values().next_back().copied().unwrap_or(f64::NAN);
    let known = seen.counts.iter().map(|&cores| (f64::from(cores), curve.at(cores)));
    let known: Vec<(f64, f64)> = [(0.0, 0.0)].into_iter().chain(known).collect();
    let of = |&cores: &u32| match null {
        NO_SHARING => f64::from(cores) * curve.at(1),
        EQUAL_PARTS => full,
        _ => interpolated(&known, f64::from(cores)),
    };
    curve.points.keys().map(of).collect()
}

/// The fitted softness of a curve; `None` if it has too few points or the method no such parameter.
///
/// # Errors
/// Those of the fit.
pub(crate) fn softness(curve: &Curve, method: Method) -> Result<Option<f64>, PublishedError> {
    let (Some(seen), Some((parameter, _))) = (curve.seen(), method.softness()) else { return Ok(None) };
    Ok(calibrated(curve, &seen, method)?.sharing().parameters.get(parameter))
}

fn judge_one(curve: &Curve, seen: &Seen, method: Method) -> Result<Judged, PublishedError> {
    let machine = calibrated(curve, seen, method)?;
    let node = machine.nodes().first();
    let figures = node.into_iter().flat_map(|node| {
        let b1 = node.core_bandwidth.map(|most| ("b1", most.value()));
        b1.into_iter().chain([("B", node.bandwidth.value())])
    });
    let parameters = machine.sharing().in_use().map(|(parameter, value)| (parameter.as_str(), value));
    let cores: Vec<u32> = curve.points.keys().copied().collect();
    let predicted = predict(&machine, curve, &cores)?;
    let figures = in_words(figures.chain(parameters));
    Ok(judged(curve, seen, (method.kind().as_str(), method.variant()), figures, &predicted))
}

/// The predictions of a method for each count of a curve.
fn judged(
    curve: &Curve,
    seen: &Seen,
    (model, variant): (&'static str, &str),
    figures: String,
    predicted: &[f64],
) -> Judged {
    let points = curve.points.iter().zip(predicted).map(|((cores, &measured), &predicted)| {
        (seen.counts.contains(cores), Point { name: cores_in_words(*cores), measured, predicted })
    });
    Judged {
        machine: Some(curve.machine.clone()),
        traffic: curve.kernel.clone(),
        write_allocate: if curve.kernel == "load" { "none" } else { "not counted" },
        figures,
        falls: curve.falls(),
        is_unsteady: !curve.unsteady.is_empty(),
        ..Judged::new(Part::Scaling, curve.name(), (model, variant), points)
    }
}

fn cores_in_words(cores: u32) -> String {
    if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") }
}

/// The machine of one node according to the points seen.
pub(super) fn calibrated(curve: &Curve, seen: &Seen, method: Method) -> Result<Machine, PublishedError> {
    calibrated_with(curve, seen, method, Some(PRIOR_WEIGHT))
}

/// The same with a prior of another weight, or without.
fn calibrated_with(
    curve: &Curve,
    seen: &Seen,
    method: Method,
    weight: Option<f64>,
) -> Result<Machine, PublishedError> {
    let counts: Vec<u32> = seen.fitted().collect();
    let mut study = study(curve, &counts)?;
    let Some((softness, usual)) = method.softness() else { return Ok(study.machine) };
    study.machine = with_model(&study.machine, method.kind(), &[(softness, usual)])?;
    let keys = [
        "core_bandwidth_gbs".to_owned(),
        "bandwidth_gbs".to_owned(),
        format!("sharing.{}", softness.as_str()),
    ];
    let keys: Result<Vec<fit::Parameter>, _> =
        keys.iter().map(|key| fit::Parameter::read(&study.machine, key)).collect();
    let keys = keys.map_err(|error| PublishedError::Model(error.to_string()))?;
    let observed: Vec<Observed> = (0..)
        .zip(&counts)
        .map(|(scenario, &cores)| Observed { scenario, app: None, gflops: curve.at(cores) })
        .collect();
    let prior = weight.map(|weight| fit::Prior { place: keys.len() - 1, value: usual, weight });
    let predict = by_solver(&study);
    Ok(fit::lowest_with(&study, &observed, &keys, prior.as_slice(), &predict)?)
}

/// The machine of one node according to one core and all of them, with the default penalties: the only fit is the bandwidth at which all cores draw
/// their measured total.
fn advised(curve: &Curve) -> Result<Machine, PublishedError> {
    let (&full, &gbs) =
        curve.points.last_key_value().ok_or_else(|| PublishedError::Model("no point".to_owned()))?;
    let mut study = study(curve, &[full])?;
    study.machine = with_model(&study.machine, Method::RECOMMENDED.kind(), &[])?;
    let bandwidth = fit::Parameter::read(&study.machine, "bandwidth_gbs");
    let bandwidth = bandwidth.map_err(|error| PublishedError::Model(error.to_string()))?;
    let observed = Observed { scenario: 0, app: None, gflops: gbs };
    Ok(fit::lowest(&study, &[observed], &[bandwidth], &by_solver(&study))?)
}

/// GB/s of these counts of cores.
fn predict(machine: &Machine, curve: &Curve, cores: &[u32]) -> Result<Vec<f64>, PublishedError> {
    let study = study(curve, cores)?;
    let predict = by_solver(&study);
    let total = |scenario| predict(machine, scenario).map(|apps| apps.iter().sum::<f64>());
    study.scenarios.iter().map(total).collect::<Result<_, _>>().map_err(PublishedError::Model)
}

/// One node, one application of 1 FLOP per byte, so that GFLOPS are GB/s, on cores that are fast enough for any memory. The values are
/// those of one core and of the full domain as measured.
fn study(curve: &Curve, cores: &[u32]) -> Result<Study, PublishedError> {
    use std::fmt::Write as _;
    let full = curve.points.values().next_back().copied().unwrap_or(f64::NAN);
    let mut text = format!(
        "[machine]\nname = \"one NUMA domain\"\nnodes = 1\ncores_per_node = {}\ngflops_per_core = 1e9\n\
         bandwidth_gbs = {full:?}\ncore_bandwidth_gbs = {:?}\n[[app]]\nname = \"readers\"\narithmetic_intensity = 1.0\nwrite_share = {:?}\n",
        curve.domain,
        curve.at(1),
        if curve.kernel == "load" { 0.0 } else { 0.5 }
    );
    for count in cores {
        // Writing to a String cannot fail.
        let _ = write!(text, "[[scenario]]\nname = \"{count}\"\nthreads = {{ readers = {count} }}\n");
    }
    super::study("one NUMA domain", &text)
}
