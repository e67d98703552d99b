//! From a key to the figure that it stands for.

use std::ops::Range;

use super::kind::{AppFigure, Figure, NodeFigure};
use numasim_model::access::Access;
use numasim_model::app::App;
use numasim_model::ids::NodeId;
use numasim_model::machine::Machine;
use numasim_model::sharing_model::{ModelKind, Parameter};

/// Why a key stands for nothing: facts, which each caller puts in words of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Too few or too many parts.
    #[error("the key is incomplete or has too many parts")]
    Incomplete,
    /// The first part is neither `machine` nor `app`.
    #[error("'{0}' has no figures")]
    Table(String),
    /// The table has no such key.
    #[error("{table} has no key '{key}'")]
    Unknown {
        /// The table, by its key: `machine.node.0`.
        table: String,
        /// The key.
        key: String,
        /// The keys that it has.
        known: Vec<&'static str>,
    },
    /// There is no such node.
    #[error("there is no node {0}")]
    Node(String),
    /// There is no such application or group.
    #[error("there is no application '{0}'")]
    App(String),
    /// The application has no such phase.
    #[error("there is no phase {0}")]
    Phase(String),
    /// The application has several phases, each with its own figure.
    #[error("'{0}' has phases, each with figures of its own")]
    Phases(String),
    /// The real kernel of an application counts its intensity itself.
    #[error("the kernel {kernel} of '{app}' counts its own arithmetic intensity")]
    Counted {
        /// The application or group.
        app: String,
        /// Its kernel.
        kernel: &'static str,
    },
    /// No channel or call joins these ends, or has this number.
    #[error("there is no {noun} '{name}'")]
    Joint {
        /// `channel` or `call`.
        noun: &'static str,
        /// Its number, or both ends.
        name: String,
    },
    /// The policy of the files has no lead.
    #[error("the policy is {0}, which has no lead")]
    OtherPolicy(String),
    /// The machine has no shared link of that name.
    #[error("there is no shared link '{0}'")]
    SharedLink(String),
    /// A machine with one node has no links.
    #[error("a machine with one node has no links")]
    NoLinks,
    /// Without cores nobody reads.
    #[error("node {from} has no cores that could read from node {to}", from = .from.0, to = .to.0)]
    NoReader {
        /// Where the cores should be.
        from: NodeId,
        /// The memory.
        to: NodeId,
    },
    /// The node has no memory.
    #[error("{0} has no memory")]
    NoMemory(NodeId),
    /// The sharing model of the machine does not look at the parameter.
    #[error("{} has no influence on the model {}", .0.key(), .1.name())]
    Unused(Parameter, ModelKind),
    /// The parameter needs `latency_matrix_ns`.
    #[error("{} needs the latencies of the machine", .0.key())]
    NeedsLatencies(Parameter),
}

/// Keys of `[machine]`.
const MACHINE: [&str; 13] = [
    "cores_per_node",
    "gflops_per_core",
    "bandwidth_gbs",
    "core_bandwidth_gbs",
    "read_gbs",
    "copy_gbs",
    "triad_gbs",
    "update_gbs",
    "link_gbs",
    "bandwidth_matrix_gbs.FROM.TO",
    "node.NUMBER.KEY",
    "shared_link.NAME.gbs",
    "sharing.PARAMETER",
];
/// Keys of `[[machine.node]]`.
const NODE: [&str; 8] = [
    "cores",
    "gflops_per_core",
    "bandwidth_gbs",
    "core_bandwidth_gbs",
    "read_gbs",
    "copy_gbs",
    "triad_gbs",
    "update_gbs",
];
/// Keys of `[[app]]`; `data` is the one that is no number.
const APP: [&str; 6] = ["arithmetic_intensity", "data", "min_threads", "max_threads", "weight", "work_gflop"];

impl Figure {
    /// Finds what the parts of a key stand for: `["machine", "node", "0", "bandwidth_gbs"]`.
    ///
    /// # Errors
    /// [`KeyError`] if there is no such figure.
    pub fn find(machine: &Machine, apps: &[App], parts: &[&str]) -> Result<Self, KeyError> {
        match parts {
            ["machine", rest @ ..] => of_machine(machine, rest),
            ["app", name, key] => {
                let instances = instances(apps, name)?;
                let figure = match *key {
                    "arithmetic_intensity" => {
                        not_counted(apps, &instances, name)?;
                        AppFigure::ArithmeticIntensity
                    }
                    "min_threads" => AppFigure::MinThreads,
                    "max_threads" => AppFigure::MaxThreads,
                    "weight" => AppFigure::Weight,
                    "work_gflop" => AppFigure::Work,
                    _ => return Err(unknown(&format!("app.{name}"), key, &APP)),
                };
                Ok(Self::App(figure, instances))
            }
            ["app", ..] | [] => Err(KeyError::Incomplete),
            [first, ..] => Err(KeyError::Table((*first).to_owned())),
        }
    }
}

