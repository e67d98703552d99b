//! The penalties of the model `ecm`: the waits that threads cause each other at a memory.
//!
//! They are fitted as in `numasim fit` ([`numasim_evidence::fit`]): to the bandwidth of two threads, three and more of a node on its own
//! memory, with all other values from the machine file. So they are those with which the file predicts these bandwidths best. A single
//! thread waits for no other and gives no information on them.
//!
//! A penalty that the thread counts do not determine is not written: most machines are close to the default, and a bad measurement is
//! further off than that.

use numasim_evidence::fit::{self, Estimate, Fit, Observed, Residual, by_solver, fit};
use numasim_model::ids::{AppId, NodeId};
use numasim_model::sharing::Parameter;
use numasim_model::sharing_model::{USUAL_PENALTY, USUAL_WRITE_PENALTY};
use numasim_model::units::FlopPerByte;
use numasim_model::{Access, Allocation, App, Data, Model, ModelKind, Placement, Scenario, Smt, Study};
use numasim_study::topology::HostTopology;

use crate::calibrate::steps::{BANDWIDTH_AI, Purpose, ladder, readers};
use crate::calibrate::together::{CLEARLY_BELOW, predicted_machine};
use crate::calibrate::{Calibration, MeasuredStep};

/// With fewer thread counts above one, a fit cannot distinguish noise from the penalty.
const FEWEST: usize = 3;
/// Penalties of most machines are within this factor of the default. An interval that contains the default and reaches further gives less
/// information than that.
const CLEAR: f64 = 2.0;
/// A smaller penalty than this changes no bandwidth by a thousandth.
const HARD: f64 = 1e-3;
/// Nodes of a machine are alike in this respect: more of them add no information.
const MOST_NODES: usize = 4;

/// The waits that threads of a kind cause each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Penalty {
    /// The key of `[machine.sharing]`.
    pub parameter: Parameter,
    /// The penalty of this machine, or the reason why it is unknown.
    pub found: Result<Estimated, String>,
}

/// A penalty that was fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// The value with the smallest sum of squared errors.
    pub value: f64,
    /// Lower end of the 95 % interval; `None`: the thread counts do not distinguish smaller values.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; `None`: the thread counts do not distinguish larger values.
    pub high: Option<f64>,
    /// Number of thread counts of all nodes to which it was fitted.
    pub counts: usize,
    /// The mean error of their bandwidth with it, as a fraction.
    pub mean_error: f64,
}

/// The penalties of a host: for threads that read, and for those that run `writing`.
pub(super) fn penalties(host: &HostTopology, found: &Calibration, writing: Option<Access>) -> Vec<Penalty> {
    let kinds: Vec<Kind> = std::iter::once(Access::Read)
        .chain(writing)
        .map(|access| Kind { access, rungs: rungs(host, &found.steps, access) })
        .collect();
    let fitted = together(host, found, &kinds);
    let penalty = |(number, kind): (usize, &Kind)| Penalty {
        parameter: kind.parameter(),
        found: match (&kind.rungs, &fitted) {
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
            (Ok(rungs), Ok(fit)) => kind.judged(fit, AppId(number), rungs.len()),
        },
    };
    kinds.iter().enumerate().map(penalty).collect()
}

/// `ecm` with these penalties. Unknown ones have their default. If only that of reads is known, it also applies to writes, which would have
/// the same value otherwise.
pub(super) fn model(penalties: &[Penalty]) -> Model {
    let mut model = Model::from(ModelKind::Ecm);
    for Penalty { parameter, found } in penalties {
        // The fit gives only valid values.
        model = found.as_ref().ok().and_then(|one| model.with(*parameter, one.value).ok()).unwrap_or(model);
    }
    let parameters = &mut model.parameters;
    if parameters.ecm_penalty.is_some() {
        parameters.ecm_write_penalty.get_or_insert(USUAL_WRITE_PENALTY);
    }
    model
}

impl Penalty {
    /// Its value on most machines.
    pub fn usual(&self) -> f64 {
        usual(self.parameter)
    }
}

fn usual(parameter: Parameter) -> f64 {
    if parameter == Parameter::EcmPenalty { USUAL_PENALTY } else { USUAL_WRITE_PENALTY }
}

impl Estimated {
    /// `0.27 to 0.36`, `at most 0.02`.
    pub fn interval(&self) -> String {
        match (self.low, self.high) {
            (Some(low), Some(high)) => format!("{low:.3} to {high:.3}"),
            (Some(low), None) => format!("at least {low:.3}"),
            (None, Some(high)) => format!("at most {high:.3}"),
            (None, None) => "not known".to_owned(),
        }
    }
}

/// Threads with the same use of memory.
struct Kind {
    access: Access,
    /// Node, threads and GB/s, or the reason why these cannot be used.
    rungs: Result<Vec<(NodeId, u32, f64)>, String>,
}

