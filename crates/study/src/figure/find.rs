//! From a key to its value in the machine or an application.

use std::ops::Range;

use super::kind::{Figure, ValueRange};
use crate::keys::{Key, app, machine, node};
use numasim_model::app::{App, Data};
use numasim_model::ids::NodeId;
use numasim_model::machine::Machine;
use numasim_model::scenario::Study;
use numasim_model::sharing_model::{ModelKind, Parameter};

/// The reason that a key is invalid: facts, which each caller puts into its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Too few or too many parts.
    #[error("the key is incomplete or has too many parts")]
    Incomplete,
    /// The first part is neither `machine` nor `app`.
    #[error("'{0}' has no figures")]
    Table(String),
    /// The table does not have this key.
    #[error("{table} has no key '{key}'")]
    Unknown {
        /// The table, by its key: `machine.node.0`.
        table: String,
        /// The key.
        key: String,
        /// The keys of the table.
        known: Vec<&'static str>,
    },
    /// Unknown node.
    #[error("there is no node {0}")]
    Node(String),
    /// Unknown application or group.
    #[error("there is no application '{0}'")]
    App(String),
    /// No such value of applications, or of the tables of a family.
    #[error("{message}")]
    Absent {
        /// The reason.
        message: String,
        /// The correct syntax.
        hint: String,
    },
    /// The machine has no shared link with that name.
    #[error("there is no shared link '{0}'")]
    SharedLink(String),
    /// A machine with one node has no links.
    #[error("a machine with one node has no links")]
    NoLinks,
    /// A node without cores reads no memory.
    #[error("node {from} has no cores that could read from node {to}", from = .from.0, to = .to.0)]
    NoReader {
        /// The node that should have cores.
        from: NodeId,
        /// The memory.
        to: NodeId,
    },
    /// The node has no memory.
    #[error("{0} has no memory")]
    NoMemory(NodeId),
    /// The sharing model of the machine does not use the parameter.
    #[error("{} has no influence on the model {}", .0.as_str(), .1.as_str())]
    Unused(Parameter, ModelKind),
    /// The parameter needs `latency_matrix_ns`.
    #[error("{} needs the latencies of the machine", .0.as_str())]
    NeedsLatencies(Parameter),
}

/// A study whose values may be replaced, including those of a family.
pub trait Swept: Clone + std::fmt::Debug + PartialEq {
    /// A value of the family.
    type Figure: Clone + std::fmt::Debug + PartialEq;

    /// Machine, applications and scenarios.
    fn at_rest(&self) -> &Study;

    /// The same, mutable.
    fn at_rest_mut(&mut self) -> &mut Study;

    /// Finds the value for the parts of a key.
    ///
    /// # Errors
    /// [`KeyError`] if the family has no such value.
    fn find(&self, parts: &[&str]) -> Result<Self::Figure, KeyError>;

    /// The unit of its values; empty for a plain number.
    fn unit(figure: &Self::Figure) -> &'static str;

    /// Its valid range.
    fn range(figure: &Self::Figure) -> ValueRange;

    /// Sets everything that `figure` refers to; `value` is within its range.
    fn set(&mut self, figure: &Self::Figure, value: f64);

    /// If the family stores data placements of an application, replaces them by `data`, except those that the
    /// files specify.
    fn move_data(&mut self, app: usize, data: &Data);
}

/// The keys of `[machine]` for values of its nodes; for a single node the first key is `cores`.
pub fn of_nodes() -> impl Iterator<Item = &'static Key> {
    let keys = machine::TABLE.keys.iter().copied();
    keys.filter(|key| key.node.is_some() && key.changed_in.is_some())
}

/// Keys of `[machine]`.
fn machine_keys() -> Vec<&'static str> {
    let forms = [
        machine::LINK_GBS.name,
        "bandwidth_matrix_gbs.FROM.TO",
        "node.NUMBER.KEY",
        "shared_link.NAME.gbs",
        "sharing.PARAMETER",
    ];
    of_nodes().map(|key| key.name).chain(forms).collect()
}

/// Keys of `[[machine.node]]`.
fn node_keys() -> Vec<&'static str> {
    std::iter::once(&node::CORES).chain(of_nodes().skip(1)).map(|key| key.name).collect()
}

/// Whether this key of an application affects the demand of its threads, so that it also matters for threads
/// that are placed by hand.
pub fn is_of_demand(key: &Key) -> bool {
    let keys = [
        &app::ARITHMETIC_INTENSITY,
        &app::THREAD_GFLOPS,
        &app::THREAD_GBS,
        &app::WRITE_SHARE,
        &app::NODE_OVERHEAD,
        &app::OUTSTANDING_LINES,
    ];
    keys.contains(&key)
}

/// The keys for values of applications.
pub fn of_apps() -> impl Iterator<Item = &'static Key> {
    let keys = app::TABLE.keys.iter().copied();
    keys.filter(|key| key.app.is_some() && key.changed_in.is_some())
}

