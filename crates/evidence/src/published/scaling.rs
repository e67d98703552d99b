//! Bandwidth over cores of one NUMA domain: three points are fitted, the others predicted.
//!
//! # Data
//! Columns `machine_file`, `kernel`, `cores`, `bw_GBs`, `cores_per_numa_domain`, and where there are hyper-threads
//! `smt_per_core_used`; others do not matter. Rows with more cores than the domain are left out. A curve is one machine,
//! kernel and number of threads per core.
//!
//! # Method
//! One core, half the domain and the full domain (where they were not measured: the nearest counts) are the only points
//! that a fit sees. The readers are equal threads on one node of a [`Machine`], answered by the [`Solver`] of the model.
//! Relative errors of the three points are made small by least squares ([`crate::fit::lowest`]).
//!
//! - [`Method::Hard`]: bandwidth of one core and of the controller. Equal threads: min(n b1, B), the same in every model
//!   without correction.
//! - [`Method::Knee`]: also `saturation_knee`; again the same in every model but ecm.
//! - [`Method::Ecm`]: also `ecm_penalty`.
//!
//! Where the three points do not determine the third figure (the curve is saturated at half the domain), it is the
//! typical one: the median of the curves of the other machines with this kernel and as many threads per core.
//!
//! Where the full domain is slower than half of it by more than [`SLOWER`], no curve that rises can be right. The third
//! figure is the typical one then, and `overload_loss` is fitted in its place.
//!
//! [`Solver`]: numasim_model::sharing::Solver

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;

use numasim_model::input::{Problem, ProblemKind};
use numasim_model::sharing::Parameter;
use numasim_model::{Machine, ModelKind, Study};

use super::{Judged, Part, Point, PublishedError, in_words, with_model};
use crate::csv_rows::{Rows, first, is_full};
use crate::fit::{self, Observed, by_solver};
use crate::statistics::median;

/// The curves of RRZE's machine files.
pub const RRZE: &str = include_str!("../../data/rrze_kerncraft_bw_scaling.csv");

/// Less than this part of the bandwidth of half a domain is a loss, not noise.
pub const SLOWER: f64 = 0.01;

/// A curve of bandwidth over cores.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// As the column `machine_file`, without `.yml`.
    pub machine: String,
    /// Threads on each core.
    pub threads_per_core: u32,
    /// The kernel.
    pub kernel: String,
    /// Cores of a NUMA domain.
    pub domain: u32,
    /// GB/s by cores, at most a domain, ascending.
    pub points: BTreeMap<u32, f64>,
}

impl Curve {
    /// The counts of cores that a fit may see: one, half, all; `None` if less than four counts were measured, or not one
    /// core.
    pub fn seen(&self) -> Option<[u32; 3]> {
        let full = *self.points.keys().next_back()?;
        let inside = self.points.keys().filter(|&&cores| cores > 1 && cores < full);
        // Half of an odd number is rounded down; of two counts that are as near the lower one.
        let half = *inside.min_by_key(|&&cores| (cores.abs_diff(full / 2), cores))?;
        (self.points.contains_key(&1) && self.points.len() > 3).then_some([1, half, full])
    }

    fn at(&self, cores: u32) -> f64 {
        self.points.get(&cores).copied().unwrap_or(f64::NAN)
    }

    /// "`SkylakeSP_Gold-6148`, 2 threads per core".
    pub fn name(&self) -> String {
        match self.threads_per_core {
            1 => self.machine.clone(),
            more => format!("{}, {more} threads per core", self.machine),
        }
    }

    /// Slower with the full domain than with half of it.
    fn loses(&self, [_, half, full]: [u32; 3]) -> bool {
        self.at(full) < (1.0 - SLOWER) * self.at(half)
    }
}

/// What is fitted to a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Two figures, a hard corner: the paper's split.
    Hard,
    /// A smooth minimum.
    Knee,
    /// Waiting at a busy controller.
    Ecm,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Hard, Self::Knee, Self::Ecm];

    /// What is fitted.
    pub const fn variant(self) -> &'static str {
        match self {
            Self::Hard => "hard corner",
            Self::Knee => "saturation_knee",
            Self::Ecm => "ecm_penalty",
        }
    }

    const fn kind(self) -> ModelKind {
        match self {
            Self::Hard | Self::Knee => ModelKind::BaselineProportional,
            Self::Ecm => ModelKind::Ecm,
        }
    }

    /// The figure that softens the corner.
    const fn third(self) -> Option<Parameter> {
        match self {
            Self::Hard => None,
            Self::Knee => Some(Parameter::SaturationKnee),
            Self::Ecm => Some(Parameter::EcmPenalty),
        }
    }

    /// What it is where no other machine says anything: the order of what the machines of [`RRZE`] have.
    const fn usual(self) -> f64 {
        match self {
            Self::Hard => 0.0,
            Self::Knee => 0.2,
            Self::Ecm => 0.35,
        }
    }
}