impl Kind {
    fn parameter(&self) -> Parameter {
        if self.access == Access::Read { Parameter::EcmPenalty } else { Parameter::EcmWritePenalty }
    }

    fn key(&self) -> String {
        format!("sharing.{}", self.parameter().as_str())
    }

    /// The result of the fit for its penalty. `app` are its threads.
    fn judged(&self, fit: &Fit, app: AppId, counts: usize) -> Result<Estimated, String> {
        let (parameter, key) = (self.parameter(), self.key());
        let figure = fit.figures.iter().find(|figure| figure.parameter.key() == key);
        let (low, high) = match figure.map(|figure| (&figure.estimate, figure.estimate.interval())) {
            Some((_, Some((low, high)))) => (Some(low), Some(high)),
            Some((&Estimate::AtLeast(low), _)) => (Some(low), None),
            // At the end of the range it is so small that it has no effect.
            Some((&(Estimate::AtMost(high) | Estimate::AtEnd(high)), _)) => (None, Some(high)),
            _ => return Err("the thread counts do not determine it".to_owned()),
        };
        let usual = usual(parameter);
        let value = fit.machine.sharing().parameters.get(parameter).unwrap_or(usual);
        // Without a lower end, such a small value is a hard corner.
        let value = if low.is_none() && value < HARD { 0.0 } else { value };
        let errors = fit.residuals.iter().filter(|one| one.observed.app == Some(app)).map(Residual::error);
        let mean_error = fit::errors(errors).map_or(0.0, |errors| errors.mean);
        let found = Estimated { value, low, high, counts, mean_error };
        let is_usual = low.is_none_or(|low| low <= usual) && high.is_none_or(|high| high >= usual);
        let is_clear = low.zip(high).is_some_and(|(low, high)| high <= CLEAR * CLEAR * low);
        if is_usual && !is_clear {
            return Err(format!("the thread counts say only: {}", found.interval()));
        }
        Ok(found)
    }
}

/// Node, threads and GB/s of all thread counts to which a penalty can be fitted.
fn rungs(
    host: &HostTopology,
    steps: &[MeasuredStep],
    access: Access,
) -> Result<Vec<(NodeId, u32, f64)>, String> {
    let purpose = if access == Access::Read { Purpose::Bandwidth } else { Purpose::Kernel(access) };
    let mut found = Vec::new();
    let mut most = 0;
    for (node, _) in readers(host).take(MOST_NODES) {
        let ladder: Vec<(u32, f64)> = ladder(steps, purpose, node, node)
            .into_iter()
            .map(|(threads, figure)| (threads, figure.median))
            .collect();
        if let Some(why) = contradiction(&ladder) {
            return Err(format!("on {node} {why}"));
        }
        let above_one = ladder.iter().filter(|(threads, gbs)| *threads > 1 && *gbs > 0.0);
        let rungs: Vec<_> = above_one.map(|&(threads, gbs)| (node, threads, gbs)).collect();
        most = most.max(rungs.len());
        if rungs.len() >= FEWEST {
            found.extend(rungs);
        }
    }
    if found.is_empty() {
        return Err(format!("it takes {FEWEST} thread counts above one, measured: {most}"));
    }
    Ok(found)
}

/// The reason why no penalty can match these threads and GB/s.
fn contradiction(ladder: &[(u32, f64)]) -> Option<String> {
    let pairs =
        ladder.iter().enumerate().flat_map(|(at, more)| ladder[..at].iter().map(move |few| (few, more)));
    pairs.into_iter().find_map(|(&(few, gbs_of_few), &(more, gbs))| {
        let each = |gbs: f64, threads: u32| gbs / f64::from(threads);
        if gbs < CLEARLY_BELOW * gbs_of_few {
            Some(format!("{more} threads read {gbs:.1} GB/s and {few} read {gbs_of_few:.1}"))
        } else if each(gbs_of_few, few) < CLEARLY_BELOW * each(gbs, more) {
            let (slow, fast) = (each(gbs_of_few, few), each(gbs, more));
            Some(format!("each of {more} threads reads {fast:.1} GB/s and each of {few} only {slow:.1}"))
        } else {
            None
        }
    })
}

