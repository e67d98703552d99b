//! Threads of one node read the memory of another, by thread count: does a link saturate abruptly or softly?
//!
//! # Data
//! Kunpeng 920, two machines of four nodes: STREAM of some processes on node 0, memory on one node (`wayca-scheduler`, `lmbench`);
//! medians over the choice of cores on node 0, which matters: processes of a cluster slow each other down.
//!
//! # Method
//! One process has the bandwidth of a thread. The controller is taken to have what the processes of node 0 draw from their own memory at most,
//! or what was drawn over the link, if that is more. The link is such that all processes together come out as measured. The counts between one and all are predicted:
//! by every model without correction alike, by `ecm` as advised. The null models: *no sharing* (each draws what one draws alone)
//! and *equal parts* (the whole link, for any readers).

use std::collections::BTreeMap;

use numasim_model::ModelKind;

use super::{
    ADVISED, EQUAL_PARTS, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, Role, study, with_model,
    without_correction,
};
use numasim_evidence::fit::{self, Observed, by_solver};
use numasim_study::csv::Rows;

const DATA: &str = include_str!("../../../../results/published-data/data/kunpeng920_remote_readers.csv");
/// Its errors led to the choice of soft queues for links; the other machine tests it.
const CHOSE: &str = "kp920.2P.6CCL";

/// GB/s by processes.
type Curve = BTreeMap<u32, f64>;

/// A machine: cores of a node, and the curves by kernel and node of the memory.
#[derive(Clone, Debug, Default, PartialEq)]
struct Measured {
    cores: u32,
    curves: BTreeMap<(String, u32), Curve>,
}

fn read() -> Result<BTreeMap<String, Measured>, PublishedError> {
    let mut rows = Rows::new(DATA)?;
    let columns = ["machine", "cores_per_node", "kernel", "memory_node", "processes", "gbs"]
        .map(|name| rows.column(name));
    let [Some(machine), Some(cores), Some(kernel), Some(memory), Some(processes), Some(rate)] = columns
    else {
        return Err(rows.header_lacks("columns are missing").into());
    };
    let mut found: BTreeMap<String, Measured> = BTreeMap::new();
    while let Some(row) = rows.next() {
        let row = row?;
        let measured = found.entry(row.text(Some(machine)).to_owned()).or_default();
        measured.cores = row.whole_number(cores, 1, "cores")?;
        let key = (row.text(Some(kernel)).to_owned(), row.whole_number(memory, 0, "a node")?);
        let count = row.whole_number(processes, 1, "processes")?;
        measured.curves.entry(key).or_default().insert(count, row.amount(rate, "GB/s")?);
    }
    Ok(found)
}

impl Measured {
    /// The most that node 0 draws from its local memory with a kernel.
    fn own(&self, kernel: &str) -> f64 {
        let own = self.curves.get(&(kernel.to_owned(), 0));
        own.into_iter().flat_map(|curve| curve.values().copied()).fold(0.0, f64::max)
    }

    /// The curves of remote memories that have counts between one and all.
    fn remote(&self) -> impl Iterator<Item = (&str, u32, &Curve)> {
        self.curves
            .iter()
            .filter(|((_, memory), curve)| *memory > 0 && curve.len() > 2 && curve.contains_key(&1))
            .map(|((kernel, memory), curve)| (kernel.as_str(), *memory, curve))
    }
}

