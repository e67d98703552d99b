//! Which figures of a machine a fit may change, by the keys that `sweep --set` has for them.

use numasim_model::machine::MachineError;
use numasim_model::sharing::Parameter as OfSharing;
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{Machine, Node, NodeId};

/// A figure of the machine that a fit may change. A key of the whole machine stands for one value of all nodes, or
/// of all links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    key: String,
    target: Target,
}

/// What a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// `None`: every node with cores.
    Peak(Option<usize>),
    /// `None`: every node.
    Bandwidth(Option<usize>),
    /// `None`: every node with cores.
    CoreBandwidth(Option<usize>),
    /// `None`: every link.
    Link(Option<(usize, usize)>),
    /// A figure of the sharing model.
    Sharing(OfSharing),
}

/// Why a key stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

const KEYS: [&str; 4] = ["gflops_per_core", "bandwidth_gbs", "core_bandwidth_gbs", "link_gbs"];

impl Parameter {
    /// Reads a key as `sweep --set` takes it; `machine.` before it may be left out: `link_gbs`,
    /// `node.2.bandwidth_gbs`, `bandwidth_matrix_gbs.0.1`.
    ///
    /// # Errors
    /// [`KeyError`] if the machine has no such figure.
    pub fn read(machine: &Machine, key: &str) -> Result<Self, KeyError> {
        let key = key.trim();
        let key = key.strip_prefix("machine.").unwrap_or(key);
        let parts: Vec<&str> = key.split('.').collect();
        let target = match parts.as_slice() {
            ["link_gbs"] if machine.node_count() < 2 => {
                return Err(wrong("a machine with one node has no links", "leave out link_gbs"));
            }
            ["link_gbs"] => Target::Link(None),
            ["bandwidth_matrix_gbs", from, to] => matrix(machine, from, to)?,
            ["node", number, key] => of_node(machine, number, key)?,
            ["sharing", key] => of_sharing(machine, key)?,
            [key] => figure(key, None).ok_or_else(|| unknown(key))?,
            _ => return Err(unknown(key)),
        };
        Ok(Self { key: key.to_owned(), target })
    }

    /// The key, without `machine.`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The key of `[machine.provenance]` that speaks of it in a file of equal nodes; the sharing model has none.
    pub const fn provenance_key(&self) -> Option<&'static str> {
        match self.target {
            Target::Peak(_) => Some(KEYS[0]),
            Target::Bandwidth(_) => Some(KEYS[1]),
            Target::CoreBandwidth(_) => Some(KEYS[2]),
            Target::Link(_) => Some(KEYS[3]),
            Target::Sharing(_) => None,
        }
    }

    /// The unit of its values.
    pub const fn unit(&self) -> &'static str {
        match self.target {
            Target::Peak(_) => "GFLOPS",
            Target::Sharing(parameter) => parameter.unit(),
            _ => "GB/s",
        }
    }

    /// Its value in a machine, the mean over nodes or links; `None` if the machine does not limit it.
    pub fn value(&self, machine: &Machine) -> Option<f64> {
        let nodes = |only: Option<usize>, figure: fn(&Node) -> Option<f64>| {
            let chosen = machine.nodes().iter().enumerate();
            mean(
                chosen
                    .filter(|(n, _)| only.is_none_or(|only| only == *n))
                    .filter_map(|(_, node)| figure(node)),
            )
        };
        match self.target {
            Target::Peak(only) => nodes(only, |node| (node.cores > 0).then(|| node.gflops_per_core.value())),
            Target::Bandwidth(only) => nodes(only, |node| Some(node.bandwidth.value())),
            Target::CoreBandwidth(only) => nodes(only, |node| {
                node.core_bandwidth.filter(|_| node.cores > 0).map(GigabytesPerSecond::value)
            }),
            Target::Link(only) => mean(
                pairs(machine)
                    .filter(|pair| only.is_none_or(|only| only == *pair))
                    .filter_map(|(from, to)| Some(machine.link(NodeId(from), NodeId(to))?.value())),
            ),
            Target::Sharing(parameter) => machine.sharing().parameters.get(parameter),
        }
    }

    /// Where a search begins. If the machine does not limit it: a thread that could fill a controller alone. A correction
    /// that is off has no logarithm: it begins at a usual value.
    pub(super) fn first_guess(&self, machine: &Machine) -> f64 {
        let bandwidth = machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
        let usual = match self.target {
            Target::Sharing(OfSharing::SaturationKnee | OfSharing::OverloadLoss) => 0.1,
            Target::Sharing(OfSharing::RemoteLoss) => 0.2,
            Target::Sharing(OfSharing::EcmPenalty) => 0.4,
            Target::Sharing(OfSharing::OutstandingLines) => 12.0,
            _ => bandwidth,
        };
        self.value(machine).filter(|&value| value > 0.0).unwrap_or(usual)
    }

    /// A key of the whole machine; where a node or link has its own, that one holds.
    const fn is_general(&self) -> bool {
        matches!(
            self.target,
            Target::Peak(None)
                | Target::Bandwidth(None)
                | Target::CoreBandwidth(None)
                | Target::Link(None)
                | Target::Sharing(_)
        )
    }
}