/// One fit of the penalties of all kinds that have thread counts.
fn together(host: &HostTopology, found: &Calibration, kinds: &[Kind]) -> Result<Fit, String> {
    let machine = predicted_machine(host, found).map_err(|error| error.to_string())?;
    let mut model = Model::from(ModelKind::Ecm);
    model.parameters.ecm_penalty = Some(USUAL_PENALTY);
    model.parameters.ecm_write_penalty = Some(USUAL_WRITE_PENALTY);
    let machine = machine.with_sharing(model);
    let data = Data::Placed(Placement::Local);
    let app = |kind: &Kind| App {
        kernel: kind.access,
        ..App::new(kind.access.as_str(), FlopPerByte::new(BANDWIDTH_AI), data.clone())
    };
    let apps: Vec<App> = kinds.iter().map(app).collect();
    let (mut scenarios, mut observed, mut free) = (Vec::new(), Vec::new(), Vec::new());
    for (number, kind) in kinds.iter().enumerate() {
        let Ok(rungs) = &kind.rungs else { continue };
        free.push(fit::Parameter::read(&machine, &kind.key()).map_err(|error| error.to_string())?);
        for &(node, threads, gbs) in rungs {
            let mut allocation = Allocation::empty(apps.len(), machine.node_count());
            allocation.set(AppId(number), node, threads);
            let (scenario, gflops) = (scenarios.len(), gbs * BANDWIDTH_AI);
            observed.push(Observed { scenario, app: Some(AppId(number)), gflops });
            let data = vec![data.clone(); apps.len()];
            let smt = vec![Smt::One; apps.len()];
            scenarios.push(Scenario {
                name: scenario.to_string(),
                allocation,
                data,
                smt,
                static_work: false,
            });
        }
    }
    let study = Study { machine, apps, scenarios };
    fit(&study, &observed, &free, false, &by_solver(&study)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::Figure;
    use crate::calibrate::steps::{Step, assemble};

    /// A Xeon Gold 6148 with 20 cores, by RRZE (`results/published-data/data/rrze_kerncraft_bw_scaling.csv`): `load` and `triad`.
    fn published() -> (HostTopology, Calibration) {
        let counts = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20];
        let load = [14.32, 27.49, 39.92, 51.94, 63.49, 74.4, 93.64, 107.69, 116.54, 120.64, 117.82];
        let triad = [13.91, 26.49, 38.42, 49.71, 59.07, 66.45, 75.53, 81.5, 85.02, 86.54, 85.88];
        let step = |purpose, threads, gflops: f64, gbs: f64| MeasuredStep {
            step: Step::single(purpose, NodeId(0), NodeId(0), threads),
            gflops: Figure::of(&[gflops]).expect("a sample"),
            bandwidth: Figure::of(&[gbs]).expect("a sample"),
            rounds: vec![(gflops, gbs)],
        };
        let mut steps = vec![step(Purpose::Peak, 20, 800.0, 1.0)];
        let ladder = |purpose, gbs: [f64; 11]| {
            counts.into_iter().zip(gbs).map(move |(threads, gbs)| step(purpose, threads, 1.0, gbs))
        };
        steps.extend(ladder(Purpose::Bandwidth, load));
        steps.extend(ladder(Purpose::Kernel(Access::Triad), triad));
        let host = HostTopology::from_cores("box", &[20]);
        let found = assemble(&host, steps);
        (host, found)
    }

    #[test]
    fn penalties_of_a_published_ladder_match_an_independent_fit() {
        let (host, measured) = published();
        let found = penalties(&host, &measured, Some(Access::Triad));
        // Bisection for the wait and steps along the penalty, implemented independently in another language: 0.3604 with a mean error of
        // 2.47 %.
        let [reads, writes] = [0, 1].map(|kind: usize| found[kind].found.clone().expect("a penalty"));
        assert!((reads.value - 0.3604).abs() < 5e-4, "{reads:?}");
        assert!((reads.mean_error - 0.0247).abs() < 1e-4 && reads.counts == 10, "{reads:?}");
        assert!(reads.low < Some(0.33) && reads.high > Some(0.4), "{reads:?}");
        // With the read bandwidth of a core, 14.32 GB/s, and the 86.54 GB/s of triads that the memory delivers.
        assert!((writes.value - 0.4842).abs() < 5e-4, "{writes:?}");
    }

    #[test]
    fn an_uninformative_interval_determines_no_penalty() {
        let (host, measured) = published();
        let kind = Kind { access: Access::Read, rungs: rungs(&host, &measured.steps, Access::Read) };
        let mut fit = together(&host, &measured, std::slice::from_ref(&kind)).expect("a fit");
        // As on a host with other load: the slopes at 1e-9 are only noise, and the interval does not contain the default penalty.
        let interval = Some((1e-25, 0.1));
        fit.figures[0].estimate = Estimate::Determined { value: 1e-9, interval, left_out: None };
        let why = kind.judged(&fit, AppId(0), 10).expect_err("no penalty");
        assert_eq!(why, "the thread counts do not determine it");
    }

    #[test]
    fn contradicting_thread_counts_are_not_used() {
        assert_eq!(contradiction(&[(1, 10.0), (2, 20.0), (4, 37.0), (8, 36.0)]), None);
        // 30 of 37 is 81 %.
        let falls = contradiction(&[(1, 10.0), (4, 37.0), (8, 30.0)]).expect("it falls");
        assert_eq!(falls, "8 threads read 30.0 GB/s and 4 read 37.0");
        // 12 each, although one has 10.
        let rises = contradiction(&[(1, 10.0), (2, 24.0)]).expect("it rises");
        assert_eq!(rises, "each of 2 threads reads 12.0 GB/s and each of 1 only 10.0");
    }
}