/// Refuses the intensity of a real kernel, which would no longer be its own.
pub(super) fn not_counted(apps: &[App], instances: &Range<usize>, name: &str) -> Result<(), KeyError> {
    match apps.get(instances.start).and_then(|app| app.problem) {
        Some(problem) => Err(KeyError::Counted { app: name.to_owned(), kernel: problem.kernel().as_str() }),
        None => Ok(()),
    }
}

/// The node, if it has memory.
fn with_memory(machine: &Machine, node: NodeId) -> Result<NodeId, KeyError> {
    if machine.has_memory(node) { Ok(node) } else { Err(KeyError::NoMemory(node)) }
}

fn of_machine(machine: &Machine, rest: &[&str]) -> Result<Figure, KeyError> {
    let figure = |key: &str| match key {
        "gflops_per_core" => Some(NodeFigure::GflopsPerCore),
        "bandwidth_gbs" => Some(NodeFigure::Bandwidth),
        "core_bandwidth_gbs" => Some(NodeFigure::CoreBandwidth),
        "read_gbs" => Some(NodeFigure::Read),
        _ => {
            let kernel = Access::WRITING.into_iter().find(|kernel| kernel.figure_key() == key);
            kernel.map(NodeFigure::Kernel)
        }
    };
    match rest {
        ["cores_per_node"] => Ok(Figure::Node(NodeFigure::Cores, None)),
        ["link_gbs"] if machine.node_count() < 2 => Err(KeyError::NoLinks),
        ["link_gbs"] => Ok(Figure::Link(None)),
        ["bandwidth_matrix_gbs", from, to] => {
            let (from, to) = (node_number(machine, from)?, with_memory(machine, node_number(machine, to)?)?);
            if from == to {
                return Ok(Figure::Node(NodeFigure::Bandwidth, Some(from)));
            }
            if machine.node(from).cores == 0 {
                return Err(KeyError::NoReader { from, to });
            }
            Ok(Figure::Link(Some((from, to))))
        }
        ["node", number, key] => {
            let node = node_number(machine, number)?;
            match (*key, figure(key)) {
                ("cores", _) => Ok(Figure::Node(NodeFigure::Cores, Some(node))),
                (_, Some(figure)) => {
                    if figure.is_of_memory() {
                        with_memory(machine, node)?;
                    }
                    Ok(Figure::Node(figure, Some(node)))
                }
                _ => Err(unknown(&format!("machine.node.{number}"), key, &NODE)),
            }
        }
        ["sharing", key] => of_sharing(machine, key),
        // A name may have dots of its own.
        ["shared_link", name @ .., "gbs"] if !name.is_empty() => {
            let name = name.join(".");
            let found = machine.shared_links().iter().position(|link| link.name == name);
            found.map(Figure::SharedLink).ok_or(KeyError::SharedLink(name))
        }
        ["shared_link" | "node" | "bandwidth_matrix_gbs" | "sharing", ..] | [] => Err(KeyError::Incomplete),
        [key, ..] => match figure(key) {
            Some(figure) if rest.len() == 1 => Ok(Figure::Node(figure, None)),
            _ => Err(unknown("machine", key, &MACHINE)),
        },
    }
}

/// A parameter that the sharing model looks at.
fn of_sharing(machine: &Machine, key: &str) -> Result<Figure, KeyError> {
    let kind = machine.sharing().kind;
    let parameter = Parameter::from_key(key).ok_or_else(|| KeyError::Unknown {
        table: "machine.sharing".to_owned(),
        key: key.to_owned(),
        known: kind.parameters().map(Parameter::key).collect(),
    })?;
    if !parameter.is_used_by(kind) {
        return Err(KeyError::Unused(parameter, kind));
    }
    if parameter == Parameter::OutstandingLines && !machine.has_latencies() {
        return Err(KeyError::NeedsLatencies(parameter));
    }
    Ok(Figure::Sharing(parameter))
}

/// The node with this number.
///
/// # Errors
/// [`KeyError::Node`] if the machine has none.
pub fn node_number(machine: &Machine, text: &str) -> Result<NodeId, KeyError> {
    let number = text.parse().ok().filter(|&node| node < machine.node_count());
    number.map(NodeId).ok_or_else(|| KeyError::Node(text.to_owned()))
}

/// The instances that a name addresses: its own, or all of its group.
///
/// # Errors
/// [`KeyError::App`] if there is neither.
pub fn instances(apps: &[App], name: &str) -> Result<Range<usize>, KeyError> {
    let first = apps.iter().position(|app| app.group == name);
    if let Some(first) = first {
        let count = apps[first..].iter().take_while(|app| app.group == name).count();
        return Ok(first..first + count);
    }
    match apps.iter().position(|app| app.name == name) {
        Some(one) => Ok(one..one + 1),
        None => Err(KeyError::App(name.to_owned())),
    }
}

pub(super) fn unknown(table: &str, key: &str, known: &[&'static str]) -> KeyError {
    KeyError::Unknown { table: table.to_owned(), key: key.to_owned(), known: known.to_vec() }
}
