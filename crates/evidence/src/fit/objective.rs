//! The objective of a fit: relative errors of predicted GFLOPS as a function of the free values.

use numasim_model::machine::MachineError;
use numasim_model::sharing::Parameter as OfSharing;
use numasim_model::words::{choice, nearest};
use numasim_model::{AppId, Machine, NodeId, Scenario, Study};
use numasim_study::figure::{self, Figure, Figures};
use numasim_study::keys::{machine as keys, node as of_node};

use crate::fit::least_squares::{Columns, dot};

/// Predicts the GFLOPS of each application of a scenario on a machine, or returns the reason that it cannot.
pub type Predict<'a> = &'a dyn Fn(&Machine, &Scenario) -> Result<Vec<f64>, String>;

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Index of the scenario in the study.
    pub scenario: usize,
    /// The application; `None`: all of them together.
    pub app: Option<AppId>,
    /// Measured GFLOPS, above 0: the median over repetitions.
    pub gflops: f64,
}

/// The search stays within this factor of its start, up and down.
pub(super) const RANGE: f64 = 1000.0;

/// Weight of the preference for the value of the file, on the logarithm. It decides only if the measurements
/// do not: a value that changes a prediction by 0.01 % when it grows by a factor of e is moved by 0.01 %.
const STAY: f64 = 1e-6;

/// A preference for a free value, from known values of the same kind: it has the weight of an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Index of the value among the free ones.
    pub place: usize,
    /// The usual value, in its unit, above 0.
    pub value: f64,
    /// The relative error of an observation that weighs the same as a value off by a factor of e.
    pub weight: f64,
}

/// The preferred logarithm of a value, and the strength of the preference.
#[derive(Clone, Copy, Debug)]
struct Wish {
    at: f64,
    weight: f64,
}

/// Step of central differences, on the logarithm.
const STEP: f64 = 1e-6;

/// The free values, as natural logarithms: positive by construction, and steps are relative.
pub(super) struct Objective<'a> {
    pub(super) study: &'a Study,
    pub(super) parameters: &'a [Parameter],
    pub(super) predict: Predict<'a>,
    /// The start of the search: the values of the file.
    pub(super) start: Vec<f64>,
    /// Preference for each value: the file, or its prior.
    wishes: Vec<Wish>,
}

impl<'a> Objective<'a> {
    pub(super) fn new(study: &'a Study, parameters: &'a [Parameter], predict: Predict<'a>) -> Self {
        let start: Vec<f64> =
            parameters.iter().map(|parameter| parameter.first_guess(&study.machine).ln()).collect();
        let wishes = start.iter().map(|&at| Wish { at, weight: STAY }).collect();
        Self { study, parameters, predict, start, wishes }
    }

    /// The same with these preferences; those without a value are ignored.
    pub(super) fn with_priors(mut self, priors: &[Prior]) -> Self {
        for prior in priors {
            if let Some(wish) = self.wishes.get_mut(prior.place) {
                *wish = Wish { at: prior.value.ln(), weight: prior.weight };
            }
        }
        self
    }

    /// Values at a point, restricted to the range of the search.
    pub(super) fn values(&self, point: &[f64]) -> Vec<f64> {
        let reach = RANGE.ln();
        let inside = |(&at, &start): (&f64, &f64)| at.clamp(start - reach, start + reach).exp();
        point.iter().zip(self.start.iter()).map(inside).collect()
    }

    /// Whether the value is at the end of the range.
    pub(super) fn at_end(&self, point: &[f64], parameter: usize) -> bool {
        (point[parameter] - self.start[parameter]).abs() > RANGE.ln() - 1e-3
    }

    pub(super) fn machine(&self, point: &[f64]) -> Result<Machine, String> {
        machine_with(&self.study.machine, self.parameters, &self.values(point))
            .map_err(|error| error.to_string())
    }

    /// Predicted GFLOPS of each observation.
    pub(super) fn predicted(&self, point: &[f64], observed: &[Observed]) -> Result<Vec<f64>, String> {
        predicted(self.study, &self.machine(point)?, observed, self.predict)
    }

    /// (predicted - measured) / measured of each observation.
    pub(super) fn errors(&self, point: &[f64], observed: &[Observed]) -> Result<Vec<f64>, String> {
        let predicted = self.predicted(point, observed)?;
        let error = |(predicted, one): (&f64, &Observed)| (predicted - one.gflops) / one.gflops;
        Ok(predicted.iter().zip(observed).map(error).collect())
    }