/// Keys of `[[app]]`; `data` is the only one that is not a number.
fn app_keys() -> Vec<&'static str> {
    let of_sweeps = |key: &Key| key == &app::DATA || of_apps().any(|other| other == key);
    app::TABLE.keys.iter().filter(|key| of_sweeps(key)).map(|key| key.name).collect()
}

impl Figure {
    /// Finds the value for the parts of a key: `["machine", "node", "0", "bandwidth_gbs"]`.
    ///
    /// # Errors
    /// [`KeyError`] if there is no such value.
    pub fn find(machine: &Machine, apps: &[App], parts: &[&str]) -> Result<Self, KeyError> {
        match parts {
            ["machine", rest @ ..] => of_machine(machine, rest),
            ["app", name, key] => {
                let instances = instances(apps, name)?;
                let found = of_apps().find(|found| found.name == *key);
                let figure = found.ok_or_else(|| unknown(&format!("app.{name}"), key, app_keys()))?;
                if figure == &app::ARITHMETIC_INTENSITY {
                    not_counted(apps, &instances, name)?;
                }
                Ok(Self::App(figure, instances))
            }
            ["app", ..] | [] => Err(KeyError::Incomplete),
            [first, ..] => Err(KeyError::Table((*first).to_owned())),
        }
    }
}

/// Rejects the intensity of a real kernel, which counts its own.
///
/// # Errors
/// [`KeyError::Absent`] for a real kernel.
pub fn not_counted(apps: &[App], instances: &Range<usize>, name: &str) -> Result<(), KeyError> {
    match apps.get(instances.start).and_then(|app| app.problem) {
        Some(problem) => Err(absent(
            format!(
                "the kernel {} of '{name}' counts its own arithmetic intensity",
                problem.kernel().as_str()
            ),
            "its sizes in [app.problem] decide; a synthetic kernel has any intensity",
        )),
        None => Ok(()),
    }
}

/// The node, if it has memory.
fn with_memory(machine: &Machine, node: NodeId) -> Result<NodeId, KeyError> {
    if machine.has_memory(node) { Ok(node) } else { Err(KeyError::NoMemory(node)) }
}

fn of_machine(of: &Machine, rest: &[&str]) -> Result<Figure, KeyError> {
    let figure = |key: &str| of_nodes().skip(1).find(|figure| figure.name == key);
    match rest {
        ["cores_per_node"] => Ok(Figure::Node(&node::CORES, None)),
        ["link_gbs"] if of.node_count() < 2 => Err(KeyError::NoLinks),
        ["link_gbs"] => Ok(Figure::Link(None)),
        ["bandwidth_matrix_gbs", from, to] => {
            let (from, to) = (node_number(of, from)?, with_memory(of, node_number(of, to)?)?);
            if from == to {
                return Ok(Figure::Node(&machine::BANDWIDTH_GBS, Some(from)));
            }
            if of.node(from).cores == 0 {
                return Err(KeyError::NoReader { from, to });
            }
            Ok(Figure::Link(Some((from, to))))
        }
        ["node", number, key] => {
            let own = node_number(of, number)?;
            match (*key, figure(key)) {
                ("cores", _) => Ok(Figure::Node(&node::CORES, Some(own))),
                (_, Some(figure)) => {
                    if figure.of_memory {
                        with_memory(of, own)?;
                    }
                    Ok(Figure::Node(figure, Some(own)))
                }
                _ => Err(unknown(&format!("machine.node.{number}"), key, node_keys())),
            }
        }
        ["sharing", key] => of_sharing(of, key),
        // A name may contain dots.
        ["shared_link", name @ .., "gbs"] if !name.is_empty() => {
            let name = name.join(".");
            let found = of.shared_links().iter().position(|link| link.name == name);
            found.map(Figure::SharedLink).ok_or(KeyError::SharedLink(name))
        }
        ["shared_link" | "node" | "bandwidth_matrix_gbs" | "sharing", ..] | [] => Err(KeyError::Incomplete),
        [key, ..] => match figure(key) {
            Some(figure) if rest.len() == 1 => Ok(Figure::Node(figure, None)),
            _ => Err(unknown("machine", key, machine_keys())),
        },
    }
}

/// A parameter that the sharing model uses.
fn of_sharing(machine: &Machine, key: &str) -> Result<Figure, KeyError> {
    let kind = machine.sharing().kind;
    let parameter = Parameter::from_word(key).ok_or_else(|| KeyError::Unknown {
        table: "machine.sharing".to_owned(),
        key: key.to_owned(),
        known: kind.parameters().map(Parameter::as_str).collect(),
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

/// The instances that a name addresses: a single one, or all of a group.
///
/// # Errors
/// [`KeyError::App`] if neither exists.
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

/// The error for a missing value.
pub fn absent(message: String, hint: impl Into<String>) -> KeyError {
    KeyError::Absent { message, hint: hint.into() }
}

/// The error for a key that the table does not have; `known` are its keys.
pub fn unknown(table: &str, key: &str, known: Vec<&'static str>) -> KeyError {
    KeyError::Unknown { table: table.to_owned(), key: key.to_owned(), known }
}