/// The curves of a CSV, in its order.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn read(text: &str) -> Result<Vec<Curve>, Vec<Problem>> {
    let mut rows = Rows::new(text).map_err(|problem| vec![problem])?;
    let needed = ["machine_file", "kernel", "cores", "bw_GBs", "cores_per_numa_domain"]
        .map(|name| (name, rows.column(name)));
    let missing: Vec<String> =
        needed.iter().filter(|(_, column)| column.is_none()).map(|(name, _)| format!("`{name}`")).collect();
    let [Some(machine), Some(kernel), Some(cores), Some(bandwidth), Some(domain)] =
        needed.map(|(_, column)| column)
    else {
        let message = format!("there is no column {}", missing.join(", "));
        return Err(vec![rows.header_lacks(message).hint(
            "bandwidth over cores has the columns machine_file,kernel,smt_per_core_used,cores,bw_GBs,cores_per_numa_domain",
        )]);
    };
    let threads = rows.column("smt_per_core_used");
    let mut curves: Vec<Curve> = Vec::new();
    let mut places: BTreeMap<(String, u32, String), usize> = BTreeMap::new();
    let mut problems = Vec::new();
    while let Some(row) = rows.next() {
        let read = row.and_then(|row| {
            let count = row.whole_number(cores, 1, "a number of cores, e.g. 8")?;
            let domain = row.whole_number(domain, 1, "the cores of a NUMA domain, e.g. 20")?;
            let gbs = row.amount(bandwidth, "GB/s, e.g. 117.8")?;
            if gbs == 0.0 {
                return Err(row.problem(
                    bandwidth,
                    ProblemKind::BadValue,
                    "a bandwidth of 0 GB/s has no relative error",
                ));
            }
            let threads_per_core =
                threads.map_or(Ok(1), |column| row.whole_number(column, 1, "threads per core, e.g. 1"))?;
            let name = row.text(Some(machine)).trim_end_matches(".yml").to_owned();
            let key = (name, threads_per_core, row.text(Some(kernel)).to_owned());
            let place = *places.entry(key.clone()).or_insert_with(|| {
                let (machine, threads_per_core, kernel) = key;
                curves.push(Curve { machine, threads_per_core, kernel, domain, points: BTreeMap::new() });
                curves.len() - 1
            });
            let Some(curve) = curves.get_mut(place).filter(|curve| count <= curve.domain) else {
                return Ok(());
            };
            if curve.points.insert(count, gbs).is_some() {
                let message =
                    format!("{count} cores of {} with {} are there twice", curve.name(), curve.kernel);
                return Err(row
                    .problem(cores, ProblemKind::DuplicateKey, message)
                    .hint("keep one of the rows"));
            }
            Ok(())
        });
        if let Err(problem) = read {
            problems.push(problem);
            if is_full(&problems) {
                break;
            }
        }
    }
    if problems.is_empty() { Ok(curves) } else { Err(first(problems)) }
}

/// Every kernel of every curve that has enough points, by every method.
///
/// # Errors
/// Those of the fits.
pub fn judge(curves: &[Curve]) -> Result<Vec<Judged>, PublishedError> {
    let mut all = Vec::new();
    for method in Method::ALL {
        // First each by itself, then with what is typical of the others.
        let alone = curves.iter().map(|curve| match curve.seen() {
            Some(seen) if !curve.loses(seen) => third_alone(curve, seen, method),
            _ => Ok(None),
        });
        let alone: Vec<Option<f64>> = alone.collect::<Result<_, PublishedError>>()?;
        for (curve, own) in curves.iter().zip(&alone) {
            let Some(seen) = curve.seen() else { continue };
            let of_others = curves.iter().zip(&alone).filter(|(other, _)| {
                other.machine != curve.machine
                    && other.kernel == curve.kernel
                    && other.threads_per_core == curve.threads_per_core
            });
            let of_others: Vec<f64> = of_others.filter_map(|(_, third)| *third).collect();
            let typical = median(&of_others).unwrap_or(method.usual());
            all.push(judge_one(curve, seen, method, *own, typical)?);
        }
    }
    Ok(all)
}

/// The third figure of a curve: the softness of its corner, if its three points determine it.
///
/// # Errors
/// Those of the fits.
pub fn third(curve: &Curve, method: Method) -> Result<Option<f64>, PublishedError> {
    curve.seen().map_or(Ok(None), |seen| third_alone(curve, seen, method))
}

fn third_alone(curve: &Curve, seen: [u32; 3], method: Method) -> Result<Option<f64>, PublishedError> {
    let Some(third) = method.third() else { return Ok(None) };
    // From two starts: what is not determined stays where it began.
    let from = |start: f64| {
        let machine = fitted(curve, seen, method, &[(third, start)], third)?;
        Ok::<_, PublishedError>(machine.sharing().parameters.get(third).unwrap_or_default())
    };
    let (low, high) = (from(method.usual() / 2.0)?, from(method.usual() * 2.0)?);
    // The corner is hard where it is as hard as the search allows.
    let hard = method.usual() / 100.0;
    Ok(match (low < hard, high < hard) {
        (true, true) => Some(0.0),
        _ if (low - high).abs() <= 0.02 * high => Some(high),
        _ => None,
    })
}