    /// Change of each error for a change of each logarithm: central differences.
    pub(super) fn slopes(&self, point: &[f64], observed: &[Observed]) -> Result<Columns, String> {
        let column = |p: usize| {
            let (mut above, mut below) = (point.to_vec(), point.to_vec());
            above[p] += STEP;
            below[p] -= STEP;
            let rise = self.errors(&above, observed)?.into_iter().zip(self.errors(&below, observed)?);
            Ok(rise.map(|(above, below)| (above - below) / (2.0 * STEP)).collect())
        };
        (0..self.parameters.len()).map(column).collect()
    }

    /// The residuals of the optimiser: the errors, followed by the preferences.
    pub(super) fn residuals(&self, point: &[f64], observed: &[Observed]) -> Option<Vec<f64>> {
        let mut all = self.errors(point, observed).ok()?;
        all.extend(point.iter().zip(&self.wishes).map(|(at, wish)| (at - wish.at) * wish.weight));
        Some(all)
    }

    /// Derivatives of [`Objective::residuals`].
    pub(super) fn jacobian(&self, point: &[f64], observed: &[Observed]) -> Option<Columns> {
        let mut all = self.slopes(point, observed).ok()?;
        for (p, column) in all.iter_mut().enumerate() {
            let of_wish = |(q, wish): (usize, &Wish)| if p == q { wish.weight } else { 0.0 };
            column.extend(self.wishes.iter().enumerate().map(of_wish));
        }
        Some(all)
    }

    /// Half the sum that is minimised; infinite if a prediction fails.
    pub(super) fn cost(&self, point: &[f64], observed: &[Observed]) -> f64 {
        let cost = self.residuals(point, observed).map_or(f64::INFINITY, |all| 0.5 * dot(&all, &all));
        if cost.is_nan() { f64::INFINITY } else { cost }
    }
}

/// Predicted GFLOPS of each observation. Those of a scenario are consecutive, so that it is predicted once.
pub(super) fn predicted(
    study: &Study,
    machine: &Machine,
    observed: &[Observed],
    predict: Predict<'_>,
) -> Result<Vec<f64>, String> {
    let mut all = Vec::with_capacity(observed.len());
    for group in observed.chunk_by(|a, b| a.scenario == b.scenario) {
        let scenario = group.first().and_then(|first| study.scenarios.get(first.scenario));
        let scenario = scenario.ok_or("there is no such scenario")?;
        let apps = predict(machine, scenario)?;
        all.extend(group.iter().map(|one| match one.app {
            Some(app) => apps.get(app.0).copied().unwrap_or_default(),
            None => apps.iter().sum(),
        }));
    }
    Ok(all)
}

/// A value of the machine that a fit may change. A key of the whole machine refers to one value of all nodes,
/// or of all links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    key: String,
    figure: Figure,
}

/// The reason that a key is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// The mistake.
    pub message: String,
    /// The correction.
    pub hint: String,
}

impl Parameter {
    /// Reads a key in the syntax of `sweep --set`; the prefix `machine.` is optional: `link_gbs`,
    /// `node.2.bandwidth_gbs`, `bandwidth_matrix_gbs.0.1`.
    ///
    /// # Errors
    /// [`KeyError`] if the machine has no such value, or none that can be fitted.
    pub fn read(machine: &Machine, key: &str) -> Result<Self, KeyError> {
        let key = key.trim();
        let key = key.strip_prefix("machine.").unwrap_or(key);
        let parts: Vec<&str> = std::iter::once("machine").chain(key.split('.')).collect();
        let figure = Figure::find(machine, &[], &parts).map_err(|error| explained(machine, key, &error))?;
        match figure {
            // Cores are counted, not fitted.
            Figure::Node(figure, node) if figure == &of_node::CORES => {
                Err(unknown(node.map_or(key, |_| figure.name)))
            }
            Figure::Node(figure, Some(NodeId(node)))
                if !figure.of_memory && machine.node(NodeId(node)).cores == 0 =>
            {
                Err(wrong(
                    format!("node {node} has no cores"),
                    format!("a node without cores has only node.{node}.bandwidth_gbs"),
                ))
            }
            figure => Ok(Self { key: key.to_owned(), figure }),
        }
    }