/// The machine with these values of the parameters.
pub(super) fn machine_with(
    machine: &Machine,
    parameters: &[Parameter],
    values: &[f64],
) -> Result<Machine, MachineError> {
    let count = machine.node_count();
    let mut sharing = *machine.sharing();
    let mut nodes = machine.nodes().to_vec();
    let mut links: Vec<GigabytesPerSecond> =
        pairs(machine).map(|(from, to)| machine.link(NodeId(from), NodeId(to)).unwrap_or_default()).collect();
    for general in [true, false] {
        let chosen = parameters.iter().zip(values).filter(|(parameter, _)| parameter.is_general() == general);
        for (parameter, &value) in chosen {
            let mut each = |only: Option<usize>, set: &dyn Fn(&mut Node)| match only {
                Some(only) => nodes.iter_mut().skip(only).take(1).for_each(set),
                None => nodes.iter_mut().for_each(set),
            };
            let (peak, bandwidth) = (Gflops::new(value), GigabytesPerSecond::new(value));
            match parameter.target {
                Target::Peak(only) => each(only, &|node| {
                    if node.cores > 0 {
                        node.gflops_per_core = peak;
                    }
                }),
                Target::Bandwidth(only) => each(only, &|node| node.bandwidth = bandwidth),
                Target::CoreBandwidth(only) => each(only, &|node| {
                    if node.cores > 0 {
                        node.core_bandwidth = Some(bandwidth);
                    }
                }),
                Target::Sharing(parameter) => {
                    let (low, high) = parameter.range();
                    // In its range nothing is refused.
                    let _ = sharing.parameters.set(parameter, value.clamp(low, high));
                }
                Target::Link(None) => links.fill(bandwidth),
                Target::Link(Some((from, to))) => {
                    if let Some(link) = links.get_mut(from * count + to) {
                        *link = bandwidth;
                    }
                }
            }
        }
    }
    Ok(machine.retuned(nodes, links)?.with_sharing(sharing))
}

fn pairs(machine: &Machine) -> impl Iterator<Item = (usize, usize)> + use<> {
    let count = machine.node_count();
    (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

fn figure(key: &str, node: Option<usize>) -> Option<Target> {
    match key {
        "gflops_per_core" => Some(Target::Peak(node)),
        "bandwidth_gbs" => Some(Target::Bandwidth(node)),
        "core_bandwidth_gbs" => Some(Target::CoreBandwidth(node)),
        _ => None,
    }
}

fn of_node(machine: &Machine, number: &str, key: &str) -> Result<Target, KeyError> {
    let node = node_number(machine, number)?;
    let target = figure(key, Some(node)).ok_or_else(|| unknown(key))?;
    if !matches!(target, Target::Bandwidth(_)) && machine.node(NodeId(node)).cores == 0 {
        return Err(wrong(
            format!("node {node} has no cores"),
            format!("a node without cores has only node.{node}.bandwidth_gbs"),
        ));
    }
    Ok(target)
}

/// A parameter that the sharing model of the machine looks at.
fn of_sharing(machine: &Machine, key: &str) -> Result<Target, KeyError> {
    let model = machine.sharing();
    let keys: Vec<&str> = model.kind.parameters().map(OfSharing::key).collect();
    let Some(parameter) = OfSharing::from_key(key) else {
        let hint = match crate::compare::nearest(key, keys.iter().copied()) {
            Some(near) => format!("did you mean sharing.{near}?"),
            None => format!("the model {} has: {}", model.name(), keys.join(", ")),
        };
        return Err(wrong(format!("'{key}' is not a parameter of the sharing models"), hint));
    };
    if !parameter.is_used_by(model.kind) {
        let message = format!("sharing.{key} has no influence on the model {}", model.name());
        return Err(wrong(message, format!("it has: {}", keys.join(", "))));
    }
    if parameter == OfSharing::OutstandingLines && !machine.has_latencies() {
        let hint = "give latency_matrix_ns in the machine file, or free sharing.core_local_gbs";
        return Err(wrong("sharing.outstanding_lines needs the latencies of the machine", hint));
    }
    Ok(Target::Sharing(parameter))
}

fn matrix(machine: &Machine, from: &str, to: &str) -> Result<Target, KeyError> {
    let (from, to) = (node_number(machine, from)?, node_number(machine, to)?);
    if from == to {
        return Ok(Target::Bandwidth(Some(from)));
    }
    if machine.node(NodeId(from)).cores == 0 {
        return Err(wrong(
            format!("node {from} has no cores that could read from node {to}"),
            "the first number is the node of the cores, the second the node of the memory",
        ));
    }
    Ok(Target::Link(Some((from, to))))
}

fn node_number(machine: &Machine, text: &str) -> Result<usize, KeyError> {
    let nodes = machine.node_count();
    text.parse().ok().filter(|&node| node < nodes).ok_or_else(|| {
        wrong(format!("there is no node {text}"), format!("nodes are numbered from 0: 0 to {}", nodes - 1))
    })
}

fn unknown(key: &str) -> KeyError {
    let message = format!("'{key}' is not a figure of the machine that can be fitted");
    let forms = "as for sweep --set: gflops_per_core, bandwidth_gbs, core_bandwidth_gbs or link_gbs for one value of \
                 the whole machine, node.2.bandwidth_gbs for one node, bandwidth_matrix_gbs.0.1 for the link on which \
                 cores of node 0 read memory of node 1, sharing.remote_loss for a parameter of the sharing model";
    let hint = match crate::compare::nearest(key, KEYS) {
        Some(near) => format!("did you mean {near}?"),
        None => forms.to_owned(),
    };
    KeyError { message, hint }
}

fn wrong(message: impl Into<String>, hint: impl Into<String>) -> KeyError {
    KeyError { message: message.into(), hint: hint.into() }
}