fn judge_one(
    curve: &Curve,
    seen: [u32; 3],
    method: Method,
    own: Option<f64>,
    typical: f64,
) -> Result<Judged, PublishedError> {
    let (machine, message) = match method.third() {
        None => (fitted(curve, seen, method, &[], Parameter::SaturationKnee)?, ""),
        Some(third) if curve.loses(seen) => {
            let start = [(third, typical), (Parameter::OverloadLoss, 0.2)];
            (fitted(curve, seen, method, &start, Parameter::OverloadLoss)?, " (typical)")
        }
        Some(third) => {
            let message = if own.is_some() { "" } else { " (typical)" };
            (fitted(curve, seen, method, &[(third, own.unwrap_or(typical))], third)?, message)
        }
    };
    let node = machine.nodes().first();
    let figures = node.into_iter().flat_map(|node| {
        let b1 = node.core_bandwidth.map(|most| ("b1", most.value()));
        b1.into_iter().chain([("B", node.bandwidth.value())])
    });
    let parameters = machine.sharing().in_use().map(|(parameter, value)| (parameter.key(), value));
    let cores: Vec<u32> = curve.points.keys().copied().collect();
    let predicted = predict(&machine, curve, &cores)?;
    let points = curve.points.iter().zip(predicted).map(|((cores, &measured), predicted)| {
        (seen.contains(cores), Point { name: cores_in_words(*cores), measured, predicted })
    });
    let (fitted, points): (Vec<_>, Vec<_>) = points.partition(|(seen, _)| *seen);
    let bare = |points: Vec<(bool, Point)>| points.into_iter().map(|(_, point)| point).collect();
    Ok(Judged {
        part: Part::Scaling,
        set: curve.name(),
        traffic: curve.kernel.clone(),
        write_allocate: if curve.kernel == "load" { "none" } else { "not counted" },
        model: method.kind().name(),
        variant: method.variant().to_owned(),
        figures: format!("{}{message}", in_words(figures.chain(parameters))),
        unit: "GB/s",
        overloaded: curve.loses(seen),
        points: bare(points),
        fitted: bare(fitted),
    })
}

fn cores_in_words(cores: u32) -> String {
    if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") }
}

/// The machine of one node on which the three points come out best; `free` is fitted beside b1 and B.
fn fitted(
    curve: &Curve,
    seen: [u32; 3],
    method: Method,
    start: &[(Parameter, f64)],
    free: Parameter,
) -> Result<Machine, PublishedError> {
    let mut study = study(curve, &seen)?;
    study.machine = with_model(&study.machine, method.kind(), start)?;
    let mut keys = vec!["core_bandwidth_gbs".to_owned(), "bandwidth_gbs".to_owned()];
    if !start.is_empty() {
        keys.push(format!("sharing.{}", free.key()));
    }
    let keys: Result<Vec<fit::Parameter>, _> =
        keys.iter().map(|key| fit::Parameter::read(&study.machine, key)).collect();
    let keys = keys.map_err(|error| PublishedError::Model(error.to_string()))?;
    let observed: Vec<Observed> = (0..)
        .zip(seen)
        .map(|(scenario, cores)| Observed { scenario, app: None, gflops: curve.at(cores) })
        .collect();
    let predict = by_solver(&study);
    Ok(fit::lowest(&study, &observed, &keys, &predict)?)
}

/// GB/s of these counts of cores.
pub(super) fn predict(machine: &Machine, curve: &Curve, cores: &[u32]) -> Result<Vec<f64>, PublishedError> {
    let study = study(curve, cores)?;
    let predict = by_solver(&study);
    let total = |scenario| predict(machine, scenario).map(|apps| apps.iter().sum::<f64>());
    study.scenarios.iter().map(total).collect::<Result<_, _>>().map_err(PublishedError::Model)
}

/// One node, one application of 1 FLOP per byte, so that GFLOPS are GB/s, on cores that are fast enough for any memory.
fn study(curve: &Curve, cores: &[u32]) -> Result<Study, PublishedError> {
    use std::fmt::Write as _;
    let most = curve.points.values().copied().fold(0.0, f64::max);
    let mut text = format!(
        "[machine]\nname = \"one NUMA domain\"\nnodes = 1\ncores_per_node = {}\ngflops_per_core = 1e9\n\
         bandwidth_gbs = {most:?}\ncore_bandwidth_gbs = {:?}\n[[app]]\nname = \"readers\"\narithmetic_intensity = 1.0\n",
        curve.domain,
        curve.at(1)
    );
    for count in cores {
        // Writing to a String cannot fail.
        let _ = write!(text, "[[scenario]]\nname = \"{count}\"\nthreads = {{ readers = {count} }}\n");
    }
    super::study("one NUMA domain", &text)
}