    /// The key, without `machine.`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The key of `[machine.provenance]` for it in a file of equal nodes; `None` for the sharing model.
    pub const fn provenance_key(&self) -> Option<&'static str> {
        match self.figure {
            Figure::Sharing(_) => None,
            _ => Some(self.figure.key()),
        }
    }

    /// The unit of its values.
    pub const fn unit(&self) -> &'static str {
        self.figure.unit()
    }

    /// Its value in a machine, the mean over nodes or links; `None` if the machine does not limit it.
    pub fn value(&self, machine: &Machine) -> Option<f64> {
        let values = self.figure.values(machine, &[]);
        let sum = values.iter().fold(0.0, |sum, value| sum + value);
        (!values.is_empty()).then(|| sum / values.len() as f64)
    }

    /// The start of a search. If the machine has no limit: a thread that could fill a controller alone. A
    /// correction that is off has no logarithm: it starts at a usual value.
    pub(super) fn first_guess(&self, machine: &Machine) -> f64 {
        let bandwidth = machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
        let usual = match self.figure {
            Figure::Sharing(OfSharing::SaturationKnee | OfSharing::OverloadLoss) => 0.1,
            Figure::Sharing(OfSharing::RemoteLoss) => 0.2,
            Figure::Sharing(OfSharing::EcmPenalty | OfSharing::EcmWritePenalty) => 0.4,
            Figure::Sharing(OfSharing::OutstandingLines) => 12.0,
            _ => bandwidth,
        };
        self.value(machine).filter(|&value| value > 0.0).unwrap_or(usual)
    }

    /// `value`, or the nearest valid one: the search may step out of the range.
    fn in_range(&self, value: f64) -> f64 {
        self.figure.range().nearest(value)
    }
}

/// The machine with these values of the parameters.
pub(super) fn machine_with(
    machine: &Machine,
    parameters: &[Parameter],
    values: &[f64],
) -> Result<Machine, MachineError> {
    let mut figures = Figures::of(machine, &[]);
    // A value of a node or link takes precedence over that of all nodes or links.
    for general in [true, false] {
        let chosen = parameters.iter().zip(values);
        for (parameter, &value) in chosen.filter(|(one, _)| one.figure.is_of_whole_machine() == general) {
            figures.set(&parameter.figure, parameter.in_range(value));
        }
    }
    figures.retuned(machine)
}

/// The reason that `key` is invalid, and the correction.
fn explained(machine: &Machine, key: &str, error: &figure::KeyError) -> KeyError {
    use figure::KeyError as Why;
    let model = machine.sharing();
    let known = || model.kind.parameters().map(OfSharing::as_str);
    let parameters = || known().collect::<Vec<_>>().join(", ");
    match error {
        Why::SharedLink(_) => {
            let names: Vec<&str> = machine.shared_links().iter().map(|link| link.name.as_str()).collect();
            let hint = if names.is_empty() {
                "the machine has no [[machine.shared_link]]".to_owned()
            } else {
                format!("the shared links are: {}", names.join(", "))
            };
            wrong(error.to_string(), hint)
        }
        Why::NoLinks => wrong(error.to_string(), "leave out link_gbs"),
        Why::Node(_) => {
            let last = machine.node_count() - 1;
            wrong(error.to_string(), format!("nodes are numbered from 0: 0 to {last}"))
        }
        Why::NoReader { .. } => wrong(
            error.to_string(),
            "the first number is the node of the cores, the second the node of the memory",
        ),
        Why::NoMemory(_) => wrong(error.to_string(), "name a node that has memory"),
        Why::Unknown { table, key, .. } if table == "machine.sharing" => {
            let hint = match nearest(key, known()) {
                Some(near) => format!("did you mean sharing.{near}?"),
                None => format!("the model {} has: {}", model.name(), parameters()),
            };
            wrong(format!("'{key}' is not a parameter of the sharing models"), hint)
        }
        Why::Unknown { table, key, .. } if table != "machine" => unknown(key),
        Why::Unused(parameter, kind) => wrong(
            format!("sharing.{} has no influence on the model {}", parameter.as_str(), kind.as_str()),
            format!("it has: {}", parameters()),
        ),
        Why::NeedsLatencies(parameter) => wrong(
            format!("sharing.{} needs the latencies of the machine", parameter.as_str()),
            "give latency_matrix_ns in the machine file, or free sharing.core_local_gbs",
        ),
        Why::Unknown { .. } | Why::Incomplete | Why::Table(_) | Why::App(_) | Why::Absent { .. } => {
            unknown(key)
        }
    }
}

fn unknown(key: &str) -> KeyError {
    let message = format!("'{key}' is not a figure of the machine that can be fitted");
    // Cores are counted, not fitted.
    let keys: Vec<&str> =
        figure::of_nodes().skip(1).map(|key| key.name).chain([keys::LINK_GBS.name]).collect();
    let hint = match nearest(key, keys.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!(
            "as for sweep --set: {} for one value of the whole machine, node.2.bandwidth_gbs for one node, \
             bandwidth_matrix_gbs.0.1 for the link on which cores of node 0 read memory of node 1, shared_link.NAME.gbs for \
             a shared link, sharing.remote_loss for a parameter of the sharing model",
            choice(keys)
        ),
    };
    KeyError { message, hint }
}

fn wrong(message: impl Into<String>, hint: impl Into<String>) -> KeyError {
    KeyError { message: message.into(), hint: hint.into() }
}