/// GB/s of every count of a curve under a model.
fn predicted(
    measured: &Measured,
    kernel: &str,
    curve: &Curve,
    kind: ModelKind,
    advised: bool,
) -> Result<Vec<f64>, PublishedError> {
    use std::fmt::Write as _;
    let one = curve.get(&1).copied().unwrap_or(f64::NAN);
    let all = curve.values().next_back().copied().unwrap_or(f64::NAN);
    let most = curve.values().copied().fold(0.0, f64::max);
    let mut text = format!(
        "[machine]\nname = \"two nodes\"\nnodes = 2\ncores_per_node = {}\ngflops_per_core = 1e9\nbandwidth_gbs = {:?}\n\
         link_gbs = {all:?}\ncore_bandwidth_gbs = {one:?}\n[[app]]\nname = \"readers\"\narithmetic_intensity = 1.0\n\
         data = {{ home = 1 }}\n",
        measured.cores,
        measured.own(kernel).max(most),
    );
    for count in curve.keys() {
        // Writing to a String cannot fail.
        let _ = write!(text, "[[scenario]]\nname = \"{count}\"\nthreads = {{ readers = [{count}, 0] }}\n");
    }
    let mut study = study("two nodes", &text)?;
    let softness = if advised { super::advised(kind) } else { None };
    study.machine = with_model(&study.machine, kind, softness.unwrap_or(without_correction(kind)))?;
    let predict = by_solver(&study);
    let machine = if softness.is_some() {
        let link = fit::Parameter::read(&study.machine, "link_gbs");
        let link = link.map_err(|error| PublishedError::Model(error.to_string()))?;
        let observed = Observed { scenario: curve.len() - 1, app: None, gflops: all };
        fit::lowest(&study, &[observed], &[link], &predict)?
    } else {
        study.machine.clone()
    };
    let total = |scenario| predict(&machine, scenario).map(|apps| apps.iter().sum::<f64>());
    study.scenarios.iter().map(total).collect::<Result<_, _>>().map_err(PublishedError::Model)
}

/// The prediction of a method for every count of a curve of a kernel.
type Method<'m> = &'m dyn Fn(&str, &Curve) -> Result<Vec<f64>, PublishedError>;

/// The null models, all models without correction, and `ecm` as advised, on both machines.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn judge() -> Result<Vec<Judged>, PublishedError> {
    let mut all = Vec::new();
    for (name, measured) in read()? {
        let judged = |model: &'static str, variant: &str, figures: String, method: Method<'_>| {
            let mut points = Vec::new();
            for (kernel, memory, curve) in measured.remote() {
                let last = curve.keys().next_back().copied();
                let every = curve.iter().zip(method(kernel, curve)?);
                let between = every.filter(|((count, _), _)| **count > 1 && Some(**count) != last);
                points.extend(between.map(|((count, &measured), predicted)| {
                    let name = format!("{kernel}, {count} processes on {memory}");
                    (false, Point { name, measured, predicted })
                }));
            }
            let set = format!("{name}, node 0 reads another node");
            Ok::<_, PublishedError>(Judged {
                role: if name == CHOSE { Role::Chose } else { Role::Tests },
                machine: Some(name.clone()),
                traffic: "STREAM, 4 kernels".to_owned(),
                figures,
                ..Judged::new(Part::Links, set, (model, variant), points)
            })
        };
        let first = |curve: &Curve| curve.get(&1).copied().unwrap_or(f64::NAN);
        let last = |curve: &Curve| curve.values().next_back().copied().unwrap_or(f64::NAN);
        let alone: Method<'_> =
            &|_, curve| Ok(curve.keys().map(|&count| f64::from(count) * first(curve)).collect());
        all.push(judged(NO_SHARING, NO_FIT, String::new(), alone)?);
        let even: Method<'_> = &|_, curve| Ok(vec![last(curve); curve.len()]);
        all.push(judged(EQUAL_PARTS, NO_FIT, String::new(), even)?);
        for kind in ModelKind::ALL {
            let plain: Method<'_> = &|kernel, curve| predicted(&measured, kernel, curve, kind, false);
            all.push(judged(kind.as_str(), NO_FIT, String::new(), plain)?);
            if super::advised(kind).is_some() {
                let soft: Method<'_> = &|kernel, curve| predicted(&measured, kernel, curve, kind, true);
                all.push(judged(kind.as_str(), ADVISED, String::new(), soft)?);
            }
        }
    }
    Ok(all)
}
